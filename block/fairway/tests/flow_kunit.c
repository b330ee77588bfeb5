// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/flow.c: what a process is used to do.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "core/core.h"

#define MIB_SECTORS	2048

static void arrive(struct fwy_flow *flow, u64 sector, u32 sectors)
{
	struct fwy_item item = { .sector = sector, .sectors = sectors };

	fwy_flow_arrive(flow, &item, NSEC_PER_SEC);
}

/* One request at a time that comes @think_ns after the one before it. */
static void think(struct fwy_flow *flow, u64 think_ns)
{
	struct fwy_item item = { .sectors = 8 };

	flow->done_ns = NSEC_PER_SEC;
	fwy_flow_arrive(flow, &item, NSEC_PER_SEC + think_ns);
}

static void new_flow_is_taken_for_a_stream_that_thinks_briefly(struct kunit *test)
{
	struct fwy_flow flow;

	memset(&flow, 0xa5, sizeof(flow));
	fwy_flow_init(&flow);
	KUNIT_EXPECT_FALSE(test, flow.is_seeky);
	KUNIT_EXPECT_EQ(test, flow.think_ns, 0);
	KUNIT_EXPECT_EQ(test, flow.pending, 0);
	KUNIT_EXPECT_EQ(test, flow.in_crowd, 0);
	KUNIT_EXPECT_EQ(test, flow.queue.kind, FWY_OWN);
	KUNIT_EXPECT_EQ(test, flow.queue.weight, FWY_WEIGHT);
}

static void second_far_request_shows_who_jumps_about(struct kunit *test)
{
	struct fwy_flow flow;

	fwy_flow_init(&flow);
	arrive(&flow, 1000000, 8);
	KUNIT_EXPECT_FALSE(test, flow.is_seeky);
	arrive(&flow, 9000000, 8);
	KUNIT_EXPECT_TRUE(test, flow.is_seeky);
}

static void stream_is_none_wherever_it_begins(struct kunit *test)
{
	struct fwy_flow flow;
	u64 sector = 1000000;
	int i;

	fwy_flow_init(&flow);
	for (i = 0; i < 100; i++, sector += 256) {
		arrive(&flow, sector, 256);
		KUNIT_EXPECT_FALSE(test, flow.is_seeky);
	}
}

static void eight_near_requests_make_a_stream_of_it_again(struct kunit *test)
{
	struct fwy_flow flow;
	int i;

	fwy_flow_init(&flow);
	for (i = 0; i < 20; i++)
		arrive(&flow, i % 2 ? 0 : 1000000, 8);
	KUNIT_EXPECT_TRUE(test, flow.is_seeky);
	/* Two of the last eight still were far. */
	for (i = 0; i < 6; i++)
		arrive(&flow, 0, 0);
	KUNIT_EXPECT_TRUE(test, flow.is_seeky);
	arrive(&flow, 0, 0);
	KUNIT_EXPECT_FALSE(test, flow.is_seeky);
	arrive(&flow, 0, 0);
	KUNIT_EXPECT_EQ(test, flow.history, 0);
}

/* From the end of one request to the start of the next, in either direction. */
static void far_begins_beyond_one_mib(struct kunit *test)
{
	static const struct {
		u64 from, sector;
		bool is_far;
	} table[] = {
		{ 0, 0, false },
		{ 0, 1, false },
		{ 0, MIB_SECTORS, false },
		{ 0, MIB_SECTORS + 1, true },
		{ 10 * MIB_SECTORS, 9 * MIB_SECTORS, false },
		{ 10 * MIB_SECTORS, 9 * MIB_SECTORS - 1, true },
		/* The ends of the numbers are not neighbours. */
		{ 0, U64_MAX - 8, true },
		{ U64_MAX - 8, 0, true },
		{ U64_MAX - 8, U64_MAX - 8, false },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct fwy_flow flow;

		fwy_flow_init(&flow);
		arrive(&flow, table[i].from, 0);
		arrive(&flow, table[i].sector, 8);
		KUNIT_EXPECT_EQ_MSG(test, flow.history & 1, table[i].is_far,
				    "row %d", i);
		KUNIT_EXPECT_EQ(test, flow.next_sector, table[i].sector + 8);
	}
}

