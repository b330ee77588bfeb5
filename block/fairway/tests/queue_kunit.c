// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/queue.c: the order within a queue.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "core/core.h"

#define NR_ITEMS	16
#define NR_FLOWS	4

struct queue_rig {
	struct fwy_queue queue;
	struct fwy_flow flow[NR_FLOWS];
	struct fwy_item item[NR_ITEMS];
};

static void rig_start(struct queue_rig *rig, enum fwy_kind kind)
{
	int i;

	fwy_queue_init(&rig->queue, kind, FWY_WEIGHT);
	for (i = 0; i < NR_FLOWS; i++)
		fwy_flow_init(&rig->flow[i]);
	for (i = 0; i < NR_ITEMS; i++) {
		fwy_item_init(&rig->item[i]);
		rig->item[i].flow = &rig->flow[i % NR_FLOWS];
		rig->item[i].sectors = 8;
	}
}

static int queue_init(struct kunit *test)
{
	struct queue_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig_start(rig, FWY_OWN);
	test->priv = rig;
	return 0;
}

static void add(struct queue_rig *rig, int i, u64 sector)
{
	rig->item[i].sector = sector;
	fwy_queue_add(&rig->queue, &rig->item[i], true);
}

/* Takes the first, as the scheduler does; -1 if there is none. */
static int take(struct queue_rig *rig)
{
	struct fwy_item *item = fwy_queue_first(&rig->queue);

	if (!item)
		return -1;
	fwy_queue_pass(&rig->queue, item);
	fwy_queue_remove(&rig->queue, item);
	return item - rig->item;
}

static void empty_queue_has_nothing(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	KUNIT_EXPECT_NULL(test, fwy_queue_first(&rig->queue));
	KUNIT_EXPECT_NULL(test, fwy_queue_oldest(&rig->queue));
	KUNIT_EXPECT_NULL(test, fwy_queue_find(&rig->queue, 0, false));
	KUNIT_EXPECT_EQ(test, rig->queue.queued, 0);
}

static void unsorted_items_leave_in_the_order_they_came(struct kunit *test)
{
	static const u64 sector[] = { 900, 100, 500, 500, 0, U64_MAX };
	struct queue_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(sector); i++) {
		rig->item[i].sector = sector[i];
		fwy_queue_add(&rig->queue, &rig->item[i], false);
		KUNIT_EXPECT_EQ(test, rig->queue.queued, i + 1);
	}
	for (i = 0; i < ARRAY_SIZE(sector); i++)
		KUNIT_EXPECT_EQ(test, take(rig), i);
	KUNIT_EXPECT_EQ(test, take(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->queue.queued, 0);
}

static void sweep_goes_upward_and_starts_again(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	add(rig, 0, 500);
	add(rig, 1, 100);
	add(rig, 2, 900);
	KUNIT_EXPECT_EQ(test, take(rig), 1);
	KUNIT_EXPECT_EQ(test, take(rig), 0);
	add(rig, 3, 50);
	add(rig, 4, 600);
	KUNIT_EXPECT_EQ(test, take(rig), 4);
	KUNIT_EXPECT_EQ(test, take(rig), 2);
	KUNIT_EXPECT_EQ(test, take(rig), 3);
	KUNIT_EXPECT_EQ(test, take(rig), -1);
}

/* What is left of it is served, and all that came since in the next. */
static void closed_round_comes_to_its_end(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	add(rig, 0, 500);
	add(rig, 1, 900);
	add(rig, 2, 950);
	KUNIT_EXPECT_EQ(test, take(rig), 0);
	add(rig, 3, 100);
	fwy_queue_close(&rig->queue);
	add(rig, 4, 600);
	add(rig, 7, 200);	/* the next has not begun */
	KUNIT_EXPECT_EQ(test, take(rig), 1);
	add(rig, 5, 920);
	KUNIT_EXPECT_EQ(test, take(rig), 2);
	KUNIT_EXPECT_EQ(test, take(rig), 3);
	add(rig, 6, 50);
	KUNIT_EXPECT_EQ(test, take(rig), 7);
	KUNIT_EXPECT_EQ(test, take(rig), 4);
	KUNIT_EXPECT_EQ(test, take(rig), 5);
	KUNIT_EXPECT_EQ(test, take(rig), 6);
	KUNIT_EXPECT_EQ(test, take(rig), -1);
}

