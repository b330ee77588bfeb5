// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/turn.c: how long a queue keeps a disk that seeks.
 */
#include <kunit/test.h>
#include <linux/time64.h>

#include "core/core.h"

#define NR_FLOWS	24
#define MS		((u64)NSEC_PER_MSEC)

/* Knobs of these tests, whatever the defaults are. */
#define ROUND_MS	200
#define MIN_MS		20
#define MAX_MS		100
#define ANTIC_MS	8
#define READ_MS		5000
#define ASYNC_MS	4000

/* The device of these tests: ns for a sector, and to go elsewhere. */
#define SECTOR_NS	10000
#define SWITCH_NS	(10 * MS)

struct turn_rig {
	struct fwy_params params;
	struct fwy_sched sched;
	struct fwy_flow flow[NR_FLOWS];
	struct fwy_item item[NR_FLOWS];
	u64 now_ns;
};

static void rig_start(struct turn_rig *rig)
{
	u32 *value = rig->params.value;
	int i;

	fwy_params_init(&rig->params);
	value[FWY_ROUND_MS] = ROUND_MS;
	value[FWY_TURN_MIN_MS] = MIN_MS;
	value[FWY_TURN_MAX_MS] = MAX_MS;
	value[FWY_ANTIC_US] = ANTIC_MS * USEC_PER_MSEC;
	value[FWY_READ_EXPIRE_MS] = READ_MS;
	value[FWY_ASYNC_EXPIRE_MS] = ASYNC_MS;
	value[FWY_PASS_SECTORS] = 0;
	value[FWY_PASS_REQUESTS] = 0;
	value[FWY_ASYNC_WEIGHT_PCT] = 50;
	fwy_sched_init(&rig->sched, &rig->params, true);
	rig->sched.cost.sector_ns[0] = SECTOR_NS;
	rig->sched.cost.sector_ns[1] = SECTOR_NS;
	rig->sched.cost.switch_ns = SWITCH_NS;
	for (i = 0; i < NR_FLOWS; i++) {
		fwy_flow_init(&rig->flow[i]);
		fwy_item_init(&rig->item[i]);
		rig->item[i].flow = &rig->flow[i];
	}
	rig->now_ns = NSEC_PER_SEC;
}

static int turn_init(struct kunit *test)
{
	struct turn_rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	rig_start(rig);
	test->priv = rig;
	return 0;
}

static void add_sized(struct turn_rig *rig, int i, u64 sector, u32 sectors,
		      u32 weight)
{
	struct fwy_item *item = &rig->item[i];

	item->sector = sector;
	item->sectors = sectors;
	item->weight = weight;
	fwy_sched_add(&rig->sched, item, rig->now_ns);
}

static void add(struct turn_rig *rig, int i, u64 sector)
{
	add_sized(rig, i, sector, 8, FWY_WEIGHT);
}

/* As if a flow used up its turn in the last round. */
static void settle(struct turn_rig *rig, int i)
{
	rig->flow[i].queue.key = rig->sched.fair.now;
}

/* A flow's queue gets the device, whoever else waits. */
static void begin(struct turn_rig *rig, int i)
{
	struct fwy_queue *queue = &rig->flow[i].queue;

	if (fwy_fair_has(queue))
		fwy_fair_leave(&rig->sched.fair, queue);
	fwy_turn_begin(&rig->sched, queue, rig->now_ns);
}

static bool is_over(struct turn_rig *rig)
{
	return fwy_turn_is_over(&rig->sched, rig->now_ns);
}

static u64 quantum_ns(struct turn_rig *rig)
{
	return rig->sched.turn.quantum_ns;
}

/* The device takes an item of who has the turn, and has done it. */
static void dispatch(struct turn_rig *rig, int i)
{
	struct fwy_item *item = &rig->item[i];

	fwy_queue_remove(item->queue, item);
	item->queue->in_device++;
	item->state = FWY_ITEM_DISPATCHED;
	item->dispatched_ns = rig->now_ns;
	item->is_near = false;
	item->transfer_ns = fwy_cost_ns(&rig->sched.cost, item);
	rig->sched.queued--;
	rig->sched.in_device++;
	rig->sched.in_flight_ns += item->transfer_ns;
	fwy_turn_dispatched(&rig->sched, item);
}

static void done(struct turn_rig *rig, int i)
{
	fwy_sched_done(&rig->sched, &rig->item[i], rig->now_ns, true);
}

static void quantum_is_what_a_round_leaves_to_each_within_limits(struct kunit *test)
{
	static const struct {
		u32 round_ms, min_ms, max_ms;
		int others;
		u64 quantum_ns;
	} table[] = {
		{ 200, 20, 100, 0, 100 * MS },
		{ 200, 20, 100, 1, 100 * MS },
		{ 200, 20, 100, 3, 50 * MS },
		{ 200, 20, 100, 9, 20 * MS },
		{ 200, 20, 100, 20, 20 * MS },
		{ 200, 1, 60000, 0, 200 * MS },
		{ 200, 1, 60000, 2, 66666666 },
		{ 1, 1, 1, 0, MS },
		{ 1, 1, 60000, 20, MS },
		{ 60000, 1, 60000, 0, 60000 * MS },
		{ 60000, 60000, 60000, 20, 60000 * MS },
		/* A least that is more than the most holds. */
		{ 200, 50, 10, 3, 50 * MS },
	};
	struct turn_rig *rig = test->priv;
	int i, other;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig);
		rig->params.value[FWY_ROUND_MS] = table[i].round_ms;
		rig->params.value[FWY_TURN_MIN_MS] = table[i].min_ms;
		rig->params.value[FWY_TURN_MAX_MS] = table[i].max_ms;
		for (other = 0; other <= table[i].others; other++)
			add(rig, other, 0);
		begin(rig, 0);
		KUNIT_EXPECT_EQ_MSG(test, quantum_ns(rig), table[i].quantum_ns,
				    "row %d", i);
	}
}

static void quantum_is_by_weight(struct kunit *test)
{
	static const struct {
		u32 weight;
		u64 quantum_ns;
	} table[] = {
		{ 200, 80 * MS }, { 100, 50 * MS }, { 25, 15384615 },
		{ 1, 664451 }, { 3200, 640 * MS },
	};
	struct turn_rig *rig = test->priv;
	int i, other;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig);
		add_sized(rig, 0, 0, 8, table[i].weight);
		for (other = 1; other < 4; other++)
			add(rig, other, 0);
		begin(rig, 0);
		KUNIT_EXPECT_EQ_MSG(test, quantum_ns(rig), table[i].quantum_ns,
				    "row %d", i);
	}
}

