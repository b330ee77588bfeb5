// SPDX-License-Identifier: GPL-2.0
/*
 * Host tests of the flash disk: it is driven directly and compared with closed
 * forms, computed here in floating point and on their own.  A depth-1 read of s
 * sectors within a page:
 *
 *	command + latency + tR + s / channel + s / link
 *
 * D dies, n commands that never meet at a die, and units of u sectors:
 *
 *	reads per s	min(n / depth-1 time, D / (tR + s / channel), 1 / command)
 *	programs per s	D / (tPROG + u / channel)
 *	with cleaning	D / (tPROG + u / channel + c (tR + tPROG) +
 *			     (1 + c) tBERS u / block),   c = v / (1 - v)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "drive.h"
#include "model_flash.h"

static struct disk disk;

static struct model_flash_params preset(const char *name)
{
	struct model_flash_params params;

	if (!model_flash_preset(&params, name))
		die("no disk of that name");
	return params;
}

static void flash_on(const struct model_flash_params *params)
{
	power_on(&disk, &model_flash_ops, params);
}

static struct outcome run(const struct model_flash_params *params,
			  struct load load)
{
	flash_on(params);
	load.capacity_sectors = params->capacity_sectors;
	return drive(&disk, &load, 0);
}

/* --- The same disk in floating point ------------------------------------- */

static double carry_ms(double sectors, u64 bytes_per_s)
{
	return bytes_per_s ? sectors * 512 / bytes_per_s * 1e3 : 0;
}

static double read_ms(const struct model_flash_params *p, u32 sectors)
{
	return (p->command_ns + p->latency_ns + p->read_ns) / MS +
	       carry_ms(sectors, p->channel_bytes_per_s) +
	       carry_ms(sectors, p->link_bytes_per_s);
}

static double page_ms(const struct model_flash_params *p, u32 sectors)
{
	return p->read_ns / MS + carry_ms(sectors, p->channel_bytes_per_s);
}

/* The solution of (1 - v) / -ln v = u. */
static double valid_part(const struct model_flash_params *p)
{
	double used = p->utilisation_permille / (1000.0 + p->spare_permille);
	double low = 0, high = 1;
	unsigned int i;

	for (i = 0; i < 50; i++) {
		double v = (low + high) / 2;

		if ((1 - v) / -log(v) > used)
			high = v;
		else
			low = v;
	}
	return low;
}

static double program_ms(const struct model_flash_params *p)
{
	double v = p->gc ? valid_part(p) : 0, copies = v / (1 - v);

	return p->program_ns / MS +
	       carry_ms(p->program_sectors, p->channel_bytes_per_s) +
	       copies * (p->read_ns + p->program_ns) / MS +
	       (p->gc ? (1 + copies) * p->erase_ns / MS * p->program_sectors /
		p->block_sectors : 0);
}

/* MB/s that all dies together program */
static double program_rate(const struct model_flash_params *p)
{
	return p->dies * p->program_sectors * 512 / program_ms(p) / 1e3;
}

static double rate(const struct outcome *out, u64 count, u32 sectors)
{
	return count * sectors * 512.0 / (out->end_ns - out->start_ns) * 1e3;
}

/* --- Reads --------------------------------------------------------------- */

static void test_depth_one(const char *name)
{
	static const struct {
		const char *what;
		size_t offset;
	} part[] = {
		{ "command_ns", offsetof(struct model_flash_params, command_ns) },
		{ "latency_ns", offsetof(struct model_flash_params, latency_ns) },
		{ "read_ns", offsetof(struct model_flash_params, read_ns) },
		{ "channel_bytes_per_s",
		  offsetof(struct model_flash_params, channel_bytes_per_s) },
		{ "link_bytes_per_s",
		  offsetof(struct model_flash_params, link_bytes_per_s) },
	};
	struct load load = { .next = next_random_read, .depth = 1,
			     .count = 2000, .sectors = 8, .seed = seeds[0] };
	struct model_flash_params params = preset(name), off;
	struct outcome out = run(&params, load);
	unsigned int i;

	tap_near(outcome_mean_ms(&out, load.count), read_ms(&params, 8), 0.1,
		 seeds[0], "%s: depth-1 random 4 KiB reads, ms each", name);
	for (i = 0; i < ARRAY_SIZE(part); i++) {
		off = params;
		*(u64 *)((char *)&off + part[i].offset) = 0;
		out = run(&off, load);
		tap_near(outcome_mean_ms(&out, load.count), read_ms(&off, 8),
			 0.1, seeds[0], "%s, %s 0: the same less its part, ms",
			 name, part[i].what);
		tap_check(read_ms(&off, 8) < read_ms(&params, 8) * 0.98, 0,
			  "%s, %s: its part is more than 2 %%", name,
			  part[i].what);
	}
}

