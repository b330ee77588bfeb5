# SPDX-License-Identifier: GPL-2.0
"""One call of the bench: which runs are to be made, and making them."""

import os
import shutil
import subprocess
import time
from collections import deque
from dataclasses import dataclass

from bench import cells as table_of_cells
from bench import expect, figures, guest, keys, limits, realdisk
from bench.cells import SCHEDULERS
from run import cli as run_cli
from run import guests
from run.report import number

# Host seconds of a run that was never made: a boot, and what a guest second
# took with the first cells. Only for "time left".
BOOT_S = 6.0
GUEST_SECOND_S = 0.8


def build_module(options):
    """The disk models for the lab kernel, in a copy: the tree stays clean."""
    folder = options.module.parent
    folder.mkdir(parents=True, exist_ok=True)
    for path in keys.MODELS.iterdir():
        target = folder / path.name
        if path.name != ".gitignore" and path.is_file() and not (
                target.exists() and target.read_bytes() == path.read_bytes()):
            shutil.copy2(path, target)
    run = subprocess.run(
        [keys.ROOT / "base/locked", options.build / "kernel.lock",
         "env", "-u", "MAKEFLAGS", "make", "-C", folder,
         f"KDIR={options.build}/lab", f"CC={os.environ.get('KCC') or 'gcc'}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)
    if run.returncode or not options.module.is_file():
        raise SystemExit("bench: the disk models do not build:\n"
                         + run.stdout[-2000:])


@dataclass(frozen=True)
class Work:
    """One run to be made."""
    cell: table_of_cells.Cell
    scheduler: str
    seed: int
    host_s: float

    @property
    def name(self):
        return f"{self.cell.name} {self.scheduler} seed {self.seed}"


def seeds_of(cell, options):
    return options.seeds or tuple(range(1, cell.seeds + 1))


def choose_work(chosen, book, options):
    works = []
    for cell in chosen:
        for scheduler in options.sched or SCHEDULERS:
            if not cell.has_scheduler(scheduler):
                continue
            seeds = seeds_of(cell, options)
            missing = seeds if options.again else book.missing(
                cell, scheduler, seeds)
            works += [Work(cell, scheduler, seed,
                           estimate_s(book, cell, scheduler))
                      for seed in missing]
    return works


def expected_work(cells, book, options):
    """One seed of each row that expect.tsv is about."""
    pairs = dict.fromkeys((line.cell, line.scheduler)
                          for line in expect.load())
    return [Work(cells[name], scheduler, 1,
                 estimate_s(book, cells[name], scheduler))
            for name, scheduler in pairs
            if options.again or book.missing(cells[name], scheduler, (1,))]


# Driven by the same requests, a model that did not change gives the same rate
# within what two runs of one seed differ by.
SAME = 0.02


def adopters(part, cells, book):
    """{(device, second device): [entry]} of the committed entries whose key
    differs from today's in that part alone."""
    found = {}
    for (name, scheduler), entry in book.peers.items():
        cell = cells[name]
        if keys.differs(entry["key"], book.key(cell, scheduler)) == [part]:
            found.setdefault((cell.device, cell.second), []).append(entry)
    return found


def proof(entries, cells, book):
    """The run that shows for all entries of a device that nothing changed:
    the first seed of one that is quickly made, with a rate, and direct if
    there is one, as the page cache has luck of its own."""
    def effort(entry):
        cell = cells[entry["cell"]]
        return (not all(figures_.get("rate_mb_s", (0,))[0]
                        for figures_ in entry["measured"].values()),
                not all("direct=1" in load.options for load in cell.loads),
                estimate_s(book, cell, entry["scheduler"]))

    entry = min(entries, key=effort)
    return entry, Work(cells[entry["cell"]], entry["scheduler"],
                       entry["seeds"][0], 0.0)


def is_same(entry, run):
    """Whether a new run has the rates of all loads that the entry's seeds had:
    some rows depend on the platter's phase or change in mid-run."""
    def fits(rates, rate):
        return (1 - SAME) * min(rates) <= rate <= (1 + SAME) * max(rates)

    new = run["windows"]["measured"]
    rates = {load: figures_["rate_mb_s"]
             for load, figures_ in entry["measured"].items()
             if "rate_mb_s" in figures_}
    return bool(rates) and all(fits(old, new[load]["rate_mb_s"])
                               for load, old in rates.items())


def estimate_s(book, cell, scheduler):
    before = [run.get("host_s", 0) for run
              in book.runs.of(cell, scheduler).values()]
    return max(before, default=0) or (
        BOOT_S + GUEST_SECOND_S * (cell.warm_s + cell.seconds))


class Clock(run_cli.Clock):
    """make run's progress lines, for works of one run each."""

    def __init__(self, works, jobs):  # pylint: disable=super-init-not-called
        self.left_s = sum(work.host_s for work in works)
        self.jobs = jobs
        self.start = time.monotonic()
        self.done_s = 0.0
        self.done, self.all = 0, len(works)


class Session:
    """One call of the command."""

    def __init__(self, works, book, options):
        self.queue = deque(works)
        self.book, self.options = book, options
        self.clock = Clock(works, options.jobs)
        self.failed = {}

    async def measure(self, work):
        cell = work.cell
        started = time.monotonic()
        run = await self.options.runner(
            cell, work.scheduler, work.seed, self.options,
            lambda folder: figures.read_run(cell, folder))
        run["limits"] = limits.of_run(cell, run["params"],
                                      run["windows"]["measured"],
                                      run["device"])
        run["key"] = self.book.key(cell, work.scheduler)
        run["host_s"] = round(time.monotonic() - started, 1)
        self.book.runs.save(cell, work.scheduler, work.seed, run)
        return summary(cell, run)

    async def worker(self):
        while self.queue:
            work = self.queue.popleft()
            try:
                said = await self.measure(work)
            except (guest.RunFailed, figures.BadResult,
                    realdisk.Refused) as err:
                self.failed[work.name] = str(err)
                said = f"FAILED: {err}"
            self.clock.spend(work.host_s)
            self.clock.tell(f"{work.name}: {said}")

    async def run(self):
        """True when it ran to the end, False when it was interrupted."""
        return await guests.run_workers(self.options.jobs, self.worker)


def summary(cell, run):
    """The run in a few words, for the progress line: what the cell is about."""
    parts = run["windows"]["measured"] | {"device": run["device"]}
    found = {name: [f"{metric} {number(values[metric])}"
                    for metric in cell.metrics if metric in values]
             for name, values in parts.items()}
    return ", ".join(f"{name} {' '.join(words)}"
                     for name, words in found.items() if words)
