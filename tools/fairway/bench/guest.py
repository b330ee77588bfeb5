# SPDX-License-Identifier: GPL-2.0
"""One run: a guest that boots, measures one cell once, and is read."""

import functools
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from bench import jobs
from run import guests
from run.fio import BadResult

HERE = Path(__file__).resolve().parent
GUEST_DIR = "/fairway-bench"
# Read once: a bench of hours shall not change under somebody's editor.
SCRIPTS = {name: (HERE / name).read_text(encoding="utf-8")
           for name in ("guest.sh", "programs.sh")}


# Programs that only some cells need, and what they read: not in every guest.
EXTRAS = {"dbench": ("/usr/bin/dbench", {
    "/usr/share/dbench/client.txt": "/client.txt"})}


class RunFailed(Exception):
    """A run without a result; the text says why."""


@functools.cache
def additions(program):
    """The runner's options that bring a program and its libraries along."""
    binary, files = EXTRAS[program]
    if not Path(binary).exists():
        raise RunFailed(f"{binary} is missing (see tools/fairway/setup)")
    libraries = subprocess.run(["ldd", binary], capture_output=True,
                               text=True, check=True).stdout
    paths = {binary: binary} | files | {
        path: path for path in re.findall(r"=> (/\S+)", libraries)}
    return [word for host, inside in paths.items()
            for word in ("--add", f"{host}:{inside}")]


def write_input(folder, cell, scheduler, seed, place):
    """The script and what it works on."""
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
    (folder / "plan").write_text(jobs.plan(cell, scheduler, seed, place))
    (folder / "jobs.fio").write_text(jobs.fio_jobs(cell, seed, place))


async def run(cell, scheduler, seed, options, read):
    """Boots a guest for one run and returns read(folder) of what it left."""
    with tempfile.TemporaryDirectory(prefix="fairway-bench-") as scratch:
        source, result = Path(scratch, "in"), Path(scratch, "out")
        source.mkdir()
        result.mkdir()
        write_input(source, cell, scheduler, seed, jobs.guest_place(cell))
        if cell.is_model:
            shutil.copy(options.module, source)
        extra = [word for load in cell.loads
                 if load.program and load.program[0] in EXTRAS
                 for word in additions(load.program[0])]
        status, last = await guests.run_boot(
            ["--kernel", str(options.kernel), "--mode", "virtual",
             "--mem", str(cell.mem_mb), *extra,
             "--add", f"{source}:{GUEST_DIR}", "--out", str(result),
             "--timeout", f"{options.timeout_s:.0f}", "--",
             "/bin/bash", f"{GUEST_DIR}/guest.sh", GUEST_DIR, "/out"],
            options.boot, lambda line: None)
        try:
            return understand(result, status,
                              f"guest failed ({status}): {last}", read)
        except (RunFailed, BadResult):
            keep(result, options.failed / f"{cell.name}.{scheduler}.{seed}")
            raise


def understand(result, status, otherwise, read):
    """read(result), unless the script has failed or has left nonsense."""
    reason = result / "reason"
    if status and reason.exists():
        raise RunFailed(reason.read_text(errors="replace").strip())
    if status:
        raise RunFailed(otherwise)
    try:
        return read(result)
    except (OSError, ValueError, KeyError) as err:
        raise BadResult(f"damaged or missing in the result: {err!r}") from err


def keep(result, target):
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(result, target, ignore=shutil.ignore_patterns("logs"))