/* One page after the other, so that commands meet at no die. */
static void next_page_read(struct load *load, struct model_request *req)
{
	req->op = MODEL_READ;
	req->sectors = load->sectors;
	req->lba = load->cursor;
	load->cursor += 32;
}

static void test_depth_scaling(void)
{
	struct load load = { .next = next_page_read, .count = 20000,
			     .sectors = 8 };
	struct model_flash_params params = preset("nvme");
	struct outcome out;
	double expected;

	params.command_ns = 0;
	for (load.depth = 1; load.depth <= params.dies; load.depth *= 2) {
		out = run(&params, load);
		tap_near(outcome_mean_ms(&out, load.count),
			 read_ms(&params, 8) / load.depth, 2, 0,
			 "nvme without controller, 4 KiB reads of one page after the other at depth %u, ms each",
			 load.depth);
	}
	load.depth = 64;
	out = run(&params, load);
	tap_near(outcome_mean_ms(&out, load.count),
		 page_ms(&params, 8) / params.dies, 2, 0,
		 "the same at depth 64: limited by the dies, ms each");
	params.dies = 4;
	out = run(&params, load);
	tap_near(outcome_mean_ms(&out, load.count),
		 page_ms(&params, 8) / params.dies, 2, 0,
		 "half the dies: twice the time, ms each");
	params = preset("nvme");
	out = run(&params, load);
	expected = params.command_ns / MS;
	tap_near(outcome_mean_ms(&out, load.count), expected, 2, 0,
		 "with the controller: its 25 us, ms each");
	tap_check(load.count / (out.end_ns / 1e9) <= 40800, 0,
		  "nvme stays at 40 k IO/s");
}

/*
 * n commands in a closed loop, each to a die at random, first come, first served,
 * in floating point; the link and the channels take no time.
 */
static double random_dies_ms(unsigned int dies, unsigned int depth,
			     double die_ms, double latency_ms, u64 count,
			     u64 seed)
{
	double free_ms[MODEL_MAX_DIES] = { }, at_ms[64] = { };
	double last = 0;
	unsigned int i, n;

	for (n = 0; n < count; n++) {
		unsigned int first = 0, chosen = random_below(&seed, dies);

		for (i = 1; i < depth; i++)
			if (at_ms[i] < at_ms[first])
				first = i;
		free_ms[chosen] = fmax(free_ms[chosen], at_ms[first]) + die_ms;
		at_ms[first] = free_ms[chosen] + latency_ms;
		last = fmax(last, at_ms[first]);
	}
	return last / count;
}

static void test_random_depth(void)
{
	struct load load = { .next = next_random_read, .count = 40000,
			     .sectors = 32 };
	struct model_flash_params params = preset("nvme");
	struct outcome out;

	params.command_ns = 0;
	params.link_bytes_per_s = 0;
	params.channel_bytes_per_s = 0;
	for (load.depth = 2; load.depth <= 32; load.depth *= 2) {
		load.seed = seeds[1];
		out = run(&params, load);
		tap_near(outcome_mean_ms(&out, load.count),
			 random_dies_ms(params.dies, load.depth,
					params.read_ns / MS,
					params.latency_ns / MS, 400000,
					seeds[2]), 2, seeds[1],
			 "nvme, dies only: random reads at depth %u, ms each",
			 load.depth);
	}
}

