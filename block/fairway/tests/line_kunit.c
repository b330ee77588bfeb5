// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/line.c: who is admitted next.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "core/core.h"

#define NR_FLOWS	48
#define NR_WAITERS	64

struct line_rig {
	struct fwy_line line;
	struct fwy_seat seat[NR_FLOWS];
	struct fwy_waiter waiter[NR_WAITERS];
};

static void rig_start(struct line_rig *rig)
{
	int i;

	memset(&rig->line, 0xa5, sizeof(rig->line));
	fwy_line_init(&rig->line);
	for (i = 0; i < NR_FLOWS; i++)
		fwy_seat_init(&rig->seat[i], FWY_SEAT_FLOW);
}

static int line_init(struct kunit *test)
{
	struct line_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig_start(rig);
	test->priv = rig;
	return 0;
}

static void hold_one_more(struct fwy_seat *seat)
{
	atomic_set(&seat->held, atomic_read(&seat->held) + 1);
}

static void join(struct line_rig *rig, int waiter, int flow, bool at_front)
{
	fwy_line_join(&rig->line, &rig->seat[flow], &rig->waiter[waiter],
		      at_front);
}

static int admit(struct line_rig *rig, unsigned int limit)
{
	struct fwy_waiter *waiter = fwy_line_admit(&rig->line, NULL, limit, 0);

	return waiter ? waiter - rig->waiter : -1;
}

static void empty_line_admits_nobody(struct kunit *test)
{
	struct line_rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, admit(rig, 4), -1);
	KUNIT_EXPECT_EQ(test, rig->line.nr_waiters, 0);
	KUNIT_EXPECT_EQ(test, rig->line.nr_seats, 0);
}

static void different_flows_are_admitted_as_they_came(struct kunit *test)
{
	struct line_rig *rig = test->priv;
	int i;

	for (i = 0; i < NR_FLOWS; i++)
		join(rig, i, NR_FLOWS - 1 - i, false);
	KUNIT_EXPECT_EQ(test, rig->line.nr_seats, NR_FLOWS);
	for (i = 0; i < NR_FLOWS; i++)
		KUNIT_EXPECT_EQ(test, admit(rig, 2), i);
	KUNIT_EXPECT_EQ(test, admit(rig, 2), -1);
}

/* Threads of two processes, mixed: nobody passes anybody below the share. */
static void threads_of_a_flow_keep_their_places(struct kunit *test)
{
	struct line_rig *rig = test->priv;
	int i;

	for (i = 0; i < 16; i++)
		join(rig, i, (i / 3) % 2, false);
	KUNIT_EXPECT_EQ(test, rig->line.nr_seats, 2);
	KUNIT_EXPECT_EQ(test, rig->line.nr_waiters, 16);
	for (i = 0; i < 16; i++)
		KUNIT_EXPECT_EQ(test, admit(rig, 64), i);
}

static void flow_over_its_share_waits_for_the_others(struct kunit *test)
{
	struct line_rig *rig = test->priv;

	join(rig, 0, 0, false);
	join(rig, 1, 1, false);
	atomic_set(&rig->seat[0].held, 2);	/* 4 / 2 flows */
	KUNIT_EXPECT_EQ(test, admit(rig, 4), 1);
	/* Alone, it may have all. */
	KUNIT_EXPECT_EQ(test, admit(rig, 4), 0);
}

static void flow_just_below_its_share_keeps_its_place(struct kunit *test)
{
	struct line_rig *rig = test->priv;

	join(rig, 0, 0, false);
	join(rig, 1, 1, false);
	atomic_set(&rig->seat[0].held, 1);
	KUNIT_EXPECT_EQ(test, admit(rig, 4), 0);
}