static void think_time_of_a_steady_process_is_learned(struct kunit *test)
{
	static const u64 table_ns[] = { 8, 1000, NSEC_PER_MSEC,
					15 * NSEC_PER_MSEC };
	struct fwy_flow flow;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(table_ns); i++) {
		u64 think_ns = table_ns[i];

		fwy_flow_init(&flow);
		for (j = 0; j < 100; j++)
			think(&flow, think_ns);
		KUNIT_EXPECT_LE_MSG(test, flow.think_ns, think_ns, "row %d", i);
		/* Rounding may keep back what the shift cuts off. */
		KUNIT_EXPECT_GE_MSG(test, flow.think_ns + 8,
				    think_ns - think_ns / 50, "row %d", i);
	}
}

static void think_time_is_not_taken_while_something_is_pending(struct kunit *test)
{
	struct fwy_flow flow;

	fwy_flow_init(&flow);
	flow.pending = 1;
	think(&flow, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, flow.think_ns, 0);
	flow.pending = 0;
	think(&flow, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_GE_MSG(test, flow.think_ns, NSEC_PER_MSEC, "learned");
}

static void time_in_line_is_no_think_time(struct kunit *test)
{
	struct fwy_item item = { .sectors = 8 };
	struct fwy_flow flow;

	fwy_flow_init(&flow);
	flow.done_ns = NSEC_PER_SEC;
	fwy_flow_held(&flow);
	fwy_flow_arrive(&flow, &item, 2 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, flow.think_ns, 0);
	/* Since the next completion it is its own again. */
	think(&flow, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_GE_MSG(test, flow.think_ns, NSEC_PER_MSEC, "learned");
}

/* Of the next ones every other came soon, or one in eight. */
static void some_that_come_soon_are_enough(struct kunit *test)
{
	struct fwy_gaps gaps = {};
	int i;

	fwy_gaps_learn(&gaps, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, gaps.think_ns, 0);
	gaps.done_ns = NSEC_PER_SEC;
	for (i = 0; i < 100; i++)
		fwy_gaps_learn(&gaps, NSEC_PER_SEC + (i % 2 ?
			       NSEC_PER_SEC : NSEC_PER_MSEC));
	KUNIT_EXPECT_LE_MSG(test, gaps.think_ns, 7 * NSEC_PER_MSEC, "half");
	for (i = 0; i < 80; i++)
		fwy_gaps_learn(&gaps, NSEC_PER_SEC + (i % 8 ?
			       NSEC_PER_SEC : NSEC_PER_MSEC));
	KUNIT_EXPECT_GE_MSG(test, gaps.think_ns, 8 * NSEC_PER_MSEC, "few");
}

static void first_request_shows_no_think_time(struct kunit *test)
{
	struct fwy_flow flow;

	fwy_flow_init(&flow);
	arrive(&flow, 0, 8);
	KUNIT_EXPECT_EQ(test, flow.think_ns, 0);
}

/* After an hour, as after a second: a few short ones, and it is forgiven. */
static void long_pause_is_only_a_long_one(struct kunit *test)
{
	struct fwy_flow flow;
	int i;

	fwy_flow_init(&flow);
	think(&flow, 3600ULL * NSEC_PER_SEC);
	KUNIT_EXPECT_LE_MSG(test, flow.think_ns, 10 * NSEC_PER_MSEC, "an hour");
	for (i = 0; i < 8; i++)
		think(&flow, 0);
	KUNIT_EXPECT_LE_MSG(test, flow.think_ns, 4 * NSEC_PER_MSEC, "forgiven");
	for (i = 0; i < 1000; i++)
		think(&flow, U64_MAX - NSEC_PER_SEC);
	KUNIT_EXPECT_LE_MSG(test, flow.think_ns, NSEC_PER_SEC, "for ever");
}

static struct kunit_case flow_cases[] = {
	KUNIT_CASE(new_flow_is_taken_for_a_stream_that_thinks_briefly),
	KUNIT_CASE(second_far_request_shows_who_jumps_about),
	KUNIT_CASE(stream_is_none_wherever_it_begins),
	KUNIT_CASE(eight_near_requests_make_a_stream_of_it_again),
	KUNIT_CASE(far_begins_beyond_one_mib),
	KUNIT_CASE(think_time_of_a_steady_process_is_learned),
	KUNIT_CASE(think_time_is_not_taken_while_something_is_pending),
	KUNIT_CASE(time_in_line_is_no_think_time),
	KUNIT_CASE(some_that_come_soon_are_enough),
	KUNIT_CASE(first_request_shows_no_think_time),
	KUNIT_CASE(long_pause_is_only_a_long_one),
	{}
};

static struct kunit_suite flow_suite = {
	.name = "fairway_flow",
	.test_cases = flow_cases,
};

kunit_test_suite(flow_suite);