static void test_read_rates(void)
{
	struct load load = { .next = next_sequential_read, .depth = 16,
			     .count = 4000, .sectors = 256 };
	struct model_flash_params params = preset("nvme"), off;
	struct outcome out = run(&params, load);

	tap_near(rate(&out, load.count, 256), params.link_bytes_per_s / 1e6, 2,
		 0, "nvme: sequential 128 KiB reads, limited by the link, MB/s");
	off = params;
	off.link_bytes_per_s = 0;
	out = run(&off, load);
	tap_near(rate(&out, load.count, 256),
		 off.dies * 32 * 512 / page_ms(&off, 32) / 1e3, 2, 0,
		 "without the link: limited by the dies, MB/s");
	off.channel_bytes_per_s = 100000000;
	out = run(&off, load);
	tap_near(rate(&out, load.count, 256), 4 * 100, 2, 0,
		 "with slow channels: limited by these, MB/s");
	off = params;
	off.striping = 0;
	out = run(&off, load);
	tap_near(rate(&out, load.count, 256),
		 32 * 512 / page_ms(&off, 32) / 1e3, 2, 0,
		 "striping off: one die's rate, MB/s");
}

/* --- Writes -------------------------------------------------------------- */

static void test_write_buffer(void)
{
	struct model_flash_params params = preset("nvme"), off;
	struct load load = { .next = next_random_write, .depth = 1,
			     .count = 1000, .sectors = 8, .seed = seeds[0] };
	struct outcome out;
	double one_ms;

	params.gc = 0;
	out = run(&params, load);
	one_ms = (params.command_ns + params.latency_ns) / MS +
		 carry_ms(8, params.link_bytes_per_s);
	tap_near(outcome_mean_ms(&out, load.count), one_ms, 2, seeds[0],
		 "nvme: depth-1 4 KiB write into the buffer, ms");
	tap_check(disk.counters->cache_hits == load.count, 0,
		  "each is counted as a hit");

	/* as much as fits goes in at the rate of the link */
	load = (struct load) { .next = next_sequential_write, .depth = 32,
			       .sectors = 128 };
	load.count = params.write_buffer_sectors / 128;
	params.command_ns = 0;
	out = run(&params, load);
	tap_near(rate(&out, load.count, 128), params.link_bytes_per_s / 1e6, 2,
		 0, "a burst of the buffer's size: the link's rate, MB/s");
	tap_check(!disk.counters->room_waits, 0, "and no write waits for room");
	load.count *= 40;
	out = run(&params, load);
	/* the buffer took its own size at once */
	tap_near((load.count * 128 - params.write_buffer_sectors) * 512.0 /
		 out.end_ns * 1e3, program_rate(&params), 2, 0,
		 "40 times that: the dies' rate, MB/s");
	tap_check(disk.counters->room_waits, 0, "and writes wait for room");

	off = params;
	off.write_buffer_sectors = 0;
	load = (struct load) { .next = next_random_write, .depth = 1,
			       .count = 1000, .sectors = 8, .seed = seeds[0] };
	out = run(&off, load);
	tap_near(outcome_mean_ms(&out, load.count),
		 off.latency_ns / MS + carry_ms(8, off.link_bytes_per_s) +
		 carry_ms(8, off.channel_bytes_per_s) + off.program_ns / MS, 2,
		 seeds[0], "buffer off: a write takes its program, ms");
	tap_check(!disk.counters->cache_hits, 0, "and hits no buffer");
}

/* Endless writes at a steady state, in MB/s, after so many have gone by. */
static double steady_rate(const struct model_flash_params *params, u64 count)
{
	struct load load = { .next = next_sequential_write, .depth = 32,
			     .count = count, .sectors = 128 };
	struct outcome first, second;

	load.capacity_sectors = params->capacity_sectors;
	flash_on(params);
	first = drive(&disk, &load, 0);
	second = drive(&disk, &load, first.end_ns);
	return rate(&second, count, 128);
}

static double amplification(void)
{
	return 1 + (double)disk.counters->copied_sectors /
		   disk.counters->destaged_sectors;
}

