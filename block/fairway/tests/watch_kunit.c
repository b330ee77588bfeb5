// SPDX-License-Identifier: GPL-2.0
/*
 * The watch: waits are counted as they were, and bounds are neither broken nor
 * empty.
 */
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "fakeload.h"

#define MS	((u64)NSEC_PER_MSEC)
#define SECOND	((u64)NSEC_PER_SEC)

/* A while of the watch, at least. */
#define WHILE_NS	SECOND

/* ---- arithmetic ---------------------------------------------------------- */

static void time_that_runs_backward_is_no_time(struct kunit *test)
{
	static const struct {
		u64 start_ns, end_ns, elapsed_ns;
	} cases[] = {
		{ 5, 7, 2 },
		{ 7, 5, 0 },
		{ 7, 7, 0 },
		{ 0, 7, 0 },
		{ 0, 0, 0 },
		{ 0, U64_MAX, 0 },
		{ 1, U64_MAX, U64_MAX - 1 },
		{ U64_MAX - 1, U64_MAX, 1 },
		{ U64_MAX, 1, 0 },
		{ U64_MAX, 0, 0 },
		{ 1, (1ULL << 32) + 1, 1ULL << 32 },
		{ 1, (1ULL << 32) + 8, (1ULL << 32) + 7 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    fwy_elapsed_ns(cases[i].start_ns,
						   cases[i].end_ns),
				    cases[i].elapsed_ns, "case %d", i);
}

static void slots_double_and_the_last_takes_all(struct kunit *test)
{
	static const struct {
		u64 wait_ns;
		unsigned int slot;
	} cases[] = {
		{ 0, 0 }, { 1, 0 }, { 1000, 0 }, { 1001, 1 }, { 2000, 1 },
		{ 2001, 2 }, { 4000, 2 }, { 4001, 3 },
		{ MS, 10 }, { 1024 * 1000, 10 }, { 1024 * 1000 + 1, 11 },
		{ 1ULL << 32, 23 },
		{ 1000ULL << 30, 30 }, { (1000ULL << 30) + 1, 31 },
		{ U64_MAX, FWY_WAIT_SLOTS - 1 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, fwy_wait_slot(cases[i].wait_ns),
				    cases[i].slot, "case %d", i);
}

static void waits_are_summed_and_held_against_their_bound(struct kunit *test)
{
	struct fwy_waits waits = {};
	u64 sum = 0;
	int i;

	fwy_waits_add(&waits, 3 * MS, 0);
	KUNIT_EXPECT_EQ(test, waits.number, 1);
	KUNIT_EXPECT_EQ(test, waits.longest_ns, 3 * MS);
	KUNIT_EXPECT_EQ(test, waits.permille, 0);
	/* The longest is not the one nearest to its bound. */
	fwy_waits_add(&waits, 1 * MS, 2 * MS);
	fwy_waits_add(&waits, 2 * MS, 10 * MS);
	KUNIT_EXPECT_EQ(test, waits.permille, 500);
	KUNIT_EXPECT_EQ(test, waits.bound_ns, 2 * MS);
	KUNIT_EXPECT_EQ(test, waits.violations, 0);
	/* Equal is within. */
	fwy_waits_add(&waits, 2 * MS, 2 * MS);
	KUNIT_EXPECT_EQ(test, waits.violations, 0);
	KUNIT_EXPECT_EQ(test, waits.permille, 1000);
	fwy_waits_add(&waits, 2 * MS + 1, 2 * MS);
	KUNIT_EXPECT_EQ(test, waits.violations, 1);
	fwy_waits_add(&waits, U64_MAX, 1);
	KUNIT_EXPECT_EQ(test, waits.violations, 2);
	KUNIT_EXPECT_EQ(test, waits.number, 6);
	/* More than any wait, so that sums and products have room. */
	KUNIT_EXPECT_TRUE(test, waits.longest_ns < U64_MAX / 1000);
	for (i = 0; i < FWY_WAIT_SLOTS; i++)
		sum += waits.slot[i];
	KUNIT_EXPECT_EQ(test, sum, waits.number);
}

static void tally_is_by_direction(struct kunit *test)
{
	struct fwy_item item = { .class = FWY_READ, .sectors = 8 };
	struct fwy_tally tally = {}, sum = {};

	fwy_tally_add(&tally, &item, 2, 30);
	item.class = FWY_WRITE;
	fwy_tally_add(&tally, &item, 3, 20);
	item.class = FWY_ASYNC;
	fwy_tally_add(&tally, &item, 5, 10);
	fwy_tally_sum(&sum, &tally);
	fwy_tally_sum(&sum, &tally);
	KUNIT_EXPECT_EQ(test, sum.requests, 6);
	KUNIT_EXPECT_EQ(test, sum.sectors[0], 16);
	KUNIT_EXPECT_EQ(test, sum.sectors[1], 32);
	KUNIT_EXPECT_EQ(test, sum.took_ns, 20);
	KUNIT_EXPECT_EQ(test, sum.wait_ns, 120);
	KUNIT_EXPECT_EQ(test, sum.longest_ns, 30);
}

/* ---- bounds -------------------------------------------------------------- */

struct rig {
	struct fwy_params params;
	struct fwy_sched sched;
	struct fwy_watch watch;
	struct fwy_flow flow[4];
	struct fwy_item item[4];
};

static int watch_init(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	test->priv = rig;
	fwy_params_init(&rig->params);
	fwy_sched_init(&rig->sched, &rig->params, false);
	for (i = 0; i < ARRAY_SIZE(rig->flow); i++) {
		fwy_flow_init(&rig->flow[i]);
		fwy_item_init(&rig->item[i]);
		rig->item[i].flow = &rig->flow[i];
		rig->item[i].sectors = 16;
		rig->item[i].weight = FWY_WEIGHT;
	}
	fwy_watch_init(&rig->watch, &rig->sched, SECOND);
	return 0;
}

/* One request of a flow from its beginning to its end. */
static u64 serve(struct rig *rig, int i, u64 now_ns, u64 takes_ns,
		 bool has_more)
{
	struct fwy_item *item = &rig->item[i];
	struct fwy_decision decision;
	unsigned int ahead;
	u64 took_ns;

	fwy_sched_add(&rig->sched, item, now_ns);
	ahead = fwy_watch_queued(&rig->watch, &rig->sched.cost, item, now_ns);
	fwy_sched_next(&rig->sched, 1, now_ns, &decision);
	fwy_watch_dispatched(&rig->watch, &rig->sched, item, ahead, now_ns);
	took_ns = fwy_watch_done(&rig->watch, &rig->sched, item, has_more,
				 now_ns, now_ns + takes_ns);
	fwy_sched_done(&rig->sched, item, now_ns + takes_ns, true);
	return took_ns;
}

static void unknown_device_has_no_bound(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig->item[0].queue = &rig->flow[0].queue;
	KUNIT_EXPECT_EQ(test, fwy_watch_line_bound_ns(&rig->watch, 5), 0);
	KUNIT_EXPECT_EQ(test, fwy_watch_order_bound_ns(&rig->watch,
						       &rig->sched.cost,
						       &rig->item[0], 1), 0);
	KUNIT_EXPECT_EQ(test, fwy_watch_turn_bound_ns(&rig->watch,
						      &rig->sched), 0);
}

/* N x s: each completion admits one. */
static void line_is_as_long_as_those_ahead_take(struct kunit *test)
{
	struct rig *rig = test->priv;

	serve(rig, 0, 2 * SECOND, 8 * MS, true);
	KUNIT_EXPECT_EQ(test, fwy_watch_line_bound_ns(&rig->watch, 1), 8 * MS);
	KUNIT_EXPECT_EQ(test, fwy_watch_line_bound_ns(&rig->watch, 64),
			512 * MS);
	KUNIT_EXPECT_TRUE(test, fwy_watch_line_bound_ns(&rig->watch, UINT_MAX) >
			  512 * MS);
}

/* All flows that were there count, also if none of them waits now. */
static void order_is_bounded_by_all_flows(struct kunit *test)
{
	struct rig *rig = test->priv;
	int i;

	for (i = 0; i < 4; i++)
		serve(rig, i, 2 * SECOND + i * 10 * MS, 8 * MS, false);
	KUNIT_EXPECT_EQ(test, fwy_watch_order_bound_ns(&rig->watch,
						       &rig->sched.cost,
						       &rig->item[0], 1),
			(1 + 4) * 8 * MS);
	/*
	 * The second of its own waits for twice as many of the others, and an
	 * eighth of them more.
	 */
	KUNIT_EXPECT_EQ(test, fwy_watch_order_bound_ns(&rig->watch,
						       &rig->sched.cost,
						       &rig->item[0], 2),
			(2 + 2 * 4 + 1) * 8 * MS);
	/* Of half the weight, for twice as many again. */
	rig->flow[0].queue.weight = FWY_WEIGHT / 2;
	KUNIT_EXPECT_EQ(test, fwy_watch_order_bound_ns(&rig->watch,
						       &rig->sched.cost,
						       &rig->item[0], 1),
			(1 + 2 * 4 + 1) * 8 * MS);
}

/* What the largest numbers give is still a number, and no small one. */
static void bounds_do_not_wrap(struct kunit *test)
{
	struct rig *rig = test->priv;
	int i;

	rig->item[0].sectors = U32_MAX;
	rig->item[0].weight = fwy_prio_weight(1, 0);
	rig->item[1].weight = 1;
	for (i = 0; i < 4; i++)
		serve(rig, i, 2 * SECOND, 3600 * SECOND, true);
	KUNIT_EXPECT_TRUE(test,
			  fwy_watch_order_bound_ns(&rig->watch,
						   &rig->sched.cost,
						   &rig->item[1], 2048) >
			  3600 * SECOND);
	KUNIT_EXPECT_TRUE(test, fwy_watch_line_bound_ns(&rig->watch, UINT_MAX) >
			  3600 * SECOND);
	rig->sched.is_sorted = true;
	for (i = 0; i < FWY_NR_PARAMS; i++)
		rig->params.value[i] = fwy_param_info[i].max;
	KUNIT_EXPECT_TRUE(test,
			  fwy_watch_turn_bound_ns(&rig->watch, &rig->sched) >
			  60 * SECOND);
}

/* The worst is kept for as long as the bound that came of it, and not for ever. */
static void worst_lasts_as_long_as_its_bound(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 now_ns = 2 * SECOND, bound_ns, end_ns;

	/* A stall. */
	serve(rig, 0, now_ns, 4 * SECOND, false);
	now_ns += 4 * SECOND;
	serve(rig, 1, now_ns, 8 * MS, false);
	bound_ns = rig->watch.order[FWY_READ].bound_ns;
	KUNIT_EXPECT_TRUE(test, bound_ns >= 4 * SECOND);
	for (end_ns = now_ns + bound_ns; now_ns < end_ns; now_ns += SECOND / 2) {
		KUNIT_EXPECT_TRUE(test,
				  fwy_watch_line_bound_ns(&rig->watch, 1) >=
				  4 * SECOND);
		serve(rig, 1, now_ns, 8 * MS, false);
	}
	for (end_ns = now_ns + 3 * bound_ns; now_ns < end_ns; now_ns += SECOND)
		serve(rig, 1, now_ns, 8 * MS, false);
	KUNIT_EXPECT_EQ(test, fwy_watch_line_bound_ns(&rig->watch, 1), 8 * MS);
	KUNIT_EXPECT_EQ(test, rig->watch.order[FWY_READ].violations, 0);
}

static void flow_is_counted_once_in_two_whiles(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 now_ns = 2 * SECOND;
	int i;

	for (i = 0; i < 10; i++, now_ns += WHILE_NS / 4)
		serve(rig, i % 2, now_ns, 8 * MS, false);
	KUNIT_EXPECT_EQ(test, fwy_watch_order_bound_ns(&rig->watch,
						       &rig->sched.cost,
						       &rig->item[0], 1),
			(1 + 2) * 8 * MS);
}

static void time_of_the_device_is_given_out_once(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct fwy_decision decision;
	int i;

	/* Both are sent at once; the second is done right after the first. */
	for (i = 0; i < 2; i++) {
		fwy_sched_add(&rig->sched, &rig->item[i], 2 * SECOND);
		fwy_sched_next(&rig->sched, 2, 2 * SECOND, &decision);
	}
	KUNIT_EXPECT_EQ(test, fwy_watch_done(&rig->watch, &rig->sched,
					     &rig->item[0], true, 2 * SECOND,
					     2 * SECOND + 8 * MS), 8 * MS);
	/* Two at a time: half a time is a whole one. */
	KUNIT_EXPECT_EQ(test, fwy_watch_line_bound_ns(&rig->watch, 1), 8 * MS);
	KUNIT_EXPECT_EQ(test, fwy_watch_line_bound_ns(&rig->watch, 2), 8 * MS);
	KUNIT_EXPECT_EQ(test, fwy_watch_line_bound_ns(&rig->watch, 3), 16 * MS);
	KUNIT_EXPECT_EQ(test, fwy_watch_done(&rig->watch, &rig->sched,
					     &rig->item[1], false, 2 * SECOND,
					     2 * SECOND + 11 * MS), 3 * MS);
	KUNIT_EXPECT_EQ(test, rig->watch.device[FWY_READ].longest_ns, 11 * MS);
}

static void front_and_idle_class_are_promised_nothing(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct fwy_decision decision;
	u64 now_ns = 2 * SECOND;
	unsigned int ahead;

	serve(rig, 0, 2 * SECOND, MS, false);
	fwy_sched_add_front(&rig->sched, &rig->item[0]);
	now_ns += 100 * MS;
	fwy_sched_next(&rig->sched, 1, now_ns, &decision);
	KUNIT_EXPECT_EQ(test, fwy_watch_dispatched(&rig->watch, &rig->sched,
						   &rig->item[0], 0, now_ns),
			0);
	KUNIT_EXPECT_EQ(test, rig->watch.order[FWY_READ].number, 1);
	fwy_sched_done(&rig->sched, &rig->item[0], now_ns, true);

	rig->item[1].weight = 0;
	fwy_sched_add(&rig->sched, &rig->item[1], now_ns);
	ahead = fwy_watch_queued(&rig->watch, &rig->sched.cost, &rig->item[1],
				 now_ns);
	KUNIT_EXPECT_TRUE(test,
			  fwy_watch_order_bound_ns(&rig->watch,
						   &rig->sched.cost,
						   &rig->item[1],
						   ahead) < 500 * MS);
	now_ns += 500 * MS;
	fwy_sched_next(&rig->sched, 1, now_ns, &decision);
	fwy_watch_dispatched(&rig->watch, &rig->sched, &rig->item[1], ahead,
			     now_ns);
	KUNIT_EXPECT_EQ(test, rig->watch.order[FWY_READ].longest_ns, 500 * MS);
	KUNIT_EXPECT_EQ(test, rig->watch.order[FWY_READ].violations, 0);
}

/* ---- on a simulated disk ------------------------------------------------- */

static const struct fakekind kinds[] = {
	{ .count = 4, .sectors = 256, .depth = 1, .weight = FWY_WEIGHT,
	  .think_us = 100 },
	{ .count = 2, .sectors = 8, .depth = 1, .weight = FWY_WEIGHT,
	  .think_us = 20000, .is_random = true },
	{ .count = 20, .sectors = 8, .depth = 1, .weight = FWY_WEIGHT,
	  .think_us = 100, .is_random = true },
	{ .count = 2, .sectors = 128, .depth = 16, .weight = FWY_WEIGHT,
	  .think_us = 100, .class = FWY_WRITE, .run = 16, .is_cut = true },
	{ .count = 1, .sectors = 1024, .depth = 32, .weight = FWY_WEIGHT,
	  .think_us = 100, .class = FWY_ASYNC },
	{ .count = 1, .sectors = 64, .depth = 4, .weight = 2 * FWY_WEIGHT,
	  .think_us = 1000 },
	{ .count = 1, .sectors = 256, .depth = 1, .weight = FWY_WEIGHT / 4,
	  .think_us = 100 },
	{ .count = 1, .sectors = 8, .depth = 4, .weight = 0,
	  .think_us = 100 },
};

/* A mixture of the kinds above, by the bits of @mix. */
static void run_mix(struct kunit *test, struct fakeload *load, unsigned int mix,
		    bool has_head, unsigned int depth, u64 run_ns)
{
	const char *complaint;
	int i;

	fakeload_init(load, has_head, depth, mix);
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (mix & 1 << i)
			fakeload_add(load, &kinds[i]);
	complaint = fakeload_run(load, run_ns);
	KUNIT_ASSERT_TRUE_MSG(test, !complaint, "mix %#x: %s", mix, complaint);
}

static u64 expect_kept(struct kunit *test, const struct fwy_waits *waits,
		       unsigned int mix, unsigned int depth)
{
	u64 permille = 0;
	int class;

	for (class = 0; class < FWY_NR_CLASSES; class++) {
		permille = max(permille, waits[class].permille);
		KUNIT_EXPECT_EQ_MSG(test, waits[class].violations, 0,
				    "mix %#x depth %u: class %d took %llu permille of %llu us",
				    mix, depth, class,
				    (unsigned long long)waits[class].permille,
				    (unsigned long long)waits[class].bound_ns /
				    1000);
	}
	return permille;
}

/* All mixtures with the first kind.  A bound that none comes near says nothing. */
static void run_all(struct kunit *test, bool has_head, u64 run_ns)
{
	struct fakeload *load = kunit_kzalloc(test, sizeof(*load), GFP_KERNEL);
	unsigned int mix;
	u64 most = 0;

	KUNIT_ASSERT_NOT_NULL(test, load);
	for (mix = 1; mix < 1 << ARRAY_SIZE(kinds); mix += 2) {
		unsigned int depth = mix % 4 == 1 ? 1 : 32;
		u64 permille;

		run_mix(test, load, mix, has_head, depth, run_ns);
		permille = expect_kept(test, has_head ? load->watch.way :
				       load->watch.order, mix, depth);
		most = max(most, permille);
	}
	kunit_info(test, "the most of a bound: %llu permille",
		   (unsigned long long)most);
	KUNIT_EXPECT_TRUE(test, most >= 500);
}

static void bounds_hold_on_a_simulated_disk(struct kunit *test)
{
	run_all(test, true, 10 * SECOND);
}

static void bounds_hold_where_seeks_cost_nothing(struct kunit *test)
{
	run_all(test, false, 2 * SECOND);
}

static struct kunit_case watch_cases[] = {
	KUNIT_CASE(time_that_runs_backward_is_no_time),
	KUNIT_CASE(slots_double_and_the_last_takes_all),
	KUNIT_CASE(waits_are_summed_and_held_against_their_bound),
	KUNIT_CASE(tally_is_by_direction),
	KUNIT_CASE(unknown_device_has_no_bound),
	KUNIT_CASE(line_is_as_long_as_those_ahead_take),
	KUNIT_CASE(order_is_bounded_by_all_flows),
	KUNIT_CASE(bounds_do_not_wrap),
	KUNIT_CASE(worst_lasts_as_long_as_its_bound),
	KUNIT_CASE(flow_is_counted_once_in_two_whiles),
	KUNIT_CASE(time_of_the_device_is_given_out_once),
	KUNIT_CASE(front_and_idle_class_are_promised_nothing),
	KUNIT_CASE(bounds_hold_on_a_simulated_disk),
	KUNIT_CASE(bounds_hold_where_seeks_cost_nothing),
	{}
};

static struct kunit_suite watch_suite = {
	.name = "fairway_watch",
	.init = watch_init,
	.test_cases = watch_cases,
};

kunit_test_suite(watch_suite);