/* Of four only one waits now, but the last round shows that all will be back. */
static void who_has_just_ended_a_turn_counts(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	int i, round;

	for (round = 0; round < 3; round++)
		for (i = 0; i < 4; i++) {
			add(rig, i, 0);
			begin(rig, i);
			if (round == 2)
				KUNIT_EXPECT_EQ_MSG(test, quantum_ns(rig),
						    ROUND_MS * MS / 4,
						    "flow %d", i);
			dispatch(rig, i);
			done(rig, i);
			rig->now_ns += quantum_ns(rig) - 8 * SECTOR_NS;
			fwy_turn_end(&rig->sched, rig->now_ns);
		}
}

/* One turn of a process that comes new, for all of its quantum. */
static void newcomer(struct turn_rig *rig, int i)
{
	add(rig, i, 0);
	begin(rig, i);
	dispatch(rig, i);
	done(rig, i);
	rig->now_ns += quantum_ns(rig);
	fwy_turn_end(&rig->sched, rig->now_ns);
}

/* They are before all others until they had a round together, in each round anew. */
static void newcomers_have_a_round_together_before_others(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_fair *fair = &rig->sched.fair;
	int i, round;

	for (round = 0; round < 3; round++) {
		u64 least = fair->now - 1;

		for (i = 0; i < 100 && fair->newcomer <= fair->now; i++) {
			add(rig, 5, 0);
			KUNIT_EXPECT_EQ(test, rig->flow[5].queue.key,
					max(least, fair->newcomer));
			KUNIT_EXPECT_LE(test, fair->newcomer, fair->now);
			fwy_sched_remove(&rig->sched, &rig->item[5]);
			fwy_flow_init(&rig->flow[5]);
			newcomer(rig, i % 4);
			fwy_flow_init(&rig->flow[i % 4]);
		}
		KUNIT_EXPECT_GE(test, i, 2);
		KUNIT_EXPECT_LE(test, i, 4);
		/* Now in the next round, by where they are. */
		for (i = 0; i < 3; i++)
			add(rig, i, 1000 * (3 - i));
		KUNIT_EXPECT_EQ(test, rig->flow[2].queue.key, fair->now + 1);
		for (i = 2; i >= 0; i--) {
			KUNIT_EXPECT_PTR_EQ(test, fwy_fair_first(fair),
					    &rig->flow[i].queue);
			fwy_sched_remove(&rig->sched, &rig->item[i]);
			fwy_flow_init(&rig->flow[i]);
		}
		/* That round begins. */
		rig->flow[4].queue.key = fair->now + 1;
		rig->flow[4].queue.counted = fair->now;
		newcomer(rig, 4);
		KUNIT_EXPECT_EQ(test, fair->newcomers_ns, 0);
	}
}

/* What one has in its first round counts, in however many turns. */
static void all_turns_of_a_newcomer_s_first_round_count(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_fair *fair = &rig->sched.fair;
	int i;

	for (i = 1; i <= 2; i++) {
		u64 before_ns = fair->newcomers_ns;

		add(rig, 0, 0);
		begin(rig, 0);
		dispatch(rig, 0);
		done(rig, 0);
		rig->now_ns += MS;
		fwy_turn_end(&rig->sched, rig->now_ns);
		KUNIT_EXPECT_GE(test, fair->newcomers_ns, before_ns + MS);
	}
	/* In the next one it was there before. */
	rig->flow[0].queue.key = fair->now + 1;
	add(rig, 0, 0);
	begin(rig, 0);
	dispatch(rig, 0);
	done(rig, 0);
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_EQ(test, fair->newcomers_ns, 0);
}

/* To go on where another was is no way past the others. */
static void newcomer_takes_over_no_turn_before_its_own(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_fair *fair = &rig->sched.fair;
	int i;

	for (i = 0; i < 3; i += 2)
		rig->flow[i].queue.counted = fair->now;
	add(rig, 0, 0);
	begin(rig, 0);
	dispatch(rig, 0);
	rig->sched.head = 8;
	done(rig, 0);
	fair->newcomer = fair->now + 1;
	add(rig, 1, 8);
	KUNIT_EXPECT_PTR_EQ(test, rig->sched.turn.queue, &rig->flow[0].queue);
	KUNIT_EXPECT_EQ(test, rig->flow[1].queue.key, fair->now + 1);
	add(rig, 2, 8);
	KUNIT_EXPECT_PTR_EQ(test, rig->sched.turn.queue, &rig->flow[2].queue);
}

/* Who has its share in two parts is one all the same. */
static void who_has_two_turns_in_a_round_counts_once(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	int i, round, part;

	for (round = 0; round < 4; round++)
		for (i = 0; i < 4; i++)
			for (part = 0; part < 2; part++) {
				add(rig, i, 0);
				begin(rig, i);
				if (round == 3)
					KUNIT_EXPECT_EQ(test,
							rig->sched.turn.share_ns -
							rig->sched.cost.switch_ns,
							ROUND_MS * MS / 4);
				dispatch(rig, i);
				done(rig, i);
				rig->now_ns += part ? quantum_ns(rig) : MS;
				fwy_turn_end(&rig->sched, rig->now_ns);
			}
}

static void way_to_the_first_request_is_no_use_of_the_turn(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	settle(rig, 1);
	add(rig, 0, 0);
	add(rig, 1, 0);
	begin(rig, 0);
	dispatch(rig, 0);
	rig->now_ns += 10 * quantum_ns(rig);
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	done(rig, 0);
	/* It has more: the time runs from here, that for the first included. */
	rig->flow[0].pending = 0;
	add(rig, 0, 8);
	rig->now_ns += quantum_ns(rig) - 8 * SECTOR_NS - 1;
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	rig->now_ns++;
	KUNIT_EXPECT_TRUE(test, is_over(rig));
}

static void turn_is_over_when_enough_is_in_the_device(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	u32 sectors;

	add(rig, 0, 0);
	begin(rig, 0);
	sectors = div_u64(quantum_ns(rig), SECTOR_NS);
	rig->item[0].sectors = sectors - 1;
	dispatch(rig, 0);
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	rig->item[1].flow = &rig->flow[0];
	rig->item[1].queue = &rig->flow[0].queue;
	add_sized(rig, 1, 8, 1, FWY_WEIGHT);
	dispatch(rig, 1);
	KUNIT_EXPECT_TRUE(test, is_over(rig));
}