static void test_cleaning(void)
{
	struct model_flash_params params = preset("nvme"), off;
	double full;

	full = steady_rate(&params, 20000);
	tap_near(full, program_rate(&params), 2, 0,
		 "nvme, full: writes at the dies' rate less cleaning, MB/s");
	tap_near(amplification(), 1 / (1 - valid_part(&params)), 1, 0,
		 "nvme: write amplification");
	tap_near(disk.counters->erases,
		 (double)(disk.counters->copied_sectors +
			  disk.counters->destaged_sectors) /
		 params.block_sectors, 2, 0, "one erase per block written");

	off = params;
	off.gc = 0;
	tap_near(steady_rate(&off, 20000), program_rate(&off), 2, 0,
		 "cleaning off: the dies' rate, MB/s");
	tap_check(program_rate(&off) > 2 * program_rate(&params) &&
		  !disk.counters->copied_sectors && !disk.counters->erases, 0,
		  "which is more than twice as much, without copies or erases");
	off = params;
	off.erase_ns = 0;
	off.block_sectors = 256;
	params.block_sectors = 256;
	tap_near(steady_rate(&params, 20000), program_rate(&params), 2, 0,
		 "small blocks: more erases, MB/s");
	tap_near(steady_rate(&off, 20000), program_rate(&off), 2, 0,
		 "erases off: their time less, MB/s");
	params.spare_permille = 300;
	steady_rate(&params, 20000);
	tap_near(amplification(), 2.36, 1, 0,
		 "spare 0.3: write amplification as published");
	params.utilisation_permille = 500;
	steady_rate(&params, 20000);
	tap_near(amplification(), 1 / (1 - valid_part(&params)), 1, 0,
		 "half in use: write amplification");
}

/* An empty disk takes what is free without cleaning. */
static void test_filling(void)
{
	struct model_flash_params params = preset("sata-ssd");
	struct load load = { .next = next_sequential_write, .depth = 8,
			     .count = 1, .sectors = 256 };
	double room, written;
	u64 now = 0;

	params.capacity_sectors = 1 << 21;
	load.capacity_sectors = params.capacity_sectors;
	flash_on(&params);
	while (!disk.counters->copied_sectors) {
		load.count = 64;
		now = drive(&disk, &load, now).end_ns;
		if (now > 1000 * 1000000000ULL)
			die("the disk never fills");
	}
	written = disk.counters->destaged_sectors;
	room = params.capacity_sectors * (1 + params.spare_permille / 1e3 -
					  params.utilisation_permille / 1e3);
	tap_near(written, room, 3, 0,
		 "sectors written before cleaning begins: what was free");
	params.gc_start_full = 1;
	flash_on(&params);
	load.count = 128;
	drive(&disk, &load, 0);
	tap_check(disk.counters->copied_sectors, 0,
		  "gc_start_full: it begins with the first writes");
}

/* --- Reads beside writes ------------------------------------------------- */

/*
 * A write of a unit for each die without a buffer, then a read in the middle of
 * the programs: it waits for the rest, or suspends.
 */
static u64 read_during_program(const struct model_flash_params *params,
			       u64 wait_ns)
{
	struct model_request write = { .op = MODEL_WRITE, .sectors = 512 };
	struct model_request read = { .op = MODEL_READ, .sectors = 8 };
	u64 at_ns;
	int tag;

	flash_on(params);
	disk.ops->submit(disk.model, 1, &write, 0);
	disk.ops->submit(disk.model, 0, &read, wait_ns);
	do {
		at_ns = disk.ops->next_ns(disk.model);
		tag = disk.ops->poll(disk.model, at_ns);
	} while (tag != 0 && at_ns != MODEL_NEVER);
	return at_ns - wait_ns;
}

static void test_read_behind_program(void)
{
	struct model_flash_params params = preset("nvme");
	double own;

	params.gc = 0;
	params.write_buffer_sectors = 0;
	params.command_ns = 0;
	params.link_bytes_per_s = 0;
	params.channel_bytes_per_s = 0;
	own = read_ms(&params, 8);
	tap_near(read_during_program(&params, 200000) / MS, 0.5 + own, 0.1, 0,
		 "a read 0.2 ms into a program of 0.7 ms waits for the rest, ms");
	params.suspends = 1;
	tap_near(read_during_program(&params, 200000) / MS,
		 own + params.suspend_ns / MS, 0.1, 0,
		 "suspends on: it takes suspend_ns more than alone, ms");
	tap_check(disk.counters->suspends == 1, 0, "and is counted");
	tap_near(drive_settle(&disk, 0) / MS, (params.program_ns +
		 params.suspend_ns + params.read_ns + params.latency_ns) / MS,
		 0.1, 0, "the program then takes the rest of its time, ms");
	tap_check(disk.counters->die_busy_ns[0] ==
		  params.program_ns + params.read_ns + params.suspend_ns, 0,
		  "and the die was busy for both");
}

