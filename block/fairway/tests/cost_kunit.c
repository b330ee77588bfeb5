// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/cost.c: what a request costs the device.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "core/core.h"

/* A device that is steady: ns for a sector, and to get to it. */
#define SECTOR_NS	4000
#define SWITCH_NS	(12 * NSEC_PER_MSEC)

/* One request that came alone and took so long. */
static void take(struct fwy_cost *cost, enum fwy_class class, u32 sectors,
		 bool is_near, u64 took_ns)
{
	struct fwy_item item = {
		.op = class == FWY_READ ? FWY_OP_READ : FWY_OP_WRITE,
		.sector = is_near ? cost->head : cost->head + sectors,
		.sectors = sectors,
		.dispatched_ns = cost->done_ns + NSEC_PER_SEC,
	};

	fwy_cost_learn(cost, &item, item.dispatched_ns + took_ns);
}

static u64 transfer_ns(const struct fwy_cost *cost, enum fwy_class class,
		       u32 sectors)
{
	struct fwy_item item = {
		.op = class == FWY_READ ? FWY_OP_READ : FWY_OP_WRITE,
		.sectors = sectors,
	};

	return fwy_cost_ns(cost, &item);
}

static void expect_near(struct kunit *test, u64 is_ns, u64 should_ns,
			const char *what)
{
	KUNIT_EXPECT_GE_MSG(test, is_ns, should_ns - should_ns / 50, "%s", what);
	KUNIT_EXPECT_LE_MSG(test, is_ns, should_ns + should_ns / 50, "%s", what);
}

static void share_is_the_cost_by_weight(struct kunit *test)
{
	static const u64 cost_ns[] = { 1000, 65536, 8000000, FWY_COST_MOST_NS };
	static const u32 weight[] = { 1, 25, 50, FWY_WEIGHT, 175, 200, 1000,
				      2800, 3200 };
	int i, j;

	for (i = 0; i < ARRAY_SIZE(cost_ns); i++)
		for (j = 0; j < ARRAY_SIZE(weight); j++)
			KUNIT_EXPECT_EQ(test,
					fwy_cost_share(cost_ns[i], weight[j]),
					div_u64(cost_ns[i] * FWY_WEIGHT,
						weight[j]));
}

static void estimate_is_by_sector_and_does_not_wrap(struct kunit *test)
{
	static const u32 sectors[] = { 0, 1, 8, 2048, U32_MAX };
	struct fwy_cost cost;
	int i, class;

	fwy_cost_init(&cost, true);
	cost.sector_ns[0] = SECTOR_NS;
	cost.sector_ns[1] = 3 * SECTOR_NS;
	for (class = 0; class < FWY_NR_CLASSES; class++)
		for (i = 0; i < ARRAY_SIZE(sectors); i++)
			KUNIT_EXPECT_EQ(test,
					transfer_ns(&cost, class, sectors[i]),
					(u64)sectors[i] * SECTOR_NS *
					(class == FWY_READ ? 1 : 3));
}

static void unknown_device_has_an_estimate(struct kunit *test)
{
	struct fwy_cost cost;

	memset(&cost, 0, sizeof(cost));
	fwy_cost_init(&cost, true);
	KUNIT_EXPECT_TRUE(test, cost.sector_ns[0] > 0);
	KUNIT_EXPECT_TRUE(test, cost.sector_ns[1] > 0);
	KUNIT_EXPECT_TRUE(test, cost.switch_ns > 0);
}

/* Nine of ten reads came from a buffer; no write says anything. */
static void seek_is_what_the_slow_reads_take(struct kunit *test)
{
	struct fwy_cost cost;
	int i;

	fwy_cost_init(&cost, true);
	for (i = 0; i < 4000; i++) {
		take(&cost, FWY_READ, 8, false, i % 10 ? 100000 : SWITCH_NS);
		take(&cost, FWY_ASYNC, 2048, false, 100000);
	}
	KUNIT_EXPECT_GE_MSG(test, cost.seek_ns, SWITCH_NS / 2, "the slow ones");
	KUNIT_EXPECT_LE_MSG(test, cost.seek_ns, SWITCH_NS, "the slow ones");
	KUNIT_EXPECT_LE_MSG(test, cost.switch_ns, SWITCH_NS / 2, "the average");
	/* An array that says it turns: nothing is lost there. */
	for (i = 0; i < 600; i++)
		take(&cost, FWY_READ, 8, false, 100000);
	KUNIT_EXPECT_LE_MSG(test, cost.seek_ns, 200000, "an array");
	/* And back. */
	for (i = 0; i < 100; i++)
		take(&cost, FWY_READ, 8, false, SWITCH_NS);
	expect_near(test, cost.seek_ns, SWITCH_NS, "a disk");
	/* It never becomes so little that it could not grow. */
	for (i = 0; i < 4000; i++)
		take(&cost, FWY_READ, 8, false, 0);
	for (i = 0; i < 400; i++)
		take(&cost, FWY_READ, 8, false, SWITCH_NS);
	expect_near(test, cost.seek_ns, SWITCH_NS, "grown again");
}

