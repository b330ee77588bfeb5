// SPDX-License-Identifier: GPL-2.0
/*
 * Host tests of the memory card: it is driven directly and compared with the
 * closed forms of its header, computed here in floating point.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "drive.h"
#include "model_stick.h"

static struct disk disk;

static struct model_stick_params sdcard(void)
{
	struct model_stick_params params;

	if (!model_stick_preset(&params, "sdcard"))
		die("no card of that name");
	return params;
}

static struct outcome run(const struct model_stick_params *params,
			  struct load load)
{
	power_on(&disk, &model_stick_ops, params);
	load.capacity_sectors = params->capacity_sectors;
	return drive(&disk, &load, 0);
}

/* --- The same card in floating point ------------------------------------- */

static double carry_ms(double sectors, u64 bytes_per_s)
{
	return bytes_per_s ? sectors * 512 / bytes_per_s * 1e3 : 0;
}

static double read_ms(const struct model_stick_params *p, u32 sectors)
{
	return (p->command_ns + p->read_ns) / MS +
	       carry_ms(sectors, p->read_bytes_per_s);
}

/* A write at the point of an open block. */
static double append_ms(const struct model_stick_params *p, u32 sectors)
{
	return (p->command_ns + p->write_ns) / MS +
	       carry_ms(sectors, p->write_bytes_per_s);
}

/* A write that opens a block and for which one must be closed. */
static double random_ms(const struct model_stick_params *p, u32 sectors)
{
	return append_ms(p, sectors) + (p->open_blocks ? p->erase_ns / MS +
		carry_ms(p->block_sectors - sectors, p->copy_bytes_per_s) : 0);
}

static double stream_ms(const struct model_stick_params *p, u32 sectors)
{
	return append_ms(p, sectors) + (p->open_blocks ? p->erase_ns / MS *
					sectors / p->block_sectors : 0);
}

/* --- Tests --------------------------------------------------------------- */

/* Each of the parameters in turn 0: time with and without by closed form. */
static void test_parts(const char *what,
		       void (*next)(struct load *load, struct model_request *req),
		       double (*form)(const struct model_stick_params *p,
				      u32 sectors),
		       u32 sectors, u64 count)
{
	static const struct {
		const char *name;
		size_t offset;
	} part[] = {
		{ "command_ns", offsetof(struct model_stick_params, command_ns) },
		{ "read_ns", offsetof(struct model_stick_params, read_ns) },
		{ "read_bytes_per_s",
		  offsetof(struct model_stick_params, read_bytes_per_s) },
		{ "write_ns", offsetof(struct model_stick_params, write_ns) },
		{ "write_bytes_per_s",
		  offsetof(struct model_stick_params, write_bytes_per_s) },
		{ "open_blocks",
		  offsetof(struct model_stick_params, open_blocks) },
		{ "copy_bytes_per_s",
		  offsetof(struct model_stick_params, copy_bytes_per_s) },
		{ "erase_ns", offsetof(struct model_stick_params, erase_ns) },
	};
	struct load load = { .next = next, .depth = 1, .count = count,
			     .sectors = sectors, .seed = seeds[0] };
	struct model_stick_params params = sdcard(), off;
	struct outcome out = run(&params, load);
	double on_ms = form(&params, sectors);
	unsigned int i;

	tap_near(outcome_mean_ms(&out, count), on_ms, 2, seeds[0],
		 "sdcard: %s, ms each", what);
	for (i = 0; i < ARRAY_SIZE(part); i++) {
		off = params;
		*(u64 *)((char *)&off + part[i].offset) = 0;
		/* a part that changes nothing here is tested by another load */
		if (form(&off, sectors) == on_ms)
			continue;
		out = run(&off, load);
		tap_near(outcome_mean_ms(&out, count), form(&off, sectors), 2,
			 seeds[0], "%s, %s 0: the same less its part, ms", what,
			 part[i].name);
	}
}

/* Some streams by turns, each in blocks of its own. */
static unsigned int streams;

static void next_of_streams(struct load *load, struct model_request *req)
{
	u64 n = load->cursor++;

	req->op = MODEL_WRITE;
	req->sectors = load->sectors;
	req->lba = n % streams * 819200 + n / streams * load->sectors;
}

