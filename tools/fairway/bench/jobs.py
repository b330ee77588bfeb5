# SPDX-License-Identifier: GPL-2.0
"""What a guest is given: fio's jobs and the plan of guest.sh, by seed."""

import random
import shlex
from dataclasses import dataclass
from pathlib import Path

from bench.cells import MODEL

MOUNT = "/mnt"
# Jobs that are "started together" still start in another order for each
# seed: within this time, small against the warm-up.
MAX_OFFSET_US = 50_000
# Guest seconds beyond its run time that fio gets: the longest wait that was
# ever seen (19 s) and what the last I/Os of 256 processes take.
GRACE_S = 300


@dataclass(frozen=True)
class Place:
    """Where a run works: the disk's name, where results go, and of a disk
    that is no model its size in bytes."""
    disk: str
    out: Path
    real_bytes: int = 0


def guest_place(cell):
    """The place of a run in a guest."""
    return Place("modelbench" if cell.is_model else "nullbench", Path("/out"))


def job_names(load):
    return [f"{load.name}{number}" for number in range(load.count)]


def stream_start(cell, load, at, place):
    """The byte at which the at-th job of a cell begins, so that no two
    streams are one; on a disk that is no model, evenly over all of it."""
    spread = load.own["spread"]
    if place.real_bytes:
        count = sum(load.count for load in cell.loads)
        spread = place.real_bytes // count >> 20 << 20
    return at * spread


def target(cell, load, number, at, place):
    """The lines that say where a job works: number is its own in its load,
    at its own among all jobs."""
    file = load.own.get("file")
    if "disk" in load.own:
        lines = ["filename=/dev/modelsecond"]
    elif cell.fs == "raw":
        lines = [f"filename=/dev/{place.disk}"]
    else:
        lines = [f"filename={MOUNT}/f{number if file == 'own' else file}"]
    if "spread" in load.own:
        lines.append(f"offset={stream_start(cell, load, at, place)}")
    return lines


def rereads(cell, load):
    """Whether fio is to drop a file's pages each time it begins with it: or
    whoever gets through its file would go on in memory, at no cost and with
    millions of I/Os. Not for a disk: there it means to write back first all
    that others dirty meanwhile, which has no end.
    """
    return cell.fs != "raw" and any(
        option in ("rw=read", "rw=randread") for option in load.options)


def fio_jobs(cell, seed, place):
    """fio's job file for one seed.

    Each I/O's latency is logged, with the time of day, from the first on:
    what a figure is taken from is then chosen afterwards (warm-up, measured
    time), and a maximum is exact. The caches are dropped before.
    """
    rng = random.Random(f"offsets {seed}")
    lines = [
        "[global]", f"randseed={seed}", "norandommap=1",
        "clocksource=clock_gettime", "time_based=1", "zero_buffers=1",
        f"runtime={round((cell.warm_s + cell.seconds) * 1000)}ms",
        "disable_clat=1", "disable_slat=1",
        "lat_percentiles=0", "clat_percentiles=0", "log_unix_epoch=1",
        "per_job_logs=0",
    ]
    at = 0
    for load in cell.loads:
        for number, name in enumerate(job_names(load)):
            if load.program:
                continue
            start_us = rng.randrange(MAX_OFFSET_US)
            start_us += number * load.own.get("stagger", 0) * 1000
            once = []
            if load.is_once:
                once = ["time_based=0", f"runtime={cell.seconds * 1000:.0f}ms"]
                start_us += round(cell.warm_s * 1e6)
            lines += [f"[{name}]", *load.options, *once,
                      *target(cell, load, number, at, place),
                      f"invalidate={int(rereads(cell, load))}",
                      f"write_lat_log={place.out}/logs/{name}",
                      f"exec_prerun=sleep {start_us / 1e6:.6f}"]
            at += 1
    return "\n".join(lines) + "\n"


def programs(cell):
    """Lines of guest.sh's: job, whether it goes on until the others are done,
    program, arguments."""
    return "\n".join(
        f"{name} {'once' if load.is_once else 'on'} {' '.join(load.program)}"
        for load in cell.loads if load.program for name in job_names(load))


def sample_s(cell):
    """The time between two samples of the disk: a hundred over the run, and
    some also of a program that is done within a second."""
    if any(load.is_once for load in cell.loads):
        return 0.1
    return (cell.warm_s + cell.seconds) / 100


def plan(cell, scheduler, seed, place):
    """Assignments for guest.sh. phase_permille: where in a turn the platter
    stands when the disk is switched on; nothing else of a model has luck."""
    rng = random.Random(f"phase {seed}")
    sysctls = {key.replace(".", "/"): value
               for key, value in cell.settings.items()
               if key.startswith("vm.")}
    total_s = cell.warm_s + cell.seconds
    values = {
        "disk": place.disk,
        "device": "real" if place.real_bytes else cell.device,
        "model": MODEL.get(cell.device, ""), "second": cell.second,
        "depth": cell.depth or "",
        "service_us": cell.service_us,
        "queues": cell.settings.get("queues", 1),
        "phase_permille": rng.randrange(1000),
        "scheduler": scheduler, "fs": cell.fs, "files": cell.files,
        "file_mb": cell.file_mb,
        "request_sectors_max": cell.settings.get("request_sectors_max", ""),
        "wbt_lat_usec": cell.settings.get("wbt_lat_usec", ""),
        "nr_requests": cell.settings.get("nr_requests", ""),
        "sysctls": " ".join(f"{k}={v}" for k, v in sysctls.items()),
        "warm_s": f"{cell.warm_s:g}", "seconds": f"{cell.seconds:g}",
        "programs": programs(cell),
        "sample_s": f"{sample_s(cell):.3f}",
        "limit_s": f"{total_s + GRACE_S:.0f}",
    }
    return "".join(f"{key}={shlex.quote(str(value))}\n"
                   for key, value in values.items())
