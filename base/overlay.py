# SPDX-License-Identifier: GPL-2.0
"""The prepared tree: base kernel + overlay + hunks.

Files are rewritten only where their contents change, so that the next kernel
build compiles no more than it must. What was laid over the base last time is
remembered in DIR/.fairway-state; files that left the overlay leave the tree.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import hunks

REPO = pathlib.Path(__file__).resolve().parent.parent
OVERLAY = ("block", "include", "Documentation", "tools", "configs")
SERIES = "6.12"
DEFAULT_BASE = pathlib.Path("/usr/src/linux-source-6.12.tar.xz")
UNPACK_BYTES = 2_500_000_000    # the unpacked 6.12 tree takes 1.7 GB of it


class PrepareError(Exception):
    """Something the user can put right; the text says what."""


def git_files(places, *options):
    """What git ls-files lists below some places of the repository, as a set;
    None if the repository is no git checkout but, say, an unpacked tarball."""
    if not (REPO / ".git").exists():
        return None
    listing = subprocess.run(["git", "-c", "safe.directory=*", "-C", REPO, "ls-files", "-z",
                              *options, "--", *places],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
    return set(filter(None, listing.split("\0")))


def overlay_files():
    """Paths of the overlay, relative to the repository.

    git knows what is ours and what is a by-product of a build; files that are
    not added yet count, or every new file would be missed at first.
    """
    names = git_files(OVERLAY, "--cached", "--others", "--exclude-standard")
    if names is None:
        names = {str(path.relative_to(REPO)) for top in OVERLAY
                 for path in (REPO / top).rglob("*")
                 if path.is_file() and "__pycache__" not in path.parts}
    return sorted(name for name in names if os.path.lexists(REPO / name))


def version_of(makefile_text, where):
    """VERSION.PATCHLEVEL.SUBLEVEL of a kernel Makefile, which must be 6.12."""
    numbers = [re.search(rf"^{key} = (\d+)$", makefile_text, re.M)
               for key in ("VERSION", "PATCHLEVEL", "SUBLEVEL")]
    if None in numbers:
        raise PrepareError(f"{where} is not a Linux kernel source")
    version = ".".join(number.group(1) for number in numbers)
    if not version.startswith(SERIES + "."):
        raise PrepareError(f"{where} is Linux {version}, but Fairway needs {SERIES} "
                           f"(any point release); see KSRC in 'make help'")
    return version


def fingerprint(folder):
    """A text that changes when a file below the folder does, .git apart."""
    result = hashlib.sha256()
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(files):
            info = os.lstat(os.path.join(place, name))
            result.update(f"{place}/{name} {info.st_size} {info.st_mtime_ns}\n".encode(
                errors="surrogateescape"))
    return result.hexdigest()


def base_id(ksrc):
    """A text that changes when the base does."""
    if ksrc.is_dir():
        makefile = ksrc / "Makefile"
        if not makefile.is_file():
            raise PrepareError(f"{ksrc} is not a Linux kernel source: it has no Makefile")
        if (ksrc / ".fairway-base").exists():
            raise PrepareError(f"{ksrc} is a prepared tree, not an untouched base")
        return f"{ksrc} {version_of(makefile.read_text(), ksrc)} {fingerprint(ksrc)}"
    if ksrc.is_file():
        stat = ksrc.stat()
        return f"{ksrc} {stat.st_size} {stat.st_mtime_ns}"
    raise PrepareError(f"no base kernel at {ksrc}: run 'make setup' for Debian's "
                       f"linux-source-{SERIES}, or give KSRC=DIRECTORY or KSRC=TARBALL")


def tarball_version(ksrc):
    """Version of the kernel in a tarball; the top folder's name is not fixed."""
    top = subprocess.Popen(["tar", "-tf", ksrc], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)
    first = top.stdout.readline().strip()
    top.kill()
    top.wait()
    top.stdout.close()
    prefix = first.split("/")[0]
    # Without --occurrence tar would read on to the end of the archive.
    makefile = subprocess.run(
        ["tar", "-xOf", ksrc, "--occurrence=1", f"{prefix}/Makefile"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if not first or makefile.returncode:
        raise PrepareError(f"{ksrc} is not a tarball of a Linux kernel source")
    return version_of(makefile.stdout, ksrc)


def refuse_foreign(build):
    """Refuse a build folder that holds what we cannot write, as after a make
    by root: found here it is one line, later it is a traceback or half a build.
    """
    if os.statvfs(build).f_flag & os.ST_RDONLY:
        raise PrepareError(f"{build} is on a read-only file system: build elsewhere with "
                           f"BUILD=")
    for place in (build, *sorted(build.iterdir())):
        if not os.access(place, os.W_OK, effective_ids=True):
            raise PrepareError(f"{place} cannot be written by this user, it belongs to user "
                               f"{place.stat().st_uid}: 'chown -R' {build}, or build "
                               f"elsewhere with BUILD=")


def unpack(ksrc, tree):
    """Put the untouched base at tree, all or nothing; return its version."""
    tree.parent.mkdir(parents=True, exist_ok=True)
    if ksrc.is_dir() and tree.parent.resolve().is_relative_to(ksrc.resolve()):
        raise PrepareError(f"{tree} lies inside the base kernel {ksrc}")
    version = (version_of((ksrc / "Makefile").read_text(), ksrc) if ksrc.is_dir()
               else tarball_version(ksrc))
    new = tree.with_name(tree.name + ".unpacking")
    for old in (new, tree):
        if old.exists():
            shutil.rmtree(old)
    free = shutil.disk_usage(tree.parent).free
    if free < UNPACK_BYTES:
        raise PrepareError(f"no disk space to unpack the kernel: {tree.parent} has "
                           f"{free // 10**6} MB free, {UNPACK_BYTES // 10**6} MB are needed")
    print(f"base: unpacking Linux {version} from {ksrc} (about half a minute)", flush=True)
    new.mkdir()
    # -m: files of another point release have to look new to make.
    into = ["tar", "-xmf", "-", "-C", new]
    if ksrc.is_dir():
        source = subprocess.Popen(["tar", "-cf", "-", "-C", ksrc, "--exclude=./.git", "."],
                                  stdout=subprocess.PIPE)
        done = subprocess.run(into, stdin=source.stdout, check=False)
        source.stdout.close()
        status = source.wait() or done.returncode
    else:
        status = subprocess.run(["tar", "-xmf", ksrc, "-C", new, "--strip-components=1"],
                                check=False).returncode
    if status:
        raise PrepareError(f"unpacking {ksrc} failed (see the message of tar above)")
    if (new / ".config").exists() or (new / "include/config").exists():
        raise PrepareError(f"{ksrc} was built in place, which an O= build does not stand: "
                           f"run 'make mrproper' there first")
    (new / ".fairway-base").write_text(version + "\n")
    new.rename(tree)
    return version


def digest(data):
    """Fingerprint of a file's contents."""
    return hashlib.sha256(data).hexdigest()


class Tree:
    """The prepared tree and what we know about it from last time.

    state["written"] maps each path we wrote to the digest of what we wrote;
    orig/ keeps the base's version of the files that hunks change.
    """

    def __init__(self, tree):
        self.tree = tree
        self.dir = tree / ".fairway-state"
        self.file = self.dir / "state.json"
        self.orig = self.dir / "orig"
        self.state = json.loads(self.file.read_text()) if self.file.exists() else {}

    def use_base(self, ksrc):
        """Unpack the base if it is not, or not this one."""
        wanted = base_id(ksrc)
        if self.state.get("base") != wanted:
            unpack(ksrc, self.tree)
            self.dir.mkdir()
            self.orig.mkdir()
            self.state = {"base": wanted, "written": {}}
            self.save()

    def version(self):
        """The base's version, for example 6.12.117."""
        return (self.tree / ".fairway-base").read_text().strip()

    def save(self):
        """Write the state down, all or nothing."""
        new = self.file.with_suffix(".new")
        new.write_text(json.dumps(self.state, indent=1, sort_keys=True))
        new.replace(self.file)

    def base_text(self, path):
        """The base's own text of a file, or None."""
        for place in (self.orig / path, self.tree / path):
            if place.is_file() and (place != self.tree / path
                                    or path not in self.state["written"]):
                return place.read_text(encoding="utf-8")
        return None

    def check_untouched(self, path, new):
        """Nobody's work is overwritten: refuse where the tree was edited."""
        target = self.tree / path
        last = self.state["written"].get(path)
        if last is None or not target.is_file():
            return
        now = digest(target.read_bytes())
        if now not in (last, new):
            raise PrepareError(f"{target} was edited in the prepared tree. Move the change "
                               f"into the repository's {path} or base/hunks, or drop it with "
                               f"'rm {target}'")

    def put(self, path, data, mode):
        """Write one file if its contents differ; return 1 if it was written."""
        target = self.tree / path
        new = digest(data)
        changed = not target.is_file() or digest(target.read_bytes()) != new
        if changed:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        if target.stat().st_mode & 0o777 != mode:
            target.chmod(mode)
        self.state["written"][path] = new
        return int(changed)

    def drop(self, path):
        """A file we no longer write: give back the base's, or remove ours."""
        target, saved = self.tree / path, self.orig / path
        if saved.is_file():
            target.write_bytes(saved.read_bytes())
            saved.unlink()
        else:
            target.unlink(missing_ok=True)
            folder = target.parent
            while folder != self.tree and not any(folder.iterdir()):
                folder.rmdir()
                folder = folder.parent
        del self.state["written"][path]

    def refresh(self):
        """Bring the tree to base + overlay + hunks; return what changed."""
        ours = {}
        for path in overlay_files():
            if (REPO / path).is_symlink():
                raise PrepareError(f"{path} is a symbolic link; the overlay holds plain files")
            executable = (REPO / path).stat().st_mode & 0o100
            ours[path] = ((REPO / path).read_bytes(), 0o755 if executable else 0o644)
        changed_by_hunks = hunks.apply_all(hunks.read_all(REPO / "base/hunks", REPO),
                                           self.base_text)
        for path in ours:
            of_base = (self.tree / path).exists() and path not in self.state["written"]
            if path in changed_by_hunks or (self.orig / path).exists() or of_base:
                raise PrepareError(f"{path} belongs to the base kernel: change it with a "
                                   f"hunk in base/hunks, not with an overlay file")
        for path, text in changed_by_hunks.items():
            saved = self.orig / path
            mode = (self.tree / path).stat().st_mode & 0o777 if (
                self.tree / path).exists() else 0o644
            if not saved.exists():
                saved.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.tree / path, saved)
            ours[path] = (text.encode(), mode)
        for path, (data, _) in ours.items():
            self.check_untouched(path, digest(data))
        gone = [path for path in self.state["written"] if path not in ours]
        for path in gone:
            self.check_untouched(path, None)
        try:
            for path in gone:
                self.drop(path)
            written = sum(self.put(path, *what) for path, what in ours.items())
        finally:
            self.save()
        return written, len(gone), len(ours)