/* The sweep stands at 508, where the last item ended. */
static void sweep_goes_on_where_the_last_item_ended(struct kunit *test)
{
	static const struct {
		u64 sector;
		u64 round;
	} table[] = {
		{ 0, 1 }, { 500, 1 }, { 507, 1 }, { 508, 0 }, { 509, 0 },
		{ U64_MAX, 0 },
	};
	struct queue_rig *rig = test->priv;
	int i;

	add(rig, 0, 500);
	KUNIT_ASSERT_EQ(test, take(rig), 0);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		add(rig, 1, table[i].sector);
		KUNIT_EXPECT_EQ_MSG(test, rig->item[1].round, table[i].round,
				    "sector %llu",
				    (unsigned long long)table[i].sector);
		fwy_queue_remove(&rig->queue, &rig->item[1]);
	}
}

static void items_of_one_sector_leave_in_the_order_they_came(struct kunit *test)
{
	struct queue_rig *rig = test->priv;
	int i;

	for (i = 0; i < 4; i++)
		add(rig, i, 100);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, take(rig), i);
}

static void oldest_does_not_depend_on_the_sector(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	add(rig, 0, 900);
	add(rig, 1, 100);
	KUNIT_EXPECT_PTR_EQ(test, fwy_queue_oldest(&rig->queue), &rig->item[0]);
	fwy_queue_remove(&rig->queue, &rig->item[0]);
	KUNIT_EXPECT_PTR_EQ(test, fwy_queue_oldest(&rig->queue), &rig->item[1]);
	KUNIT_EXPECT_EQ(test, rig->queue.queued, 1);
}

static void removed_item_can_be_added_again(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	add(rig, 0, 100);
	fwy_queue_remove(&rig->queue, &rig->item[0]);
	KUNIT_EXPECT_TRUE(test, RB_EMPTY_NODE(&rig->item[0].node));
	KUNIT_EXPECT_EQ(test, take(rig), -1);
	fwy_queue_add(&rig->queue, &rig->item[0], false);
	fwy_queue_remove(&rig->queue, &rig->item[0]);
	add(rig, 0, 200);
	KUNIT_EXPECT_EQ(test, take(rig), 0);
}

/* All were there before, so that none is new. */
static void crowd_start(struct queue_rig *rig)
{
	int i;

	rig_start(rig, FWY_CROWD);
	rig->queue.round = 10;
	for (i = 0; i < NR_FLOWS; i++)
		rig->flow[i].round = 1;
}

/* Who comes new waits for the next round: there may be another, and another. */
static void crowd_ends_its_round_whoever_comes_new(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	crowd_start(rig);
	add(rig, 0, 500);
	add(rig, 1, 100);
	KUNIT_EXPECT_EQ(test, take(rig), 1);
	rig->flow[2].round = 0;
	add(rig, 2, 200);
	KUNIT_EXPECT_EQ(test, take(rig), 0);
	KUNIT_EXPECT_EQ(test, take(rig), 2);
	KUNIT_EXPECT_EQ(test, rig->flow[2].round, 11);
}

/* One may join a round of the crowd ahead of the sweep, and once. */
static void crowd_lets_join_a_round_ahead_of_the_sweep(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	crowd_start(rig);
	add(rig, 0, 500);
	add(rig, 1, 100);
	KUNIT_EXPECT_EQ(test, take(rig), 1);
	add(rig, 2, 200);
	/* Behind the sweep; or of a flow that was served in this round. */
	add(rig, 3, 50);
	add(rig, 5, 300);
	KUNIT_EXPECT_EQ(test, take(rig), 2);
	KUNIT_EXPECT_EQ(test, take(rig), 0);
	/* They stand in one round and so go by sector. */
	add(rig, 4, 150);
	KUNIT_EXPECT_EQ(test, take(rig), 3);
	KUNIT_EXPECT_EQ(test, take(rig), 4);
	KUNIT_EXPECT_EQ(test, take(rig), 5);
}

static void crowd_takes_one_item_of_a_flow_each_round(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	rig_start(rig, FWY_CROWD);
	/* Items 0, 4 and 8 are of one flow, 1 of another. */
	add(rig, 0, 100);
	add(rig, 4, 110);
	add(rig, 8, 120);
	add(rig, 1, 900);
	KUNIT_EXPECT_EQ(test, take(rig), 0);
	KUNIT_EXPECT_EQ(test, take(rig), 1);
	KUNIT_EXPECT_EQ(test, take(rig), 4);
	KUNIT_EXPECT_EQ(test, take(rig), 8);
}

