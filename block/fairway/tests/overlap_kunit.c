// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/overlap.c: does a device that seeks do several at a time?
 */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "core/core.h"

#define MS	((u64)NSEC_PER_MSEC)

struct overlap_rig {
	struct fwy_overlap overlap;
	u64 now_ns;
	u64 sent_ns;
};

static int overlap_init(struct kunit *test)
{
	struct overlap_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	memset(&rig->overlap, 0xa5, sizeof(rig->overlap));
	fwy_overlap_init(&rig->overlap);
	rig->now_ns = NSEC_PER_SEC;
	test->priv = rig;
	return 0;
}

static void send(struct overlap_rig *rig, unsigned int requests)
{
	unsigned int i;

	rig->sent_ns = rig->now_ns;
	for (i = 0; i < requests; i++)
		fwy_overlap_dispatched(&rig->overlap, !i, true, rig->now_ns);
}

static void back_after(struct overlap_rig *rig, u64 ms)
{
	rig->now_ns += ms * MS;
	fwy_overlap_done(&rig->overlap, rig->sent_ns, true, rig->now_ns);
}

/* @requests come to an empty device; one completes after another. */
static void batch(struct overlap_rig *rig, unsigned int requests, u64 first_ms,
		  u64 next_ms)
{
	unsigned int i;

	send(rig, requests);
	back_after(rig, first_ms);
	for (i = 1; i < requests; i++)
		back_after(rig, next_ms);
}

static void batches(struct overlap_rig *rig, unsigned int number,
		    unsigned int requests, u64 first_ms, u64 next_ms)
{
	while (number--)
		batch(rig, requests, first_ms, next_ms);
}

static void new_device_has_one_arm(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	KUNIT_EXPECT_FALSE(test, rig->overlap.is_seen);
	KUNIT_EXPECT_FALSE(test, fwy_overlap_has_room(&rig->overlap));
}

static void who_is_through_with_all_at_once_does_several(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	batch(rig, 8, 10, 0);
	KUNIT_EXPECT_FALSE(test, rig->overlap.is_seen);
	batches(rig, 7, 8, 10, 0);
	KUNIT_EXPECT_TRUE(test, rig->overlap.is_seen);
}

static void who_takes_as_long_for_all_does_one(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	batches(rig, 100, 8, 10, 10);
	KUNIT_EXPECT_FALSE(test, rig->overlap.is_seen);
	KUNIT_EXPECT_GE(test, rig->overlap.parts, 1000);
}

/* The nearest first, and one in three as slow as can be. */
static void single_disk_that_has_the_choice_does_one(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;
	int i;

	for (i = 0; i < 300; i++) {
		batch(rig, 4 + i % 5, i % 3 ? 3 : 14, 7);
		KUNIT_EXPECT_FALSE(test, rig->overlap.is_seen);
	}
}

static void who_did_several_and_does_one_now_is_noticed(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	batches(rig, 100, 8, 10, 0);
	KUNIT_ASSERT_TRUE(test, rig->overlap.is_seen);
	batch(rig, 8, 10, 10);
	KUNIT_EXPECT_TRUE(test, rig->overlap.is_seen);
	batches(rig, 16, 8, 10, 10);
	KUNIT_EXPECT_FALSE(test, rig->overlap.is_seen);
}

static void one_stall_says_nothing(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	batches(rig, 10, 8, 10, 0);
	batch(rig, 8, 1, 5000);
	KUNIT_EXPECT_TRUE(test, rig->overlap.is_seen);
}

static void too_few_say_nothing(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	batches(rig, 100, 3, 10, 0);
	KUNIT_EXPECT_FALSE(test, rig->overlap.is_seen);
	batches(rig, 100, 4, 10, 0);
	KUNIT_EXPECT_TRUE(test, rig->overlap.is_seen);
}

static void more_than_eight_say_no_more_than_eight(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;
	int i;

	/* Eight arms: the first four are there soon, the last of many is not. */
	for (i = 0; i < 16; i++) {
		send(rig, 32);
		back_after(rig, 5);
		back_after(rig, 1);
		back_after(rig, 1);
		back_after(rig, 1);
		KUNIT_EXPECT_EQ(test, rig->overlap.sent, 0);
	}
	KUNIT_EXPECT_TRUE(test, rig->overlap.is_seen);
}

