# SPDX-License-Identifier: GPL-2.0
"""The bench put to the test: peers on cases with a known outcome."""

import math
import statistics
from dataclasses import dataclass
from pathlib import Path

from run.report import number

TABLE = Path(__file__).resolve().parent / "expect.tsv"


@dataclass(frozen=True)
class Line:
    """One bound on one row's median."""
    cell: str
    scheduler: str
    load: str
    metric: str
    least: float
    most: float
    why: str


def parse(text):
    rows = [line.split("\t") for line in text.splitlines()
            if line and not line.startswith("#")]
    return [Line(*row[:4], -math.inf if row[4] == "-" else float(row[4]),
                 math.inf if row[5] == "-" else float(row[5]), row[6])
            for row in rows[1:]]


def load():
    return parse(TABLE.read_text(encoding="utf-8"))


def judge(line, entry):
    """(is as expected, text); a row that is not there is not."""
    what = f"{line.cell} {line.scheduler} {line.metric}"
    values = entry and entry["measured"].get(line.load, {}).get(line.metric)
    if not values:
        return False, f"{what}: not measured"
    value = statistics.median(values)
    bounds = " to ".join(number(bound) if math.isfinite(bound) else "-"
                         for bound in (line.least, line.most))
    return (line.least <= value <= line.most,
            f"{what}: {number(value)}, expected {bounds}: {line.why}")


def report(book, cells):
    """Prints all, and the sum as tests do; returns how many are not as
    expected."""
    failed, lines = 0, load()
    for line in lines:
        entry, older = book.entry(cells[line.cell], line.scheduler)
        is_good, text = judge(line, None if older else entry)
        failed += not is_good
        print(("ok" if is_good else "NOT OK") + " - " + text)
    print(f"{len(lines) - failed} passed, {failed} failed")
    return failed
