# SPDX-License-Identifier: GPL-2.0
"""Rows for a terminal, one block of lines for each cell."""

import statistics

from run.report import number

HEAD = ("scheduler", "load", "B/request", "B/process", "took s", "x idle",
        "instr/IO", "- none", "MB/s",
        "x limit", "least", "most", "spread", "Jain", "mean ms", "p99 ms",
        "x front", "p99.9", "max ms", ">2s %", ">10s %", "gap ms", "CPU",
        "seeds", "from")
NOTE = """\
x limit: MB/s / what the physics of the cell's limit allow (for streams: at
this row's own longest wait). least, most: bytes of the least and the most
served job / mean; spread: (most - least) / mean; gap: longest time in which no
I/O of the load ended; x front: p99 / the fixed-window front's at the same rate
of the others (+: more than its largest); - none: instructions beyond none's;
B/request: bytes of one request more in the pool; B/process: of one process
more, beyond none's. Medians over the seeds; in (): the worst of them."""


def median(entry, load, metric):
    values = entry["measured"][load].get(metric)
    return None if not values else statistics.median(values)


def text(entry, load, metric, worst=None):
    value = median(entry, load, metric)
    if value is None:
        return ""
    values = entry["measured"][load][metric]
    shown = number(value)
    if worst and len(values) > 1 and number(worst(values)) != shown:
        shown += f" ({number(worst(values))})"
    return shown


def nonzero(entry, load, metric):
    value = median(entry, load, metric)
    return number(value) if value else ""


def of_limit(cell, entry):
    """The whole cell's rate against its limit."""
    limit = entry["limits"].get("rate_mb_s")
    if not limit:
        return ""
    rates = [sum(values) for values in zip(*(
        figures["rate_mb_s"] for figures in entry["measured"].values()))]
    parts = [rate / most for rate, most in zip(rates, limit) if most]
    return f"{statistics.median(parts):.2f}" if parts else "-"


def of_idle(entry, load):
    """How long a load took as a multiple of its time alone."""
    took = median(entry, load, "elapsed_s")
    idle = entry["limits"].get("idle_s")
    if took is None or not idle:
        return ""
    return f"{took / statistics.median(idle):.2f}"


def of_front(entry):
    """The victim's P99 as a multiple of the fixed-window front's at the rate
    that the others have here; beyond the front's largest rate: +."""
    front = entry["limits"].get("front_ms")
    if not front:
        return "+" if front == [] else ""
    victim = median(entry, next(iter(entry["measured"])), "lat_p99_ms")
    return f"{victim / front[0]:.2f}"


def others_rate(entry):
    """MB/s of all loads but the first, or of the first if it is alone."""
    loads = list(entry["measured"])
    return sum(median(entry, load, "rate_mb_s")
               for load in loads[1:] or loads)


def instructions(cell, entry):
    """Of one I/O, all that the guest did, and how many more than none's."""
    values = entry["device"].get("instr_per_io")
    if "instr_per_io" not in cell.metrics or not values:
        return "", ""
    mine, none = statistics.median(values), entry["limits"].get("none_instr")
    return f"{mine:.0f}", f"{mine - none[0]:.0f}" if none else ""


def line(cell, entry, load, older):
    busy = statistics.median(entry["device"]["cpu_busy"])
    first = load == next(iter(entry["measured"]))
    return (
        entry["scheduler"] if first else "", load,
        text(entry, load, "request_bytes"),
        text(entry, load, "process_bytes"),
        text(entry, load, "elapsed_s", max), of_idle(entry, load),
        *(instructions(cell, entry) if first else ("", "")),
        text(entry, load, "rate_mb_s"),
        of_limit(cell, entry) if first else "",
        text(entry, load, "share_min", min),
        text(entry, load, "share_max", max),
        "" if median(entry, load, "spread_pct") is None
        else f"{median(entry, load, 'spread_pct'):.1f}%",
        text(entry, load, "jain"), text(entry, load, "lat_mean_ms"),
        text(entry, load, "lat_p99_ms"),
        of_front(entry) if first else "", text(entry, load, "lat_p999_ms"),
        text(entry, load, "lat_max_ms", max),
        nonzero(entry, load, "over_2s_pct"),
        nonzero(entry, load, "over_10s_pct"),
        text(entry, load, "gap_max_ms", max) if first else "",
        f"{busy:.2f}" if first else "",
        str(len(entry["seeds"])) if first else "",
        (f"older: {', '.join(older)}" if older else "") if first else "")


def block(cell, found):
    """One cell's lines. found: [(entry, parts of its key that are old)]."""
    lines = [HEAD]
    for entry, older in found:
        lines += [line(cell, entry, load, older) for load in entry["measured"]]
    used = [at for at in range(len(HEAD)) if any(row[at] for row in lines[1:])]
    width = {at: max(len(row[at]) for row in lines) for at in used}
    out = [f"{cell.name}: {cell.about}"]
    for row in lines:
        out.append("  " + "  ".join(
            row[at].ljust(width[at]) if at < 2 else row[at].rjust(width[at])
            for at in used).rstrip())
    limit = describe_limit(cell, found)
    return "\n".join(out + ([f"  limit: {limit}"] if limit else []))


def describe_limit(cell, found):
    """The limit in words, with the figures that the first entry has."""
    for entry, _ in found:
        limits = {name: statistics.median(values)
                  for name, values in entry["limits"].items() if values}
        if not limits or ":" in cell.limit:
            continue
        if cell.limit == "stream":
            switch_ms = statistics.median(entry["device"]["switch_ms"])
            return (f"{limits['streaming_mb_s']:.1f} MB/s streaming; a switch "
                    f"took {switch_ms:.1f} ms under {entry['scheduler']}")
        if cell.limit == "sweep":
            mean_ms = median(entry, next(iter(entry["measured"])),
                             "lat_mean_ms")
            return (f"a frozen sweep has {limits['rate_mb_s']:.2f} MB/s at a "
                    f"longest wait of {limits['lat_max_ms'] / mean_ms:.2f} x "
                    "mean")
        if cell.limit == "service":
            return (f"{limits['rate_mb_s']:.2f} MB/s, "
                    f"{limits['lat_max_ms']:.0f} ms")
    return ""
