# SPDX-License-Identifier: GPL-2.0
"""Unit tests of make run: what is between fio's output and the tables."""

import argparse
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from run import cases, cli, fio, guests, report, rows

HERE = Path(__file__).resolve().parent


def job_json(name, ios, bins, error=0):
    """One job as fio's json+ has it, as far as it is read here."""
    total = sum(ns * n for ns, n in bins.items())
    return {"jobname": name, "error": error, "mixed": {
        "total_ios": ios, "io_bytes": ios * 4096, "runtime": 1000,
        "lat_ns": {"min": min(bins), "max": max(bins),
                   "mean": total / sum(bins.values()),
                   "bins": {str(ns): n for ns, n in bins.items()}}}}


def fio_text(*jobs, before=""):
    return before + json.dumps({"fio version": "fio-3.33",
                                "jobs": list(jobs)}, indent=2) + "\n"


def small_case(**more):
    settings = {"name": "starve64", "about": "", "judged": "reader",
                "device": cases.Device(1, 8_000_000),
                "loads": (cases.Load("reader", 2, ()),),
                "metrics": cases.SHARES + cases.LATENCIES + ("rate_mb_s",),
                "runtime_ms": 1000, "host_s": 1.0, "fair": True}
    return cases.Case(**(settings | more))


class ParseFio(unittest.TestCase):
    def test_jobs_are_read_behind_what_prerun_printed(self):
        text = fio_text(job_json("reader0", 3, {1000: 2, 9000: 1}),
                        before="reader0 : Saving output of prerun\n")
        job, = fio.parse_jobs(text)
        self.assertEqual(job, fio.Job("reader0", 3, 11000 / 3, 9000,
                                      {1000: 2, 9000: 1}))

    def test_no_json_cut_json_and_lost_fields_are_errors(self):
        whole = fio_text(job_json("reader0", 1, {5: 1}))
        for text in ("", "fio: out of memory", whole[:-20],
                     whole.replace("mixed", "read")):
            with self.assertRaises(fio.BadResult):
                fio.parse_jobs(text)

    def test_job_with_an_error_is_refused_by_name(self):
        with self.assertRaisesRegex(fio.BadResult, "reader0: error 5"):
            fio.parse_jobs(fio_text(job_json("reader0", 1, {5: 1}, error=5)))


class Statistics(unittest.TestCase):
    def jobs(self, *bins):
        return [fio.Job(f"reader{at}", sum(each.values()), 0, max(each), each)
                for at, each in enumerate(bins)]

    def test_percentile_is_over_all_threads(self):
        jobs = self.jobs({10: 50}, {20: 49, 1000: 1})
        self.assertEqual(fio.percentile_ns(jobs, 0.50), 10)
        self.assertEqual(fio.percentile_ns(jobs, 0.99), 20)
        self.assertEqual(fio.percentile_ns(jobs, 1.00), 1000)

    def test_percentile_is_not_above_the_maximum(self):
        jobs = [fio.Job("reader0", 2, 0, 505, {512: 2})]
        self.assertEqual(fio.percentile_ns(jobs, 0.99), 505)

    def test_percentile_of_nothing_is_an_error(self):
        with self.assertRaises(fio.BadResult):
            fio.percentile_ns([fio.Job("reader0", 0, 0, 0, {})], 0.99)

    def test_shares_latencies_and_rate(self):
        jobs = [fio.Job("reader0", 30, 2e6, 5_000_000, {2_000_000: 30}),
                fio.Job("reader1", 10, 6e6, 9_000_000, {6_000_000: 10})]
        got = fio.metrics(small_case(), jobs, fio.Rates(0.5, 40, 1.25),
                          "virtual")
        self.assertEqual(got, {
            "share_min": 0.5, "share_max": 1.5, "share_ratio": 1 / 3,
            "lat_mean_ms": 3.0, "lat_p99_ms": 6.0, "lat_max_ms": 9.0,
            "rate_mb_s": 1.25})

    def test_a_missing_or_idle_job_is_an_error(self):
        job = fio.Job("reader0", 30, 1, 1, {1: 30})
        idle = fio.Job("reader1", 0, 0, 0, {})
        for jobs in ([job], [job, idle]):
            with self.assertRaises(fio.BadResult):
                fio.metrics(small_case(), jobs, fio.Rates(0, 1, 1), "virtual")

    def test_instructions_are_for_virtual_time_only(self):
        case = small_case(metrics=("instr_per_io",), fair=False)
        jobs = [fio.Job(f"reader{at}", 9, 1, 1, {1: 9}) for at in (0, 1)]
        rates = fio.Rates(0.5, 50_000, 1)
        self.assertEqual(fio.metrics(case, jobs, rates, "virtual"),
                         {"instr_per_io": 10_000})
        self.assertEqual(fio.metrics(case, jobs, rates, "smp"), {})


