# SPDX-License-Identifier: GPL-2.0
"""From what one guest left behind to the figures of one run."""

import json
import math
import re
from array import array
from dataclasses import dataclass, field

from bench.jobs import job_names
from run import fio
from run.fio import BadResult

# What a histogram's bins are to the power of ten: 20 for each decade are 12 %
# wide, finer than a picture shows.
BINS_PER_DECADE = 20
SERIES_S = 1.0
COLUMNS_FIXED = ("time", "idle", "iowait", "reads", "read_sectors", "writes",
                 "write_sectors", "dirty_kb")


@dataclass
class Job:
    """One process: its I/Os as columns; end_ms is the time of day."""
    name: str
    end_ms: array = field(default_factory=lambda: array("q"))
    lat_ns: array = field(default_factory=lambda: array("q"))
    size: array = field(default_factory=lambda: array("q"))

    def first_start_ms(self):
        return min((end - lat / 1e6
                    for end, lat in zip(self.end_ms, self.lat_ns)),
                   default=math.inf)


def parse_log(name, text):
    """fio's latency log: time of day in ms, latency in ns, direction, bytes,
    priority."""
    job = Job(name)
    try:
        for line in text.splitlines():
            end_ms, lat_ns, _, size, *_ = line.split(",")
            job.end_ms.append(int(end_ms))
            job.lat_ns.append(int(lat_ns))
            job.size.append(int(size))
    except ValueError as err:
        raise BadResult(f"fio's log of {name} is damaged: {err}") from err
    return job


def read_jobs(cell, folder):
    """{load name: [Job]}, after fio itself said that all went well."""
    errors = {}
    if any(not load.program for load in cell.loads):
        try:
            said = json.loads((folder / "fio.json").read_text())
            errors = {job["jobname"]: job["error"] for job in said["jobs"]}
        except (OSError, ValueError, KeyError) as err:
            raise BadResult(f"fio's own report: {err}") from err
    loads = {}
    for load in cell.loads:
        loads[load.name] = []
        for name in job_names(load):
            path = folder / "logs" / f"{name}_lat.log"
            if not load.program and errors.get(name) != 0:
                raise BadResult(f"fio job {name}: error {errors.get(name)}")
            if not load.program and not path.exists():
                raise BadResult(f"fio left no log of {name}")
            loads[load.name].append(parse_log(
                name, path.read_text() if path.exists() else ""))
    return loads


def read_programs(cell, folder):
    """{job: (begin in ms, end in ms)} of the programs. One that was stopped
    when the time was over has taken at least all of it; any other failure is
    an error."""
    found = {}
    for line in (folder / "programs").read_text().splitlines():
        name, begin, end, status = line.split()
        if int(status):
            raise BadResult(f"program {name} ended with status {status}")
        found[name] = float(begin), float(end)
    return found


@dataclass(frozen=True)
class Window:
    """A part of the run, in ms of the time of day; is_last: with the I/Os
    that were under way at its end, which fio waits for."""
    begin_ms: float
    end_ms: float
    is_last: bool

    @property
    def seconds(self):
        return (self.end_ms - self.begin_ms) / 1000


def windows(cell, jobs, programs):
    """Warm-up, measured time, both, and the first 20 s (some published runs
    took those)."""
    start = min([job.first_start_ms() for job in jobs]
                + [begin - cell.warm_s * 1000
                   for begin, _ in programs.values()], default=math.inf)
    if start == math.inf:
        raise BadResult("there was no I/O at all")
    warm = start + cell.warm_s * 1000
    end = warm + cell.seconds * 1000
    found = {"measured": Window(warm, end, True),
             "all": Window(start, end, True)}
    if cell.warm_s:
        found["warm"] = Window(start, warm, False)
    if end >= start + 20_000:
        found["first20"] = Window(start, start + 20_000, False)
    return found


def select(job, window):
    """One job's latencies, and the bytes and number of the I/Os that ended
    in the window itself."""
    latencies, size, ios = [], 0, 0
    for end_ms, lat_ns, bytes_ in zip(job.end_ms, job.lat_ns, job.size):
        if end_ms <= window.begin_ms:
            continue
        if end_ms <= window.end_ms:
            size += bytes_
            ios += 1
        elif not window.is_last:
            continue
        latencies.append(lat_ns)
    return latencies, size, ios


