// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/sched.c: which request the device gets next.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "core/core.h"

#define NR_FLOWS	16
#define NR_ITEMS	64
#define MS		((u64)NSEC_PER_MSEC)

/* Knobs of these tests, whatever the defaults are. */
#define READ_MS		500
#define WRITE_MS	1000
#define ASYNC_MS	5000
#define ANTIC_MS	8

/* What a request costs beside its sectors, where seeks cost nothing. */
#define REQUEST_SECTORS	16

struct sched_rig {
	struct fwy_params params;
	struct fwy_sched sched;
	struct fwy_flow flow[NR_FLOWS];
	struct fwy_item item[NR_ITEMS];
	struct fwy_decision decision;
	unsigned int depth;
	u64 now_ns;
};

/* Item i is flow (i % NR_FLOWS)'s, of usual weight, until a test says otherwise. */
static void rig_start(struct sched_rig *rig, bool is_sorted)
{
	u32 *value = rig->params.value;
	int i;

	fwy_params_init(&rig->params);
	value[FWY_READ_EXPIRE_MS] = READ_MS;
	value[FWY_WRITE_EXPIRE_MS] = WRITE_MS;
	value[FWY_ASYNC_EXPIRE_MS] = ASYNC_MS;
	value[FWY_PASS_SECTORS] = 0;
	value[FWY_PASS_REQUESTS] = 0;
	value[FWY_ROUND_MS] = 200;
	value[FWY_TURN_MIN_MS] = 16;
	value[FWY_TURN_MAX_MS] = 100;
	value[FWY_ANTIC_US] = ANTIC_MS * USEC_PER_MSEC;
	value[FWY_ASYNC_WEIGHT_PCT] = 50;
	fwy_sched_init(&rig->sched, &rig->params, is_sorted);
	for (i = 0; i < NR_FLOWS; i++)
		fwy_flow_init(&rig->flow[i]);
	memset(rig->item, 0xa5, sizeof(rig->item));
	for (i = 0; i < NR_ITEMS; i++) {
		fwy_item_init(&rig->item[i]);
		rig->item[i].flow = &rig->flow[i % NR_FLOWS];
		rig->item[i].weight = FWY_WEIGHT;
		rig->item[i].op = FWY_OP_READ;
		rig->item[i].is_cut = false;
	}
	rig->depth = 1;
	rig->now_ns = NSEC_PER_SEC;
}

static int sched_init(struct kunit *test)
{
	struct sched_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig_start(rig, true);
	test->priv = rig;
	return 0;
}

static void add(struct sched_rig *rig, int i, enum fwy_class class, u64 sector)
{
	struct fwy_item *item = &rig->item[i];

	item->class = class;
	item->sector = sector;
	item->sectors = 8;
	fwy_sched_add(&rig->sched, item, rig->now_ns);
}

static int next(struct sched_rig *rig)
{
	struct fwy_item *item = fwy_sched_next(&rig->sched, rig->depth,
					       rig->now_ns, &rig->decision);

	return item ? item - rig->item : -1;
}

static bool done(struct sched_rig *rig, int i)
{
	return fwy_sched_done(&rig->sched, &rig->item[i], rig->now_ns, true);
}

static bool has_work(struct sched_rig *rig)
{
	return fwy_sched_has_work(&rig->sched);
}

/* The next, which is completed at once; -1 if there is none. */
static int serve(struct sched_rig *rig)
{
	int i = next(rig);

	if (i >= 0)
		done(rig, i);
	return i;
}

static void expect_balanced_books(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	KUNIT_EXPECT_TRUE(test, fwy_sched_is_empty(&rig->sched));
	KUNIT_EXPECT_EQ(test, rig->sched.queued, 0);
	KUNIT_EXPECT_EQ(test, rig->sched.queued_front, 0);
	KUNIT_EXPECT_EQ(test, rig->sched.in_device, 0);
	KUNIT_EXPECT_EQ(test, rig->sched.in_flight_ns, 0);
	KUNIT_EXPECT_EQ(test, rig->sched.crowd_flows, 0);
	for (i = 0; i < NR_FLOWS; i++) {
		KUNIT_EXPECT_EQ(test, rig->flow[i].pending, 0);
		KUNIT_EXPECT_EQ(test, rig->flow[i].in_crowd, 0);
		KUNIT_EXPECT_EQ(test, rig->flow[i].queue.queued, 0);
		KUNIT_EXPECT_EQ(test, rig->flow[i].queue.in_device, 0);
	}
	for (i = 0; i < NR_ITEMS; i++)
		KUNIT_EXPECT_EQ(test, rig->item[i].state, FWY_ITEM_IDLE);
}

static void empty_scheduler_has_nothing(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int is_sorted;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		KUNIT_EXPECT_FALSE(test, has_work(rig));
		KUNIT_EXPECT_EQ(test, next(rig), -1);
		KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_NONE);
		KUNIT_EXPECT_EQ(test, rig->decision.wake_ns, 0);
		KUNIT_EXPECT_FALSE(test, fwy_sched_awake(&rig->sched));
		expect_balanced_books(test);
	}
}

/* ---- front --------------------------------------------------------------- */

static void front_items_go_first_in_the_order_they_came(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int is_sorted;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		rig->item[0].sector = 900;
		rig->item[0].class = FWY_ASYNC;
		rig->item[1].sector = 100;
		rig->item[1].class = FWY_READ;
		rig->item[0].sectors = 8;
		rig->item[1].sectors = 8;
		add(rig, 2, FWY_READ, 0);
		fwy_sched_add_front(&rig->sched, &rig->item[0]);
		fwy_sched_add_front(&rig->sched, &rig->item[1]);
		KUNIT_EXPECT_EQ(test, rig->item[0].state, FWY_ITEM_FRONT);
		rig->now_ns += 3600 * NSEC_PER_SEC;
		KUNIT_EXPECT_EQ(test, next(rig), 0);
		KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_FRONT);
		/* The device is full: that does not hold up such as these. */
		KUNIT_EXPECT_TRUE(test, has_work(rig));
		KUNIT_EXPECT_EQ(test, next(rig), 1);
		done(rig, 0);
		done(rig, 1);
		KUNIT_EXPECT_EQ(test, serve(rig), 2);
		expect_balanced_books(test);
	}
}

/* Case 2 from the field: who came first does, whatever it is and however late. */
static void front_order_knows_no_direction_age_or_knob(struct kunit *test)
{
	static const u32 expire_ms[] = { 1, 60000 };
	struct sched_rig *rig = test->priv;
	unsigned int round;

	/* A bit each: sorted, a write first, the shorter expiry for reads, aged. */
	for (round = 0; round < 16; round++) {
		bool is_write_first = round & 2;
		bool is_read_short = round & 4;
		int i;

		rig_start(rig, round & 1);
		rig->params.value[FWY_READ_EXPIRE_MS] = expire_ms[!is_read_short];
		rig->params.value[FWY_WRITE_EXPIRE_MS] = expire_ms[is_read_short];
		for (i = 0; i < 2; i++) {
			rig->item[i].class = i == is_write_first ? FWY_READ : FWY_WRITE;
			rig->item[i].sector = 900 - 800 * i;
			rig->item[i].sectors = 8;
			fwy_sched_add_front(&rig->sched, &rig->item[i]);
		}
		if (round & 8)
			rig->now_ns += 3600 * NSEC_PER_SEC;
		for (i = 0; i < 2; i++)
			KUNIT_EXPECT_EQ_MSG(test, serve(rig), i, "round %u", round);
		expect_balanced_books(test);
	}
}

static void requeued_item_goes_first_and_the_books_balance(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int is_sorted;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		rig->depth = 2;
		add(rig, 0, FWY_READ, 100);
		add(rig, NR_FLOWS, FWY_READ, 200);
		KUNIT_EXPECT_EQ(test, next(rig), 0);
		KUNIT_EXPECT_EQ(test, rig->item[0].state, FWY_ITEM_DISPATCHED);
		fwy_sched_done(&rig->sched, &rig->item[0], rig->now_ns, false);
		KUNIT_EXPECT_EQ(test, rig->item[0].state, FWY_ITEM_IDLE);
		fwy_sched_add_front(&rig->sched, &rig->item[0]);
		KUNIT_EXPECT_EQ(test, rig->sched.queued_front, 1);
		KUNIT_EXPECT_EQ(test, serve(rig), 0);
		KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_FRONT);
		KUNIT_EXPECT_EQ(test, serve(rig), NR_FLOWS);
		expect_balanced_books(test);
	}
}

/* ---- where seeks cost nothing --------------------------------------------- */

static void unsorted_flow_keeps_its_order(struct kunit *test)
{
	static const u64 sector[] = { 900, 100, 500, 500, 0, 300 };
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	for (i = 0; i < ARRAY_SIZE(sector); i++) {
		rig->item[i].flow = &rig->flow[0];
		add(rig, i, i % 2 ? FWY_WRITE : FWY_READ, sector[i]);
	}
	for (i = 0; i < ARRAY_SIZE(sector); i++) {
		KUNIT_EXPECT_EQ(test, serve(rig), i);
		KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_FAIR);
	}
	expect_balanced_books(test);
}

/* Overdue reads must not keep an older write waiting. */
static void unsorted_order_does_not_look_at_the_time(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	rig_start(rig, false);
	add(rig, 0, FWY_WRITE, 900);
	add(rig, 1, FWY_READ, 800);
	rig->now_ns += READ_MS * MS;
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_FAIR);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
}

