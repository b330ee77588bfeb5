// SPDX-License-Identifier: GPL-2.0
/*
 * The whole core on a simulated disk: shares, rates and waits.
 *
 * Each case prints its seeds and what it saw.  What a case asks for is what
 * turns are for (turn.c has the formula), not what happened to come out.
 */
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "fakeload.h"

/* How many times longer than in the kernel; a host's build says so. */
#ifndef FWY_TEST_SCALE
#define FWY_TEST_SCALE	1
#endif

#define MS		((u64)NSEC_PER_MSEC)
#define SECOND		((u64)NSEC_PER_SEC)
#define WARM_NS		(10 * SECOND)
#define RUN_NS		(60 * SECOND * FWY_TEST_SCALE)

/* From a completion to the next request of a process that does not think. */
#define PROMPT_US	100

/* Knobs of these tests, whatever the defaults are. */
#define ROUND_MS	220
#define MIN_MS		16
#define MAX_MS		120

static const u32 seeds[] = { 1, 20261130, 4294967295U };

static int sim_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct fakeload), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static void sim_start(struct kunit *test, bool has_head, unsigned int depth,
		      u32 seed)
{
	struct fakeload *load = test->priv;
	u32 *value = load->params.value;

	kunit_info(test, "seed %u, depth %u", seed, depth);
	fakeload_init(load, has_head, depth, seed);
	value[FWY_READ_EXPIRE_MS] = 500;
	value[FWY_WRITE_EXPIRE_MS] = 1000;
	value[FWY_ASYNC_EXPIRE_MS] = 5000;
	value[FWY_PASS_SECTORS] = 1048576;
	value[FWY_PASS_REQUESTS] = 0;
	value[FWY_ROUND_MS] = ROUND_MS;
	value[FWY_TURN_MIN_MS] = MIN_MS;
	value[FWY_TURN_MAX_MS] = MAX_MS;
	value[FWY_ANTIC_US] = 8000;
	value[FWY_ASYNC_WEIGHT_PCT] = 50;
	value[FWY_WINDOW_US] = 0;
}

static void sim_run(struct kunit *test, u64 run_ns)
{
	struct fakeload *load = test->priv;
	const char *complaint = fakeload_run(load, WARM_NS);

	fakeload_clear(load);
	if (!complaint)
		complaint = fakeload_run(load, run_ns);
	KUNIT_ASSERT_TRUE_MSG(test, !complaint, "%s", complaint);
}

/* Figures of processes @from to before @to. */
struct figures {
	u64 requests, sectors;
	u64 least_sectors, most_sectors;
	u64 mean_ns, most_ns;
};

static struct figures figures(struct kunit *test, unsigned int from,
			      unsigned int to)
{
	struct fakeload *load = test->priv;
	struct figures sum = { .least_sectors = U64_MAX };
	u64 wait_ns = 0;

	for (; from < to; from++) {
		const struct fakeproc *proc = &load->proc[from];

		sum.requests += proc->done;
		sum.sectors += proc->done_sectors;
		sum.least_sectors = min(sum.least_sectors, proc->done_sectors);
		sum.most_sectors = max(sum.most_sectors, proc->done_sectors);
		sum.most_ns = max(sum.most_ns, proc->most_ns);
		wait_ns += proc->wait_ns;
	}
	sum.mean_ns = sum.requests ? div64_u64(wait_ns, sum.requests) : 0;
	kunit_info(test, "%llu requests, %llu MiB, least/most %llu pct, mean %llu us, most %llu us",
		   (unsigned long long)sum.requests,
		   (unsigned long long)sum.sectors / 2048,
		   (unsigned long long)(sum.most_sectors ?
			div64_u64(sum.least_sectors * 100, sum.most_sectors) : 0),
		   (unsigned long long)sum.mean_ns / 1000,
		   (unsigned long long)sum.most_ns / 1000);
	return sum;
}

