# SPDX-License-Identifier: GPL-2.0
"""Tests of the hunk applier and of the prepared tree, on a toy kernel."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import hunks        # noqa: E402
import overlay      # noqa: E402

MAKEFILE = "VERSION = 6\nPATCHLEVEL = {}\nSUBLEVEL = 7\n"
BASE_FILE = "one\ntwo\nthree\nsame\nfour\nsame\n"


def patch(body, path="block/file"):
    """A patch file's text with one hunk, or more where body has @@ lines."""
    return f"Why.\n\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n{body}"


class Toy(unittest.TestCase):
    """A temporary repository with an overlay and hunks, and a base kernel."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = pathlib.Path(scratch.name)
        self.repo, self.base, self.tree = (self.top / name for name in
                                           ("repo", "base", "build/tree"))
        self.write("repo/base/hunks/.keep", "")
        self.write("base/Makefile", MAKEFILE.format(12))
        self.write("base/block/file", BASE_FILE)
        self.addCleanup(setattr, overlay, "REPO", overlay.REPO)
        overlay.REPO = self.repo

    def write(self, path, text):
        """Write a file below the scratch folder."""
        target = self.top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def hunk(self, body, path="block/file", name="x.patch"):
        """Put a patch into the repository's base/hunks."""
        return self.write(f"repo/base/hunks/{name}", patch(body, path))

    def prepare(self):
        """Run what base/prepare runs; return (written, removed, total)."""
        prepared = overlay.Tree(self.tree)
        prepared.use_base(self.base)
        return overlay.Tree(self.tree).refresh()

    def read(self, path="block/file"):
        """A file of the prepared tree."""
        return (self.tree / path).read_text()

    def refused(self, *words, error=hunks.HunkError):
        """Preparing fails, and the message has all the words."""
        with self.assertRaises(error) as caught:
            self.prepare()
        for word in words:
            self.assertIn(word, str(caught.exception))


class HunkTest(Toy):
    """What fits is applied exactly; what does not is named."""

    def test_insertion_goes_to_its_unique_line(self):
        self.hunk(" two\n+new\n")
        self.prepare()
        self.assertEqual(self.read(), BASE_FILE.replace("two\n", "two\nnew\n"))

    def test_replacement_and_removal(self):
        self.hunk("-two\n+2\n@@ -4 +4 @@\n three\n-same\n")
        self.prepare()
        self.assertEqual(self.read(), "one\n2\nthree\nfour\nsame\n")

    def test_later_hunk_sees_earlier_one(self):
        self.hunk(" two\n+new\n", name="a.patch")
        self.hunk(" new\n+newer\n", name="b.patch")
        self.prepare()
        self.assertIn("two\nnew\nnewer\nthree\n", self.read())

    def test_no_match_names_patch_file_and_line(self):
        self.hunk(" two\n-gone\n+new\n")
        self.refused("x.patch, hunk 1", "block/file", "'gone'")

    def test_two_matches_are_refused(self):
        self.hunk(" same\n+new\n")
        self.refused("x.patch, hunk 1", "2 places (lines 4, 6)")

    def test_already_applied_is_refused(self):
        self.write("base/block/file", BASE_FILE.replace("two\n", "two\nnew\n"))
        self.hunk(" two\n+new\n")
        self.refused("x.patch, hunk 1", "in the file already")

    def test_missing_file_is_named(self):
        self.hunk(" two\n+new\n", "block/nothing")
        self.refused("x.patch, hunk 1", "no file block/nothing")

    def test_no_context_is_refused(self):
        self.hunk("+new\n")
        self.refused("x.patch, hunk 1", "no line of context")

    def test_wide_context_is_refused(self):
        self.hunk(" one\n two\n+new\n")
        self.refused("x.patch, hunk 1", "more than one line of context")

    def test_new_file_is_refused(self):
        self.hunk("+new\n").write_text("--- /dev/null\n+++ b/block/new\n@@ -0,0 +1 @@\n+new\n")
        self.refused("x.patch:1", "overlay")

    def test_patch_without_hunk_is_refused(self):
        self.hunk("").write_text("nothing here\n")
        self.refused("x.patch", "no hunk")

    def test_include_stands_for_the_file(self):
        self.write("repo/SECTION", "alpha\nbeta\n")
        self.hunk(" two\n+#include SECTION\n+#include <linux/x.h>\n")
        self.prepare()
        self.assertIn("two\nalpha\nbeta\n#include <linux/x.h>\nthree", self.read())