static void last_part_of_a_pool_is_for_who_holds_little(struct kunit *test)
{
	static const struct {
		enum fwy_seat_kind kind;
		unsigned int limit, open_to;
	} table[] = {
		{ FWY_SEAT_FLOW, 240, 210 }, { FWY_SEAT_COMMON, 240, 210 },
		{ FWY_SEAT_WRITEBACK, 240, 180 }, { FWY_SEAT_FLOW, 7, 7 },
		{ FWY_SEAT_WRITEBACK, 3, 3 }, { FWY_SEAT_FLOW, 1, 1 },
	};
	static const struct {
		enum fwy_seat_kind kind;
		int held;
		bool is_light;
	} light[] = {
		{ FWY_SEAT_FLOW, 1, true }, { FWY_SEAT_FLOW, 2, false },
		{ FWY_SEAT_COMMON, 200, true }, { FWY_SEAT_WRITEBACK, 0, true },
		{ FWY_SEAT_WRITEBACK, 1, false },
	};
	struct line_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		KUNIT_EXPECT_EQ_MSG(test, fwy_seat_limit(table[i].kind,
							 table[i].limit),
				    table[i].open_to, "row %d", i);
	for (i = 0; i < ARRAY_SIZE(light); i++) {
		fwy_seat_init(&rig->seat[0], light[i].kind);
		atomic_set(&rig->seat[0].held, light[i].held);
		KUNIT_EXPECT_EQ_MSG(test, fwy_seat_is_light(&rig->seat[0], 240),
				    light[i].is_light, "row %d", i);
	}
	/* In such a pool the first in line is passed by who holds little. */
	fwy_seat_init(&rig->seat[0], FWY_SEAT_FLOW);
	atomic_set(&rig->seat[0].held, 20);
	join(rig, 0, 0, false);
	join(rig, 1, 1, false);
	KUNIT_EXPECT_PTR_EQ(test, fwy_line_admit(&rig->line, NULL, 240, 210),
			    &rig->waiter[1]);
	KUNIT_EXPECT_NULL(test, fwy_line_admit(&rig->line, NULL, 240, 210));
	KUNIT_EXPECT_PTR_EQ(test, fwy_line_admit(&rig->line, NULL, 240, 209),
			    &rig->waiter[0]);
}

/* Writeback that has enough on its way is passed, and nobody waits behind it. */
static void writeback_is_held_back_by_itself(struct kunit *test)
{
	struct line_rig *rig = test->priv;
	struct fwy_seat *writeback = &rig->seat[0];

	fwy_seat_init(writeback, FWY_SEAT_WRITEBACK);
	KUNIT_EXPECT_TRUE(test, fwy_line_is_open(&rig->line, writeback));
	atomic_set(&writeback->held, 3);
	join(rig, 0, 0, false);
	KUNIT_EXPECT_FALSE(test, fwy_line_is_open(&rig->line, writeback));

	rig->line.hold = 3;
	KUNIT_EXPECT_TRUE(test, fwy_line_is_open(&rig->line, writeback));
	KUNIT_EXPECT_EQ(test, admit(rig, 240), -1);
	join(rig, 1, 1, false);
	KUNIT_EXPECT_FALSE(test, fwy_line_is_open(&rig->line, writeback));
	KUNIT_EXPECT_EQ(test, admit(rig, 240), 1);

	/* One is given back, or more is let in. */
	atomic_set(&writeback->held, 2);
	KUNIT_EXPECT_FALSE(test, fwy_line_is_open(&rig->line, writeback));
	KUNIT_EXPECT_EQ(test, admit(rig, 240), 0);
	KUNIT_EXPECT_TRUE(test, fwy_line_is_open(&rig->line, writeback));
	hold_one_more(writeback);
	join(rig, 0, 0, false);
	KUNIT_EXPECT_EQ(test, admit(rig, 240), -1);
	rig->line.hold = 4;
	KUNIT_EXPECT_EQ(test, admit(rig, 240), 0);
}

