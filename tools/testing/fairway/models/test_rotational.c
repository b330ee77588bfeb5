// SPDX-License-Identifier: GPL-2.0
/*
 * Host tests of the rotating disk: it is driven directly and compared with
 * closed forms, computed here in floating point and on their own.
 *
 * What a depth-1 read costs, from the header of the model:
 *
 *	command + seek + rotation + transfer
 *
 * and over uniformly random places, with f(c) the density of sectors over the
 * cylinders (zones!) and t the seek curve:
 *
 *	mean = command + sum f(a) f(b) t(|a - b|) + revolution / 2 + transfer
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "drive.h"
#include "model_rotational.h"

static struct disk disk;
static struct model_rot *rot;

static struct model_rot_params preset(const char *name)
{
	struct model_rot_params params;

	if (!model_rot_preset(&params, name))
		die("no disk of that name");
	return params;
}

static void rot_on(const struct model_rot_params *params)
{
	power_on(&disk, &model_rot_ops, params);
	rot = disk.model;
}

static struct outcome run(struct load *load, u64 now_ns)
{
	load->capacity_sectors = rot->params.capacity_sectors;
	return drive(&disk, load, now_ns);
}

static u64 one(enum model_op op, u64 lba, u32 sectors, u64 now_ns)
{
	return drive_one(&disk, op, lba, sectors, now_ns);
}

static u64 settle(u64 now_ns)
{
	return drive_settle(&disk, now_ns);
}

/* --- The same disk in floating point ------------------------------------- */

static double curve_ms(const struct model_rot_params *p, double x)
{
	double knee = p->seek_knee_permille / 1000.0;
	double knee_ms = (p->seek_settle_ns + p->seek_sqrt_ns * sqrt(knee)) / MS;

	if (x <= 0)
		return 0;
	if (x <= knee)
		return (p->seek_settle_ns + p->seek_sqrt_ns * sqrt(x)) / MS;
	return knee_ms + (p->seek_full_ns / MS - knee_ms) * (x - knee) /
	       (1 - knee);
}

static double zone_rate(const struct model_rot_params *p, unsigned int zone)
{
	double outer = p->outer_bytes_per_s, inner = p->inner_bytes_per_s;

	if (!zone)
		return outer;
	return outer - (outer - inner) * zone / (p->zones - 1);
}

static double turn_ms(const struct model_rot_params *p)
{
	return p->revolution_ns / MS;
}

/* Mean of a seek between two random sectors, by the midpoint rule. */
static double seek_mean_ms(const struct model_rot_params *p)
{
	const unsigned int steps = 1500;
	double *weight = calloc(steps, sizeof(*weight));
	double sum = 0, mean = 0;
	unsigned int i, j;

	if (!weight)
		die("no memory");
	for (i = 0; i < steps; i++) {
		weight[i] = p->tracks ?
			zone_rate(p, i * p->zones / steps) : 1;
		sum += weight[i];
	}
	for (i = 0; i < steps; i++)
		for (j = 0; j < steps; j++) {
			/* two points of one step are 1/3 of it apart */
			double x = i == j ? 1.0 / 3 : abs((int)i - (int)j);

			mean += weight[i] * weight[j] * curve_ms(p, x / steps);
		}
	free(weight);
	return mean / sum / sum;
}

/* Mean over the sectors of their transfer time. */
static double transfer_mean_ms(const struct model_rot_params *p, u32 sectors)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < p->zones; i++)
		sum += zone_rate(p, i);
	return sectors * 512 / (sum / p->zones) * 1e3;
}

/* Rate at which a zone streams, in bytes/s. */
static double stream_rate(const struct model_rot_params *p, unsigned int zone)
{
	double turn = p->revolution_ns / 1e9;
	double cylinder = p->heads * turn +
			  (p->heads - 1) * (p->head_switch_ns / 1e9) +
			  p->cylinder_switch_ns / 1e9;

	if (!p->tracks)
		return zone_rate(p, zone);
	return zone_rate(p, zone) * turn * p->heads / cylinder;
}

static double random_mean_ms(const struct model_rot_params *p, u32 sectors)
{
	return p->command_ns / MS + seek_mean_ms(p) + turn_ms(p) / 2 +
	       transfer_mean_ms(p, sectors);
}

/* --- Parameters ---------------------------------------------------------- */

static const char *const preset_name[] = { "ide2002", "sata7200", "seekdisk" };

static void test_parameters(void)
{
	struct model_rot_params params = preset("seekdisk");
	unsigned int i;

	test_ranges(&model_rot_ops, &params);
	for (i = 0; i < ARRAY_SIZE(preset_name); i++) {
		params = preset(preset_name[i]);
		tap_check(!model_rot_check(&params), 0,
			  "preset %s describes a disk", preset_name[i]);
	}
	params = preset("sata7200");
	params.inner_bytes_per_s = params.outer_bytes_per_s + 1;
	tap_check(model_rot_check(&params), 0,
		  "zones that get faster inwards are refused");
	params = preset("sata7200");
	params.segments = 0;
	tap_check(model_rot_check(&params), 0,
		  "half a read-ahead buffer is refused");
}