/* Not one request, however large, is refused to who has just come. */
static void turn_is_not_over_before_its_first_request(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	add(rig, 0, 0);
	add(rig, 1, 0);
	begin(rig, 0);
	rig->now_ns += 10 * NSEC_PER_SEC;
	KUNIT_EXPECT_FALSE(test, is_over(rig));
}

/* A process that reads one after the other, and has nothing for a moment. */
static void pause_start(struct turn_rig *rig, u64 think_ns)
{
	rig_start(rig);
	add(rig, 0, 0);
	add(rig, 1, 1000);
	begin(rig, 0);
	rig->flow[0].think_ns = think_ns;
	dispatch(rig, 0);
	rig->now_ns += SWITCH_NS;
	done(rig, 0);
}

static void device_waits_for_a_process_up_to_a_time(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	pause_start(rig, MS);
	KUNIT_EXPECT_EQ(test, fwy_turn_wait_until(&rig->sched),
			rig->now_ns + ANTIC_MS * MS);
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	rig->now_ns += ANTIC_MS * MS - 1;
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	rig->now_ns++;
	KUNIT_EXPECT_TRUE(test, is_over(rig));
}

/* The knob is 0, or it thinks for longer than the knob or a seek takes. */
static void device_does_not_wait_where_it_cannot_pay(struct kunit *test)
{
	static const struct {
		u64 think_ns, seek_ns;
		u32 antic_us;
		bool is_over;
	} table[] = {
		{ 0, SWITCH_NS, 8000, false },
		{ 8 * MS - 1, SWITCH_NS, 8000, false },
		{ 8 * MS, SWITCH_NS, 8000, true },
		{ 5 * MS, 5 * MS + 1, 8000, false },
		{ 5 * MS, 5 * MS, 8000, true },
		{ 0, SWITCH_NS, 0, true },
		{ 0, SWITCH_NS, 1, false },
		{ 0, 0, 8000, true },
		{ 999 * MS, SWITCH_NS, 1000000, true },
	};
	struct turn_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		pause_start(rig, table[i].think_ns);
		rig->sched.cost.seek_ns = table[i].seek_ns;
		rig->params.value[FWY_ANTIC_US] = table[i].antic_us;
		KUNIT_EXPECT_EQ_MSG(test, is_over(rig), table[i].is_over,
				    "row %d", i);
	}
}

/* It waits for its own write, so it will not read: nothing to wait for here. */
static void device_does_not_wait_for_who_waits_elsewhere(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	pause_start(rig, MS);
	rig->item[2].flow = &rig->flow[0];
	rig->item[2].class = FWY_ASYNC;
	add(rig, 2, 0);
	KUNIT_ASSERT_PTR_EQ(test, rig->item[2].queue, &rig->sched.writeback);
	KUNIT_EXPECT_TRUE(test, is_over(rig));
}

/* The flusher is told to send one at a time, but it has its share of the round. */
static void device_waits_for_writeback_that_goes_on(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	rig->item[0].class = FWY_ASYNC;
	add(rig, 0, 0);
	fwy_fair_leave(&rig->sched.fair, &rig->sched.writeback);
	fwy_turn_begin(&rig->sched, &rig->sched.writeback, rig->now_ns);
	dispatch(rig, 0);
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	done(rig, 0);
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	rig->sched.turn.think_ns = ANTIC_MS * MS;
	KUNIT_EXPECT_TRUE(test, is_over(rig));
	rig->sched.turn.think_ns = 0;
	rig->now_ns += ANTIC_MS * MS;
	KUNIT_EXPECT_TRUE(test, is_over(rig));
}

static void device_waits_for_no_background(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	add_sized(rig, 0, 0, 8, 0);
	fwy_turn_begin(&rig->sched, &rig->sched.background, rig->now_ns);
	dispatch(rig, 0);
	/* Not even until what it has in the device is done. */
	KUNIT_EXPECT_TRUE(test, is_over(rig));
	done(rig, 0);
	KUNIT_EXPECT_TRUE(test, is_over(rig));
}

static void background_gives_way_to_whoever_comes(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	add_sized(rig, 0, 0, 8, 0);
	add_sized(rig, 1, 100, 8, 0);
	fwy_turn_begin(&rig->sched, &rig->sched.background, rig->now_ns);
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	add(rig, 2, 0);
	KUNIT_EXPECT_TRUE(test, is_over(rig));
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_NULL(test, rig->sched.turn.queue);
	/* It has no place among those with a share. */
	KUNIT_EXPECT_FALSE(test, fwy_fair_has(&rig->sched.background));
}

static void turn_ends_when_somebody_else_is_due(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	rig->params.value[FWY_READ_EXPIRE_MS] = 50;
	rig->params.value[FWY_TURN_MIN_MS] = 20;
	settle(rig, 1);
	add(rig, 1, 0);
	rig->now_ns += 40 * MS;
	add_sized(rig, 0, 0, 100, FWY_WEIGHT);
	begin(rig, 0);
	dispatch(rig, 0);
	rig->now_ns += 9 * MS;
	done(rig, 0);
	rig->item[2].flow = &rig->flow[0];
	add(rig, 2, 100);
	rig->now_ns += 15 * MS;
	/* Due, but a turn has its least. */
	KUNIT_EXPECT_FALSE(test, is_over(rig));
	rig->now_ns += 6 * MS;
	KUNIT_EXPECT_TRUE(test, is_over(rig));
	/* Control: nobody is due. */
	rig->params.value[FWY_READ_EXPIRE_MS] = 60000;
	KUNIT_EXPECT_FALSE(test, is_over(rig));
}

/* A turn of a queue that goes on and on, of which so much is over. */
static void go_on(struct turn_rig *rig, struct fwy_queue *queue, u64 used_ns)
{
	if (fwy_fair_has(queue))
		fwy_fair_leave(&rig->sched.fair, queue);
	fwy_turn_begin(&rig->sched, queue, rig->now_ns);
	dispatch(rig, 0);
	done(rig, 0);
	rig->item[4].flow = &rig->flow[0];
	rig->item[4].class = rig->item[0].class;
	add(rig, 4, 100);
	rig->now_ns += used_ns - 8 * SECTOR_NS;
}

