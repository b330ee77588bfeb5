# SPDX-License-Identifier: GPL-2.0
"""The check of the knobs must see each kind of difference."""

import tempfile
import unittest
from pathlib import Path

import knobs

GOOD = {
    knobs.CODE: '#define MINUTE 60000\n#define TWO_GIB (1024 * 1024 * 4)\n'
                '\t[FWY_A_MS] = { "a_ms", 1, MINUTE, 500 },\n'
                '\t[FWY_B_SECTORS] = { "b_sectors", 0, TWO_GIB, 2 * 3 },\n',
    knobs.SYSFS: "#define FAIRWAY_ATTR(name)\n"
                 "\tFAIRWAY_ATTR(a_ms),\n\tFAIRWAY_ATTR(b_sectors),\n",
    knobs.PAGE: "name      unit         range      default what it does\n"
                "a_ms      milliseconds 1..60000   500     more\n"
                "                                          of it\n"
                "b_sectors 512 bytes    0..4194304 6       less\n",
    knobs.ABI: "What:\t\t/sys/block/<disk>/queue/iosched/a_ms\nDescription:\n"
               "\t\tMore. Range\n\t\t1..60000, default 500. Else EINVAL.\n\n"
               "What:\t\t/sys/block/<disk>/queue/iosched/b_sectors\n"
               "Description:\n\t\tLess. Range 0..4194304, default 6.\n",
}


class Knobs(unittest.TestCase):
    def complaints(self, path=None, old="", new=""):
        with tempfile.TemporaryDirectory() as root:
            for name, text in GOOD.items():
                if name == path:
                    self.assertIn(old, text)
                    text = text.replace(old, new, 1)
                (Path(root) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(root) / name).write_text(text)
            return knobs.complaints(Path(root))

    def test_agreement_is_silent(self):
        self.assertEqual(self.complaints(), [])

    def test_each_difference_is_named(self):
        for path, old, new, word in (
                (knobs.CODE, ", 500", ", 501", "a_ms"),
                (knobs.CODE, "* 4", "* 5", "b_sectors"),
                (knobs.SYSFS, "\tFAIRWAY_ATTR(a_ms),\n", "", "a_ms"),
                (knobs.SYSFS, "(a_ms)", "(c_ms)", "c_ms"),
                (knobs.PAGE, "1..60000", "0..60000", "a_ms"),
                (knobs.PAGE, "milliseconds", "microseconds", "a_ms"),
                (knobs.PAGE, "b_sectors", "d_sectors", "d_sectors"),
                (knobs.ABI, "default 6.", "default 7.", "b_sectors"),
                (knobs.ABI, "Range 0..", "From 0..", "b_sectors"),
                (knobs.ABI, "iosched/a_ms", "iosched/e_ms", "e_ms")):
            with self.subTest(path=path, new=new):
                said = self.complaints(path, old, new)
                self.assertTrue(any(word in line for line in said), said)

    def test_a_table_that_is_not_found_is_a_complaint(self):
        self.assertIn("no table", self.complaints(
            knobs.CODE, GOOD[knobs.CODE], "nothing")[0])


if __name__ == "__main__":
    unittest.main()