static void test_bad_commands(void)
{
	struct model_rot_params params = preset("sata7200");
	struct model_request req = { .op = MODEL_READ, .sectors = 8 };
	unsigned int refused = 0;

	params.queue_depth = 4;
	rot_on(&params);
	refused += !model_rot_submit(rot, 4, &req, 0);
	req.lba = params.capacity_sectors - 7;
	refused += !model_rot_submit(rot, 0, &req, 0);
	req.lba = ~0ULL;
	refused += !model_rot_submit(rot, 0, &req, 0);
	req.lba = 0;
	req.sectors = 0;
	refused += !model_rot_submit(rot, 0, &req, 0);
	req.op = MODEL_FLUSH;
	req.sectors = 8;
	refused += !model_rot_submit(rot, 0, &req, 0);
	req.op = MODEL_READ;
	tap_check(model_rot_submit(rot, 0, &req, 0), 0,
		  "a good command is taken");
	refused += !model_rot_submit(rot, 0, &req, 0);
	tap_check(refused == 6, 0,
		  "commands outside the disk or its queue are refused: %u of 6",
		  refused);
}

/* --- Place and positioning ----------------------------------------------- */

static void test_places(const char *name)
{
	struct model_rot_params params = preset(name);
	u64 state = seeds[0];
	unsigned int i, wrong = 0;

	rot_on(&params);
	for (i = 0; i < 200000; i++) {
		u64 lba = random_below(&state, params.capacity_sectors - 4096);
		u64 n = 1 + random_below(&state, 2000);
		u64 m = 1 + random_below(&state, 2000);
		struct model_rot_place a = model_rot_find(rot, lba);
		struct model_rot_place b = model_rot_find(rot, lba + n);
		u64 whole = model_rot_media_ns(rot, lba, n + m);
		u64 first = model_rot_media_ns(rot, lba, n);
		u64 second = model_rot_media_ns(rot, lba + n, m);

		/* parts add up but for the switch that may lie between them */
		wrong += b.media_ns < a.media_ns + first;
		wrong += whole != b.media_ns - a.media_ns + second;
		wrong += b.track == a.track && whole < first + second;
		wrong += b.cylinder < a.cylinder || b.track < a.track;
	}
	tap_check(!wrong, seeds[0],
		  "%s: media time grows with the sector and adds up: %u wrong",
		  name, wrong);
}

static void test_seek_curve(const char *name)
{
	struct model_rot_params params = preset(name);
	double worst = 0, bound;
	u64 state = seeds[0], last = 0;
	unsigned int i, falls = 0;

	rot_on(&params);
	bound = params.seek_sqrt_ns / 65536.0 + 4;
	for (i = 0; i < 100000; i++) {
		u64 d = 1 + random_below(&state, random_below(&state, 2) ?
					 rot->stroke : 2000);
		double off = curve_ms(&params, (double)d / rot->stroke) * MS -
			     model_rot_seek_ns(rot, d);

		if (fabs(off) > worst)
			worst = fabs(off);
	}
	for (i = 1; i <= 10000; i++) {
		u64 ns = model_rot_seek_ns(rot, rot->stroke * i / 10000);

		falls += ns < last;
		last = ns;
	}
	tap_check(worst <= bound, seeds[0],
		  "%s: seek curve within %.0f ns of floating point: %.0f",
		  name, bound, worst);
	tap_check(!falls && !model_rot_seek_ns(rot, 0), 0,
		  "%s: a longer seek never takes less, none takes nothing", name);
}

/*
 * Full stroke and neighbouring cylinder as a host sees them.  Rotation is taken
 * out, so latency = command + seek + transfer.
 */
static void test_stroke(const char *name)
{
	struct model_rot_params params = preset(name);
	double fixed, seek;
	u64 last, next, now = 0;

	params.rotation = 0;
	params.segments = 0;
	params.segment_sectors = 0;
	rot_on(&params);
	last = params.capacity_sectors - 8;
	next = params.tracks ? params.heads * rot->zone[0].track_sectors * 2 : 0;
	fixed = params.command_ns / MS;

	now += one(MODEL_READ, 0, 8, now);
	seek = params.seek_knee_permille < 1000 ? params.seek_full_ns / MS :
	       (params.seek_settle_ns + params.seek_sqrt_ns) / MS;
	tap_near(one(MODEL_READ, last, 8, now) / MS,
		 fixed + seek + 8 * 512e3 / zone_rate(&params, params.zones - 1),
		 2, 0, "%s: full stroke", name);
	if (!params.tracks)
		return;
	rot_on(&params);
	now += 1000000000;
	now += one(MODEL_READ, next, 8, now);
	next += params.heads * rot->zone[0].track_sectors;
	tap_near(one(MODEL_READ, next, 8, now) / MS,
		 fixed + params.seek_settle_ns / MS +
		 params.seek_sqrt_ns / MS / sqrt(rot->stroke) +
		 8 * 512e3 / zone_rate(&params, 0),
		 2, 0, "%s: neighbouring cylinder", name);
	now += 1000000000;
	now += one(MODEL_READ, next, 8, now);
	next += rot->zone[0].track_sectors;
	tap_near(one(MODEL_READ, next, 8, now) / MS,
		 fixed + params.head_switch_ns / MS +
		 8 * 512e3 / zone_rate(&params, 0),
		 2, 0, "%s: other head of the cylinder", name);
}