/* Rounds that went by without a flow are not its to have. */
static void crowd_lends_no_place_to_who_was_away(struct kunit *test)
{
	struct queue_rig *rig = test->priv;
	int i;

	rig_start(rig, FWY_CROWD);
	add(rig, 1, 100);
	KUNIT_EXPECT_EQ(test, take(rig), 1);
	for (i = 0; i < 5; i++) {
		add(rig, 0, 100);
		KUNIT_EXPECT_EQ(test, take(rig), 0);
	}
	add(rig, 0, 50);
	add(rig, 1, 40);
	add(rig, 5, 10);
	KUNIT_EXPECT_EQ(test, take(rig), 1);
	KUNIT_EXPECT_EQ(test, take(rig), 0);
	KUNIT_EXPECT_EQ(test, take(rig), 5);
}

/* Who waited longest lends its mark, and both go on counting as two requests. */
static void item_that_absorbed_an_older_one_counts_as_both(struct kunit *test)
{
	struct queue_rig *rig = test->priv;
	struct fwy_item *item = &rig->item[1], *older = &rig->item[0];

	rig->queue.done = (struct fwy_amount) { 1000, 10 };
	add(rig, 0, 100);
	older->added_ns = 1;
	add(rig, 1, 108);
	item->added_ns = 2;
	KUNIT_ASSERT_EQ(test, item->mark.requests, 11);
	fwy_queue_absorb(&rig->queue, item, older);
	fwy_queue_remove(&rig->queue, older);
	KUNIT_EXPECT_EQ(test, item->mark.requests, 10);
	KUNIT_EXPECT_EQ(test, item->mark.sectors, 1000);
	KUNIT_EXPECT_EQ(test, item->requests, 2);
	KUNIT_EXPECT_EQ(test, rig->queue.amount.requests, 2);
	fwy_queue_remove(&rig->queue, item);
	KUNIT_EXPECT_EQ(test, rig->queue.amount.requests, 0);
}

static void moved_item_stays_in_its_round(struct kunit *test)
{
	struct queue_rig *rig = test->priv;

	add(rig, 0, 500);
	KUNIT_EXPECT_EQ(test, take(rig), 0);
	add(rig, 1, 600);
	add(rig, 2, 550);
	add(rig, 3, 520);
	/* It grew downward, past its neighbours. */
	fwy_queue_resize(&rig->queue, &rig->item[1], 510,
			 rig->item[1].sectors);
	KUNIT_EXPECT_EQ(test, rig->item[1].sector, 510);
	/* This one past the sweep itself. */
	fwy_queue_resize(&rig->queue, &rig->item[2], 400,
			 rig->item[2].sectors);
	KUNIT_EXPECT_EQ(test, take(rig), 2);
	KUNIT_EXPECT_EQ(test, take(rig), 1);
	KUNIT_EXPECT_EQ(test, take(rig), 3);
}

/* Merges look at what came last; what came long before is not worth the search. */
static void unsorted_find_sees_the_last_that_were_added(struct kunit *test)
{
	struct queue_rig *rig = test->priv;
	int i;

	for (i = 0; i < 12; i++) {
		rig->item[i].sector = 100 * i;
		rig->item[i].sectors = 8;
		fwy_queue_add(&rig->queue, &rig->item[i], false);
	}
	KUNIT_EXPECT_PTR_EQ(test, fwy_queue_find(&rig->queue, 1100, false),
			    &rig->item[11]);
	KUNIT_EXPECT_PTR_EQ(test, fwy_queue_find(&rig->queue, 1108, true),
			    &rig->item[11]);
	KUNIT_EXPECT_PTR_EQ(test, fwy_queue_find(&rig->queue, 400, false),
			    &rig->item[4]);
	KUNIT_EXPECT_NULL(test, fwy_queue_find(&rig->queue, 300, false));
	KUNIT_EXPECT_NULL(test, fwy_queue_find(&rig->queue, 1100, true));
	for (i = 0; i < 12; i++)
		fwy_queue_remove(&rig->queue, &rig->item[i]);
}

static void moved_unsorted_item_keeps_its_place(struct kunit *test)
{
	struct queue_rig *rig = test->priv;
	int i;

	for (i = 0; i < 3; i++) {
		rig->item[i].sector = 100 * i;
		fwy_queue_add(&rig->queue, &rig->item[i], false);
	}
	fwy_queue_resize(&rig->queue, &rig->item[1], 192,
			 rig->item[1].sectors);
	KUNIT_EXPECT_EQ(test, rig->item[1].sector, 192);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, take(rig), i);
}

