# SPDX-License-Identifier: GPL-2.0
"""Fairway's rows against their targets (targets.tsv).

A row is met if its median is, and missed only if no seed of it and no seed of
what it is compared with reach each other: with a few seeds the rest is noise.
"""

import fnmatch
import statistics
from dataclasses import dataclass
from pathlib import Path

from bench.cells import PEERS
from run.report import number

TABLE = Path(__file__).resolve().parent / "targets.tsv"
REFERENCES = ("1", "mean", "idle", "limit", "front", "best", "fair", "rate4")
# Who serves its jobs less evenly is no measure for throughput.
FAIR_SHARE_RATIO = 1 / 1.5
# What is so near to its target deserves more seeds than others.
CLOSE, CLOSE_SEEDS = 0.05, 5


@dataclass(frozen=True)
class Target:
    """One line of targets.tsv."""
    cells: str
    load: str
    metric: str
    sense: str
    factor: float
    reference: str
    of: str


def parse(text):
    rows = [line.split("\t") for line in text.splitlines()
            if line and not line.startswith("#")]
    found = [Target(*row[:4], float(row[4]), *row[5:]) for row in rows[1:]]
    for target in found:
        if target.sense not in ("<=", ">=") or (
                target.reference not in REFERENCES):
            raise SystemExit(f"{TABLE}: {target.cells}: '{target.sense}' or "
                             f"'{target.reference}' is not known")
    return found


def values_of(entry, load, metric):
    """The seeds' values of one load, or of the first where load is "-"."""
    loads = entry["measured"]
    return loads.get(next(iter(loads)) if load == "-" else load, {}).get(
        metric, [])


def best_peer(target, peers):
    """(values, name) of the peer that is best on the metric."""
    better = min if target.sense == "<=" else max
    known = [(values_of(entry, target.load, target.metric),
              entry["scheduler"]) for entry in peers
             if target.reference == "best" or statistics.median(values_of(
                 entry, target.load, "share_ratio") or [0])
             > FAIR_SHARE_RATIO]
    known = [pair for pair in known if pair[0]]
    return better(known, key=lambda pair: statistics.median(pair[0]),
                  default=([], ""))


def compared_with(target, entry, peers, other):
    """(values, what they are) that the target's factor is for."""
    if target.reference == "1":
        return [1.0], ""
    if target.reference == "mean":
        return values_of(entry, target.load, "lat_mean_ms"), "its mean"
    if target.reference in ("best", "fair"):
        values, name = best_peer(target, peers)
        return values, f"{name}'s, best of {len(peers)} peers"
    if target.reference == "rate4":
        return (values_of(other, "-", "rate_mb_s") if other else [],
                f"of {target.of}")
    name = {"idle": "idle_s", "front": "front_ms"}.get(target.reference,
                                                        target.metric)
    return entry["limits"].get(name) or [], f"the {target.reference}"


def verdict(target, mine, references):
    """"met", "in range" (of the seeds) or "MISSED"."""
    def meets(value, bound):
        return value <= bound if target.sense == "<=" else value >= bound

    bounds = [target.factor * value for value in references]
    if meets(statistics.median(mine), statistics.median(bounds)):
        return "met"
    if any(meets(value, bound) for value in mine for bound in bounds):
        return "in range"
    return "MISSED"


def judge(target, entry, peers, other):
    """(verdict, text) of one row, "unknown" where something is missing."""
    what = (f"{entry['cell']} {target.metric} {target.sense} "
            f"{number(target.factor) if target.factor else 0}")
    mine = values_of(entry, target.load, target.metric)
    references, name = compared_with(target, entry, peers, other)
    if not mine or not references:
        return "unknown", f"{what} {name}: not measured"
    # Lists over the same seeds belong together; others are compared whole.
    bound = target.factor * statistics.median(references)
    middle = statistics.median(mine)
    text = f"{what} x {name} = {number(bound)}" if name else what
    text += f": {number(middle)}"
    if len(mine) > 1:
        text += f" ({number(min(mine))} to {number(max(mine))})"
    if len(mine) < CLOSE_SEEDS and abs(middle - bound) <= CLOSE * abs(bound):
        text += f"; close: take {CLOSE_SEEDS} seeds"
    return verdict(target, mine, references), text


def report(found, scheduler, chosen):
    """Prints a line for each target of the chosen cells. found: {cell name:
    [(entry, old parts of its key)]}. Returns how many are missed."""
    counts = {}
    for target in parse(TABLE.read_text(encoding="utf-8")):
        for cell in chosen:
            if not fnmatch.fnmatchcase(cell.name, target.cells) or (
                    target.reference == "idle" and ":" not in cell.limit):
                continue
            entries = {entry["scheduler"]: entry
                       for entry, older in found[cell.name] if not older}
            others = {entry["scheduler"]: entry
                      for entry, _ in found.get(target.of, [])}
            if scheduler not in entries:
                result, text = "unknown", (f"{cell.name} {target.metric}: "
                                           f"{scheduler} is not measured")
            else:
                result, text = judge(
                    target, entries[scheduler],
                    [entries[name] for name in PEERS if name in entries],
                    others.get(scheduler))
            counts[result] = counts.get(result, 0) + 1
            print(f"{result:9}{text}")
    print(", ".join(f"{count} {result}"
                    for result, count in sorted(counts.items())))
    return counts.get("MISSED", 0)
