# SPDX-License-Identifier: GPL-2.0
"""Tests of the report: what is read from a trace, and what is drawn of it."""

import contextlib
import io
import re
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from report import cli, events, figures, picture

DISPATCH = ("              dd-126     [000] d....    11.440354: fairway_dispatch: "
            "252,0 pid=126 class=read sector=1024 sectors=128 queue=own "
            "reason=turn turn=465 wait_ns=572")
DONE = ("          <idle>-0       [001] dNh..    11.448357: fairway_done: 252,0 "
        "pid=126 class=read sector=1024 sectors=2000 device_ns=8003994 "
        "took_ns=8003994")
LINE = ("    tool with-two-147   [000] .....    11.720: fairway_refuse: 252,16 "
        "pid=147 waited wait_ns=6465991 held=8 limit=8")


def event(what, time_s, **fields):
    return events.Event(what, time_s, "8,0",
                        {name: str(value) for name, value in fields.items()})


def dispatch(time_s, pid, turn, wait_ns=1000, **more):
    return event("dispatch", time_s, pid=pid, turn=turn, wait_ns=wait_ns,
                 **{"class": "read", "queue": "own", **more})


def done(time_s, pid, sectors=2000):
    return event("done", time_s, pid=pid, sectors=sectors)


class Parsing(unittest.TestCase):
    def test_lines_of_tracefs(self):
        found, names = events.parse(["# tracer: nop", "", DISPATCH, DONE, LINE])
        self.assertEqual([one.what for one in found],
                         ["dispatch", "done", "refuse"])
        self.assertEqual(found[0].time_s, 11.440354)
        self.assertEqual([one.dev for one in found],
                         ["252,0", "252,0", "252,16"])
        self.assertEqual(found[0].fields["queue"], "own")
        self.assertEqual(found[1].number("sectors"), 2000)
        self.assertEqual(found[2].number("wait_ns"), 6465991)
        self.assertEqual(names, {126: "dd", 147: "tool with-two"})

    def test_lines_without_flags(self):
        line = DISPATCH.replace(" d.... ", " ")
        self.assertEqual(events.parse([line])[0], events.parse([DISPATCH])[0])

    def test_other_lines_are_left_out(self):
        for line in ("", "fairway_dispatch", DISPATCH.replace("fairway_", ""),
                     DISPATCH[:40], "CPU:1 [LOST 3 EVENTS]"):
            self.assertEqual(events.parse([line]), ([], {}))


class Figures(unittest.TestCase):
    def test_service_is_by_process_and_adds_up(self):
        found = [done(0, 1), done(5, 1), done(10, 2, 4000)]
        span = figures.span_of(found)
        rates = figures.service(found, span)
        mb = {pid: sum(values) * span.bin_s for pid, values in rates.items()}
        self.assertAlmostEqual(mb[1], 4000 * 512 / 1e6)
        self.assertAlmostEqual(mb[2], 4000 * 512 / 1e6)
        self.assertEqual(len(rates[1]), figures.BINS)

    def test_the_busiest_first_and_others_as_one(self):
        rates = {1: [1.0, 0], 2: [0, 5.0], 3: [2.0, 2.0], 4: [0.5, 0]}
        self.assertEqual(figures.busiest(rates, 2), ([2, 3], [1.5, 0]))
        self.assertEqual(figures.busiest(rates, 4)[1], None)

    def test_waits_are_the_longest_of_their_moment(self):
        found = [dispatch(0, 1, 0, 5_000_000), dispatch(0, 2, 0, 2_000_000),
                 dispatch(0, 2, 0, 9_000_000, queue="front"),
                 event("refuse", 1, pid=1, wait_ns=7_000_000),
                 event("refuse", 1, pid=1, wait_ns=0)]
        self.assertEqual(figures.waits(found, figures.span_of(found)),
                         {"read": {0: 5.0}, "in line": {figures.BINS - 1: 7.0}})

    def test_turns_last_until_what_was_asked_is_done(self):
        found = [dispatch(0, 1, 7), done(1, 1), dispatch(1.5, 1, 7), done(2, 1),
                 dispatch(2, 2, 8), done(3, 2),
                 dispatch(3, 5, 9, queue="writeback"), done(4, 5)]
        turns = figures.turns(found, figures.span_of(found))
        self.assertEqual([(turn.pid, turn.queue, turn.start_s, turn.end_s,
                           turn.requests) for turn in turns],
                         [(1, "own", 0, 2, 2), (2, "own", 2, 3, 1),
                          (0, "writeback", 3, 4, 1)])

    def test_no_turns_where_seeks_cost_nothing(self):
        self.assertEqual(figures.turns([dispatch(0, 1, 0)],
                                       figures.Span(0, 1)), [])

    def test_only_the_last_turns(self):
        found = [dispatch(at, 1, at + 1) for at in range(2000)]
        turns = figures.turns(found, figures.span_of(found))
        self.assertEqual(len(turns), figures.MAX_TURNS)
        self.assertEqual(turns[-1].start_s, 1999)