/* Two flows that always have something: what each gets of so many requests. */
static void unsorted_shares(struct sched_rig *rig, u32 weight0, u32 weight1,
			    u32 sectors1, u64 got_sectors[2])
{
	int step, i;

	rig_start(rig, false);
	got_sectors[0] = 0;
	got_sectors[1] = 0;
	for (i = 0; i < 8; i++) {
		struct fwy_item *item = &rig->item[i];

		item->flow = &rig->flow[i % 2];
		item->weight = i % 2 ? weight1 : weight0;
		item->sectors = i % 2 ? sectors1 : 8;
		item->sector = 0;
		item->class = FWY_READ;
		fwy_sched_add(&rig->sched, item, rig->now_ns);
	}
	for (step = 0; step < 6000; step++) {
		u64 cost;

		i = next(rig);
		cost = rig->item[i].sectors + REQUEST_SECTORS;
		got_sectors[i % 2] += cost;
		rig->now_ns += cost * NSEC_PER_USEC;
		done(rig, i);
		fwy_sched_add(&rig->sched, &rig->item[i], rig->now_ns);
	}
}

static void unsorted_service_is_by_weight_whatever_the_size(struct kunit *test)
{
	static const struct {
		u32 weight0, weight1, sectors1;
	} table[] = {
		{ 100, 100, 8 }, { 100, 100, 2048 }, { 200, 100, 8 },
		{ 200, 100, 256 }, { 25, 100, 8 }, { 3200, 100, 8 },
	};
	struct sched_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		u64 got[2], left, right;

		unsorted_shares(rig, table[i].weight0, table[i].weight1,
				table[i].sectors1, got);
		left = got[0] * table[i].weight1;
		right = got[1] * table[i].weight0;
		KUNIT_EXPECT_LE_MSG(test, left * 98, right * 100, "row %d", i);
		KUNIT_EXPECT_GE_MSG(test, left * 102, right * 100, "row %d", i);
	}
}

static void unsorted_seldom_one_passes_the_backlog(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	/* Of flow 0 sixty requests, and some of them were served. */
	for (i = 0; i < 60; i++) {
		rig->item[i].flow = &rig->flow[0];
		add(rig, i, FWY_READ, 8 * i);
	}
	for (i = 0; i < 10; i++)
		serve(rig);
	rig->item[60].flow = &rig->flow[1];
	add(rig, 60, FWY_READ, 0);
	for (i = 0; i < 50 && serve(rig) != 60; i++)
		;
	KUNIT_EXPECT_LE_MSG(test, i, 1, "it waited for a backlog");
}

/* To have been away saves nothing: it begins where the others are. */
static void unsorted_newcomer_has_nothing_to_catch_up(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i, step, got[2] = {};

	rig_start(rig, false);
	for (i = 0; i < 16; i++)
		rig->item[i].flow = &rig->flow[i / 8];
	for (i = 0; i < 8; i++)
		add(rig, i, FWY_READ, 0);
	for (step = 0; step < 1000; step++)
		add(rig, serve(rig), FWY_READ, 0);
	for (i = 8; i < 16; i++)
		add(rig, i, FWY_READ, 0);
	for (step = 0; step < 100; step++) {
		i = serve(rig);
		got[i / 8]++;
		add(rig, i, FWY_READ, 0);
	}
	KUNIT_EXPECT_GE_MSG(test, got[0], 45, "the newcomer had it all");
	KUNIT_EXPECT_GE_MSG(test, got[1], 45, "the newcomer had nothing");
}

static void unsorted_device_has_one_more_waiting_at_the_driver(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	rig->depth = 4;
	for (i = 0; i < 8; i++)
		add(rig, i, FWY_READ, 0);
	for (i = 0; i < 5; i++) {
		KUNIT_EXPECT_TRUE(test, has_work(rig));
		KUNIT_EXPECT_EQ(test, next(rig), i);
	}
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_BUSY);
	KUNIT_EXPECT_TRUE(test, done(rig, 0));
	KUNIT_EXPECT_EQ(test, next(rig), 5);
}

/* ---- pieces of what was cut ------------------------------------------------ */

#define PIECE_SECTORS	256

/* Items @from to before @to are one write of a flow, in pieces. */
static void add_pieces(struct sched_rig *rig, int flow, int from, int to)
{
	int i;

	for (i = from; i < to; i++) {
		struct fwy_item *item = &rig->item[i];

		item->flow = &rig->flow[flow];
		item->class = FWY_WRITE;
		item->op = FWY_OP_WRITE;
		item->sector = i * PIECE_SECTORS;
		item->sectors = PIECE_SECTORS;
		item->is_cut = i < to - 1;
		fwy_sched_add(&rig->sched, item, rig->now_ns);
	}
}

/* As long as a piece, and not one. */
static void add_deep(struct sched_rig *rig, int i)
{
	struct fwy_item *item = &rig->item[i];

	item->class = FWY_WRITE;
	item->sector = 1000000ULL * i;
	item->sectors = PIECE_SECTORS;
	fwy_sched_add(&rig->sched, item, rig->now_ns);
}

/* Four flows, of eight pieces each. */
static void four_cut_writes(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	for (i = 0; i < 4; i++)
		add_pieces(rig, i, 8 * i, 8 * i + 8);
}

static void unsorted_pieces_go_one_behind_the_other(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	four_cut_writes(test);
	for (i = 0; i < 32; i++) {
		KUNIT_EXPECT_EQ(test, serve(rig), i);
		KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_FAIR);
	}
	expect_balanced_books(test);
}

/* What only seems to be a piece of the same makes no run. */
static void unsorted_others_than_pieces_go_in_turn(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	/* Not cut; not where the last ended; read and written by turns. */
	static const struct {
		bool is_cut;
		u32 step;
		enum fwy_op odd;
	} table[] = {
		{ false, 8, FWY_OP_READ },
		{ true, 64, FWY_OP_READ },
		{ true, 8, FWY_OP_WRITE },
	};
	int i, row;

	for (row = 0; row < ARRAY_SIZE(table); row++) {
		rig_start(rig, false);
		for (i = 0; i < 16; i++) {
			rig->item[i].flow = &rig->flow[i / 8];
			rig->item[i].is_cut = table[row].is_cut;
			rig->item[i].op = i % 2 ? table[row].odd : FWY_OP_READ;
			add(rig, i, FWY_WRITE, table[row].step * i);
		}
		for (i = 0; i < 16; i++)
			KUNIT_EXPECT_EQ(test, serve(rig), i % 2 * 8 + i / 2);
	}
}

/* It is charged for all of it: so much less has the flow after that. */
static void unsorted_pieces_are_charged(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int step, i, got[2] = {};

	rig_start(rig, false);
	add_pieces(rig, 0, 0, 8);
	add_pieces(rig, 0, 8, 16);
	for (i = 16; i < 48; i++) {
		rig->item[i].flow = &rig->flow[1];
		rig->item[i].op = FWY_OP_WRITE;
		rig->item[i].class = FWY_WRITE;
		rig->item[i].sector = 1000000 + 1000 * i;
		rig->item[i].sectors = PIECE_SECTORS;
		fwy_sched_add(&rig->sched, &rig->item[i], rig->now_ns);
	}
	for (step = 0; step < 4000; step++) {
		i = serve(rig);
		got[i >= 16]++;
		if (i >= 16)
			fwy_sched_add(&rig->sched, &rig->item[i], rig->now_ns);
		else if (i % 8 == 7)
			add_pieces(rig, 0, i - 7, i + 1);
	}
	KUNIT_EXPECT_LE(test, got[0], 2000 + 8);
	KUNIT_EXPECT_GE(test, got[0], 2000 - 8);
}

static void unsorted_pieces_let_pass_who_wants_little(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	four_cut_writes(test);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	rig->item[60].flow = &rig->flow[10];
	add(rig, 60, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, serve(rig), 60);
	KUNIT_EXPECT_EQ(test, serve(rig), 2);
}

/* One that is cut at a time, beside who has always some: half of the device each. */
static void unsorted_pieces_have_no_more_than_their_share(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i, served, of_pieces = 0, left = 0;

	rig_start(rig, false);
	for (i = 8; i < 16; i++) {
		rig->item[i].flow = &rig->flow[1];
		rig->item[i].op = FWY_OP_WRITE;
	}
	for (i = 8; i < 16; i++)
		add_deep(rig, i);
	for (served = 0; served < 800; served++) {
		if (!left) {
			add_pieces(rig, 0, 0, 8);
			left = 8;
		}
		i = serve(rig);
		if (i < 8) {
			of_pieces++;
			left--;
		} else {
			add_deep(rig, i);
		}
	}
	KUNIT_EXPECT_GE(test, of_pieces, 350);
	KUNIT_EXPECT_LE(test, of_pieces, 470);
}

/* What is cut into many counts as one request no longer than others make it. */
static void unsorted_run_of_pieces_ends(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	add_pieces(rig, 0, 0, 40);
	add_pieces(rig, 1, 40, 42);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	for (i = 0; i < 40 && serve(rig) != 41; i++)
		;
	KUNIT_EXPECT_GE(test, i, 8);
	KUNIT_EXPECT_LE(test, i, 11);
}

