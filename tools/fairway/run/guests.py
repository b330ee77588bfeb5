# SPDX-License-Identifier: GPL-2.0
"""Which run goes into which guest, and the guests as processes."""

import asyncio
import os
import shutil
import signal
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from run import fio
from run.cases import MIN_READS, Case, job_files, seed_starts_s

HERE = Path(__file__).resolve().parent
BOOT = HERE.parent / "lab" / "boot"
GUEST_DIR = "/fairway-run"
DISK = "/dev/fwyrun"
BOOT_S = 4.0       # what a boot costs on the host, for the estimate
START_S = 2.0      # what starting fio adds to a run in real time
GUEST_S = 70.0     # a guest holds runs for about this long
STOP_S = 10        # what the runner gets to end its QEMU
MAX_STRETCH = 10   # how often a fairness run may be made longer in all

# How far the guest's clock may be from the host's over a run in real time: a tenth,
# and what the words "start" and "done" may take to reach us on a busy host.
CLOCK_SLACK = 0.1
WORD_S = 1.0

NOT_STARTED = 121  # the runner's status where the host cannot start a guest


@dataclass
class Work:
    """All seeds of one case under one scheduler: becomes one set of rows."""
    case: Case
    scheduler: str
    seeds: tuple
    runtime_ms: int
    is_real_time: bool = False

    @property
    def name(self):
        return f"{self.case.name} {self.scheduler}"

    def owns(self, item):
        return item.rpartition(".")[0] == f"{self.case.name}.{self.scheduler}"

    @property
    def host_s(self):
        """About what it takes on the host, where a guest in virtual time
        skips what a guest in real time waits for."""
        if self.is_real_time:
            return len(self.seeds) * (
                START_S + (self.runtime_ms + self.case.ramp_ms) / 1000)
        stretch = self.runtime_ms / self.case.runtime_ms
        return self.case.host_s * stretch * len(self.seeds)

    def item(self, seed):
        return f"{self.case.name}.{self.scheduler}.{seed}"


@dataclass
class Outcome:
    """What became of a Work: runs {seed: (metrics, busy)} or an error, after
    a try or because the host could not start a guest."""
    work: Work
    runs: dict = field(default_factory=dict)
    least: int = 0
    info: dict = field(default_factory=dict)
    error: str = ""
    was_tried: bool = True


def pack(works):
    """Into guests: lists of Work, longest guest first.

    One scheduler per guest, so that a scheduler that brings its guest down
    takes only its own rows along.
    """
    guests = []
    longest_first = sorted(works, key=lambda work: -work.host_s)
    for scheduler in dict.fromkeys(work.scheduler for work in works):
        guest = []
        for work in longest_first:
            if work.scheduler != scheduler:
                continue
            if guest and sum(w.host_s for w in guest) + work.host_s > GUEST_S:
                guests.append(guest)
                guest = []
            guest.append(work)
        guests.append(guest)
    guests.sort(key=lambda guest: -sum(work.host_s for work in guest))
    return guests


def write_input(guest, folder):
    """The job files and the list of runs for guest.sh."""
    lines = []
    for work in guest:
        case, device = work.case, work.case.device
        total_s = (work.runtime_ms + case.ramp_ms) / 1000
        for seed in work.seeds:
            item = work.item(seed)
            files = job_files(case, seed, DISK, work.runtime_ms)
            for number, text in enumerate(files):
                (folder / f"{item}.{number}.fio").write_text(text)
            starts_s = seed_starts_s(case, seed)
            waits_s = [now - before
                       for before, now in zip([0] + starts_s, starts_s)]
            lines.append(
                f"{item} {work.scheduler} {device.depth} {device.service_ns} "
                f"{device.irqmode} {case.nr_requests or '-'} "
                f"{total_s / 20:.3f} {total_s * 3 + 120:.0f} "
                + " ".join(f"{wait:.6f}" for wait in waits_s))
    (folder / "items").write_text("\n".join(lines) + "\n")
    shutil.copy(HERE / "guest.sh", folder)


def read_info(text):
    return dict(line.split(None, 1) for line in text.splitlines())


def read_run(work, seed, folder, mode):
    """One run's ((metrics, busy), least reads, info); BadResult if none."""
    item = work.item(seed)
    failed = folder / f"{item}.failed"
    if failed.exists():
        raise fio.BadResult(failed.read_text(errors="replace").strip())
    if not (folder / f"{item}.ok").exists():
        raise fio.BadResult("the guest never finished it")
    try:
        info = read_info((folder / f"{item}.info").read_text())
        jobs = [job for number in range(work.case.processes) for job in
                fio.parse_jobs((folder / f"{item}.{number}.json").read_text())]
        samples = (folder / f"{item}.samples").read_text()
    except OSError as err:
        raise fio.BadResult(f"missing in the result: {err}") from err
    rates = fio.parse_samples(samples, int(info["cpus"]))
    least = fio.least_ios([job for job in jobs
                           if job.name.startswith(work.case.judged)])
    return ((fio.metrics(work.case, jobs, rates, mode), rates.cpu_busy),
            least, info)