class Samples(unittest.TestCase):
    @staticmethod
    def text(per_second):
        """One sample a second from [(idle ticks, reads)] in each."""
        lines, idle, reads = ["100.0 7 0 0 0 0 0"], 7, 0
        for at, (more_idle, more_reads) in enumerate(per_second, 1):
            idle, reads = idle + more_idle, reads + more_reads
            lines.append(f"{100 + at}.0 {idle} 0 {reads} {reads * 8} 0 0")
        return "\n".join(lines)

    def test_start_and_end_do_not_count(self):
        rates = fio.parse_samples(self.text(
            [(0, 0)] * 9 + [(0, 1)] + [(75, 1000)] * 10 + [(0, 1)]
            + [(0, 0)] * 9), 1)
        self.assertAlmostEqual(rates.cpu_busy, 0.25)
        self.assertAlmostEqual(rates.ios_s, 1000)
        self.assertAlmostEqual(rates.mb_s, 4.096)

    def test_busy_is_of_all_cpus(self):
        rates = fio.parse_samples(self.text([(100, 1)] * 12), 2)
        self.assertAlmostEqual(rates.cpu_busy, 0.5)

    def test_too_few_or_damaged_samples_are_errors(self):
        for text in ("", self.text([(0, 0)] * 30), self.text([(0, 1)] * 7),
                     self.text([(0, 1)] * 12) + "\n113.0 5"):
            with self.assertRaises(fio.BadResult):
                fio.parse_samples(text, 1)