/* @part is at least so many percent of @whole. */
static void expect_pct(struct kunit *test, u64 part, u64 whole,
		       unsigned int least_pct, const char *what)
{
	KUNIT_EXPECT_GE_MSG(test, part * 100, whole * least_pct, "%s", what);
}

static u64 sim_switch_ns(const struct fakeload *load)
{
	return load->disk.switches ?
	       div64_u64(load->disk.switch_ns, load->disk.switches) : 0;
}

/* ---- where seeks cost ----------------------------------------------------- */

static const struct fakekind reader = {
	.count = 1, .sectors = 256, .depth = 1, .weight = FWY_WEIGHT,
	.think_us = PROMPT_US,
};

/* What one such process has alone, in sectors for a run. */
static u64 alone_sectors(struct kunit *test, const struct fakekind *kind,
			 u32 seed)
{
	struct fakekind one = *kind;

	one.count = 1;
	sim_start(test, true, 1, seed);
	fakeload_add(test->priv, &one);
	sim_run(test, RUN_NS);
	return figures(test, 0, 1).sectors;
}

static void four_readers_share_alike_at_the_rate_of_the_curve(struct kunit *test)
{
	static const unsigned int depths[] = { 1, 4, 32 };
	struct fakekind readers = reader;
	struct fakeload *load = test->priv;
	int i;

	readers.count = 4;
	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		const u64 quantum_ns = ROUND_MS * MS / 4;
		u64 alone = alone_sectors(test, &reader, seeds[i]), curve;
		struct figures sum;

		sim_start(test, true, depths[i], seeds[i]);
		fakeload_add(load, &readers);
		sim_run(test, RUN_NS);
		sum = figures(test, 0, 4);
		curve = div64_u64(alone * quantum_ns,
				  quantum_ns + sim_switch_ns(load));
		kunit_info(test, "%llu pct of the curve, a switch takes %llu us",
			   (unsigned long long)div64_u64(sum.sectors * 100,
							 curve),
			   (unsigned long long)sim_switch_ns(load) / 1000);
		expect_pct(test, sum.least_sectors, sum.most_sectors, 99,
			   "shares");
		expect_pct(test, sum.sectors, curve, 90, "the curve");
	}
}

/*
 * Who pauses for so long now and then that it loses its turn has not lost its
 * place: it waits for a round as all others, not for two.
 */
static void stream_that_pauses_waits_for_one_round(struct kunit *test)
{
	struct fakekind readers = reader;
	struct fakeload *load = test->priv;
	int i;

	readers.count = 64;
	readers.pause_us = 20000;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct figures sum;
		u64 round_ns;

		sim_start(test, true, 1 + i, seeds[i]);
		fakeload_add(load, &readers);
		sim_run(test, RUN_NS);
		sum = figures(test, 0, 64);
		round_ns = 64 * (MIN_MS * MS + sim_switch_ns(load));
		/* Pauses make some rounds longer. */
		KUNIT_EXPECT_LE_MSG(test, sum.most_ns * 100, round_ns * 150,
				    "most is above 1.5 rounds");
		/* Some pause more often than others. */
		expect_pct(test, sum.least_sectors, sum.most_sectors, 75,
			   "shares");
	}
}

/* A sweep over all: nobody waits for two of them. */
static void crowd_of_random_readers_waits_for_two_sweeps_at_most(struct kunit *test)
{
	static const struct fakekind crowd = {
		.count = 128, .is_random = true, .sectors = 8, .depth = 1,
		.weight = FWY_WEIGHT, .think_us = PROMPT_US,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct figures sum;

		sim_start(test, true, 1, seeds[i]);
		fakeload_add(test->priv, &crowd);
		sim_run(test, RUN_NS);
		sum = figures(test, 0, 128);
		KUNIT_EXPECT_GE_MSG(test, sum.mean_ns * 215, sum.most_ns * 100,
				    "most is above 2.15 of mean");
		expect_pct(test, sum.least_sectors, sum.most_sectors, 90,
			   "shares");
	}
}