/* --- Rates --------------------------------------------------------------- */

static double measure_random_ms(const struct model_rot_params *params,
				unsigned int depth, u64 count, u64 seed)
{
	struct load load = {
		.next = next_random_read,
		.depth = depth,
		.count = count,
		.seed = seed,
		.sectors = 8,
	};
	struct outcome out;

	rot_on(params);
	out = run(&load, 0);
	return outcome_mean_ms(&out, count);
}

static void test_random_reads(const char *name)
{
	struct model_rot_params params = preset(name);
	unsigned int i;

	for (i = 0; i < SEEDS; i++)
		tap_near(measure_random_ms(&params, 1, 20000, seeds[i]),
			 random_mean_ms(&params, 8), 2, seeds[i],
			 "%s: depth-1 random 4 KiB reads, ms each", name);
}

static double measure_stream(const struct model_rot_params *params, u64 lba,
			     u32 sectors, u64 count)
{
	struct load load = {
		.next = next_sequential_read,
		.depth = 1,
		.count = count,
		.seed = 1,
		.sectors = sectors,
		.cursor = lba,
	};
	struct outcome out;

	rot_on(params);
	out = run(&load, 0);
	return count * sectors * 512.0 / (out.end_ns - out.start_ns) * 1e9;
}

static void test_zone_rates(const char *name)
{
	struct model_rot_params params = preset(name);
	u64 zone;

	rot_on(&params);
	for (zone = 0; zone < params.zones; zone += zone < 29 ? 29 : 1) {
		u64 lba = rot->zone[zone].first_lba;

		tap_near(measure_stream(&params, lba, 128, 4000) / 1e6,
			 stream_rate(&params, zone) / 1e6, 2, 0,
			 "%s: depth-1 sequential 64 KiB reads in zone %llu, MB/s",
			 name, zone);
	}
}

/*
 * Shortest positioning time first, from scratch and in floating point: places
 * are parts of the stroke, angles parts of a turn, all uniform and independent.
 * One zone, so that uniform sectors are uniform cylinders.  A drive does not wait
 * for the host's answer to a completion, so of a queue kept at depth n it chooses
 * among n - 1: @choices.
 */
static double sptf_mean_ms(const struct model_rot_params *p,
			   unsigned int choices, unsigned int count, u64 seed)
{
	double place[MODEL_MAX_TAGS], angle[MODEL_MAX_TAGS];
	double turn = turn_ms(p), now = 0, head = 0;
	unsigned int i, n, best;

	for (i = 0; i < choices; i++) {
		place[i] = random_next(&seed) / 0x1p64;
		angle[i] = random_next(&seed) / 0x1p64;
	}
	for (n = 0; n < count; n++) {
		double least = 1e9;

		best = 0;
		for (i = 0; i < choices; i++) {
			double cost = curve_ms(p, fabs(place[i] - head));
			double at = (now + cost) / turn;
			double wait = angle[i] - (at - floor(at));

			cost += (wait < 0 ? wait + 1 : wait) * turn;
			if (cost < least) {
				least = cost;
				best = i;
			}
		}
		now += least + transfer_mean_ms(p, 8);
		head = place[best];
		place[best] = random_next(&seed) / 0x1p64;
		angle[best] = random_next(&seed) / 0x1p64;
	}
	return now / count;
}

static void test_queue_depth(void)
{
	struct model_rot_params params = preset("sata7200");
	double last = 1e9;
	unsigned int depth, rises = 0;

	params.zones = 1;
	params.segments = 0;
	params.segment_sectors = 0;
	params.age_limit_ns = 0;
	params.command_ns = 0;
	for (depth = 1; depth <= 32; depth *= 2) {
		double ms = measure_random_ms(&params, depth, 40000, seeds[1]);

		tap_near(ms, sptf_mean_ms(&params, depth > 1 ? depth - 1 : 1,
					  200000, seeds[2]), 2, seeds[1],
			 "sata7200, 1 zone: random reads at queue depth %u, ms each",
			 depth);
		rises += depth > 2 && ms >= last;
		last = ms;
	}
	tap_check(!rises, seeds[1],
		  "a deeper queue is faster, from 2, where there is no choice yet");

	params.sptf = 0;
	tap_near(measure_random_ms(&params, 32, 20000, seeds[1]),
		 random_mean_ms(&params, 8), 2, seeds[1],
		 "sptf off: depth 32 is no faster than depth 1");
}

