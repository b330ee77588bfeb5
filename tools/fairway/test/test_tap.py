# SPDX-License-Identifier: GPL-2.0
"""The judge of the selftests must not be fooled: each way to hide a failure."""

import re
import unittest
from pathlib import Path

import tap

HERE = Path(__file__).resolve().parent

GOOD = """TAP version 13
1..2
# timeout set to 300
# selftests: block: a.sh
# TAP version 13
# 1..2
# # a figure: got '1', wanted le '2'
# ok 1 first claim
# ok 2 second claim
# # Totals: pass:2 fail:0 xfail:0 xpass:0 skip:0 error:0
ok 1 selftests: block: a.sh
# timeout set to 300
# selftests: block: b
# TAP version 13
# 1..1
#  RUN           global.third ...
# ok 1 global.third
ok 2 selftests: block: b
"""
BOTH = ["block:a.sh", "block:b"]


def outcome(text, expected=None, allowed=()):
    results = tap.judge(text, BOTH if expected is None else expected)
    tap.refuse_skips(results, set(allowed))
    return tap.summary(results)


class Judge(unittest.TestCase):
    def changed(self, old, new, **kwargs):
        self.assertIn(old, GOOD)
        return outcome(GOOD.replace(old, new, 1), **kwargs)

    def test_claims_are_counted(self):
        self.assertEqual(outcome(GOOD), "3 passed, 0 failed, 0 skipped")

    def test_carriage_returns_do_not_matter(self):
        self.assertEqual(outcome(GOOD.replace("\n", "\r\n")), "3 passed, 0 failed, 0 skipped")

    def test_nothing_at_all_is_a_failure(self):
        self.assertEqual(outcome(""), "0 passed, 3 failed, 0 skipped")

    def test_failed_claim_under_a_test_called_ok(self):
        self.assertEqual(self.changed("# ok 2 second", "# not ok 2 second"),
                         "2 passed, 1 failed, 0 skipped")

    def test_failed_claim_and_test_count_once(self):
        text = GOOD.replace("# ok 2 second", "# not ok 2 second")
        text = text.replace("ok 1 selftests: block: a.sh",
                            "not ok 1 selftests: block: a.sh # exit=1")
        self.assertEqual(outcome(text), "2 passed, 1 failed, 0 skipped")

    def test_bad_exit_after_good_claims(self):
        self.assertEqual(self.changed("ok 1 selftests: block: a.sh",
                                      "not ok 1 selftests: block: a.sh # exit=1"),
                         "3 passed, 1 failed, 0 skipped")

    def test_timeout(self):
        self.assertEqual(self.changed("ok 2 selftests: block: b",
                                      "not ok 2 selftests: block: b # TIMEOUT 300 seconds"),
                         "3 passed, 1 failed, 0 skipped")

    def test_plan_missing(self):
        self.assertEqual(self.changed("# 1..2\n", ""), "3 passed, 1 failed, 0 skipped")

    def test_plan_larger_than_the_results(self):
        self.assertEqual(self.changed("# 1..2\n", "# 1..3\n"), "3 passed, 1 failed, 0 skipped")

    def test_plan_smaller_than_the_results(self):
        self.assertEqual(self.changed("# 1..2\n", "# 1..1\n"), "3 passed, 1 failed, 0 skipped")

    def test_outer_plan_missing(self):
        self.assertEqual(self.changed("\n1..2\n", "\n"), "3 passed, 1 failed, 0 skipped")

    def test_output_that_stops_in_a_test(self):
        self.assertEqual(outcome(GOOD[:GOOD.index("# ok 1 global")]),
                         "2 passed, 3 failed, 0 skipped")

    def test_bail_out(self):
        self.assertEqual(self.changed("# ok 2 second claim", "# Bail out!  no disk"),
                         "2 passed, 1 failed, 0 skipped")

    def test_test_missing_from_the_run(self):
        self.assertEqual(outcome(GOOD, BOTH + ["block:c"]), "3 passed, 1 failed, 0 skipped")

    def test_test_nobody_asked_for(self):
        self.assertEqual(outcome(GOOD, BOTH[:1]), "3 passed, 1 failed, 0 skipped")

    def test_test_that_claims_nothing(self):
        self.assertEqual(self.changed("# 1..1\n#  RUN           global.third ...\n"
                                      "# ok 1 global.third\n", ""),
                         "2 passed, 1 failed, 0 skipped")

    def test_expected_failure_does_not_pass(self):
        self.assertEqual(self.changed("# ok 2 second claim", "# not ok 2 second claim # TODO"),
                         "2 passed, 1 failed, 0 skipped")


