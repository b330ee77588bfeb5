// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/hold.c: how much writeback is let in.
 *
 * The device is told: each item is added, and it is said when it completes.
 */
#include <kunit/test.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "core/core.h"

#define MS		((u64)NSEC_PER_MSEC)
#define START_NS	(1000000 * MS)

/* More than are ever told of at a time. */
#define NR_ITEMS	4096

struct hold_rig {
	struct fwy_sched sched;
	struct fwy_params params;
	struct fwy_flow flow;
	struct fwy_flow reader;
	struct fwy_item item[NR_ITEMS];
	struct fwy_item read;
	u64 done_ns[NR_ITEMS];
	u64 now_ns;
};

static void rig_start(struct hold_rig *rig, bool is_sorted)
{
	int i;

	fwy_params_init(&rig->params);
	fwy_sched_init(&rig->sched, &rig->params, is_sorted);
	fwy_flow_init(&rig->flow);
	fwy_flow_init(&rig->reader);
	for (i = 0; i < NR_ITEMS; i++)
		fwy_item_init(&rig->item[i]);
	fwy_item_init(&rig->read);
	rig->now_ns = START_NS;
}

static int hold_init(struct kunit *test)
{
	struct hold_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	test->priv = rig;
	return 0;
}

static void add(struct hold_rig *rig, struct fwy_item *item,
		enum fwy_class class, u32 weight)
{
	item->flow = class == FWY_ASYNC ? &rig->flow : &rig->reader;
	item->sector = (item - rig->item) * 1024;
	item->sectors = 8;
	item->class = class;
	item->op = class == FWY_READ ? FWY_OP_READ : FWY_OP_WRITE;
	item->weight = weight;
	fwy_sched_add(&rig->sched, item, rig->now_ns);
}

/* Now, or when the device has waited for whom it waits for. */
static struct fwy_item *dispatch(struct kunit *test)
{
	struct hold_rig *rig = test->priv;
	struct fwy_decision decision;
	struct fwy_item *item;

	fwy_sched_awake(&rig->sched);
	item = fwy_sched_next(&rig->sched, NR_ITEMS, rig->now_ns, &decision);
	if (!item && decision.wake_ns) {
		rig->now_ns = decision.wake_ns;
		fwy_sched_awake(&rig->sched);
		item = fwy_sched_next(&rig->sched, NR_ITEMS, rig->now_ns,
				      &decision);
	}
	KUNIT_ASSERT_NOT_NULL(test, item);
	return item;
}

/* So many are written, one after the other; each takes so long. */
static void write(struct kunit *test, int number, u64 took_ns)
{
	struct hold_rig *rig = test->priv;

	while (number--) {
		struct fwy_item *item;

		add(rig, &rig->item[0], FWY_ASYNC, FWY_WEIGHT);
		item = dispatch(test);
		rig->now_ns += took_ns;
		fwy_sched_done(&rig->sched, item, rig->now_ns, true);
	}
}

static void read(struct kunit *test, u64 took_ns)
{
	struct hold_rig *rig = test->priv;

	add(rig, &rig->read, FWY_READ, FWY_WEIGHT);
	KUNIT_ASSERT_PTR_EQ(test, dispatch(test), &rig->read);
	rig->now_ns += took_ns;
	fwy_sched_done(&rig->sched, &rig->read, rig->now_ns, true);
}

/* An eighth of read_expire_ms, 62.5 ms; the knob may be set. */
static void hold_is_what_was_done_in_the_time(struct kunit *test)
{
	static const struct {
		u32 expire_ms;
		u64 took_us;
		int number;
		unsigned int limit;
	} table[] = {
		{ 500, 1000, 62, FWY_HOLD_NONE }, { 500, 1000, 63, 63 },
		{ 500, 10, 6250, 6251 }, { 500, 20000, 4, 4 },
		{ 500, 100000, 1, 3 }, { 500, 60000000, 1, 3 },
		{ 4000, 20000, 25, 26 }, { 60000, 1000, 7500, 7501 },
		{ 1, 1000, 1, 3 },
	};
	struct hold_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig, false);
		KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, FWY_HOLD_NONE);
		rig->params.value[FWY_READ_EXPIRE_MS] = table[i].expire_ms;
		write(test, table[i].number, table[i].took_us * NSEC_PER_USEC);
		KUNIT_EXPECT_EQ_MSG(test, rig->sched.hold.limit, table[i].limit,
				    "row %d", i);
	}
}