/* Nobody else is, however much it has. */
static void nobody_but_writeback_is_held_back(struct kunit *test)
{
	struct line_rig *rig = test->priv;
	int kind;

	for (kind = FWY_SEAT_FLOW; kind <= FWY_SEAT_WRITEBACK; kind++) {
		fwy_seat_init(&rig->seat[0], kind);
		atomic_set(&rig->seat[0].held, 100);
		KUNIT_EXPECT_EQ(test, fwy_seat_is_held_back(&rig->seat[0], 3),
				kind == FWY_SEAT_WRITEBACK);
		KUNIT_EXPECT_FALSE(test, fwy_seat_is_held_back(&rig->seat[0],
							       FWY_HOLD_NONE));
	}
}

/* The device is idle until it comes; who has the turn without a waiter does not. */
static void who_has_the_turn_is_admitted_first(struct kunit *test)
{
	struct line_rig *rig = test->priv;
	struct fwy_waiter *waiter;

	join(rig, 0, 0, false);
	join(rig, 1, 1, false);
	join(rig, 2, 1, false);
	atomic_set(&rig->seat[1].held, 3);	/* above its share */
	waiter = fwy_line_admit(&rig->line, &rig->seat[2], 4, 3);
	KUNIT_EXPECT_PTR_EQ(test, waiter, &rig->waiter[0]);
	join(rig, 0, 0, false);
	waiter = fwy_line_admit(&rig->line, &rig->seat[1], 4, 3);
	KUNIT_EXPECT_PTR_EQ(test, waiter, &rig->waiter[1]);
	waiter = fwy_line_admit(&rig->line, &rig->seat[1], 4, 3);
	KUNIT_EXPECT_PTR_EQ(test, waiter, &rig->waiter[2]);
	waiter = fwy_line_admit(&rig->line, &rig->seat[1], 4, 3);
	KUNIT_EXPECT_PTR_EQ(test, waiter, &rig->waiter[0]);
	KUNIT_EXPECT_EQ(test, rig->line.nr_waiters, 0);
}

static void common_flow_has_no_cap(struct kunit *test)
{
	struct line_rig *rig = test->priv;

	fwy_seat_init(&rig->seat[0], FWY_SEAT_COMMON);
	atomic_set(&rig->seat[0].held, 100);
	join(rig, 0, 0, false);
	join(rig, 1, 1, false);
	KUNIT_EXPECT_EQ(test, admit(rig, 4), 0);
}

/* Counts move while the line is looked at; room must not be left unused. */
static void all_over_their_share_still_admits_the_first(struct kunit *test)
{
	struct line_rig *rig = test->priv;

	atomic_set(&rig->seat[0].held, 9);
	atomic_set(&rig->seat[1].held, 9);
	join(rig, 3, 1, false);
	join(rig, 4, 0, false);
	KUNIT_EXPECT_EQ(test, admit(rig, 4), 3);
	KUNIT_EXPECT_EQ(test, admit(rig, 4), 4);
}

/* Each of the first flows asks for more, again and again, until none is let in. */
static unsigned int fill(struct line_rig *rig, int flows, unsigned int limit)
{
	struct fwy_waiter *waiter;
	unsigned int held = 0;
	int i;

	for (i = 0; i < flows; i++)
		join(rig, i, i, false);
	while (held < limit &&
	       (waiter = fwy_line_admit(&rig->line, NULL, limit, held))) {
		i = waiter - rig->waiter;
		hold_one_more(&rig->seat[i]);
		held++;
		join(rig, i, i, false);
	}
	return held;
}

