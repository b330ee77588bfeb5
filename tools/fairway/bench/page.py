# SPDX-License-Identifier: GPL-2.0
"""out/bench-SUITE.html: one file to look at, without a network."""

import statistics
from html import escape

from bench import limits, table
from bench.cells import SCHEDULERS
from bench.figures import BINS_PER_DECADE, SERIES_S
from draw.svg import Axis, Chart
from run.report import number

# Okabe and Ito's colours, which most colour-blind people tell apart; lighter
# where the ground is dark.
LIGHT = dict(zip(SCHEDULERS, ("#777777", "#0072b2", "#b07800", "#cc4b9b",
                              "#d55e00", "#007a56")))
DARK = dict(zip(SCHEDULERS, ("#a8a8a8", "#6bbdf2", "#f0b93a", "#f08fcb",
                             "#ff8d45", "#2fd6a3")))
# Above so many processes their lines are a carpet: quartiles instead.
MAX_LINES = 12
LEAST_SHARE = 1e-4

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1c1c1c; --soft: #666;
  --grid: #e4e4e4; %(light)s }
@media (prefers-color-scheme: dark) { :root { --ground: #16181b;
  --ink: #e8e8e8; --soft: #a0a0a0; --grid: #33373c; %(dark)s } }
body { background: var(--ground); color: var(--ink); margin: 2rem auto;
  max-width: 1220px; padding: 0 1rem;
  font: 15px/1.45 system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin: 3rem 0 .3rem }
p { max-width: 75ch } a { color: inherit }
figure { margin: .6rem 0; display: inline-block; vertical-align: top;
  width: min(100%%, 585px) }
figure.small { width: min(100%%, 385px) } figure.wide { width: 100%% }
figcaption { color: var(--soft); font-size: .85rem; padding-left: 3.6rem }
svg { width: 100%%; height: auto }
svg text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft) }
svg text.name { font-weight: 600; paint-order: stroke;
  stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round }
.grid { stroke: var(--grid); stroke-width: 1 }
.line { fill: none; stroke-width: 1.7 } .line.thin { stroke-width: .9 }
.line.fairway { stroke-width: 2.8 } .line.limit { stroke: var(--ink);
  stroke-dasharray: 6 4; stroke-width: 1.4 }
.range { fill: none; stroke-width: 1.5; opacity: .7 }
.area { opacity: .22; stroke: none } .dot { stroke: var(--ground) }
svg text.limit { fill: var(--ink) }
table { border-collapse: collapse; font-size: .85rem; margin: .5rem 0;
  font-variant-numeric: tabular-nums }
td, th { padding: .15rem .6rem; text-align: right; font-weight: normal;
  white-space: nowrap }