class Cases(unittest.TestCase):
    def test_limits_are_those_of_the_design(self):
        self.assertEqual(cases.CASES["starve64"].limit("lat_max_ms"), 512)
        self.assertEqual(cases.CASES["starve1000-nr8"].limit("lat_max_ms"),
                         500)
        self.assertAlmostEqual(cases.CASES["starve64"].limit("rate_mb_s"),
                               8.192)
        self.assertIsNone(cases.CASES["flood"].limit("rate_mb_s"))

    def test_each_reader_is_a_job_once(self):
        for case in cases.CASES.values():
            text = "".join(cases.job_files(case, 1, "/dev/x", 1000))
            count = sum(load.count for load in case.loads)
            names = {line for line in text.splitlines()
                     if line.startswith("[") and line != "[global]"}
            self.assertEqual(len(names), count, case.name)

    def test_seed_decides_everything(self):
        case = cases.CASES["starve64"]
        first, again, other = (cases.job_files(case, seed, "/dev/x", 1000)
                               for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(cases.seed_starts_s(case, 3),
                         cases.seed_starts_s(case, 3))
        self.assertNotEqual(cases.seed_starts_s(case, 3),
                            cases.seed_starts_s(case, 4))

    def test_plain_run_leaves_out_no_case_of_fairway_but_extras(self):
        for case in cases.CASES.values():
            if case.name not in ("cost-uring", "starve1000-nr64"):
                self.assertIn("fairway", case.schedulers(False), case.name)
            self.assertLessEqual({"mq-deadline", "kyber", "bfq", "fairway"},
                                 set(case.schedulers(True)))

    def test_offsets_are_within_their_range(self):
        for case in cases.CASES.values():
            for seed in range(1, 30):
                starts_s = cases.seed_starts_s(case, seed)
                self.assertEqual(len(starts_s), case.processes)
                self.assertLess(max(starts_s), 0.06)


class Rows(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name, "out/run.json")

    @staticmethod
    def some(scheduler="bfq", case="starve64", value=1.0):
        runs = {seed: ({"rate_mb_s": value + seed, "lat_max_ms": 600.0}, 0.1)
                for seed in (1, 2, 3, 4)}
        return rows.make_rows(cases.CASES[case], scheduler, "virtual",
                              {"nr_requests": 2}, "6.12.1", runs)

    def test_row_has_the_schema(self):
        for row in self.some():
            self.assertEqual(tuple(row), rows.FIELDS)
        row = self.some()[0]
        self.assertEqual((row["value"], row["min"], row["max"], row["n"]),
                         (3.5, 2.0, 5.0, 4))
        self.assertEqual(row["seed_values"],
                         {"1": 2.0, "2": 3.0, "3": 4.0, "4": 5.0})

    def test_place_that_cannot_hold_rows_is_refused(self):
        rows.refuse_unusable(self.path)
        blocked = self.path.parent / "file"
        blocked.write_text("")
        with self.assertRaisesRegex(SystemExit, "no rows can be put into"):
            rows.refuse_unusable(blocked / "run.json")

    def test_partial_run_keeps_other_rows(self):
        rows.save(self.path, self.some("none") + self.some("bfq"))
        old = rows.load(self.path)
        rows.save(self.path, self.some("bfq", value=9.0))
        now = rows.load(self.path)
        self.assertEqual(len(now), 4)
        self.assertEqual(now[:2], old[:2])
        self.assertEqual(now[2]["value"], 11.5)

    def test_failed_row_does_not_keep_its_old_figure(self):
        old = self.some("none") + self.some("bfq")
        now = rows.merge(old, [], {("starve64", "bfq", "virtual")})
        self.assertEqual(now, old[:2])

    def test_foreign_file_is_not_overwritten(self):
        for text in ("{", "{}", '[{"a": 1}]', "[1]"):
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text(text)
            with self.assertRaises(SystemExit):
                rows.load(self.path)
            self.assertEqual(self.path.read_text(), text)

    def test_reference_of_convoy_is_none_of_the_same_run(self):
        found = self.some("fairway", "convoy")
        rows.set_reference(found)
        self.assertIsNone(found[0]["limit"])
        found += self.some("none", "convoy", 10.0)
        rows.set_reference(found)
        self.assertEqual(found[0]["limit"], 12.5)


class Guests(unittest.TestCase):
    def works(self, names, schedulers=("none", "bfq")):
        return [guests.Work(cases.CASES[name], scheduler, (1,), 1000)
                for name in names for scheduler in schedulers]

    def test_pack_keeps_all_work_and_schedulers_apart(self):
        works = self.works([name for name in cases.CASES])
        packed = guests.pack(works)
        self.assertCountEqual([work.name for guest in packed
                               for work in guest],
                              [work.name for work in works])
        for guest in packed:
            self.assertEqual(len({work.scheduler for work in guest}), 1)

    def test_pack_boots_no_more_guests_than_it_must(self):
        works = [guests.Work(case, "fairway", (1,), case.runtime_ms)
                 for case in cases.CASES.values()
                 if "fairway" in case.schedulers(False)]
        # starve1000 fills one; the rest fits into another, in any order.
        for ordered in (works, works[::-1]):
            self.assertEqual(len(guests.pack(ordered)), 2)

    def test_real_time_is_estimated_by_the_clock(self):
        work = guests.Work(cases.CASES["starve64"], "bfq", (1, 2), 40_000)
        self.assertEqual(work.host_s, 2 * work.case.host_s)
        work.is_real_time = True
        self.assertEqual(work.host_s, 2 * (40 + guests.START_S))
        self.assertEqual(guests.longer(guests.Outcome(work, least=20)).host_s,
                         2 * (104 + guests.START_S))

    def test_short_fairness_run_is_made_longer_up_to_an_end(self):
        work = guests.Work(cases.CASES["starve64"], "bfq", (1,), 40_000)
        self.assertIsNone(guests.longer(guests.Outcome(work, least=40)))
        again = guests.longer(guests.Outcome(work, least=20))
        self.assertEqual(again.runtime_ms, 104_000)
        again.runtime_ms = 400_000
        self.assertIsNone(guests.longer(guests.Outcome(again, least=20)))
        flood = guests.Work(cases.CASES["flood"], "bfq", (1,), 4_000)
        self.assertIsNone(guests.longer(guests.Outcome(flood, least=1)))

    def test_wrong_clock_is_believed_in_nothing(self):
        works = [guests.Work(cases.CASES["starve64"], scheduler, (1, 2),
                             40_000, True) for scheduler in ("bfq", "none")]
        clocks = guests.ClockCheck()
        for item, pace in (("starve64.bfq.1", 1.05), ("starve64.bfq.2", 3.9),
                           ("starve64.none.1", 0.95)):
            clocks.see(f"@start {item} 1000.5", 70.0)
            clocks.see(f"@done {item} {1000.5 + 40 * pace}", 110.0)
        clocks.see("@fail starve64.none.2 fio failed", 120.0)
        outcomes = [guests.Outcome(work, {1: ({}, 0.1)}) for work in works]
        clocks.judge(outcomes)
        self.assertIn("3.90 times as fast", outcomes[0].error)
        self.assertEqual(outcomes[0].runs, {})
        self.assertEqual((outcomes[1].error, len(outcomes[1].runs)), ("", 1))

    def test_virtual_time_needs_no_clock_of_the_host(self):
        work = guests.Work(cases.CASES["starve64"], "bfq", (1,), 40_000)
        clocks = guests.ClockCheck()
        clocks.see("@start starve64.bfq.1 1000.0", 70.0)
        clocks.see("@done starve64.bfq.1 1040.0", 72.0)
        outcome = guests.Outcome(work)
        clocks.judge([outcome])
        self.assertEqual(outcome.error, "")

    def test_bad_guest_is_believed_in_nothing(self):
        works = self.works(["cost", "flood"], ("bfq",))
        for status, errors in ((0, [False, True]), (1, [False, True]),
                               (120, [True, True]), (143, [True, True])):
            outcomes = [guests.Outcome(work) for work in works]
            outcomes[1].error = "fio failed"
            guests.judge(outcomes, status, "boot: the kernel reported: WARN")
            self.assertEqual([bool(outcome.error) for outcome in outcomes],
                             errors, status)

    def test_status_1_without_a_named_run_is_a_failure(self):
        outcome = guests.Outcome(self.works(["cost"])[0])
        guests.judge([outcome], 1, "modprobe: no null_blk")
        self.assertIn("no null_blk", outcome.error)


class Arguments(unittest.TestCase):
    def test_seeds(self):
        self.assertEqual(cli.parse_seeds("3"), (1, 2, 3))
        self.assertEqual(cli.parse_seeds("7-9"), (7, 8, 9))
        for text in ("0", "", "x", "9-7", "-1", "1.5", "2000000"):
            with self.assertRaises(argparse.ArgumentTypeError, msg=text):
                cli.parse_seeds(text)

    def test_unknown_names_list_the_known_ones(self):
        parse = cli.chooser(tuple(cases.CASES), "case")
        self.assertEqual(parse("cost,flood cost"), ("cost", "flood"))
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "starve64"):
            parse("starve65")
        with self.assertRaisesRegex(argparse.ArgumentTypeError, "no case"):
            parse(",")

    def test_check_only_needs_no_kernel_and_refuses_the_rest(self):
        kernel = ["--check-only", "--kernel", "/nonexistent",
                  "--boot", "/nonexistent"]
        with tempfile.TemporaryDirectory() as folder:
            kernel += ["--out", folder + "/run.json"]
            with contextlib.redirect_stdout(io.StringIO()) as text:
                self.assertEqual(cli.main(kernel), 0)
            self.assertEqual(text.getvalue(), "")
            for wrong in (["--cases", "bad"], ["--sched", "bad"],
                          ["--cases", "starve64-nr4", "--sched", "none"]):
                with contextlib.redirect_stderr(io.StringIO()):
                    with self.assertRaises(SystemExit) as refused:
                        cli.main(kernel + wrong)
                self.assertNotIn(refused.exception.code, (None, 0), wrong)

    def test_wrong_use_ends_before_anything_runs(self):
        for argv in (["--kernel", "/nonexistent"], ["--mode", "fast"],
                     ["--jobs", "0"], ["surplus"]):
            with contextlib.redirect_stderr(io.StringIO()) as text:
                with self.assertRaises(SystemExit):
                    cli.parse_arguments(argv)
            self.assertIn("error:", text.getvalue())


