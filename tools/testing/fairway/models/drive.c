// SPDX-License-Identifier: GPL-2.0
/* Host tests of the disk models: driving a disk, and what all must pass. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive.h"

const u64 seeds[SEEDS] = { 1, 20021, 987654321 };

void die(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

void power_on(struct disk *disk, const struct model_ops *ops,
	      const void *params)
{
	const char *why = ops->check(params);

	if (why)
		die(why);
	if (!disk->model || disk->ops != ops) {
		free(disk->model);
		disk->model = malloc(ops->state_bytes);
		if (!disk->model)
			die("no memory");
	}
	disk->ops = ops;
	ops->init(disk->model, params, 0);
	disk->counters = ops->counters(disk->model);
}

/* --- Driving ------------------------------------------------------------- */

static void outcome_add(struct outcome *out, u64 value)
{
	out->hash = (out->hash ^ value) * 0x100000001b3ULL;
}

static unsigned int free_tag(const bool *is_used, unsigned int depth)
{
	unsigned int tag = 0;

	while (tag < depth && is_used[tag])
		tag++;
	return tag;
}

struct outcome drive(struct disk *disk, struct load *load, u64 now_ns)
{
	struct outcome out = { .start_ns = now_ns, .end_ns = now_ns };
	u64 sent_ns[DRIVE_MAX_TAGS] = { };
	bool is_used[DRIVE_MAX_TAGS] = { };
	u64 sent = 0, ended = 0, late = load->seed ^ 0x5eed;
	struct model_request req;
	unsigned int used = 0;
	int tag;

	while (ended < load->count) {
		while (used < load->depth && sent < load->count) {
			tag = free_tag(is_used, load->depth);
			memset(&req, 0, sizeof(req));
			load->next(load, &req);
			if (!disk->ops->submit(disk->model, tag, &req, now_ns))
				die("a good command was refused");
			is_used[tag] = true;
			used++;
			sent_ns[tag] = now_ns;
			sent++;
		}
		if (disk->ops->next_ns(disk->model) == MODEL_NEVER)
			die("commands are held, and nothing will happen");
		now_ns = disk->ops->next_ns(disk->model);
		if (load->late_ns)
			now_ns += random_below(&late, load->late_ns);
		while ((tag = disk->ops->poll(disk->model, now_ns)) >= 0) {
			u64 latency_ns = now_ns - sent_ns[tag];

			is_used[tag] = false;
			used--;
			ended++;
			out.end_ns = now_ns;
			out.latency_ns += latency_ns;
			if (latency_ns > out.latency_max_ns)
				out.latency_max_ns = latency_ns;
			outcome_add(&out, tag);
			outcome_add(&out, now_ns);
		}
	}
	return out;
}

u64 drive_one(struct disk *disk, enum model_op op, u64 lba, u32 sectors,
	      u64 now_ns)
{
	struct model_request req = { .op = op, .lba = lba, .sectors = sectors };
	u64 at_ns;

	if (!disk->ops->submit(disk->model, 0, &req, now_ns))
		die("a good command was refused");
	do {
		at_ns = disk->ops->next_ns(disk->model);
		if (at_ns == MODEL_NEVER)
			die("a command will never end");
	} while (disk->ops->poll(disk->model, at_ns) < 0);
	return at_ns - now_ns;
}

u64 drive_settle(struct disk *disk, u64 now_ns)
{
	while (disk->ops->next_ns(disk->model) != MODEL_NEVER) {
		now_ns = disk->ops->next_ns(disk->model);
		disk->ops->poll(disk->model, now_ns);
	}
	return now_ns;
}

double outcome_mean_ms(const struct outcome *out, u64 count)
{
	return (double)(out->end_ns - out->start_ns) / count / MS;
}

/* --- Commands ------------------------------------------------------------ */

void next_random_read(struct load *load, struct model_request *req)
{
	req->op = MODEL_READ;
	req->sectors = load->sectors;
	req->lba = random_below(&load->seed, load->capacity_sectors /
				load->sectors) * load->sectors;
}

