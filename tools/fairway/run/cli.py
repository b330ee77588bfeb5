# SPDX-License-Identifier: GPL-2.0
"""The command: choose, run, tell, record."""

import argparse
import asyncio
import datetime
import functools
import os
import re
import shutil
import sys
import time
from collections import deque
from pathlib import Path

from run import guests, report, rows
from run.cases import CASES, MIN_READS, SCHEDULERS

ROOT = Path(__file__).resolve().parents[3]
MODES = ("virtual", "smp", "kvm")
QEMU = "qemu-system-x86_64"
# The estimates count for this long against what the first runs took.
PRIOR_S = 30


def parse_seeds(text):
    """"5" is seeds 1 to 5, "7-9" seeds 7 to 9."""
    match = re.fullmatch(r"(?:(\d+)-)?(\d+)", text)
    first, last = (int(match[1] or 1), int(match[2])) if match else (1, 0)
    if not 1 <= first <= last <= 1_000_000:
        raise argparse.ArgumentTypeError(
            f"'{text}': give a number of seeds (5) or a range (7-9)")
    return tuple(range(first, last + 1))


def chooser(known, what):
    def parse(text):
        names = [name for name in re.split(r"[,\s]+", text) if name]
        if not names:
            raise argparse.ArgumentTypeError(f"'{text}' names no {what}")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"no {what} '{name}'; there are: {', '.join(known)}")
        return tuple(dict.fromkeys(names))
    return parse