/* A piece that goes away, as it was merged, takes what was charged with it. */
static void unsorted_rest_of_pieces_may_be_gone(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	add_pieces(rig, 0, 0, 3);
	add_pieces(rig, 1, 8, 11);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	for (i = 1; i < 3; i++)
		fwy_sched_remove(&rig->sched, &rig->item[i]);
	for (i = 8; i < 11; i++)
		KUNIT_EXPECT_EQ(test, serve(rig), i);
	expect_balanced_books(test);
	KUNIT_EXPECT_FALSE(test, fwy_sched_forget(&rig->sched, &rig->flow[0]));
}

/* ---- turns --------------------------------------------------------------- */

static void turn_sweeps_upward_and_keeps_the_device(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	rig->item[1].flow = &rig->flow[0];
	rig->item[2].flow = &rig->flow[0];
	add(rig, 0, FWY_READ, 500);
	add(rig, 1, FWY_READ, 100);
	add(rig, 2, FWY_READ, 900);
	add(rig, 3, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_FAIR);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_TURN);
	rig->item[4].flow = &rig->flow[0];
	rig->item[5].flow = &rig->flow[0];
	add(rig, 4, FWY_READ, 50);	/* behind the sweep */
	add(rig, 5, FWY_READ, 508);	/* just where it stands */
	KUNIT_EXPECT_EQ(test, serve(rig), 5);
	KUNIT_EXPECT_EQ(test, serve(rig), 2);
	KUNIT_EXPECT_EQ(test, serve(rig), 4);
	/* It may ask for more. */
	KUNIT_EXPECT_EQ(test, serve(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_ANTICIPATE);
	rig->now_ns = rig->decision.wake_ns;
	KUNIT_EXPECT_EQ(test, serve(rig), 3);
	expect_balanced_books(test);
}

/* An endless stream has the turn; how many of its requests pass another's? */
static int passes(struct sched_rig *rig, u32 sectors)
{
	u64 sector = 1000;
	int steps, i;

	rig->params.value[FWY_TURN_MAX_MS] = 60000;
	rig->params.value[FWY_ROUND_MS] = 60000;
	rig->item[0].sectors = sectors;
	rig->item[0].sector = sector;
	rig->item[0].class = FWY_READ;
	fwy_sched_add(&rig->sched, &rig->item[0], rig->now_ns);
	if (next(rig) != 0)
		return -1;
	/* It is none who comes new, and therefore first. */
	rig->flow[1].queue.key = rig->sched.fair.now;
	add(rig, 1, FWY_READ, 0);
	for (steps = 0; steps < 1000; steps++) {
		done(rig, 0);
		sector += sectors;
		rig->item[0].sector = sector;
		fwy_sched_add(&rig->sched, &rig->item[0], rig->now_ns);
		i = next(rig);
		if (i != 0)
			return i == 1 ? steps : -1;
	}
	return steps;
}

static void stream_passes_no_more_than_is_allowed_in_either_unit(struct kunit *test)
{
	static const struct {
		u32 sectors, requests, size;
		int passes;
	} table[] = {
		{ 128, 0, 8, 16 }, { 1, 0, 8, 1 }, { 129, 0, 8, 17 },
		{ 0, 5, 8, 5 },
		/* Counted in requests, large ones pass as small ones do. */
		{ 0, 5, 2048, 5 },
		{ 128, 5, 8, 5 }, { 16, 5, 8, 2 },
		{ 0, 0, 8, 1000 },
	};
	struct sched_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig, true);
		rig->params.value[FWY_PASS_SECTORS] = table[i].sectors;
		rig->params.value[FWY_PASS_REQUESTS] = table[i].requests;
		KUNIT_EXPECT_EQ_MSG(test, passes(rig, table[i].size),
				    table[i].passes, "row %d", i);
	}
}

static void queue_whose_wait_expired_precedes_the_turn(struct kunit *test)
{
	static const struct {
		enum fwy_class class;
		u64 after_ms;
	} table[] = {
		{ FWY_READ, READ_MS }, { FWY_WRITE, WRITE_MS },
		{ FWY_ASYNC, ASYNC_MS },
	};
	struct sched_rig *rig = test->priv;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig, true);
		rig->params.value[FWY_TURN_MAX_MS] = 60000;
		rig->params.value[FWY_ROUND_MS] = 60000;
		for (j = 2; j < 8; j++)
			rig->item[j].flow = &rig->flow[0];
		for (j = 2; j < 8; j++)
			add(rig, j, FWY_READ, 100 * j);
		KUNIT_EXPECT_EQ(test, serve(rig), 2);
		/* It is none who comes new, and therefore first. */
		rig->flow[1].queue.key = rig->sched.fair.now;
		add(rig, 1, table[i].class, 0);
		rig->now_ns += table[i].after_ms * MS - 1;
		KUNIT_EXPECT_EQ_MSG(test, serve(rig), 3, "row %d", i);
		rig->now_ns++;
		KUNIT_EXPECT_EQ_MSG(test, serve(rig), 1, "row %d", i);
	}
}

/* Others of its own process sweep on and on above an old request. */
static void oldest_of_a_queue_goes_first_once_a_turn_when_late(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	for (i = 0; i < 8; i++)
		rig->item[i].flow = &rig->flow[0];
	add(rig, 0, FWY_READ, 900);
	for (i = 1; i < 8; i++)
		add(rig, i, FWY_READ, 100 * i);
	rig->now_ns += READ_MS * MS - 1;
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	rig->now_ns++;
	/* Not in the middle of a turn. */
	KUNIT_EXPECT_EQ(test, serve(rig), 2);
	rig->now_ns += 200 * MS;
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	/* The sweep goes on where it was. */
	KUNIT_EXPECT_EQ(test, serve(rig), 3);
	KUNIT_EXPECT_EQ(test, serve(rig), 4);
}

/* ---- the crowd ------------------------------------------------------------ */

/* A process that jumps about. */
static void make_seeky(struct sched_rig *rig, int flow)
{
	rig->flow[flow].history = 0xff;
}

static void one_deep_seeky_flows_share_a_sweep(struct kunit *test)
{
	static const u64 sector[] = { 7000000, 3000000, 5000000, 1000000 };
	static const int order[] = { 3, 1, 2, 0 };
	struct sched_rig *rig = test->priv;
	int i;

	for (i = 0; i < 4; i++)
		make_seeky(rig, i);
	for (i = 0; i < 4; i++)
		add(rig, i, FWY_READ, sector[i]);
	KUNIT_EXPECT_EQ(test, rig->sched.crowd_flows, 4);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_PTR_EQ(test, rig->item[i].queue,
				    &rig->sched.crowd);
		KUNIT_EXPECT_EQ(test, serve(rig), order[i]);
		/* It joins the next round only, wherever it wants to go. */
		add(rig, order[i], FWY_READ, 8000000);
	}
	KUNIT_EXPECT_EQ(test, rig->sched.crowd_flows, 4);
	KUNIT_EXPECT_EQ(test, rig->sched.crowd.weight, 4 * FWY_WEIGHT);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, serve(rig), order[i]);
	expect_balanced_books(test);
}

static void crowd_is_for_the_one_deep_and_seeky_of_usual_weight(struct kunit *test)
{
	static const struct {
		u8 history;
		bool is_second;
		u32 weight;
		enum fwy_class class;
		enum fwy_kind kind;
	} table[] = {
		{ 0xff, false, FWY_WEIGHT, FWY_READ, FWY_CROWD },
		{ 0xff, false, FWY_WEIGHT, FWY_WRITE, FWY_CROWD },
		{ 0x00, false, FWY_WEIGHT, FWY_READ, FWY_OWN },
		{ 0xff, true, FWY_WEIGHT, FWY_READ, FWY_OWN },
		{ 0xff, false, FWY_WEIGHT + 25, FWY_READ, FWY_OWN },
		{ 0xff, false, FWY_WEIGHT - 25, FWY_READ, FWY_OWN },
		{ 0xff, false, FWY_WEIGHT, FWY_ASYNC, FWY_WRITEBACK },
		{ 0xff, false, 0, FWY_READ, FWY_BACKGROUND },
		{ 0xff, false, 0, FWY_ASYNC, FWY_WRITEBACK },
	};
	struct sched_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig, true);
		rig->flow[0].history = table[i].history;
		rig->item[1].flow = &rig->flow[0];
		if (table[i].is_second)
			add(rig, 1, FWY_READ, 9000000);
		rig->item[0].weight = table[i].weight;
		add(rig, 0, table[i].class, 5000000);
		KUNIT_EXPECT_EQ_MSG(test, rig->item[0].queue->kind,
				    table[i].kind, "row %d", i);
	}
	rig_start(rig, false);
	make_seeky(rig, 0);
	add(rig, 0, FWY_READ, 5000000);
	KUNIT_EXPECT_EQ(test, rig->item[0].queue->kind, FWY_OWN);
}

#define CROWD	8

static void add_crowd(struct sched_rig *rig)
{
	int i;

	for (i = 0; i < CROWD; i++) {
		make_seeky(rig, i);
		add(rig, i, FWY_READ, 1000000ULL * (i + 1));
	}
}

/* With several in the device they would be missing in the sweep. */
static void few_of_the_crowd_are_in_the_device_at_a_time(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int first;

	rig->depth = 32;
	rig->sched.overlap.next_ns = rig->now_ns + 1;
	add_crowd(rig);
	first = next(rig);
	KUNIT_EXPECT_EQ(test, first, 0);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_BUSY);
	KUNIT_EXPECT_TRUE(test, done(rig, first));
	KUNIT_EXPECT_EQ(test, next(rig), 1);
}