/* However many they are, if each could do with less. */
static void full_pool_has_room_for_who_holds_nothing(struct kunit *test)
{
	static const struct {
		unsigned int limit;
		int flows;
	} table[] = { { 240, 1 }, { 240, 4 }, { 240, 32 }, { 60, 16 },
		      { 1920, 40 } };
	struct line_rig *rig = test->priv;
	int row, i;

	for (row = 0; row < ARRAY_SIZE(table); row++) {
		unsigned int limit = table[row].limit, held;
		int flows = table[row].flows;

		rig_start(rig);
		held = fill(rig, flows, limit);
		KUNIT_EXPECT_EQ_MSG(test, held, limit - limit / 8, "row %d", row);
		for (i = 0; i < 5; i++) {
			join(rig, 48 + i, flows + i, false);
			KUNIT_EXPECT_EQ_MSG(test, fwy_line_admit(&rig->line,
								 NULL, limit,
								 held) -
					    rig->waiter, 48 + i, "row %d", row);
			hold_one_more(&rig->seat[flows + i]);
			held++;
		}
	}
}

static void piece_at_the_front_goes_before_all(struct kunit *test)
{
	struct line_rig *rig = test->priv;

	join(rig, 0, 0, false);
	join(rig, 1, 1, false);
	join(rig, 2, 1, true);	/* its flow already waits */
	join(rig, 3, 2, true);	/* its flow does not */
	KUNIT_EXPECT_EQ(test, admit(rig, 8), 3);
	KUNIT_EXPECT_EQ(test, admit(rig, 8), 2);
	KUNIT_EXPECT_EQ(test, admit(rig, 8), 0);
	KUNIT_EXPECT_EQ(test, admit(rig, 8), 1);
	KUNIT_EXPECT_EQ(test, admit(rig, 8), -1);
}

/* Or each piece of an I/O would wait for the one before it to complete. */
static void piece_at_the_front_needs_no_share(struct kunit *test)
{
	struct line_rig *rig = test->priv;
	struct fwy_waiter *next;
	int i;

	for (i = 0; i < 4; i++)
		join(rig, i, i, false);
	KUNIT_EXPECT_EQ(test, admit(rig, 3), 0);
	for (i = 4; i < 7; i++) {
		hold_one_more(&rig->seat[0]);
		join(rig, i, 0, true);
		KUNIT_EXPECT_EQ(test, admit(rig, 3), i);
	}
	join(rig, 7, 0, false);	/* its next I/O is like any other */
	KUNIT_EXPECT_EQ(test, admit(rig, 3), 1);

	/* Nor is the last eighth of a pool kept from it. */
	join(rig, 8, 0, true);
	next = fwy_line_admit(&rig->line, NULL, 240, 239);
	KUNIT_EXPECT_PTR_EQ(test, next, &rig->waiter[8]);
}

static void share_is_rounded_up_and_never_zero(struct kunit *test)
{
	static const struct {
		unsigned int limit, flows, share;
	} table[] = {
		{ 0, 0, 0 }, { 1, 0, 1 }, { 1, 1, 1 }, { 2, 1, 2 },
		{ 2, 2, 1 }, { 2, 3, 1 }, { 3, 2, 2 }, { 60, 8, 8 },
		{ UINT_MAX, 2, 1U << 31 }, { INT_MAX, 1, INT_MAX },
	};
	struct fwy_line line;
	int i;

	fwy_line_init(&line);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		line.nr_seats = table[i].flows;
		KUNIT_EXPECT_EQ_MSG(test, fwy_line_share(&line, table[i].limit),
				    table[i].share, "limit %u, %u flows",
				    table[i].limit, table[i].flows);
	}
}