static void test_ageing(void)
{
	struct model_rot_params params = preset("sata7200");
	struct load load = { .next = next_random_read, .depth = 32,
			     .count = 40000, .sectors = 8 };
	double limit_ms = params.age_limit_ns / MS;
	struct outcome with, without;
	u64 aged;

	load.seed = seeds[0];
	rot_on(&params);
	with = run(&load, 0);
	aged = rot->counters.aged;
	params.age_limit_ns = 0;
	load.seed = seeds[0];
	rot_on(&params);
	without = run(&load, 0);
	/* once aged, it waits at most for the 31 others that may be older */
	tap_check(with.latency_max_ns / MS <= limit_ms +
		  32 * random_mean_ms(&params, 8) * 1.5, seeds[0],
		  "ageing bounds the longest wait: %.0f ms",
		  with.latency_max_ns / MS);
	tap_check(aged && without.latency_max_ns > with.latency_max_ns * 5 / 4,
		  seeds[0], "ageing off: the longest wait grows to %.0f ms",
		  without.latency_max_ns / MS);
}

/* --- Caches -------------------------------------------------------------- */

/*
 * A flush after one run of n sectors in the cache:
 * seek + write settle + rotation + n sectors in place.
 */
static void test_flush_run(void)
{
	struct model_rot_params params = preset("sata7200");
	double expected = 0, measured = 0;
	u64 state = seeds[0], now = 0;
	unsigned int i, runs = 2000;

	rot_on(&params);
	for (i = 0; i < runs; i++) {
		u64 lba = random_below(&state, params.capacity_sectors / 1024 - 2)
			  * 1024;

		now += 1000000000ULL + random_below(&state, 100000000);
		model_rot_poll(rot, now);
		now += one(MODEL_WRITE, lba, 512, now);
		now += one(MODEL_WRITE, lba + 512, 512, now);
		measured += one(MODEL_FLUSH, 0, 0, now) / MS;
		now = settle(now + 1);
		expected += model_rot_media_ns(rot, lba, 1024) / MS;
	}
	expected = expected / runs + seek_mean_ms(&params) +
		   params.write_settle_ns / MS + turn_ms(&params) / 2;
	tap_near(measured / runs, expected, 2, seeds[0],
		 "flush of one run of 512 KiB in the cache, ms");
}

/*
 * A flush of n scattered writes, first come first served:
 * n x (seek + write settle + half a turn + transfer).
 */
static void test_flush_scattered(void)
{
	struct model_rot_params params = preset("sata7200");
	struct load load = { .next = next_random_write, .depth = 1,
			     .sectors = 8, .seed = seeds[1] };
	double measured = 0, each, in_order;
	unsigned int i, runs = 100;
	u64 now = 0;

	params.sptf = 0;
	load.count = 100;
	rot_on(&params);
	for (i = 0; i < runs; i++) {
		now = settle(now) + 1000000;
		now = run(&load, now).end_ns;
		measured += one(MODEL_FLUSH, 0, 0, now) / MS;
	}
	each = seek_mean_ms(&params) + params.write_settle_ns / MS +
	       turn_ms(&params) / 2 + transfer_mean_ms(&params, 8);
	in_order = measured / runs;
	tap_near(in_order, load.count * each, 2, seeds[1],
		 "flush of 100 scattered writes in order, ms");

	params.sptf = 1;
	load.seed = seeds[1];
	rot_on(&params);
	now = run(&load, 0).end_ns;
	tap_check(one(MODEL_FLUSH, 0, 0, now) / MS < in_order / 2, seeds[1],
		  "flush of 100 scattered writes by position takes less than half");
}

/* A flush must not be held up by writes that come after it. */
static void test_flush_beside_writer(void)
{
	struct model_rot_params params = preset("sata7200");
	struct model_request req = { .op = MODEL_WRITE, .sectors = 256 };
	struct model_request flush = { .op = MODEL_FLUSH };
	u64 now = 0, cursor, sent = 0;
	bool is_free = true, is_flushed = false;
	int tag;

	rot_on(&params);
	for (cursor = 0; cursor < 8192; cursor += 256)
		now += one(MODEL_WRITE, cursor, 256, now);
	model_rot_submit(rot, 1, &flush, now);
	while (!is_flushed && sent < 20000) {
		if (is_free) {
			req.lba = cursor;
			cursor += 256;
			model_rot_submit(rot, 0, &req, now);
			is_free = false;
			sent++;
		}
		now = model_rot_next_ns(rot);
		while ((tag = model_rot_poll(rot, now)) >= 0) {
			is_free |= tag == 0;
			is_flushed |= tag == 1;
		}
	}
	tap_check(is_flushed, 0,
		  "a flush ends beside an endless writer, after %llu more writes",
		  sent);
}