/*
 * All that may be in the device: the first takes @first_ms, each other one @each_ms
 * more.  They go on elsewhere.
 */
static int crowd_in_device(struct sched_rig *rig, u64 first_ms, u64 each_ms)
{
	int i, number = 0, sent[CROWD];

	while ((i = next(rig)) >= 0)
		sent[number++] = i;
	rig->now_ns += first_ms * MS;
	for (i = 0; i < number; i++) {
		done(rig, sent[i]);
		add(rig, sent[i], FWY_READ,
		    rig->flow[sent[i]].next_sector ^ BIT(30));
		rig->now_ns += each_ms * MS;
	}
	return number;
}

static void crowd_is_let_in_together_now_and_then(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i, together = 0;

	rig->depth = 32;
	add_crowd(rig);
	for (i = 0; i < 1000; i++) {
		int number = crowd_in_device(rig, 10, 10);

		KUNIT_ASSERT_TRUE(test, number == 1 || number == CROWD);
		together += number == CROWD;
	}
	/* Of 20 s and more: each second, and more often to begin with. */
	KUNIT_EXPECT_GE(test, together, 15);
	KUNIT_EXPECT_LE(test, together, 40);
	KUNIT_EXPECT_FALSE(test, rig->sched.overlap.is_seen);
}

static void crowd_is_in_a_disk_array_together(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig->depth = 32;
	add_crowd(rig);
	for (i = 0; i < 100; i++)
		crowd_in_device(rig, 10, 0);
	KUNIT_EXPECT_TRUE(test, rig->sched.overlap.is_seen);
	for (i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, crowd_in_device(rig, 10, 0), CROWD);
	/* And however many requests each of them has. */
	rig->item[CROWD].flow = &rig->flow[0];
	add(rig, CROWD, FWY_READ, 9000000);
	KUNIT_EXPECT_EQ(test, rig->item[CROWD].queue->kind, FWY_CROWD);
}

/* A write may go to a buffer, and take no time. */
static void only_reads_tell_an_array(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig->depth = 32;
	for (i = 0; i < CROWD; i++)
		rig->item[i].op = FWY_OP_WRITE;
	add_crowd(rig);
	for (i = 0; i < 100; i++)
		crowd_in_device(rig, 10, 0);
	KUNIT_EXPECT_FALSE(test, rig->sched.overlap.is_seen);
}

static void array_that_does_one_at_a_time_is_asked_with_an_empty_device(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig->depth = 32;
	add_crowd(rig);
	rig->sched.overlap.is_seen = true;
	rig->sched.overlap.parts = 256;
	rig->sched.overlap.next_ns = rig->now_ns + 1;
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, next(rig), i);
	rig->now_ns++;
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, next(rig), -1);
		KUNIT_EXPECT_TRUE(test, done(rig, i));
	}
	for (; i < CROWD; i++)
		KUNIT_EXPECT_EQ(test, next(rig), i);
	for (i = 3; i < CROWD; i++)
		done(rig, i);
	/* What changes whether seeks cost forgets it. */
	fwy_sched_set_sorted(&rig->sched, true, rig->now_ns);
	KUNIT_EXPECT_FALSE(test, rig->sched.overlap.is_seen);
}

/* ---- writeback and the idle class ----------------------------------------- */

static void writeback_of_all_is_one_queue_of_its_own_weight(struct kunit *test)
{
	static const u32 table_pct[] = { 1, 50, 1000 };
	struct sched_rig *rig = test->priv;
	int i, is_sorted;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		for (i = 0; i < ARRAY_SIZE(table_pct); i++) {
			rig->params.value[FWY_ASYNC_WEIGHT_PCT] = table_pct[i];
			add(rig, 0, FWY_ASYNC, 100);
			add(rig, 1, FWY_ASYNC, 200);
			KUNIT_EXPECT_EQ(test, rig->sched.writeback.queued, 2);
			KUNIT_EXPECT_EQ(test, rig->sched.writeback.weight,
					table_pct[i]);
			KUNIT_EXPECT_EQ(test, serve(rig), 0);
			KUNIT_EXPECT_EQ(test, serve(rig), 1);
		}
		expect_balanced_books(test);
	}
}

static void idle_class_waits_until_nobody_came_for_a_while(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int is_sorted;
	u64 wake_ns;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		rig->params.value[FWY_ANTIC_US] = 0;
		add(rig, 0, FWY_READ, 0);
		KUNIT_EXPECT_EQ(test, serve(rig), 0);
		rig->item[1].weight = 0;
		add(rig, 1, FWY_READ, 100);
		KUNIT_EXPECT_EQ(test, next(rig), -1);
		KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_GRACE);
		wake_ns = rig->decision.wake_ns;
		KUNIT_EXPECT_GE_MSG(test, wake_ns, rig->now_ns + 1, "now");
		KUNIT_EXPECT_LE_MSG(test, wake_ns, rig->now_ns + NSEC_PER_SEC,
				    "for ever");
		KUNIT_EXPECT_FALSE(test, has_work(rig));
		/* Somebody else comes: the while begins anew. */
		rig->now_ns += 10 * MS;
		add(rig, 0, FWY_READ, 0);
		KUNIT_EXPECT_TRUE(test, has_work(rig));
		KUNIT_EXPECT_EQ(test, serve(rig), 0);
		rig->now_ns = wake_ns;
		KUNIT_EXPECT_EQ(test, next(rig), -1);
		KUNIT_EXPECT_EQ(test, rig->decision.wake_ns, wake_ns + 10 * MS);
		rig->now_ns += 10 * MS - 1;
		KUNIT_EXPECT_EQ(test, next(rig), -1);
		rig->now_ns++;
		KUNIT_EXPECT_TRUE(test, fwy_sched_awake(&rig->sched));
		KUNIT_EXPECT_EQ(test, serve(rig), 1);
		KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_FAIR);
		expect_balanced_books(test);
	}
}

static void idle_class_is_not_a_reason_to_wait_for_itself(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	for (i = 0; i < 4; i++) {
		rig->item[i].weight = 0;
		add(rig, i, FWY_READ, 100 * i);
	}
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, serve(rig), i);
	add(rig, 0, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
}

/* One request a while, whoever else comes; and no more than that. */
static void idle_class_never_starves_and_never_takes_much(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int is_sorted, step, i, idle;
	u64 last_ns, worst_ns;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		idle = 0;
		worst_ns = 0;
		last_ns = rig->now_ns;
		for (i = 1; i < 8; i++) {
			rig->item[i].weight = 0;
			add(rig, i, FWY_READ, 100 * i);
		}
		add(rig, 0, FWY_READ, 0);
		for (step = 0; step < 6000; step++) {
			rig->now_ns += 10 * MS;
			i = serve(rig);
			KUNIT_ASSERT_GE(test, i, 0);
			if (i > 0) {
				idle++;
				worst_ns = max(worst_ns, rig->now_ns - last_ns);
				last_ns = rig->now_ns;
			}
			add(rig, i, FWY_READ, 100 * i);
		}
		/* A minute. */
		KUNIT_EXPECT_LE_MSG(test, worst_ns, 6 * NSEC_PER_SEC, "starves");
		KUNIT_EXPECT_GE_MSG(test, idle, 10, "starves");
		KUNIT_EXPECT_LE_MSG(test, idle, 30, "takes much");
	}
}

/* To starve takes a while: that it was not there before is no reason. */
static void idle_class_that_comes_late_waits_like_any(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int is_sorted, step;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		rig->now_ns += 3600 * NSEC_PER_SEC;
		rig->item[1].weight = 0;
		add(rig, 1, FWY_READ, 100);
		for (step = 0; step < 100; step++) {
			rig->now_ns += 10 * MS;
			add(rig, 0, FWY_READ, 0);
			KUNIT_EXPECT_EQ(test, serve(rig), 0);
		}
	}
}

/* ---- whether to ask ------------------------------------------------------- */

static void full_device_is_asked_again_after_a_completion_only(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int is_sorted;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		/* Elsewhere one more waits at the driver. */
		rig->depth = is_sorted ? 1 : 0;
		add(rig, 0, FWY_READ, 0);
		KUNIT_EXPECT_TRUE(test, has_work(rig));
		KUNIT_EXPECT_EQ(test, next(rig), 0);
		KUNIT_EXPECT_FALSE(test, has_work(rig));
		add(rig, 1, FWY_READ, 100);
		KUNIT_EXPECT_FALSE(test, has_work(rig));
		KUNIT_EXPECT_EQ(test, next(rig), -1);
		KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_BUSY);
		KUNIT_EXPECT_EQ(test, rig->decision.wake_ns, 0);
		KUNIT_EXPECT_TRUE(test, done(rig, 0));
		KUNIT_EXPECT_TRUE(test, has_work(rig));
	}
}