/* Nor does what is in the device at the same time. */
static void time_without_writeback_does_not_count(struct kunit *test)
{
	struct hold_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	for (i = 0; i < 64; i++) {
		write(test, 1, MS);
		rig->now_ns += 1000 * MS;
	}
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, 63);

	rig_start(rig, false);
	rig->params.value[FWY_WINDOW_US] = 1000 * 1000;
	fwy_window_open(&rig->sched);
	for (i = 0; i < 4000; i++)
		add(rig, &rig->item[i], FWY_ASYNC, FWY_WEIGHT);
	for (i = 0; i < 4000; i++)
		dispatch(test);
	for (i = 0; i < 4000; i++) {
		/* 50 come at once, each 1 ms. */
		rig->now_ns += i % 50 ? 0 : MS;
		fwy_sched_done(&rig->sched, &rig->item[i], rig->now_ns, true);
	}
	KUNIT_EXPECT_GE(test, rig->sched.hold.limit, 3000);
	KUNIT_EXPECT_LE(test, rig->sched.hold.limit, 4000);
}

/* By what it has meanwhile, and back. */
static void changed_device_is_followed(struct kunit *test)
{
	struct hold_rig *rig = test->priv;

	rig_start(rig, false);
	write(test, 640, MS / 10);
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, 626);
	write(test, 8, 20 * MS);
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, 4);
	/* Some that are small do not open the gate for many that are not. */
	write(test, 625, MS / 10);
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, 6);
	write(test, 625, MS / 10);
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, 9);
	write(test, 12 * 625, MS / 10);
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, 626);
}

/*
 * A device that serves one at a time: whoever has as much on its way as it may waits
 * for no more than the time, and for the least where that is longer.
 */
static void backlog_settles_at_the_time(struct kunit *test)
{
	static const struct {
		u64 took_us;
		unsigned int least, most;
	} table[] = { { 20000, 4, 4 }, { 5000, 13, 14 }, { 100, 616, 626 } };
	struct hold_rig *rig = test->priv;
	int row, i;

	for (row = 0; row < ARRAY_SIZE(table); row++) {
		unsigned int first = 0, next = 0;

		rig_start(rig, false);
		for (i = 0; i < 20000; i++) {
			while (next - first < 1000 &&
			       next - first < rig->sched.hold.limit)
				add(rig, &rig->item[next++ % NR_ITEMS], FWY_ASYNC,
				    FWY_WEIGHT);
			KUNIT_ASSERT_PTR_EQ(test, dispatch(test),
					    &rig->item[first % NR_ITEMS]);
			rig->now_ns += table[row].took_us * NSEC_PER_USEC;
			fwy_sched_done(&rig->sched,
				       &rig->item[first++ % NR_ITEMS],
				       rig->now_ns, true);
		}
		KUNIT_EXPECT_GE_MSG(test, next - first + 1, table[row].least,
				    "row %d", row);
		KUNIT_EXPECT_LE_MSG(test, next - first, table[row].most,
				    "row %d", row);
	}
}

