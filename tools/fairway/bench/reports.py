# SPDX-License-Identifier: GPL-2.0
"""What is known of cells, for the terminal, as rows and as a page."""

import re
import statistics

from bench import cells as table_of_cells
from bench import limits, page, store, table
from bench.cells import PEERS, SCHEDULERS


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
        elif ("instr_per_io" in cell.metrics
              and found[0][0]["scheduler"] == "none"):
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


RESULTS_HEAD = """\
.. SPDX-License-Identifier: GPL-2.0

=================================================
What the schedulers of Linux do on modelled disks
=================================================

Written by ``tools/fairway/bench/bench --results`` on {date} from
``tools/fairway/bench/peers.json``, which ``make bench`` and ``bench
--save-peers`` fill: Linux {base} in virtual time (one instruction is 1 ns),
the disks of ``tools/testing/selftests/block/models``. ``bfq-ll0`` is bfq with
``low_latency`` 0. {have} of {all} cells are measured; ``cells.tsv`` beside
peers.json says what each of them is. *older*: measured when the named parts of a
row's key (the kernel's configuration, its hunks, the model) were others.

{note}
"""


# In the history page: the cells whose rows stand between the two marks.
REPLAY = re.compile(r"^(\.\. replay: ([^\n]+)\n\n)(?:.*?)(^\.\. replay end$)", re.M | re.S)
REPLAYED_ON = re.compile(r"^\.\. replayed on: .*$", re.M)


def replayed(cell, cells, book):
    """One cell's rows as lines; those that are not of today say what is old."""
    found = entries_of(cell, cells, book)
    lines = (table.block(cell, found).splitlines() if found
             else [f"{cell.name}: {cell.about}"])
    have = [entry["scheduler"] for entry, _ in found]
    missing = [name for name in SCHEDULERS if name not in have]
    if missing:
        lines.append(f"  not measured yet: {', '.join(missing)}")
    return lines


def history(text, cells, book, date):
    """The history page with its rows anew; what people wrote stays."""
    def block(match):
        names = match[2].split()
        unknown = [name for name in names if name not in cells]
        if unknown:
            raise SystemExit(f"history: no cell {', '.join(unknown)}")
        parts = ["\n".join(f"  {line}".rstrip()
                           for line in replayed(cells[name], cells, book))
                 for name in names]
        return match[1] + "::\n\n" + "\n\n".join(parts) + "\n\n" + match[3]

    if not REPLAY.search(text):
        raise SystemExit("history: no place for rows (.. replay: CELLS)")
    text = REPLAYED_ON.sub(f".. replayed on: {date}, Linux {book.base}", text)
    return REPLAY.sub(block, text)


def results(cells, book, date):
    """The committed peers' rows as a page of the kernel's documentation."""
    parts = []
    for cell in cells.values():
        found = [(entry, older) for entry, older in
                 entries_of(cell, cells, book)
                 if entry["scheduler"] in PEERS]
        if found:
            parts.append((cell, table.block(cell, found).splitlines()))
    text = RESULTS_HEAD.format(date=date, base=book.base, have=len(parts),
                               all=len(cells), note=table.NOTE)
    suite = None
    for cell, lines in parts:
        if cell.suite != suite:
            suite = cell.suite
            text += f"\n{suite.capitalize()}\n{'=' * len(suite)}\n"
        text += f"\n{lines[0]}::\n\n" + "\n".join(
            f"  {line}".rstrip() for line in lines[1:]) + "\n"
    return text
