# SPDX-License-Identifier: GPL-2.0
"""Holds what is said of the knobs in four places against each other.

The code has the last word: core/param.c for range and default, sysfs.c for which
of them there are. The user's page and the ABI file have to say the same.
"""

import re
import sys
from pathlib import Path

CODE = Path("block/fairway/core/param.c")
SYSFS = Path("block/fairway/sysfs.c")
PAGE = Path("Documentation/block/fairway-iosched.rst")
ABI = Path("Documentation/ABI/testing/sysfs-block-fairway")

DEFINE = re.compile(r"^#define\s+(\w+)\s+(.+)$", re.M)
ENTRY = re.compile(r'\[FWY_\w+\]\s*=\s*\{\s*"(\w+)",([^{}]*)\}')
ATTRIBUTE = re.compile(r"^\s*FAIRWAY_ATTR\((\w+)\)", re.M)
# name, unit, range and default; the text goes on in lines that begin with blanks.
ROW = re.compile(r"^(\w+)\s+([\w ]+?)\s+(\d+)\.\.(\d+)\s+(\d+)\s")
UNITS = {"ms": "milliseconds", "us": "microseconds", "pct": "percent",
         "sectors": "512 bytes", "requests": "requests"}


def evaluate(text, defines):
    """The value of a C constant expression of numbers, names and products."""
    value = 1
    for factor in text.strip().strip("()").split("*"):
        factor = factor.strip()
        value *= (evaluate(defines[factor], defines) if factor in defines
                  else int(factor))
    return value


def in_code(text):
    """{name: (least, most, default)} of core/param.c."""
    defines = dict(DEFINE.findall(text))
    return {name: tuple(evaluate(value, defines) for value in values.split(","))
            for name, values in ENTRY.findall(text)}


def in_page(text):
    """The same of the table in the user's page, and complaints about units."""
    found, complaints = {}, []
    for line in text.splitlines():
        row = ROW.match(line)
        if not row:
            continue
        name, unit = row[1], row[2]
        found[name] = tuple(map(int, row.groups()[2:]))
        if unit != UNITS.get(name.rsplit("_", 1)[-1]):
            complaints.append(f"{PAGE}: {name} is in {unit}, says the table, "
                              "but not its name")
    return found, complaints


def in_abi(text):
    """The same of the ABI file."""
    found = {}
    for part in text.split("What:")[1:]:
        name = part.split()[0].rsplit("/", 1)[-1]
        words = " ".join(part.split())
        limits = re.search(r"Range (\d+)\.\.(\d+), default (\d+)\.", words)
        found[name] = tuple(map(int, limits.groups())) if limits else None
    return found


def differences(where, code, found):
    for name in sorted(code.keys() | found.keys()):
        if name not in code:
            yield f"{where}: {name} is no knob in {CODE}"
        elif name not in found:
            yield f"{where}: nothing of the knob {name}"
        elif found[name] != code[name]:
            said = found[name] and "{}..{}, default {}".format(*found[name])
            yield "{}: {} is {}..{}, default {} in {}, but here {}".format(
                where, name, *code[name], CODE, said or "without range")


def complaints(root):
    """What does not agree, as lines."""
    text = {path: (root / path).read_text(encoding="utf-8")
            for path in (CODE, SYSFS, PAGE, ABI)}
    code = in_code(text[CODE])
    if not code:
        return [f"{CODE}: no table of knobs was found"]
    page, found = in_page(text[PAGE])
    attributes = {name: code.get(name) for name in ATTRIBUTE.findall(text[SYSFS])}
    found += differences(SYSFS, code, attributes)
    found += differences(PAGE, code, page)
    found += differences(ABI, code, in_abi(text[ABI]))
    return found


if __name__ == "__main__":
    print("".join(f"{line}\n" for line in complaints(Path(sys.argv[1]))), end="")
