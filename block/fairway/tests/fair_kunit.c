// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/fair.c: which queue is next.
 */
#include <kunit/test.h>
#include <linux/ioprio.h>
#include <linux/time64.h>

#include "core/core.h"

#define NR_QUEUES	8
#define READ_MS		300
#define WRITE_MS	700
#define ASYNC_MS	4000

struct fair_rig {
	struct fwy_params params;
	struct fwy_fair fair;
	struct fwy_queue queue[NR_QUEUES];
	struct fwy_flow flow[NR_QUEUES];
	struct fwy_item item[NR_QUEUES];
	u64 now_ns;
};

/* Every knob that these tests depend on; no pass-over bound. */
static void rig_start(struct fair_rig *rig)
{
	int i;

	fwy_params_init(&rig->params);
	rig->params.value[FWY_READ_EXPIRE_MS] = READ_MS;
	rig->params.value[FWY_WRITE_EXPIRE_MS] = WRITE_MS;
	rig->params.value[FWY_ASYNC_EXPIRE_MS] = ASYNC_MS;
	rig->params.value[FWY_PASS_SECTORS] = 0;
	rig->params.value[FWY_PASS_REQUESTS] = 0;
	fwy_fair_init(&rig->fair);
	for (i = 0; i < NR_QUEUES; i++) {
		struct fwy_item *item = &rig->item[i];

		fwy_queue_init(&rig->queue[i], FWY_OWN, FWY_WEIGHT);
		fwy_flow_init(&rig->flow[i]);
		fwy_item_init(item);
		*item = (struct fwy_item) { .flow = &rig->flow[i], .sectors = 8 };
		RB_CLEAR_NODE(&item->node);
	}
	rig->now_ns = NSEC_PER_SEC;
}

static int fair_init(struct kunit *test)
{
	struct fair_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig_start(rig);
	test->priv = rig;
	return 0;
}

static void enter(struct fair_rig *rig, int i, enum fwy_class class, u64 place)
{
	rig->item[i].class = class;
	if (!rig->queue[i].queued)
		fwy_queue_add(&rig->queue[i], &rig->item[i], false);
	fwy_fair_enter(&rig->fair, &rig->queue[i], place, rig->now_ns);
}

static int nr(struct fair_rig *rig, struct fwy_queue *queue)
{
	return queue ? queue - rig->queue : -1;
}

static int first(struct fair_rig *rig)
{
	return nr(rig, fwy_fair_first(&rig->fair));
}

static int due(struct fair_rig *rig)
{
	return nr(rig, fwy_fair_due(&rig->fair, &rig->params, rig->now_ns));
}

/* The first is served, and pays. */
static int serve(struct fair_rig *rig, u64 cost)
{
	int i = first(rig);

	if (i < 0)
		return i;
	fwy_fair_leave(&rig->fair, &rig->queue[i]);
	fwy_fair_serve(&rig->fair, &rig->queue[i]);
	rig->queue[i].key += cost;
	return i;
}

