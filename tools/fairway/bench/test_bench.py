# SPDX-License-Identifier: GPL-2.0
"""Unit tests of make bench: what is between cells.tsv and the pictures."""

import argparse
import contextlib
import io
import json
import os
import re
import stat
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from unittest import mock

from bench import (cells, cli, crosscheck, expect, figures, jobs, judge,
                   keys, limits, page, realdisk, reports, session, store,
                   table)
from run.fio import BadResult

PARAMS = keys.MODELS / "model_rotational_params.c"
HEAD = "\t".join(cells.COLUMNS) + "\n"
GOOD = {"cell": "four", "suite": "heritage", "row": "direct4",
        "device": "seekdisk", "depth": "32", "fs": "raw", "files": "-",
        "mem_mb": "384", "warm_s": "10", "seconds": "30", "seeds": "3",
        "settings": "-", "jobs": "reader*4 rw=read bs=64k @spread=8g",
        "metrics": "rate_mb_s", "limit": "stream", "about": "four readers"}


def line(**changes):
    return "\t".join((GOOD | changes)[name] for name in cells.COLUMNS) + "\n"


def cell(**changes):
    found, = cells.parse(HEAD + line(**changes)).values()
    return found


class Table(unittest.TestCase):
    def test_good_line_is_read(self):
        got = cell()
        self.assertEqual((got.depth, got.warm_s, got.seeds), (32, 10, 3))
        self.assertEqual(got.loads[0].own, {"spread": 8 << 30})
        self.assertEqual(got.loads[0].options, ("rw=read", "bs=64k"))

    def test_bad_lines_are_refused_by_line_and_column(self):
        for column, value in (
                ("cell", "No"), ("suite", "heritag"), ("device", "ide2003"),
                ("depth", "0"), ("depth", "many"), ("fs", "ext5"),
                ("files", "4x4m"), ("mem_mb", "64"), ("warm_s", "-1"),
                ("seconds", "41"), ("seeds", "0"), ("seeds", "3.5"),
                ("settings", "vm.dirty_bytes"), ("settings", "kernel.x=1"),
                ("jobs", "reader rw=read"), ("jobs", "reader*0 rw=read"),
                ("jobs", "reader*4 bs=4k"), ("jobs", "reader*4 rw=read @x=1"),
                ("jobs", "a*1 rw=read | a*1 rw=read"),
                ("jobs", "reader*4 rw=read @spread=8x"),
                ("metrics", "rate"), ("limit", "service"), ("about", " x")):
            with self.subTest(column=column, value=value):
                with self.assertRaisesRegex(
                        cells.BadTable, rf":3: column {column}\b"):
                    cells.parse(HEAD + line() + line(
                        **({"cell": "other"} | {column: value})))

    def test_wrong_number_of_columns_twice_the_name_and_no_head(self):
        for text, word in ((HEAD + line()[:-1] + "\tmore\n", "17 columns"),
                           (HEAD + line() + line(), "twice"),
                           (line(), "columns have to be"),
                           (HEAD, "no cells")):
            with self.assertRaisesRegex(cells.BadTable, word):
                cells.parse(text)

    def test_files_of_jobs_have_to_exist(self):
        for jobs_text in ("reader*4 rw=read @file=own",
                          "reader*1 rw=read @file=2", "reader*1 rw=read"):
            with self.assertRaisesRegex(cells.BadTable, "column jobs"):
                cell(fs="ext4", files="2x4m", jobs=jobs_text)

    def test_limits_name_cells_that_there_are(self):
        for limit in ("idle:four", "idle:gone", "front:four"):
            with self.assertRaisesRegex(cells.BadTable, "column limit"):
                cells.parse(HEAD + line() + line(cell="other", limit=limit))
        cells.parse(HEAD + line(cell="four-1") + line(limit="front:four"))

    def test_second_disk(self):
        got = cell(device="seekdisk+ide2002",
                   jobs="a*1 rw=read | b*1 rw=write @disk=2")
        self.assertEqual((got.device, got.second), ("seekdisk", "ide2002"))
        text = jobs.fio_jobs(got, 1, jobs.guest_place(got))
        self.assertEqual(re.findall("filename=(.*)", text),
                         ["/dev/modelbench", "/dev/modelsecond"])
        for changes in ({"jobs": "b*1 rw=write @disk=2"},
                        {"device": "null+ide2002", "depth": "1x1us"},
                        {"device": "ide2002+null"}):
            with self.assertRaises(cells.BadTable):
                cell(**changes)

    def test_hash_is_of_what_is_measured_only(self):
        self.assertEqual(cell().hash, cell(about="other", limit="-").hash)
        for changes in ({"seconds": "20"}, {"depth": "1"},
                        {"jobs": "reader*4 rw=read bs=4k @spread=8g"}):
            self.assertNotEqual(cell().hash, cell(**changes).hash)

    def test_committed_table(self):
        known = cells.load()
        self.assertGreater(len(known), 100)
        for one in known.values():
            if one.row != "randread":
                self.assertLessEqual(one.seconds, cells.MAX_SECONDS)
            if one.row in ("randread", "starve"):
                self.assertEqual(one.seeds, 5, one.name)

    def test_streams_of_the_committed_table_lie_on_their_disks(self):
        sizes = {name: int(sectors) * 512 for name, sectors in re.findall(
            r"rot_(\w+) = \{\s*\.capacity_sectors = (\d+)",
            PARAMS.read_text(encoding="utf-8"))}
        self.assertEqual(set(sizes), set(cells.ROTATIONAL))
        for one in cells.load().values():
            count = sum(load.count for load in one.loads)
            for load in one.loads:
                if "spread" in load.own and one.device in sizes:
                    self.assertLess((count - 1) * load.own["spread"],
                                    sizes[one.device], one.name)