static void test_write_cache(void)
{
	struct model_rot_params params = preset("sata7200");
	struct load load = { .next = next_random_write, .depth = 1,
			     .sectors = 8, .count = 20, .seed = seeds[0] };
	double cached, uncached, media;
	u64 now;

	media = random_mean_ms(&params, 8) + params.write_settle_ns / MS;
	rot_on(&params);
	now = run(&load, 0).end_ns;
	cached = now / MS / load.count;
	tap_near(cached, params.hit_ns / MS +
		 8 * 512e3 / params.link_bytes_per_s, 2, seeds[0],
		 "cached write, ms");
	settle(now);
	tap_check(rot->counters.destaged_sectors == load.count * 8 &&
		  !rot->cached_sectors, seeds[0],
		  "an idle disk writes its cache back");

	load.next = next_fua_write;
	load.count = 20000;
	rot_on(&params);
	cached = run(&load, 0).end_ns / MS / load.count;
	tap_near(cached, media, 2, seeds[0], "FUA write, ms");

	params.write_cache_sectors = 0;
	load.next = next_random_write;
	rot_on(&params);
	uncached = run(&load, 0).end_ns / MS / load.count;
	tap_near(uncached, media, 2, seeds[0], "write cache off: a write, ms");
	tap_near(one(MODEL_FLUSH, 0, 0, settle(now + 1e12)) / MS,
		 params.hit_ns / MS, 2, 0, "write cache off: a flush, ms");

	params.write_settle_ns = 0;
	rot_on(&params);
	uncached = run(&load, 0).end_ns / MS / load.count;
	tap_near(uncached, media - 1, 2, seeds[0],
		 "write settle off: 1 ms less, ms");

	params = preset("sata7200");
	params.link_bytes_per_s = 0;
	load.count = 20;
	rot_on(&params);
	tap_near(run(&load, 0).end_ns / MS / load.count,
		 params.hit_ns / MS, 2, seeds[0],
		 "link off: a cached write takes the overhead alone, ms");

	/* a full cache can take a write only as fast as the medium does */
	params = preset("sata7200");
	params.sptf = 0;
	load.count = 20000;
	rot_on(&params);
	load.seed = seeds[1];
	tap_near(run(&load, 0).end_ns / MS / load.count,
		 media - params.command_ns / MS, 2, seeds[1],
		 "endless cached writes in order, ms each");
}

/*
 * Read-ahead off: by the time the next command is there, its sector has just
 * gone by, so a read of n sectors takes one turn as long as command + transfer
 * is below it.
 */
static void test_read_ahead(void)
{
	struct model_rot_params params = preset("ide2002");
	u64 state = seeds[0], now = 0;
	double rate;

	params.segments = 0;
	params.segment_sectors = 0;
	params.head_switch_ns = 0;
	params.cylinder_switch_ns = 0;
	rate = measure_stream(&params, 0, 8, 4000);
	tap_near(8 * 512 / rate * 1e3, turn_ms(&params), 2, 0,
		 "read-ahead off: depth-1 sequential 4 KiB read, ms");

	params = preset("ide2002");
	tap_near(measure_stream(&params, 0, 128, 4000) / 1e6,
		 stream_rate(&params, 0) / 1e6, 2, 0,
		 "read-ahead on: the same in 64 KiB, MB/s");
	/* a hit: hit overhead and the link */
	rot_on(&params);
	now += one(MODEL_READ, 4096, 8, now);
	now += 100000000;
	tap_near(one(MODEL_READ, 4104, 64, now) / MS, params.hit_ns / MS +
		 64 * 512e3 / params.link_bytes_per_s, 2, 0,
		 "read from the buffer, ms");
	/* what was written must be read from the medium, not from the buffer */
	now += 100000000;
	now += one(MODEL_WRITE, 4200, 8, now);
	now = settle(now) + random_below(&state, 8000000);
	tap_check(one(MODEL_READ, 4168, 64, now) > 200000 +
		  64 * 512 * 10, seeds[0], "a write drops what was read ahead");
}

/*
 * Hits beside the read-ahead must not hold it up: what is read ahead comes as
 * long after the first read as it takes to pass the head.
 */