static void pace_is_the_average_of_many_turns(struct kunit *test)
{
	struct fwy_cost cost;
	int i, direction;

	fwy_cost_init(&cost, true);
	for (direction = 0; direction < 2; direction++) {
		KUNIT_EXPECT_EQ(test, cost.pace_ns[direction], 0);
		/* Too little to tell. */
		fwy_cost_learn_pace(&cost, direction, 8, NSEC_PER_SEC);
		KUNIT_EXPECT_EQ(test, cost.pace_ns[direction], 0);
		/* The first is believed, a later one a little. */
		fwy_cost_learn_pace(&cost, direction, 1000, 9000000);
		expect_near(test, cost.pace_ns[direction], 9000, "the first");
		fwy_cost_learn_pace(&cost, direction, 1000, 18000000);
		expect_near(test, cost.pace_ns[direction], 9140, "the second");
		for (i = 0; i < 400; i++)
			fwy_cost_learn_pace(&cost, direction, 1000,
					    i % 2 ? 20000000 : 30000000);
		expect_near(test, cost.pace_ns[direction], 25000, "many");
	}
}

static void near_request_shows_the_rate_of_its_direction(struct kunit *test)
{
	struct fwy_cost cost, was;
	int i;

	fwy_cost_init(&cost, true);
	was = cost;
	for (i = 0; i < 100; i++)
		take(&cost, FWY_READ, 256, true, 256 * SECTOR_NS);
	expect_near(test, cost.sector_ns[0], SECTOR_NS, "reads");
	KUNIT_EXPECT_EQ(test, cost.sector_ns[1], was.sector_ns[1]);
	KUNIT_EXPECT_EQ(test, cost.switch_ns, was.switch_ns);
	for (i = 0; i < 100; i++)
		take(&cost, i % 2 ? FWY_WRITE : FWY_ASYNC, 256, true,
		     256 * 2 * SECTOR_NS);
	expect_near(test, cost.sector_ns[0], SECTOR_NS, "reads");
	expect_near(test, cost.sector_ns[1], 2 * SECTOR_NS, "writes");
}

static void far_request_shows_the_way(struct kunit *test)
{
	struct fwy_cost cost;
	int i;

	fwy_cost_init(&cost, true);
	cost.sector_ns[0] = SECTOR_NS;
	for (i = 0; i < 100; i++)
		take(&cost, FWY_READ, 256, false, SWITCH_NS + 256 * SECTOR_NS);
	expect_near(test, cost.switch_ns, SWITCH_NS, "switch");
	KUNIT_EXPECT_EQ(test, cost.sector_ns[0], SECTOR_NS);
}

static void small_near_request_says_nothing(struct kunit *test)
{
	struct fwy_cost cost, was;

	fwy_cost_init(&cost, true);
	was = cost;
	take(&cost, FWY_READ, 63, true, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, cost.sector_ns[0], was.sector_ns[0]);
	take(&cost, FWY_READ, 64, true, NSEC_PER_SEC);
	KUNIT_EXPECT_TRUE(test, cost.sector_ns[0] > was.sector_ns[0]);
}

/* Four were sent at once: the device had one after the other. */
static void waiting_in_the_device_does_not_count(struct kunit *test)
{
	struct fwy_cost cost;
	int i, j;

	fwy_cost_init(&cost, true);
	for (i = 0; i < 30; i++) {
		u64 now_ns = (i + 1) * NSEC_PER_SEC;

		for (j = 1; j <= 4; j++) {
			struct fwy_item item = {
				.sector = cost.head,
				.sectors = 256,
				.dispatched_ns = now_ns,
			};

			fwy_cost_learn(&cost, &item,
				       now_ns + j * 256 * SECTOR_NS);
		}
	}
	expect_near(test, cost.sector_ns[0], SECTOR_NS, "reads");
}

/* The disk took the second of two first: the way to it is no transfer. */
static void order_of_the_device_tells_what_was_near(struct kunit *test)
{
	const u64 sector[] = { 1000256, 1000000, 1000512, 1000768 };
	const u64 took_ns[] = { SWITCH_NS, SWITCH_NS, SWITCH_NS,
				256 * SECTOR_NS };
	struct fwy_cost cost;
	int i, j;

	fwy_cost_init(&cost, true);
	for (i = 0; i < 60; i++) {
		for (j = 0; j < ARRAY_SIZE(sector); j++) {
			struct fwy_item item = {
				.sector = i * 10000000ULL + sector[j],
				.sectors = 256,
				.is_near = j != 1,
				.dispatched_ns = cost.done_ns + 1,
			};

			fwy_cost_learn(&cost, &item,
				       item.dispatched_ns + took_ns[j]);
		}
	}
	expect_near(test, cost.sector_ns[0], SECTOR_NS, "reads");
}