static void nothing_queued_is_no_reason_to_ask(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	add(rig, 0, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	KUNIT_EXPECT_FALSE(test, done(rig, 0));
	KUNIT_EXPECT_FALSE(test, has_work(rig));
}

/* A process that sends one after the other fills a device that takes many. */
static void who_has_the_turn_fills_the_device(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig->depth = 4;
	for (i = 0; i < 6; i++) {
		rig->item[i].flow = &rig->flow[0];
		add(rig, i, FWY_READ, 8 * i);
		/* It is asked at the latest then when there is something. */
		KUNIT_EXPECT_TRUE_MSG(test, has_work(rig) || i >= 4, "item %d",
				      i);
		KUNIT_EXPECT_EQ(test, next(rig), i < 4 ? i : -1);
		/* Nor is it asked for nothing while it has none. */
		KUNIT_EXPECT_EQ(test, next(rig), -1);
		KUNIT_EXPECT_FALSE(test, has_work(rig));
	}
}

/* A process has read, and thinks; another waits. */
static void think_start(struct sched_rig *rig)
{
	rig_start(rig, true);
	add(rig, 0, FWY_READ, 0);
	serve(rig);
	add(rig, 1, FWY_READ, 100000);
}

static void device_that_waits_is_asked_again_at_the_time_told(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_ANTICIPATE);
	KUNIT_EXPECT_EQ(test, rig->decision.wake_ns,
			rig->now_ns + ANTIC_MS * MS);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	/* Others change nothing. */
	add(rig, 2, FWY_READ, 200000);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	rig->now_ns = rig->decision.wake_ns;
	KUNIT_EXPECT_TRUE(test, fwy_sched_awake(&rig->sched));
	KUNIT_EXPECT_FALSE(test, fwy_sched_awake(&rig->sched));
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
}

/* A process was served; so long after it comes writeback, and is served when? */
static u64 spared_ns(struct sched_rig *rig, u64 think_ns, u64 after_ns)
{
	u64 began_ns;

	rig_start(rig, true);
	/* Its own habits are no reason to wait. */
	rig->flow[0].think_ns = NSEC_PER_SEC;
	rig->sched.sync.think_ns = think_ns;
	add(rig, 0, FWY_READ, 0);
	serve(rig);
	rig->now_ns += after_ns;
	began_ns = rig->now_ns;
	add(rig, 1, FWY_ASYNC, 5000);
	if (serve(rig) == 1)
		return 0;
	if (rig->decision.reason != FWY_REASON_ANTICIPATE || has_work(rig))
		return U64_MAX;
	rig->now_ns = rig->decision.wake_ns;
	if (!fwy_sched_awake(&rig->sched) || serve(rig) != 1)
		return U64_MAX;
	return rig->now_ns - began_ns;
}

static void writeback_waits_for_who_is_about_to_come(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, spared_ns(rig, MS, 0), ANTIC_MS * MS);
	KUNIT_EXPECT_EQ(test, spared_ns(rig, MS, MS), (ANTIC_MS - 1) * MS);
	KUNIT_EXPECT_EQ(test, spared_ns(rig, MS, ANTIC_MS * MS), 0);
	KUNIT_EXPECT_EQ(test, spared_ns(rig, ANTIC_MS * MS, 0), 0);
	/* And whoever comes goes first. */
	rig_start(rig, true);
	rig->flow[0].think_ns = NSEC_PER_SEC;
	add(rig, 0, FWY_READ, 0);
	serve(rig);
	add(rig, 1, FWY_ASYNC, 5000);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	add(rig, 2, FWY_ASYNC, 6000);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	rig->now_ns += MS;
	add(rig, 3, FWY_READ, 9000);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, serve(rig), 3);
	KUNIT_EXPECT_EQ(test, fwy_turn_sync_pending(&rig->sched), 0);
}

/* The device was kept idle for who is about to come, and is not any more. */
static void front_item_ends_the_wait_of_writeback(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	rig->depth = 2;
	rig->flow[0].think_ns = NSEC_PER_SEC;
	rig->item[2].sector = 0;
	rig->item[2].sectors = 8;
	rig->item[2].class = FWY_READ;
	add(rig, 0, FWY_READ, 0);
	serve(rig);
	add(rig, 1, FWY_ASYNC, 5000);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_ANTICIPATE);
	fwy_sched_add_front(&rig->sched, &rig->item[2]);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_BUSY);
	KUNIT_EXPECT_TRUE(test, done(rig, 2));
	KUNIT_EXPECT_EQ(test, next(rig), 1);
}

/* It asks for what stands with that of others: it will not go on where it is. */
static void who_asks_for_writeback_is_not_waited_for(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	add(rig, 2, FWY_ASYNC, 5000);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	rig->item[NR_FLOWS].flow = &rig->flow[0];
	add(rig, NR_FLOWS, FWY_ASYNC, 6000);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
}

/* A newcomer ends a turn that has had its least, unless the device is full. */
static void device_is_asked_again_when_somebody_ends_the_turn(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	rig->now_ns += 5 * MS;
	add(rig, 2, FWY_READ, 200000);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	/* Now it has had 16 ms of its turn. */
	rig->now_ns += 2 * MS;
	rig->sched.turn.arrived_ns -= 10 * MS;
	add(rig, 3, FWY_READ, 300000);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	rig_start(rig, true);
	add(rig, 0, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	rig->sched.turn.arrived_ns = rig->now_ns - 20 * MS;
	add(rig, 1, FWY_READ, 100000);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
}

/* The way to the first request of a turn is no use of it; that to others is. */
static void way_within_a_turn_is_part_of_a_request(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	u64 transfer_ns;

	rig->depth = 3;
	rig->item[1].flow = &rig->flow[0];
	rig->item[2].flow = &rig->flow[0];
	add(rig, 0, FWY_READ, 1000);
	add(rig, 1, FWY_READ, 1008);
	add(rig, 2, FWY_READ, 1100);
	transfer_ns = fwy_cost_ns(&rig->sched.cost, &rig->item[0]);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, next(rig), 2);
	KUNIT_EXPECT_EQ(test, rig->item[0].transfer_ns, transfer_ns);
	KUNIT_EXPECT_EQ(test, rig->item[1].transfer_ns, transfer_ns);
	KUNIT_EXPECT_EQ(test, rig->item[2].transfer_ns,
			transfer_ns + rig->sched.cost.switch_ns);
}

/* What comes ahead of the sweep passes what lies behind it by that much. */
static void item_behind_the_sweep_is_passed_by_no_more_than_may(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig->params.value[FWY_PASS_SECTORS] = 24;
	for (i = 0; i < 8; i++)
		rig->item[i].flow = &rig->flow[0];
	add(rig, 0, FWY_READ, 1000);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	add(rig, 1, FWY_READ, 0);
	for (i = 2; i < 5; i++) {
		add(rig, i, FWY_READ, 1000 + 8 * i);
		KUNIT_EXPECT_EQ(test, serve(rig), i);
	}
	add(rig, 5, FWY_READ, 2000);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	KUNIT_EXPECT_EQ(test, serve(rig), 5);
}

/* A writer that goes on ahead of the sweep keeps it going until then, not on. */
static void expect_writeback_waits_as_a_read(struct kunit *test, u64 sector)
{
	struct sched_rig *rig = test->priv;

	add(rig, 0, FWY_ASYNC, 1000);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	add(rig, 1, FWY_ASYNC, sector);
	rig->now_ns += READ_MS * NSEC_PER_MSEC - 1;
	add(rig, 2, FWY_ASYNC, 2000);
	add(rig, 3, FWY_ASYNC, 3000);
	KUNIT_EXPECT_EQ(test, serve(rig), 2);
	add(rig, 4, FWY_ASYNC, 4000);
	rig->now_ns++;
	KUNIT_EXPECT_EQ(test, serve(rig), 3);
	add(rig, 5, FWY_ASYNC, 5000);
	KUNIT_EXPECT_EQ(test, serve(rig), 4);
	add(rig, 6, FWY_ASYNC, 6000);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	KUNIT_EXPECT_EQ(test, serve(rig), 5);
	KUNIT_EXPECT_EQ(test, serve(rig), 6);
}

static void writeback_behind_the_sweep_waits_as_long_as_a_read_may(struct kunit *test)
{
	expect_writeback_waits_as_a_read(test, 0);
}

/* The sweep would come to it, but for those that come in between. */
static void writeback_far_ahead_waits_as_long_as_a_read_may(struct kunit *test)
{
	expect_writeback_waits_as_a_read(test, 900000);
}

static void nobody_waits_for_writeback_wherever_it_is(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	rig->depth = 2;
	add(rig, 0, FWY_ASYNC, 0);
	KUNIT_EXPECT_EQ(test, fwy_turn_sync_pending(&rig->sched), 0);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	KUNIT_EXPECT_EQ(test, fwy_turn_sync_pending(&rig->sched), 0);
	add(rig, 1, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, fwy_turn_sync_pending(&rig->sched), 1);
	KUNIT_EXPECT_EQ(test, next(rig), 1);
	KUNIT_EXPECT_EQ(test, fwy_turn_sync_pending(&rig->sched), 1);
	done(rig, 0);
	done(rig, 1);
	rig->item[2].weight = 0;
	add(rig, 2, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, fwy_turn_sync_pending(&rig->sched), 0);
}