void next_random_write(struct load *load, struct model_request *req)
{
	next_random_read(load, req);
	req->op = MODEL_WRITE;
}

void next_fua_write(struct load *load, struct model_request *req)
{
	next_random_write(load, req);
	req->is_fua = true;
}

void next_sequential_read(struct load *load, struct model_request *req)
{
	if (load->cursor + load->sectors > load->capacity_sectors)
		load->cursor = 0;
	req->op = MODEL_READ;
	req->sectors = load->sectors;
	req->lba = load->cursor;
	load->cursor += load->sectors;
}

void next_sequential_write(struct load *load, struct model_request *req)
{
	next_sequential_read(load, req);
	req->op = MODEL_WRITE;
}

void next_mixed(struct load *load, struct model_request *req)
{
	u64 dice = random_below(&load->seed, 100);

	if (dice < 2) {
		req->op = MODEL_FLUSH;
	} else if (dice < 30) {
		next_random_write(load, req);
		req->is_fua = dice < 5;
	} else if (dice < 60) {
		next_sequential_read(load, req);
	} else {
		next_random_read(load, req);
	}
}

/* --- Tests for all kinds ------------------------------------------------- */

void test_ranges(const struct model_ops *ops, const void *good)
{
	unsigned int rows = 0, refused = 0, edges = 0;
	char *params = malloc(ops->params_bytes);
	const struct model_param *row;

	if (!params)
		die("no memory");
	for (row = ops->param; row->name; row++) {
		u64 *value = (u64 *)(params + row->offset);

		rows++;
		memcpy(params, good, ops->params_bytes);
		*value = row->max + 1;
		refused += !!ops->check(params);
		edges++;
		if (row->min) {
			*value = row->min - 1;
			refused += !!ops->check(params);
			edges++;
		}
	}
	tap_check(rows * sizeof(u64) == ops->params_bytes, 0,
		  "%s: every parameter has a row with its range", ops->name);
	tap_check(refused == edges, 0,
		  "%s: a value outside its range is refused: %u of %u",
		  ops->name, refused, edges);
	tap_check(!ops->preset(params, "no-such-disk") &&
		  !ops->preset(params, ""), 0,
		  "%s: an unknown preset is refused", ops->name);
	free(params);
}

void test_repeat(const struct model_ops *ops, const void *params,
		 unsigned int depth)
{
	struct disk disk = { };
	struct model_counters first;
	unsigned int i;

	for (i = 0; i < SEEDS; i++) {
		struct load load = { .next = next_mixed, .depth = depth,
				     .count = 20000, .sectors = 32 };
		struct outcome a, b, other;

		load.capacity_sectors = ops->traits(params).capacity_sectors;
		load.seed = seeds[i];
		power_on(&disk, ops, params);
		a = drive(&disk, &load, 0);
		first = *disk.counters;
		load.seed = seeds[i];
		load.cursor = 0;
		power_on(&disk, ops, params);
		b = drive(&disk, &load, 0);
		tap_check(a.hash == b.hash && !memcmp(&first, disk.counters,
						      sizeof(first)), seeds[i],
			  "%s: one seed, one result, bit for bit: %016llx",
			  ops->name, a.hash);
		load.seed = seeds[i] + 1;
		load.cursor = 0;
		power_on(&disk, ops, params);
		other = drive(&disk, &load, 0);
		tap_check(a.hash != other.hash, seeds[i],
			  "%s: another seed, another result", ops->name);
	}
	free(disk.model);
}

