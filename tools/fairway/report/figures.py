# SPDX-License-Identifier: GPL-2.0
"""What is drawn of the events: service, waits and turns."""

from collections import defaultdict
from dataclasses import dataclass

BINS = 120
SECTOR_MB = 512 / 1e6
# More turns than this are a carpet: the last of them are drawn.
MAX_TURNS = 600


@dataclass
class Span:
    """The time that is drawn, cut into equal bins."""
    start_s: float
    end_s: float

    @property
    def bin_s(self):
        return (self.end_s - self.start_s) / BINS

    def bin(self, time_s):
        return min(int((time_s - self.start_s) / self.bin_s), BINS - 1)

    def middle_s(self, index):
        """Of a bin, since the start."""
        return (index + 0.5) * self.bin_s


@dataclass
class Turn:
    """One queue's time with the disk, since the start of the span."""
    pid: int
    queue: str
    start_s: float
    end_s: float
    requests: int = 0


def span_of(events):
    """From the first event to the last; never nothing."""
    start_s = min(event.time_s for event in events)
    end_s = max(event.time_s for event in events)
    return Span(start_s, max(end_s, start_s + 1e-3))


def service(events, span):
    """{pid: [MB/s for each bin]}"""
    rates = defaultdict(lambda: [0.0] * BINS)
    for event in events:
        if event.what == "done":
            rates[event.pid][span.bin(event.time_s)] += (
                event.number("sectors") * SECTOR_MB / span.bin_s)
    return dict(rates)


def busiest(rates, most):
    """The pids that had most, and all others as one series or None."""
    pids = sorted(rates, key=lambda pid: (-sum(rates[pid]), pid))
    others = pids[most:]
    summed = [sum(values) for values in
              zip(*(rates[pid] for pid in others))] if others else None
    return pids[:most], summed


def waits(events, span):
    """{name: {bin: longest wait in ms}}: in the order by class, and in line."""
    longest = defaultdict(dict)
    for event in events:
        if event.what == "dispatch" and event.fields.get("queue") != "front":
            name = event.fields.get("class", "?")
        elif event.what == "refuse" and event.number("wait_ns"):
            name = "in line"
        else:
            continue
        at, wait_ms = span.bin(event.time_s), event.number("wait_ns") / 1e6
        longest[name][at] = max(longest[name].get(at, 0), wait_ms)
    return dict(longest)


def turns(events, span):
    """[Turn], the last MAX_TURNS; none where there are none."""
    found = []
    number = None
    for event in events:
        at_s = event.time_s - span.start_s
        if event.what == "done" and found:
            found[-1].end_s = at_s
        if event.what != "dispatch" or not event.number("turn"):
            continue
        if event.number("turn") != number:
            number = event.number("turn")
            queue = event.fields.get("queue", "?")
            found.append(Turn(event.pid if queue == "own" else 0, queue,
                              at_s, at_s))
        found[-1].end_s = at_s
        found[-1].requests += 1
    return found[-MAX_TURNS:]
