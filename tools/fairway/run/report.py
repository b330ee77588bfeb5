# SPDX-License-Identifier: GPL-2.0
"""Tables for people: on the terminal and in the README."""

from run.cases import CASES, CPU_BOUND, SCHEDULERS

HEAD = ("case", "scheduler", "least", "most", "ratio", "mean ms", "p99 ms",
        "max ms", "x limit", "MB/s", "x limit", "instr/IO", "- none", "CPU")
NOTE = f"""\
least, most: reads of the least and most served thread / mean; ratio: least /
most (fair is 1). x limit: the figure before it / the physical limit (for
convoy: none's rate). - none: instructions beyond none's. CPU: busy share of
guest CPU; * above {CPU_BOUND:.1f}: CPU-bound, throughput is not the disk's.
In (): the worst of several seeds."""


def by_line(rows):
    """{(case, scheduler, mode): {metric: row}} in the order of the cases."""
    lines = {}
    for row in rows:
        place = (row["case"], row["scheduler"], row["mode"])
        lines.setdefault(place, {})[row["metric"]] = row
    cases, schedulers = list(CASES), list(SCHEDULERS)

    def order(place):
        return (place[2], cases.index(place[0]), schedulers.index(place[1]))

    return {place: lines[place] for place in sorted(lines, key=order)}


def number(value):
    """Three digits, two of small values."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def cell(line, metric, worst=None):
    row = line.get(metric)
    if row is None:
        return ""
    text = number(row["value"])
    if worst and row["n"] > 1:
        text += f" ({number(row[worst])})"
    return text


def of_limit(line, metric):
    row = line.get(metric)
    if row is None or not row["limit"]:
        return ""
    return f"{row['value'] / row['limit']:.2f}"


def beyond_none(line, none):
    if "instr_per_io" not in line or "instr_per_io" not in none:
        return ""
    return f"{line['instr_per_io']['value'] - none['instr_per_io']['value']:.0f}"


def cells(rows):
    """The table as lists of text, HEAD first."""
    lines = by_line(rows)
    table = [HEAD]
    for (case, scheduler, mode), line in lines.items():
        none = lines.get((case, "none", mode), {})
        busy = max(row["cpu_busy"] for row in line.values())
        table.append((
            case, scheduler,
            cell(line, "share_min"), cell(line, "share_max"),
            cell(line, "share_ratio", "min"),
            cell(line, "lat_mean_ms"), cell(line, "lat_p99_ms"),
            cell(line, "lat_max_ms", "max"), of_limit(line, "lat_max_ms"),
            cell(line, "rate_mb_s"), of_limit(line, "rate_mb_s"),
            cell(line, "instr_per_io"), beyond_none(line, none),
            f"{busy:.2f}" + ("*" if busy > CPU_BOUND else "")))
    return table


def plain(rows):
    """For a terminal: columns that hold nothing are left out."""
    table = cells(rows)
    used = [at for at in range(len(HEAD))
            if any(line[at] for line in table[1:])]
    width = {at: max(len(line[at]) for line in table) for at in used}
    out, last = [], None
    for line in table:
        if last not in (None, line[0]):
            out.append("")
        last = line[0]
        out.append("  ".join(
            line[at].ljust(width[at]) if at < 2 else line[at].rjust(width[at])
            for at in used).rstrip())
    return "\n".join(out)


def markdown(rows):
    """For the README."""
    table = cells(rows)
    used = [at for at in range(len(HEAD))
            if any(line[at] for line in table[1:])]
    out = []
    for line in table:
        out.append("| " + " | ".join(line[at] for at in used) + " |")
        if line is HEAD:
            out.append("|" + "".join("---|" if at < 2 else "---:|"
                                     for at in used))
    return "\n".join(out)


def lines_of(text):
    """The (case, scheduler) pairs of a table in Markdown."""
    pairs = [tuple(line.split("|")[1:3]) for line in text.splitlines()
             if line.startswith("| ")]
    return {(case.strip(), scheduler.strip()) for case, scheduler in pairs} - {HEAD[:2]}


def into_readme(text, rows, date, marks=("<!-- run-table -->",
                                         "<!-- /run-table -->")):
    """README text with the measured table between its two marks."""
    begin, end = marks
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"README.md: needs {begin} and {end}, once each")
    head, rest = text.split(begin)
    old, tail = rest.split(end)
    lost = lines_of(old) - {(row["case"], row["scheduler"]) for row in rows}
    if lost:
        names = ", ".join(" ".join(pair) for pair in sorted(lost))
        raise SystemExit(f"README.md: would lose what was not measured again: {names}")
    parts = []
    for mode in sorted({row["mode"] for row in rows}, reverse=True):
        chosen = [row for row in rows if row["mode"] == mode]
        bases = ", ".join(sorted({row["base"] for row in chosen}))
        seeds = max(row["n"] for row in chosen)
        command = "make run" + (f" SEEDS={seeds}" if seeds > 1 else "") + (
            f" MODE={mode}" if mode != "virtual" else "")
        parts.append(f"`{command}`, with CASES= for what a plain run leaves "
                     f"out, {date}, Linux {bases}, {mode} mode:\n\n"
                     f"{markdown(chosen)}\n")
    body = "\n".join(parts) + "\n" + NOTE + "\n"
    return f"{head}{begin}\n{body}{end}{tail}"
