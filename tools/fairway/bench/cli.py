# SPDX-License-Identifier: GPL-2.0
"""The command: choose cells, measure what is missing, tell, record."""

import argparse
import asyncio
import fnmatch
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from bench import cells as table_of_cells
from bench import (crosscheck, expect, figures, guest, keys, limits, page,
                   realdisk, store, table)
from bench.cells import PEERS, SCHEDULERS, SUITES
from run import cli as run_cli
from run.guests import BOOT

ROOT = keys.ROOT
# Host seconds of a run that was never made: a boot, and what a guest second
# took with the first cells. Only for "time left".
BOOT_S = 6.0
GUEST_SECOND_S = 0.8
TIMEOUT_S = 3600


def parse_arguments(argv):
    given = os.environ.get
    build = ROOT / (given("BUILD") or "build")
    parser = argparse.ArgumentParser(
        prog="bench", description="Measure the schedulers on modelled disks, "
        "side by side with what the physics allow. What is measured already "
        "under the same conditions is not measured again.",
        epilog="Defaults come from the variables SUITE, CASE, SCHED, SEEDS, "
        "GUESTS, BUILD and OUT.")
    parser.add_argument("--suite", default=given("SUITE") or "",
                        choices=("",) + SUITES)
    parser.add_argument("--case", default=given("CASE") or "",
                        metavar="NAME,...", help="cells by name, pattern "
                        "(seek-*) or the row that they belong to")
    parser.add_argument("--sched", default=given("SCHED") or (),
                        type=run_cli.chooser(SCHEDULERS, "scheduler"),
                        metavar="A,B", help="measure only these")
    parser.add_argument("--seeds", type=run_cli.parse_seeds, metavar="N|A-B",
                        default=given("SEEDS") or None,
                        help="instead of each cell's own number of seeds")
    parser.add_argument("--jobs", type=run_cli.count, metavar="N",
                        default=given("GUESTS") or 1,
                        help="guests at a time (1)")
    parser.add_argument("--again", action="store_true",
                        help="measure also what is measured already")
    parser.add_argument("--list", action="store_true",
                        help="only say which cells there are")
    parser.add_argument("--show", action="store_true",
                        help="measure nothing, show what there is")
    parser.add_argument("--crosscheck", action="store_true",
                        help="measure nothing, show the peers beside the "
                        "figures of an independent model")
    parser.add_argument("--expect", action="store_true",
                        help="put the bench to the test: peers on cases "
                        "whose outcome is known (minutes)")
    parser.add_argument("--save-peers", action="store_true",
                        help="put the peers' results of this machine into "
                        "peers.json, to be committed")
    parser.add_argument("--dev", type=Path, metavar="/dev/sdX",
                        help="on this disk instead of models: cells without "
                        "files; one that is in use is refused, and one that "
                        "carries anything unless --destroy-data is given")
    parser.add_argument("--destroy-data", action="store_true",
                        help="what is on the disk of --dev may be lost")
    parser.add_argument("--kernel", type=Path,
                        default=build / "lab/arch/x86/boot/bzImage")
    parser.add_argument("--boot", type=Path, default=BOOT,
                        help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, metavar="DIR",
                        default=ROOT / (given("OUT") or "out"))
    options = parser.parse_args(argv)
    options.build = build
    options.module = build / "bench/models/diskmodel.ko"
    options.failed = options.out / "bench-failed"
    options.timeout_s = TIMEOUT_S
    options.runner = realdisk.run if options.dev else guest.run
    if options.destroy_data and not options.dev:
        parser.error("--destroy-data is for --dev")
    if not (options.list or options.dev) and not options.kernel.is_file():
        parser.error(f"no kernel at {options.kernel}: make lab-kernel")
    return options


def choose_cells(cells, suite, case):
    """The cells that are asked for, in the order of the table."""
    wanted = [word for word in case.replace(",", " ").split() if word]
    for word in wanted:
        if not any(matches(cell, word) for cell in cells.values()):
            raise SystemExit(f"bench: no cell or row '{word}'; bench --list "
                             "has them")
    chosen = [cell for cell in cells.values()
              if (not suite or cell.suite == suite)
              and (not wanted or any(matches(cell, w) for w in wanted))]
    if not chosen:
        raise SystemExit(f"bench: suite {suite} has no such cell")
    return chosen


def matches(cell, word):
    return fnmatch.fnmatchcase(cell.name, word) or cell.row == word


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
        [ROOT / "base/locked", options.build / "kernel.lock",
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


def can_run(chosen):
    """The cells whose preset the disk-model module has; says what is not."""
    missing = {}
    for cell in chosen:
        if not keys.has_preset(cell.device):
            missing.setdefault(cell.device, []).append(cell)
    for device, cells in missing.items():
        print(f"preset {device} is not in this module: {len(cells)} cells "
              "left out")
    return [cell for cell in chosen if cell.device not in missing]


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
        return summary(run)

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
        main_task = asyncio.current_task()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, main_task.cancel)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.options.jobs):
                    group.create_task(self.worker())
        except asyncio.CancelledError:
            return False
        return True


def summary(run):
    """The run in a few words, for the progress line."""
    return ", ".join(
        f"{load} {values['rate_mb_s']:.2f} MB/s max "
        f"{values.get('lat_max_ms', float('nan')):.0f} ms"
        for load, values in run["windows"]["measured"].items())