static void find_sees_this_round_and_the_next(struct kunit *test)
{
	static const u64 sector[] = { 0, 100, 200, 600, 700, 800, U64_MAX };
	struct queue_rig *rig = test->priv;
	int i;

	add(rig, 15, 500);
	KUNIT_ASSERT_EQ(test, take(rig), 15);
	for (i = 0; i < ARRAY_SIZE(sector); i++)
		add(rig, i, sector[i]);
	for (i = 0; i < ARRAY_SIZE(sector); i++) {
		KUNIT_EXPECT_PTR_EQ(test, fwy_queue_find(&rig->queue, sector[i], false),
				    &rig->item[i]);
		KUNIT_EXPECT_NULL(test, fwy_queue_find(&rig->queue,
						       sector[i] ^ 2, false));
	}
	fwy_queue_resize(&rig->queue, &rig->item[3], 592,
			 rig->item[3].sectors);
	KUNIT_EXPECT_NULL(test, fwy_queue_find(&rig->queue, 600, false));
	KUNIT_EXPECT_PTR_EQ(test, fwy_queue_find(&rig->queue, 592, false),
			    &rig->item[3]);
}

/*
 * Property: of random items, the next is the lowest at or above the sweep, or
 * the lowest of all if there is none there.
 */
static void random_items_leave_in_one_way_sweeps(struct kunit *test)
{
	const u32 seed = 20261130;
	struct queue_rig *rig = test->priv;
	bool is_in[NR_ITEMS] = {};
	struct rnd_state rnd;
	u64 position = 0;
	int step, i;

	kunit_info(test, "seed %u", seed);
	prandom_seed_state(&rnd, seed);
	for (step = 0; step < 20000; step++) {
		int got, best = -1;

		for (i = 0; i < NR_ITEMS; i++) {
			if (is_in[i] || prandom_u32_state(&rnd) % 8)
				continue;
			/* None overlap: of those the order is as they came. */
			add(rig, i, (prandom_u32_state(&rnd) % 32 * NR_ITEMS +
				     i) * 8);
			is_in[i] = true;
		}
		for (i = 0; i < NR_ITEMS; i++) {
			/* Distance upward, once around at the end. */
			u64 way = rig->item[i].sector - position;

			if (is_in[i] && (best < 0 || way <
					 rig->item[best].sector - position))
				best = i;
		}
		got = take(rig);
		KUNIT_ASSERT_EQ_MSG(test, got < 0, best < 0, "step %d", step);
		if (got < 0)
			continue;
		KUNIT_ASSERT_EQ_MSG(test, rig->item[got].sector,
				    rig->item[best].sector, "step %d", step);
		is_in[got] = false;
		position = rig->item[got].sector + rig->item[got].sectors;
	}
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(empty_queue_has_nothing),
	KUNIT_CASE(unsorted_items_leave_in_the_order_they_came),
	KUNIT_CASE(sweep_goes_upward_and_starts_again),
	KUNIT_CASE(closed_round_comes_to_its_end),
	KUNIT_CASE(sweep_goes_on_where_the_last_item_ended),
	KUNIT_CASE(items_of_one_sector_leave_in_the_order_they_came),
	KUNIT_CASE(oldest_does_not_depend_on_the_sector),
	KUNIT_CASE(removed_item_can_be_added_again),
	KUNIT_CASE(crowd_ends_its_round_whoever_comes_new),
	KUNIT_CASE(crowd_lets_join_a_round_ahead_of_the_sweep),
	KUNIT_CASE(crowd_takes_one_item_of_a_flow_each_round),
	KUNIT_CASE(crowd_lends_no_place_to_who_was_away),
	KUNIT_CASE(item_that_absorbed_an_older_one_counts_as_both),
	KUNIT_CASE(moved_item_stays_in_its_round),
	KUNIT_CASE(unsorted_find_sees_the_last_that_were_added),
	KUNIT_CASE(moved_unsorted_item_keeps_its_place),
	KUNIT_CASE(find_sees_this_round_and_the_next),
	KUNIT_CASE(random_items_leave_in_one_way_sweeps),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "fairway_queue",
	.init = queue_init,
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);
