# SPDX-License-Identifier: GPL-2.0
"""Rows of out/run.json: made from runs, merged by key, written whole."""

import fcntl
import json
import os
import statistics
from pathlib import Path

from run.cases import CASES, UNITS

SUITE = "run"
FIELDS = ("suite", "case", "device", "scheduler", "mode", "params", "base",
          "metric", "unit", "value", "min", "max", "seed_values", "n",
          "limit", "cpu_busy")


def make_rows(case, scheduler, mode, params, base, runs):
    """Rows of one case under one scheduler. runs: {seed: (metrics, busy)}."""
    rows = []
    busy = statistics.median(share for _, share in runs.values())
    for metric in next(iter(runs.values()))[0]:
        values = {seed: run[0][metric] for seed, run in runs.items()}
        rows.append({
            "suite": SUITE, "case": case.name, "device": "null_blk",
            "scheduler": scheduler, "mode": mode, "params": params,
            "base": base, "metric": metric, "unit": UNITS[metric],
            "value": statistics.median(values.values()),
            "min": min(values.values()), "max": max(values.values()),
            "seed_values": {str(seed): value
                            for seed, value in values.items()},
            "n": len(values), "limit": case.limit(metric),
            "cpu_busy": round(busy, 4),
        })
    return rows


def set_reference(rows):
    """Where no disk sets the limit, none's rate in the same run does."""
    rates = {(row["case"], row["mode"]): row["value"] for row in rows
             if row["scheduler"] == "none" and row["metric"] == "rate_mb_s"}
    for row in rows:
        if (row["metric"] == "rate_mb_s"
                and CASES[row["case"]].none_is_rate_limit):
            row["limit"] = rates.get((row["case"], row["mode"]))


def key(row):
    """What a row is about. A later run replaces it, also when the base or
    the parameters changed: both would be told apart by nobody."""
    return (row["suite"], row["case"], row["device"], row["scheduler"],
            row["mode"], row["metric"])


def load(path):
    """The rows of an earlier run; [] when there was none."""
    path = Path(path)
    if not path.exists():
        return []
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(rows, list) and all(set(row) == set(FIELDS)
                                          for row in rows):
            return rows
    except (ValueError, TypeError):
        pass
    raise SystemExit(f"{path}: not a table of results; move it away "
                     "(nothing was changed)")


def refuse_unusable(path):
    """End with the reason if rows cannot be put into the file."""
    try:
        load(path)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        open_lock(path).close()
    except OSError as err:
        raise SystemExit(f"run: no rows can be put into {path}: {err}") from err


def open_lock(path):
    """The file next to path that is locked while path is replaced."""
    return open(f"{path}.lock", "w", encoding="utf-8")


def merge(old, new, dropped=()):
    """old with the rows of new in place of their namesakes, and without any
    row of a (case, scheduler, mode) in dropped: a figure whose measurement
    now fails must not look current."""
    merged = {key(row): row for row in old
              if (row["case"], row["scheduler"], row["mode"]) not in dropped}
    merged.update((key(row), row) for row in new)
    return list(merged.values())


def save(path, new, dropped=()):
    """Merge new rows into the file, whole or not at all; another call that
    does the same at the same time loses nothing."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_lock(path) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines = ",\n".join(json.dumps(row)
                           for row in merge(load(path), new, dropped))
        partial = path.with_name(path.name + ".new")
        partial.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        os.replace(partial, path)
