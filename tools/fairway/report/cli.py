# SPDX-License-Identifier: GPL-2.0
"""Draw a device's last minutes under fairway as an SVG.

  report --start sda        record from now on (root; the newest is kept)
  report sda -o sda.svg     draw what was recorded
  report --stop sda         record no more, and forget
  report --trace FILE       draw from a saved trace instead: what tracefs has in
                            "trace", or what "trace-cmd report" prints
"""

import argparse
import os
import sys
from pathlib import Path

from report import events, picture

EVENTS = ("fairway_dispatch", "fairway_done", "fairway_refuse")


class ReportError(Exception):
    """Something the user can put right; the text says what."""


def parse_arguments(argv):
    parser = argparse.ArgumentParser(
        prog="report", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", nargs="?", help="sda or /dev/sda")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--start", action="store_true")
    action.add_argument("--stop", action="store_true")
    action.add_argument("--trace", type=Path, metavar="FILE",
                        help="with several devices in it, DEVICE is MAJOR:MINOR")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE",
                        help="default DEVICE.svg")
    parser.add_argument("--buffer-mb", type=int, default=16, metavar="MB",
                        help="for each CPU, with --start; a request takes about "
                             "200 bytes (16)")
    parser.add_argument("--tracefs", type=Path,
                        default=Path("/sys/kernel/tracing"))
    parser.add_argument("--sys", type=Path, default=Path("/sys"))
    args = parser.parse_args(argv)
    if not args.device and not args.trace:
        parser.error("which device?")
    if args.buffer_mb < 1:
        parser.error("a buffer needs 1 MB or more")
    return args


def disk_of(args):
    """(name, MAJOR, MINOR) of the device."""
    name = args.device.rpartition("/")[2]
    path = args.sys / "block" / name
    if not (path / "dev").exists():
        raise ReportError(f"{args.device}: no such disk")
    major, minor = (path / "dev").read_text().strip().split(":")
    return name, int(major), int(minor)


def put(path, text):
    try:
        path.write_text(text)
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror}") from error


def instance_of(args, name):
    if not (args.tracefs / "events").exists():
        raise ReportError(f"no {args.tracefs}/events: mount -t tracefs tracefs "
                          f"{args.tracefs}, as root")
    return args.tracefs / "instances" / f"fairway-{name}"


def start(args):
    name, major, minor = disk_of(args)
    if not (args.tracefs / "events/fairway").exists():
        if os.geteuid():
            raise ReportError("must be root")
        raise ReportError("this kernel has no fairway, or its module is not loaded")
    if "[fairway]" not in (args.sys / "block" / name / "queue/scheduler").read_text():
        raise ReportError(f"{name} is not under fairway: "
                          f"echo fairway >/sys/block/{name}/queue/scheduler")
    instance = instance_of(args, name)
    instance.mkdir(exist_ok=True)
    put(instance / "buffer_size_kb", str(args.buffer_mb * 1024))
    for event in EVENTS:
        folder = instance / "events/fairway" / event
        # As the kernel keeps a dev_t.
        put(folder / "filter", f"dev == {major << 20 | minor}")
        put(folder / "enable", "1")
    print(f"recording {name}; 'report {name}' draws it")


def stop(args):
    instance = instance_of(args, disk_of(args)[0])
    if not instance.exists():
        raise ReportError(f"{args.device} is not recorded")
    for event in EVENTS:
        put(instance / "events/fairway" / event / "enable", "0")
    instance.rmdir()


def read_recorded(args):
    name, major, minor = disk_of(args)
    trace = instance_of(args, name) / "trace"
    if not trace.exists():
        raise ReportError(f"{name} is not recorded: report --start {name}")
    with open(trace, encoding="utf-8", errors="replace") as lines:
        return name, f"{major},{minor}", *events.parse(lines)


def read_saved(args):
    with open(args.trace, encoding="utf-8", errors="replace") as lines:
        found, names = events.parse(lines)
    if not found:
        raise ReportError(f"{args.trace} has no events of fairway")
    devices = sorted({event.dev for event in found})
    wanted = args.device and args.device.replace(":", ",")
    if not wanted and len(devices) > 1:
        raise ReportError("which device? "
                          + " ".join(devices).replace(",", ":"))
    return args.device or args.trace.stem, wanted or devices[0], found, names


def draw(args):
    name, dev, found, names = (read_saved if args.trace else read_recorded)(args)
    found = [event for event in found if event.dev == dev]
    try:
        text = picture.draw(name, found, names)
    except ValueError as error:
        raise ReportError(error) from error
    output = args.output or Path(f"{name.replace(':', '-')}.svg")
    output.write_text(text, encoding="utf-8")
    print(output)


def main(argv=None):
    args = parse_arguments(argv)
    try:
        (start if args.start else stop if args.stop else draw)(args)
    except (ReportError, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 1
    return 0