def quantile(ordered, share):
    """The smallest value that share of all do not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def longest_gap_ms(jobs, window):
    """The longest time in which no I/O of any job ended."""
    ends = sorted(end for job in jobs for end in job.end_ms
                  if window.begin_ms <= end <= window.end_ms)
    marks = [window.begin_ms, *ends, window.end_ms]
    return max(after - before for before, after in zip(marks, marks[1:]))


def shares(sizes):
    """How evenly the bytes are spread over the jobs of a load.

    jain: (sum x)^2 / (n sum x^2), 1 if all have the same, 1/n if one has all
    (R. Jain, D. Chiu, W. Hawe, DEC TR-301, 1984).
    """
    mean = sum(sizes) / len(sizes)
    if not mean:
        return {}
    return {"share_min": min(sizes) / mean, "share_max": max(sizes) / mean,
            "share_ratio": min(sizes) / max(sizes),
            "spread_pct": 100 * (max(sizes) - min(sizes)) / mean,
            "jain": sum(sizes) ** 2 / (len(sizes) * sum(s * s for s in sizes))}


def load_figures(load, jobs, window):
    """{metric: value} of one load in one window."""
    chosen = [select(job, window) for job in jobs]
    sizes = [size for _, size, _ in chosen]
    lat_ns = sorted(ns for latencies, _, _ in chosen for ns in latencies)
    ios = sum(number for _, _, number in chosen)
    values = {"rate_mb_s": sum(sizes) / window.seconds / 1e6,
              "ios_s": ios / window.seconds,
              "gap_max_ms": longest_gap_ms(jobs, window), **shares(sizes)}
    if not lat_ns:
        return values
    over = {limit: sum(ns > limit * 1e9 for ns in lat_ns) for limit in (2, 10)}
    values |= {
        "lat_mean_ms": sum(lat_ns) / len(lat_ns) / 1e6,
        "lat_p50_ms": quantile(lat_ns, 0.5) / 1e6,
        "lat_p99_ms": quantile(lat_ns, 0.99) / 1e6,
        "lat_p999_ms": quantile(lat_ns, 0.999) / 1e6,
        "lat_max_ms": lat_ns[-1] / 1e6,
        "over_2s_pct": 100 * over[2] / len(lat_ns),
        "over_10s_pct": 100 * over[10] / len(lat_ns),
    }
    if "period" in load.own:
        late = sum(ns > load.own["period"] * 1e6 for ns in lat_ns)
        values["late_pct"] = 100 * late / len(lat_ns)
    return values


def own_window(load, jobs, programs, cell, part):
    """The time of a load that ends: from its first begin to its last end, or
    to the end of the cell's time if it did not get so far."""
    times = [programs[name] for name in job_names(load) if name in programs]
    if not load.program:
        times = [(job.first_start_ms(), job.end_ms[-1]) for job in jobs
                 if job.end_ms]
    if len(times) < load.count:
        return part
    begin = min(begin for begin, _ in times)
    end = min(max(end for _, end in times), begin + cell.seconds * 1000)
    return Window(begin, end, True)


def histogram(jobs, window):
    """{bin: number of I/Os}; bin b holds latencies from 10^(b/20) ns on."""
    bins = {}
    for job in jobs:
        for ns in select(job, window)[0]:
            at = int(math.log10(max(ns, 1)) * BINS_PER_DECADE)
            bins[at] = bins.get(at, 0) + 1
    return bins


def series(jobs, window):
    """MB/s of each job in each second since the start."""
    count = max(1, math.ceil(window.seconds / SERIES_S))
    lines = []
    for job in jobs:
        line = [0] * count
        for end_ms, size in zip(job.end_ms, job.size):
            at = int((end_ms - window.begin_ms) / 1000 / SERIES_S)
            if 0 <= at < count:
                line[at] += size
        lines.append([round(size / SERIES_S / 1e6, 3) for size in line])
    return lines


def read_samples(folder):
    """guest.sh's samples: [{column: value}]."""
    names = COLUMNS_FIXED + tuple((folder / "counters").read_text().split())
    rows = []
    for line in (folder / "samples").read_text().splitlines():
        values = line.split()
        if len(values) == len(names):
            rows.append(dict(zip(names, map(float, values))))
    if len(rows) < 3:
        raise BadResult("fewer than 3 samples of the disk")
    return rows


