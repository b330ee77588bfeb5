# SPDX-License-Identifier: GPL-2.0
"""The report as one SVG that needs nothing else."""

import math

from draw.svg import Axis, Chart, document
from report import figures

WIDTH = 960
MAX_LINES = 10
MAX_ROWS = 40
ROW_PX = 18

# Okabe and Ito's colours, which most colour-blind people tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07800", "#56b4e9",
           "#7a5195", "#4d4d4d", "#8c564b", "#bcbd22")
STYLE = """
text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: #555 }
text.heading { font-size: 17px; font-weight: 600; fill: #111 }
text.title { font-size: 14px; fill: #111 }
text.name { font-weight: 600; paint-order: stroke; stroke: #fff;
  stroke-width: 4px; stroke-linejoin: round }
.ground { fill: #fff } .grid { stroke: #e4e4e4; stroke-width: 1 }
.line { fill: none; stroke-width: 1.7 } .line.many { stroke: #111 }
.box.many, text.many { fill: #111 }
""" + "".join(f".line.c{at} {{ stroke: {colour} }} "
              f".box.c{at}, text.c{at} {{ fill: {colour} }}\n"
              for at, colour in enumerate(COLOURS))


def colour_of(key, palette):
    """A process has one colour in all charts, the next that is left; what is many's
    is black."""
    if isinstance(key, str):
        return "many"
    return f"c{palette.setdefault(key, len(palette)) % len(COLOURS)}"


def label_of(pid, names):
    if not pid:
        return "kernel"
    return f"{names[pid]} {pid}" if pid in names else str(pid)


def seconds(span):
    return Axis("s", 0, span.end_s - span.start_s)


def service_chart(events, span, names, palette):
    rates = figures.service(events, span)
    if not rates:
        return None
    pids, others = figures.busiest(rates, MAX_LINES)
    series = [(pid, label_of(pid, names), rates[pid]) for pid in pids]
    if others:
        series.append(("others", f"{len(rates) - len(pids)} others", others))
    most = max(max(values) for _, _, values in series) * 1.05
    chart = Chart("Service: what each process had", seconds(span),
                  Axis("MB/s", 0, most), WIDTH, 280, 150)
    for at, (key, name, values) in enumerate(series):
        colour = colour_of(key, palette)
        chart.line([(span.middle_s(index), value)
                    for index, value in enumerate(values)], colour)
        # A list from the top: at the ends of the lines they would be a heap.
        chart.label(span.end_s - span.start_s, most * (1 - 0.065 * at), name,
                    colour)
    return chart


def waits_chart(events, span):
    waits = figures.waits(events, span)
    every = [ms for one in waits.values() for ms in one.values() if ms > 0]
    if not every:
        return None
    chart = Chart("Waits: the longest that ended in each moment, in the order by "
                  "class, and in line for a request", seconds(span),
                  Axis("ms", max(min(every), 0.001), max(every), True),
                  WIDTH, 240, 150)
    for at, (name, longest) in enumerate(sorted(waits.items())):
        points = [(span.middle_s(index), ms)
                  for index, ms in sorted(longest.items())]
        colour = f"c{at}"
        chart.line(points, colour)
        chart.label(span.end_s - span.start_s, points[-1][1], name, colour)
    return chart


def round_down(value, length):
    """To a number that an axis of that length can begin with."""
    step = 10 ** math.floor(math.log10(max(length, 1e-3)))
    return math.floor(value / step) * step


def turns_chart(events, span, names, palette):
    turns = figures.turns(events, span)
    if not turns:
        return None
    rows = list(dict.fromkeys((turn.pid, turn.queue) for turn in turns))
    left_out = len(rows) - MAX_ROWS
    rows = rows[:MAX_ROWS]
    title = "Turns: who had the disk"
    if left_out > 0:
        title += f" ({left_out} more are not shown)"
    last_s = max(turn.end_s for turn in turns)
    first_s = round_down(turns[0].start_s, last_s - turns[0].start_s)
    chart = Chart(title, Axis("s", first_s, last_s),
                  Axis("pid", -0.5, len(rows) - 0.5, names=tuple(
                      str(pid or queue) for pid, queue in rows)),
                  WIDTH, 70 + ROW_PX * len(rows), 150)
    for at, (pid, queue) in enumerate(rows):
        chart.label(last_s, at, label_of(pid, names) if pid else queue,
                    colour_of(pid or queue, palette))
    for turn in turns:
        key = (turn.pid, turn.queue)
        if key in rows:
            chart.box(turn.start_s, turn.end_s, rows.index(key),
                      colour_of(turn.pid or turn.queue, palette),
                      f"{turn.start_s:.3f} s: {turn.requests} requests, "
                      f"{(turn.end_s - turn.start_s) * 1e3:.1f} ms")
    return chart


def draw(name, events, names):
    """The SVG's text; ValueError if there is nothing to draw."""
    if not events:
        raise ValueError(f"the trace has no events of {name}")
    span, palette = figures.span_of(events), {}
    charts = [chart for chart in (
        service_chart(events, span, names, palette),
        waits_chart(events, span),
        turns_chart(events, span, names, palette)) if chart]
    if not charts:
        raise ValueError(f"nothing of {name} was dispatched or done")
    done = sum(event.what == "done" for event in events)
    return document(f"{name}: {span.end_s - span.start_s:.1f} s, {done} requests",
                    charts, STYLE)