/* One read line and one write line kept full: the ratio is that of the rule. */
static void test_read_run(void)
{
	struct model_flash_params params = preset("nvme");
	struct model_request read = { .op = MODEL_READ, .sectors = 32 };
	struct model_request write = { .op = MODEL_WRITE, .sectors = 64 };
	unsigned int run, i;
	int tag;

	params.gc = 0;
	params.dies = 1;
	params.channels = 1;
	params.command_ns = 0;
	for (run = 0; run <= 8; run = run ? run * 2 : 1) {
		u64 now = 0, writes = 0, reads = 0;

		params.read_run = run;
		params.write_buffer_sectors = 64;
		flash_on(&params);
		for (i = 0; i < 16; i++)
			disk.ops->submit(disk.model, i, i < 8 ? &read : &write,
					 now);
		while (reads < 4000) {
			now = disk.ops->next_ns(disk.model);
			while ((tag = disk.ops->poll(disk.model, now)) >= 0) {
				reads += tag < 8;
				writes += tag >= 8;
				disk.ops->submit(disk.model, tag, tag < 8 ?
						 &read : &write, now);
			}
		}
		if (run)
			tap_near((double)reads / writes, run, 2, 0,
				 "read_run %u: so many reads per program", run);
		else
			tap_check(writes <= 2, 0,
				  "read_run off: reads keep programs out: %llu",
				  writes);
	}
}

/* A read behind w writes of 64 KiB in the queue, which wait for the dies. */
static double read_behind_writes_ms(const struct model_flash_params *params,
				    unsigned int writes, unsigned int read_tag)
{
	struct model_request write = { .op = MODEL_WRITE, .sectors = 128 };
	struct model_request read = { .op = MODEL_READ, .sectors = 8 };
	u64 at_ns = 0, sent_ns, cursor = 0;
	unsigned int tag;
	int done;

	flash_on(params);
	/* fill the buffer first */
	while (cursor < 4 * params->write_buffer_sectors) {
		at_ns += drive_one(&disk, MODEL_WRITE, cursor, 128, at_ns);
		cursor += 128;
	}
	for (tag = 0; tag < writes; tag++)
		if (!disk.ops->submit(disk.model, tag, &write, at_ns))
			die("a good command was refused");
	sent_ns = at_ns;
	if (!disk.ops->submit(disk.model, read_tag, &read, sent_ns))
		die("a good command was refused");
	do {
		at_ns = disk.ops->next_ns(disk.model);
		done = disk.ops->poll(disk.model, at_ns);
	} while (done != (int)read_tag && at_ns != MODEL_NEVER);
	return (at_ns - sent_ns) / MS;
}

static void test_slots_and_queues(void)
{
	struct model_flash_params params = preset("nvme");
	double write_ms;

	params.gc = 0;
	params.command_ns = 1000;
	params.slots = 32;
	write_ms = 128 * 512 / program_rate(&params) / 1e3;
	tap_near(read_behind_writes_ms(&params, 800, 900), 800 * write_ms -
		 32 * write_ms, 5, 0,
		 "a read behind 800 writes waits until all but a slot's worth are in, ms");
	params.slots = 256;
	tap_near(read_behind_writes_ms(&params, 800, 900), (800 - 256) * write_ms,
		 5, 0, "more slots: it waits for fewer, ms");
	tap_check(read_behind_writes_ms(&params, 200, 900) < 5, 0,
		  "slots for all: it waits for none");
	params.slots = 32;
	params.queues = 2;
	params.queue_depth = 512;
	/* with 32 slots taken, every second place goes to the other queue */
	tap_check(read_behind_writes_ms(&params, 500, 512 + 7) <
		  40 * write_ms, 0,
		  "a queue of its own: it waits for the slots alone");
	params.queues = 1;
	params.queue_depth = 1023;
	tap_check(read_behind_writes_ms(&params, 500, 512 + 7) >
		  400 * write_ms, 0, "one queue: for all before it");
}

/* --- Flush, FUA, discard ------------------------------------------------- */

static u64 fua_ns(u64 now_ns)
{
	struct model_request req = { .op = MODEL_WRITE, .sectors = 8,
				     .is_fua = true };
	u64 at_ns;

	disk.ops->submit(disk.model, 0, &req, now_ns);
	do {
		at_ns = disk.ops->next_ns(disk.model);
	} while (disk.ops->poll(disk.model, at_ns) < 0);
	return at_ns - now_ns;
}