/* Two at once are no gap. */
static void gap_begins_when_nobody_has_anything(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	const struct fwy_gaps *gaps = &rig->sched.sync;
	int i;

	/* None of them keeps the device. */
	for (i = 0; i < 4; i++)
		rig->flow[i].think_ns = NSEC_PER_SEC;
	add(rig, 4, FWY_ASYNC, 0);
	add(rig, 0, FWY_READ, 0);
	add(rig, 1, FWY_READ, 8);
	KUNIT_EXPECT_EQ(test, fwy_turn_sync_pending(&rig->sched), 2);
	serve(rig);
	rig->now_ns += 8 * MS;
	add(rig, 2, FWY_READ, 16);
	KUNIT_EXPECT_EQ(test, gaps->think_ns, 0);
	while (fwy_turn_sync_pending(&rig->sched))
		KUNIT_ASSERT_TRUE(test, serve(rig) >= 0);
	rig->now_ns += 8 * MS;
	add(rig, 5, FWY_ASYNC, 0);
	KUNIT_EXPECT_EQ(test, gaps->think_ns, 0);
	add(rig, 3, FWY_READ, 24);
	KUNIT_EXPECT_EQ(test, gaps->think_ns, MS);
}

/* Somebody has something, if only in the next round: nobody is about to come. */
static void writeback_waits_for_nobody_while_somebody_waits(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	rig->flow[0].think_ns = NSEC_PER_SEC;
	add(rig, 0, FWY_READ, 0);
	serve(rig);
	rig->flow[2].queue.key = rig->sched.fair.now + 1;
	add(rig, 2, FWY_READ, 9000);
	add(rig, 1, FWY_ASYNC, 5000);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
}

/* Of two that had a turn in this round each lets pass one who is due. */
static void who_had_a_turn_lets_pass_one_who_is_due(struct kunit *test)
{
	static const int order[] = { 2, 0, 3, 1, 4 };
	struct sched_rig *rig = test->priv;
	int i;

	rig->sched.fair.now = 7;
	for (i = 0; i < 5; i++)
		rig->flow[i].queue.key = 7;
	for (i = 0; i < 2; i++) {
		rig->flow[i].queue.is_light = true;
		rig->flow[i].queue.counted = 7;
		/* Its turn ends with its request. */
		rig->flow[i].think_ns = NSEC_PER_SEC;
	}
	for (i = 2; i < 5; i++) {
		rig->flow[i].think_ns = NSEC_PER_SEC;
		add(rig, i, FWY_READ, 1000 * i);
	}
	rig->now_ns += READ_MS * MS;
	for (i = 0; i < 2; i++)
		add(rig, i, FWY_READ, 1000 * i);
	for (i = 0; i < ARRAY_SIZE(order); i++)
		KUNIT_EXPECT_EQ_MSG(test, serve(rig), order[i], "turn %d", i);
}

/* However many come new: after its expiry it is first. */
static void late_writeback_precedes_who_comes_new(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	u64 until_ns = rig->now_ns + ASYNC_MS * MS;
	int i;

	/* What they have together is no reason. */
	rig->params.value[FWY_ROUND_MS] = 60000;
	add(rig, 0, FWY_ASYNC, 0);
	for (i = 1; rig->now_ns < until_ns; i++, rig->now_ns += 500 * MS) {
		add(rig, i, FWY_READ, 1000 * i);
		KUNIT_EXPECT_EQ(test, serve(rig), i);
	}
	add(rig, i, FWY_READ, 1000 * i);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
}

/* A process that had its one request ends, and there is another. */
static void come_new(struct sched_rig *rig, int i, int rounds)
{
	fwy_sched_forget(&rig->sched, &rig->flow[i]);
	fwy_flow_init(&rig->flow[i]);
	rig->item[i].flow = &rig->flow[i];
	add(rig, i, FWY_READ, (i * 100000 + rounds * 7919) % 9000000);
}

/*
 * A shell's loop: @newcomers processes at a time, each of which does one request far
 * away and ends, and then there is another.  Returns the longest time in which a process
 * that always has more was not served, of @rounds requests.
 */
static u64 longest_beside_newcomers(struct sched_rig *rig, int newcomers,
				    int rounds)
{
	u64 last_ns = rig->now_ns, longest_ns = 0, sector = 10000000;
	int i, from = 1;

	add(rig, 0, FWY_READ, sector);
	for (i = from; i < from + newcomers; i++)
		add(rig, i, FWY_READ, i * 100000);
	while (rounds--) {
		i = next(rig);
		if (i < 0) {
			rig->now_ns += MS;
			fwy_sched_awake(&rig->sched);
			continue;
		}
		rig->now_ns += 10 * MS;
		done(rig, i);
		if (i) {
			come_new(rig, i, rounds);
			continue;
		}
		longest_ns = max(longest_ns, rig->now_ns - last_ns);
		last_ns = rig->now_ns;
		add(rig, 0, FWY_READ, sector += 8);
	}
	return max(longest_ns, rig->now_ns - last_ns);
}

/*
 * Those that come new are first until they had as much as a round is.  Elsewhere they are
 * served like those who were there before, so within two rounds.
 */
static void who_comes_new_without_end_starves_nobody(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int newcomers;

	for (newcomers = 1; newcomers <= 4; newcomers++) {
		rig_start(rig, true);
		KUNIT_EXPECT_LE_MSG(test,
				    longest_beside_newcomers(rig, newcomers, 3000),
				    1000 * MS, "%d where seeks cost", newcomers);
		rig_start(rig, false);
		KUNIT_EXPECT_LE_MSG(test,
				    longest_beside_newcomers(rig, newcomers, 3000),
				    2 * (newcomers + 1) * 10 * MS, "%d elsewhere",
				    newcomers);
	}
}

/* What newcomers have is not more than virtual time goes on by. */
static void unsorted_weights_hold_beside_newcomers(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i, rounds, served[6] = {};

	rig_start(rig, false);
	rig->item[0].weight = 2 * FWY_WEIGHT;
	for (i = 0; i < 6; i++)
		add(rig, i, FWY_READ, i * 100000);
	for (rounds = 3000; rounds; rounds--) {
		i = next(rig);
		KUNIT_ASSERT_GE(test, i, 0);
		rig->now_ns += 10 * MS;
		done(rig, i);
		served[i]++;
		if (i > 1)
			come_new(rig, i, rounds);
		else
			add(rig, i, FWY_READ, i * 100000);
	}
	KUNIT_EXPECT_GE(test, served[1], 3000 / 12);
	KUNIT_EXPECT_GE_MSG(test, 10 * served[0], 19 * served[1], "%d beside %d",
			    served[0], served[1]);
}

static void device_that_waits_is_asked_again_when_who_it_waits_for_comes(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	rig->now_ns += MS;
	add(rig, 0, FWY_READ, 8);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_TURN);
}

/* The crowd goes on with whoever of it comes. */
static void device_that_waits_for_the_crowd_takes_any_of_it(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	make_seeky(rig, 0);
	make_seeky(rig, 1);
	add(rig, 0, FWY_READ, 5000000);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	add(rig, 2, FWY_READ, 100000);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_ANTICIPATE);
	add(rig, 1, FWY_READ, 9000000);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_TURN);
}

/* It is used to take longer than a wait may last. */
static void device_does_not_wait_for_who_thinks_for_long(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	for (i = 0; i < 20; i++) {
		add(rig, 0, FWY_READ, 8 * i);
		KUNIT_EXPECT_EQ(test, serve(rig), 0);
		rig->now_ns += 2 * ANTIC_MS * MS;
	}
	add(rig, 0, FWY_READ, 8 * i);
	serve(rig);
	add(rig, 1, FWY_READ, 100000);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
}

/* It asks, but for something that stands elsewhere: it will not go on here. */
static void device_that_waits_is_asked_again_when_the_wait_is_in_vain(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	rig->item[2].flow = &rig->flow[0];
	add(rig, 2, FWY_ASYNC, 900000);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
}

/* The device had enough for the turn of one, but not for that of another. */
static void stall_does_not_outlive_what_was_to_be_dispatched(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	rig->depth = 32;
	rig->sched.cost.sector_ns[0] = 10000;
	rig->item[0].class = FWY_ASYNC;
	rig->item[0].sector = 0;
	rig->item[0].sectors = 20000;
	fwy_sched_add(&rig->sched, &rig->item[0], rig->now_ns);
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	add(rig, 1, FWY_READ, 100000);
	rig->item[2].weight = 100 * FWY_WEIGHT;
	add(rig, 2, FWY_READ, 900000);
	fwy_sched_awake(&rig->sched);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_BUSY);
	fwy_sched_remove(&rig->sched, &rig->item[1]);
	/* It had the turn, and would ask again, so it is over by its knob. */
	rig->params.value[FWY_ANTIC_US] = 0;
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, next(rig), 2);
}

/*
 * A time that was read before the request was dispatched, or on another CPU before the
 * one before it completed, is no time that it took.
 */
static void completion_before_its_time_teaches_nothing(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	struct fwy_cost *cost = &rig->sched.cost;
	int i;

	for (i = 0; i < 100; i++) {
		add(rig, 0, FWY_READ, i * 100000);
		fwy_sched_awake(&rig->sched);
		KUNIT_ASSERT_EQ(test, next(rig), 0);
		if (i % 2)
			rig->now_ns += 10 * NSEC_PER_MSEC;
		fwy_sched_done(&rig->sched, &rig->item[0],
			       i % 2 ? rig->now_ns : rig->now_ns - 200, true);
	}
	KUNIT_EXPECT_LE(test, cost->switch_ns, 10 * NSEC_PER_MSEC);
	KUNIT_EXPECT_LE(test, cost->seek_ns, 10 * NSEC_PER_MSEC);
	/* Of two that the device had at a time. */
	add(rig, 0, FWY_READ, 0);
	fwy_sched_awake(&rig->sched);
	KUNIT_ASSERT_EQ(test, next(rig), 0);
	rig->now_ns += 10 * NSEC_PER_MSEC;
	cost->done_ns = rig->now_ns + 200;
	fwy_sched_done(&rig->sched, &rig->item[0], rig->now_ns, true);
	KUNIT_EXPECT_EQ(test, cost->done_ns, rig->now_ns + 200);
}