static void weight_is_by_class_and_level(struct kunit *test)
{
	static const struct {
		unsigned int class, level;
		u32 weight;
	} table[] = {
		{ IOPRIO_CLASS_BE, 0, 200 }, { IOPRIO_CLASS_BE, 1, 175 },
		{ IOPRIO_CLASS_BE, 4, FWY_WEIGHT }, { IOPRIO_CLASS_BE, 7, 25 },
		{ IOPRIO_CLASS_NONE, 4, FWY_WEIGHT },
		{ IOPRIO_CLASS_RT, 0, 3200 }, { IOPRIO_CLASS_RT, 7, 400 },
		{ IOPRIO_CLASS_IDLE, 0, 0 }, { IOPRIO_CLASS_IDLE, 7, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		KUNIT_EXPECT_EQ_MSG(test, fwy_prio_weight(table[i].class,
							  table[i].level),
				    table[i].weight, "row %d", i);
}

/* Case 11 from the field: no two of them are taken for one another. */
static void each_level_of_each_class_has_a_weight_of_its_own(struct kunit *test)
{
	static const unsigned int classes[] = { IOPRIO_CLASS_RT, IOPRIO_CLASS_BE };
	u32 last = U32_MAX;
	unsigned int i, level;

	for (i = 0; i < ARRAY_SIZE(classes); i++)
		for (level = 0; level < IOPRIO_NR_LEVELS; level++) {
			u32 weight = fwy_prio_weight(classes[i], level);

			KUNIT_EXPECT_TRUE_MSG(test, weight && weight < last,
					      "class %u level %u", classes[i], level);
			last = weight;
		}
	for (level = 0; level < IOPRIO_NR_LEVELS; level++)
		KUNIT_EXPECT_EQ(test, fwy_prio_weight(IOPRIO_CLASS_IDLE, level), 0);
	KUNIT_EXPECT_EQ(test, fwy_prio_weight(IOPRIO_CLASS_NONE, IOPRIO_BE_NORM),
			fwy_prio_weight(IOPRIO_CLASS_BE, IOPRIO_BE_NORM));
}

static void expiry_is_by_class_in_ms(struct kunit *test)
{
	static const u32 table_ms[] = { 1, 500, 60000, U32_MAX };
	static const enum fwy_param knob[FWY_NR_CLASSES] = {
		FWY_READ_EXPIRE_MS, FWY_WRITE_EXPIRE_MS, FWY_ASYNC_EXPIRE_MS,
	};
	struct fair_rig *rig = test->priv;
	int i, class;

	for (class = 0; class < FWY_NR_CLASSES; class++)
		for (i = 0; i < ARRAY_SIZE(table_ms); i++) {
			rig_start(rig);
			rig->params.value[knob[class]] = table_ms[i];
			KUNIT_EXPECT_EQ(test,
					fwy_expire_ns(&rig->params, class),
					1000000ULL * table_ms[i]);
		}
}

static void nobody_waits_at_first(struct kunit *test)
{
	struct fair_rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, first(rig), -1);
	KUNIT_EXPECT_EQ(test, due(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->fair.nr_backlog, 0);
	KUNIT_EXPECT_FALSE(test, fwy_fair_has(&rig->queue[0]));
}

static void least_start_is_next(struct kunit *test)
{
	static const u64 ahead[] = { 30, 10, 20, 10 };
	static const int order[] = { 1, 3, 2, 0, -1 };
	struct fair_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(ahead); i++) {
		rig->queue[i].key = rig->fair.now + ahead[i];
		enter(rig, i, FWY_READ, 0);
		KUNIT_EXPECT_TRUE(test, fwy_fair_has(&rig->queue[i]));
	}
	KUNIT_EXPECT_EQ(test, rig->fair.nr_backlog, ARRAY_SIZE(ahead));
	for (i = 0; i < ARRAY_SIZE(order); i++)
		KUNIT_EXPECT_EQ(test, serve(rig, 0), order[i]);
	KUNIT_EXPECT_EQ(test, rig->fair.nr_backlog, 0);
}

/* Within a round by place; of one place as they came; the round comes first. */
static void place_counts_within_a_round_only(struct kunit *test)
{
	static const struct {
		u64 ahead, place;
	} table[] = {
		{ 0, 900 }, { 1, 0 }, { 0, 0 }, { 0, U64_MAX }, { 0, 0 },
		{ 1, 100 },
	};
	static const int order[] = { 2, 4, 0, 3, 1, 5, -1 };
	struct fair_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig->queue[i].key = rig->fair.now + table[i].ahead;
		enter(rig, i, FWY_READ, table[i].place);
	}
	for (i = 0; i < ARRAY_SIZE(order); i++)
		KUNIT_EXPECT_EQ(test, serve(rig, 0), order[i]);
}