def read_outcome(work, folder, mode):
    """What the guest left for one Work."""
    outcome = Outcome(work)
    leasts = []
    for seed in work.seeds:
        try:
            run, least, outcome.info = read_run(work, seed, folder, mode)
        except fio.BadResult as err:
            outcome.error = f"seed {seed}: {err}"
            return outcome
        outcome.runs[seed] = run
        leasts.append(least)
    outcome.least = min(leasts)
    return outcome


def longer(outcome):
    """The same work again, long enough for the least served thread; None
    when it was long enough or has been stretched enough."""
    work = outcome.work
    if outcome.error or not work.case.fair or outcome.least >= MIN_READS:
        return None
    stretch = min(1.3 * MIN_READS / max(outcome.least, 1), MAX_STRETCH)
    runtime_ms = min(int(work.runtime_ms * stretch),
                     work.case.runtime_ms * MAX_STRETCH)
    if runtime_ms <= work.runtime_ms:
        return None
    return replace(work, runtime_ms=runtime_ms)


class ClockCheck:
    """Compares the guest's clock with ours from the start to the end of each
    run. On a busy host the kernel can misjudge the emulated TSC several times
    over, and then all of a run's times are wrong."""

    def __init__(self):
        self.started = {}
        self.wrong = {}    # {item: guest seconds per host second}

    def see(self, line, now_s):
        """A line that the guest has just printed."""
        word, item, *rest = line.split()
        if word == "@start" and rest:
            self.started[item] = float(rest[0]), now_s
        elif word == "@done" and rest and item in self.started:
            guest_s = float(rest[0]) - self.started[item][0]
            host_s = now_s - self.started[item][1]
            if abs(guest_s - host_s) > CLOCK_SLACK * host_s + WORD_S:
                self.wrong[item] = guest_s / max(host_s, 0.001)

    def judge(self, outcomes):
        """Nothing is believed of a Work with a run by a wrong clock."""
        for outcome in outcomes:
            for item, pace in self.wrong.items():
                if outcome.work.owns(item) and outcome.work.is_real_time:
                    outcome.error = (
                        f"the guest's clock ran {pace:.2f} times as fast as "
                        "the host's, which was too busy while the guest "
                        "started; run it again")
                    outcome.runs = {}


async def stop(process):
    """End a runner and whatever it started, politely first."""
    if process.returncode is None:
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), STOP_S)
        except asyncio.TimeoutError:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    await process.wait()


async def run_workers(count, worker):
    """Run so many at a time. False when a signal ended them, otherwise True."""
    main_task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, main_task.cancel)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(count):
                group.create_task(worker())
    except asyncio.CancelledError:
        return False
    return True


async def run_boot(arguments, runner, told):
    """Run the lab's runner to its end: its status, and the line to quote.

    told(line) gets the guest's lines that begin with @.
    """
    process = await asyncio.create_subprocess_exec(
        str(runner), *arguments, start_new_session=True,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT, limit=1 << 20)
    last = ""
    try:
        async for raw in process.stdout:
            line = raw.decode(errors="replace").strip()
            if line and not last.startswith("boot: "):
                last = line
            if line.startswith("@"):
                told(line)
        return await process.wait(), last
    finally:
        await stop(process)


async def boot(guest, options, told):
    """Run one guest to its end: [Outcome]. told(line) gets its @ lines."""
    with tempfile.TemporaryDirectory(prefix="fairway-run-") as scratch:
        source, result = Path(scratch, "in"), Path(scratch, "out")
        source.mkdir()
        result.mkdir()
        write_input(guest, source)
        limit_s = 120 + 15 * sum(work.host_s for work in guest)
        command = [
            "--kernel", str(options.kernel),
            "--mode", options.mode, "--mem", "2048",
            "--add", f"{source}:{GUEST_DIR}", "--out", str(result),
            "--timeout", f"{limit_s:.0f}", "--",
            "/bin/bash", f"{GUEST_DIR}/guest.sh", GUEST_DIR]
        clocks = ClockCheck()

        def heard(line):
            clocks.see(line, time.monotonic())
            told(line)

        status, last = await run_boot(command, options.boot, heard)
        outcomes = [read_outcome(work, result, options.mode)
                    for work in guest]
        judge(outcomes, status, last)
        clocks.judge(outcomes)
        if options.keep:
            keep(result, options.keep, guest)
        if any(outcome.error for outcome in outcomes):
            keep(result, options.failed, guest, "*.json", "*.samples")
        return outcomes


def judge(outcomes, status, last):
    """A guest that did not end well is believed in nothing; one that ended
    with its own error only in the runs that it finished."""
    named = any(outcome.error for outcome in outcomes)
    if status == 0 or (status == 1 and named):
        return
    for outcome in outcomes:
        outcome.error = f"guest failed ({status}): {last}"
        outcome.runs = {}
        outcome.was_tried = status != NOT_STARTED


def keep(result, folder, guest, *without):
    """Keep what a guest left, under the name of its first run."""
    target = Path(folder) / guest[0].name.replace(" ", "-")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(result, target, ignore=shutil.ignore_patterns(*without))