/* Who comes new, or seldom, does not wait for the rest of a long turn. */
static void who_wants_little_ends_a_turn_that_had_its_least(struct kunit *test)
{
	static const struct {
		s64 behind;
		bool is_light;
		u64 used_ns;
		bool is_over;
	} table[] = {
		{ 1, false, MIN_MS * MS, true },
		{ 1, false, MIN_MS * MS - 1, false },
		{ 0, true, MIN_MS * MS, true },
		{ 0, true, MIN_MS * MS - 1, false },
		{ 0, false, MIN_MS * MS, false },
		/* It had all of this round, however small its last turn was. */
		{ -1, true, MIN_MS * MS, false },
	};
	struct turn_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig);
		rig->sched.fair.now = 7;
		settle(rig, 0);
		add(rig, 0, 0);
		go_on(rig, &rig->flow[0].queue, table[i].used_ns);
		rig->flow[1].queue.key = 7 - table[i].behind;
		rig->flow[1].queue.is_light = table[i].is_light;
		add(rig, 1, 5000);
		KUNIT_EXPECT_EQ_MSG(test, is_over(rig), table[i].is_over,
				    "row %d", i);
	}
}

/* Writeback has what the others leave of a round, but is not left out for long. */
static void whoever_has_a_share_left_ends_the_turn_of_writeback(struct kunit *test)
{
	static const struct {
		s64 behind;
		u64 waited_ns;
		bool is_over;
	} table[] = {
		{ 0, 0, true }, { 1, 0, true }, { -1, 0, false },
		{ 0, ASYNC_MS * MS - 1, true }, { 0, ASYNC_MS * MS, false },
	};
	struct turn_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig);
		rig->sched.fair.now = 7;
		rig->item[0].class = FWY_ASYNC;
		add(rig, 0, 0);
		rig->now_ns += table[i].waited_ns;
		go_on(rig, &rig->sched.writeback, MS);
		rig->flow[1].queue.key = 7 - table[i].behind;
		add(rig, 1, 5000);
		KUNIT_EXPECT_EQ_MSG(test, is_over(rig), table[i].is_over,
				    "row %d", i);
	}
}

static void writeback_that_is_cut_short_goes_on_waiting(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_queue *writeback = &rig->sched.writeback;
	u64 since_ns = rig->now_ns;

	rig->item[0].class = FWY_ASYNC;
	add(rig, 0, 0);
	go_on(rig, writeback, MS);
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_EQ(test, writeback->since_ns, since_ns);
	/* It stands at the end of the round, where ever it will go. */
	rig->flow[1].queue.key = rig->sched.fair.now;
	add(rig, 1, U64_MAX - 8);
	KUNIT_EXPECT_PTR_EQ(test, fwy_fair_first(&rig->sched.fair),
			    &rig->flow[1].queue);
	/* With its share used it waits anew. */
	fwy_fair_leave(&rig->sched.fair, writeback);
	fwy_turn_begin(&rig->sched, writeback, rig->now_ns);
	rig->sched.turn.in_flight_ns = rig->sched.turn.share_ns;
	rig->now_ns += MS;
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_EQ(test, writeback->since_ns, rig->now_ns);
}

/* Who streams waits as well for who comes for little, but not who has come itself. */
static void stream_waits_for_who_is_about_to_come(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_sched *sched = &rig->sched;
	struct fwy_queue *stream = &rig->flow[0].queue;
	u64 done_ns;

	sched->fair.now = 7;
	stream->key = 7;
	KUNIT_EXPECT_EQ(test, fwy_turn_spare_until(sched, NULL), 0);
	KUNIT_EXPECT_EQ(test, fwy_turn_spare_until(sched, stream), 0);
	/* A visit, and it leaves. */
	add(rig, 1, 100);
	begin(rig, 1);
	dispatch(rig, 1);
	rig->now_ns += MS;
	done(rig, 1);
	done_ns = rig->now_ns;
	rig->now_ns += MS;
	fwy_turn_end(sched, rig->now_ns);
	KUNIT_EXPECT_EQ(test, fwy_turn_spare_until(sched, stream),
			done_ns + ANTIC_MS * MS);
	stream->key = 6;
	KUNIT_EXPECT_EQ(test, fwy_turn_spare_until(sched, stream), 0);
	stream->key = 7;
	sched->visits.think_ns = ANTIC_MS * MS;
	KUNIT_EXPECT_EQ(test, fwy_turn_spare_until(sched, stream), 0);
	sched->visits.think_ns = 0;
	/* The next one has come. */
	add(rig, 2, 100);
	KUNIT_EXPECT_EQ(test, fwy_turn_spare_until(sched, stream), 0);
	/* That it was somebody who streams is no visit. */
	fwy_sched_remove(sched, &rig->item[2]);
	add(rig, 0, 100);
	begin(rig, 0);
	dispatch(rig, 0);
	done(rig, 0);
	fwy_turn_leave(sched);
	KUNIT_EXPECT_EQ(test, sched->visits.done_ns, 0);
	KUNIT_EXPECT_NULL(test, sched->turn.queue);
}

/* Cut short it has left something, but not since it wanted no more. */
static void who_is_cut_short_is_not_light(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_queue *queue = &rig->flow[0].queue;
	int has_more;

	for (has_more = 0; has_more < 2; has_more++) {
		rig_start(rig);
		settle(rig, 0);
		add(rig, 0, 0);
		begin(rig, 0);
		dispatch(rig, 0);
		done(rig, 0);
		rig->item[1].flow = &rig->flow[0];
		if (has_more)
			add(rig, 1, 8);
		fwy_turn_end(&rig->sched, rig->now_ns);
		KUNIT_EXPECT_EQ(test, queue->is_light, !has_more);
	}
}

/* A second after the last process came nobody is in a hurry. */
static void little_of_writeback_is_in_the_device_while_others_come(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	rig->item[0].class = FWY_ASYNC;
	add(rig, 0, 0);
	fwy_fair_leave(&rig->sched.fair, &rig->sched.writeback);
	fwy_turn_begin(&rig->sched, &rig->sched.writeback, rig->now_ns);
	rig->sched.in_device = 1;
	rig->sched.writeback.in_device = 1;
	rig->sched.in_flight_ns = MIN_MS * MS - 8 * SECTOR_NS;
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
	rig->sched.sync.done_ns = rig->now_ns;
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
	/* With the next one it would be more. */
	rig->sched.in_flight_ns++;
	KUNIT_EXPECT_TRUE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
	rig->sched.in_device = 0;
	rig->sched.writeback.in_device = 0;
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
	rig->sched.in_device = 1;
	rig->sched.writeback.in_device = 1;
	rig->now_ns += NSEC_PER_SEC - 1;
	KUNIT_EXPECT_TRUE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
	rig->now_ns++;
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
}