/* S = max(V, F): to have been away saves nothing, to have been served is kept. */
static void start_is_the_later_of_now_and_where_it_was_left(struct kunit *test)
{
	static const struct {
		u64 key, now, start, used_ns;
	} table[] = {
		{ 0, 1, 1, 0 }, { 0, 1000, 1000, 0 },
		{ 999, 1000, 1000, 0 }, { 1000, 1000, 1000, 7 },
		{ 1001, 1000, 1001, 7 }, { U64_MAX, 1000, U64_MAX, 7 },
	};
	struct fair_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig);
		rig->fair.now = table[i].now;
		rig->queue[0].key = table[i].key;
		rig->queue[0].used_ns = 7;
		enter(rig, 0, FWY_READ, 0);
		KUNIT_EXPECT_EQ_MSG(test, rig->queue[0].key, table[i].start,
				    "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, rig->queue[0].used_ns,
				    table[i].used_ns, "row %d", i);
	}
}

static void time_never_goes_back(struct kunit *test)
{
	struct fair_rig *rig = test->priv;

	rig->fair.now = 100;
	rig->queue[0].key = 150;
	rig->queue[1].key = 120;
	fwy_fair_serve(&rig->fair, &rig->queue[0]);
	KUNIT_EXPECT_EQ(test, rig->fair.now, 150);
	fwy_fair_serve(&rig->fair, &rig->queue[1]);
	KUNIT_EXPECT_EQ(test, rig->fair.now, 150);
}

/* A backlog of others does not hold up who comes seldom. */
static void seldom_one_waits_for_one_service(struct kunit *test)
{
	struct fair_rig *rig = test->priv;
	int round, i;

	for (i = 0; i < 4; i++)
		enter(rig, i, FWY_READ, 0);
	for (round = 0; round < 40; round++) {
		i = serve(rig, 1000);
		KUNIT_ASSERT_GE(test, i, 0);
		enter(rig, i, FWY_READ, 0);
	}
	enter(rig, 5, FWY_READ, 0);
	for (round = 0; round < 4 && first(rig) != 5; round++) {
		i = serve(rig, 1000);
		enter(rig, i, FWY_READ, 0);
	}
	/* All others stood at the same time, which it got too. */
	KUNIT_EXPECT_LE_MSG(test, round, 3, "it waits for a whole backlog");
}

static void queue_that_left_is_not_served(struct kunit *test)
{
	struct fair_rig *rig = test->priv;

	rig->params.value[FWY_READ_EXPIRE_MS] = 1;
	enter(rig, 0, FWY_READ, 0);
	enter(rig, 1, FWY_READ, 0);
	fwy_fair_leave(&rig->fair, &rig->queue[0]);
	KUNIT_EXPECT_FALSE(test, fwy_fair_has(&rig->queue[0]));
	KUNIT_EXPECT_EQ(test, rig->fair.nr_backlog, 1);
	rig->now_ns += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, due(rig), 1);
	KUNIT_EXPECT_EQ(test, first(rig), 1);
	enter(rig, 0, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, serve(rig, 0), 1);
	KUNIT_EXPECT_EQ(test, serve(rig, 0), 0);
}

/* Queue 0 is first by time, and only just came: due can be but queue 1. */
static void wait_expires_by_class_to_the_nanosecond(struct kunit *test)
{
	static const struct {
		enum fwy_class class;
		enum fwy_kind kind;
		u64 after_ms;
	} table[] = {
		{ FWY_READ, FWY_OWN, READ_MS },
		{ FWY_WRITE, FWY_OWN, WRITE_MS },
		{ FWY_ASYNC, FWY_WRITEBACK, ASYNC_MS },
		/* Whatever it holds: nobody waits for it. */
		{ FWY_READ, FWY_WRITEBACK, ASYNC_MS },
	};
	struct fair_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig);
		rig->queue[1].kind = table[i].kind;
		enter(rig, 1, table[i].class, 0);
		rig->now_ns += table[i].after_ms * NSEC_PER_MSEC - 1;
		enter(rig, 0, FWY_ASYNC, 0);
		KUNIT_EXPECT_EQ_MSG(test, due(rig), -1, "row %d", i);
		rig->now_ns++;
		KUNIT_EXPECT_EQ_MSG(test, due(rig), 1, "row %d", i);
	}
}

