# SPDX-License-Identifier: GPL-2.0
"""What the module is built from, and which kernels it is refused for."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent


def load(name):
    """A script as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(HERE / name))
    spec = importlib.util.spec_from_loader(name, loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


stage = load("stage")
KERNEL = {"Makefile": "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 7\n",
          "arch/Kconfig": "", "block/blk.h": "/* private */\n", "block/blk.c": "",
          "block/elevator.c": "/* witness */\n", "block/partitions/check.h": "",
          "drivers/block/other.h": ""}
SUMS = "0x00000001\telv_register\tvmlinux\n0x00000002\televator_alloc\tvmlinux\n"


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.top = Path(scratch.name)

    def write(self, path, text):
        target = self.top / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target


class Stage(Folder):
    def kernel(self, **changes):
        for path, text in {**KERNEL, **changes}.items():
            self.write(f"linux/{path}", text)
        return self.top / "linux"

    def test_private_headers_and_the_witness_of_a_folder_and_of_a_tarball(self):
        folder = self.kernel()
        ball = self.top / "linux.tar.xz"
        with tarfile.open(ball, "w:xz") as archive:
            archive.add(folder, "linux-6.12")
        for ksrc in (folder, ball):
            with self.subTest(ksrc=ksrc.name):
                files, version = stage.private_files(ksrc, self.top / "kept")
                self.assertEqual(version, "6.12.7")
                self.assertEqual(sorted(files), ["block/blk.h", "block/elevator.c"])

    def test_another_base_replaces_what_was_kept(self):
        kept = self.top / "kept"
        stage.private_files(self.kernel(), kept)
        folder = self.kernel(Makefile=KERNEL["Makefile"].replace("7", "8"))
        (folder / "block/blk.h").unlink()
        files, version = stage.private_files(folder, kept)
        self.assertEqual((version, sorted(files)), ("6.12.8", ["block/elevator.c"]))

    def test_what_is_no_kernel_is_refused(self):
        self.write("text.tar.xz", "no archive")
        old = self.kernel(Makefile=KERNEL["Makefile"].replace("12", "1"))
        for ksrc in (self.top / "nothing", self.top / "text.tar.xz", old):
            with self.subTest(ksrc=ksrc.name), \
                    self.assertRaises(stage.overlay.PrepareError):
                stage.private_files(ksrc, self.top / "kept")

    def test_the_scheduler_without_its_tests(self):
        files = stage.our_files()
        self.assertIn("block/fairway/core/sched.c", files)
        self.assertIn("check-kernel", files)
        self.assertFalse([path for path in files if "/tests/" in path])

    def test_a_source_that_went_goes(self):
        out = self.top / "out"
        stage.write({"block/a.c": b"", "block/b.c": b"", "run": b"#!/bin/sh\n"}, out)
        self.write("out/block/b.mod.c", "made by a build")
        stage.write({"block/b.c": b"", "run": b"#!/bin/sh\n"}, out)
        self.assertEqual(sorted(path.name for path in (out / "block").iterdir()),
                         ["b.c", "b.mod.c"])
        self.assertTrue(os.access(out / "run", os.X_OK))


class CheckKernel(Folder):
    """check-kernel beside a base-version and before a toy kernel's headers, whose
    make gives elevator.o the checksums that the test wants."""

    def check(self, kver="6.12.7-amd64", config="CONFIG_BLK_ICQ=y\nCONFIG_MODVERSIONS=y\n",
              symvers=SUMS, sums=SUMS, sublevel=7):
        headers = self.top / "headers"
        if config is not None:
            self.write("headers/.config", config)
            self.write("headers/Module.symvers", symvers)
            self.write("headers/include/generated/uapi/linux/version.h",
                       f"#define LINUX_VERSION_SUBLEVEL {sublevel}\n")
            lines = "".join("#SYMVER {1} {0}\\n".format(*line.split())
                            for line in sums.splitlines())
            self.write("headers/Makefile", "elevator.o:\n"
                       f"\t@printf '{lines}' >$(M)/.elevator.o.cmd\n")
        self.write("source/base-version", "6.12.7\n")
        (self.top / "source/block").mkdir(exist_ok=True)
        script = self.top / "source/check-kernel"
        script.write_bytes((HERE / "source/check-kernel").read_bytes())
        run = subprocess.run(["sh", script, headers, kver], text=True, check=False,
                             stderr=subprocess.PIPE)
        return run.returncode, run.stderr

    def refused(self, *words, **kernel):
        status, text = self.check(**kernel)
        self.assertEqual(status, 1, text)
        for word in words:
            self.assertIn(word, text)

    def test_the_same_block_layer_is_accepted(self):
        self.assertEqual(self.check(), (0, ""))
        self.assertEqual(self.check(sublevel=99), (0, ""))

    def test_no_headers_are_named(self):
        self.refused("apt-get install linux-headers-6.12.7-amd64", config=None)

    def test_no_6_12_is_named(self):
        self.refused("6.1.0-amd64 is not Linux 6.12", kver="6.1.0-amd64")
        self.refused("is not Linux 6.12", kver="6.120.1")

    def test_another_block_layer_is_refused(self):
        self.refused("elevator_alloc()", symvers=SUMS.replace("0x00000002", "0x00000003"))
        self.refused("elevator_alloc()", symvers=SUMS.splitlines()[0])

    def test_checksums_that_do_not_come_are_no_consent(self):
        self.refused("no checksum", sums="")

    def test_a_kernel_without_task_contexts_is_refused(self):
        self.refused("CONFIG_BLK_ICQ", config="CONFIG_MODVERSIONS=y\n")

    def test_without_checksums_the_release_has_to_be_the_same(self):
        plain = "CONFIG_BLK_ICQ=y\n"
        self.assertEqual(self.check(config=plain), (0, ""))
        self.refused("6.12.8 without CONFIG_MODVERSIONS", config=plain, sublevel=8)


if __name__ == "__main__":
    unittest.main()