class Alone(unittest.TestCase):
    TEXT = "TAP version 13\n1..2\nok 1 first\nok 2 second\n"

    def outcome(self, text, ok):
        return tap.summary(tap.judge_alone("a form", text, ok))

    def test_good(self):
        self.assertEqual(self.outcome(self.TEXT, True), "2 passed, 0 failed, 0 skipped")

    def test_bad_status(self):
        self.assertEqual(self.outcome(self.TEXT, False), "2 passed, 1 failed, 0 skipped")

    def test_nothing(self):
        self.assertEqual(self.outcome("", True), "0 passed, 1 failed, 0 skipped")

    def test_cut_short(self):
        self.assertEqual(self.outcome(self.TEXT[:-12], True), "1 passed, 1 failed, 0 skipped")


class Skips(unittest.TestCase):
    WHOLE = GOOD.replace("""# 1..1
#  RUN           global.third ...
# ok 1 global.third
ok 2 selftests: block: b""", """# 1..0 # SKIP no second CPU
ok 2 selftests: block: b # SKIP""")
    ONE = GOOD.replace("# ok 2 second claim", "# ok 2 second claim # SKIP")

    def test_unexpected_skip_fails(self):
        self.assertEqual(outcome(self.WHOLE), "2 passed, 1 failed, 0 skipped")
        self.assertEqual(outcome(self.ONE), "2 passed, 1 failed, 0 skipped")

    def test_expected_skip_is_counted_apart(self):
        self.assertEqual(outcome(self.WHOLE, allowed=[("block:b", "no second CPU")]),
                         "2 passed, 0 failed, 1 skipped")
        self.assertEqual(outcome(self.ONE, allowed=[("block:a.sh: second claim",
                                                     "second claim")]),
                         "2 passed, 0 failed, 1 skipped")

    def test_other_reason_than_the_expected_fails(self):
        self.assertEqual(outcome(self.WHOLE, allowed=[("block:b", "no fio")]),
                         "2 passed, 1 failed, 0 skipped")

    def test_skip_without_a_reason_fails(self):
        text = self.WHOLE.replace("1..0 # SKIP no second CPU", "1..0 # SKIP")
        self.assertEqual(outcome(text, allowed=[("block:b", "")]),
                         "2 passed, 1 failed, 0 skipped")

    def test_skip_by_the_exit_status_alone_fails(self):
        text = self.WHOLE.replace("# 1..0 # SKIP no second CPU\n", "")
        self.assertEqual(outcome(text, allowed=[("block:b", "")]),
                         "2 passed, 1 failed, 0 skipped")


class Lists(unittest.TestCase):
    def test_without_the_scheduler_each_test_that_there_is_skips(self):
        makefile = HERE.parents[2] / "tools/testing/selftests/block/Makefile"
        programs = re.search(r"^TEST_PROGS := ((?:.*\\\n)+.*)", makefile.read_text(), re.M)[1]
        there = {f"block:{Path(name).name}" for name in programs.replace("\\", "").split()}
        rows = [line.split("\t") for line in
                (HERE / "expected-skips").read_text().splitlines() if line[:1] not in "#"]
        self.assertEqual({name for boot, name, _ in rows if boot == "without"}, there)


if __name__ == "__main__":
    unittest.main()