static void stall_of_the_device_is_not_taken_at_its_word(struct kunit *test)
{
	struct fwy_cost cost;
	int i;

	fwy_cost_init(&cost, true);
	cost.sector_ns[0] = SECTOR_NS;
	cost.switch_ns = SWITCH_NS;
	take(&cost, FWY_READ, 256, true, 3600ULL * NSEC_PER_SEC);
	take(&cost, FWY_READ, 8, false, 3600ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_LE_MSG(test, cost.sector_ns[0], 2 * SECTOR_NS, "sector");
	KUNIT_EXPECT_LE_MSG(test, cost.switch_ns, 2 * SWITCH_NS, "switch");
	/* A device that stays slow is believed all the same. */
	for (i = 0; i < 50; i++)
		take(&cost, FWY_READ, 256, true, 256 * 20 * SECTOR_NS);
	expect_near(test, cost.sector_ns[0], 20 * SECTOR_NS, "slow");
}

static void learn_anew(struct kunit *test, struct fwy_cost *cost)
{
	int i;

	for (i = 0; i < 200; i++) {
		take(cost, FWY_READ, 256, true, 256 * SECTOR_NS);
		take(cost, FWY_READ, 256, false, SWITCH_NS + 256 * SECTOR_NS);
	}
	expect_near(test, cost->sector_ns[0], SECTOR_NS, "sector");
	expect_near(test, cost->switch_ns, SWITCH_NS, "switch");
}

/* Cached by the drive: they take no time, and the estimate stays above 0. */
static void device_that_takes_no_time_can_become_slow_again(struct kunit *test)
{
	struct fwy_cost cost;
	int i;

	fwy_cost_init(&cost, true);
	for (i = 0; i < 1000; i++) {
		take(&cost, FWY_READ, 256, true, 0);
		take(&cost, FWY_READ, 256, false, 0);
	}
	KUNIT_EXPECT_TRUE(test, cost.sector_ns[0] > 0);
	KUNIT_EXPECT_TRUE(test, cost.switch_ns > 0);
	learn_anew(test, &cost);
	/* Nor is the smallest value one that cannot grow. */
	cost.sector_ns[0] = 1;
	cost.switch_ns = 1;
	learn_anew(test, &cost);
}

/* ---- where seeks cost nothing --------------------------------------------- */

/* A device that is busy: what a request and a sector take of its time. */
static const u64 busy_request_ns[] = { 9000, 40000, 250000 };
static const u64 busy_sector_ns[] = { 300, 2000, 100 };

static struct fwy_epoch busy_epoch(u64 requests, enum fwy_op op, u64 sectors)
{
	struct fwy_epoch epoch = {
		.took_ns = requests * (busy_request_ns[op] +
				       busy_sector_ns[op] * sectors),
	};

	epoch.done[op].requests = requests;
	epoch.done[op].sectors = requests * sectors;
	return epoch;
}

static void epochs_of_many_mixes_tell_the_costs_apart(struct kunit *test)
{
	static const u32 sectors[] = { 8, 8, 256, 32, 1024 };
	struct fwy_cost cost;
	int i, op;

	fwy_cost_init(&cost, false);
	for (i = 0; i < 4000; i++) {
		struct fwy_epoch epoch = busy_epoch(64, i % 2, sectors[i % 5]);

		fwy_cost_learn_epoch(&cost, &epoch);
	}
	for (op = 0; op < 2; op++) {
		struct fwy_epoch epoch = busy_epoch(64, op, 8);

		expect_near(test, fwy_cost_of(&cost, &epoch), epoch.took_ns,
			    "small ones");
		epoch = busy_epoch(64, op, 1024);
		expect_near(test, fwy_cost_of(&cost, &epoch), epoch.took_ns,
			    "large ones");
	}
}

static void epoch_of_one_kind_leaves_the_others(struct kunit *test)
{
	struct fwy_epoch epoch = busy_epoch(64, FWY_OP_DISCARD, 2048);
	struct fwy_cost cost, was;
	int i;

	fwy_cost_init(&cost, false);
	was = cost;
	for (i = 0; i < 100; i++)
		fwy_cost_learn_epoch(&cost, &epoch);
	expect_near(test, fwy_cost_of(&cost, &epoch), epoch.took_ns,
		    "discards");
	KUNIT_EXPECT_EQ(test, cost.request_ns[FWY_OP_READ],
			was.request_ns[FWY_OP_READ]);
	KUNIT_EXPECT_EQ(test, cost.sector_ns[FWY_OP_READ],
			was.sector_ns[FWY_OP_READ]);
	KUNIT_EXPECT_EQ(test, cost.sector_ns[FWY_OP_WRITE],
			was.sector_ns[FWY_OP_WRITE]);
}

static void stalled_epoch_is_not_taken_at_its_word(struct kunit *test)
{
	struct fwy_epoch epoch = busy_epoch(64, FWY_OP_READ, 128);
	struct fwy_cost cost;
	u64 was_ns;
	int i;

	fwy_cost_init(&cost, false);
	for (i = 0; i < 100; i++)
		fwy_cost_learn_epoch(&cost, &epoch);
	was_ns = fwy_cost_of(&cost, &epoch);
	epoch.took_ns = 5ULL * NSEC_PER_SEC;
	fwy_cost_learn_epoch(&cost, &epoch);
	KUNIT_EXPECT_LE(test, fwy_cost_of(&cost, &epoch), was_ns * 5 / 4 + 64);
	/* A device that stays slow is believed all the same. */
	for (i = 0; i < 100; i++)
		fwy_cost_learn_epoch(&cost, &epoch);
	expect_near(test, fwy_cost_of(&cost, &epoch), epoch.took_ns, "slow");
}

/* However long: here part and error are powers of two whose product is 2^64. */
static void stall_of_a_day_does_not_wrap(struct kunit *test)
{
	struct fwy_epoch epoch = busy_epoch(64, FWY_OP_READ, 0);
	struct fwy_cost cost;

	fwy_cost_init(&cost, false);
	cost.request_ns[FWY_OP_READ] = BIT_ULL(14);
	epoch.took_ns = fwy_cost_of(&cost, &epoch) + BIT_ULL(46);
	fwy_cost_learn_epoch(&cost, &epoch);
	KUNIT_EXPECT_EQ(test, cost.request_ns[FWY_OP_READ],
			BIT_ULL(14) * 5 / 4);
}

/* Nothing wraps, and what became as small or as great as can be comes back. */
static void costs_stay_in_their_range(struct kunit *test)
{
	struct fwy_epoch usual = busy_epoch(64, FWY_OP_READ, 128);
	struct fwy_epoch extreme[] = {
		{ .took_ns = 0 },
		{ .took_ns = U64_MAX },
	};
	struct fwy_cost cost;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(extreme); i++) {
		fwy_cost_init(&cost, false);
		extreme[i].done[FWY_OP_READ].requests = i ? 1 : 2048;
		extreme[i].done[FWY_OP_READ].sectors = i ? 0 : 2048ULL << 23;
		for (j = 0; j < 1000; j++)
			fwy_cost_learn_epoch(&cost, &extreme[i]);
		KUNIT_EXPECT_GE(test, cost.sector_ns[0], 8);
		KUNIT_EXPECT_LE(test, cost.sector_ns[0], 1 << 20);
		KUNIT_EXPECT_GE(test, cost.request_ns[0], 8);
		KUNIT_EXPECT_LE(test, cost.request_ns[0], 1 << 30);
		for (j = 0; j < 1000; j++)
			fwy_cost_learn_epoch(&cost, &usual);
		expect_near(test, fwy_cost_of(&cost, &usual), usual.took_ns,
			    "usual");
	}
}