FAKE_BOOT = r"""#!/bin/bash
# Plays the lab runner: --out DIR, --add DIR:..., one run per line of items.
while [ "$1" != -- ]; do
	case $1 in
	--out) out=$2; shift ;;
	--add) in=${2%%:*}; shift ;;
	esac
	shift
done
while read -r id scheduler _; do
	echo "@start $id"
	if [ "$scheduler" = "$HANG" ]; then
		touch "$MARK"
		sleep 1000 &
		echo $! >"$MARK.pid"
		wait
	fi
	if [ "$scheduler" = "$PANIC" ]; then
		echo "boot: the kernel reported: Kernel panic" >&2
		exit 120
	fi
	if [ "$scheduler" = "$UNABLE" ]; then
		echo "boot: No space left on device" >&2
		exit 121
	fi
	printf 'nr_requests 64\nrotational 0\nrelease 6.12.9-lab\ncpus 1\n' \
		>"$out/$id.info"
	cp "$CANNED_JSON" "$out/$id.0.json"
	cp "$CANNED_SAMPLES" "$out/$id.samples"
	touch "$out/$id.ok"
	echo "@done $id"
done <"$in/items"
"""


class Whole(unittest.TestCase):
    """The command itself, with a runner that only plays a guest."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        boot = self.folder / "boot"
        boot.write_text(FAKE_BOOT)
        boot.chmod(0o755)
        (self.folder / "json").write_text(
            fio_text(job_json("reader0", 10, {10: 10})))
        (self.folder / "samples").write_text(
            Samples.text([(0, 100_000)] * 12))
        self.out = self.folder / "out/run.json"
        self.environment = dict(
            os.environ, HANG="", PANIC="", UNABLE="", MARK=str(self.folder / "hung"),
            CANNED_JSON=str(self.folder / "json"),
            CANNED_SAMPLES=str(self.folder / "samples"))

    def start(self, *arguments, **environment):
        return subprocess.Popen(
            [sys.executable, HERE / "run", "--boot", self.folder / "boot",
             "--kernel", self.folder / "json",
             "--out", self.out, "--cases", "cost", *arguments],
            env=self.environment | environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def schedulers(self):
        return {row["scheduler"] for row in rows.load(self.out)}

    @staticmethod
    def is_running(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
        except OSError:
            return False

    def test_all_well(self):
        process = self.start("--seeds", "2")
        text, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, text)
        self.assertEqual(self.schedulers(), set(cases.SCHEDULERS))
        row = rows.load(self.out)[0]
        self.assertEqual((row["base"], row["n"], row["metric"], row["value"]),
                         ("6.12.9", 2, "instr_per_io", 10_000))
        self.assertIn("[10/10]", text)

    def test_panic_fails_its_rows_only(self):
        process = self.start(PANIC="kyber")
        text, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, text)
        self.assertIn("FAILED cost kyber: guest failed (120): boot: the "
                      "kernel reported: Kernel panic", text)
        self.assertEqual(self.schedulers(),
                         set(cases.SCHEDULERS) - {"kyber"})

    def test_host_that_starts_no_guest_costs_no_rows(self):
        self.start().communicate(timeout=60)
        for cause, left in (("UNABLE", set(cases.SCHEDULERS)),
                            ("PANIC", set(cases.SCHEDULERS) - {"bfq"})):
            process = self.start(**{cause: "bfq"})
            text, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 1, text)
            self.assertIn("FAILED cost bfq: guest failed", text)
            self.assertEqual(self.schedulers(), left, cause)

    def test_missing_qemu_is_refused_at_once(self):
        self.start().communicate(timeout=60)
        process = self.start("--check-only", "--boot", guests.BOOT,
                             PATH=str(self.folder))
        text, _ = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2, text)
        self.assertIn("error: qemu-system-x86_64 not found", text)
        self.assertEqual(self.schedulers(), set(cases.SCHEDULERS))

    def test_interrupt_keeps_rows_and_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("--jobs", "1", HANG="bfq")
            mark = self.folder / "hung.pid"
            deadline = time.monotonic() + 60
            while not (mark.exists() and mark.read_text().endswith("\n")):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            child = int(mark.read_text())
            process.send_signal(number)
            text, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, text)
            self.assertEqual(self.schedulers(),
                             {"none", "mq-deadline", "kyber"})
            self.assertFalse(self.is_running(child))
            mark.unlink()
            self.out.unlink()


class Report(unittest.TestCase):
    def test_table_marks_cpu_bound_and_gives_the_worst(self):
        runs = {1: ({"rate_mb_s": 8.0, "lat_max_ms": 512.0}, 0.9),
                2: ({"rate_mb_s": 8.0, "lat_max_ms": 768.0}, 0.9)}
        found = rows.make_rows(cases.CASES["starve64"], "kyber", "virtual",
                               {}, "6.12.1", runs)
        text = report.plain(found)
        self.assertRegex(text, r"starve64 +kyber +640 \(768\) +1\.25 +8\.00 "
                               r"+0\.98 +0\.90\*")

    def test_readme_table_is_replaced_and_dated(self):
        found = Rows.some()
        before = "a\n<!-- run-table -->\nold\n<!-- /run-table -->\nb\n"
        text = report.into_readme(before, found, "2026-01-02")
        self.assertNotIn("old", text)
        self.assertTrue(text.startswith("a\n<!-- run-table -->\n"))
        self.assertTrue(text.endswith("<!-- /run-table -->\nb\n"))
        self.assertRegex(text, "`make run SEEDS=4`, with CASES=.*, 2026-01-02, Linux 6.12.1")
        self.assertEqual(report.into_readme(text, found, "2026-01-02"), text)

    def test_readme_loses_no_row(self):
        found = Rows.some()
        text = report.into_readme("<!-- run-table --><!-- /run-table -->", found,
                                  "2026-01-02")
        last = (found[-1]["case"], found[-1]["scheduler"])
        fewer = [row for row in found if (row["case"], row["scheduler"]) != last]
        with self.assertRaisesRegex(SystemExit, " ".join(last)):
            report.into_readme(text, fewer, "2026-01-02")

    def test_readme_without_marks_is_an_error(self):
        with self.assertRaises(SystemExit):
            report.into_readme("nothing", Rows.some(), "2026-01-02")


if __name__ == "__main__":
    unittest.main()