/* It asks seldom, and for little: a turn may be going on, and there is a way. */
static void seldom_reader_waits_for_one_turn(struct kunit *test)
{
	static const struct fakekind seldom = {
		.count = 1, .sectors = 8, .depth = 1, .weight = FWY_WEIGHT,
		.think_us = 171000,
	};
	static const struct fakekind jumpy = {
		.count = 1, .is_random = true, .sectors = 8, .depth = 1,
		.weight = FWY_WEIGHT, .think_us = 171000,
	};
	struct fakekind deep = reader;
	int i;

	deep.count = 4;
	deep.depth = 8;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		const u64 turn_ns = ROUND_MS * MS / 5;
		struct figures sum;

		sim_start(test, true, 8, seeds[i]);
		fakeload_add(test->priv, &deep);
		fakeload_add(test->priv, i % 2 ? &jumpy : &seldom);
		sim_run(test, RUN_NS);
		figures(test, 0, 4);
		sum = figures(test, 4, 5);
		/* Half a turn on average, one at most; what the disk has, too. */
		KUNIT_EXPECT_LE_MSG(test, sum.mean_ns, turn_ns + 30 * MS, "mean");
		KUNIT_EXPECT_LE_MSG(test, sum.most_ns, 2 * turn_ns + 60 * MS,
				    "most");
	}
}

static void readers_share_by_weight(struct kunit *test)
{
	struct fakekind heavy = reader, light = reader;
	int i;

	heavy.weight = 2 * FWY_WEIGHT;
	heavy.count = 2;
	light.count = 2;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u64 much, little;

		sim_start(test, true, 1 + i, seeds[i]);
		fakeload_add(test->priv, &heavy);
		fakeload_add(test->priv, &light);
		sim_run(test, RUN_NS);
		much = figures(test, 0, 2).sectors;
		little = figures(test, 2, 4).sectors;
		expect_pct(test, much, 2 * little, 90, "the heavy ones");
		expect_pct(test, 2 * little, much, 90, "the light ones");
	}
}

/* Its share is async_weight_pct of a reader's, and no more is expected. */
static void writeback_beside_readers_has_its_share(struct kunit *test)
{
	static const struct fakekind writeback = {
		.count = 1, .sectors = 1024, .depth = 32, .class = FWY_ASYNC,
		.weight = FWY_WEIGHT, .think_us = PROMPT_US,
	};
	static const struct fakekind scattered = {
		.count = 4, .is_random = true, .sectors = 8, .depth = 32,
		.class = FWY_ASYNC, .weight = FWY_WEIGHT, .think_us = PROMPT_US,
	};
	struct fakekind readers = reader;
	int i;

	readers.count = 3;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct figures read, written;

		sim_start(test, true, 32, seeds[i]);
		fakeload_add(test->priv, &readers);
		fakeload_add(test->priv, i % 2 ? &scattered : &writeback);
		sim_run(test, RUN_NS);
		read = figures(test, 0, 3);
		written = figures(test, 3, i % 2 ? 7 : 4);
		expect_pct(test, read.least_sectors, read.most_sectors, 95,
			   "readers");
		KUNIT_EXPECT_TRUE(test, written.requests > 0);
		if (i % 2)
			continue;
		/* Half of one reader's, within what one request is. */
		expect_pct(test, written.sectors * 6, read.sectors, 75,
			   "writeback starves");
		expect_pct(test, read.sectors, written.sectors * 6, 75,
			   "writeback has too much");
	}
}

/*
 * What is in the disk cannot be ended, so it is no more than a turn, also where
 * that is a few scattered requests.  Readers keep two thirds of the disk, and
 * wait for a round with a way to each, and for the turn in the disk.
 */