static struct kunit_case cost_cases[] = {
	KUNIT_CASE(share_is_the_cost_by_weight),
	KUNIT_CASE(estimate_is_by_sector_and_does_not_wrap),
	KUNIT_CASE(unknown_device_has_an_estimate),
	KUNIT_CASE(seek_is_what_the_slow_reads_take),
	KUNIT_CASE(pace_is_the_average_of_many_turns),
	KUNIT_CASE(near_request_shows_the_rate_of_its_direction),
	KUNIT_CASE(far_request_shows_the_way),
	KUNIT_CASE(small_near_request_says_nothing),
	KUNIT_CASE(waiting_in_the_device_does_not_count),
	KUNIT_CASE(order_of_the_device_tells_what_was_near),
	KUNIT_CASE(stall_of_the_device_is_not_taken_at_its_word),
	KUNIT_CASE(device_that_takes_no_time_can_become_slow_again),
	KUNIT_CASE(epochs_of_many_mixes_tell_the_costs_apart),
	KUNIT_CASE(epoch_of_one_kind_leaves_the_others),
	KUNIT_CASE(stalled_epoch_is_not_taken_at_its_word),
	KUNIT_CASE(stall_of_a_day_does_not_wrap),
	KUNIT_CASE(costs_stay_in_their_range),
	{}
};

static struct kunit_suite cost_suite = {
	.name = "fairway_cost",
	.test_cases = cost_cases,
};

kunit_test_suite(cost_suite);
