# SPDX-License-Identifier: GPL-2.0
"""Results on disk: runs, the peers' committed entries, rows.

A *run* is one boot: a file of its own in out/bench/, complete or not there, so
that an interrupted bench goes on where it was. An *entry* sums up the runs of
a cell under a scheduler, a list of values for each metric in the order of its
seeds; peers.json holds entries. A *row* is one metric of an entry.
"""

import json
import os
import statistics
from pathlib import Path

from bench import keys
from bench.cells import PEERS

PEERS_FILE = Path(__file__).resolve().parent / "peers.json"
WINDOWS = ("measured", "warm", "all", "first20")
DIGITS = 5


def short(value):
    """Enough digits; the file is for a repository."""
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


class Runs:
    """The folder of runs."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def path(self, cell, scheduler, seed):
        return self.folder / f"{cell.name}.{scheduler}.{seed}.json"

    def load(self, cell, scheduler, seed):
        """A run as it was saved, whatever its key; None if there is none."""
        try:
            text = self.path(cell, scheduler, seed).read_text()
        except FileNotFoundError:
            return None
        try:
            return json.loads(text)
        except ValueError as err:
            raise SystemExit(f"{self.path(cell, scheduler, seed)}: damaged "
                             f"({err}); remove it") from err

    def save(self, cell, scheduler, seed, run):
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.path(cell, scheduler, seed), json.dumps(run))

    def of(self, cell, scheduler):
        """{seed: run} of one kind of key: that of the youngest run."""
        found = {}
        for path in self.folder.glob(f"{cell.name}.{scheduler}.*.json"):
            seed = int(path.name.split(".")[-2])
            found[seed] = (path.stat().st_mtime,
                           self.load(cell, scheduler, seed))
        if not found:
            return {}
        youngest = max(found.values(), key=lambda pair: pair[0])[1]["key"]
        return {seed: run for seed, (_, run) in sorted(found.items())
                if run["key"] == youngest}


def write_whole(path, text):
    """Never half a file, whatever ends us."""
    partial = path.with_name(path.name + ".new")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)


def columns(runs, *place):
    """{metric: [value of each run]} of the dicts at one place in the runs;
    a metric that one run does not have is left out."""
    dicts = []
    for run in runs:
        for name in place:
            run = run.get(name, {})
        dicts.append(run)
    names = [name for name in dicts[0] if all(name in d for d in dicts)]
    return {name: [short(d[name]) for d in dicts] for name in names}


def make_entry(cell, scheduler, runs):
    """The entry of {seed: run}, all of one key."""
    every = list(runs.values())
    loads = list(every[0]["windows"]["measured"])
    bins = {}
    for run in every:
        for load, counts in run["histogram"].items():
            for at, count in counts.items():
                of_load = bins.setdefault(load, {})
                of_load[str(at)] = of_load.get(str(at), 0) + count
    entry = {
        "cell": cell.name, "scheduler": scheduler, "key": every[0]["key"],
        "seeds": [int(seed) for seed in runs],
        "device": columns(every, "device"),
        "limits": columns(every, "limits"),
        "histogram": bins,
    }
    for window in WINDOWS:
        if all(window in run["windows"] for run in every):
            entry[window] = {load: columns(every, "windows", window, load)
                             for load in loads}
    return entry


def load_peers(path=None):
    """{(cell, scheduler): entry}."""
    path = Path(path or PEERS_FILE)
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return {(entry["cell"], entry["scheduler"]): entry
                for entry in entries}
    except FileNotFoundError:
        return {}
    except (ValueError, KeyError, TypeError) as err:
        raise SystemExit(f"{path}: not a table of peers ({err}); nothing was "
                         "changed") from err


def save_peers(entries, cells, path=None):
    """Put entries of peers in place of their namesakes, unless those have
    more seeds under the same key. Returns how many."""
    path = Path(path or PEERS_FILE)
    old = load_peers(path)
    changed = 0
    for entry in entries:
        place = entry["cell"], entry["scheduler"]
        if entry["scheduler"] not in PEERS:
            continue
        before = old.get(place)
        if before == entry or (
                before and before["key"] == entry["key"]
                and len(before["seeds"]) > len(entry["seeds"])):
            continue
        old[place] = entry
        changed += 1
    names = list(cells)
    kept = [old[place] for place in
            sorted((place for place in old if place[0] in cells),
                   key=lambda place: (names.index(place[0]),
                                      PEERS.index(place[1])))]
    lines = ",\n".join(json.dumps(entry, separators=(",", ":"))
                       for entry in kept)
    write_whole(path, f"[\n{lines}\n]\n")
    return changed


class Book:
    """What is known: runs of this machine, and the committed peers."""

    def __init__(self, runs, base, key, peers):
        """key(cell, scheduler) is today's key."""
        self.runs, self.base, self.key, self.peers = runs, base, key, peers

    def is_done(self, cell, scheduler, seed):
        run = self.runs.load(cell, scheduler, seed)
        return run is not None and run["key"] == self.key(cell, scheduler)

    def missing(self, cell, scheduler, seeds):
        """The seeds that have to be measured: none of them where the
        committed entry has as many."""
        peer = self.peers.get((cell.name, scheduler))
        if (peer and peer["key"] == self.key(cell, scheduler)
                and len(peer["seeds"]) >= len(seeds)):
            return []
        return [seed for seed in seeds
                if not self.is_done(cell, scheduler, seed)]

    def entry(self, cell, scheduler):
        """(entry, names of the parts of its key that are not today's): the
        entry with the right key and most seeds, else what there is."""
        runs = self.runs.of(cell, scheduler)
        found = [make_entry(cell, scheduler, runs)] if runs else []
        if (cell.name, scheduler) in self.peers:
            found.append(self.peers[cell.name, scheduler])
        if not found:
            return None, []
        today = self.key(cell, scheduler)
        found.sort(key=lambda entry: (entry["key"] != today,
                                      -len(entry["seeds"])))
        return found[0], keys.differs(found[0]["key"], today)


UNITS = {"rate_mb_s": "MB/s", "ios_s": "1/s", "instr_per_io": "instructions",
         "elapsed_s": "s"}


def unit(metric):
    for ending, name in (("_ms", "ms"), ("_pct", "%"), ("_mb_s", "MB/s"),
                         ("_mb", "MB"), ("_bytes", "bytes")):
        if metric.endswith(ending):
            return name
    return UNITS.get(metric, "ratio")


def rows(cell, entry):
    """An entry as rows, with median and range over the seeds."""
    limits = {name: statistics.median(values)
              for name, values in entry["limits"].items() if values}
    for name, metric in (("idle_s", "elapsed_s"), ("front_ms", "lat_p99_ms")):
        if name in limits:
            limits[metric] = limits[name]
    groups = [(window, load, figures) for window in ("measured", "warm")
              for load, figures in entry.get(window, {}).items()]
    groups.append(("measured", "device", entry["device"]))
    return [{
        "suite": cell.suite, "case": cell.name, "row": cell.row,
        "device": cell.device, "scheduler": entry["scheduler"],
        "mode": "virtual", "window": window, "load": load, "key": entry["key"],
        "base": entry["key"]["base"], "metric": metric, "unit": unit(metric),
        "value": statistics.median(values), "min": min(values),
        "max": max(values), "seed_values": dict(zip(
            map(str, entry["seeds"]), values)), "n": len(values),
        "limit": limits.get(metric)
        if window == "measured" and load != "device" else None,
    } for window, load, figures in groups
        for metric, values in figures.items()]


def save_rows(path, found):
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(row) for row in found)
    write_whole(path, f"[\n{lines}\n]\n")