class Choice(unittest.TestCase):
    def listed(self, *options):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            cli.main(["--list", *options])
        return [row.split()[0] for row in text.getvalue().splitlines()]

    def test_list_has_what_is_asked_for(self):
        self.assertEqual(self.listed("--case", "starve256"), ["starve256"])
        self.assertIn("switches", self.listed("--suite", "cpu"))
        self.assertNotIn("starve64", self.listed("--suite", "cpu"))

    def test_unknown_cell_is_refused_without_a_kernel(self):
        with self.assertRaisesRegex(SystemExit, "no cell or row 'typo'"):
            self.listed("--case", "typo")


class Jobs(unittest.TestCase):
    def text(self, seed, **changes):
        one = cell(**changes)
        return jobs.fio_jobs(one, seed, jobs.guest_place(one))

    def test_a_seed_repeats_and_another_one_differs(self):
        self.assertEqual(self.text(1), self.text(1))
        self.assertNotEqual(self.text(1).replace("randseed=1", "randseed=2"),
                            self.text(2))

    def test_streams_of_two_loads_do_not_lie_on_each_other(self):
        text = self.text(1, jobs="reader*2 rw=read @spread=8g | "
                                 "writer*2 rw=write @spread=8g")
        starts = re.findall(r"offset=(\d+)", text)
        self.assertEqual(starts, [str(at << 33) for at in range(4)])

    def test_whole_run_time_zeros_and_a_log_of_each_job(self):
        text = self.text(1)
        self.assertIn("runtime=40000ms", text)
        self.assertIn("zero_buffers=1", text)
        self.assertEqual(len(re.findall(r"write_lat_log=", text)), 4)

    def test_pages_of_files_that_are_read_are_dropped(self):
        text = self.text(1, fs="ext4", files="2x4m", jobs=(
            "reader*1 rw=read @file=0 | writer*1 rw=write @file=1"))
        self.assertEqual(re.findall("invalidate=(.)", text), ["1", "0"])
        self.assertNotIn("invalidate=1", self.text(1))

    def test_a_stagger_is_kept_beside_the_seed_s_offsets(self):
        text = self.text(1, jobs="reader*3 rw=read @stagger=500")
        starts = [float(at) for at in re.findall(r"prerun=sleep (\S+)", text)]
        for at, start in enumerate(starts):
            self.assertTrue(at * 0.5 <= start < at * 0.5 + 0.05)

    def test_a_load_that_ends_starts_after_the_warm_up(self):
        text = self.text(1, jobs="app*1 rw=read @once=1")
        self.assertIn("time_based=0\nruntime=30000ms", text)
        start = float(re.search(r"prerun=sleep (\S+)", text)[1])
        self.assertTrue(10 <= start < 10.05)

    def test_plan_is_safe_for_the_shell(self):
        one = cell(settings="vm.dirty_bytes=7 nr_requests=9")
        text = jobs.plan(one, "bfq-ll0", 3, jobs.guest_place(one))
        run = subprocess.run(
            ["bash", "-uc", text + 'echo "$scheduler|$nr_requests|$sysctls"'],
            capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout, "bfq-ll0|9|vm/dirty_bytes=7\n")

    def test_plan_names_the_module_s_model_of_the_preset(self):
        for preset, model in (("seekdisk", "rotational"), ("nvme", "flash"),
                              ("sdcard", "stick")):
            one = cell(device=preset, limit="-")
            self.assertIn(f"model={model}\n", jobs.plan(
                one, "none", 1, jobs.guest_place(one)))

    def test_on_a_real_disk_the_streams_are_spread_over_all_of_it(self):
        place = jobs.Place("sda", Path("/x"), 100 << 30)
        text = jobs.fio_jobs(cell(), 1, place)
        starts = re.findall(r"offset=(\d+)", text)
        self.assertEqual(starts, [str(at * 25 << 30) for at in range(4)])


def log(*entries, size=1000):
    """fio's log of (end in s, latency in s)."""
    return "".join(f"{int(end * 1000)}, {int(lat * 1e9)}, 0, {size}, 0\n"
                   for end, lat in entries)


def job(name, *entries, size=1000):
    return figures.parse_log(name, log(*entries, size=size))


