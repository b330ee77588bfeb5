// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/order.c: which request the device gets next.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "core/core.h"

#define NR_ITEMS	64

struct order_rig {
	struct fwy_params params;
	struct fwy_order order;
	struct fwy_item item[NR_ITEMS];
	u64 now_ns;
	enum fwy_reason reason;
};

static void rig_start(struct order_rig *rig, bool is_sorted)
{
	int i;

	fwy_order_init(&rig->order, &rig->params, is_sorted);
	for (i = 0; i < NR_ITEMS; i++)
		fwy_item_init(&rig->item[i]);
	rig->now_ns = NSEC_PER_SEC;
}

static int order_init(struct kunit *test)
{
	struct order_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	fwy_params_init(&rig->params);
	rig_start(rig, true);
	test->priv = rig;
	return 0;
}

static void add(struct order_rig *rig, int i, enum fwy_dir dir, u64 sector,
		u32 sectors)
{
	struct fwy_item *item = &rig->item[i];

	item->dir = dir;
	item->sector = sector;
	item->sectors = sectors;
	fwy_order_add(&rig->order, item, rig->now_ns);
}

static int next(struct order_rig *rig)
{
	struct fwy_item *item;

	item = fwy_order_next(&rig->order, rig->now_ns, &rig->reason);
	return item ? item - rig->item : -1;
}

static void set(struct order_rig *rig, enum fwy_param param, u32 value)
{
	rig->params.value[param] = value;
}

static void empty_order_has_nothing(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	KUNIT_EXPECT_TRUE(test, fwy_order_is_empty(&rig->order));
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_NONE);
}

static void unsorted_leaves_in_the_order_of_admission(struct kunit *test)
{
	static const u64 sector[] = { 900, 100, 500, 500, 0, 300 };
	struct order_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	for (i = 0; i < ARRAY_SIZE(sector); i++)
		add(rig, i, i % 2 ? FWY_WRITE : FWY_READ, sector[i], 8);
	for (i = 0; i < ARRAY_SIZE(sector); i++) {
		KUNIT_EXPECT_EQ(test, next(rig), i);
		KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_ADMISSION);
	}
	KUNIT_EXPECT_TRUE(test, fwy_order_is_empty(&rig->order));
}

static void sorted_sweeps_upward_and_starts_again(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	add(rig, 0, FWY_READ, 500, 8);
	add(rig, 1, FWY_WRITE, 100, 8);
	add(rig, 2, FWY_READ, 900, 8);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_SWEEP);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	add(rig, 3, FWY_READ, 50, 8);	/* behind the sweep: next round */
	add(rig, 4, FWY_READ, 508, 8);	/* just where it stands: now */
	KUNIT_EXPECT_EQ(test, next(rig), 4);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
	KUNIT_EXPECT_EQ(test, next(rig), 3);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
}

/* Case 2: the choice does not depend on direction or on the expiry knobs. */
static void front_items_keep_their_order_whatever_their_direction(struct kunit *test)
{
	struct order_rig *rig = test->priv;
	int round;

	for (round = 0; round < 2; round++) {
		struct fwy_item *a = &rig->item[0], *b = &rig->item[1];

		rig_start(rig, round);
		set(rig, FWY_READ_EXPIRE_MS, round ? 1 : 60000);
		a->dir = round ? FWY_WRITE : FWY_READ;
		b->dir = round ? FWY_READ : FWY_WRITE;
		a->sector = 900;
		b->sector = 100;
		add(rig, 2, FWY_READ, 0, 8);
		fwy_order_add_front(&rig->order, a);
		fwy_order_add_front(&rig->order, b);
		rig->now_ns += 3600ULL * NSEC_PER_SEC;
		KUNIT_EXPECT_EQ(test, next(rig), 0);
		KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_FRONT);
		KUNIT_EXPECT_EQ(test, next(rig), 1);
		KUNIT_EXPECT_EQ(test, next(rig), 2);
	}
}

