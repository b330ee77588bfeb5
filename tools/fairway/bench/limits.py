# SPDX-License-Identifier: GPL-2.0
"""The physical limits that rows are judged against.

Times in s, rates in bytes/s, positions as parts of the stroke.
"""

import random
import statistics

SECTOR = 512
SWEEPS = 60     # averages of more sweeps do not differ in the third digit


def streaming_rate(params):
    """Bytes/s of one long stream on the outermost tracks: of each turn and
    the switch to the next track, only the turn brings data."""
    rate = params["outer_bytes_per_s"]
    if not params["tracks"]:
        return rate
    turn_ns, heads = params["revolution_ns"], params["heads"]
    switch_ns = ((heads - 1) * params["head_switch_ns"]
                 + params["cylinder_switch_ns"]) / heads
    if not params["skew"]:
        switch_ns = turn_ns
    return rate * turn_ns / (turn_ns + switch_ns)


def stream_rate(streams, switch_s, longest_s, full_rate):
    """The curve of N streams on one head: with turns of q and a switch of s,
    the rate is q / (q + s) of streaming and the longest wait
    T = (N - 1)(q + s) + s. Bytes/s at a given T."""
    if streams == 1:
        return full_rate
    turn_s = (longest_s - switch_s) / (streams - 1) - switch_s
    if turn_s <= 0:
        return 0.0
    return full_rate * turn_s / (turn_s + switch_s)


def seek_s(params, part):
    """A seek over part of the stroke, as models/README.rst has it."""
    if not params["seek"] or part <= 0:
        return 0.0
    knee = params["seek_knee_permille"] / 1000
    at_knee = params["seek_settle_ns"] + params["seek_sqrt_ns"] * knee ** 0.5
    if part <= knee or knee >= 1:
        return (params["seek_settle_ns"]
                + params["seek_sqrt_ns"] * part ** 0.5) / 1e9
    slope = (params["seek_full_ns"] - at_knee) / (1 - knee)
    return (at_knee + slope * (part - knee)) / 1e9


def frozen_sweep(params, readers, size, seed=1):
    """Random readers with one request each, served in sweeps: what is there
    when a sweep begins is served in the order of its sectors, what comes
    meanwhile in the next. {"rate": bytes/s, "max_to_mean", "share_ratio"}.

    Simulated: the wait for a sector to come round is even over a turn.
    """
    rng = random.Random(seed)
    turn_s = params["revolution_ns"] / 1e9 if params["rotation"] else 0.0
    transfer_s = size / params["outer_bytes_per_s"]
    now, head = 0.0, 0.0
    issued, waits = [0.0] * readers, []
    for sweep in range(SWEEPS):
        places = sorted((rng.random(), reader) for reader in range(readers))
        for place, reader in places:
            now += (params["command_ns"] / 1e9 + rng.random() * turn_s
                    + seek_s(params, abs(place - head)) + transfer_s)
            head = place
            # The first sweep starts from a standing queue.
            if sweep:
                waits.append(now - issued[reader])
            issued[reader] = now
    return {"rate": readers * SWEEPS * size / now,
            "max_to_mean": max(waits) / statistics.fmean(waits)}


def front_ms(points, rate):
    """The fixed-window front: what a latency victim sees at least while the
    others have a given rate.

    points: [(the others' rate, the victim's latency)] in the order of the
    number of requests that the others are allowed in flight, served first in,
    first out. Between two numbers a scheduler could change over from one to
    the other, so straight lines join them. None beyond the largest rate.
    """
    reached = [latency for others, latency in points if others >= rate]
    for (low, before), (high, after) in zip(points, points[1:]):
        if min(low, high) <= rate <= max(low, high) and low != high:
            part = (rate - low) / (high - low)
            reached.append(before + part * (after - before))
    return min(reached, default=None)


def block_size(load):
    """The bytes of one I/O of a load's."""
    for option in load.options:
        if option.startswith("bs="):
            text = option[3:].lower()
            unit = {"k": 1 << 10, "m": 1 << 20}.get(text[-1])
            return int(text[:-1]) * unit if unit else int(text)
    return 4096


def of_run(cell, params, figures, device):
    """{name: value} for one run: limits in the units of the metrics that
    they are for. figures: those of the measured time, by load."""
    load = cell.loads[0]
    if not params and cell.limit in ("stream", "sweep"):
        return {}    # a real disk does not say
    if cell.limit == "stream" and device.get("switch_ms"):
        full = streaming_rate(params)
        streams = sum(load.count for load in cell.loads)
        longest = max(values.get("lat_max_ms", 0.0)
                      for values in figures.values()) / 1e3
        curve = stream_rate(streams, device["switch_ms"] / 1e3, longest, full)
        return {"rate_mb_s": curve / 1e6, "streaming_mb_s": full / 1e6}
    if cell.limit == "sweep":
        sweep = frozen_sweep(params, load.count, block_size(load))
        mean_ms = figures[load.name].get("lat_mean_ms", 0.0)
        return {"rate_mb_s": sweep["rate"] / 1e6,
                "lat_max_ms": mean_ms * sweep["max_to_mean"]}
    if cell.limit == "service":
        wait_ms = load.count * cell.service_us / 1e3 / cell.depth
        rate = cell.depth * block_size(load) / cell.service_us
        return {"lat_max_ms": wait_ms, "rate_mb_s": rate}
    return {}