class TreeTest(Toy):
    """The tree follows the repository and touches nothing else."""

    def test_overlay_file_comes_changes_and_goes(self):
        mine = self.write("repo/block/new/a.c", "1\n")
        self.assertEqual(self.prepare(), (1, 0, 1))
        mine.write_text("2\n")
        self.assertEqual(self.prepare(), (1, 0, 1))
        self.assertEqual(self.read("block/new/a.c"), "2\n")
        mine.unlink()
        self.assertEqual(self.prepare(), (0, 1, 0))
        self.assertFalse((self.tree / "block/new").exists())

    def test_nothing_changed_writes_nothing(self):
        self.write("repo/block/a.c", "1\n")
        self.hunk(" two\n+new\n")
        self.prepare()
        before = {path: os.stat(self.tree / path).st_mtime_ns
                  for path in ("block/a.c", "block/file")}
        self.assertEqual(self.prepare(), (0, 0, 2))
        for path, mtime in before.items():
            self.assertEqual(os.stat(self.tree / path).st_mtime_ns, mtime)

    def test_withdrawn_hunk_gives_the_base_back(self):
        mine = self.hunk(" two\n+new\n")
        self.prepare()
        mine.unlink()
        self.prepare()
        self.assertEqual(self.read(), BASE_FILE)

    def test_root_files_never_replace_the_kernels(self):
        self.write("repo/Makefile", "mine\n")
        self.prepare()
        self.assertEqual(self.read("Makefile"), MAKEFILE.format(12))

    def test_overlay_over_a_base_file_is_refused(self):
        self.write("repo/block/file", "mine\n")
        self.refused("block/file", "hunk", error=overlay.PrepareError)
        self.assertEqual(self.read(), BASE_FILE)

    def test_edit_in_the_tree_is_not_lost(self):
        mine = self.write("repo/block/a.c", "1\n")
        self.prepare()
        (self.tree / "block/a.c").write_text("edited\n")
        mine.write_text("2\n")
        self.refused("block/a.c", "edited", error=overlay.PrepareError)
        self.assertEqual(self.read("block/a.c"), "edited\n")
        mine.write_text("edited\n")
        self.prepare()

    def test_mode_is_kept(self):
        self.write("repo/tools/run", "#!\n").chmod(0o700)
        self.prepare()
        self.assertEqual((self.tree / "tools/run").stat().st_mode & 0o777, 0o755)

    def test_another_version_is_refused(self):
        self.write("base/Makefile", MAKEFILE.format(13))
        self.refused("6.13.7", "6.12", error=overlay.PrepareError)
        self.assertFalse(self.tree.exists())

    def test_no_kernel_is_refused(self):
        self.write("base/Makefile", "all:\n")
        self.refused("not a Linux kernel source", error=overlay.PrepareError)

    def test_missing_base_is_refused(self):
        self.base = self.top / "nothing"
        self.refused("no base kernel", "KSRC", error=overlay.PrepareError)

    def test_foreign_build_folder_is_one_line(self):
        self.prepare()
        self.top.chmod(0o755)
        # Root may write anywhere, so it becomes somebody else.
        other = {"user": 65534, "group": 65534, "extra_groups": []} if not os.getuid() else {}
        here = pathlib.Path(__file__).resolve().parent
        for name in ("prepare", "hunks.py", "overlay.py"):
            shutil.copy(here / name, self.repo / "base")
        for place in (self.tree.parent, self.tree):
            mode = place.stat().st_mode & 0o777
            place.chmod(0o555)
            if other and place == self.tree:
                os.chown(self.tree.parent, 65534, 65534)
            done = subprocess.run([self.repo / "base/prepare", "--tree", self.tree,
                                   "--ksrc", self.base], check=False, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **other)
            place.chmod(mode)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertEqual(done.stdout.count("\n"), 1, done.stdout)
            self.assertIn(f"{place} cannot be written", done.stdout)
            self.assertIn("BUILD=", done.stdout)

    def test_read_only_build_folder_is_one_line(self):
        self.prepare()
        read_only = unittest.mock.Mock(f_flag=os.ST_RDONLY)
        with unittest.mock.patch("os.statvfs", return_value=read_only), \
                self.assertRaisesRegex(overlay.PrepareError, "read-only.*BUILD="):
            overlay.refuse_foreign(self.tree.parent)

    def test_lock_that_cannot_be_is_one_line(self):
        done = subprocess.run(["base/locked", "/proc/none/lock", "true"], check=False,
                              cwd=pathlib.Path(__file__).resolve().parent.parent, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(done.stdout.count("\n"), 1, done.stdout)

    def test_edited_base_is_unpacked_again(self):
        self.write("repo/block/a.c", "1\n")
        self.write("base/.git/index", "1\n")
        self.prepare()
        self.write("base/.git/index", "other\n")
        self.assertEqual(self.prepare()[0], 0)
        self.write("base/block/file", BASE_FILE + "five\n")
        self.prepare()
        self.assertEqual(self.read(), BASE_FILE + "five\n")
        self.assertEqual(self.read("block/a.c"), "1\n")

    def test_new_point_release_is_unpacked(self):
        self.write("repo/block/a.c", "1\n")
        self.prepare()
        self.write("base/Makefile", MAKEFILE.format(12).replace("= 7", "= 8"))
        self.prepare()
        self.assertEqual(overlay.Tree(self.tree).version(), "6.12.8")
        self.assertEqual(self.read("block/a.c"), "1\n")


class ExportTest(Toy):
    """make patches: what goes to other people, and what does not."""

    def setUp(self):
        super().setUp()
        here = pathlib.Path(__file__).resolve().parent
        for name in ("export", "hunks.py", "overlay.py"):
            shutil.copy(here / name, self.repo / "base")
        self.write("repo/base/series", "= one: all of it\n\nWhy.\n\n"
                   "F: block/\nF: tools/\nH: *.patch\n")
        self.write("repo/block/mine.c", "mine\n")
        self.hunk(" two\n+new\n", name="x.patch")
        # A signer by name, and no configuration but this.
        self.environment = {
            "PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{role}_{what}": "a@b" for role in ("AUTHOR", "COMMITTER")
               for what in ("NAME", "EMAIL")}}

    def git(self, *words):
        """Run git in the toy repository."""
        subprocess.run(["git", "-C", self.repo, *words], env=self.environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def checkout(self):
        """Make a git checkout of what is there."""
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "all")

    def add_strays(self):
        """Files that came later: a source, a hunk, and one no commit names."""
        self.write("repo/block/stray.c", "stray\n")
        self.write("repo/include/note", "stray\n")
        self.hunk(" three\n+stray\n", name="z.patch")

    def export(self):
        """Run base/export; return (text of the patches, what it said)."""
        out = self.top / "patches"
        done = subprocess.run([self.repo / "base/export", "--tree", self.tree, "--out", out],
                              env=self.environment, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return "".join(path.read_text() for path in sorted(out.glob("*.patch"))), done.stdout

    def test_untracked_files_stay_at_home_and_are_named(self):
        self.checkout()
        self.add_strays()
        self.prepare()
        patches, said = self.export()
        self.assertIn("+mine", patches)
        self.assertIn("+new", patches)
        self.assertNotIn("stray", patches)
        for name in ("block/stray.c", "include/note", "base/hunks/z.patch"):
            self.assertIn(f"{name} is in no patch", said)

    def test_edit_and_added_file_are_exported_without_a_commit(self):
        self.checkout()
        self.write("repo/block/mine.c", "edited\n")
        self.write("repo/block/added.c", "added\n")
        self.git("add", "block/added.c")
        self.prepare()
        patches, said = self.export()
        self.assertIn("+edited", patches)
        self.assertIn("+added", patches)
        self.assertNotIn("is in no patch", said)

    def test_unpacked_tarball_is_exported_whole(self):
        self.write("repo/tools/run", "run\n")
        self.prepare()
        patches, said = self.export()
        for line in ("+mine", "+run", "+new"):
            self.assertIn(line, patches)
        self.assertNotIn("is in no patch", said)


class ProgressTest(unittest.TestCase):
    """What a long make shows."""

    def run_until(self, script, *signals):
        """(exit status, output) of base/progress, whose group gets the signals."""
        with tempfile.TemporaryDirectory() as scratch:
            # Of a job in the background the shell has SIGINT ignored.
            process = subprocess.Popen(
                ["env", "--default-signal=INT", overlay.REPO / "base/progress",
                 "--name", "kernel", "--log", f"{scratch}/log", "--", "bash", "-c", script], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
            log = pathlib.Path(scratch, "log")
            while signals and not (log.exists() and "started" in log.read_text()):
                time.sleep(0.02)
            for number in signals:
                os.killpg(process.pid, number)
            said, _ = process.communicate(timeout=60)
            return process.returncode, said

    def test_failure_shows_the_end_of_the_log(self):
        status, said = self.run_until("echo started; echo 'a.c:1: error: no'; exit 2")
        self.assertEqual(status, 2)
        self.assertIn("kernel: FAILED", said)
        self.assertIn("started", said)

    def test_interrupt_is_one_line(self):
        script = "trap 'echo \"*** Interrupt\"; exit 2' INT TERM; echo started; sleep 60; exit 3"
        for number in (signal.SIGINT, signal.SIGTERM):
            status, said = self.run_until(script, number)
            self.assertEqual(status, 128 + number)
            self.assertRegex(said, r"^kernel: interrupted[^\n]*\n$")


class FrontDoorTest(unittest.TestCase):
    """What make itself refuses."""

    def refused(self, text, *words):
        """make refuses, says why, and has built nothing."""
        with tempfile.TemporaryDirectory() as scratch:
            build = pathlib.Path(scratch, "build")
            environment = {name: value for name, value in os.environ.items()
                           if not name.startswith(("MAKE", "MFLAGS"))}
            done = subprocess.run(
                ["make", "-C", overlay.REPO, *words, "SETUP=no", "KSRC=/none",
                 f"BUILD={build}", f"OUT={scratch}/out"], env=environment, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(text, done.stdout)
            self.assertFalse(build.exists(), done.stdout)

    def test_run_refuses_bad_arguments_before_it_builds(self):
        self.refused("no case 'bad'; there are: starve64", "run", "CASES=bad")

    def test_the_module_is_for_6_12_alone(self):
        for target in ("module", "dkms-install"):
            with self.subTest(target):
                self.refused("is not the release of a 6.12 kernel", target, "KVER=6.120.1")


if __name__ == "__main__":
    unittest.main()