static void requeued_item_goes_first_and_the_books_balance(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	add(rig, 0, FWY_READ, 100, 8);
	add(rig, 1, FWY_READ, 200, 8);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->item[0].state, FWY_ITEM_DISPATCHED);
	fwy_order_add_front(&rig->order, &rig->item[0]);
	KUNIT_EXPECT_EQ(test, rig->item[0].state, FWY_ITEM_FRONT);
	KUNIT_EXPECT_EQ(test, rig->order.queued_front, 1);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, rig->order.queued, 0);
	KUNIT_EXPECT_EQ(test, rig->order.queued_front, 0);
	KUNIT_EXPECT_EQ(test, rig->order.queued_sectors, 0);
	KUNIT_EXPECT_EQ(test, rig->order.done_requests, 2);
	KUNIT_EXPECT_EQ(test, rig->order.done_sectors, 16);
}

/* Case 8: an endless stream upward, and one request behind the head. */
static void endless_stream_passes_no_more_than_the_sectors_allowed(struct kunit *test)
{
	struct order_rig *rig = test->priv;
	u64 sector = 1000;
	int steps = 0;

	set(rig, FWY_PASS_SECTORS, 128);
	add(rig, 1, FWY_READ, sector, 8);
	KUNIT_ASSERT_EQ(test, next(rig), 1);
	add(rig, 0, FWY_READ, 0, 8);
	for (steps = 0; steps < 1000; steps++) {
		sector += 8;
		fwy_item_init(&rig->item[1]);
		add(rig, 1, FWY_READ, sector, 8);
		if (next(rig) == 0)
			break;
	}
	KUNIT_EXPECT_EQ(test, steps, 128 / 8);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_PASSED);
}

/* What was there before it may leave before it; only the rest is counted. */
static void older_requests_do_not_count_as_passing(struct kunit *test)
{
	struct order_rig *rig = test->priv;
	int i;

	set(rig, FWY_PASS_SECTORS, 128);
	set(rig, FWY_PASS_REQUESTS, 2);
	rig->order.sweep_sector = 1000;
	for (i = 1; i <= 10; i++)
		add(rig, i, FWY_READ, 1000 + i * 100, 100);
	add(rig, 0, FWY_READ, 0, 8);
	for (i = 11; i <= 14; i++)
		add(rig, i, FWY_READ, 5000 + i * 64, 64);
	for (i = 1; i <= 12; i++) {
		KUNIT_EXPECT_EQ(test, next(rig), i);
		KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_SWEEP);
	}
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_PASSED);
}

/* A request that is next anyway needs no bound to be so. */
static void oldest_request_in_the_sweep_was_not_held_up(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	set(rig, FWY_PASS_REQUESTS, 1);
	add(rig, 0, FWY_READ, 500, 8);
	add(rig, 1, FWY_READ, 100, 8);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_SWEEP);
}

static void sweep_goes_on_where_the_last_request_ended(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	add(rig, 0, FWY_READ, 500, 8);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	add(rig, 1, FWY_READ, 504, 8);
	add(rig, 2, FWY_READ, 600, 8);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
}

/* H8: one unit for any size, so large ones pass for the price of small ones. */
static void pass_bound_in_requests_does_not_look_at_sizes(struct kunit *test)
{
	struct order_rig *rig = test->priv;
	u64 sector = 1000;
	int steps;

	set(rig, FWY_PASS_SECTORS, 0);
	set(rig, FWY_PASS_REQUESTS, 5);
	add(rig, 1, FWY_READ, sector, 2048);
	KUNIT_ASSERT_EQ(test, next(rig), 1);
	add(rig, 0, FWY_READ, 0, 8);
	for (steps = 0; steps < 1000; steps++) {
		sector += 2048;
		fwy_item_init(&rig->item[1]);
		add(rig, 1, FWY_READ, sector, 2048);
		if (next(rig) == 0)
			break;
	}
	KUNIT_EXPECT_EQ(test, steps, 5);
}

static void no_bound_and_no_expiry_lets_the_stream_pass_on(struct kunit *test)
{
	struct order_rig *rig = test->priv;
	u64 sector = 1000;
	int steps;

	set(rig, FWY_PASS_SECTORS, 0);
	add(rig, 1, FWY_READ, sector, 8);
	KUNIT_ASSERT_EQ(test, next(rig), 1);
	add(rig, 0, FWY_READ, 0, 8);
	for (steps = 0; steps < 1000; steps++) {
		sector += 8;
		fwy_item_init(&rig->item[1]);
		add(rig, 1, FWY_READ, sector, 8);
		KUNIT_ASSERT_EQ(test, next(rig), 1);
	}
}