def device_figures(rows, window, cpus):
    """What disk and CPU did in the window, from the samples nearest to its
    ends."""
    def at(time_ms):
        return min(rows, key=lambda row: abs(row["time"] * 1000 - time_ms))

    first, last = at(window.begin_ms), at(window.end_ms)
    delta = {key: last[key] - first[key] for key in first}
    wall_s = delta["time"]
    if wall_s <= 0:
        raise BadResult("no two samples in the measured time")
    idle_s = (delta["idle"] + delta["iowait"]) / fio.TICKS_PER_S
    busy = min(1.0, max(0.0, 1 - idle_s / (wall_s * cpus)))
    ios = delta["reads"] + delta["writes"]
    values = {
        "cpu_busy": busy, "ios_s": ios / wall_s,
        "read_mb_s": delta["read_sectors"] * fio.SECTOR / wall_s / 1e6,
        "write_mb_s": delta["write_sectors"] * fio.SECTOR / wall_s / 1e6,
        "dirty_mb": max(row["dirty_kb"] for row in rows) / 1024,
    }
    if ios:
        values["instr_per_io"] = busy * 1e9 * wall_s / ios
    if delta.get("seeks"):
        values["switch_ms"] = ((delta["seek_ns"] + delta["rotation_ns"])
                               / delta["seeks"] / 1e6)
    for key in ("seek", "rotation", "transfer", "idle", "starved"):
        if f"{key}_ns" in delta:
            values[f"{key}_pct"] = delta[f"{key}_ns"] / wall_s / 1e7
    return values


def read_words(path):
    return dict(line.split(None, 1) for line in path.read_text().splitlines())


def dbench_figures(text):
    """Of dbench's last line: its MB/s (of 2^20 bytes) and longest latency."""
    match = re.search(r"^Throughput ([\d.]+) MB/sec.*max_latency=([\d.]+) ms",
                      text, re.M)
    if not match:
        raise BadResult("dbench did not come to its end: "
                        + text.strip()[-200:])
    return {"rate_mb_s": float(match[1]) * (1 << 20) / 1e6,
            "lat_max_ms": float(match[2])}


def memory_figures(text):
    """Of what guest.sh's memory has left: {metric: bytes}."""
    values = dict(line.split() for line in text.splitlines())
    return {name: float(values[name])
            for name in ("request_bytes", "process_bytes")}


# Programs that leave their figures in a file of their name, not in a log.
TOLD = {"dbench": dbench_figures, "memory": memory_figures}


def read_run(cell, folder):
    """Everything that is kept of one run."""
    loads = read_jobs(cell, folder)
    every = [job for jobs in loads.values() for job in jobs]
    programs = read_programs(cell, folder)
    parts = windows(cell, every, programs)
    info = read_words(folder / "info")
    refused = folder / "store_refused"
    if refused.exists() and refused.read_text().strip() not in ("", "0"):
        raise BadResult("the disk model's store was full: not all that was "
                        "written were zeros")
    samples = read_samples(folder)
    by_name = {load.name: load for load in cell.loads}
    values = {name: {load: load_figures(by_name[load], jobs, part)
                     for load, jobs in loads.items()}
              for name, part in parts.items()}
    for name, jobs in loads.items():
        load = by_name[name]
        if load.is_once:
            part = own_window(load, jobs, programs, cell, parts["measured"])
            values["measured"][name] = load_figures(load, jobs, part)
            values["measured"][name]["elapsed_s"] = part.seconds
        told = load.program and TOLD.get(load.program[0])
        if told:
            values["measured"][name] = told(
                (folder / load.program[0]).read_text())
    return {
        "windows": values,
        "device": device_figures(samples, parts["measured"],
                                 int(info["cpus"])),
        "params": {key: int(value) for key, value
                   in read_words(folder / "params").items()},
        "info": info,
        "histogram": {load: histogram(jobs, parts["measured"])
                      for load, jobs in loads.items()},
        "series": {load: series(jobs, parts["all"])
                   for load, jobs in loads.items()},
    }