static void device_has_enough_at_one_quantum_of_whosever_requests(struct kunit *test)
{
	struct turn_rig *rig = test->priv;

	add(rig, 0, 0);
	begin(rig, 0);
	rig->sched.in_flight_ns = quantum_ns(rig);
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
	rig->sched.in_device = 1;
	rig->flow[0].queue.in_device = 1;
	KUNIT_EXPECT_TRUE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
	rig->sched.in_flight_ns--;
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(&rig->sched, rig->now_ns));
}

/* The disk would serve what goes on where it is, and pass it by. */
static void turn_begins_when_others_have_what_they_left_behind(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_sched *sched = &rig->sched;

	add(rig, 0, 0);
	begin(rig, 0);
	sched->in_device = 1;
	KUNIT_EXPECT_TRUE(test, fwy_turn_is_full(sched, rig->now_ns));
	rig->flow[0].queue.in_device = 1;
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(sched, rig->now_ns));
	/* For these nobody waits. */
	sched->in_device = 3;
	sched->writeback.in_device = 1;
	KUNIT_EXPECT_TRUE(test, fwy_turn_is_full(sched, rig->now_ns));
	sched->background.in_device = 1;
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(sched, rig->now_ns));
}

static void writeback_begins_when_others_have_what_they_left_behind(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_sched *sched = &rig->sched;

	rig->item[0].class = FWY_ASYNC;
	add(rig, 0, 0);
	fwy_fair_leave(&sched->fair, &sched->writeback);
	fwy_turn_begin(sched, &sched->writeback, rig->now_ns);
	sched->in_device = 2;
	sched->writeback.in_device = 1;
	KUNIT_EXPECT_TRUE(test, fwy_turn_is_full(sched, rig->now_ns));
	sched->writeback.in_device = 2;
	KUNIT_EXPECT_FALSE(test, fwy_turn_is_full(sched, rig->now_ns));
}

/* What a turn of so long leaves: the round it stands in, and what it used. */
static void share_that_is_used_up_costs_the_round(struct kunit *test)
{
	const u64 share_ns = MAX_MS * MS, first_ns = 8 * SECTOR_NS;
	const struct {
		u64 after_ns, rounds, used_ns;
	} table[] = {
		{ 0, 0, first_ns },
		{ share_ns - first_ns - 1, 0, share_ns - 1 },
		{ share_ns - first_ns, 1, 0 },
		{ share_ns, 1, first_ns },
		{ 3 * share_ns, 1, share_ns },
		{ 3600 * NSEC_PER_SEC, 1, share_ns },
	};
	struct turn_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		struct fwy_queue *queue = &rig->flow[0].queue;
		u64 key;

		rig_start(rig);
		/* The way has a test of its own. */
		rig->sched.cost.switch_ns = 0;
		add(rig, 0, 0);
		begin(rig, 0);
		key = queue->key;
		dispatch(rig, 0);
		rig->sched.cost.switch_ns = 0;
		done(rig, 0);
		rig->now_ns += table[i].after_ns;
		fwy_turn_end(&rig->sched, rig->now_ns);
		KUNIT_EXPECT_EQ_MSG(test, queue->key - key, table[i].rounds,
				    "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, queue->used_ns, table[i].used_ns,
				    "row %d", i);
	}
}

/* Of so many sectors in one piece, or in two that lie apart; what it used after so long. */
static u64 used_by(struct turn_rig *rig, u32 sectors, bool is_apart, u64 time_ns)
{
	struct fwy_queue *queue = &rig->flow[0].queue;

	rig_start(rig);
	rig->sched.cost.switch_ns = 0;
	rig->sched.cost.pace_ns[0] = SECTOR_NS;
	rig->item[1].flow = &rig->flow[0];
	add_sized(rig, 0, 0, sectors / 2, FWY_WEIGHT);
	add_sized(rig, 1, sectors / 2, sectors / 2, FWY_WEIGHT);
	begin(rig, 0);
	dispatch(rig, 0);
	dispatch(rig, 1);
	rig->sched.turn.is_stream = !is_apart;
	done(rig, 0);
	rig->now_ns += time_ns - sectors / 2 * SECTOR_NS;
	done(rig, 1);
	fwy_turn_end(&rig->sched, rig->now_ns);
	return queue->used_ns;
}

/* Inner tracks are slower: who reads there has as much, but not without end. */
static void stream_is_charged_what_its_sectors_take_on_average(struct kunit *test)
{
	static const struct {
		u64 time_ns, used_ns;
	} table[] = {
		{ 20 * MS, 20 * MS }, { 25 * MS, 20 * MS }, { 15 * MS, 20 * MS },
		{ 30 * MS, 20 * MS }, { 36 * MS, 24 * MS }, { 12 * MS, 18 * MS },
	};
	struct turn_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		KUNIT_EXPECT_EQ_MSG(test, used_by(rig, 2000, false,
						  table[i].time_ns),
				    table[i].used_ns, "row %d", i);
		/* Elsewhere time is time. */
		KUNIT_EXPECT_EQ_MSG(test, used_by(rig, 2000, true,
						  table[i].time_ns),
				    table[i].time_ns, "row %d", i);
	}
}

static void turn_shows_whether_it_is_of_a_stream(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	const struct fwy_turn *turn = &rig->sched.turn;

	add_sized(rig, 0, 0, 64, FWY_WEIGHT);
	begin(rig, 0);
	dispatch(rig, 0);
	KUNIT_EXPECT_TRUE(test, turn->is_stream);
	KUNIT_EXPECT_FALSE(test, turn->is_write);
	rig->item[1].flow = &rig->flow[0];
	add_sized(rig, 1, 64, 64, FWY_WEIGHT);
	fwy_queue_remove(rig->item[1].queue, &rig->item[1]);
	rig->item[1].is_near = true;
	rig->item[1].transfer_ns = 1;
	fwy_turn_dispatched(&rig->sched, &rig->item[1]);
	KUNIT_EXPECT_TRUE(test, turn->is_stream);
	KUNIT_EXPECT_EQ(test, turn->sectors, 128);
	rig->item[1].is_near = false;
	fwy_turn_dispatched(&rig->sched, &rig->item[1]);
	KUNIT_EXPECT_FALSE(test, turn->is_stream);
	rig->item[1].is_near = true;
	fwy_turn_dispatched(&rig->sched, &rig->item[1]);
	KUNIT_EXPECT_FALSE(test, turn->is_stream);
}

