# SPDX-License-Identifier: GPL-2.0
"""A disk of this machine instead of a model: which ones are left alone."""

import asyncio
import errno
import os
import stat
import subprocess
import tempfile
from pathlib import Path

from bench import guest, jobs, keys
from run import guests

# blkid's exit statuses: something was found, and nothing was.
BLKID_FOUND, BLKID_NOTHING = 0, 2


class Refused(Exception):
    """A device that the bench does not touch; the text says why."""


def sys_folder(path, sys_root=Path("/sys")):
    """/sys/dev/block/8:0 of a block device's path."""
    try:
        mode = os.stat(path)
    except OSError as err:
        raise Refused(f"{path}: {err.strerror}") from err
    if not stat.S_ISBLK(mode.st_mode):
        raise Refused(f"{path} is no block device")
    number = f"{os.major(mode.st_rdev)}:{os.minor(mode.st_rdev)}"
    folder = (sys_root / "dev/block" / number).resolve()
    if not folder.is_dir():
        raise Refused(f"{path}: the kernel has no block device {number}")
    if (folder / "partition").exists():
        raise Refused(f"{path} is a partition; the bench takes a whole disk, "
                      "whose scheduler it can set")
    return folder


def parts(folder):
    """The sysfs folders of a disk and its partitions."""
    return [folder] + [part.parent for part in folder.glob("*/partition")]


def uses(folder, mountinfo, swaps):
    """In how many ways a disk is in use, as far as sysfs and /proc say:
    ["sda1 is mounted on /", ...]. The third field of mountinfo is the
    device's number."""
    found = []
    mounts = [line.split() for line in mountinfo.splitlines()]
    swapping = {line.split()[0] for line in swaps.splitlines()[1:] if line}
    for part in parts(folder):
        number = (part / "dev").read_text().strip()
        found += [f"{part.name} is mounted on {fields[4]}"
                  for fields in mounts if fields[2] == number]
        if f"/dev/{part.name}" in swapping:
            found.append(f"{part.name} is swap space")
        holders = part / "holders"
        found += [f"{part.name} is held by {holder.name}" for holder in
                  (sorted(holders.iterdir()) if holders.is_dir() else ())]
    return found


def is_claimed(path):
    """The kernel's own answer: an exclusive open fails on a device that is
    mounted, part of another or opened so by somebody else."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_EXCL))
    except OSError as err:
        if err.errno == errno.EBUSY:
            return True
        raise Refused(f"{path}: {err.strerror}") from err
    return False


def signature(path):
    """What blkid finds in it ("TYPE=ext4 ..."), or "" for nothing."""
    run = subprocess.run(["blkid", "-p", "-o", "export", path],
                         capture_output=True, text=True, check=False)
    if run.returncode == BLKID_NOTHING:
        return ""
    lines = [line for line in run.stdout.splitlines()
             if line.split("=")[0] in ("TYPE", "PTTYPE", "USAGE", "LABEL")]
    return " ".join(lines) or f"blkid is not sure ({run.returncode})"


def check(path, destroy_data, sys_root=Path("/sys"), proc=Path("/proc")):
    """Refused, unless nothing of anybody's can be lost on the device.

    What is in use is never touched; what only carries data is, if the user
    says that it may be destroyed.
    """
    folder = sys_folder(path, sys_root)
    swaps = proc / "swaps"
    used = uses(folder, (proc / "self/mountinfo").read_text(),
                swaps.read_text() if swaps.exists() else "")
    if used:
        raise Refused(f"{path} is in use: {'; '.join(used)}")
    if is_claimed(path):
        raise Refused(f"{path} is in use: somebody has it open for himself")
    if destroy_data:
        return
    partitions = parts(folder)[1:]
    if partitions:
        raise Refused(f"{path} has partitions "
                      f"({', '.join(part.name for part in partitions)}); "
                      "--destroy-data overwrites them")
    found = signature(path)
    if found:
        raise Refused(f"{path} carries data ({found}); --destroy-data "
                      "overwrites it")


def identity(folder):
    """What tells this disk from another one, for its results' key."""
    words = []
    for name in ("device/vendor", "device/model", "device/serial", "size"):
        path = folder / name
        if path.is_file():
            words.append(path.read_text().strip())
    return " ".join(word for word in words if word)


def key(cell, scheduler, folder):
    """{part: value}: as keys.key(), of a machine instead of the lab."""
    parts_ = {"base": os.uname().release, "disk": identity(folder),
              "lab": f"{keys.HARNESS}, {keys.version_of('fio', '--version')}",
              "cell": cell.hash}
    if scheduler == "fairway":
        parts_["scheduler"] = keys.scheduler_hash()
    return parts_


def fits(cell):
    """Cells whose disk can be another one: no files, nothing set on the
    machine itself, and not null_blk."""
    return (cell.is_model and cell.fs == "raw" and not cell.second
            and not any(name.startswith("vm.") for name in cell.settings)
            and not any(load.program for load in cell.loads))


async def run(cell, scheduler, seed, options, read):
    """guest.run() without a guest: the same script, on this machine."""
    # Again each time: hours may pass between two runs.
    check(options.dev, options.destroy_data)
    folder = sys_folder(options.dev)
    sectors = int((folder / "size").read_text())
    with tempfile.TemporaryDirectory(prefix="fairway-bench-") as scratch:
        source, result = Path(scratch, "in"), Path(scratch, "out")
        source.mkdir()
        result.mkdir()
        place = jobs.Place(folder.name, result, sectors * 512)
        guest.write_input(source, cell, scheduler, seed, place)
        process = await asyncio.create_subprocess_exec(
            "/bin/bash", source / "guest.sh", source, result,
            start_new_session=True, stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL)
        try:
            status = await process.wait()
        finally:
            await guests.stop(process)
        return guest.understand(result, status,
                                f"guest.sh ended with {status}", read)