/* The same commands at the same times; polled exactly or, if @late, late. */
static void drive_timetable(struct disk *disk, const void *params,
			    unsigned int commands, bool late)
{
	struct load load = { .sectors = 32, .seed = seeds[1] };
	u64 when = seeds[2], gap = seeds[0], now = 0, next_ns;
	unsigned int i, tags;

	load.capacity_sectors = disk->ops->traits(params).capacity_sectors;
	tags = disk->ops->traits(params).queue_depth;
	tags = tags < 32 ? tags : 32;
	for (i = 0; i < commands; i++) {
		struct model_request req = { };

		next_mixed(&load, &req);
		if (!disk->ops->submit(disk->model, i % tags, &req, now))
			die("a good command was refused");
		now += random_below(&gap, i % 64 < 32 ? 20000000 : 50000);
		/* before a tag comes round again all have ended */
		if (i % tags == tags - 1)
			now += 60000000000ULL;
		for (;;) {
			next_ns = disk->ops->next_ns(disk->model);
			if (late && next_ns != MODEL_NEVER)
				next_ns += random_below(&when, 9000000);
			if (next_ns >= now)
				break;
			while (disk->ops->poll(disk->model, next_ns) >= 0)
				;
		}
		while (disk->ops->poll(disk->model, now) >= 0)
			;
	}
}

/* Decisions do not depend on when the host looks. */
void test_late_host(const struct model_ops *ops, const void *params)
{
	const unsigned int commands = 32 * 200;
	struct model_counters books[2];
	struct disk disk = { };
	unsigned int late;

	for (late = 0; late < 2; late++) {
		power_on(&disk, ops, params);
		drive_timetable(&disk, params, commands, late);
		books[late] = *disk.counters;
	}
	tap_check(books[0].reads + books[0].writes + books[0].flushes ==
		  commands, 0, "%s: all commands of the late host ended",
		  ops->name);
	tap_check(!memcmp(&books[0], &books[1], sizeof(books[0])), seeds[1],
		  "%s: a host that comes late changes nothing on the disk",
		  ops->name);
	free(disk.model);
}

/* One in four values stays; the others become small, large or any. */
static void random_params(const struct model_ops *ops, char *params,
			  u64 *state)
{
	const struct model_param *row;

	for (row = ops->param; row->name; row++) {
		u64 *value = (u64 *)(params + row->offset);
		u64 span = row->max - row->min + 1;

		switch (random_below(state, 4)) {
		case 0:
			break;
		case 1:
			*value = row->min + random_below(state, span < 16 ?
							 span : 16);
			break;
		case 2:
			*value = row->max - random_below(state, span < 4 ?
							 span : 4);
			break;
		case 3:
			*value = row->min + random_below(state, span);
			break;
		}
	}
}

/* Random disks, random commands: all end, none is lost, nothing overflows. */
void test_fuzz(const struct model_ops *ops, const void *good,
	       bool (*is_empty)(const void *model), u64 seed,
	       unsigned int disks)
{
	char *params = malloc(ops->params_bytes);
	unsigned int made = 0, tries = 0;
	struct disk disk = { };
	u64 state = seed;

	if (!params)
		die("no memory");
	while (made < disks) {
		struct load load = { .next = next_mixed, .count = 600 };
		struct model_traits traits;
		u64 now;

		memcpy(params, good, ops->params_bytes);
		random_params(ops, params, &state);
		if (++tries > disks * 1000)
			die("no random parameters describe a disk");
		if (ops->check(params))
			continue;
		traits = ops->traits(params);
		load.capacity_sectors = traits.capacity_sectors;
		load.depth = 1 + random_below(&state, traits.queues *
					      traits.queue_depth);
		load.sectors = 1 + random_below(&state,
						load.capacity_sectors < 2048 ?
						load.capacity_sectors / 2 : 1024);
		load.seed = random_next(&state);
		load.late_ns = random_below(&state, 2) * 3000000;
		power_on(&disk, ops, params);
		ops->init(disk.model, params, random_below(&state, 1ULL << 60));
		now = drive(&disk, &load, 0).end_ns;
		drive_settle(&disk, now);
		if (disk.counters->reads + disk.counters->writes +
		    disk.counters->flushes != load.count)
			die("a command was not counted");
		if (!is_empty(disk.model))
			die("something is left at rest");
		made++;
	}
	tap_check(made == disks, seed,
		  "%s: %u random disks, 600 commands each: all end, nothing is left",
		  ops->name,
		  disks);
	free(disk.model);
	free(params);
}