static void deep_random_process_holds_the_disk_for_a_turn_at_most(struct kunit *test)
{
	static const struct fakekind deep = {
		.count = 1, .is_random = true, .sectors = 8, .depth = 16,
		.weight = FWY_WEIGHT, .think_us = PROMPT_US,
	};
	struct fakekind readers = reader;
	int i;

	readers.count = 2;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u64 alone = alone_sectors(test, &reader, seeds[i]);
		struct figures read;

		sim_start(test, true, 32, seeds[i]);
		fakeload_add(test->priv, &readers);
		fakeload_add(test->priv, &deep);
		sim_run(test, RUN_NS);
		read = figures(test, 0, 2);
		figures(test, 2, 3);
		expect_pct(test, read.sectors * 3, alone * 2, 80, "readers");
		KUNIT_EXPECT_LE_MSG(test, read.most_ns,
				    ROUND_MS * MS * 4 / 3 + 3 * 30 * MS, "most");
	}
}

/* Everything at once: the books are watched all the time. */
static void mixed_load_leaves_nobody_without(struct kunit *test)
{
	static const struct fakekind kinds[] = {
		{ 4, false, 0, 256, 1, FWY_READ, FWY_WEIGHT, PROMPT_US },
		{ 16, true, 0, 8, 1, FWY_READ, FWY_WEIGHT, PROMPT_US },
		{ 2, true, 0, 8, 16, FWY_READ, FWY_WEIGHT, PROMPT_US },
		{ 2, false, 0, 64, 4, FWY_WRITE, 175, 3000 },
		{ 1, true, 0, 8, 1, FWY_WRITE, 25, 20000 },
		{ 2, true, 0, 512, 8, FWY_ASYNC, FWY_WEIGHT, PROMPT_US },
		{ 1, false, 0, 256, 2, FWY_READ, 0, PROMPT_US },
	};
	static const unsigned int depths[] = { 1, 2, 32 };
	struct fakeload *load = test->priv;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(depths); i++) {
		sim_start(test, true, depths[i], seeds[i]);
		for (j = 0; j < ARRAY_SIZE(kinds); j++)
			fakeload_add(load, &kinds[j]);
		sim_run(test, RUN_NS);
		for (j = 0; j < load->nr_procs; j++)
			KUNIT_EXPECT_TRUE_MSG(test, load->proc[j].done > 0,
					      "process %d", j);
	}
}

static u32 between(struct fakeload *load, u32 least, u32 most)
{
	return least + prandom_u32_state(&load->rnd) % (most - least + 1);
}

/* The longest way and the largest request of this disk and these loads. */
#define WAY_NS		(26 * MS)
#define LARGEST		512
#define LARGEST_NS	(LARGEST * (u64)FAKEDISK_SECTOR_NS)

static void random_kind(struct fakeload *load, struct fakekind *kind)
{
	*kind = (struct fakekind) {
		.count = between(load, 1, 6),
		.is_random = between(load, 0, 1),
		.sectors = 8 * between(load, 1, LARGEST / 8),
		.depth = between(load, 0, 2) ? 1 : between(load, 2, 8),
		.class = between(load, FWY_READ, FWY_ASYNC),
		.weight = between(load, 0, 3) ? FWY_WEIGHT :
						between(load, 1, 8) * 25,
		.think_us = between(load, 0, 2) ? PROMPT_US :
						  between(load, 1, 60) * 1000,
		.pause_us = between(load, 0, 1) * 30000,
	};
}

static void random_knobs(struct fakeload *load)
{
	u32 *value = load->params.value;

	value[FWY_READ_EXPIRE_MS] = between(load, 50, 5000);
	value[FWY_WRITE_EXPIRE_MS] = between(load, 50, 5000);
	value[FWY_ASYNC_EXPIRE_MS] = between(load, 500, 5000);
	value[FWY_ROUND_MS] = between(load, 20, 500);
	value[FWY_TURN_MIN_MS] = between(load, 5, 40);
	value[FWY_TURN_MAX_MS] = between(load, 40, 200);
	value[FWY_ANTIC_US] = between(load, 0, 12000);
	value[FWY_ASYNC_WEIGHT_PCT] = between(load, 10, 200);
}