static void expired_request_goes_before_the_sweep(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	add(rig, 0, FWY_READ, 900, 8);
	rig->now_ns += 499 * NSEC_PER_MSEC;
	add(rig, 1, FWY_READ, 100, 8);
	add(rig, 2, FWY_READ, 200, 8);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_SWEEP);
	rig->now_ns += NSEC_PER_MSEC;	/* exactly at its deadline */
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_EXPIRED);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
}

static void write_expires_later_than_a_read(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	add(rig, 0, FWY_WRITE, 900, 8);
	add(rig, 1, FWY_READ, 800, 8);
	rig->now_ns += 500 * NSEC_PER_MSEC;
	add(rig, 2, FWY_READ, 100, 8);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_EXPIRED);
	/* The sweep goes on from there. */
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_SWEEP);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
}

/* Reads that all are overdue must not keep the older write waiting. */
static void unsorted_order_does_not_look_at_the_time(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	rig_start(rig, false);
	add(rig, 0, FWY_WRITE, 900, 8);
	add(rig, 1, FWY_READ, 800, 8);
	rig->now_ns += 500 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_ADMISSION);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
}

/* When all are overdue, one by expiry and 16 by sector in turn. */
static void overload_keeps_sweeping(struct kunit *test)
{
	struct order_rig *rig = test->priv;
	int i;

	for (i = 0; i < NR_ITEMS; i++)
		add(rig, i, FWY_READ, (i * 37 % NR_ITEMS) * 100, 8);
	rig->now_ns += NSEC_PER_SEC;
	for (i = 0; i < NR_ITEMS; i++) {
		KUNIT_ASSERT_GE(test, next(rig), 0);
		KUNIT_EXPECT_EQ_MSG(test, rig->reason, i % 17 ?
				    FWY_REASON_SWEEP : FWY_REASON_EXPIRED,
				    "dispatch %d", i);
	}
}

static void time_near_its_end_does_not_wrap_into_expiry(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	/* A u64 of nanoseconds lasts 584 years; only just before is tested. */
	rig->now_ns = U64_MAX - 600ULL * NSEC_PER_SEC;
	add(rig, 0, FWY_READ, 900, 8);
	add(rig, 1, FWY_READ, 100, 8);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_SWEEP);
}

static void front_merge_moves_the_item(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	add(rig, 0, FWY_READ, 100, 8);
	add(rig, 1, FWY_READ, 200, 8);
	KUNIT_EXPECT_PTR_EQ(test, fwy_order_find(&rig->order, 200),
			    &rig->item[1]);
	fwy_order_resize(&rig->order, &rig->item[1], 50, 158);
	KUNIT_EXPECT_NULL(test, fwy_order_find(&rig->order, 200));
	KUNIT_EXPECT_PTR_EQ(test, fwy_order_find(&rig->order, 50),
			    &rig->item[1]);
	KUNIT_EXPECT_EQ(test, rig->order.queued_sectors, 8 + 158);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->order.done_sectors, 8 + 158);
}

static void absorbing_an_older_item_takes_its_place(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	rig_start(rig, false);
	add(rig, 0, FWY_READ, 108, 8);	/* the older one */
	rig->now_ns += 10 * NSEC_PER_MSEC;
	add(rig, 1, FWY_READ, 500, 8);
	add(rig, 2, FWY_READ, 100, 8);
	fwy_order_resize(&rig->order, &rig->item[2], 100, 16);
	fwy_order_absorb(&rig->order, &rig->item[2], &rig->item[0]);
	KUNIT_EXPECT_EQ(test, rig->item[0].state, FWY_ITEM_IDLE);
	KUNIT_EXPECT_EQ(test, rig->item[2].deadline_ns,
			NSEC_PER_SEC + 500ULL * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, rig->order.queued, 2);
	KUNIT_EXPECT_EQ(test, rig->order.queued_sectors, 24);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
}

