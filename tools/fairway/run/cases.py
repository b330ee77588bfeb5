# SPDX-License-Identifier: GPL-2.0
"""What is measured: the cases, their device, their load and their limits."""

import random
from dataclasses import dataclass

SCHEDULERS = ("none", "mq-deadline", "kyber", "bfq", "fairway")

# A share is a ratio of small whole numbers: below this many reads of the
# least served thread it says more about rounding than about fairness.
MIN_READS = 40

# Above this share of guest CPU time a row measures the CPU, not the disk.
CPU_BOUND = 0.7

# fio samples its rates every 500 ms for each job. Nobody reads them, and beside
# 1000 readers that alone was half of what the guest's CPU did. So: later than
# any run takes.
NO_SAMPLES_MS = 3_600_000

MAX_OFFSET_US = 50_000
MAX_PHASE_US = 10_000


@dataclass(frozen=True)
class Device:
    """A null_blk disk. irqmode 1 completes at once, 2 after service_ns."""
    depth: int
    service_ns: int = 0
    blocks_kib: int = 4

    @property
    def irqmode(self):
        return 2 if self.service_ns else 1


@dataclass(frozen=True)
class Load:
    """count equal fio jobs called name0, name1, ..."""
    name: str
    count: int
    options: tuple


@dataclass(frozen=True)
class Case:
    """One line of the issue's case list.

    judged: the load whose latencies and shares are reported.
    fair: run until the least served judged thread has had MIN_READS.
    none_has_no_pool: nr_requests is set, but without a scheduler there are
    only the device's own tags, so none is left out.
    threads, processes: fio jobs as threads; spread over so many fios.
    plain: the schedulers of a "make run" that names no cases, which has to
    end within minutes.
    host_s: about how long one run in virtual time takes on an idle host.
    """
    name: str
    about: str
    device: Device
    loads: tuple
    judged: str
    metrics: tuple
    runtime_ms: int
    host_s: float
    ramp_ms: int = 0
    nr_requests: int | None = None
    fair: bool = False
    none_has_no_pool: bool = False
    lat_limit_ms: float | None = None
    rate_limit_mb_s: float | None = None
    none_is_rate_limit: bool = False
    threads: bool = False
    processes: int = 1
    plain: tuple = SCHEDULERS

    def schedulers(self, is_named):
        """Those to run, if the case was asked for by name or not."""
        return tuple(name for name in SCHEDULERS
                     if (is_named or name in self.plain)
                     and not (self.none_has_no_pool and name == "none"))

    def limit(self, metric):
        """The physical limit in the metric's unit, None where there is none.

        N threads that always have one request waiting at a device that
        serves depth requests at a time see N x service / depth on average,
        so no scheduler can have a smaller mean, nor a smaller maximum.
        """
        if metric.startswith("share_"):
            return 1.0
        if metric in ("lat_mean_ms", "lat_max_ms"):
            return self.lat_limit_ms
        if metric == "rate_mb_s":
            return self.rate_limit_mb_s
        return None


SHARES = ("share_min", "share_max", "share_ratio")
LATENCIES = ("lat_mean_ms", "lat_p99_ms", "lat_max_ms")
UNITS = {
    "share_min": "of mean", "share_max": "of mean", "share_ratio": "ratio",
    "lat_mean_ms": "ms", "lat_p99_ms": "ms", "lat_max_ms": "ms",
    "rate_mb_s": "MB/s", "instr_per_io": "instructions",
}


def starve(name, about, readers, device, bs_kib, host_s, **more):
    """Many readers, one synchronous read each, at a device that is slow."""
    service_ms = device.service_ns / 1e6
    return Case(
        name=name, about=about, device=device, host_s=host_s,
        loads=(Load("reader", readers, ("ioengine=psync", "rw=randread",
                                        f"bs={bs_kib}k")),),
        judged="reader", fair=True,
        metrics=SHARES + LATENCIES + ("rate_mb_s",),
        lat_limit_ms=readers * service_ms / device.depth,
        rate_limit_mb_s=device.depth * bs_kib * 1024 / service_ms / 1e3,
        **more)


def starve64(nr_requests=None, plain=SCHEDULERS):
    suffix = f"-nr{nr_requests}" if nr_requests else ""
    pool = f", nr_requests {nr_requests}" if nr_requests else ""
    return starve(f"starve64{suffix}",
                  f"64 readers of 64 KiB, depth 1 x 8 ms{pool}",
                  64, Device(1, 8_000_000), 64, 6.0, runtime_ms=40_000,
                  nr_requests=nr_requests, plain=plain,
                  none_has_no_pool=nr_requests is not None)