static void test_open_blocks(void)
{
	struct load load = { .next = next_of_streams, .depth = 1,
			     .count = 4000, .sectors = 128 };
	struct model_stick_params params = sdcard();
	struct outcome out;

	streams = params.open_blocks;
	out = run(&params, load);
	tap_near(outcome_mean_ms(&out, load.count), stream_ms(&params, 128), 2,
		 0, "as many streams as open blocks: no copies, ms each");
	tap_check(!disk.counters->copied_sectors, 0, "none are counted");
	streams++;
	load.count = 600;
	out = run(&params, load);
	tap_check(outcome_mean_ms(&out, load.count) >
		  10 * stream_ms(&params, 128), 0,
		  "one stream more: every write finds its block closed, %.0f ms each",
		  outcome_mean_ms(&out, load.count));
	params.open_blocks++;
	out = run(&params, load);
	tap_near(outcome_mean_ms(&out, load.count), stream_ms(&params, 128), 5,
		 0, "one block more: no copies again, ms each");
}

/* The block that makes room is the one not written for longest. */
static void test_oldest_closes(void)
{
	struct model_stick_params params = sdcard();
	u64 block, now = 0;

	power_on(&disk, &model_stick_ops, &params);
	for (block = 0; block < params.open_blocks; block++)
		now += drive_one(&disk, MODEL_WRITE, block * params.block_sectors,
				 8, now);
	now += drive_one(&disk, MODEL_WRITE, 8, 8, now);
	now += drive_one(&disk, MODEL_WRITE, block * params.block_sectors, 8,
			 now);
	tap_near(drive_one(&disk, MODEL_WRITE, 16, 8, now) / MS,
		 append_ms(&params, 8), 0.1, 0,
		 "the first block, written again since, is still open, ms");
	now += 1000000000;
	tap_near(drive_one(&disk, MODEL_WRITE, params.block_sectors + 8, 8,
			   now) / MS, random_ms(&params, 8) +
		 carry_ms(8, params.copy_bytes_per_s), 0.1, 0,
		 "the second is not, ms");

	power_on(&disk, &model_stick_ops, &params);
	for (block = 0; block + 1 < params.open_blocks; block++)
		now += drive_one(&disk, MODEL_WRITE, block * params.block_sectors,
				 8, now);
	now += drive_one(&disk, MODEL_WRITE, block * params.block_sectors,
			 params.block_sectors, now);
	block++;
	now += drive_one(&disk, MODEL_WRITE, block * params.block_sectors, 8,
			 now);
	tap_near(drive_one(&disk, MODEL_WRITE, 8, 8, now) / MS,
		 append_ms(&params, 8), 0.1, 0,
		 "a full block makes room by itself, ms");
}

/* What one write costs by where it lies to the write point. */
static void test_write_point(void)
{
	struct model_stick_params params = sdcard();
	double own = append_ms(&params, 8), erase = params.erase_ns / MS;
	u64 now = 0;

	power_on(&disk, &model_stick_ops, &params);
	tap_near(drive_one(&disk, MODEL_WRITE, 0, 8, now) / MS, own + erase,
		 0.1, 0, "first write to a block, at its start, ms");
	now += 1000000000;
	tap_near(drive_one(&disk, MODEL_WRITE, 8, 8, now) / MS, own, 0.1, 0,
		 "the next at the write point, ms");
	now += 1000000000;
	tap_near(drive_one(&disk, MODEL_WRITE, 1016, 8, now) / MS,
		 own + carry_ms(1000, params.copy_bytes_per_s), 0.1, 0,
		 "behind it: copies what is between, ms");
	now += 1000000000;
	tap_near(drive_one(&disk, MODEL_WRITE, 16, 8, now) / MS, own + erase +
		 carry_ms(params.block_sectors - 1024 + 16,
			  params.copy_bytes_per_s), 0.1, 0,
		 "before it: copies the rest, opens the block anew, ms");
	tap_check(disk.counters->erases == 2 &&
		  disk.counters->copied_sectors ==
		  1000 + params.block_sectors - 1024 + 16, 0,
		  "erases and copies are counted");
	now += 1000000000;
	drive_one(&disk, MODEL_WRITE, params.block_sectors - 8, 16, now);
	tap_check(disk.counters->erases == 3, 0,
		  "a write over a block's end opens the next");
}

