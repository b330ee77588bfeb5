# SPDX-License-Identifier: GPL-2.0
"""What a result depends on: a row is measured again only when that changes."""

import functools
import hashlib
import subprocess
from pathlib import Path

from bench.cells import MODEL

ROOT = Path(__file__).resolve().parents[3]
MODELS = ROOT / "tools/testing/selftests/block/models"
# Raise it when guest.sh, jobs.py, figures.py or the lab's boot and init change
# what is measured. Not a hash of them: most changes there are of words or of
# other modes, and the peers' table takes hours.
HARNESS = 1


def digest(paths, text=""):
    """Of the files' names and contents, in the order of their names."""
    total = hashlib.sha256(text.encode())
    for path in sorted(paths):
        total.update(str(path.relative_to(ROOT)).encode())
        total.update(path.read_bytes())
    return total.hexdigest()[:12]


@functools.cache
def version_of(*command):
    """The first line that a program says about itself."""
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout.splitlines()[0].strip()


def config_text():
    """The lab's configuration without its comments."""
    lines = (ROOT / "configs/lab.config").read_text().splitlines()
    return "\n".join(line for line in lines
                     if line and not line.startswith("#"))


def model_files(devices):
    """What decides how long a command takes. driver.c, configfs.c and store.c
    carry only, and a flash model cannot change a rotating disk."""
    kinds = {MODEL[device] for device in devices if device in MODEL}
    return [path for kind in kinds
            for path in MODELS.glob(f"model_{kind}*.[ch]")]


@functools.cache
def has_preset(device):
    """Whether the module's source knows a device of this name."""
    return device in ("", "null") or any(
        f'"{device}"' in path.read_text(encoding="utf-8")
        for path in MODELS.glob("model_*.c"))


@functools.cache
def common(base):
    """The parts that all rows share. The hunks to the block layer's own files
    are a part of the base; the other hunks are of words and makefiles."""
    hunks = [path for path in (ROOT / "base/hunks").glob("*.patch")
             if "+++ b/block/blk" in path.read_text(encoding="utf-8")]
    return {
        "base": base,
        "hunks": digest(hunks),
        "config": hashlib.sha256(config_text().encode()).hexdigest()[:12],
        "lab": f"{HARNESS}, {version_of('fio', '--version')}, "
               + version_of("qemu-system-x86_64", "--version"),
    }


@functools.cache
def scheduler_hash():
    """Of the sources of fairway."""
    return digest(path for path in (ROOT / "block/fairway").rglob("*.[ch]")
                  if "tests" not in path.parts)


def key(cell, scheduler, base):
    """{part: value}: equal keys, equal conditions."""
    parts = dict(common(base))
    parts["model"] = digest(model_files((cell.device, cell.second)))
    parts["cell"] = cell.hash
    if scheduler == "fairway":
        parts["scheduler"] = scheduler_hash()
    return parts


def differs(old, new):
    """The names of the parts in which two keys differ."""
    return [part for part in dict.fromkeys((*old, *new))
            if old.get(part) != new.get(part)]


def base_version(kernel):
    """6.12.117 of the kernel build that an image lies in."""
    path = kernel.resolve().parents[3] / "include/config/kernel.release"
    return path.read_text().strip().split("-")[0]
