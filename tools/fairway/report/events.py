# SPDX-License-Identifier: GPL-2.0
"""The lines of a trace as events: of tracefs, or of "trace-cmd report"."""

import re
from dataclasses import dataclass

# TASK-PID [CPU] FLAGS TIME: EVENT: MAJOR,MINOR REST; some print no flags.
LINE = re.compile(r"^\s*(?P<task>.+)-(?P<task_pid>\d+)\s+(?:\(.{7}\)\s+)?"
                  r"\[\d+\]\s+(?:\S+\s+)?(?P<time>\d+\.\d+):\s+"
                  r"fairway_(?P<what>\w+):\s+(?P<dev>\d+,\d+)\s+(?P<rest>.*)$")
FIELD = re.compile(r"(\w+)=(\S+)")


@dataclass(frozen=True)
class Event:
    """what: dispatch, done, refuse or adjust; fields as texts by name."""
    what: str
    time_s: float
    dev: str
    fields: dict

    def number(self, name):
        return int(self.fields.get(name, 0))

    @property
    def pid(self):
        return self.number("pid")


def parse(lines):
    """([Event], {pid: name of its task}) of lines; other lines are left out."""
    events, names = [], {}
    for line in lines:
        match = LINE.match(line)
        if not match:
            continue
        rest = match["rest"]
        event = Event(match["what"], float(match["time"]), match["dev"],
                      dict(FIELD.findall(rest)))
        events.append(event)
        # Dispatched by others it tells nothing of its own name.
        if event.pid == int(match["task_pid"]) and event.pid:
            names[event.pid] = match["task"].strip()
    return events, names