static void test_flush(void)
{
	struct model_flash_params params = preset("sata-ssd");
	double fixed, program, buffered;
	u64 now = 0;

	fixed = (params.command_ns + params.latency_ns) / MS;
	program = params.program_ns / MS +
		  carry_ms(8, params.channel_bytes_per_s);
	buffered = fixed + carry_ms(8, params.link_bytes_per_s);
	flash_on(&params);
	tap_near(drive_one(&disk, MODEL_FLUSH, 0, 0, now) / MS, fixed, 0.1, 0,
		 "sata-ssd: flush of an empty buffer, ms");
	now += 1000000000;
	now += drive_one(&disk, MODEL_WRITE, 0, 8, now);
	disk.ops->replay(disk.model, now += 1000000000);
	tap_check(!disk.counters->destaged_sectors, 0,
		  "less than a unit stays in the buffer");
	tap_near(drive_one(&disk, MODEL_FLUSH, 0, 0, now) / MS,
		 fixed + program, 0.1, 0, "flush of 4 KiB: one program, ms");
	now += 1000000000;
	tap_near(fua_ns(now) / MS, buffered + program, 0.1, 0,
		 "FUA write: its program, ms");
	params.volatile_buffer = 0;
	flash_on(&params);
	tap_near(fua_ns(now) / MS, buffered, 0.1, 0,
		 "volatile_buffer off: FUA write as any other, ms");
	tap_check(!model_flash_ops.traits(&params).has_write_cache &&
		  !model_flash_ops.traits(&params).has_fua, 0,
		  "and the host sees no write cache");
	params = preset("sata-ssd");
	tap_check(model_flash_ops.traits(&params).has_write_cache &&
		  model_flash_ops.traits(&params).has_fua, 0,
		  "volatile_buffer on: it does, with FUA");
	params.fua = 0;
	tap_check(!model_flash_ops.traits(&params).has_fua, 0,
		  "fua off: without");
}

static void test_discard(void)
{
	struct model_flash_params params = preset("nvme");
	struct model_request discard = { .op = MODEL_DISCARD,
					 .sectors = 2048 * 64 };
	struct model_request read = { .op = MODEL_READ, .sectors = 8 };
	double expected = (params.command_ns + params.latency_ns +
			   params.discard_ns + 64 * params.discard_mib_ns) / MS;
	u64 at_ns;

	flash_on(&params);
	tap_near(drive_one(&disk, MODEL_DISCARD, 0, 2048 * 64, 0) / MS,
		 expected, 0.1, 0, "discard of 64 MiB, ms");
	flash_on(&params);
	disk.ops->submit(disk.model, 0, &discard, 0);
	disk.ops->submit(disk.model, 1, &read, 0);
	do {
		at_ns = disk.ops->next_ns(disk.model);
	} while (disk.ops->poll(disk.model, at_ns) != 1);
	tap_near(at_ns / MS, expected + read_ms(&params, 8) -
		 params.latency_ns / MS, 0.1, 0, "a read behind it waits, ms");
	params.discard_ns = 0;
	params.discard_mib_ns = 0;
	flash_on(&params);
	tap_near(drive_one(&disk, MODEL_DISCARD, 0, 2048 * 64, 0) / MS,
		 (params.command_ns + params.latency_ns) / MS, 0.1, 0,
		 "discard costs 0: as any command, ms");
	params.discard = 0;
	flash_on(&params);
	tap_check(!disk.ops->submit(disk.model, 0, &discard, 0) &&
		  !model_flash_ops.traits(&params).has_discard, 0,
		  "discard off: not known");
}

/* --- Link and books ------------------------------------------------------ */

static void next_both_ways(struct load *load, struct model_request *req)
{
	next_sequential_read(load, req);
	if (load->cursor / load->sectors % 2)
		req->op = MODEL_WRITE;
}

static void test_duplex(void)
{
	struct model_flash_params params = preset("nvme");
	struct load load = { .next = next_both_ways, .depth = 16,
			     .count = 4000, .sectors = 256 };
	double link = params.link_bytes_per_s / 1e6;
	struct outcome out;

	params.gc = 0;
	params.read_ns = 0;
	params.program_ns = 0;
	params.channel_bytes_per_s = 0;
	params.command_ns = 0;
	out = run(&params, load);
	tap_near(rate(&out, load.count, 256), 2 * link, 2, 0,
		 "reads and writes by turns: the link both ways, MB/s");
	params.link_duplex = 0;
	out = run(&params, load);
	tap_near(rate(&out, load.count, 256), link, 2, 0,
		 "link_duplex off: half of it, MB/s");
	tap_near(disk.counters->link_ns, out.end_ns, 2, 0,
		 "and link_ns is all of the time");
}