class Drawing(unittest.TestCase):
    def test_all_three_charts(self):
        found = [one for at in range(60) for one in
                 (dispatch(at, at % 50, at + 1), done(at + 0.5, at % 50))]
        text = picture.draw("sda <&>", found, {3: "<name>"})
        root = ElementTree.fromstring(text)
        self.assertEqual(len(root.findall("{http://www.w3.org/2000/svg}svg")), 3)
        self.assertIn("&lt;name&gt; 3", text)
        self.assertIn("40 others", text)
        self.assertIn("10 more are not shown", text)
        self.assertNotIn("href", text)

    def test_one_colour_in_all_charts(self):
        found = [dispatch(0, 5, 1), dispatch(0, 6, 2), done(1, 6), done(1, 6),
                 done(1, 5)]
        text = picture.draw("sda", found, {})
        self.assertEqual(set(re.findall(
            r'class="name (c\d)"[^>]*>(5|6)<', text)), {("c0", "6"), ("c1", "5")})
        self.assertEqual(re.findall(r'rect class="box (c\d)"', text),
                         ["c1", "c0"])

    def test_axis_begins_with_a_round_number(self):
        self.assertEqual(picture.round_down(6.5756, 8.4), 6)
        self.assertAlmostEqual(picture.round_down(6.5756, 0.5), 6.5)
        self.assertEqual(picture.round_down(0, 0), 0)

    def test_one_event(self):
        ElementTree.fromstring(picture.draw("sda", [done(1, 1)], {}))

    def test_nothing(self):
        for found in ([], [event("adjust", 1)]):
            with self.assertRaises(ValueError):
                picture.draw("sda", found, {})


class Command(unittest.TestCase):
    def run_cli(self, *argv):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = cli.main([str(word) for word in argv])
        return status, out.getvalue(), err.getvalue()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.roots = ("--sys", self.folder, "--tracefs", self.folder / "t")

    def test_saved_trace(self):
        trace = self.folder / "trace"
        trace.write_text("\n".join([DISPATCH, DONE]) + "\n")
        out = self.folder / "out.svg"
        self.assertEqual(self.run_cli("--trace", trace, "-o", out),
                         (0, f"{out}\n", ""))
        ElementTree.parse(out)

    def test_saved_trace_of_two_devices(self):
        trace = self.folder / "trace"
        trace.write_text("\n".join([DONE, LINE]) + "\n")
        status, _, err = self.run_cli("--trace", trace)
        self.assertEqual((status, err), (1, "report: which device? 252:0 252:16\n"))
        out = self.folder / "out.svg"
        self.assertEqual(self.run_cli("--trace", trace, "252:0", "-o", out)[0], 0)

    def test_what_is_missing_is_said(self):
        trace = self.folder / "trace"
        trace.write_text("nothing\n")
        for argv, message in (
                (("--trace", trace), "has no events of fairway"),
                (("--trace", self.folder / "no"), "No such file"),
                (("sdx",), "sdx: no such disk")):
            status, _, err = self.run_cli(*argv, *self.roots)
            self.assertEqual(status, 1)
            self.assertIn(message, err)
        disk = self.folder / "block/sda"
        disk.mkdir(parents=True)
        (disk / "dev").write_text("8:16\n")
        self.assertIn("mount -t tracefs", self.run_cli("sda", *self.roots)[2])
        (self.folder / "t/events").mkdir(parents=True)
        self.assertIn("report --start sda", self.run_cli("sda", *self.roots)[2])
        self.assertIn("is not recorded",
                      self.run_cli("--stop", "sda", *self.roots)[2])
        self.assertTrue(re.search("root|no fairway", self.run_cli(
            "--start", "sda", *self.roots)[2]))
        (self.folder / "t/events/fairway").mkdir()
        (disk / "queue").mkdir()
        (disk / "queue/scheduler").write_text("none [mq-deadline] fairway\n")
        self.assertIn("sda is not under fairway",
                      self.run_cli("--start", "sda", *self.roots)[2])

    def test_recorded(self):
        disk = self.folder / "block/sda"
        disk.mkdir(parents=True)
        (disk / "dev").write_text("252:0\n")
        instance = self.folder / "t/instances/fairway-sda"
        instance.mkdir(parents=True)
        (self.folder / "t/events").mkdir()
        (instance / "trace").write_text("\n".join([DISPATCH, DONE]) + "\n")
        out = self.folder / "out.svg"
        self.assertEqual(self.run_cli("/dev/sda", "-o", out, *self.roots)[0], 0)
        self.assertIn(">sda: ", out.read_text())


if __name__ == "__main__":
    unittest.main()