/* A turn that was given up may have been thinking for the most part. */
static void whole_turns_teach_the_pace(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	const u64 *pace_ns = rig->sched.cost.pace_ns;
	u64 quantum;

	add_sized(rig, 0, 0, 1000, FWY_WEIGHT);
	begin(rig, 0);
	dispatch(rig, 0);
	done(rig, 0);
	rig->now_ns += MS;
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_EQ(test, pace_ns[0], 0);
	rig_start(rig);
	rig->item[0].class = FWY_WRITE;
	add_sized(rig, 0, 0, 1000, FWY_WEIGHT);
	begin(rig, 0);
	quantum = quantum_ns(rig);
	dispatch(rig, 0);
	done(rig, 0);
	rig->now_ns += quantum;
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_EQ(test, pace_ns[0], 0);
	KUNIT_EXPECT_EQ(test, pace_ns[1], quantum / 1000 + SECTOR_NS);
}

/* Of one second by place, of several as they came, before all of this round. */
static void many_who_start_at_once_go_by_place(struct kunit *test)
{
	static const struct {
		u64 after_ns, sector;
	} table[] = {
		{ 0, 3ULL << 30 }, { 5 * MS, 2ULL << 30 }, { 9 * MS, 1ULL << 60 },
		{ 2000 * MS, 1ULL << 30 }, { 2001 * MS, 0 },
	};
	static const int order[] = { 1, 0, 2, 4, 3 };
	struct turn_rig *rig = test->priv;
	u64 start_ns = 1ULL << 40;
	int i;

	rig->sched.fair.now = 7;
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig->now_ns = start_ns + table[i].after_ns;
		add(rig, i, table[i].sector);
	}
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		struct fwy_queue *first = fwy_fair_first(&rig->sched.fair);

		KUNIT_EXPECT_PTR_EQ(test, first, &rig->flow[order[i]].queue);
		fwy_fair_leave(&rig->sched.fair, first);
	}
}

/* Two read one stream by turns: each goes on where the other was. */
static void who_goes_on_there_has_the_rest_of_the_turn(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_turn *turn = &rig->sched.turn;
	struct fwy_queue *one = &rig->flow[0].queue;
	struct fwy_queue *other = &rig->flow[1].queue;
	u64 quantum;

	add_sized(rig, 0, 0, 64, FWY_WEIGHT);
	add(rig, 2, 900000);
	begin(rig, 0);
	quantum = quantum_ns(rig);
	dispatch(rig, 0);
	rig->sched.head = 64;
	rig->now_ns += MS;
	done(rig, 0);
	rig->now_ns += MS;
	add_sized(rig, 1, 64, 64, FWY_WEIGHT);
	KUNIT_ASSERT_PTR_EQ(test, turn->queue, other);
	KUNIT_EXPECT_FALSE(test, fwy_fair_has(other));
	KUNIT_EXPECT_EQ(test, one->used_ns, SWITCH_NS + MS + 64 * SECTOR_NS);
	KUNIT_EXPECT_EQ(test, quantum_ns(rig), quantum - MS - 64 * SECTOR_NS);
	/* And back. */
	dispatch(rig, 1);
	rig->sched.head = 128;
	rig->now_ns += MS;
	done(rig, 1);
	add_sized(rig, 0, 128, 64, FWY_WEIGHT);
	KUNIT_ASSERT_PTR_EQ(test, turn->queue, one);
	/* The way is only charged to who went it. */
	KUNIT_EXPECT_EQ(test, other->used_ns, MS);
}

static void who_does_not_go_on_there_waits_like_all(struct kunit *test)
{
	static const struct {
		u64 sector, ahead, used_ns;
		bool has_more, has_turn;
	} table[] = {
		{ 64, 0, MS, false, true }, { 65, 0, MS, false, false },
		{ 64, 1, MS, false, false }, { 64, 0, MS, true, false },
		{ 64, 0, 3600 * NSEC_PER_SEC, false, false },
	};
	struct turn_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		rig_start(rig);
		add_sized(rig, 0, 0, 64, FWY_WEIGHT);
		begin(rig, 0);
		dispatch(rig, 0);
		rig->sched.head = 64;
		done(rig, 0);
		rig->item[2].flow = &rig->flow[0];
		if (table[i].has_more)
			add(rig, 2, 500);
		rig->now_ns += table[i].used_ns;
		rig->flow[1].queue.key = rig->sched.fair.now + table[i].ahead;
		add(rig, 1, table[i].sector);
		KUNIT_EXPECT_EQ_MSG(test, rig->sched.turn.queue ==
				    &rig->flow[1].queue, table[i].has_turn,
				    "row %d", i);
		KUNIT_EXPECT_EQ_MSG(test, fwy_fair_has(&rig->flow[1].queue),
				    !table[i].has_turn, "row %d", i);
	}
}

/* Who comes often for little has others wait for the way each time. */
static void way_is_charged_each_time_it_is_gone(struct kunit *test)
{
	const u64 way_ns = 10 * MS, first_ns = 8 * SECTOR_NS;
	struct turn_rig *rig = test->priv;
	struct fwy_queue *queue = &rig->flow[0].queue;
	int i;

	for (i = 0; i < 3; i++) {
		rig->sched.cost.switch_ns = way_ns;
		add(rig, 1, 0);
		begin(rig, 1);
		fwy_turn_end(&rig->sched, rig->now_ns);
		/* Who had the turn and did nothing went nowhere. */
		KUNIT_EXPECT_EQ(test, rig->flow[1].queue.used_ns, 0);
		add(rig, 0, 0);
		begin(rig, 0);
		dispatch(rig, 0);
		done(rig, 0);
		fwy_turn_end(&rig->sched, rig->now_ns);
		KUNIT_EXPECT_EQ_MSG(test, queue->used_ns,
				    (i + 1) * (way_ns + first_ns), "time %d", i);
		fwy_item_init(&rig->item[0]);
		fwy_sched_remove(&rig->sched, &rig->item[1]);
		fwy_item_init(&rig->item[1]);
	}
	/* Who goes on is there already. */
	add(rig, 0, 0);
	rig->sched.turn.last = queue;
	begin(rig, 0);
	dispatch(rig, 0);
	done(rig, 0);
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_EQ(test, queue->used_ns, 3 * way_ns + 3 * first_ns);
}