static void who_expired_first_is_due_first(struct kunit *test)
{
	struct fair_rig *rig = test->priv;

	enter(rig, 1, FWY_WRITE, 0);		/* until WRITE_MS */
	rig->now_ns += 100 * NSEC_PER_MSEC;
	enter(rig, 2, FWY_READ, 0);		/* until 100 + READ_MS */
	rig->now_ns += NSEC_PER_MSEC;
	enter(rig, 3, FWY_READ, 0);
	rig->now_ns += 10 * NSEC_PER_SEC;
	enter(rig, 0, FWY_READ, 0);		/* the next by time, not due */
	KUNIT_EXPECT_EQ(test, due(rig), 2);
	fwy_fair_leave(&rig->fair, &rig->queue[2]);
	KUNIT_EXPECT_EQ(test, due(rig), 3);
	fwy_fair_leave(&rig->fair, &rig->queue[3]);
	KUNIT_EXPECT_EQ(test, due(rig), 1);
	fwy_fair_leave(&rig->fair, &rig->queue[1]);
	KUNIT_EXPECT_EQ(test, due(rig), -1);
}

/* When all are late, order by expiry would be first come, first served. */
static void who_had_its_share_of_the_round_is_not_due(struct kunit *test)
{
	struct fair_rig *rig = test->priv;

	rig->queue[0].key = rig->fair.now + 1;
	enter(rig, 0, FWY_READ, 0);
	enter(rig, 1, FWY_WRITE, 0);
	rig->now_ns += 10 * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, due(rig), 1);
	fwy_fair_leave(&rig->fair, &rig->queue[1]);
	KUNIT_EXPECT_EQ(test, due(rig), -1);
	rig->fair.now++;
	KUNIT_EXPECT_EQ(test, due(rig), 0);
}

static void time_near_its_end_does_not_wrap_into_expiry(struct kunit *test)
{
	struct fair_rig *rig = test->priv;

	/* A u64 of nanoseconds lasts 584 years; only just before is tested. */
	rig->now_ns = U64_MAX - 600ULL * NSEC_PER_SEC;
	enter(rig, 0, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, due(rig), -1);
	rig->now_ns += READ_MS * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, due(rig), 0);
}

/* One after it by time, so that it is due by being passed and not by order. */
static void pass_start(struct fair_rig *rig, u64 done)
{
	rig_start(rig);
	rig->fair.done.sectors = done;
	rig->fair.done.requests = done;
	enter(rig, 1, FWY_READ, 0);
}

static int pass(struct fair_rig *rig, u64 sectors, u64 requests)
{
	int i;

	rig->fair.done.sectors += sectors;
	rig->fair.done.requests += requests;
	enter(rig, 0, FWY_READ, 0);
	i = due(rig);
	fwy_fair_leave(&rig->fair, &rig->queue[0]);
	return i;
}

static void passed_queue_is_due_at_the_bound_in_either_unit(struct kunit *test)
{
	/* Also where the count of what was done wraps. */
	static const u64 done[] = { 0, 1, 1000000, U64_MAX - 3, U64_MAX };
	struct fair_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(done); i++) {
		pass_start(rig, done[i]);
		rig->params.value[FWY_PASS_SECTORS] = 128;
		KUNIT_EXPECT_EQ(test, pass(rig, 0, 0), -1);
		KUNIT_EXPECT_EQ(test, pass(rig, 127, 127), -1);
		KUNIT_EXPECT_EQ(test, pass(rig, 1, 1), 1);

		pass_start(rig, done[i]);
		rig->params.value[FWY_PASS_REQUESTS] = 5;
		KUNIT_EXPECT_EQ(test, pass(rig, 4000, 4), -1);
		KUNIT_EXPECT_EQ(test, pass(rig, 1000, 1), 1);

		pass_start(rig, done[i]);
		KUNIT_EXPECT_EQ(test, pass(rig, 1ULL << 40, 1ULL << 40), -1);
	}
}

