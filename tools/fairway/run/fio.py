# SPDX-License-Identifier: GPL-2.0
"""From what a guest left behind (fio's JSON, CPU samples) to figures."""

import json
import statistics
from dataclasses import dataclass


TICKS_PER_S = 100    # USER_HZ, the unit of /proc/stat
SECTOR = 512         # the unit of /sys/block/*/stat


class BadResult(Exception):
    """A run whose result cannot be believed; the text says why."""


@dataclass(frozen=True)
class Job:
    """One fio job: its I/Os in the measured time, latencies in ns."""
    name: str
    ios: int
    lat_mean_ns: float
    lat_max_ns: int
    lat_bins: dict


@dataclass(frozen=True)
class Rates:
    """Of the whole guest and its disk, while all jobs ran."""
    cpu_busy: float
    ios_s: float
    mb_s: float


def parse_jobs(text):
    """Read fio's json+ output: [Job]. What exec_prerun printed comes first."""
    start = text.find("{\n")
    if start < 0:
        raise BadResult("fio left no JSON: " + (text.strip()[-200:] or "empty"))
    try:
        data = json.loads(text[start:])
        return [parse_job(job) for job in data["jobs"]]
    except json.JSONDecodeError as err:
        raise BadResult(f"fio's JSON is cut short or damaged: {err}") from err
    except KeyError as err:
        raise BadResult(f"fio's JSON has no {err}") from err


def parse_job(job):
    if job["error"]:
        raise BadResult(f"fio job {job['jobname']}: error {job['error']}")
    side = job["mixed"]
    lat = side["lat_ns"]
    return Job(job["jobname"], side["total_ios"], lat["mean"], lat["max"],
               {int(ns): n for ns, n in lat.get("bins", {}).items()})


def percentile_ns(jobs, share):
    """The latency that share of all I/Os of the jobs do not exceed.

    fio's bins are 1/64 wide, so this is right within 1.6 %; the maximum is
    exact, and no percentile is above it.
    """
    bins = {}
    for job in jobs:
        for ns, count in job.lat_bins.items():
            bins[ns] = bins.get(ns, 0) + count
    total = sum(bins.values())
    if not total:
        raise BadResult("fio reported no latencies")
    seen = 0
    for ns in sorted(bins):
        seen += bins[ns]
        if seen >= share * total:
            return min(ns, max(job.lat_max_ns for job in jobs))
    raise AssertionError("bins do not add up")


def parse_samples(text, cpus):
    """Read guest.sh's samples: the rates in the middle half of the time in
    which the disk worked, when all jobs are running.

    The kernel counts idle time by the clock, not by ticks (NO_HZ), so short
    bursts of work count as what they are.
    """
    try:
        rows = [[float(word) for word in line.split()]
                for line in text.splitlines()]
        ios = [row[3] + row[5] for row in rows]
    except (ValueError, IndexError) as err:
        raise BadResult(f"damaged CPU and disk samples: {err}") from err
    active = [at for at in range(1, len(rows)) if ios[at] > ios[at - 1]]
    if len(active) < 8:
        raise BadResult("the disk worked in fewer than 8 samples")
    quarter = (active[-1] - active[0]) // 4
    first, last = rows[active[0] + quarter], rows[active[-1] - quarter]
    delta = [after - before for before, after in zip(first, last)]
    wall_s = delta[0]
    idle_s = (delta[1] + delta[2]) / TICKS_PER_S
    return Rates(min(1.0, max(0.0, 1 - idle_s / (wall_s * cpus))),
                 (delta[3] + delta[5]) / wall_s,
                 (delta[4] + delta[6]) * SECTOR / wall_s / 1e6)


def least_ios(jobs):
    return min(job.ios for job in jobs)


def metrics(case, jobs, rates, mode):
    """{metric: value} of one run; instr_per_io only where 1 ns of guest
    time is one instruction."""
    judged = [job for job in jobs if job.name.startswith(case.judged)]
    if len(jobs) != sum(load.count for load in case.loads):
        raise BadResult(f"fio reported {len(jobs)} jobs, not all of them")
    for job in jobs:
        if not job.ios:
            raise BadResult(f"fio job {job.name} did no I/O")

    counts = [job.ios for job in judged]
    mean = statistics.fmean(counts)
    every = {
        "share_min": lambda: min(counts) / mean,
        "share_max": lambda: max(counts) / mean,
        "share_ratio": lambda: min(counts) / max(counts),
        "lat_mean_ms": lambda: sum(job.lat_mean_ns * job.ios
                                   for job in judged) / sum(counts) / 1e6,
        "lat_p99_ms": lambda: percentile_ns(judged, 0.99) / 1e6,
        "lat_max_ms": lambda: max(job.lat_max_ns for job in judged) / 1e6,
        "rate_mb_s": lambda: rates.mb_s,
        "instr_per_io": lambda: rates.cpu_busy * 1e9 / rates.ios_s,
    }
    return {name: every[name]() for name in case.metrics
            if name != "instr_per_io" or mode == "virtual"}