/* Between a read that was merged away and the one it is in now, a write. */
static void absorbed_place_counts_against_the_other_direction(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	rig_start(rig, false);
	add(rig, 0, FWY_READ, 108, 8);
	add(rig, 1, FWY_WRITE, 500, 8);
	add(rig, 2, FWY_READ, 100, 8);
	fwy_order_resize(&rig->order, &rig->item[2], 100, 16);
	fwy_order_absorb(&rig->order, &rig->item[2], &rig->item[0]);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
}

/* What passed the older one has passed the two together, in either unit. */
static void absorbing_an_older_item_takes_what_passed_it(struct kunit *test)
{
	struct order_rig *rig = test->priv;
	int round, i;

	for (round = 0; round < 2; round++) {
		rig_start(rig, true);
		set(rig, FWY_PASS_SECTORS, round ? 0 : 128);
		set(rig, FWY_PASS_REQUESTS, round ? 2 : 0);
		rig->order.sweep_sector = 1000;
		add(rig, 0, FWY_READ, 108, 8);
		for (i = 3; i <= 5; i++)
			add(rig, i, FWY_READ, 1000 + i * 64, 64);
		KUNIT_EXPECT_EQ(test, next(rig), 3);
		KUNIT_EXPECT_EQ(test, next(rig), 4);
		add(rig, 2, FWY_READ, 100, 8);
		fwy_order_resize(&rig->order, &rig->item[2], 100, 16);
		fwy_order_absorb(&rig->order, &rig->item[2], &rig->item[0]);
		KUNIT_EXPECT_EQ(test, next(rig), 2);
		KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_PASSED);
		KUNIT_EXPECT_EQ(test, next(rig), 5);
	}
}

/* Two that became one still were two when a later request was added. */
static void absorbed_older_request_lets_no_further_one_pass(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	set(rig, FWY_PASS_REQUESTS, 1);
	rig->order.sweep_sector = 1000;
	add(rig, 1, FWY_READ, 1000, 8);
	add(rig, 2, FWY_READ, 1008, 8);
	add(rig, 0, FWY_READ, 0, 8);
	add(rig, 3, FWY_READ, 2000, 8);
	add(rig, 4, FWY_READ, 3000, 8);
	fwy_order_resize(&rig->order, &rig->item[1], 1000, 16);
	fwy_order_absorb(&rig->order, &rig->item[1], &rig->item[2]);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, next(rig), 3);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_PASSED);
}

/* Nor does it use up what may pass those that are older than both. */
static void absorbed_younger_request_has_not_passed_anybody_yet(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	set(rig, FWY_PASS_REQUESTS, 2);
	rig->order.sweep_sector = 1000;
	add(rig, 0, FWY_READ, 0, 8);
	add(rig, 1, FWY_READ, 1000, 8);
	add(rig, 2, FWY_READ, 2000, 8);
	add(rig, 3, FWY_READ, 3000, 8);
	add(rig, 4, FWY_READ, 3008, 8);
	fwy_order_resize(&rig->order, &rig->item[3], 3000, 16);
	fwy_order_absorb(&rig->order, &rig->item[3], &rig->item[4]);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->reason, FWY_REASON_PASSED);
	KUNIT_EXPECT_EQ(test, next(rig), 3);
	KUNIT_EXPECT_EQ(test, rig->order.queued_requests, 0);
	KUNIT_EXPECT_EQ(test, rig->order.done_requests, 5);
}

static void absorbing_a_younger_item_keeps_the_place(struct kunit *test)
{
	struct order_rig *rig = test->priv;

	rig_start(rig, false);
	add(rig, 0, FWY_READ, 100, 8);
	add(rig, 1, FWY_READ, 500, 8);
	add(rig, 2, FWY_READ, 108, 8);
	fwy_order_resize(&rig->order, &rig->item[0], 100, 16);
	fwy_order_absorb(&rig->order, &rig->item[0], &rig->item[2]);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
}

/*
 * Property: random arrivals, directions, sizes and bounds.  Nothing is lost or
 * comes twice, no request is passed by more than the bound (each later request
 * that leaves first is counted, with its sectors), and the bound is reached.
 */