static void test_ahead_beside_hits(void)
{
	struct model_rot_params params = preset("sata7200");
	u64 start, now;
	unsigned int i;

	params.hit_ns = 0;
	params.link_bytes_per_s = 0;
	rot_on(&params);
	start = one(MODEL_READ, 0, 8, 0);
	for (i = 0, now = start; i < 600; i++, now += 5000)
		one(MODEL_READ, 0, 8, now);
	now += one(MODEL_READ, 8, 600, now);
	tap_near((now - start) / MS, model_rot_media_ns(rot, 8, 600) / MS, 0.1,
		 0, "300 KiB read ahead beside 600 hits, ms");
}

/* First come, first served: in order of arrival, whatever the places. */
static void test_order(void)
{
	struct model_rot_params params = preset("seekdisk");
	struct model_request req = { .op = MODEL_READ, .sectors = 8 };
	unsigned int i, in_order = 0;
	u64 state = seeds[0], now = 0;

	rot_on(&params);
	for (i = 0; i < 32; i++) {
		req.lba = random_below(&state, params.capacity_sectors - 8);
		model_rot_submit(rot, i * 7 % 32, &req, now);
	}
	for (i = 0; i < 32; i++) {
		int tag;

		do {
			now = model_rot_next_ns(rot);
			tag = model_rot_poll(rot, now);
		} while (tag < 0 && now != MODEL_NEVER);
		in_order += tag == (int)(i * 7 % 32);
	}
	tap_check(in_order == 32, seeds[0],
		  "sptf off: commands end in order of arrival: %u of 32",
		  in_order);
}

/* Each stream keeps its segment: reads of streams by turns all hit. */
static void test_segments(void)
{
	struct model_rot_params params = preset("sata7200");
	u64 now = 0, hits, i;

	rot_on(&params);
	for (i = 0; i < 64; i++) {
		now += one(MODEL_READ, (i % 8) * 100000000 + i / 8 * 8, 8, now);
		now += 20000000;
	}
	hits = rot->counters.cache_hits;
	tap_check(hits == 56, 0, "8 streams in 16 segments: %llu of 56 hit",
		  hits);
	params.segments = 4;
	rot_on(&params);
	for (i = 0; i < 64; i++) {
		now += one(MODEL_READ, (i % 8) * 100000000 + i / 8 * 8, 8, now);
		now += 20000000;
	}
	tap_check(!rot->counters.cache_hits, 0,
		  "8 streams in 4 segments: none hits");
}

/* --- Off switches -------------------------------------------------------- */

static void test_off_switches(void)
{
	struct model_rot_params on = preset("ide2002"), off;
	double base = random_mean_ms(&on, 8);

	off = on;
	off.rotation = 0;
	tap_near(measure_random_ms(&off, 1, 20000, seeds[0]),
		 base - turn_ms(&on) / 2, 2, seeds[0],
		 "rotation off: half a turn less, ms");
	off = on;
	off.seek = 0;
	tap_near(measure_random_ms(&off, 1, 20000, seeds[0]),
		 base - seek_mean_ms(&on), 2, seeds[0],
		 "seek off: the mean seek less, ms");
	off = on;
	off.command_ns = 0;
	tap_near(measure_random_ms(&off, 1, 20000, seeds[0]), base - 0.3, 2,
		 seeds[0], "command overhead 0: 0.3 ms less, ms");
	off = on;
	off.zones = 1;
	rot_on(&off);
	tap_near(measure_stream(&off, off.capacity_sectors - 1000000, 128, 4000),
		 stream_rate(&on, 0), 2, 0,
		 "one zone: the inner rate is the outer rate");
	/* track of 984 sectors, then the rest of a second turn is lost */
	off = on;
	off.skew = 0;
	tap_near(measure_stream(&off, 0, 128, 4000), stream_rate(&on, 0) *
		 (2 + 3.2 / turn_ms(&on)) / 4, 2, 0,
		 "skew off: two turns per track, bytes/s");
	off = on;
	off.tracks = 0;
	tap_near(measure_stream(&off, 0, 128, 4000), on.outer_bytes_per_s, 2, 0,
		 "tracks off: streaming at the media rate, bytes/s");
}

/*
 * The disk of the design page in its own terms: one stream of single-sector
 * commands pays nothing but the media, however late each comes; a jump of d
 * pays 1 ms + 14 ms sqrt(d / capacity), then waits for (offset / rate) mod 11 ms.
 */