class Figures(unittest.TestCase):
    load = cells.Load("reader", 2, (), {})

    def test_damaged_log_is_an_error(self):
        for text in ("1, 2\n", "1, x, 0, 4096, 0\n"):
            with self.assertRaises(BadResult):
                figures.parse_log("reader0", text)

    def test_windows_begin_with_the_first_io(self):
        one = cell(warm_s="10", seconds="30")
        found = figures.windows(one, [job("a", (105, 5), (110, 1)),
                                      job("b", (101, 0.5))], {})
        self.assertEqual(found["warm"].begin_ms, 100_000)
        self.assertEqual((found["measured"].begin_ms,
                          found["measured"].end_ms), (110_000, 140_000))
        with self.assertRaises(BadResult):
            figures.windows(one, [job("a")], {})
        found = figures.windows(one, [job("a")], {"b": (50_000, 60_000)})
        self.assertEqual(found["measured"].begin_ms, 50_000)

    def test_shares_of_bytes(self):
        got = figures.shares([30, 10])
        self.assertEqual(got["share_min"], 0.5)
        self.assertAlmostEqual(got["share_ratio"], 1 / 3)
        self.assertEqual(got["spread_pct"], 100)
        self.assertAlmostEqual(got["jain"], 1600 / (2 * 1000))
        self.assertEqual(figures.shares([7, 0, 0])["jain"], 1 / 3)

    def test_a_starved_job_s_wait_counts_though_it_ends_late(self):
        part = figures.Window(0, 10_000, True)
        got = figures.load_figures(self.load, [
            job("a", *((at, 0.001) for at in range(1, 11))),
            job("b", (14, 13.5))], part)
        self.assertEqual(got["lat_max_ms"], 13_500)
        self.assertEqual(got["share_min"], 0)
        self.assertEqual(got["rate_mb_s"], 10 * 1000 / 10 / 1e6)
        self.assertAlmostEqual(got["over_10s_pct"], 100 / 11)

    def test_an_earlier_window_has_only_what_ended_in_it(self):
        part = figures.Window(0, 10_000, False)
        got = figures.load_figures(self.load, [job("a", (1, 1), (14, 13.5))],
                                   part)
        self.assertEqual(got["lat_max_ms"], 1000)

    def test_percentiles_and_the_longest_gap(self):
        part = figures.Window(0, 100_000, True)
        got = figures.load_figures(self.load, [job("a", *(
            (at, at / 1000) for at in range(1, 101) if at != 50))], part)
        self.assertEqual(got["lat_p50_ms"], 51)
        self.assertEqual(got["lat_p99_ms"], 100)
        self.assertEqual(got["gap_max_ms"], 2000)

    def test_late_ios_of_a_periodic_load(self):
        load = cells.Load("player", 1, (), {"period": 20})
        got = figures.load_figures(
            load, [job("a", (1, 0.019), (2, 0.021), (3, 0.5), (4, 0.001))],
            figures.Window(0, 9000, True))
        self.assertEqual(got["late_pct"], 50)

    def test_dbench_s_last_line(self):
        got = figures.dbench_figures(
            "  64   1234  10.0 MB/sec  execute 9 sec\n\n Operation\n"
            "Throughput 10.5 MB/sec  64 clients  64 procs  "
            "max_latency=1234.5 ms\n")
        self.assertEqual(got, {"rate_mb_s": 10.5 * 1.048576,
                               "lat_max_ms": 1234.5})
        with self.assertRaises(BadResult):
            figures.dbench_figures("open failed\n")

    def test_bytes_that_a_scheduler_holds(self):
        self.assertEqual(figures.memory_figures(
            "request_bytes 384\nprocess_bytes -3\n"),
            {"request_bytes": 384, "process_bytes": -3})
        for text in ("", "request_bytes 384\n", "request_bytes\n"):
            with self.subTest(text), self.assertRaises((KeyError, ValueError)):
                figures.memory_figures(text)

    def test_series_has_each_second_of_each_job(self):
        got = figures.series([job("a", (0.5, 0), (1.5, 0), (1.6, 0),
                                  size=1_000_000)],
                             figures.Window(0, 3000, True))
        self.assertEqual(got, [[1, 2, 0]])

    def test_device_figures_are_of_the_window(self):
        names = figures.COLUMNS_FIXED + ("seeks", "seek_ns", "rotation_ns")
        rows = [dict(zip(names, map(float, (
            at, 50 * at, 0, 100 * at, 800 * at, 0, 0, 2048,
            100 * at, 5e8 * at, 3e8 * at)))) for at in range(10)]
        got = figures.device_figures(rows, figures.Window(2000, 6000, True), 1)
        self.assertEqual(got["cpu_busy"], 0.5)
        self.assertEqual(got["ios_s"], 100)
        self.assertEqual(got["switch_ms"], 8)
        self.assertEqual(got["seek_pct"], 50)
        self.assertEqual(got["instr_per_io"], 0.5e9 / 100)


class Limits(unittest.TestCase):
    def model(self, preset):
        """A preset's parameters, from the module's source."""
        text = PARAMS.read_text(encoding="utf-8")
        body = re.search(rf"rot_{preset} = \{{(.*?)\n\}};", text, re.S)[1]
        found = {name: 0 for name in re.findall(
            r'ROT_PARAM\((\w+)|"(\w+)"', text) for name in name if name}
        found |= {name: 0 for name in (
            "tracks", "skew", "command_ns", "rotation", "head_switch_ns",
            "cylinder_switch_ns", "seek_full_ns")}
        return found | {name: int(value) for name, value in re.findall(
            r"\.(\w+) = (\d+)", body)}

    def test_stream_curve_at_the_published_points(self):
        # 30 MB/s; with s = 11.5 ms 64 streams have 23.7 at 3.5 s. By hand:
        # 4 at 300 ms with s = 15 ms: q = 285/3 - 15 = 80, 30 * 80/95
        for streams, switch_s, longest_s, rate in (
                (64, 0.0115, 3.5, 23.7), (4, 0.015, 0.3, 30 * 80 / 95)):
            got = limits.stream_rate(streams, switch_s, longest_s, 30)
            self.assertAlmostEqual(got, rate, delta=0.1)

    def test_stream_curve_s_ends(self):
        self.assertEqual(limits.stream_rate(1, 0.01, 0.1, 30), 30)
        self.assertEqual(limits.stream_rate(64, 0.01, 0.3, 30), 0)
        self.assertGreater(limits.stream_rate(4, 0.01, 100, 30), 29.9)

    def test_streaming_rate_is_the_data_sheet_s(self):
        # MB/s of zone 0 in the two specifications; the third has no tracks
        for preset, rate in (("ide2002", 50.7), ("sata7200", 64.8),
                             ("seekdisk", 30)):
            self.assertAlmostEqual(limits.streaming_rate(
                self.model(preset)) / 1e6, rate, delta=0.15)

    def test_seek_times(self):
        disk = self.model("seekdisk")
        self.assertEqual(limits.seek_s(disk, 0), 0)
        self.assertAlmostEqual(limits.seek_s(disk, 1), 0.015)
        self.assertAlmostEqual(limits.seek_s(disk, 0.25), 0.008)
        ide = self.model("ide2002")
        self.assertAlmostEqual(limits.seek_s(ide, 1), 0.0147)
        knee = ide["seek_knee_permille"] / 1000
        self.assertAlmostEqual(limits.seek_s(ide, knee - 1e-9),
                               limits.seek_s(ide, knee + 1e-9), delta=1e-6)

    def test_frozen_sweep_as_it_was_simulated_elsewhere(self):
        got = limits.frozen_sweep(self.model("seekdisk"), 128, 4096)
        self.assertAlmostEqual(got["rate"] / 1e6, 0.52, delta=0.01)
        self.assertAlmostEqual(got["max_to_mean"], 2.05, delta=0.06)

    def test_fixed_window_front(self):
        points = [(100, 1.0), (200, 2.0), (300, 6.0), (290, 9.0)]
        for rate, latency in ((50, 1), (150, 1.5), (250, 4), (300, 6),
                              (301, None)):
            self.assertEqual(limits.front_ms(points, rate), latency)
        self.assertIsNone(limits.front_ms([], 1))

    def test_readers_in_line_wait_for_all_before_them(self):
        one = cell(device="null", depth="1x8000us", limit="service",
                   jobs="reader*64 rw=randread bs=64k")
        got = limits.of_run(one, {}, {"reader": {}}, {})
        self.assertEqual(got["lat_max_ms"], 512)
        self.assertAlmostEqual(got["rate_mb_s"], 8.192)