static void test_books(void)
{
	struct model_flash_params params = preset("nvme");
	struct load load = { .next = next_page_read, .depth = 4, .count = 8000,
			     .sectors = 8 };
	struct model_request req = { .op = MODEL_READ, .sectors = 8 };
	const struct model_counters *c;
	struct outcome out;
	u64 sum = 0, now;
	unsigned int i;

	out = run(&params, load);
	c = disk.counters;
	for (i = 0; i < MODEL_MAX_DIES; i++)
		sum += c->die_busy_ns[i];
	tap_near(sum / MS, load.count * page_ms(&params, 8), 1, 0,
		 "the dies were busy as long as their reads take, ms");
	tap_check(c->transfer_ns == sum && !c->die_busy_ns[params.dies], 0,
		  "each die has its own figure, and they add up");
	tap_check(c->reads == 8000 && c->read_sectors == 64000 &&
		  c->page_reads == 8000 && c->held_max == 4 && !c->idle_ns, 0,
		  "reads, sectors, pages and the longest queue are counted");
	now = out.end_ns + 5000000;
	req.queued_ns = now - 2000000;
	disk.ops->submit(disk.model, 0, &req, now);
	tap_check(c->idle_ns == 5000000 && c->starved_ns == 2000000, 0,
		  "idle time is told apart by whether the host had work");
}

static void test_bad(void)
{
	struct model_flash_params params = preset("nvme");
	struct model_request req = { .op = MODEL_READ, .sectors = 8 };
	unsigned int refused = 0;

	params.queues = 2;
	tap_check(model_flash_check(&params), 0,
		  "more commands than there is room for are refused");
	params = preset("nvme");
	params.channels = 3;
	tap_check(model_flash_check(&params), 0,
		  "dies that do not spread over the channels are refused");
	params = preset("nvme");
	params.block_sectors = 100;
	tap_check(model_flash_check(&params), 0,
		  "a block of no whole units is refused");
	params = preset("nvme");
	params.write_buffer_sectors = 32;
	tap_check(model_flash_check(&params), 0,
		  "a buffer smaller than a unit is refused");

	params = preset("nvme");
	flash_on(&params);
	refused += !disk.ops->submit(disk.model, 1023, &req, 0);
	req.lba = params.capacity_sectors - 7;
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	req.lba = ~0ULL;
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	req.lba = 0;
	req.sectors = 0;
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	req.op = MODEL_FLUSH;
	req.sectors = 8;
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	req.op = MODEL_READ;
	tap_check(disk.ops->submit(disk.model, 0, &req, 0), 0,
		  "a good command is taken");
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	tap_check(refused == 6, 0,
		  "commands outside the disk or its queue are refused: %u of 6",
		  refused);
}

static bool is_empty(const void *model)
{
	const struct model_flash *flash = model;

	return !flash->held && flash->free_slots == flash->params.slots &&
	       !flash->entry_sectors && flash->taken <= flash->entered;
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 4711;
	static const char *const name[] = { "nvme", "sata-ssd" };
	struct model_flash_params params;
	unsigned int i;

	printf("TAP version 13\n");
	for (i = 0; i < 2; i++) {
		params = preset(name[i]);
		tap_check(!model_flash_check(&params), 0,
			  "preset %s describes a disk", name[i]);
		test_ranges(&model_flash_ops, &params);
		test_depth_one(name[i]);
		test_repeat(&model_flash_ops, &params, 32);
		test_late_host(&model_flash_ops, &params);
		test_fuzz(&model_flash_ops, &params, is_empty, seed, 500);
	}
	test_bad();
	test_depth_scaling();
	test_random_depth();
	test_read_rates();
	test_write_buffer();
	test_cleaning();
	test_filling();
	test_read_behind_program();
	test_read_run();
	test_slots_and_queues();
	test_flush();
	test_discard();
	test_duplex();
	test_books();
	return tap_end();
}