/* What was too much is missing in the next turn, but no more than half of it. */
static void next_turn_is_shorter_by_what_the_last_took_too_much(struct kunit *test)
{
	static const u64 table_ns[][2] = {
		{ 0, MAX_MS * MS }, { 30 * MS, (MAX_MS - 30) * MS },
		{ MAX_MS * MS / 2, MAX_MS * MS / 2 },
		{ MAX_MS * MS, MAX_MS * MS / 2 }, { U64_MAX, MAX_MS * MS / 2 },
	};
	struct turn_rig *rig = test->priv;
	int i;

	for (i = 0; i < ARRAY_SIZE(table_ns); i++) {
		rig_start(rig);
		rig->flow[0].queue.key = rig->sched.fair.now;
		rig->flow[0].queue.used_ns = table_ns[i][0];
		add(rig, 0, 0);
		begin(rig, 0);
		KUNIT_EXPECT_EQ_MSG(test, quantum_ns(rig), table_ns[i][1],
				    "row %d", i);
	}
}

static void who_wants_more_has_its_place_in_the_sweep(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_queue *queue = &rig->flow[0].queue;

	rig->sched.fair.now = 7;
	queue->key = 7;
	queue->is_light = true;
	add(rig, 0, 5000);
	KUNIT_EXPECT_EQ(test, queue->place, 0);
	begin(rig, 0);
	dispatch(rig, 0);
	done(rig, 0);
	/* It gave up early: this round still has something for it. */
	fwy_turn_end(&rig->sched, rig->now_ns);
	add(rig, 0, 6000);
	KUNIT_EXPECT_EQ(test, queue->place, 0);
	begin(rig, 0);
	dispatch(rig, 0);
	done(rig, 0);
	rig->item[1].flow = &rig->flow[0];
	add(rig, 1, 7000);
	rig->now_ns += quantum_ns(rig);
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_TRUE(test, fwy_fair_has(queue));
	KUNIT_EXPECT_EQ(test, queue->place, 7000);
}

/*
 * Who had no turn in the last round has one now, before all others, and then its
 * place in this round; what many share only the latter.
 */
static void who_missed_its_turn_has_it_first(struct kunit *test)
{
	const u64 now = 7;
	struct turn_rig *rig = test->priv;
	struct fwy_queue *queue = &rig->flow[0].queue;
	struct fwy_queue *late = &rig->flow[3].queue;

	rig->sched.fair.now = now;
	queue->key = now - 3;
	queue->used_ns = 5 * MS;
	rig->flow[1].queue.key = now;
	rig->flow[2].history = 0xff;
	late->key = now - 1;
	late->used_ns = 5 * MS;
	add(rig, 1, 10);
	add(rig, 2, 0);
	add(rig, 0, 5000);
	add(rig, 3, 6000);
	KUNIT_EXPECT_EQ(test, rig->sched.crowd.key, now);
	KUNIT_EXPECT_EQ(test, queue->key, now - 1);
	KUNIT_EXPECT_EQ(test, queue->used_ns, 0);
	/* What it had of the last round counts on. */
	KUNIT_EXPECT_EQ(test, late->key, now - 1);
	KUNIT_EXPECT_EQ(test, late->used_ns, 5 * MS);
	KUNIT_EXPECT_PTR_EQ(test, fwy_fair_first(&rig->sched.fair), queue);
	begin(rig, 0);
	KUNIT_EXPECT_EQ(test, rig->sched.fair.now, now);
	dispatch(rig, 0);
	done(rig, 0);
	rig->item[4].flow = &rig->flow[0];
	add(rig, 4, 7000);
	rig->now_ns += quantum_ns(rig);
	fwy_turn_end(&rig->sched, rig->now_ns);
	KUNIT_EXPECT_EQ(test, queue->key, now);
	KUNIT_EXPECT_EQ(test, queue->place, 7000);
}

/* Twelve in the crowd: twelve shares in a round, but no turn longer than one. */
static void crowd_has_the_share_of_all_in_turns_of_one(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_queue *crowd = &rig->sched.crowd;
	u64 key, turn_ns;
	int i;

	for (i = 0; i < 12; i++) {
		rig->flow[i].history = 0xff;
		add(rig, i, 1000000ULL * (i + 1));
	}
	KUNIT_ASSERT_EQ(test, crowd->queued, 12);
	KUNIT_EXPECT_EQ(test, crowd->weight, 12 * FWY_WEIGHT);
	fwy_fair_leave(&rig->sched.fair, crowd);
	fwy_turn_begin(&rig->sched, crowd, rig->now_ns);
	turn_ns = quantum_ns(rig);
	KUNIT_EXPECT_EQ(test, turn_ns, MIN_MS * MS);
	KUNIT_EXPECT_EQ(test, rig->sched.turn.share_ns,
			12 * MIN_MS * MS + rig->sched.cost.switch_ns);
	key = crowd->key;
	for (i = 0; i < 12; i++) {
		KUNIT_EXPECT_EQ_MSG(test, crowd->key, key, "turn %d", i);
		dispatch(rig, i);
		done(rig, i);
		add(rig, i, 1000000ULL * (i + 1));
		rig->now_ns += turn_ns;
		fwy_turn_end(&rig->sched, rig->now_ns);
		fwy_fair_leave(&rig->sched.fair, crowd);
		fwy_turn_begin(&rig->sched, crowd, rig->now_ns);
	}
	KUNIT_EXPECT_EQ(test, crowd->key, key + 1);
}

/* Late completions of a turn that is over are not the next one's. */
static void completion_of_an_older_turn_does_not_count_in_this(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_turn *turn = &rig->sched.turn;

	add_sized(rig, 0, 0, 100, FWY_WEIGHT);
	begin(rig, 0);
	dispatch(rig, 0);
	KUNIT_EXPECT_EQ(test, turn->in_flight_ns, 100 * SECTOR_NS);
	fwy_turn_end(&rig->sched, rig->now_ns);
	add_sized(rig, 1, 100, 7, FWY_WEIGHT);
	begin(rig, 1);
	dispatch(rig, 1);
	rig->now_ns += MS;
	done(rig, 0);
	KUNIT_EXPECT_EQ(test, turn->in_flight_ns, 7 * SECTOR_NS);
	KUNIT_EXPECT_EQ(test, turn->arrived_ns, 0);
	rig->now_ns += MS;
	done(rig, 1);
	KUNIT_EXPECT_EQ(test, turn->in_flight_ns, 0);
	KUNIT_EXPECT_EQ(test, turn->arrived_ns, rig->now_ns);
	KUNIT_EXPECT_EQ(test, turn->first_ns, 7 * SECTOR_NS);
}