/* To be passed by too much is worse than to have waited for too long. */
static void passed_queue_precedes_an_expired_one(struct kunit *test)
{
	struct fair_rig *rig = test->priv;

	rig->params.value[FWY_PASS_SECTORS] = 128;
	rig->fair.done.sectors = 10;
	enter(rig, 1, FWY_WRITE, 0);
	rig->fair.done.sectors += 128;
	rig->now_ns += READ_MS * NSEC_PER_MSEC;
	enter(rig, 0, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, due(rig), 1);
	rig->params.value[FWY_PASS_SECTORS] = 0;
	KUNIT_EXPECT_EQ(test, due(rig), -1);
}

static void waiting_starts_anew_with_each_entry(struct kunit *test)
{
	struct fair_rig *rig = test->priv;

	rig->params.value[FWY_PASS_SECTORS] = 128;
	rig->params.value[FWY_PASS_REQUESTS] = 128;
	enter(rig, 0, FWY_READ, 0);
	fwy_fair_leave(&rig->fair, &rig->queue[0]);
	rig->fair.done.sectors += 1000;
	rig->fair.done.requests += 1000;
	rig->now_ns += NSEC_PER_SEC;
	enter(rig, 0, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, due(rig), -1);
}

static void restart_keeps_the_order_and_drops_the_empty(struct kunit *test)
{
	struct fair_rig *rig = test->priv;
	int i;

	for (i = 0; i < 4; i++) {
		rig->queue[i].key = rig->fair.now + 1000 * (4 - i);
		enter(rig, i, FWY_READ, 0);
	}
	fwy_queue_remove(&rig->queue[2], &rig->item[2]);
	rig->now_ns += NSEC_PER_SEC;
	fwy_fair_restart(&rig->fair, rig->now_ns);
	KUNIT_EXPECT_EQ(test, rig->fair.nr_backlog, 3);
	KUNIT_EXPECT_FALSE(test, fwy_fair_has(&rig->queue[2]));
	/* They begin to wait. */
	KUNIT_EXPECT_EQ(test, due(rig), -1);
	/* All stand at one time, so that they may be called rounds. */
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, rig->queue[i].key, rig->queue[3].key);
	KUNIT_EXPECT_EQ(test, serve(rig, 1), 3);
	KUNIT_EXPECT_EQ(test, serve(rig, 1), 1);
	KUNIT_EXPECT_EQ(test, serve(rig, 1), 0);
	KUNIT_EXPECT_EQ(test, serve(rig, 1), -1);
}

static struct kunit_case fair_cases[] = {
	KUNIT_CASE(weight_is_by_class_and_level),
	KUNIT_CASE(each_level_of_each_class_has_a_weight_of_its_own),
	KUNIT_CASE(expiry_is_by_class_in_ms),
	KUNIT_CASE(nobody_waits_at_first),
	KUNIT_CASE(least_start_is_next),
	KUNIT_CASE(place_counts_within_a_round_only),
	KUNIT_CASE(start_is_the_later_of_now_and_where_it_was_left),
	KUNIT_CASE(time_never_goes_back),
	KUNIT_CASE(seldom_one_waits_for_one_service),
	KUNIT_CASE(queue_that_left_is_not_served),
	KUNIT_CASE(wait_expires_by_class_to_the_nanosecond),
	KUNIT_CASE(who_expired_first_is_due_first),
	KUNIT_CASE(who_had_its_share_of_the_round_is_not_due),
	KUNIT_CASE(time_near_its_end_does_not_wrap_into_expiry),
	KUNIT_CASE(passed_queue_is_due_at_the_bound_in_either_unit),
	KUNIT_CASE(passed_queue_precedes_an_expired_one),
	KUNIT_CASE(waiting_starts_anew_with_each_entry),
	KUNIT_CASE(restart_keeps_the_order_and_drops_the_empty),
	{}
};

static struct kunit_suite fair_suite = {
	.name = "fairway_fair",
	.init = fair_init,
	.test_cases = fair_cases,
};

kunit_test_suite(fair_suite);