static void near_ones_and_writes_spoil_a_batch(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;
	int i, spoilt;

	for (spoilt = 0; spoilt < 4; spoilt++) {
		rig->sent_ns = rig->now_ns;
		for (i = 0; i < 4; i++)
			fwy_overlap_dispatched(&rig->overlap, !i, i != spoilt,
					       rig->now_ns);
		KUNIT_EXPECT_EQ(test, rig->overlap.sent, 0);
		for (i = 0; i < 4; i++)
			back_after(rig, !i);
		KUNIT_EXPECT_EQ(test, rig->overlap.parts, 1024);
	}
}

static void what_came_back_undone_spoils_a_batch(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	send(rig, 8);
	fwy_overlap_done(&rig->overlap, rig->sent_ns, false, rig->now_ns);
	KUNIT_EXPECT_EQ(test, rig->overlap.sent, 0);
	back_after(rig, 1);
	KUNIT_EXPECT_EQ(test, rig->overlap.parts, 1024);
}

static void what_is_sent_after_the_first_is_back_is_not_of_the_batch(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	send(rig, 4);
	back_after(rig, 10);
	fwy_overlap_dispatched(&rig->overlap, false, false, rig->now_ns);
	KUNIT_EXPECT_EQ(test, rig->overlap.sent, 4);
	/* Written to a buffer, while the arm is on its way. */
	fwy_overlap_done(&rig->overlap, rig->now_ns, true, rig->now_ns);
	KUNIT_EXPECT_EQ(test, rig->overlap.done, 1);
	back_after(rig, 10);
	KUNIT_EXPECT_EQ(test, rig->overlap.parts, 1024);
}

static void others_are_let_in_now_and_then(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;
	struct fwy_overlap *overlap = &rig->overlap;
	u64 rest_ns, was_ns = 0;
	int i;

	KUNIT_EXPECT_FALSE(test, fwy_overlap_is_wanted(overlap, 3, rig->now_ns));
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_TRUE(test, fwy_overlap_is_wanted(overlap, 4,
							      rig->now_ns));
		fwy_overlap_open(overlap, rig->now_ns);
		KUNIT_EXPECT_FALSE(test, fwy_overlap_is_wanted(overlap, 99,
							       rig->now_ns));
		rest_ns = overlap->next_ns - rig->now_ns;
		KUNIT_EXPECT_EQ(test, rest_ns, i ? min(2 * was_ns, 1000 * MS) :
						   50 * MS);
		was_ns = rest_ns;
		send(rig, 7);
		KUNIT_EXPECT_TRUE(test, fwy_overlap_has_room(overlap));
		fwy_overlap_dispatched(overlap, false, true, rig->now_ns);
		KUNIT_EXPECT_FALSE(test, fwy_overlap_has_room(overlap));
		overlap->sent--;
		back_after(rig, 1);
		KUNIT_EXPECT_FALSE(test, fwy_overlap_has_room(overlap));
		fwy_overlap_open(overlap, rig->now_ns);
		KUNIT_EXPECT_FALSE(test, fwy_overlap_has_room(overlap));
		rig->now_ns = overlap->next_ns;
	}
}

static void what_says_otherwise_is_looked_at_again_soon(struct kunit *test)
{
	struct overlap_rig *rig = test->priv;

	rig->overlap.rest_ns = 1000 * MS;
	batch(rig, 8, 10, 10);
	KUNIT_EXPECT_EQ(test, rig->overlap.rest_ns, 1000 * MS);
	batch(rig, 8, 10, 0);
	KUNIT_EXPECT_EQ(test, rig->overlap.next_ns, rig->now_ns + 50 * MS);
}

static struct kunit_case overlap_cases[] = {
	KUNIT_CASE(new_device_has_one_arm),
	KUNIT_CASE(who_is_through_with_all_at_once_does_several),
	KUNIT_CASE(who_takes_as_long_for_all_does_one),
	KUNIT_CASE(single_disk_that_has_the_choice_does_one),
	KUNIT_CASE(who_did_several_and_does_one_now_is_noticed),
	KUNIT_CASE(one_stall_says_nothing),
	KUNIT_CASE(too_few_say_nothing),
	KUNIT_CASE(more_than_eight_say_no_more_than_eight),
	KUNIT_CASE(near_ones_and_writes_spoil_a_batch),
	KUNIT_CASE(what_came_back_undone_spoils_a_batch),
	KUNIT_CASE(what_is_sent_after_the_first_is_back_is_not_of_the_batch),
	KUNIT_CASE(others_are_let_in_now_and_then),
	KUNIT_CASE(what_says_otherwise_is_looked_at_again_soon),
	{}
};

static struct kunit_suite overlap_suite = {
	.name = "fairway-overlap",
	.init = overlap_init,
	.test_cases = overlap_cases,
};

kunit_test_suite(overlap_suite);