/* Nor those of an older turn of its own; but they begin its think time. */
static void completion_of_its_own_older_turn_does_not_count(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_turn *turn = &rig->sched.turn;

	add_sized(rig, 0, 0, 100, FWY_WEIGHT);
	begin(rig, 0);
	dispatch(rig, 0);
	rig->item[1].flow = &rig->flow[0];
	add_sized(rig, 1, 100, 7, FWY_WEIGHT);
	fwy_turn_end(&rig->sched, rig->now_ns);
	rig->sched.turn.last = NULL;
	begin(rig, 0);
	dispatch(rig, 1);
	rig->now_ns += MS;
	done(rig, 0);
	KUNIT_EXPECT_EQ(test, turn->in_flight_ns, 7 * SECTOR_NS);
	KUNIT_EXPECT_EQ(test, turn->arrived_ns, 0);
	KUNIT_EXPECT_EQ(test, rig->flow[0].done_ns, rig->now_ns);
}

/* A crowd of ten that waits is ten, and writeback half of one. */
static void who_waits_together_counts_by_weight(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	int i;

	for (i = 10; i < 20; i++) {
		rig->flow[i].is_seeky = true;
		rig->flow[i].history = 0xff;
		add(rig, i, 1000000ULL * i);
	}
	KUNIT_ASSERT_EQ(test, rig->sched.crowd.weight, 10 * FWY_WEIGHT);
	add(rig, 0, 0);
	rig->params.value[FWY_TURN_MIN_MS] = 1;
	begin(rig, 0);
	KUNIT_EXPECT_EQ(test, quantum_ns(rig), ROUND_MS * MS / 11);
	rig_start(rig);
	rig->item[1].class = FWY_ASYNC;
	add(rig, 1, 0);
	add(rig, 2, 0);
	add(rig, 0, 0);
	begin(rig, 0);
	KUNIT_EXPECT_EQ(test, quantum_ns(rig), ROUND_MS * MS * 2 / 5);
}

static void item_that_came_back_undone_teaches_nothing(struct kunit *test)
{
	struct turn_rig *rig = test->priv;
	struct fwy_cost was;

	add(rig, 0, 0);
	begin(rig, 0);
	dispatch(rig, 0);
	was = rig->sched.cost;
	rig->now_ns += 30 * MS;
	fwy_sched_done(&rig->sched, &rig->item[0], rig->now_ns, false);
	KUNIT_EXPECT_EQ(test, rig->sched.cost.switch_ns, was.switch_ns);
	add(rig, 0, 0);
	dispatch(rig, 0);
	rig->now_ns += 30 * MS;
	done(rig, 0);
	KUNIT_EXPECT_TRUE(test, rig->sched.cost.switch_ns > was.switch_ns);
}

static struct kunit_case turn_cases[] = {
	KUNIT_CASE(quantum_is_what_a_round_leaves_to_each_within_limits),
	KUNIT_CASE(quantum_is_by_weight),
	KUNIT_CASE(who_has_just_ended_a_turn_counts),
	KUNIT_CASE(newcomers_have_a_round_together_before_others),
	KUNIT_CASE(all_turns_of_a_newcomer_s_first_round_count),
	KUNIT_CASE(newcomer_takes_over_no_turn_before_its_own),
	KUNIT_CASE(who_has_two_turns_in_a_round_counts_once),
	KUNIT_CASE(way_to_the_first_request_is_no_use_of_the_turn),
	KUNIT_CASE(turn_is_over_when_enough_is_in_the_device),
	KUNIT_CASE(turn_is_not_over_before_its_first_request),
	KUNIT_CASE(device_waits_for_a_process_up_to_a_time),
	KUNIT_CASE(device_does_not_wait_where_it_cannot_pay),
	KUNIT_CASE(device_does_not_wait_for_who_waits_elsewhere),
	KUNIT_CASE(device_waits_for_writeback_that_goes_on),
	KUNIT_CASE(device_waits_for_no_background),
	KUNIT_CASE(background_gives_way_to_whoever_comes),
	KUNIT_CASE(turn_ends_when_somebody_else_is_due),
	KUNIT_CASE(who_wants_little_ends_a_turn_that_had_its_least),
	KUNIT_CASE(whoever_has_a_share_left_ends_the_turn_of_writeback),
	KUNIT_CASE(writeback_that_is_cut_short_goes_on_waiting),
	KUNIT_CASE(little_of_writeback_is_in_the_device_while_others_come),
	KUNIT_CASE(stream_waits_for_who_is_about_to_come),
	KUNIT_CASE(who_is_cut_short_is_not_light),
	KUNIT_CASE(device_has_enough_at_one_quantum_of_whosever_requests),
	KUNIT_CASE(turn_begins_when_others_have_what_they_left_behind),
	KUNIT_CASE(writeback_begins_when_others_have_what_they_left_behind),
	KUNIT_CASE(share_that_is_used_up_costs_the_round),
	KUNIT_CASE(stream_is_charged_what_its_sectors_take_on_average),
	KUNIT_CASE(turn_shows_whether_it_is_of_a_stream),
	KUNIT_CASE(whole_turns_teach_the_pace),
	KUNIT_CASE(many_who_start_at_once_go_by_place),
	KUNIT_CASE(who_goes_on_there_has_the_rest_of_the_turn),
	KUNIT_CASE(who_does_not_go_on_there_waits_like_all),
	KUNIT_CASE(way_is_charged_each_time_it_is_gone),
	KUNIT_CASE(next_turn_is_shorter_by_what_the_last_took_too_much),
	KUNIT_CASE(who_wants_more_has_its_place_in_the_sweep),
	KUNIT_CASE(who_missed_its_turn_has_it_first),
	KUNIT_CASE(crowd_has_the_share_of_all_in_turns_of_one),
	KUNIT_CASE(completion_of_an_older_turn_does_not_count_in_this),
	KUNIT_CASE(completion_of_its_own_older_turn_does_not_count),
	KUNIT_CASE(who_waits_together_counts_by_weight),
	KUNIT_CASE(item_that_came_back_undone_teaches_nothing),
	{}
};

static struct kunit_suite turn_suite = {
	.name = "fairway_turn",
	.init = turn_init,
	.test_cases = turn_cases,
};

kunit_test_suite(turn_suite);