def starve1000(nr_requests, plain):
    # What fio does in each fork and in its JSON grows with the square of its
    # jobs, and would take longer than the measurement: so these readers are
    # threads (the kernel gives each its own io_context all the same) of four
    # fios. Those start within a second: the ramp keeps the time when only
    # some of the readers run out of the shares.
    return starve(f"starve1000-nr{nr_requests}",
                  f"1000 readers of 4 KiB, depth 4 x 2 ms, nr_requests "
                  f"{nr_requests}",
                  1000, Device(4, 2_000_000), 4, 55.0, runtime_ms=60_000,
                  ramp_ms=3_000, nr_requests=nr_requests, threads=True,
                  processes=4, plain=plain, none_has_no_pool=True)


def flood(name, rw):
    return Case(
        name=name,
        about=f"4 KiB reader with 20 ms think time beside 4 x {rw} 128 KiB "
              "depth 64, depth 32 x 1 ms",
        device=Device(32, 1_000_000), host_s=9.0, runtime_ms=3_000,
        loads=(Load("probe", 1, ("ioengine=psync", "rw=randread", "bs=4k",
                                 "thinktime=20ms")),
               Load("flood", 4, ("ioengine=libaio", f"rw={rw}", "bs=128k",
                                 "iodepth=64"))),
        judged="probe", metrics=LATENCIES + ("rate_mb_s",))


def cost(name, engine, plain=SCHEDULERS):
    return Case(
        name=name, about=f"4 KiB random reads, {engine} depth 32, no delay",
        device=Device(64), host_s=3.0, runtime_ms=1_000, ramp_ms=200,
        loads=(Load("reader", 1, (f"ioengine={engine}", "rw=randread",
                                  "bs=4k", "iodepth=32")),),
        judged="reader",
        metrics=("instr_per_io", "rate_mb_s"), plain=plain)


CASES = {case.name: case for case in (
    starve64(), starve64(4), starve64(64),
    starve64(2048, plain=("mq-deadline", "fairway")),
    starve1000(8, plain=("mq-deadline", "fairway")),
    starve1000(64, plain=()),
    flood("flood", "write"), flood("rflood", "read"),
    Case(name="convoy", about="256 readers of 4 KiB, no delay, nr_requests 64",
         device=Device(64), host_s=11.0, runtime_ms=1_000, ramp_ms=300,
         nr_requests=64, judged="reader",
         loads=(Load("reader", 256, ("ioengine=psync", "rw=randread",
                                     "bs=4k")),),
         metrics=LATENCIES + ("rate_mb_s",), none_is_rate_limit=True),
    cost("cost", "libaio"), cost("cost-uring", "io_uring", plain=()),
)}


def seed_starts_s(case, seed):
    """When the fios of a run start, in s: the device's phase, and where the
    jobs have no offsets of their own (threads), those of the fios."""
    rng = random.Random(f"starts {seed}")
    phase_us = rng.randrange(MAX_PHASE_US)
    if case.processes == 1:
        return [phase_us / 1e6]
    return sorted((phase_us + rng.randrange(MAX_OFFSET_US)) / 1e6
                  for _ in range(case.processes))


def job_files(case, seed, disk, runtime_ms):
    """The job files of one run of a case, one for each fio.

    A job's start offset is a sleep in exec_prerun: fio 3.33 takes startdelay
    in us, but looks only each 100 ms whose time has come, so that shorter
    ones come to nothing. A shell per job takes CPU time, though, and where
    the first job leaves none to the others (no delay in the device) they
    would start seconds apart: there it is startdelay after all.
    """
    rng = random.Random(f"offsets {seed}")
    head = [
        "[global]",
        f"filename={disk}",
        "direct=1",
        "norandommap=1",
        f"randseed={seed}",
        "clocksource=clock_gettime",
        "unified_rw_reporting=1",
        "lat_percentiles=1",
        "clat_percentiles=0",
        "percentile_list=99",
        f"bwavgtime={NO_SAMPLES_MS}",
        f"iopsavgtime={NO_SAMPLES_MS}",
        "time_based=1",
        f"runtime={runtime_ms}ms",
    ]
    if case.ramp_ms:
        head.append(f"ramp_time={case.ramp_ms}ms")
    if case.threads:
        head.append("thread=1")
    files = [list(head) for _ in range(case.processes)]
    for load in case.loads:
        for number in range(load.count):
            lines = files[number * case.processes // load.count]
            lines.append(f"[{load.name}{number}]")
            lines.extend(load.options)
            offset_us = rng.randrange(MAX_OFFSET_US)
            if not case.device.service_ns:
                lines.append(f"startdelay={offset_us}us")
            elif case.processes == 1:
                lines.append(f"exec_prerun=sleep {offset_us / 1e6:.6f}")
    return ["\n".join(lines) + "\n" for lines in files]
