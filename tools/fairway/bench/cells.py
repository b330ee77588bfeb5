# SPDX-License-Identifier: GPL-2.0
"""cells.tsv: what the bench measures, read strictly."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "cells.tsv"
COLUMNS = ("cell", "suite", "row", "device", "depth", "fs", "files", "mem_mb",
           "warm_s", "seconds", "seeds", "settings", "jobs", "metrics",
           "limit", "about")
SUITES = ("heritage", "modern", "cpu")
PEERS = ("none", "mq-deadline", "kyber", "bfq", "bfq-ll0")
SCHEDULERS = PEERS + ("fairway",)
# "null" is null_blk; the others are presets of the disk-model module.
ROTATIONAL = ("seekdisk", "ide2002", "sata7200")
FLASH = ("sata-ssd", "nvme")
STICK = ("sdcard",)
# The module's name for the model of each preset.
MODEL = {preset: model for model, presets in (
    ("rotational", ROTATIONAL), ("flash", FLASH), ("stick", STICK))
    for preset in presets}
DEVICES = ("null", *MODEL)
FILE_SYSTEMS = ("raw", "ext4", "ext4-nojournal", "xfs")
# "idle:CELL": that cell's time, under the same scheduler; "front:CELLS": the
# front of the cells whose names begin so.
LIMITS = ("-", "stream", "sweep", "service")
PROGRAMS = ("findcat", "writesync", "build", "untar", "list", "sync",
            "switches", "memory", "dbench")
# These need no file system.
RAW = ("switches", "memory")
# These go on until the others are done.
ENDLESS = ("untar", "list")
METRICS = ("rate_mb_s", "ios_s", "share_min", "share_max", "share_ratio",
           "jain", "spread_pct", "lat_mean_ms", "lat_p50_ms", "lat_p99_ms",
           "lat_p999_ms", "lat_max_ms", "over_2s_pct", "over_10s_pct",
           "gap_max_ms", "late_pct", "instr_per_io", "elapsed_s",
           "request_bytes", "process_bytes")

SETTING = (r"vm\.[a-z_]+|nr_requests|request_sectors_max|wbt_lat_usec|queues"
           "|long|fifo")

# Longer cells do not fit into the time that a scheduler's full table may take;
# tiobench's random readers are judged over 130 s.
MAX_SECONDS = 40
MAX_SECONDS_LONG = 150


class BadTable(Exception):
    """cells.tsv is wrong; the text says where."""


@dataclass(frozen=True)
class Load:
    """count equal processes called name0, name1, ...: fio jobs, or where
    program is set that script of guest.sh's with its arguments.

    own: what the bench itself makes of a job, beside fio's options: spread
    (bytes between the starts of the streams), disk (2: the second), stagger
    (ms between the jobs' starts), file (which of the cell's files), period
    (ms, of a load whose late I/Os are counted), once (1: not over the whole
    time, but once after the warm-up; how long it takes counts).
    """
    name: str
    count: int
    options: tuple
    own: dict
    program: tuple = ()

    @property
    def is_once(self):
        return "once" in self.own or (bool(self.program)
                                      and self.program[0] not in ENDLESS)


@dataclass(frozen=True)
class Cell:
    """One line of cells.tsv, in the units of its columns. device is the disk
    that is looked at, second another one beside it, or ""."""
    name: str
    suite: str
    row: str
    device: str
    second: str
    depth: int | None
    service_us: int
    fs: str
    files: int
    file_mb: int
    mem_mb: int
    warm_s: float
    seconds: float
    seeds: int
    settings: dict
    loads: tuple
    metrics: tuple
    limit: str
    about: str
    hash: str

    @property
    def is_model(self):
        return self.device != "null"

    def has_scheduler(self, scheduler):
        """Without a scheduler there is no pool whose size could be set, and
        what is to be first in, first out is measured without one."""
        if "fifo" in self.settings:
            return scheduler == "none"
        return not (scheduler == "none" and "nr_requests" in self.settings)


def number(text, least, most, what):
    if not re.fullmatch(r"\d+", text) or not least <= int(text) <= most:
        raise BadTable(f"'{text}' is no {what} ({least} to {most})")
    return int(text)


def chosen(text, known):
    if text not in known:
        raise BadTable(f"'{text}' is none of: {', '.join(known)}")
    return text


def bytes_of(text):
    match = re.fullmatch(r"(\d+)([kmg]?)", text)
    if not match:
        raise BadTable(f"'{text}' is no size like 64k, 500m, 8g")
    return int(match[1]) << {"": 0, "k": 10, "m": 20, "g": 30}[match[2]]


OWN = {
    "disk": lambda text: number(text, 2, 2, "second disk"),
    "spread": bytes_of,
    "stagger": lambda text: number(text, 1, 10_000, "time in ms"),
    "period": lambda text: number(text, 1, 10_000, "time in ms"),
    "once": lambda text: number(text, 1, 1, "yes"),
    "file": lambda text: text if text == "own"
    else number(text, 0, 9999, "file"),
}


def parse_load(text):
    """"reader*4 rw=read bs=64k @spread=8g": a load."""
    head, *words = text.split()
    match = re.fullmatch(r"([a-z]+)\*(\d+)", head)
    if not match:
        raise BadTable(f"'{head}' is not like reader*4")
    count = number(match[2], 1, 1024, "number of jobs")
    if words and words[0].startswith("!"):
        chosen(words[0][1:], PROGRAMS)
        for word in words[1:]:
            number(word, 1, 100_000, "argument")
        return Load(match[1], count, (), {}, (words[0][1:], *words[1:]))
    options, own = [], {}
    for word in words:
        key, equal, value = word.partition("=")
        if not equal or not value:
            raise BadTable(f"'{word}' is not like key=value")
        if not key.startswith("@"):
            options.append(word)
        elif key[1:] in OWN:
            own[key[1:]] = OWN[key[1:]](value)
        else:
            raise BadTable(f"'{key}' is none of: @" + ", @".join(OWN))
    if not any(option.startswith("rw=") for option in options):
        raise BadTable(f"load '{match[1]}' has no rw=")
    return Load(match[1], count, tuple(options), own)


def parse_loads(text):
    loads = tuple(parse_load(part) for part in text.split("|"))
    names = [load.name for load in loads]
    if len(set(names)) < len(names):
        raise BadTable("two loads of one name")
    return loads


def parse_settings(text):
    """"vm.dirty_bytes=50331648 nr_requests=64": {name: value}."""
    settings = {}
    for word in text.split() if text != "-" else ():
        key, equal, value = word.partition("=")
        if not equal or not re.fullmatch(SETTING, key):
            raise BadTable(f"'{word}': known are vm.NAME=, nr_requests=, "
                           "request_sectors_max=, wbt_lat_usec=, queues=, "
                           "long=1 and fifo=1")
        settings[key] = number(value, 0, 1 << 40, "value")
    return settings


def parse_depth(device, text):
    """"32", "-" (the preset's own), and for null_blk "1x8000us"."""
    if device == "null":
        match = re.fullmatch(r"(\d+)x(\d+)us", text)
        if not match:
            raise BadTable(f"'{text}' is not like 1x8000us (depth x service)")
        return (number(match[1], 1, 1024, "depth"),
                number(match[2], 0, 1_000_000, "service time"))
    return (None if text == "-" else number(text, 1, 1024, "depth")), 0


def parse_devices(text):
    """"nvme" or "nvme+sdcard": a device, and perhaps a second one."""
    first, plus, second = text.partition("+")
    chosen(first, DEVICES)
    if plus and (first == "null" or second not in MODEL):
        raise BadTable(f"'{text}': a second device is a model beside a model")
    return first, second


def parse_files(fs, text):
    """"64x16m": how many, and MiB each; raw disks have none."""
    if fs == "raw":
        if text != "-":
            raise BadTable("a raw disk has no files: -")
        return 0, 0
    match = re.fullmatch(r"(\d+)x(\d+)m", text)
    if not match:
        raise BadTable(f"'{text}' is not like 64x16m")
    return (number(match[1], 0, 9999, "number of files"),
            number(match[2], 0, 4096, "size in MiB"))


def parse_limit(text):
    if text.startswith(("idle:", "front:")):
        return text
    return chosen(text, LIMITS)


def parse_metrics(text):
    return tuple(chosen(name, METRICS) for name in text.split(","))


def check(cell):
    """What only several columns together can show: (column, complaint)."""
    most = MAX_SECONDS_LONG if "long" in cell.settings else MAX_SECONDS
    if cell.seconds > most:
        return "seconds", f"more than {most}"
    for load in cell.loads:
        file = load.own.get("file")
        if "disk" in load.own and (not cell.second or file is not None):
            return "jobs", f"load {load.name}: there is no second disk"
        needed = load.count if file == "own" else (file or 0) + 1
        if file is not None and needed > cell.files:
            return "jobs", f"load {load.name} needs {needed} files"
        if (load.program and load.program[0] not in RAW
                and cell.fs == "raw"):
            return "jobs", "a program needs a file system"
        if (cell.fs != "raw" and file is None and "disk" not in load.own
                and not load.program):
            return "jobs", f"load {load.name} has no @file= on {cell.fs}"
    if cell.limit in ("stream", "sweep") and cell.device not in ROTATIONAL:
        return "limit", f"'{cell.limit}' is for rotating disks"
    if cell.limit == "service" and cell.device != "null":
        return "limit", "'service' is for null_blk"
    return None


# What a column says about the measurement itself; the others can change
# without anything having to be measured again.
MEASURED = ("device", "depth", "fs", "files", "mem_mb", "warm_s", "seconds",
            "settings", "jobs")


def make_cell(field):
    """A Cell of {column: text}; BadTable carries the column as .column."""
    def read(column, parse, *more):
        try:
            return parse(*more, field[column])
        except BadTable as err:
            err.column = column
            raise

    def whole(column, least, most):
        return read(column, lambda text: number(text, least, most, column))

    device, second = read("device", parse_devices)
    fs = read("fs", lambda text: chosen(text, FILE_SYSTEMS))
    depth, service_us = read("depth", parse_depth, device)
    files, file_mb = read("files", parse_files, fs)
    measured = "\t".join(field[column] for column in MEASURED)
    return Cell(
        name=field["cell"], row=field["row"], about=field["about"],
        suite=read("suite", lambda text: chosen(text, SUITES)),
        device=device, second=second, depth=depth, service_us=service_us,
        fs=fs,
        files=files, file_mb=file_mb,
        mem_mb=whole("mem_mb", 256, 16384), warm_s=whole("warm_s", 0, 60),
        seconds=whole("seconds", 1, MAX_SECONDS_LONG),
        seeds=whole("seeds", 1, 9),
        settings=read("settings", parse_settings),
        loads=read("jobs", parse_loads),
        metrics=read("metrics", parse_metrics),
        limit=read("limit", parse_limit),
        hash=hashlib.sha256(measured.encode()).hexdigest()[:12])


def parse(text, path=TABLE):
    """{name: Cell} of a table's text; BadTable names line and column."""
    cells, head = {}, None
    for number_, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = tuple(line.split("\t"))
        if head is None:
            head = fields
            if head != COLUMNS:
                raise BadTable(f"{path}:{number_}: the columns have to be: "
                               + " ".join(COLUMNS))
            continue
        if len(fields) != len(COLUMNS):
            raise BadTable(f"{path}:{number_}: {len(fields)} columns instead "
                           f"of {len(COLUMNS)}")
        cell = parse_line(dict(zip(COLUMNS, fields)), cells,
                          f"{path}:{number_}")
        cells[cell.name] = cell
    check_references(cells, path)
    if not cells:
        raise BadTable(f"{path}: no cells")
    return cells


def front_cells(cells, prefix):
    """The cells prefix-1, prefix-2, ... in the order of their numbers."""
    found = [(int(match[1]), cell) for name, cell in cells.items()
             if (match := re.fullmatch(rf"{re.escape(prefix)}-(\d+)", name))]
    return [cell for _, cell in sorted(found, key=lambda pair: pair[0])]


def check_references(cells, path):
    for cell in cells.values():
        kind, _, name = cell.limit.partition(":")
        if kind == "idle" and (name not in cells or not any(
                load.is_once for load in cells[name].loads)):
            raise BadTable(f"{path}: cell {cell.name}: column limit: "
                           f"'{name}' is no cell with a load that ends")
        if kind == "front" and not front_cells(cells, name):
            raise BadTable(f"{path}: cell {cell.name}: column limit: no cells "
                           f"{name}-1, {name}-2, ...")


def parse_line(field, cells, place):
    for column, value in field.items():
        if not value.strip() or value != value.strip():
            raise BadTable(f"{place}: column {column}: empty, or with blanks "
                           "around it")
    name = field["cell"]
    if not re.fullmatch(r"[a-z0-9-]+", name) or name in cells:
        raise BadTable(f"{place}: column cell: '{name}' is not a-z, 0-9 and "
                       "-, or is there twice")
    try:
        cell = make_cell(field)
    except BadTable as err:
        raise BadTable(f"{place}: column {err.column}: {err}") from None
    trouble = check(cell)
    if trouble:
        raise BadTable(f"{place}: column {trouble[0]}: {trouble[1]}")
    return cell


def load(path=TABLE):
    return parse(Path(path).read_text(encoding="utf-8"), path)