static void test_stalls(void)
{
	struct model_stick_params params = sdcard();
	struct load load = { .next = next_random_read, .depth = 1,
			     .count = 1000, .sectors = 8, .seed = seeds[0] };
	double own = read_ms(&params, 8), stall = params.stall_ns / MS;
	struct outcome out;
	u64 now;

	out = run(&params, load);
	tap_near(out.latency_max_ns / MS, own, 0.1, 0,
		 "stalls off: no read is longer than the others, ms");
	params.stall_period = 100;
	load.count = 1001;
	out = run(&params, load);
	tap_near(out.end_ns / MS, 1001 * own + 10 * stall, 0.1, 0,
		 "a stall every 100 commands: the tenth before the 1001st, ms");
	tap_check(disk.counters->stalls == 10 && disk.counters->stall_ns ==
		  10 * params.stall_ns, 0, "they are counted");
	tap_near(out.latency_max_ns / MS, own + stall, 0.1, 0,
		 "one read waits as long as a stall, ms");

	params.stall_period = 0;
	power_on(&disk, &model_stick_ops, &params);
	disk.ops->stall(disk.model, 1500000000, 1000);
	tap_near(drive_one(&disk, MODEL_READ, 0, 8, 1000) / MS, 1500 + own, 0.1,
		 0, "a stall on request, idle: the next read waits, ms");
	now = 10000000000ULL;
	tap_near(drive_one(&disk, MODEL_READ, 0, 8, now) / MS, own, 0.1, 0,
		 "and the one after it does not, ms");
}

/* One at a time: deeper queues bring nothing, and order is that of arrival. */
static void test_depth(void)
{
	struct model_stick_params params = sdcard();
	struct load load = { .next = next_random_read, .depth = 32,
			     .count = 3200, .sectors = 8, .seed = seeds[0] };
	struct outcome out;

	params.queue_depth = 32;
	out = run(&params, load);
	tap_near(outcome_mean_ms(&out, load.count), read_ms(&params, 8), 0.1,
		 seeds[0], "depth 32: no faster than depth 1, ms each");
	tap_near(out.latency_max_ns / MS, 32 * read_ms(&params, 8), 1, seeds[0],
		 "first come, first served: nobody waits for more than 32, ms");
}

static void test_bad_commands(void)
{
	struct model_stick_params params = sdcard();
	struct model_request req = { .op = MODEL_READ, .sectors = 8 };
	unsigned int refused = 0;

	power_on(&disk, &model_stick_ops, &params);
	refused += !disk.ops->submit(disk.model, 1, &req, 0);
	req.lba = params.capacity_sectors - 7;
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	req.lba = 0;
	req.op = MODEL_DISCARD;
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	req.op = MODEL_FLUSH;
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	req.op = MODEL_READ;
	tap_check(disk.ops->submit(disk.model, 0, &req, 0), 0,
		  "a good command is taken");
	refused += !disk.ops->submit(disk.model, 0, &req, 0);
	tap_check(refused == 5, 0,
		  "commands outside the card or its queue are refused: %u of 5",
		  refused);
}

static bool is_empty(const void *model)
{
	const struct model_stick *stick = model;

	return !stick->held && !stick->working;
}

int main(int argc, char **argv)
{
	u64 seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 4711;
	struct model_stick_params params = sdcard();

	printf("TAP version 13\n");
	tap_check(!model_stick_check(&params), 0,
		  "preset sdcard describes a card");
	test_ranges(&model_stick_ops, &params);
	test_bad_commands();
	test_parts("depth-1 random 4 KiB reads", next_random_read, read_ms, 8,
		   2000);
	test_parts("random 4 KiB writes", next_random_write, random_ms, 8,
		   2000);
	test_parts("sequential 64 KiB writes", next_sequential_write,
		   stream_ms, 128, 6400);
	test_open_blocks();
	test_oldest_closes();
	test_write_point();
	test_stalls();
	test_depth();
	params.queue_depth = 32;
	test_repeat(&model_stick_ops, &params, 32);
	test_late_host(&model_stick_ops, &params);
	test_fuzz(&model_stick_ops, &params, is_empty, seed, 1000);
	return tap_end();
}
