# SPDX-License-Identifier: GPL-2.0
"""The peers' rows beside those of an independent model (crosscheck.tsv)."""

import statistics
from dataclasses import dataclass
from pathlib import Path

from run.report import number

TABLE = Path(__file__).resolve().parent / "crosscheck.tsv"
# {metric: (column's factor to our unit, accepted difference)}
JUDGED = {"rate_mb_s": (1, 0.15), "lat_max_ms": (1000, 0.30),
          "jain": (1, None)}


@dataclass(frozen=True)
class Line:
    """One published row."""
    cell: str
    scheduler: str
    load: str
    window: str
    published: dict
    why: str = "-"


def parse(text):
    rows = [line.split("\t") for line in text.splitlines()
            if line and not line.startswith("#")]
    return [Line(*row[:4], {
        metric: float(value) * factor
        for (metric, (factor, _)), value in zip(JUDGED.items(), row[4:])
        if value != "-"}, row[4 + len(JUDGED)]) for row in rows[1:]]


def compare(line, entry):
    """[(metric, published, median, least, most, difference, is accepted)].
    Accepted is also what a seed came out at: the published run was one."""
    out = []
    for metric, published in line.published.items():
        values = entry.get(line.window, {}).get(line.load, {}).get(metric)
        if not values:
            continue
        middle = statistics.median(values)
        allowed = JUDGED[metric][1]
        nearest = min(max(published, min(values)), max(values))
        good = allowed is None or abs(nearest / published - 1) <= allowed
        out.append((metric, published, middle, min(values), max(values),
                    middle / published - 1, good))
    return out


def explain(line):
    return "out of bounds" + ("" if line.why == "-" else f": {line.why}")


def report(book, cells, lines=None):
    """Prints both side by side; returns how many are not within bounds."""
    missed = unknown = 0
    print(f"{'cell':22}{'scheduler':13}{'load':8}{'metric':12}"
          f"{'published':>10}{'here':>8}{'range':>16}{'off':>8}")
    for line in lines or parse(TABLE.read_text(encoding="utf-8")):
        entry, older = book.entry(cells[line.cell], line.scheduler)
        if not entry or older:
            unknown += 1
            print(f"{line.cell:22}{line.scheduler:13}not measured"
                  + (f" (older: {', '.join(older)})" if older else ""))
            continue
        for metric, published, middle, least, most, off, good in compare(
                line, entry):
            missed += not good
            print(f"{line.cell:22}{line.scheduler:13}{line.load:8}{metric:12}"
                  f"{number(published):>10}{number(middle):>8}"
                  f"{number(least) + '-' + number(most):>16}{off:>+8.0%}"
                  + ("" if good else f"  <-- {explain(line)}"))
    print(f"{missed} out of bounds (rates 15 %, maxima 30 %), "
          f"{unknown} not measured")
    return missed + unknown