static void random_arrivals_are_passed_within_the_bound(struct kunit *test)
{
	const u32 seed = 20030215;
	struct order_rig *rig = test->priv;
	u64 passed[NR_ITEMS], worst = 0;
	struct rnd_state rnd;
	int round;

	kunit_info(test, "seed %u", seed);
	prandom_seed_state(&rnd, seed);
	for (round = 0; round < 200; round++) {
		u32 bound = 64 + prandom_u32_state(&rnd) % 1024;
		int step, i, queued = 0, added = 0, left = 0;

		rig_start(rig, true);
		set(rig, FWY_PASS_SECTORS, bound);
		for (step = 0; step < 500; step++) {
			for (i = 0; i < NR_ITEMS; i++) {
				struct fwy_item *item = &rig->item[i];

				if (item->state == FWY_ITEM_QUEUED ||
				    prandom_u32_state(&rnd) % 8)
					continue;
				fwy_item_init(item);
				passed[i] = 0;
				add(rig, i, prandom_u32_state(&rnd) % 2,
				    prandom_u32_state(&rnd) % 4096,
				    8 << prandom_u32_state(&rnd) % 4);
				queued++;
				added++;
			}
			rig->now_ns += prandom_u32_state(&rnd) % NSEC_PER_SEC;
			KUNIT_ASSERT_EQ(test, rig->order.queued, queued);
			i = next(rig);
			if (i < 0) {
				KUNIT_ASSERT_EQ(test, queued, 0);
				continue;
			}
			KUNIT_ASSERT_EQ(test, rig->item[i].state,
					FWY_ITEM_DISPATCHED);
			queued--;
			left++;
			for (int j = 0; j < NR_ITEMS; j++) {
				struct fwy_item *item = &rig->item[j];

				if (item->state != FWY_ITEM_QUEUED ||
				    item->number > rig->item[i].number)
					continue;
				passed[j] += rig->item[i].sectors;
				KUNIT_ASSERT_LE_MSG(test, passed[j], bound,
						    "round %d, step %d",
						    round, step);
				worst = max(worst, passed[j] * 100 / bound);
			}
		}
		while (next(rig) >= 0)
			left++;
		KUNIT_ASSERT_EQ(test, added, left);
		KUNIT_ASSERT_EQ(test, rig->order.queued_sectors, 0);
	}
	KUNIT_EXPECT_GE_MSG(test, worst, 90, "the bound was never in sight");
}

static struct kunit_case order_cases[] = {
	KUNIT_CASE(empty_order_has_nothing),
	KUNIT_CASE(unsorted_leaves_in_the_order_of_admission),
	KUNIT_CASE(sorted_sweeps_upward_and_starts_again),
	KUNIT_CASE(front_items_keep_their_order_whatever_their_direction),
	KUNIT_CASE(requeued_item_goes_first_and_the_books_balance),
	KUNIT_CASE(endless_stream_passes_no_more_than_the_sectors_allowed),
	KUNIT_CASE(older_requests_do_not_count_as_passing),
	KUNIT_CASE(oldest_request_in_the_sweep_was_not_held_up),
	KUNIT_CASE(sweep_goes_on_where_the_last_request_ended),
	KUNIT_CASE(pass_bound_in_requests_does_not_look_at_sizes),
	KUNIT_CASE(no_bound_and_no_expiry_lets_the_stream_pass_on),
	KUNIT_CASE(expired_request_goes_before_the_sweep),
	KUNIT_CASE(write_expires_later_than_a_read),
	KUNIT_CASE(unsorted_order_does_not_look_at_the_time),
	KUNIT_CASE(overload_keeps_sweeping),
	KUNIT_CASE(time_near_its_end_does_not_wrap_into_expiry),
	KUNIT_CASE(front_merge_moves_the_item),
	KUNIT_CASE(absorbing_an_older_item_takes_its_place),
	KUNIT_CASE(absorbed_place_counts_against_the_other_direction),
	KUNIT_CASE(absorbing_an_older_item_takes_what_passed_it),
	KUNIT_CASE(absorbed_older_request_lets_no_further_one_pass),
	KUNIT_CASE(absorbed_younger_request_has_not_passed_anybody_yet),
	KUNIT_CASE(absorbing_a_younger_item_keeps_the_place),
	KUNIT_CASE(random_arrivals_are_passed_within_the_bound),
	{}
};

static struct kunit_suite order_suite = {
	.name = "fairway_order",
	.init = order_init,
	.test_cases = order_cases,
};

kunit_test_suite(order_suite);