th { color: var(--soft); border-bottom: 1px solid var(--grid) }
td:first-child, th:first-child, td:nth-child(2) { text-align: left }
div.scroll { overflow-x: auto }
"""


def class_of(scheduler):
    return scheduler.replace("-", "_")


def style():
    def variables(colours):
        return " ".join(f"--{class_of(name)}: {colour};"
                        for name, colour in colours.items())

    rules = STYLE % {"light": variables(LIGHT), "dark": variables(DARK)}
    for name in map(class_of, SCHEDULERS):
        rules += (f".line.{name}, .range.{name} {{ stroke: var(--{name}) }}\n"
                  f".dot.{name}, .area.{name}, svg text.{name}, td.{name} "
                  f"{{ fill: var(--{name}); color: var(--{name}) }}\n")
    return rules


def first_load(entry):
    """The load that a cell is about: its first."""
    return next(iter(entry["measured"]))


def middle(entry, metric, load=None):
    values = entry["measured"][load or first_load(entry)].get(metric)
    return None if not values else statistics.median(values)


def ranges(entry, metric):
    values = entry["measured"][first_load(entry)][metric]
    return min(values), max(values)


def slower(histogram):
    """[(latency in ms, share of the I/Os that took longer)] of one load."""
    bins = sorted((int(at), count) for at, count in histogram.items())
    total = sum(count for _, count in bins)
    points, left = [], total
    for at, count in bins:
        points.append((10 ** (at / BINS_PER_DECADE) / 1e6, left / total))
        left -= count
    points.append((10 ** ((bins[-1][0] + 1) / BINS_PER_DECADE) / 1e6,
                   LEAST_SHARE))
    return points


def latency_chart(entries):
    load = first_load(entries[0])
    curves = [(entry["scheduler"], slower(entry["histogram"][load]))
              for entry in entries if entry["histogram"].get(load)]
    if not curves:
        return ""
    every = [ms for _, points in curves for ms, _ in points]
    chart = Chart(f"How long an I/O of '{load}' took: the line at 0.01 is "
                  "passed where the slowest 1 % begin",
                  Axis("latency, ms", min(every), max(every), True),
                  Axis("share of I/Os that took longer", LEAST_SHARE, 1, True))
    for at, (scheduler, points) in enumerate(curves):
        chart.line(points, class_of(scheduler))
        # Each name at a height of its own, where its curve comes by.
        height = LEAST_SHARE * 2.5 * 10 ** (at * 0.4)
        left = next((ms for ms, share in points if share <= height),
                    points[-1][0])
        chart.label(left, height, scheduler, class_of(scheduler))
    return chart.text()


def limit_curve(cell, entry, most_s):
    """[(longest wait in s, MB/s)] of the stream limit for one row."""
    full = statistics.median(entry["limits"]["streaming_mb_s"])
    switch_s = statistics.median(entry["device"]["switch_ms"]) / 1e3
    streams = sum(load.count for load in cell.loads)
    points, longest_s = [], (streams - 1) * switch_s
    while longest_s < most_s:
        points.append((longest_s, limits.stream_rate(
            streams, switch_s, longest_s, full)))
        longest_s = longest_s * 1.05 + 1e-4
    return points


def victim_chart(entries):
    """What the first load sees against what the others get."""
    load = first_load(entries[0])
    entries = [entry for entry in entries if middle(entry, "lat_p99_ms")]
    points = entries[0].get("front", []) if entries else []
    places = [(middle(entry, "lat_p99_ms"), table.others_rate(entry),
               entry["scheduler"]) for entry in entries]
    if not places:
        return ""
    every = places + [(latency, rate, "") for rate, latency in points]
    chart = Chart(f"What '{load}' waits against what the others get; upper "
                  "left is better",
                  Axis(f"P99 of '{load}', ms", min(p[0] for p in every),
                       max(p[0] for p in every), True),
                  Axis("MB/s of the others", 0,
                       1.08 * max(p[1] for p in every)))
    if points:
        chart.line([(latency, rate) for rate, latency in points], "limit")
        chart.label(points[-1][1], points[-1][0], "fixed window", "limit")
    for latency, rate, scheduler in places:
        chart.point(latency, rate, class_of(scheduler), f"{scheduler}: "
                    f"{number(rate)} MB/s, {number(latency)} ms")
        chart.label(latency, rate, scheduler, class_of(scheduler))
    return chart.text()


def trade_chart(cell, entries):
    """Throughput against the longest wait."""
    if cell.limit.startswith("front:"):
        return victim_chart(entries)
    entries = [entry for entry in entries
               if middle(entry, "lat_max_ms") and middle(entry, "rate_mb_s")]
    if not entries:
        return ""
    waits = [value / 1e3 for entry in entries
             for value in ranges(entry, "lat_max_ms")]
    rates = [ranges(entry, "rate_mb_s")[1] for entry in entries]
    curve = []
    if cell.limit == "stream" and entries[-1]["limits"]:
        curve = limit_curve(cell, entries[-1], max(waits) * 1.5)
    point = None
    if cell.limit in ("sweep", "service") and entries[-1]["limits"]:
        point = (statistics.median(entries[-1]["limits"]["lat_max_ms"]) / 1e3,
                 statistics.median(entries[-1]["limits"]["rate_mb_s"]))
    chart = Chart("Throughput against the longest wait; upper left is better",
                  Axis("longest wait, s", min(waits + ([point[0]] if point
                                                       else [])),
                       max(waits), True),
                  Axis(f"MB/s of '{first_load(entries[0])}'", 0, 1.08 * max(
                      rates + [rate for _, rate in curve]
                      + ([point[1]] if point else []))))
    if curve:
        chart.line(curve, "limit")
        chart.label(*curve[len(curve) * 2 // 3], "limit", "limit")
    if point:
        chart.line([(chart.across.least, point[1]), point,
                    (point[0], 0)], "limit")
        chart.label(*point, "limit", "limit")
    for entry in entries:
        name = class_of(entry["scheduler"])
        wait_s = middle(entry, "lat_max_ms") / 1e3
        rate = middle(entry, "rate_mb_s")
        chart.bar([ms / 1e3 for ms in ranges(entry, "lat_max_ms")],
                  ranges(entry, "rate_mb_s"), name)
        chart.point(wait_s, rate, name, f"{entry['scheduler']}: "
                    f"{number(rate)} MB/s, {number(wait_s)} s")
        chart.label(wait_s, rate, entry["scheduler"], name)
    return chart.text()


def quartiles(lines):
    """[(least, quarter, median, three quarters, most)] at each time."""
    out = []
    for values in zip(*lines):
        values = sorted(values)
        out.append([values[round(part * (len(values) - 1))]
                    for part in (0, 0.25, 0.5, 0.75, 1)])
    return out


def smooth(line, seconds=3):
    """Means of so many seconds: single seconds of few I/Os are all noise."""
    out = []
    for at in range(len(line)):
        part = line[max(0, at - seconds + 1):at + 1]
        out.append(sum(part) / len(part))
    return out


def series_chart(cell, scheduler, run, most):
    """The bandwidth of each process over time, of one run."""
    name = class_of(scheduler)
    load, lines = next(iter(run["series"].items()))
    lines = [smooth(line) for line in lines]
    chart = Chart(f"{scheduler}: MB/s of each '{load}'"
                  + (" (range, quartiles, median)"
                     if len(lines) > MAX_LINES else ""),
                  Axis("s since the start", 0, cell.warm_s + cell.seconds),
                  Axis("MB/s, means of 3 s", 0, most),
                  width=400, height=210, right=20)
    times = [(at + 0.5) * SERIES_S for at in range(len(lines[0]))]
    if len(lines) > MAX_LINES:
        parts = quartiles(lines)
        for low, high in ((0, 4), (1, 3)):
            chart.area([(t, row[low]) for t, row in zip(times, parts)],
                       [(t, row[high]) for t, row in zip(times, parts)], name)
        chart.line([(t, row[2]) for t, row in zip(times, parts)], name)
    else:
        for line in lines:
            chart.line(list(zip(times, line)), f"thin {name}")
    if cell.warm_s:
        chart.line([(cell.warm_s, 0), (cell.warm_s, most)], "limit")
    return chart.text().replace("<figure>", '<figure class="small">')


def series_charts(cell, runs):
    """runs: {scheduler: run}, one seed each; one scale for all."""
    tops = []
    for run in runs.values():
        lines = [smooth(line) for line in next(iter(run["series"].values()))]
        tops.append(max(map(max, lines)) if len(lines) <= MAX_LINES else
                    max(row[3] for row in quartiles(lines)) * 1.5)
    if not tops or not max(tops):
        return ""
    return "".join(series_chart(cell, scheduler, run, max(tops))
                   for scheduler, run in runs.items())


def overview(cells, found, metric, name):
    """One line for each cell, a dot for each scheduler: the longest wait."""
    lines = [(cell, [(entry["scheduler"], middle(entry, metric))
                     for entry, _ in found[cell.name]
                     if middle(entry, metric)]) for cell in cells]
    lines = [(cell, dots) for cell, dots in lines if dots]
    if not lines:
        return ""
    values = [value for _, dots in lines for _, value in dots]
    axis = Axis(name, min(values), max(values), True)
    left, right, step, width = 215, 20, 19, 1180
    height = step * len(lines) + 64

    def place(value):
        return left + axis.part(value) * (width - left - right)

    parts = []
    for value, text in axis.ticks():
        parts.append(f'<line class="grid" x1="{place(value):.1f}" '
                     f'x2="{place(value):.1f}" y1="24" y2="{height - 40}"/>'
                     f'<text class="tick" text-anchor="middle" '
                     f'y="{height - 24}" x="{place(value):.1f}">{text}</text>')
    for at, scheduler in enumerate(SCHEDULERS):
        parts.append(f'<text class="name {class_of(scheduler)}" y="14" '
                     f'x="{left + at * 110}">\u25cf {scheduler}</text>')
    for at, (cell, dots) in enumerate(lines):
        y = 36 + at * step
        parts.append(f'<a href="#{cell.name}"><text x="0" y="{y + 4}">'
                     f'{cell.name}</text></a><line class="grid" x1="{left}" '
                     f'x2="{width - right}" y1="{y}" y2="{y}"/>')
        parts += [f'<circle class="dot {class_of(scheduler)}" cy="{y}" r="'
                  f'{6.5 if scheduler == "fairway" else 5}" '
                  f'cx="{place(value):.1f}"><title>{scheduler}: '
                  f'{number(value)}</title></circle>'
                  for scheduler, value in dots]
    parts.append(f'<text class="axis" text-anchor="middle" y="{height - 6}" '
                 f'x="{(left + width) / 2:.0f}">{escape(name)}</text>')
    return (f'<figure class="wide"><svg viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="{escape(name)}">{"".join(parts)}</svg>'
            '</figure>')


def table_text(cell, found):
    lines = [table.HEAD]
    for entry, older in found:
        lines += [table.line(cell, entry, load, older)
                  for load in entry["measured"]]
    used = [at for at in range(len(lines[0]))
            if any(line[at] for line in lines[1:])]
    out = ["<div class=scroll><table><tr>" + "".join(
        f"<th>{escape(lines[0][at])}</th>" for at in used) + "</tr>"]
    name = ""
    for line in lines[1:]:
        name = line[0] or name
        out.append("<tr>" + "".join(
            f'<td class="{class_of(name) if at == 0 else ""}">'
            f"{escape(line[at])}</td>" for at in used) + "</tr>")
    limit = table.describe_limit(cell, found)
    return "".join(out) + "</table></div>" + (
        f"<p>Limit: {escape(limit)}.</p>" if limit else "")


def section(cell, found, runs):
    entries = [entry for entry, _ in found]
    return (f'<h2 id="{cell.name}">{escape(cell.about)}</h2>'
            f"<p><code>{cell.name}</code></p>"
            + trade_chart(cell, entries) + latency_chart(entries)
            + series_charts(cell, runs) + table_text(cell, found))


def page(suite, base, cells, found, runs_of):
    """The whole page. found: {cell name: [(entry, old parts of its key)]};
    runs_of(cell): {scheduler: run} for the pictures over time."""
    cells = [cell for cell in cells if found[cell.name]]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>Fairway's bench: {suite}</title><style>{style()}</style>"
        f"<h1>Fairway's bench: {suite}</h1>"
        f"<p>Linux {escape(base)} in virtual time, on modelled disks. "
        f"{escape(table.NOTE)}</p>"
        "<h2>The longest wait in each cell</h2>"
        + overview(cells, found, "lat_max_ms",
                   "longest wait of the cell's first load, ms")
        + "".join(section(cell, found[cell.name], runs_of(cell))
                  for cell in cells) + "</html>\n")