static void test_seekdisk(void)
{
	struct model_rot_params params = preset("seekdisk");
	unsigned int i, wrong = 0;
	u64 state = seeds[2], at = 0, end = 0;
	double worst = 0;

	rot_on(&params);
	for (i = 0; i < 20000; i++) {
		u64 lba = random_below(&state, params.capacity_sectors - 256);
		u32 n = 1 + random_below(&state, 256);
		double expected, ready, place, turns;

		at += random_below(&state, 30000000);
		expected = n * 512 / 30e6 * 1e9;
		if (lba != end && !(i % 3))
			lba = end < params.capacity_sectors - 256 ? end : 0;
		if (lba != end) {
			double d = fabs((double)lba - (double)end) /
				   params.capacity_sectors;

			ready = at + 1e6 + 14e6 * sqrt(d);
			place = fmod(lba * 512 / 30e6 * 1e9, 11e6);
			turns = (place - ready) / 11e6;
			expected += ready - at + (turns - floor(turns)) * 11e6;
		}
		end = lba + n;
		ready = one(MODEL_READ, lba, n, at);
		at += ready;
		/* a place hit or missed by a rounding error is a turn apart */
		if (fabs(fabs(ready - expected) - 11e6) < 1000)
			continue;
		if (fabs(ready - expected) > worst)
			worst = fabs(ready - expected);
		wrong += fabs(ready - expected) > 1000;
	}
	tap_check(!wrong, seeds[2],
		  "seekdisk: 20000 commands as the design page says, within 1 us: %.0f ns",
		  worst);
}

/*
 * A command that goes on where the last one ended, but comes late by less than a
 * turn, finds its sector gone by: it waits for the rest of the turn.
 */
static void test_continue_free(void)
{
	struct model_rot_params params = preset("seekdisk");
	double transfer = 8 * 512 / 30e6 * 1e3;
	u64 now;

	rot_on(&params);
	now = one(MODEL_READ, 1000, 8, 0) + 3000000;
	tap_near(one(MODEL_READ, 1008, 8, now) / MS, transfer, 0.1, 0,
		 "seekdisk: to go on 3 ms late costs the transfer, ms");
	params.continue_free = 0;
	rot_on(&params);
	now = one(MODEL_READ, 1000, 8, 0) + 3000000;
	tap_near(one(MODEL_READ, 1008, 8, now) / MS, 11 - 3 + transfer, 0.1, 0,
		 "continue_free off: and the rest of the turn, ms");
}

/*
 * Four streams, two commands of each at a time (what none does at depth 1: who
 * completes takes the tag again, then its waiter gets it), in each order.  The
 * second command goes on for free, and the next round begins where the last one
 * ended: so a round takes whole turns and the transfer of two commands.
 */
static double streams_round_ms(const unsigned int *order, double apart_bytes)
{
	const double chunk = 65536, rate = 30e3, turn = 11, size = 40e9;
	double round = 0;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		double from = order[i] * apart_bytes + 2 * chunk;
		double to = order[(i + 1) % 4] * apart_bytes +
			    (i == 3 ? 2 * chunk : 0);
		double seek = 1 + 14 * sqrt(fabs(to - from) / size);
		double turns = ((to - from) / rate - seek) / turn;

		round += seek + (turns - floor(turns)) * turn +
			 2 * chunk / rate;
	}
	return round;
}

/* Rate in MB/s over 100 rounds, after one to get under way. */
static double streams_rate(const struct model_rot_params *params,
			   const unsigned int *order, u64 apart_sectors)
{
	u64 now = 0, start = 0;
	unsigned int n;

	rot_on(params);
	for (n = 0; n < 8 * 101; n++) {
		u64 done = n / 8 * 2 + n % 2;

		if (n == 8)
			start = now;
		now += one(MODEL_READ, order[n / 2 % 4] * apart_sectors +
			   done * 128, 128, now);
	}
	return 800 * 65536 * 1e3 / (now - start);
}

static void test_streams_by_turns(void)
{
	static const unsigned int orders[][4] = {
		{ 0, 1, 2, 3 }, { 0, 1, 3, 2 }, { 0, 2, 1, 3 },
		{ 0, 2, 3, 1 }, { 0, 3, 1, 2 }, { 0, 3, 2, 1 },
	};
	/* fio's --offset_increment=8g, as on the design page */
	const u64 apart_sectors = 8 << 21;
	struct model_rot_params params = preset("seekdisk");
	unsigned int i;
	u64 phase;

	for (i = 0; i < ARRAY_SIZE(orders); i++) {
		const unsigned int *o = orders[i];
		double expected = 8 * 65536 / 1e3 /
			streams_round_ms(o, apart_sectors * 512.0);

		for (phase = 0; phase < 11000000; phase += 3700000) {
			params.phase_ns = phase;
			tap_near(streams_rate(&params, o, apart_sectors),
				 expected, 0.5, 0,
				 "seekdisk, phase %llu: 4 streams in order %u%u%u%u, MB/s",
				 phase, o[0], o[1], o[2], o[3]);
		}
	}
}

