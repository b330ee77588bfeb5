# SPDX-License-Identifier: GPL-2.0
"""The command: choose cells, measure what is missing, tell, record."""

import argparse
import asyncio
import datetime
import fnmatch
import os
import sys
from pathlib import Path

from bench import cells as table_of_cells
from bench import (crosscheck, expect, guest, judge, keys, realdisk, reports,
                   session, store)
from bench.cells import PEERS, SCHEDULERS, SUITES
from run import cli as run_cli
from run.guests import BOOT

ROOT = keys.ROOT
RESULTS = ROOT / "Documentation/block/fairway-results.rst"
HISTORY = ROOT / "Documentation/block/fairway-history.rst"
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
    parser.add_argument("--judge", action="store_true",
                        help="measure nothing, hold fairway's rows (or those "
                        "of --sched) against their targets")
    parser.add_argument("--adopt", metavar="PART",
                        help="the committed rows whose key differs in this "
                        "part only (model, lab, ...) get today's key, if a "
                        "new run for each device comes out as before")
    parser.add_argument("--results", action="store_true",
                        help="measure nothing, write the committed peers' "
                        f"rows into {RESULTS.relative_to(ROOT)}")
    parser.add_argument("--history", action="store_true",
                        help="measure nothing, put the rows that there are "
                        f"into {HISTORY.relative_to(ROOT)}")
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


def can_run(chosen):
    """The cells whose preset the disk-model module has; says what is not."""
    missing = {}
    for cell in chosen:
        for device in (cell.device, cell.second):
            if not keys.has_preset(device):
                missing.setdefault(device, []).append(cell)
    for device, cells in missing.items():
        print(f"preset {device} is not in this module: {len(cells)} cells "
              "left out")
    return [cell for cell in chosen
            if not any(cell in cells for cells in missing.values())]


def write_results(cells, book):
    committed = store.Book(store.Runs(Path(os.devnull)), book.base, book.key,
                           book.peers)
    store.write_whole(RESULTS, reports.results(
        cells, committed, datetime.date.today().isoformat()))
    print(RESULTS)


def write_history(cells, book):
    store.write_whole(HISTORY, reports.history(
        HISTORY.read_text(encoding="utf-8"), cells, book,
        datetime.date.today().isoformat()))
    print(HISTORY)


def list_cells(cells):
    for cell in cells:
        print(f"{cell.name:28}{cell.suite:10}{cell.row:14}{cell.about}")


def save_peers(chosen, cells, book):
    entries = [book.entry(cell, scheduler) for cell in chosen
               for scheduler in PEERS]
    changed = store.save_peers([entry for entry, older in entries
                                if entry and not older], cells)
    print(f"{store.PEERS_FILE}: {changed} entries changed")


def adopt(part, cells, book, options):
    """Give the committed entries today's key where a new run of one of them
    shows that the change of that part changed nothing. True if all are."""
    every = session.adopters(part, cells, book)
    proofs = {device: session.proof(entries, cells, book)
              for device, entries in every.items()}
    failed, finished = measure([work for _, work in proofs.values()], book,
                               options)
    if failed or not finished:
        return False
    good = True
    for device, (entry, work) in proofs.items():
        run = book.runs.load(work.cell, work.scheduler, work.seed)
        is_same = session.is_same(entry, run)
        good &= is_same
        print(f"{device[0]}: {work.name} "
              + (f"is as before: {len(every[device])} entries adopted"
                 if is_same else "came out otherwise: measure it anew"))
        for one in every[device] if is_same else ():
            one["key"] = book.key(cells[one["cell"]], one["scheduler"])
    store.save_peers([entry for entries in every.values()
                      for entry in entries], cells)
    return good


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


def in_the_lab(chosen, options):
    """The cells that the modelled disks can run, and the book of results."""
    chosen = can_run(chosen)
    if not chosen:
        raise SystemExit(1)
    base = keys.base_version(options.kernel)
    return chosen, store.Book(
        store.Runs(options.out / "bench"), base,
        lambda cell, name: keys.key(cell, name, base), store.load_peers())


def measure(works, book, options):
    """Makes the runs: ({name: error} of those that failed, are all made)."""
    if not works:
        return {}, True
    if not options.dev and any(work.cell.is_model for work in works):
        session.build_module(options)
    bench = session.Session(works, book, options)
    print(f"{len(works)} runs, {options.jobs} guest(s) at a time, about "
          f"{run_cli.minutes(bench.clock.left_s / options.jobs)}", flush=True)
    finished = asyncio.run(bench.run())
    for name, error in bench.failed.items():
        print(f"FAILED {name}: {error} (logs: {options.failed})",
              file=sys.stderr)
    if not finished:
        print("interrupted: finished runs are kept, the same command goes on",
              file=sys.stderr)
    return bench.failed, finished


def main(argv=None):
    options = parse_arguments(argv)
    try:
        cells = table_of_cells.load()
    except table_of_cells.BadTable as err:
        raise SystemExit(f"bench: {err}") from err
    chosen = choose_cells(cells, options.suite, options.case)
    if options.list:
        list_cells(chosen)
        return 0
    chosen, book = (on_real_disk if options.dev else in_the_lab)(chosen,
                                                                 options)
    if options.crosscheck:
        return 1 if crosscheck.report(book, cells) else 0
    if options.judge:
        found = {cell.name: reports.entries_of(cell, cells, book)
                 for cell in cells.values()}
        return 1 if judge.report(found, (options.sched or ("fairway",))[0],
                                 chosen) else 0
    if options.adopt:
        return 0 if adopt(options.adopt, cells, book, options) else 1
    if options.results:
        write_results(cells, book)
        return 0
    if options.history:
        write_history(cells, book)
        return 0
    if options.expect:
        works = session.expected_work(cells, book, options)
    elif options.show:
        works = []
    else:
        works = session.choose_work(chosen, book, options)
    failed, finished = measure(works, book, options)
    if options.save_peers:
        save_peers(chosen, cells, book)
    if options.expect and finished and not failed:
        return 1 if expect.report(book, cells) else 0
    reports.report(chosen, cells, book, options)
    if not finished:
        return 130
    return 1 if failed else 0