def run_of(seed, rate=10.0, longest=100.0, key=None):
    values = {"rate_mb_s": rate, "ios_s": 1.0, "lat_max_ms": longest,
              "lat_mean_ms": 5.0, "share_min": 1.0, "share_max": 1.0,
              "spread_pct": 0.0, "jain": 1.0}
    return {"key": key or {"base": "6.12.1"}, "seed": seed,
            "windows": {"measured": {"reader": values},
                        "all": {"reader": values}},
            "device": {"cpu_busy": 0.1, "switch_ms": 10.0},
            "limits": {"rate_mb_s": 20.0, "streaming_mb_s": 30.0},
            "histogram": {"reader": {"100": 90, "140": 10}},
            "series": {"reader": [[1.0] * 40] * 4}, "host_s": 9}


class Store(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.runs = store.Runs(self.folder / "bench")
        self.key = {"base": "6.12.1"}

    def book(self, peers=None):
        return store.Book(self.runs, "6.12.1",
                          lambda *_: self.key, peers or {})

    def save(self, *seeds, scheduler="none", **more):
        for seed in seeds:
            self.runs.save(cell(), scheduler, seed, run_of(seed, **more))

    def test_only_what_is_missing_is_measured(self):
        self.save(1, 3)
        self.assertEqual(self.book().missing(cell(), "none", (1, 2, 3)), [2])

    def test_another_key_is_measured_again_and_named(self):
        self.save(1, 2)
        self.key = {"base": "6.12.2"}
        self.assertEqual(self.book().missing(cell(), "none", (1, 2)), [1, 2])
        entry, older = self.book().entry(cell(), "none")
        self.assertEqual((entry["seeds"], older), ([1, 2], ["base"]))

    def test_committed_peers_are_not_measured_again(self):
        peer = store.make_entry(cell(), "none", {1: run_of(1), 2: run_of(2)})
        book = self.book({("four", "none"): peer})
        self.assertEqual(book.missing(cell(), "none", (1, 2)), [])
        self.assertEqual(book.missing(cell(), "none", (1, 2, 3)), [1, 2, 3])
        self.key = {"base": "6.12.2"}
        self.assertEqual(book.missing(cell(), "none", (1,)), [1])

    def test_runs_of_two_keys_are_not_mixed(self):
        self.save(1, 2, key={"base": "old"})
        self.save(3)
        os.utime(self.runs.path(cell(), "none", 3), (2e9, 2e9))
        entry, older = self.book().entry(cell(), "none")
        self.assertEqual((entry["seeds"], older), ([3], []))

    def test_peers_file_keeps_more_seeds_and_takes_new_keys(self):
        path = self.folder / "peers.json"
        known = {"four": cell()}
        two = store.make_entry(cell(), "none", {1: run_of(1), 2: run_of(2)})
        one = store.make_entry(cell(), "none", {1: run_of(1, rate=99.0)})
        mine = store.make_entry(cell(), "fairway", {1: run_of(1)})
        self.assertEqual(store.save_peers([two, mine], known, path), 1)
        self.assertEqual(store.save_peers([one], known, path), 0)
        self.assertEqual(list(store.load_peers(path)), [("four", "none")])
        one["key"] = {"base": "6.12.2"}
        self.assertEqual(store.save_peers([one], known, path), 1)
        entry = store.load_peers(path)["four", "none"]
        self.assertEqual(entry["measured"]["reader"]["rate_mb_s"], [99.0])
        self.assertEqual(store.save_peers([], {}, path), 0)
        self.assertEqual(store.load_peers(path), {}, "a cell that is gone")

    def test_foreign_peers_file_is_refused_and_left(self):
        path = self.folder / "peers.json"
        for text in ("[1]", "[{}]", "{", '{"a": 1}'):
            path.write_text(text)
            with self.assertRaises(SystemExit):
                store.save_peers([], {}, path)
            self.assertEqual(path.read_text(), text)

    def test_rows_have_median_range_and_limit(self):
        entry = store.make_entry(cell(), "none", {
            seed: run_of(seed, rate=rate)
            for seed, rate in ((1, 9.0), (2, 11.0), (3, 10.0))})
        row, = [row for row in store.rows(cell(), entry)
                if row["metric"] == "rate_mb_s" and row["load"] == "reader"]
        self.assertEqual((row["value"], row["min"], row["max"], row["limit"],
                          row["n"]), (10, 9, 11, 20, 3))
        self.assertEqual(row["window"], "measured")
        self.assertEqual(row["seed_values"], {"1": 9.0, "2": 11.0, "3": 10.0})

    def test_committed_peers_are_of_known_cells_and_peers(self):
        known = cells.load()
        for name, scheduler in store.load_peers():
            self.assertIn(name, known)
            self.assertIn(scheduler, cells.PEERS)


class Adoption(unittest.TestCase):
    def setUp(self):
        direct = "reader*4 rw=read bs=64k direct=1 @spread=8g"
        self.cells = cells.parse(HEAD + line() + line(
            cell="direct", jobs=direct))
        self.peers = {
            (name, "bfq"): store.make_entry(
                self.cells[name], "bfq", {1: run_of(1, key=dict(key))})
            for name, key in (("four", {"base": "6", "model": "a"}),
                              ("direct", {"base": "6", "model": "a"}))}
        self.book = store.Book(store.Runs(Path(os.devnull)), "6",
                               lambda *_: {"base": "6", "model": "b"},
                               self.peers)

    def test_only_what_differs_in_the_part_alone(self):
        self.peers["four", "bfq"]["key"]["base"] = "5"
        every = session.adopters("model", self.cells, self.book)
        self.assertEqual([[entry["cell"] for entry in entries]
                          for entries in every.values()], [["direct"]])

    def test_a_direct_row_is_the_proof(self):
        (entries,) = session.adopters("model", self.cells,
                                      self.book).values()
        self.assertEqual(len(entries), 2)
        entry, work = session.proof(entries, self.cells, self.book)
        self.assertEqual((entry["cell"], work.seed), ("direct", 1))

    def test_what_has_no_rate_proves_nothing(self):
        for entry in self.peers.values():
            entry["measured"] = {"crowd": {"process_bytes": [600.0]}}
            self.assertFalse(session.is_same(entry, run_of(1)))
        self.peers["four", "bfq"]["measured"]["crowd"]["rate_mb_s"] = [9.0]
        (entries,) = session.adopters("model", self.cells,
                                      self.book).values()
        entry, _ = session.proof(entries, self.cells, self.book)
        self.assertEqual(entry["cell"], "four")

    def test_progress_says_what_the_cell_is_about(self):
        run = run_of(1, rate=10.0)
        run["device"]["instr_per_io"] = 9000.0
        run["windows"]["measured"]["crowd"] = {"process_bytes": 600.0}
        for metrics, said in (("rate_mb_s", "reader rate_mb_s 10.0"),
                              ("instr_per_io", "device instr_per_io 9000"),
                              ("process_bytes", "crowd process_bytes 600")):
            cell, = cells.parse(HEAD + line(metrics=metrics)).values()
            with self.subTest(metrics):
                self.assertEqual(session.summary(cell, run), said)

    def test_two_percent_are_the_same_and_three_are_not(self):
        entry = self.peers["four", "bfq"]
        self.assertTrue(session.is_same(entry, run_of(1, rate=10.19)))
        self.assertFalse(session.is_same(entry, run_of(1, rate=10.3)))


class Keys(unittest.TestCase):
    def test_a_scheduler_s_sources_count_for_it_alone(self):
        self.assertNotIn("scheduler", keys.key(cell(), "bfq", "6.12.1"))
        self.assertIn("scheduler", keys.key(cell(), "fairway", "6.12.1"))

    def test_each_part_is_named_when_it_differs(self):
        before = keys.key(cell(), "fairway", "6.12.1")
        after = keys.key(cell(seconds="20"), "fairway", "6.12.2")
        self.assertEqual(keys.differs(before, after), ["base", "cell"])
        other = keys.key(cell(device="ide2002"), "none", "6.12.1")
        self.assertEqual(keys.differs(before, other), ["cell", "scheduler"])

    def test_digest_sees_names_and_contents(self):
        with tempfile.TemporaryDirectory(dir=keys.ROOT) as scratch:
            a, b = Path(scratch, "a"), Path(scratch, "b")
            a.write_text("1")
            b.write_text("2")
            both = keys.digest([b, a])
            self.assertEqual(both, keys.digest([a, b]))
            b.write_text("3")
            self.assertNotEqual(both, keys.digest([a, b]))
            self.assertNotEqual(keys.digest([a]), keys.digest([b]))


class Reports(unittest.TestCase):
    def found(self, *schedulers):
        return [(store.make_entry(cell(), name, {1: run_of(1), 2: run_of(
            2, longest=150.0)}), []) for name in schedulers]

    def test_table_has_rate_limit_and_the_worst_wait(self):
        text = table.block(cell(), self.found("none", "fairway"))
        self.assertIn("four readers", text)
        self.assertRegex(text, r"none +reader +10\.0 +0\.50 ")
        self.assertIn("125 (150)", text)
        self.assertIn("30.0 MB/s streaming", text)

    def test_instructions_are_beside_none_s(self):
        entry, _ = self.found("bfq")[0]
        entry["device"]["instr_per_io"] = [9000.0, 9100.0]
        entry["limits"] = {"none_instr": [8000.0]}
        cpu = cell(suite="cpu", limit="-", metrics="instr_per_io")
        self.assertEqual(table.instructions(cpu, entry), ("9050", "1050"))
        self.assertEqual(table.instructions(cell(), entry), ("", ""))
        text = table.block(cpu, [(entry, [])])
        self.assertRegex(text, r"bfq +reader +9050 +1050")
        self.assertNotIn("limit:", text)

    def test_bytes_are_shown(self):
        entry, _ = self.found("bfq")[0]
        entry["measured"] = {"crowd": {"request_bytes": [421.0],
                                       "process_bytes": [1593.0]}}
        entry["limits"] = {}
        self.assertRegex(table.block(cell(suite="cpu", limit="-"),
                                     [(entry, [])]),
                         r"B/request +B/process.*\n +bfq +crowd +421 +1593")

    def test_older_rows_say_so(self):
        entry, _ = self.found("none")[0]
        self.assertIn("older: base", table.block(cell(), [(entry, ["base"])]))

    def test_targets(self):
        entries = {name: store.make_entry(cell(), name, {
            1: run_of(1, rate=rate, longest=longest),
            2: run_of(2, rate=rate + 1, longest=longest + 50)})
            for name, rate, longest in (("bfq", 10, 100), ("none", 8, 300),
                                        ("fairway", 9.5, 210))}
        peers = [entries["bfq"], entries["none"]]

        def verdict(*line_):
            return judge.judge(judge.Target("*", "-", *line_, "-"),
                               entries["fairway"], peers, None)

        for target, result in (
                (("rate_mb_s", ">=", 0.9, "best"), "met"),
                (("rate_mb_s", ">=", 1.0, "best"), "in range"),
                (("rate_mb_s", ">=", 1.2, "best"), "MISSED"),
                (("lat_max_ms", "<=", 1.0, "best"), "MISSED"),
                (("lat_max_ms", "<=", 250, "1"), "met"),
                (("lat_max_ms", "<=", 42, "mean"), "in range"),
                (("rate_mb_s", ">=", 0.5, "limit"), "met"),
                (("rate_mb_s", ">=", 1.0, "rate4"), "unknown"),
                (("elapsed_s", "<=", 1.0, "idle"), "unknown")):
            self.assertEqual(verdict(*target)[0], result, target)
        self.assertIn("bfq's, best of 2 peers = 10.5: 10.0 (9.50 to 10.5)",
                      verdict("rate_mb_s", ">=", 1.0, "best")[1])
        self.assertIn("close: take 5 seeds",
                      verdict("rate_mb_s", ">=", 1.0, "best")[1])
        self.assertNotIn("close", verdict("rate_mb_s", ">=", 1.2, "best")[1])

    def test_targets_name_cells_and_metrics_that_there_are(self):
        known = cells.load()
        for one in judge.parse(judge.TABLE.read_text(encoding="utf-8")):
            self.assertTrue(any(cli.matches(c, one.cells)
                                for c in known.values()), one)
            self.assertIn(one.metric, cells.METRICS)
            if one.of != "-":
                self.assertIn(one.of, known)

    def test_results_are_a_page_of_the_documentation(self):
        (entry, _), = self.found("bfq")
        book = store.Book(store.Runs(Path(os.devnull)), "6.12.1",
                          lambda *_: entry["key"], {("four", "bfq"): entry})
        text = reports.results({"four": cell()}, book, "2026-01-02")
        self.assertIn("on 2026-01-02 from", text)
        self.assertIn("1 of 1 cells", text)
        self.assertIn("\nHeritage\n========\n", text)
        self.assertRegex(text, r"four readers::\n\n    scheduler")
        title = text.splitlines()[2:5]
        self.assertEqual(len(title[0]), len(title[1]))
        self.assertEqual(title[0], title[2])

    def test_history_has_rows_where_it_wants_them_and_keeps_its_text(self):
        (entry, _), = self.found("bfq")
        book = store.Book(store.Runs(Path(os.devnull)), "6.12.1",
                          lambda *_: entry["key"], {("four", "bfq"): entry})
        page = ("Text.\n\n.. replayed on: never\n\n.. replay: four\n\n"
                ".. replay end\n\nMore.\n")
        text = reports.history(page, {"four": cell()}, book, "2026-01-02")
        self.assertIn(".. replayed on: 2026-01-02, Linux 6.12.1\n", text)
        self.assertRegex(text, r"\.\. replay: four\n\n::\n\n  four: .*\n"
                               r"    scheduler.*\n    bfq ")
        self.assertIn("  not measured yet: none, mq-deadline, kyber, bfq-ll0, fairway",
                      text)
        self.assertTrue(text.endswith("\n\n.. replay end\n\nMore.\n"))
        self.assertEqual(reports.history(text, {"four": cell()}, book,
                                         "2026-01-02"), text)

    def test_history_refuses_what_it_cannot_fill(self):
        book = store.Book(store.Runs(Path(os.devnull)), "6.12.1",
                          lambda *_: {}, {})
        for page in ("no place", ".. replay: five\n\n.. replay end\n"):
            with self.subTest(page=page), self.assertRaises(SystemExit):
                reports.history(page, {"four": cell()}, book, "2026-01-02")

    def test_history_names_cells_that_there_are(self):
        book = store.Book(store.Runs(Path(os.devnull)), "6.12.1",
                          lambda *_: {}, {})
        text = cli.HISTORY.read_text(encoding="utf-8")
        reports.history(text, cells.load(), book, "2026-01-02")

    def test_crosscheck_bounds(self):
        entry, _ = self.found("none")[0]

        def judge(**published):
            one = crosscheck.Line("four", "none", "reader", "all", published)
            return [row[-1] for row in crosscheck.compare(one, entry)]

        self.assertEqual(judge(rate_mb_s=11.0, lat_max_ms=140.0), [True] * 2)
        self.assertEqual(judge(rate_mb_s=12.0), [False])
        self.assertEqual(judge(lat_max_ms=220.0), [False])

    def test_crosscheck_table_is_of_known_cells(self):
        known = cells.load()
        lines = crosscheck.parse(crosscheck.TABLE.read_text(encoding="utf-8"))
        self.assertGreater(len(lines), 40)
        for one in lines:
            self.assertIn(one.load, [load.name
                                     for load in known[one.cell].loads])
            self.assertIn(one.scheduler, cells.PEERS)
            self.assertIn(one.window, store.WINDOWS)

    def test_expectations_hold_for_the_committed_peers(self):
        known, peers, seen = cells.load(), store.load_peers(), 0
        for one in expect.load():
            self.assertIn(one.load, [load.name
                                     for load in known[one.cell].loads])
            entry = peers.get((one.cell, one.scheduler))
            if entry:
                seen += 1
                is_good, text = expect.judge(one, entry)
                self.assertTrue(is_good, text)
        self.assertGreaterEqual(seen, 6)

    def test_a_scheduler_that_is_too_good_is_not_believed(self):
        line_ = expect.Line("four", "none", "reader", "lat_max_ms", 1000,
                            float("inf"), "known to starve")
        entry, _ = self.found("none")[0]
        is_good, text = expect.judge(line_, entry)
        self.assertFalse(is_good)
        self.assertIn("125, expected 1000 to -: known to starve", text)
        self.assertFalse(expect.judge(line_, None)[0])

    def test_page_is_whole_and_needs_no_network(self):
        found = {"four": self.found("none", "bfq", "fairway")}
        text = page.page("heritage", "6.12.1", [cell()], found,
                         lambda one: {"none": run_of(1)})
        self.assertNotRegex(text, r"https?://|src=|@import|url\(")
        pictures = re.findall(r"<svg.*?</svg>", text, re.S)
        self.assertEqual(len(pictures), 4)
        for picture in pictures:
            ElementTree.fromstring(picture)
        for word in ("longest wait, s", "MB/s of &#x27;reader&#x27;",
                     "latency, ms", "bfq", "limit"):
            self.assertIn(f">{word}<", text)

    def test_victims_are_drawn_against_what_the_others_get(self):
        one, _ = cells.parse(HEAD + line(
            limit="front:f",
            jobs="victim*1 rw=read | other*1 rw=read") + line(
                cell="f-1")).values()
        found = self.found("none", "bfq")
        for entry, _ in found:
            figures_ = entry["measured"].pop("reader")
            entry["measured"] = {
                "victim": figures_ | {"lat_p99_ms": [3.0, 4.0]},
                "other": {"rate_mb_s": [80.0, 90.0]}}
            entry["front"] = [(50.0, 1.0), (100.0, 2.0)]
        text = page.trade_chart(one, [entry for entry, _ in found])
        for word in ("P99 of &#x27;victim&#x27;, ms", "MB/s of the others",
                     "fixed window", "bfq"):
            self.assertIn(word, text)
        self.assertIn("none: 85.0 MB/s, 3.50 ms", text)

    def test_page_of_nothing_is_a_page(self):
        text = page.page("modern", "6.12.1", [cell()], {"four": []},
                         lambda one: {})
        self.assertTrue(text.endswith("</html>\n"))


FAKE_GUEST = r"""#!/bin/bash
# Stands for the lab's runner: leaves what a guest leaves, but for the word
# FAIL in the plan's scheduler.
while [ $# -gt 0 ]; do
	case $1 in
	--add) in=${2%%:*}; shift ;;
	--out) out=$2; shift ;;
	esac
	shift
done
. "$in/plan"
seed=$(sed -n 's/^randseed=//p' "$in/jobs.fio")
echo "$scheduler $seed" >>"$CALLS"
if [ "$scheduler" = "$FAILING" ]; then
	echo "made to fail" >"$out/reason"
	exit 1
fi
[ "$scheduler" != "$LOSING" ] || exit 0
mkdir -p "$out/logs"
jobs=$(sed -n 's/^\[\(reader[0-9]*\)\]$/\1/p' "$in/jobs.fio")
for job in $jobs; do
	for s in $(seq 1 40); do
		echo "$((1000000 + s * 1000)), 1000000000, 0, 65536, 0"
	done >"$out/logs/${job}_lat.log"
done
{
	printf '{"jobs": ['
	comma=
	for job in $jobs; do
		printf '%s{"jobname": "%s", "error": 0}' "$comma" "$job"
		comma=,
	done
	printf ']}\n'
} >"$out/fio.json"
for s in $(seq 0 40); do
	echo "$((1000 + s)).0 $((s * 90)) 0 $((s * 4)) $((s * 512)) 0 0 0"
done >"$out/samples"
: >"$out/counters"; : >"$out/params"; : >"$out/programs"
printf 'release 6.12.1-lab\ncpus 1\n' >"$out/info"
"""


class Module(unittest.TestCase):
    def test_sources_are_copied_and_a_failing_make_is_told(self):
        with tempfile.TemporaryDirectory() as scratch:
            options = argparse.Namespace(
                build=Path(scratch),
                module=Path(scratch, "models/diskmodel.ko"))
            answer = argparse.Namespace(returncode=2, stdout="no compiler")
            with (mock.patch.object(subprocess, "run", return_value=answer),
                  self.assertRaisesRegex(SystemExit, "no compiler")):
                session.build_module(options)
            self.assertTrue((options.module.parent / "driver.c").exists())
            answer.returncode = 0
            options.module.touch()
            with mock.patch.object(subprocess, "run",
                                   return_value=answer) as made:
                session.build_module(options)
            self.assertIn(f"KDIR={scratch}/lab", made.call_args.args[0])


class Sessions(unittest.TestCase):
    """The command itself, with a runner that boots nothing."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.calls = self.folder / "calls"
        self.calls.write_text("")
        runner = self.folder / "boot"
        runner.write_text(FAKE_GUEST)
        runner.chmod(0o755)
        kernel = self.folder / "build/lab/arch/x86/boot/bzImage"
        kernel.parent.mkdir(parents=True)
        kernel.write_text("")
        release = self.folder / "build/lab/include/config/kernel.release"
        release.parent.mkdir(parents=True)
        release.write_text("6.12.1-lab\n")
        self.out = self.folder / "out"
        self.options = ["--boot", str(runner), "--out", str(self.out),
                        "--kernel", str(kernel), "--case", "starve64",
                        "--sched", "none,fairway", "--seeds", "2"]

    def bench(self, *more, failing="-", losing="-"):
        said = io.StringIO()
        with (mock.patch.dict(os.environ, {"CALLS": str(self.calls),
                                           "FAILING": failing,
                                           "LOSING": losing}),
              mock.patch.object(store, "PEERS_FILE", self.folder / "peers"),
              contextlib.redirect_stdout(said),
              contextlib.redirect_stderr(said)):
            status = cli.main([*self.options, *more])
        return status, said.getvalue()

    def called(self):
        return self.calls.read_text().split("\n")[:-1]

    def test_measures_once_tells_and_records(self):
        status, said = self.bench()
        self.assertEqual(status, 0, said)
        self.assertEqual(sorted(self.called()),
                         ["fairway 1", "fairway 2", "none 1", "none 2"])
        self.assertIn("[4/4]", said)
        self.assertRegex(said, r"fairway +reader +4\.19 +0\.51")
        rows = json.loads((self.out / "bench-heritage.json").read_text())
        self.assertEqual({row["scheduler"] for row in rows},
                         {"none", "fairway"})
        self.assertIn("</html>",
                      (self.out / "bench-heritage.html").read_text())
        self.bench()
        self.assertEqual(len(self.called()), 4, "measured again")

    def test_goes_on_after_a_failure(self):
        status, said = self.bench(failing="none")
        self.assertEqual(status, 1)
        self.assertIn("FAILED starve64 none seed 1: made to fail", said)
        status, said = self.bench()
        self.assertEqual(status, 0, said)
        self.assertEqual(self.called().count("fairway 1"), 1)
        self.assertEqual(self.called().count("none 1"), 2)

    def test_a_guest_that_leaves_nothing_fails_its_row_only(self):
        status, said = self.bench(losing="none")
        self.assertEqual(status, 1)
        self.assertRegex(said, "FAILED starve64 none seed 2: .*fio.json")
        self.assertRegex(said, r"fairway +reader +4\.19")
        self.assertTrue(list((self.out / "bench-failed").iterdir()))

    def test_unknown_cell_is_refused_before_anything_runs(self):
        with self.assertRaisesRegex(SystemExit, "no cell or row 'x'"):
            self.bench("--case", "x")
        self.assertEqual(self.called(), [])

    def test_cells_of_presets_that_are_not_there_are_named(self):
        said = io.StringIO()
        with (mock.patch.object(keys, "has_preset", lambda device: False),
              contextlib.redirect_stdout(said),
              self.assertRaises(SystemExit) as caught):
            cli.main(self.options)
        self.assertEqual((caught.exception.code, self.called()), (1, []))
        self.assertIn("preset null is not in this module: 1 cells",
                      said.getvalue())

    def test_none_has_no_row_where_the_pool_is_set(self):
        self.bench("--case", "starve64-nr4")
        self.assertEqual(sorted(self.called()), ["fairway 1", "fairway 2"])


class RealDisk(unittest.TestCase):
    """Which disks are refused, on a made-up /sys and /proc."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.disk = self.folder / "sda"
        (self.disk / "holders").mkdir(parents=True)
        (self.disk / "dev").write_text("8:0\n")
        self.part = self.disk / "sda1"
        (self.part / "holders").mkdir(parents=True)
        (self.part / "dev").write_text("8:1\n")
        (self.part / "partition").write_text("1\n")

    def uses(self, mounts="", swaps="Filename\n"):
        return realdisk.uses(self.disk, mounts, swaps)

    def test_free_disk(self):
        self.assertEqual(self.uses("21 1 9:0 / / rw - ext4 /dev/md0 rw"), [])

    def test_mounted_partition_and_disk(self):
        for number in ("8:0", "8:1"):
            used, = self.uses(f"21 1 {number} / /home rw - ext4 /dev/x rw")
            self.assertIn("mounted on /home", used)

    def test_held_by_a_raid_or_mapper(self):
        (self.part / "holders/dm-0").mkdir()
        self.assertEqual(self.uses(), ["sda1 is held by dm-0"])

    def test_swap(self):
        self.assertEqual(self.uses(swaps="Filename\n/dev/sda1 partition 1\n"),
                         ["sda1 is swap space"])

    def test_no_block_device(self):
        with self.assertRaisesRegex(realdisk.Refused, "no block device"):
            realdisk.check("/dev/null", True)
        with self.assertRaisesRegex(realdisk.Refused, "No such file"):
            realdisk.check(self.folder / "nothing", True)

    def check(self, *, claimed=False, found="", destroy_data=False,
              keep_partitions=False):
        if not keep_partitions:
            (self.part / "partition").unlink()
        proc = self.folder / "proc"
        (proc / "self").mkdir(parents=True)
        (proc / "self/mountinfo").write_text("")
        with (mock.patch.object(realdisk, "sys_folder",
                                lambda *_: self.disk),
              mock.patch.object(realdisk, "is_claimed", lambda _: claimed),
              mock.patch.object(realdisk, "signature", lambda _: found)):
            realdisk.check("/dev/sda", destroy_data, self.folder, proc)

    def test_empty_disk_is_taken(self):
        self.check()

    def test_data_is_lost_only_on_request(self):
        with self.assertRaisesRegex(realdisk.Refused, "TYPE=ext4"):
            self.check(found="TYPE=ext4")

    def test_data_on_request(self):
        self.check(found="TYPE=ext4", destroy_data=True)

    def test_partitions_are_data(self):
        with self.assertRaisesRegex(realdisk.Refused, "has partitions"):
            self.check(keep_partitions=True)

    def test_what_is_in_use_is_never_taken(self):
        with self.assertRaisesRegex(realdisk.Refused, "in use"):
            self.check(claimed=True, destroy_data=True)

    def test_cells_for_real_disks(self):
        self.assertTrue(realdisk.fits(cell()))
        self.assertFalse(realdisk.fits(cell(settings="vm.dirty_bytes=9")))
        self.assertFalse(realdisk.fits(cell(
            fs="ext4", files="4x4m", jobs="reader*4 rw=read @file=own")))

    def test_signature_of_a_plain_file(self):
        image = self.folder / "image"
        image.write_bytes(bytes(16 << 20))
        self.assertEqual(realdisk.signature(image), "")
        subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
        self.assertIn("TYPE=ext4", realdisk.signature(image))


def root_with_loops():
    return os.geteuid() == 0 and os.path.exists("/dev/loop-control")


@unittest.skipUnless(root_with_loops(), "needs root and loop devices")
class LoopDevice(unittest.TestCase):
    """The same with a real block device."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.image = Path(scratch.name, "image")
        self.image.write_bytes(bytes(16 << 20))
        run = subprocess.run(["losetup", "-f", "--show", self.image],
                             capture_output=True, text=True, check=True)
        self.device = run.stdout.strip()
        self.addCleanup(subprocess.run, ["losetup", "-d", self.device],
                        check=True)
        self.assertTrue(stat.S_ISBLK(os.stat(self.device).st_mode))

    def test_empty_taken_claimed_refused_signature_refused(self):
        realdisk.check(self.device, False)
        claim = os.open(self.device, os.O_RDONLY | os.O_EXCL)
        try:
            with self.assertRaisesRegex(realdisk.Refused, "in use"):
                realdisk.check(self.device, True)
        finally:
            os.close(claim)
        subprocess.run(["mkfs.ext4", "-q", "-F", self.device], check=True)
        with self.assertRaisesRegex(realdisk.Refused, "carries data"):
            realdisk.check(self.device, False)
        realdisk.check(self.device, True)


if __name__ == "__main__":
    unittest.main()