/* Written back when idle for destage_idle_ns, destage_sectors at a time. */
static void test_destage(void)
{
	struct model_rot_params params = preset("sata7200");
	const struct model_counters *c;
	u64 now, idle_ns;

	for (idle_ns = 0; idle_ns <= 500000000; idle_ns += 250000000) {
		params.destage_idle_ns = idle_ns;
		rot_on(&params);
		now = one(MODEL_WRITE, 1000000, 512, 0);
		/* quiet since the write came, which the drive took at once */
		if (idle_ns) {
			disk.ops->replay(rot, idle_ns - 1);
			tap_check(!rot->is_moving && rot->extents, 0,
				  "destage_idle_ns %llu: not before", idle_ns);
		}
		disk.ops->replay(rot, idle_ns > now ? idle_ns : now);
		tap_check(rot->is_moving && rot->moving_tag < 0, 0,
			  "destage_idle_ns %llu: then it is written back",
			  idle_ns);
	}
	params = preset("sata7200");
	for (params.destage_sectors = 1024; params.destage_sectors >= 128;
	     params.destage_sectors /= 2) {
		rot_on(&params);
		c = disk.counters;
		now = one(MODEL_WRITE, 1000000, 512, 0);
		now += one(MODEL_WRITE, 1000512, 512, now);
		while (!c->destaged_sectors)
			disk.ops->replay(rot, now = disk.ops->next_ns(rot));
		tap_check(c->destaged_sectors == params.destage_sectors, 0,
			  "destage_sectors %llu: so much goes at a time",
			  params.destage_sectors);
	}
}

/* What the host is told decides whether it sends FUA writes or flushes. */
static void test_host_knows(void)
{
	struct model_rot_params params = preset("sata7200");

	tap_check(model_rot_ops.traits(&params).has_write_cache &&
		  model_rot_ops.traits(&params).has_fua &&
		  model_rot_ops.traits(&params).is_rotational, 0,
		  "sata7200: the host knows of its write cache and FUA");
	params.fua = 0;
	tap_check(model_rot_ops.traits(&params).has_write_cache &&
		  !model_rot_ops.traits(&params).has_fua, 0,
		  "fua off: of the cache alone");
	params.write_cache_sectors = 0;
	params.fua = 1;
	tap_check(!model_rot_ops.traits(&params).has_write_cache &&
		  !model_rot_ops.traits(&params).has_fua, 0,
		  "write cache off: of neither");
}

/* --- Books --------------------------------------------------------------- */

static void test_books(void)
{
	struct model_rot_params params = preset("ide2002");
	struct load load = { .next = next_random_read, .depth = 1,
			     .sectors = 8, .count = 5000, .seed = seeds[0] };
	struct model_request req = { .op = MODEL_READ, .lba = 800000,
				     .sectors = 8 };
	struct model_counters *c = &rot->counters;
	struct outcome out;
	u64 now;

	params.segments = 0;
	params.segment_sectors = 0;
	rot_on(&params);
	out = run(&load, 0);
	tap_check(c->seek_ns + c->rotation_ns + c->transfer_ns +
		  load.count * params.command_ns == out.end_ns, seeds[0],
		  "seek, rotation, transfer and overhead make up the time");
	tap_check(c->reads == load.count && c->read_sectors == load.count * 8 &&
		  !c->idle_ns && !c->cache_hits && c->held_max == 1, seeds[0],
		  "reads, sectors and the longest queue are counted");

	/* 5 ms idle, in the last 2 of which the host had the command */
	now = out.end_ns + 5000000;
	req.queued_ns = now - 2000000;
	model_rot_submit(rot, 0, &req, now);
	tap_check(c->idle_ns == 5000000 && c->starved_ns == 2000000, 0,
		  "idle time is told apart by whether the host had work");
	/* a command ready before the idle time began counts from there */
	settle(now);
	now = rot->idle_since_ns + 700;
	req.queued_ns = 1;
	model_rot_submit(rot, 0, &req, now);
	tap_check(c->idle_ns == 5000700 && c->starved_ns == 2000700, 0,
		  "work queued before the idle time counts from its start");
}

static bool is_empty(const void *model)
{
	const struct model_rot *m = model;

	return !m->held && !m->cached_sectors && !m->extents;
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 4711;
	struct model_rot_params params = preset("sata7200");
	unsigned int i;

	printf("TAP version 13\n");
	test_parameters();
	test_bad_commands();
	for (i = 0; i < ARRAY_SIZE(preset_name); i++) {
		test_places(preset_name[i]);
		test_seek_curve(preset_name[i]);
		test_stroke(preset_name[i]);
		test_random_reads(preset_name[i]);
		test_zone_rates(preset_name[i]);
	}
	test_queue_depth();
	test_ageing();
	test_flush_run();
	test_flush_scattered();
	test_flush_beside_writer();
	test_write_cache();
	test_read_ahead();
	test_ahead_beside_hits();
	test_segments();
	test_order();
	test_off_switches();
	test_seekdisk();
	test_continue_free();
	test_streams_by_turns();
	test_destage();
	test_host_knows();
	test_books();
	test_repeat(&model_rot_ops, &params, 32);
	test_late_host(&model_rot_ops, &params);
	test_fuzz(&model_rot_ops, &params, is_empty, seed, 2000);
	return tap_end();
}