/* All was merged away, and the answer tells no time: the older one is void. */
static void time_told_does_not_outlive_what_was_queued(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	fwy_sched_remove(&rig->sched, &rig->item[1]);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->decision.reason, FWY_REASON_NONE);
	KUNIT_EXPECT_EQ(test, rig->decision.wake_ns, 0);
	add(rig, 1, FWY_READ, 100000);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_GE_MSG(test, rig->decision.wake_ns, rig->now_ns, "told");
}

static void front_item_is_asked_for_whatever_else_is_waited_for(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	rig->item[2].sector = 0;
	rig->item[2].sectors = 8;
	rig->item[2].class = FWY_READ;
	fwy_sched_add_front(&rig->sched, &rig->item[2]);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, serve(rig), 2);
}

/* ---- merges -------------------------------------------------------------- */

static void front_merge_moves_the_item(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	struct fwy_queue *queue = &rig->flow[0].queue;

	rig->item[1].flow = &rig->flow[0];
	add(rig, 0, FWY_READ, 100);
	add(rig, 1, FWY_READ, 200);
	KUNIT_EXPECT_PTR_EQ(test, fwy_queue_find(queue, 200, false), &rig->item[1]);
	fwy_sched_resize(&rig->sched, &rig->item[1], 50, 158);
	KUNIT_EXPECT_NULL(test, fwy_queue_find(queue, 200, false));
	KUNIT_EXPECT_PTR_EQ(test, fwy_queue_find(queue, 50, false), &rig->item[1]);
	KUNIT_EXPECT_EQ(test, rig->item[1].sectors, 158);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	KUNIT_EXPECT_EQ(test, rig->sched.head, 50 + 158);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	expect_balanced_books(test);
}

/* Another process's bio went into its request: it goes on behind both. */
static void back_merge_is_where_the_flow_goes_on(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	add(rig, 0, FWY_READ, 100);
	fwy_sched_resize(&rig->sched, &rig->item[0], 100, 5000);
	KUNIT_EXPECT_EQ(test, rig->item[0].sectors, 5000);
	KUNIT_EXPECT_EQ(test, rig->flow[0].next_sector, 5100);
	fwy_sched_resize(&rig->sched, &rig->item[0], 50, 5050);
	KUNIT_EXPECT_EQ(test, rig->flow[0].next_sector, 5100);
}

static void absorb(struct sched_rig *rig, int i, int gone)
{
	fwy_sched_resize(&rig->sched, &rig->item[i], rig->item[i].sector, 16);
	fwy_sched_absorb(&rig->sched, &rig->item[i], &rig->item[gone]);
}

static void absorbing_an_older_item_takes_its_place(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	for (i = 0; i < 3; i++)
		rig->item[i].flow = &rig->flow[0];
	add(rig, 0, FWY_READ, 108);	/* the older one */
	rig->now_ns += 10 * MS;
	add(rig, 1, FWY_READ, 500);
	rig->now_ns += 10 * MS;
	add(rig, 2, FWY_READ, 100);
	absorb(rig, 2, 0);
	KUNIT_EXPECT_EQ(test, rig->item[0].state, FWY_ITEM_IDLE);
	KUNIT_EXPECT_EQ(test, rig->item[2].added_ns, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, rig->sched.queued, 2);
	KUNIT_EXPECT_EQ(test, rig->flow[0].pending, 2);
	KUNIT_EXPECT_EQ(test, serve(rig), 2);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	KUNIT_EXPECT_EQ(test, serve(rig), -1);
	expect_balanced_books(test);
}

static void absorbing_a_younger_item_keeps_the_place(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	for (i = 0; i < 3; i++)
		rig->item[i].flow = &rig->flow[0];
	add(rig, 0, FWY_READ, 100);
	add(rig, 1, FWY_READ, 500);
	rig->now_ns += 10 * MS;
	add(rig, 2, FWY_READ, 108);
	absorb(rig, 0, 2);
	KUNIT_EXPECT_EQ(test, rig->item[0].added_ns, NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	expect_balanced_books(test);
}

/* The place of another queue is not its to take. */
static void absorbing_from_another_queue_keeps_the_place(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int is_sorted;

	for (is_sorted = 0; is_sorted < 2; is_sorted++) {
		rig_start(rig, is_sorted);
		rig->item[2].flow = &rig->flow[1];
		add(rig, 0, FWY_READ, 108);
		rig->now_ns += 10 * MS;
		add(rig, 1, FWY_READ, 90);
		add(rig, 2, FWY_READ, 100);
		absorb(rig, 2, 0);
		KUNIT_EXPECT_EQ(test, rig->item[2].added_ns, rig->now_ns);
		KUNIT_EXPECT_EQ(test, rig->flow[0].pending, 0);
		KUNIT_EXPECT_EQ(test, rig->sched.queued, 2);
		KUNIT_EXPECT_EQ(test, serve(rig), 1);
		KUNIT_EXPECT_EQ(test, serve(rig), 2);
		KUNIT_EXPECT_EQ(test, serve(rig), -1);
		expect_balanced_books(test);
	}
}

/* Where the order is by sector its age counts for when it is late. */
static void absorbed_age_makes_an_item_late(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	for (i = 0; i < 4; i++)
		rig->item[i].flow = &rig->flow[0];
	add(rig, 0, FWY_READ, 9008);
	rig->now_ns += READ_MS * MS - 1;
	add(rig, 1, FWY_READ, 100);
	add(rig, 2, FWY_READ, 9000);
	absorb(rig, 2, 0);
	rig->now_ns++;
	KUNIT_EXPECT_EQ(test, serve(rig), 2);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
}

static void removed_item_of_the_crowd_is_no_longer_counted(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	make_seeky(rig, 0);
	add(rig, 0, FWY_READ, 5000000);
	KUNIT_EXPECT_EQ(test, rig->sched.crowd_flows, 1);
	fwy_sched_remove(&rig->sched, &rig->item[0]);
	KUNIT_EXPECT_FALSE(test, fwy_fair_has(&rig->sched.crowd));
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	expect_balanced_books(test);
}

/* ---- what may change at run time ------------------------------------------ */

static void queued_items_outlive_a_change_of_order(struct kunit *test)
{
	static const u64 sector[] = { 900, 100, 500, 300 };
	static const int by_sector[] = { 1, 3, 2, 0 };
	struct sched_rig *rig = test->priv;
	int was_sorted, i;

	for (was_sorted = 0; was_sorted < 2; was_sorted++) {
		rig_start(rig, was_sorted);
		rig->depth = 2;
		for (i = 0; i < 6; i++)
			rig->item[i].flow = &rig->flow[0];
		for (i = 0; i < 4; i++)
			add(rig, i, FWY_READ, sector[i]);
		add(rig, 8, FWY_READ, 0);
		i = next(rig);
		KUNIT_EXPECT_EQ(test, i, was_sorted ? 1 : 0);
		fwy_sched_set_sorted(&rig->sched, !was_sorted, rig->now_ns);
		KUNIT_EXPECT_TRUE(test, has_work(rig));
		done(rig, i);
		for (i = 1; i < 4; i++)
			add(rig, 8 + i, FWY_READ, 0);
		for (i = 0; i < 7; i++) {
			rig->now_ns += 200 * MS;
			KUNIT_EXPECT_GE_MSG(test, serve(rig), 0, "item %d", i);
		}
		expect_balanced_books(test);
	}
	/* And one flow's keep their order among each other. */
	rig_start(rig, true);
	for (i = 0; i < 4; i++) {
		rig->item[i].flow = &rig->flow[0];
		add(rig, i, FWY_READ, sector[i]);
	}
	fwy_sched_set_sorted(&rig->sched, false, rig->now_ns);
	fwy_sched_set_sorted(&rig->sched, true, rig->now_ns);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, serve(rig), by_sector[i]);
}

static void change_of_order_ends_every_stall(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	fwy_sched_set_sorted(&rig->sched, false, rig->now_ns);
	KUNIT_EXPECT_TRUE(test, has_work(rig));
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
}

/* Items added without a round must not spoil the sweep that follows. */
static void sweep_begins_well_after_a_change_of_order(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i;

	rig_start(rig, false);
	for (i = 0; i < 4; i++)
		rig->item[i].flow = &rig->flow[0];
	rig->item[0].round = U64_MAX;
	add(rig, 0, FWY_READ, 500);
	fwy_sched_set_sorted(&rig->sched, true, rig->now_ns);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	add(rig, 1, FWY_READ, 900);
	add(rig, 2, FWY_READ, 100);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	KUNIT_EXPECT_EQ(test, serve(rig), 2);
}

