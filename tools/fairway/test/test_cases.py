# SPDX-License-Identifier: GPL-2.0
"""The table of cases in the selftests' README names tests that there are."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SUITE = ROOT / "tools/testing/selftests/block"
KUNIT = ROOT / "block/fairway/tests"
ROW = re.compile(r"\| *(\d+) *\|([^|]*)\|([^|]*)\|([^|]*)\|$", re.M)


def rows():
    return [(int(number), test) for number, test, *_ in
            ROW.findall((SUITE / "README").read_text(encoding="utf-8"))]


class Cases(unittest.TestCase):
    def test_each_case_has_one_row(self):
        self.assertEqual([number for number, _ in rows()], list(range(1, 32)))

    def test_selftests_are_there(self):
        for number, test in rows():
            for name in re.findall(r"[a-z_-]+\.sh", test):
                self.assertTrue((SUITE / name).is_file(), f"case {number}: no {name}")

    def test_kunit_cases_are_there(self):
        for number, test in rows():
            for suite, case in re.findall(r"(\w+_kunit\.c): (\w+)", test):
                self.assertIn(f"KUNIT_CASE({case})", (KUNIT / suite).read_text(encoding="utf-8"),
                              f"case {number}: no {case} in {suite}")

    def test_whoever_is_in_the_suite_is_run(self):
        makefile = (SUITE / "Makefile").read_text(encoding="utf-8")
        readme = (SUITE / "README").read_text(encoding="utf-8")
        for script in SUITE.glob("*.sh"):
            self.assertRegex(makefile, rf"\b{script.name}\b", "Makefile")
            if script.name != "watch-modprobe.sh":
                self.assertIn(script.name, readme, "README")


if __name__ == "__main__":
    unittest.main()