/*
 * What one of this kind waits at most.  A turn begins within two rounds; what is
 * in the disk then is a turn, and a request has its own way and transfer.  The
 * crowd serves each in one of two sweeps, and a sweep goes over as many rounds as
 * a request is longer than a quantum, and one.
 */
static u64 bound_ns(const struct fakeload *load, const struct fakekind *kind)
{
	const u32 *value = load->params.value;
	u64 least_ns = value[FWY_TURN_MIN_MS] * MS;
	u64 turns_ns = 2 * load->most_round_ns;

	if (kind->is_random)
		turns_ns *= 2 + div64_u64(WAY_NS + LARGEST_NS, least_ns);
	return turns_ns + value[FWY_TURN_MAX_MS] * MS * kind->weight /
			  FWY_WEIGHT + WAY_NS + LARGEST_NS;
}

/* Random loads, disks and knobs: nobody waits for longer than design.rst says. */
static void nobody_waits_for_longer_than_the_bound(struct kunit *test)
{
	struct fakeload *load = test->priv;
	struct fakekind *kinds;
	int run, i;

	kinds = kunit_kzalloc(test, 6 * sizeof(*kinds), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, kinds);
	for (run = 0; run < 4 * FWY_TEST_SCALE; run++) {
		sim_start(test, true, 1, seeds[1] + run);
		load->depth = between(load, 0, 1) ? 1 : between(load, 2, 32);
		random_knobs(load);
		for (i = 0; i < 6; i++) {
			random_kind(load, &kinds[i]);
			fakeload_add(load, &kinds[i]);
		}
		KUNIT_ASSERT_TRUE(test, !fakeload_run(load, 30 * SECOND));
		for (i = 0; i < load->nr_procs; i++) {
			const struct fakeproc *proc = &load->proc[i];
			const struct fakekind *kind = proc->kind;
			u64 most_ns = bound_ns(load, kind);

			if (kind->depth > 1 || kind->class == FWY_ASYNC)
				continue;
			KUNIT_EXPECT_LE_MSG(test, proc->most_ns, most_ns,
					    "seed %u, process %d",
					    seeds[1] + run, i);
		}
	}
}

/*
 * The bound says something only if somebody comes near to it: here those that are
 * at another place of the disk in each turn, first in one round and last in the next.
 */
static void bound_is_reached_by_half_in_each_class(struct kunit *test)
{
	static const enum fwy_class classes[] = { FWY_READ, FWY_WRITE };
	struct fakekind kind = reader;
	struct fakeload *load = test->priv;
	int i, j;

	kind.count = 12;
	kind.run = 4;
	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		u64 most_ns = 0;

		kind.class = classes[i];
		sim_start(test, true, 1, seeds[i]);
		fakeload_add(load, &kind);
		sim_run(test, RUN_NS);
		for (j = 0; j < kind.count; j++)
			most_ns = max(most_ns, load->proc[j].most_ns);
		kunit_info(test, "%llu of %llu us",
			   (unsigned long long)most_ns / 1000,
			   (unsigned long long)bound_ns(load, &kind) / 1000);
		expect_pct(test, most_ns, bound_ns(load, &kind), 50, "half");
		expect_pct(test, bound_ns(load, &kind), most_ns, 100, "bound");
	}
}

/* ---- where they cost nothing ---------------------------------------------- */

static const struct fakekind busy = {
	.count = 1, .is_random = true, .sectors = 8, .depth = 8,
	.weight = FWY_WEIGHT, .think_us = 20,
};

#define UNSORTED_NS	(2 * SECOND * FWY_TEST_SCALE)