def entries_of(cell, cells, book):
    """[(entry, old parts of its key)] of a cell, in the schedulers' order,
    with the limits that other cells set."""
    found = [book.entry(cell, scheduler) for scheduler in SCHEDULERS]
    found = [(entry, older) for entry, older in found if entry]
    kind, _, name = cell.limit.partition(":")
    for entry, _ in found:
        if kind == "idle":
            alone, _ = book.entry(cells[name], entry["scheduler"])
            load = next(iter(entry["measured"]))
            took = alone and alone["measured"].get(load, {}).get("elapsed_s")
            if took:
                entry["limits"]["idle_s"] = took
        elif kind == "front":
            add_front(entry, front_points(name, cells, book))
        elif cell.suite == "cpu" and found[0][0]["scheduler"] == "none":
            entry["limits"]["none_instr"] = [statistics.median(
                found[0][0]["device"].get("instr_per_io", [0]))]
    return found


def front_points(prefix, cells, book):
    """[(the others' MB/s, the victim's P99 in ms)] of the front's cells."""
    points = []
    for cell in table_of_cells.front_cells(cells, prefix):
        entry, _ = book.entry(cell, "none")
        if entry:
            points.append((table.others_rate(entry), table.median(
                entry, cell.loads[0].name, "lat_p99_ms")))
    return points


def add_front(entry, points):
    if points:
        front = limits.front_ms(points, table.others_rate(entry))
        entry["limits"]["front_ms"] = [] if front is None else [front]
        entry["front"] = points


def report(chosen, cells, book, options):
    """The table on the terminal, and the rows of the suites concerned."""
    for cell in chosen:
        found = entries_of(cell, cells, book)
        if found:
            print("\n" + table.block(cell, found))
    print("\n" + table.NOTE)
    for suite in dict.fromkeys(cell.suite for cell in chosen):
        write_suite(suite, cells, book, options.out)


def write_suite(suite, cells, book, out):
    """All that is known of a suite: its rows, and its page."""
    mine = [cell for cell in cells.values() if cell.suite == suite]
    found = {cell.name: entries_of(cell, cells, book) for cell in mine}
    path = out / f"bench-{suite}.json"
    store.save_rows(path, [row for cell in mine
                           for entry, older in found[cell.name] if not older
                           for row in store.rows(cell, entry)])
    picture = path.with_suffix(".html")
    store.write_whole(picture, page.page(
        suite, book.base, mine, found,
        lambda cell: newest_runs(cell, book)))
    print(f"rows: {path}\npictures: {picture}")


def newest_runs(cell, book):
    """{scheduler: its run of the first seed}."""
    every = {scheduler: book.runs.of(cell, scheduler)
             for scheduler in SCHEDULERS}
    return {scheduler: next(iter(runs.values()))
            for scheduler, runs in every.items() if runs}


def list_cells(cells):
    for cell in cells.values():
        print(f"{cell.name:28}{cell.suite:10}{cell.row:14}{cell.about}")


def save_peers(chosen, cells, book):
    entries = [book.entry(cell, scheduler) for cell in chosen
               for scheduler in PEERS]
    changed = store.save_peers([entry for entry, older in entries
                                if entry and not older], cells)
    print(f"{store.PEERS_FILE}: {changed} entries changed")


def on_real_disk(chosen, options):
    """The cells that a real disk can run, and the book of its results."""
    try:
        realdisk.check(options.dev, options.destroy_data)
        folder = realdisk.sys_folder(options.dev)
    except realdisk.Refused as err:
        raise SystemExit(f"bench: {err}") from err
    chosen = [cell for cell in chosen if realdisk.fits(cell)]
    if not chosen:
        raise SystemExit("bench: none of these cells can run on a real disk")
    options.out = options.out / f"bench-dev-{folder.name}"
    return chosen, store.Book(
        store.Runs(options.out / "bench"), os.uname().release,
        lambda cell, name: realdisk.key(cell, name, folder), {})


def main(argv=None):
    options = parse_arguments(argv)
    try:
        cells = table_of_cells.load()
    except table_of_cells.BadTable as err:
        raise SystemExit(f"bench: {err}") from err
    if options.list:
        list_cells(cells)
        return 0
    chosen = choose_cells(cells, options.suite, options.case)
    if options.dev:
        chosen, book = on_real_disk(chosen, options)
    else:
        chosen = can_run(chosen)
        if not chosen:
            return 1
        base = keys.base_version(options.kernel)
        book = store.Book(store.Runs(options.out / "bench"), base,
                          lambda cell, name: keys.key(cell, name, base),
                          store.load_peers())
    if options.crosscheck:
        return 1 if crosscheck.report(book, cells) else 0
    if options.expect:
        works = expected_work(cells, book, options)
    else:
        works = [] if options.show else choose_work(chosen, book, options)
    failed, finished = {}, True
    if works:
        if not options.dev and any(work.cell.is_model for work in works):
            build_module(options)
        session = Session(works, book, options)
        print(f"{len(works)} runs, {options.jobs} guest(s) at a time, about "
              f"{run_cli.minutes(session.clock.left_s / options.jobs)}",
              flush=True)
        finished = asyncio.run(session.run())
        failed = session.failed
    if options.save_peers:
        save_peers(chosen, cells, book)
    if not options.expect:
        report(chosen, cells, book, options)
    elif not failed and finished and expect.report(book, cells):
        return 1
    for name, error in failed.items():
        print(f"FAILED {name}: {error} (logs: {options.failed})",
              file=sys.stderr)
    if not finished:
        print("interrupted: finished runs are kept, the same command goes on",
              file=sys.stderr)
        return 130
    return 1 if failed else 0