static void pool_limit_leaves_headroom_only_where_tags_wake_in_batches(struct kunit *test)
{
	static const unsigned int table[][2] = {
		{ 0, 0 }, { 1, 1 }, { 2, 2 }, { 4, 4 }, { 15, 15 },
		{ 16, 15 }, { 64, 60 }, { 256, 240 }, { 2048, 1920 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		KUNIT_EXPECT_EQ_MSG(test, fwy_pool_limit(table[i][0]),
				    table[i][1], "depth %u", table[i][0]);
}

/*
 * Property: whatever joins and holds, (1) everybody is admitted once, (2) who
 * is admitted is first of its flow, and (3) no flow below its share that had
 * waited longer was passed over.
 */
static void random_lines_admit_everybody_in_fair_order(struct kunit *test)
{
	const u32 seed = 20021130;
	struct line_rig *rig = test->priv;
	struct rnd_state rnd;
	int round;

	kunit_info(test, "seed %u", seed);
	prandom_seed_state(&rnd, seed);
	for (round = 0; round < 2000; round++) {
		unsigned int limit = 1 + prandom_u32_state(&rnd) % 16;
		int flow_of[NR_WAITERS], i, left = NR_WAITERS;
		bool is_in[NR_WAITERS] = {};

		fwy_line_init(&rig->line);
		for (i = 0; i < NR_FLOWS; i++)
			fwy_seat_init(&rig->seat[i], i ? FWY_SEAT_FLOW :
						       FWY_SEAT_COMMON);
		for (i = 0; i < NR_WAITERS; i++) {
			flow_of[i] = prandom_u32_state(&rnd) % NR_FLOWS;
			join(rig, i, flow_of[i], false);
			is_in[i] = true;
		}
		while (left--) {
			unsigned int share = fwy_line_share(&rig->line, limit);
			int got;

			for (i = 0; i < NR_FLOWS; i++)
				atomic_set(&rig->seat[i].held,
					   prandom_u32_state(&rnd) % 4);
			got = admit(rig, limit);
			KUNIT_ASSERT_GE(test, got, 0);
			KUNIT_ASSERT_TRUE(test, is_in[got]);
			is_in[got] = false;
			for (i = 0; i < got; i++) {
				int flow = flow_of[i];

				if (!is_in[i])
					continue;
				KUNIT_ASSERT_NE_MSG(test, flow, flow_of[got],
						    "round %d: %d passed %d of its own flow",
						    round, got, i);
				KUNIT_ASSERT_TRUE_MSG(test, flow != 0 &&
						      atomic_read(&rig->seat[flow].held) >= share,
						      "round %d: %d passed %d, which held %d of %u",
						      round, got, i,
						      atomic_read(&rig->seat[flow].held),
						      share);
			}
		}
		KUNIT_ASSERT_EQ(test, rig->line.nr_waiters, 0);
		KUNIT_ASSERT_EQ(test, rig->line.nr_seats, 0);
		KUNIT_ASSERT_EQ(test, admit(rig, limit), -1);
	}
}

static struct kunit_case line_cases[] = {
	KUNIT_CASE(empty_line_admits_nobody),
	KUNIT_CASE(different_flows_are_admitted_as_they_came),
	KUNIT_CASE(threads_of_a_flow_keep_their_places),
	KUNIT_CASE(flow_over_its_share_waits_for_the_others),
	KUNIT_CASE(flow_just_below_its_share_keeps_its_place),
	KUNIT_CASE(last_part_of_a_pool_is_for_who_holds_little),
	KUNIT_CASE(writeback_is_held_back_by_itself),
	KUNIT_CASE(nobody_but_writeback_is_held_back),
	KUNIT_CASE(who_has_the_turn_is_admitted_first),
	KUNIT_CASE(common_flow_has_no_cap),
	KUNIT_CASE(all_over_their_share_still_admits_the_first),
	KUNIT_CASE(full_pool_has_room_for_who_holds_nothing),
	KUNIT_CASE(piece_at_the_front_goes_before_all),
	KUNIT_CASE(piece_at_the_front_needs_no_share),
	KUNIT_CASE(share_is_rounded_up_and_never_zero),
	KUNIT_CASE(pool_limit_leaves_headroom_only_where_tags_wake_in_batches),
	KUNIT_CASE(random_lines_admit_everybody_in_fair_order),
	{}
};

static struct kunit_suite line_suite = {
	.name = "fairway_line",
	.init = line_init,
	.test_cases = line_cases,
};

kunit_test_suite(line_suite);
