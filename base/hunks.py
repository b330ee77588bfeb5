# SPDX-License-Identifier: GPL-2.0
"""Hunks: small unified diffs that change files owned by the base kernel.

Line numbers are ignored. The old side of a hunk (context and removed lines)
has to occur in the file exactly once: patch(1) would search around for a place
that more or less fits, and a hunk without context lands wherever its line
number points, silently.
"""

import pathlib

INCLUDE = "#include "


class HunkError(Exception):
    """A hunk is malformed or does not fit; the text names it."""


class Hunk:
    """One hunk: which patch it is from, the file it changes, both sides."""

    def __init__(self, patch, number, path):
        self.patch = patch
        self.number = number
        self.path = path
        self.old = []
        self.new = []
        self.marks = ""

    def __str__(self):
        return f"{self.patch}, hunk {self.number} ({self.path})"


def read_patch(patch_file, include_root):
    """Return the hunks of one patch file.

    An added line "#include NAME" stands for the text of NAME in the
    repository, so that a text kept there is not written twice.
    """
    hunks = []
    path = None
    name = patch_file.name
    lines = patch_file.read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        where = f"{name}:{i + 1}"
        if line.startswith("--- ") and i + 1 < len(lines) and lines[i + 1].startswith("+++ "):
            path = _path_of(where, line, lines[i + 1])
            hunk = None
        elif path is None or line.startswith("+++ ") and lines[i - 1].startswith("--- "):
            continue
        elif line.startswith("diff --git "):
            path = None
        elif line == "-- ":
            break
        elif line.startswith("@@"):
            hunk = Hunk(name, len(hunks) + 1, path)
            hunks.append(hunk)
        elif hunk is None:
            raise HunkError(f"{where}: expected a line that starts with @@")
        else:
            _add_line(where, hunk, line, include_root)
    if not hunks:
        raise HunkError(f"{name}: holds no hunk")
    for hunk in hunks:
        _check(hunk)
    return hunks


def _path_of(where, old_line, new_line):
    old, new = (text[4:].split("\t")[0].strip() for text in (old_line, new_line))
    if not old.startswith("a/") or not new.startswith("b/") or old[2:] != new[2:]:
        raise HunkError(f"{where}: a hunk changes an existing file, --- a/FILE and "
                        f"+++ b/FILE alike; new files belong into the overlay")
    return old[2:]


def _add_line(where, hunk, line, include_root):
    mark, text = line[:1] or " ", line[1:]
    if mark not in " +-":
        raise HunkError(f"{where}: a line of a hunk starts with ' ', '+' or '-': {line}")
    hunk.marks += mark
    if mark != "+":
        hunk.old.append(text)
    if mark == "+" and text.startswith(INCLUDE) and '"' not in text and "<" not in text:
        source = include_root / text[len(INCLUDE):].strip()
        hunk.new += source.read_text(encoding="utf-8").splitlines()
    elif mark != "-":
        hunk.new.append(text)


def _check(hunk):
    if not hunk.marks.strip():
        raise HunkError(f"{hunk}: changes nothing")
    if not hunk.old:
        raise HunkError(f"{hunk}: has no line of context, so it would fit anywhere")
    if hunk.marks.startswith("  ") or hunk.marks.endswith("  "):
        raise HunkError(f"{hunk}: more than one line of context before or after the change; "
                        f"each one can stop it from fitting the next point release")


def _places(lines, wanted):
    """Every index at which the list wanted occurs in the list lines."""
    return [i for i in range(len(lines) - len(wanted) + 1)
            if lines[i:i + len(wanted)] == wanted]


def _first_missing(lines, wanted):
    """The first wanted line at which no place in lines agrees any longer."""
    best = 0
    for start in range(len(lines)):
        count = 0
        while (count < len(wanted) and start + count < len(lines)
               and lines[start + count] == wanted[count]):
            count += 1
        best = max(best, count)
    return wanted[min(best, len(wanted) - 1)]


def apply_hunk(text, hunk):
    """Return text with the hunk applied, or raise HunkError saying what is wrong."""
    lines = text.splitlines()
    if len(hunk.new) > len(hunk.old) and _places(lines, hunk.new):
        raise HunkError(f"{hunk}: the change is in the file already")
    places = _places(lines, hunk.old)
    if not places:
        raise HunkError(f"{hunk}: does not fit, first line not found: "
                        f"{_first_missing(lines, hunk.old)!r}")
    if len(places) > 1:
        numbers = ", ".join(str(place + 1) for place in places)
        raise HunkError(f"{hunk}: fits in {len(places)} places (lines {numbers}), "
                        f"needs a unique line of context instead of {hunk.old[0]!r}")
    lines[places[0]:places[0] + len(hunk.old)] = hunk.new
    return "\n".join(lines) + "\n"


def read_all(hunk_dir, include_root):
    """All hunks of a folder of patches, in the order in which they apply."""
    return [hunk for patch_file in sorted(pathlib.Path(hunk_dir).glob("*.patch"))
            for hunk in read_patch(patch_file, include_root)]


def apply_all(hunks, read_base):
    """Return {path: new text}; read_base(path) is the base's text or None."""
    result = {}
    for hunk in hunks:
        if hunk.path not in result:
            text = read_base(hunk.path)
            if text is None:
                raise HunkError(f"{hunk}: the base kernel has no file {hunk.path}")
            result[hunk.path] = text
        result[hunk.path] = apply_hunk(result[hunk.path], hunk)
    return result