/* Each takes longer than the time, but the device does 32 at once: it has them. */
static void slow_device_that_does_many_has_them(struct kunit *test)
{
	struct hold_rig *rig = test->priv;
	unsigned int sent = 0, next = 0, first = 0, half = 0;
	int ms;

	rig_start(rig, false);
	rig->params.value[FWY_WINDOW_US] = 1000 * 1000;
	fwy_window_open(&rig->sched);
	for (ms = 0; ms < 20000; ms++) {
		rig->now_ns += MS;
		for (; first < sent && rig->done_ns[first % NR_ITEMS] <= rig->now_ns;
		     first++)
			fwy_sched_done(&rig->sched, &rig->item[first % NR_ITEMS],
				       rig->now_ns, true);
		while (next - first < 200 && next - first < rig->sched.hold.limit)
			add(rig, &rig->item[next++ % NR_ITEMS], FWY_ASYNC,
			    FWY_WEIGHT);
		for (; sent < next && sent - first < 32; sent++) {
			dispatch(test);
			rig->done_ns[sent % NR_ITEMS] = rig->now_ns + 100 * MS;
		}
		if (ms == 10000)
			half = first;
	}
	/* 320 in a second. */
	KUNIT_EXPECT_GE(test, first - half, 10 * 320 * 95 / 100);
}

/* Where seeks cost a sweep is as long as it was. */
static void sweep_is_not_held(struct kunit *test)
{
	struct hold_rig *rig = test->priv;
	int i;

	rig_start(rig, true);
	for (i = 0; i < 100; i++) {
		write(test, 1, 20 * MS);
		read(test, MS);
		KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, FWY_HOLD_NONE);
	}
}

/* What is written for the idle class is among it, and does not wait as that does. */
static void writeback_of_the_idle_class_is_writeback(struct kunit *test)
{
	struct hold_rig *rig = test->priv;
	struct fwy_item *item;
	int i;

	rig_start(rig, false);
	for (i = 0; i < 4; i++) {
		add(rig, &rig->item[1], FWY_ASYNC, 0);
		item = dispatch(test);
		rig->now_ns += 20 * MS;
		fwy_sched_done(&rig->sched, item, rig->now_ns, true);
	}
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, 4);
	KUNIT_EXPECT_EQ(test, rig->now_ns, START_NS + 80 * MS);
}

/* Of what somebody waits for it is not asked how long it took. */
static void others_are_not_held(struct kunit *test)
{
	struct hold_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	for (i = 0; i < 100; i++)
		read(test, 20 * MS);
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, FWY_HOLD_NONE);
}

/* What came back undone took no time; another kind of device is another. */
static void nothing_is_learned_from_what_was_not_done(struct kunit *test)
{
	struct hold_rig *rig = test->priv;
	struct fwy_item *item;
	int i;

	rig_start(rig, false);
	for (i = 0; i < 100; i++) {
		add(rig, &rig->item[0], FWY_ASYNC, FWY_WEIGHT);
		item = dispatch(test);
		rig->now_ns += 5 * MS;
		fwy_sched_done(&rig->sched, item, rig->now_ns, false);
	}
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, FWY_HOLD_NONE);
	write(test, 100, 5 * MS);
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, 13);
	fwy_sched_set_sorted(&rig->sched, true, rig->now_ns);
	KUNIT_EXPECT_EQ(test, rig->sched.hold.limit, FWY_HOLD_NONE);
}

static struct kunit_case hold_cases[] = {
	KUNIT_CASE(hold_is_what_was_done_in_the_time),
	KUNIT_CASE(time_without_writeback_does_not_count),
	KUNIT_CASE(changed_device_is_followed),
	KUNIT_CASE(backlog_settles_at_the_time),
	KUNIT_CASE(slow_device_that_does_many_has_them),
	KUNIT_CASE(sweep_is_not_held),
	KUNIT_CASE(others_are_not_held),
	KUNIT_CASE(writeback_of_the_idle_class_is_writeback),
	KUNIT_CASE(nothing_is_learned_from_what_was_not_done),
	{}
};

static struct kunit_suite hold_suite = {
	.name = "fairway_hold",
	.init = hold_init,
	.test_cases = hold_cases,
};

kunit_test_suite(hold_suite);