static void unsorted_flows_share_alike(struct kunit *test)
{
	struct fakekind small = busy, large = busy;
	int i;

	small.count = 4;
	large.count = 2;
	large.sectors = 256;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct figures few, many;
		u64 one, other;

		sim_start(test, false, 4, seeds[i]);
		fakeload_add(test->priv, &small);
		fakeload_add(test->priv, &large);
		sim_run(test, UNSORTED_NS);
		many = figures(test, 0, 4);
		few = figures(test, 4, 6);
		expect_pct(test, many.least_sectors, many.most_sectors, 99,
			   "small ones");
		expect_pct(test, few.least_sectors, few.most_sectors, 99,
			   "large ones");
		/* A request itself counts as so many sectors. */
		one = (many.sectors + many.requests * FAKEDISK_REQUEST_US) / 4;
		other = (few.sectors + few.requests * FAKEDISK_REQUEST_US) / 2;
		expect_pct(test, one, other, 97, "small against large");
		expect_pct(test, other, one, 97, "large against small");
	}
}

static void unsorted_flows_share_by_weight(struct kunit *test)
{
	static const u32 weights[] = { 200, 25, 3200 };
	struct fakekind heavy = busy;
	int i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		u64 much, little;

		heavy.weight = weights[i];
		sim_start(test, false, 2, seeds[i]);
		fakeload_add(test->priv, &heavy);
		fakeload_add(test->priv, &busy);
		sim_run(test, UNSORTED_NS);
		much = figures(test, 0, 1).sectors * FWY_WEIGHT;
		little = figures(test, 1, 2).sectors * weights[i];
		expect_pct(test, much, little, 90, "the weighted one");
		expect_pct(test, little, much, 90, "the other one");
	}
}

/* Two requests of deep ones are in the device, or three while that is tried. */
static void unsorted_seldom_one_waits_for_a_few_requests(struct kunit *test)
{
	static const struct fakekind seldom = {
		.count = 1, .is_random = true, .sectors = 8, .depth = 1,
		.weight = FWY_WEIGHT, .think_us = 5000,
	};
	struct fakekind deep = busy;
	int i;

	deep.count = 4;
	deep.depth = 32;
	deep.sectors = 256;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		const u64 request_ns = (FAKEDISK_REQUEST_US + 256) *
				       (u64)NSEC_PER_USEC;
		struct figures sum;

		sim_start(test, false, 1, seeds[i]);
		fakeload_add(test->priv, &deep);
		fakeload_add(test->priv, &seldom);
		sim_run(test, UNSORTED_NS);
		figures(test, 0, 4);
		sum = figures(test, 4, 5);
		KUNIT_EXPECT_GE_MSG(test, sum.requests, 100, "too few");
		KUNIT_EXPECT_LE_MSG(test, sum.most_ns, 4 * request_ns, "most");
		KUNIT_EXPECT_LE_MSG(test, sum.mean_ns, 3 * request_ns, "mean");
	}
}

static struct kunit_case sim_cases[] = {
	KUNIT_CASE(four_readers_share_alike_at_the_rate_of_the_curve),
	KUNIT_CASE(stream_that_pauses_waits_for_one_round),
	KUNIT_CASE(crowd_of_random_readers_waits_for_two_sweeps_at_most),
	KUNIT_CASE(seldom_reader_waits_for_one_turn),
	KUNIT_CASE(readers_share_by_weight),
	KUNIT_CASE(writeback_beside_readers_has_its_share),
	KUNIT_CASE(deep_random_process_holds_the_disk_for_a_turn_at_most),
	KUNIT_CASE(mixed_load_leaves_nobody_without),
	KUNIT_CASE(nobody_waits_for_longer_than_the_bound),
	KUNIT_CASE(bound_is_reached_by_half_in_each_class),
	KUNIT_CASE(unsorted_flows_share_alike),
	KUNIT_CASE(unsorted_flows_share_by_weight),
	KUNIT_CASE(unsorted_seldom_one_waits_for_a_few_requests),
	{}
};

static struct kunit_suite sim_suite = {
	.name = "fairway_sim",
	.init = sim_init,
	.test_cases = sim_cases,
};

kunit_test_suite(sim_suite);