def count(text):
    if not re.fullmatch(r"[1-9]\d?", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not 1 to 99")
    return int(text)


def mode(text):
    if text not in MODES:
        raise argparse.ArgumentTypeError(
            f"no mode '{text}'; there are: {', '.join(MODES)}")
    return text


def parse_arguments(argv):
    """Options win over the variables that make passes on."""
    given = os.environ.get
    build = ROOT / (given("BUILD") or "build")
    parser = argparse.ArgumentParser(
        prog="run", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Measure the schedulers in the lab: a table on the "
        "terminal, rows in out/run.json.",
        epilog="Defaults come from the variables CASES, SCHED, SEEDS, MODE, "
        "GUESTS, BUILD and OUT.\n\ncases:\n" + "\n".join(
            f"  {case.name:16}{case.about}" for case in CASES.values()))
    parser.add_argument("--cases", type=chooser(tuple(CASES), "case"),
                        default=given("CASES") or (), metavar="A,B",
                        help="only these cases")
    parser.add_argument("--sched", type=chooser(SCHEDULERS, "scheduler"),
                        default=given("SCHED") or (), metavar="A,B",
                        help="only these schedulers")
    parser.add_argument("--seeds", type=parse_seeds, metavar="N|A-B",
                        default=given("SEEDS") or "1",
                        help="seeds 1 to N, or A to B (1)")
    parser.add_argument("--mode", type=mode, metavar="|".join(MODES),
                        default=given("MODE") or "virtual")
    parser.add_argument("--jobs", type=count, metavar="N",
                        default=given("GUESTS") or None,
                        help="guests at a time (virtual: 2, otherwise 1)")
    parser.add_argument("--kernel", type=Path,
                        default=build / "lab/arch/x86/boot/bzImage")
    parser.add_argument("--boot", type=Path, default=guests.BOOT,
                        help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, metavar="FILE",
                        default=ROOT / (given("OUT") or "out") / "run.json")
    parser.add_argument("--keep", type=Path, metavar="DIR",
                        help="keep all that the guests left (fio's output, "
                        "consoles) in DIR")
    parser.add_argument("--check-only", action="store_true",
                        help="measure nothing; refuse what a run would refuse, "
                        "before the kernel is built for it")
    parser.add_argument("--readme", action="store_true",
                        help="measure nothing; put the recorded rows into "
                        "README.md")
    options = parser.parse_args(argv)
    options.jobs = options.jobs or (2 if options.mode == "virtual" else 1)
    options.failed = options.out.parent / "run-failed"
    if options.mode == "kvm" and not os.access("/dev/kvm", os.R_OK | os.W_OK):
        parser.error("mode kvm: this machine has no usable /dev/kvm")
    if options.readme:
        return options
    if options.boot == guests.BOOT and not shutil.which(QEMU):
        parser.error(f"{QEMU} not found: install the Debian package "
                     "qemu-system-x86")
    if options.check_only:
        return options
    if not options.kernel.is_file():
        parser.error(f"no kernel at {options.kernel}: make lab-kernel")
    if not options.boot.is_file():
        parser.error(f"no lab runner at {options.boot}")
    return options


def choose(options):
    """The Works that the arguments ask for."""
    works = [guests.Work(CASES[name], scheduler, options.seeds,
                         CASES[name].runtime_ms, options.mode != "virtual")
             for name in options.cases or CASES
             for scheduler in CASES[name].schedulers(bool(options.cases))
             if not options.sched or scheduler in options.sched]
    if not works:
        raise SystemExit("run: nothing to do: without a scheduler there are "
                         "only the device's own tags, nr_requests is not for "
                         "'none'")
    return works


def left_out():
    """What a plain run does not have: "case scheduler, ..."."""
    for name, case in CASES.items():
        missing = [scheduler for scheduler in case.schedulers(True)
                   if scheduler not in case.schedulers(False)]
        if missing:
            yield f"{name} {', '.join(missing)}"


class Clock:
    """Progress lines and the time left, from estimates set right by what
    the finished runs took."""

    def __init__(self, works, jobs):
        self.left_s = sum(work.host_s for work in works)
        self.left_s += guests.BOOT_S * len(guests.pack(works))
        self.jobs = jobs
        self.start = time.monotonic()
        self.done_s = 0.0
        self.done, self.all = 0, sum(len(work.seeds) for work in works)

    def add(self, work):
        self.left_s += work.host_s + guests.BOOT_S
        self.all += len(work.seeds)

    def spend(self, host_s):
        self.left_s -= host_s
        self.done_s += host_s

    def tell(self, text):
        self.done += 1
        spent = time.monotonic() - self.start
        pace = (spent * self.jobs + PRIOR_S) / (self.done_s + PRIOR_S)
        left = max(0, self.left_s) * pace / self.jobs
        print(f"[{self.done}/{self.all}] {text}; {minutes(spent)} so far, "
              f"about {minutes(left)} left", flush=True)


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Session:
    """One call of the command: what is finished, and what failed."""

    def __init__(self, options):
        self.options = options
        rows.refuse_unusable(options.out)  # now, not after the measurement
        self.rows = []
        self.failed = {}
        self.dropped = set()
        works = choose(options)
        self.queue = deque(guests.pack(works))
        self.clock = Clock(works, options.jobs)

    def record(self, outcome):
        """Rows are on disk as soon as they are finished."""
        work, options = outcome.work, self.options
        case = work.case
        if outcome.error:
            place = case.name, work.scheduler, options.mode
            self.failed[place] = outcome.error
            if outcome.was_tried:
                self.dropped.add(place)
            print(f"FAILED {work.name}: {outcome.error}", flush=True)
        else:
            if case.fair and outcome.least < MIN_READS:
                print(f"note: {work.name}: the least served thread had only "
                      f"{outcome.least} reads in {work.runtime_ms / 1e3:g} s")
            self.rows += rows.make_rows(
                case, work.scheduler, options.mode,
                self.parameters(outcome), base(outcome.info), outcome.runs)
            rows.set_reference(self.rows)
        rows.save(self.options.out, self.rows, self.dropped)

    @staticmethod
    def parameters(outcome):
        case = outcome.work.case
        parameters = {
            "hw_queue_depth": case.device.depth,
            "completion_ns": case.device.service_ns,
            "nr_requests": int(outcome.info["nr_requests"]),
            "rotational": int(outcome.info["rotational"]),
            "runtime_s": outcome.work.runtime_ms / 1000,
            "ramp_s": case.ramp_ms / 1000,
        }
        if case.fair:
            parameters["least_reads"] = outcome.least
        return parameters

    async def worker(self):
        while self.queue:
            guest = self.queue.popleft()
            named = {work.item(seed): (work, seed)
                     for work in guest for seed in work.seeds}
            told = functools.partial(self.told, named)
            for outcome in await guests.boot(guest, self.options, told):
                again = guests.longer(outcome)
                if again:
                    print(f"{again.name}: least served thread had "
                          f"{outcome.least} reads, again for "
                          f"{again.runtime_ms / 1e3:g} guest s", flush=True)
                    self.queue.append([again])
                    self.clock.add(again)
                else:
                    self.record(outcome)

    def told(self, named, line):
        """A guest says that it starts, or is done with, one of its runs."""
        word, item, *_ = line.split()
        if item not in named:
            return
        work, seed = named[item]
        if word == "@start" and item == next(iter(named)):
            self.clock.spend(guests.BOOT_S)
        if word in ("@done", "@fail"):
            self.clock.spend(work.host_s / len(work.seeds))
            self.clock.tell(f"{work.name} seed {seed}")

    async def run(self):
        """True when it ran to the end, False when it was interrupted."""
        return await guests.run_workers(self.options.jobs, self.worker)


def base(info):
    """6.12.117 of the guest's 6.12.117-something."""
    return re.match(r"[\d.]*\d", info["release"])[0]


def write_readme(options):
    found = rows.load(options.out)
    if not found:
        raise SystemExit(f"run: no rows in {options.out}: make run first")
    stamp = datetime.date.fromtimestamp(options.out.stat().st_mtime)
    readme = ROOT / "README.md"
    text = report.into_readme(readme.read_text(encoding="utf-8"), found,
                              stamp.isoformat())
    readme.write_text(text, encoding="utf-8")
    print(f"{readme}: {len(found)} rows")


def main(argv=None):
    options = parse_arguments(argv)
    if options.readme:
        write_readme(options)
        return 0
    session = Session(options)
    if options.check_only:
        return 0
    seeds = options.seeds
    print(f"{options.mode} mode, seeds {seeds[0]} to {seeds[-1]}, "
          f"{options.jobs} guest(s) at a time, {session.clock.all} runs, "
          f"about {minutes(session.clock.left_s / options.jobs)}", flush=True)
    if not options.cases:
        print("left out, as they take long; run with CASES=: "
              + "; ".join(left_out()), flush=True)
    finished = asyncio.run(session.run())
    if session.rows:
        print(f"\n{report.plain(session.rows)}\n\n{report.NOTE}")
        print(f"rows: {options.out}")
    for (case, scheduler, _), error in session.failed.items():
        print(f"FAILED {case} {scheduler}: {error} (logs: {options.failed})",
              file=sys.stderr)
    if not finished:
        print("interrupted: finished rows are recorded", file=sys.stderr)
        return 130
    return 1 if session.failed else 0