/* Who has had much where a key is sectors is not made to wait as many rounds. */
static void change_of_order_forgives_what_was_used(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	int i, turns = 0;

	rig_start(rig, false);
	add(rig, 0, FWY_READ, 0);
	add(rig, 1, FWY_READ, 0);
	rig->item[0].sectors = 1 << 20;
	serve(rig);
	serve(rig);
	fwy_sched_set_sorted(&rig->sched, true, rig->now_ns);
	add(rig, 1, FWY_READ, 100);
	add(rig, 0, FWY_READ, 9000);
	for (i = -1; turns < 20 && i != 0; turns++) {
		i = serve(rig);
		/* Each that goes first uses its share of the round up. */
		rig->now_ns += 200 * MS;
		if (i > 0)
			add(rig, i, FWY_READ, 100);
		rig->params.value[FWY_READ_EXPIRE_MS] = 60000;
	}
	KUNIT_EXPECT_LE_MSG(test, turns, 3, "it stands in a round far ahead");
}

/* Nobody noted when it was dispatched, so nothing is to be learned from it. */
static void item_of_before_the_change_teaches_nothing(struct kunit *test)
{
	struct sched_rig *rig = test->priv;
	struct fwy_cost was;

	rig_start(rig, false);
	add(rig, 0, FWY_READ, 500);
	rig->item[0].is_near = false;
	rig->item[0].dispatched_ns = 0;
	KUNIT_EXPECT_EQ(test, next(rig), 0);
	fwy_sched_set_sorted(&rig->sched, true, rig->now_ns);
	was = rig->sched.cost;
	rig->now_ns += NSEC_PER_SEC;
	done(rig, 0);
	KUNIT_EXPECT_EQ(test, rig->sched.cost.switch_ns, was.switch_ns);
	KUNIT_EXPECT_EQ(test, rig->sched.cost.sector_ns[0], was.sector_ns[0]);
}

static void flow_that_ends_gives_up_what_it_has(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	/* Nothing at all. */
	KUNIT_EXPECT_FALSE(test, fwy_sched_forget(&rig->sched, &rig->flow[5]));
	/* The turn, while another waits. */
	think_start(rig);
	KUNIT_EXPECT_EQ(test, next(rig), -1);
	KUNIT_EXPECT_FALSE(test, has_work(rig));
	KUNIT_EXPECT_TRUE(test, fwy_sched_forget(&rig->sched, &rig->flow[0]));
	KUNIT_EXPECT_NULL(test, rig->sched.turn.queue);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	/* The turn, and nobody waits. */
	KUNIT_EXPECT_FALSE(test, fwy_sched_forget(&rig->sched, &rig->flow[1]));
	KUNIT_EXPECT_NULL(test, rig->sched.turn.queue);
	/* Whoever comes to lie where it was has a way to go. */
	KUNIT_EXPECT_NULL(test, rig->sched.turn.last);
}

/* Where each request is a turn an empty queue keeps its place. */
static void unsorted_flow_that_ends_leaves_no_place(struct kunit *test)
{
	struct sched_rig *rig = test->priv;

	rig_start(rig, false);
	add(rig, 0, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, serve(rig), 0);
	fwy_sched_forget(&rig->sched, &rig->flow[0]);
	KUNIT_EXPECT_FALSE(test, fwy_fair_has(&rig->flow[0].queue));
	KUNIT_EXPECT_EQ(test, rig->sched.fair.nr_backlog, 0);
	fwy_flow_init(&rig->flow[0]);
	add(rig, 1, FWY_READ, 0);
	KUNIT_EXPECT_EQ(test, serve(rig), 1);
	KUNIT_EXPECT_EQ(test, serve(rig), -1);
}

static struct kunit_case sched_cases[] = {
	KUNIT_CASE(empty_scheduler_has_nothing),
	KUNIT_CASE(front_items_go_first_in_the_order_they_came),
	KUNIT_CASE(front_order_knows_no_direction_age_or_knob),
	KUNIT_CASE(requeued_item_goes_first_and_the_books_balance),
	KUNIT_CASE(unsorted_flow_keeps_its_order),
	KUNIT_CASE(unsorted_order_does_not_look_at_the_time),
	KUNIT_CASE(unsorted_service_is_by_weight_whatever_the_size),
	KUNIT_CASE(unsorted_seldom_one_passes_the_backlog),
	KUNIT_CASE(unsorted_newcomer_has_nothing_to_catch_up),
	KUNIT_CASE(unsorted_device_has_one_more_waiting_at_the_driver),
	KUNIT_CASE(unsorted_pieces_go_one_behind_the_other),
	KUNIT_CASE(unsorted_pieces_have_no_more_than_their_share),
	KUNIT_CASE(unsorted_others_than_pieces_go_in_turn),
	KUNIT_CASE(unsorted_pieces_are_charged),
	KUNIT_CASE(unsorted_pieces_let_pass_who_wants_little),
	KUNIT_CASE(unsorted_run_of_pieces_ends),
	KUNIT_CASE(unsorted_rest_of_pieces_may_be_gone),
	KUNIT_CASE(turn_sweeps_upward_and_keeps_the_device),
	KUNIT_CASE(stream_passes_no_more_than_is_allowed_in_either_unit),
	KUNIT_CASE(queue_whose_wait_expired_precedes_the_turn),
	KUNIT_CASE(oldest_of_a_queue_goes_first_once_a_turn_when_late),
	KUNIT_CASE(one_deep_seeky_flows_share_a_sweep),
	KUNIT_CASE(crowd_is_for_the_one_deep_and_seeky_of_usual_weight),
	KUNIT_CASE(few_of_the_crowd_are_in_the_device_at_a_time),
	KUNIT_CASE(crowd_is_let_in_together_now_and_then),
	KUNIT_CASE(crowd_is_in_a_disk_array_together),
	KUNIT_CASE(only_reads_tell_an_array),
	KUNIT_CASE(array_that_does_one_at_a_time_is_asked_with_an_empty_device),
	KUNIT_CASE(writeback_of_all_is_one_queue_of_its_own_weight),
	KUNIT_CASE(idle_class_waits_until_nobody_came_for_a_while),
	KUNIT_CASE(idle_class_is_not_a_reason_to_wait_for_itself),
	KUNIT_CASE(idle_class_never_starves_and_never_takes_much),
	KUNIT_CASE(idle_class_that_comes_late_waits_like_any),
	KUNIT_CASE(full_device_is_asked_again_after_a_completion_only),
	KUNIT_CASE(nothing_queued_is_no_reason_to_ask),
	KUNIT_CASE(who_has_the_turn_fills_the_device),
	KUNIT_CASE(device_that_waits_is_asked_again_at_the_time_told),
	KUNIT_CASE(writeback_waits_for_who_is_about_to_come),
	KUNIT_CASE(device_is_asked_again_when_somebody_ends_the_turn),
	KUNIT_CASE(way_within_a_turn_is_part_of_a_request),
	KUNIT_CASE(item_behind_the_sweep_is_passed_by_no_more_than_may),
	KUNIT_CASE(writeback_behind_the_sweep_waits_as_long_as_a_read_may),
	KUNIT_CASE(writeback_far_ahead_waits_as_long_as_a_read_may),
	KUNIT_CASE(nobody_waits_for_writeback_wherever_it_is),
	KUNIT_CASE(gap_begins_when_nobody_has_anything),
	KUNIT_CASE(front_item_ends_the_wait_of_writeback),
	KUNIT_CASE(who_asks_for_writeback_is_not_waited_for),
	KUNIT_CASE(writeback_waits_for_nobody_while_somebody_waits),
	KUNIT_CASE(who_had_a_turn_lets_pass_one_who_is_due),
	KUNIT_CASE(late_writeback_precedes_who_comes_new),
	KUNIT_CASE(who_comes_new_without_end_starves_nobody),
	KUNIT_CASE(unsorted_weights_hold_beside_newcomers),
	KUNIT_CASE(device_that_waits_is_asked_again_when_who_it_waits_for_comes),
	KUNIT_CASE(device_that_waits_for_the_crowd_takes_any_of_it),
	KUNIT_CASE(device_does_not_wait_for_who_thinks_for_long),
	KUNIT_CASE(device_that_waits_is_asked_again_when_the_wait_is_in_vain),
	KUNIT_CASE(stall_does_not_outlive_what_was_to_be_dispatched),
	KUNIT_CASE(completion_before_its_time_teaches_nothing),
	KUNIT_CASE(time_told_does_not_outlive_what_was_queued),
	KUNIT_CASE(front_item_is_asked_for_whatever_else_is_waited_for),
	KUNIT_CASE(front_merge_moves_the_item),
	KUNIT_CASE(back_merge_is_where_the_flow_goes_on),
	KUNIT_CASE(absorbing_an_older_item_takes_its_place),
	KUNIT_CASE(absorbing_a_younger_item_keeps_the_place),
	KUNIT_CASE(absorbing_from_another_queue_keeps_the_place),
	KUNIT_CASE(absorbed_age_makes_an_item_late),
	KUNIT_CASE(removed_item_of_the_crowd_is_no_longer_counted),
	KUNIT_CASE(queued_items_outlive_a_change_of_order),
	KUNIT_CASE(change_of_order_ends_every_stall),
	KUNIT_CASE(sweep_begins_well_after_a_change_of_order),
	KUNIT_CASE(change_of_order_forgives_what_was_used),
	KUNIT_CASE(item_of_before_the_change_teaches_nothing),
	KUNIT_CASE(flow_that_ends_gives_up_what_it_has),
	KUNIT_CASE(unsorted_flow_that_ends_leaves_no_place),
	{}
};

static struct kunit_suite sched_suite = {
	.name = "fairway_sched",
	.init = sched_init,
	.test_cases = sched_cases,
};

kunit_test_suite(sched_suite);
