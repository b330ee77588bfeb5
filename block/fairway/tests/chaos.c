// SPDX-License-Identifier: GPL-2.0
/*
 * Whatever may be done to a scheduler, in any order.
 *
 * Numbers, random or a fuzzer's, choose what comes next: arrivals, completions
 * in any order, requeues, merges, knobs, another kind of device, ends of
 * processes, time.  After each step:
 *
 *	- an item is where it should be, and came out once;
 *	- the books balance (audit.c);
 *	- if something is queued and fwy_sched_next() is not to be asked, a
 *	  completion or a time is owed;
 *	- if it is to be asked, somebody was told so since it last had nothing;
 *	- and if it was to be asked no more at this very time, it has nothing.
 */
#include <linux/container_of.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "audit.h"
#include "chaos.h"

/* Near each other, so that some follow on each other. */
#define CHAOS_SECTORS	65536

/* To get rid of all items it takes a step or two for each, and some waits. */
#define DRAIN_STEPS	(CHAOS_ITEMS * 20)

static void chaos_complain(struct chaos *chaos, bool is_wrong,
			   const char *complaint)
{
	if (is_wrong && !chaos->complaint)
		chaos->complaint = complaint;
}

static u32 chaos_draw(struct chaos *chaos, u32 below)
{
	return chaos->draw(chaos) % below;
}

/* An item in that state, from a drawn one on; NULL if there is none. */
static struct fwy_item *chaos_find(struct chaos *chaos,
				   enum fwy_item_state state)
{
	unsigned int i, from = chaos_draw(chaos, CHAOS_ITEMS);

	for (i = 0; i < CHAOS_ITEMS; i++) {
		unsigned int at = (from + i) % CHAOS_ITEMS;

		if (chaos->state[at] == state)
			return &chaos->item[at];
	}
	return NULL;
}

static void chaos_set(struct chaos *chaos, struct fwy_item *item,
		      enum fwy_item_state state)
{
	chaos->state[item - chaos->item] = state;
}

/* What may have become true, without anybody being told by the core. */
static void chaos_run_if_work(struct chaos *chaos, bool had_work)
{
	chaos->is_told |= !had_work && fwy_sched_has_work(&chaos->sched);
}

static void chaos_add(struct chaos *chaos)
{
	static const u32 weights[] = { 100, 100, 100, 100, 25, 200, 3200, 0 };
	struct fwy_item *item = chaos_find(chaos, FWY_ITEM_IDLE);

	if (!item)
		return;
	fwy_item_init(item);
	item->flow = &chaos->flow[chaos_draw(chaos, CHAOS_FLOWS)];
	item->sector = chaos_draw(chaos, 4) ?
		       chaos_draw(chaos, CHAOS_SECTORS) / 8 * 8 :
		       item->flow->next_sector;
	item->sectors = 8 << chaos_draw(chaos, 8);
	item->class = chaos_draw(chaos, FWY_NR_CLASSES);
	item->op = chaos_draw(chaos, FWY_NR_OPS);
	item->weight = weights[chaos_draw(chaos, ARRAY_SIZE(weights))];
	item->is_cut = chaos_draw(chaos, 2);
	fwy_sched_add(&chaos->sched, item, chaos->now_ns);
	chaos_set(chaos, item, FWY_ITEM_QUEUED);
	chaos->is_told = true;
}

static struct fwy_item *chaos_ask(struct chaos *chaos)
{
	struct fwy_decision decision;
	struct fwy_item *item;
	enum fwy_item_state *state;

	item = fwy_sched_next(&chaos->sched, chaos->depth, chaos->now_ns,
			      &decision);
	if (!item) {
		chaos_complain(chaos, fwy_sched_has_work(&chaos->sched),
			       "it had nothing, and wants to be asked");
		chaos_complain(chaos, decision.wake_ns &&
			       decision.wake_ns <= chaos->now_ns,
			       "it wants to be asked in the past");
		chaos->wake_ns = decision.wake_ns;
		chaos->asked_ns = chaos->now_ns;
		chaos->is_told = false;
		return NULL;
	}
	state = &chaos->state[item - chaos->item];
	chaos_complain(chaos, *state != FWY_ITEM_QUEUED &&
		       *state != FWY_ITEM_FRONT, "one came out that was not in");
	chaos_complain(chaos, (*state == FWY_ITEM_FRONT) !=
		       (decision.reason == FWY_REASON_FRONT),
		       "it tells the wrong reason");
	*state = FWY_ITEM_DISPATCHED;
	chaos->dispatched++;
	return item;
}

static void chaos_next(struct chaos *chaos)
{
	if (fwy_sched_has_work(&chaos->sched))
		chaos_ask(chaos);
	else if (chaos->asked_ns == chaos->now_ns)
		chaos_complain(chaos, chaos_ask(chaos),
			       "it has something, and is not to be asked");
}

static void chaos_done(struct chaos *chaos, bool is_done)
{
	struct fwy_item *item = chaos_find(chaos, FWY_ITEM_DISPATCHED);

	if (!item)
		return;
	chaos->asked_ns = 0;
	chaos->is_told |= fwy_sched_done(&chaos->sched, item, chaos->now_ns,
					 is_done);
	chaos_set(chaos, item, FWY_ITEM_IDLE);
	if (is_done)
		return;
	fwy_sched_add_front(&chaos->sched, item);
	chaos_set(chaos, item, FWY_ITEM_FRONT);
	chaos->is_told = true;
}

static void chaos_grow(struct chaos *chaos)
{
	struct fwy_item *item = chaos_find(chaos, FWY_ITEM_QUEUED);

	if (!item)
		return;
	if (item->sector >= 8 && chaos_draw(chaos, 2))
		fwy_sched_resize(&chaos->sched, item, item->sector - 8,
				 item->sectors + 8);
	else
		fwy_sched_resize(&chaos->sched, item, item->sector,
				 item->sectors + 8);
}

static void chaos_absorb(struct chaos *chaos)
{
	struct fwy_item *item = chaos_find(chaos, FWY_ITEM_QUEUED);
	struct fwy_item *gone = chaos_find(chaos, FWY_ITEM_QUEUED);
	bool had_work = fwy_sched_has_work(&chaos->sched);

	if (!item || item == gone)
		return;
	fwy_sched_resize(&chaos->sched, item, item->sector,
			 item->sectors + gone->sectors);
	fwy_sched_absorb(&chaos->sched, item, gone);
	chaos_set(chaos, gone, FWY_ITEM_IDLE);
	chaos_run_if_work(chaos, had_work);
}

static void chaos_remove(struct chaos *chaos)
{
	struct fwy_item *item = chaos_find(chaos, FWY_ITEM_QUEUED);
	bool had_work = fwy_sched_has_work(&chaos->sched);

	if (!item)
		return;
	fwy_sched_remove(&chaos->sched, item);
	chaos_set(chaos, item, FWY_ITEM_IDLE);
	chaos_run_if_work(chaos, had_work);
}

static void chaos_front(struct chaos *chaos)
{
	struct fwy_item *item = chaos_find(chaos, FWY_ITEM_IDLE);

	if (!item)
		return;
	fwy_item_init(item);
	item->flow = &chaos->flow[0];
	item->sector = 0;
	item->sectors = 8;
	item->class = FWY_WRITE;
	item->op = FWY_OP_WRITE;
	item->weight = FWY_WEIGHT;
	fwy_sched_add_front(&chaos->sched, item);
	chaos_set(chaos, item, FWY_ITEM_FRONT);
	chaos->is_told = true;
}

static bool chaos_has(const struct chaos *chaos, const struct fwy_flow *flow)
{
	int i;

	for (i = 0; i < CHAOS_ITEMS; i++)
		if (chaos->state[i] != FWY_ITEM_IDLE &&
		    chaos->item[i].flow == flow)
			return true;
	return false;
}

static void chaos_forget(struct chaos *chaos)
{
	struct fwy_flow *flow = &chaos->flow[chaos_draw(chaos, CHAOS_FLOWS)];

	if (chaos_has(chaos, flow))
		return;
	chaos_complain(chaos, flow->pending, "a flow counts what it has");
	chaos->is_told |= fwy_sched_forget(&chaos->sched, flow);
	/* Whatever still points to it will be noticed. */
	memset(flow, 0xa5, sizeof(*flow));
	fwy_flow_init(flow);
	chaos->asked_ns = 0;
}

static void chaos_change(struct chaos *chaos)
{
	enum fwy_param param = chaos_draw(chaos, FWY_NR_PARAMS);
	const struct fwy_param_info *info = &fwy_param_info[param];
	u32 value = chaos_draw(chaos, 4) ? chaos_draw(chaos, 256) :
					   chaos->draw(chaos);

	value = clamp(value, info->min, info->max);
	chaos_complain(chaos, fwy_param_set(&chaos->params, param, value),
		       "a knob refuses what it should take");
	chaos->depth = 1 + chaos_draw(chaos, 8);
	chaos->asked_ns = 0;
	chaos->is_told |= fwy_sched_awake(&chaos->sched);
}

static void chaos_flip(struct chaos *chaos)
{
	if (chaos_draw(chaos, 4))
		return;
	/* Whoever asks sees it, and goes on to ask. */
	chaos->is_told = true;
	fwy_sched_set_sorted(&chaos->sched, !chaos->sched.is_sorted,
			     chaos->now_ns);
	chaos->asked_ns = 0;
}

static void chaos_pass(struct chaos *chaos)
{
	static const u64 most_ns[] = { NSEC_PER_USEC, NSEC_PER_MSEC,
				       20 * NSEC_PER_MSEC, 2 * NSEC_PER_SEC };

	chaos->now_ns += chaos_draw(chaos, most_ns[chaos_draw(chaos, 4)]);
}

static void chaos_wake(struct chaos *chaos)
{
	if (!chaos->wake_ns)
		return;
	chaos->now_ns = max(chaos->now_ns, chaos->wake_ns);
	chaos->wake_ns = 0;
	chaos->asked_ns = 0;
	chaos->is_told |= fwy_sched_awake(&chaos->sched);
	chaos_next(chaos);
}

static void chaos_audit(struct chaos *chaos)
{
	struct fwy_audit audit;
	const char *complaint;
	unsigned int i, out = 0;

	fwy_audit_begin(&audit, &chaos->sched);
	for (i = 0; i < CHAOS_FLOWS; i++)
		fwy_audit_flow(&audit, &chaos->flow[i]);
	complaint = fwy_audit_end(&audit);
	chaos_complain(chaos, complaint, complaint);
	for (i = 0; i < CHAOS_ITEMS; i++) {
		out += chaos->state[i] == FWY_ITEM_DISPATCHED;
		chaos_complain(chaos, chaos->item[i].state != chaos->state[i],
			       "an item is not in the state it should be in");
	}
	chaos_complain(chaos, out != chaos->sched.in_device,
		       "what is in the device is counted");
	chaos_complain(chaos, !fwy_sched_is_empty(&chaos->sched) &&
		       !fwy_sched_has_work(&chaos->sched) && !out &&
		       !chaos->wake_ns,
		       "something is queued, and nobody owes a call");
	chaos_complain(chaos, fwy_sched_has_work(&chaos->sched) &&
		       !chaos->is_told,
		       "it wants to be asked, and nobody was told");
}

static void chaos_step(struct chaos *chaos)
{
	switch (chaos_draw(chaos, 32)) {
	case 0 ... 8:
		return chaos_add(chaos);
	case 9 ... 16:
		return chaos_next(chaos);
	case 17 ... 21:
		return chaos_done(chaos, true);
	case 22:
		return chaos_done(chaos, false);
	case 23:
		return chaos_grow(chaos);
	case 24:
		return chaos_absorb(chaos);
	case 25:
		return chaos_remove(chaos);
	case 26:
		return chaos_front(chaos);
	case 27:
		return chaos_forget(chaos);
	case 28:
		return chaos_change(chaos);
	case 29:
		return chaos_flip(chaos);
	case 30:
		return chaos_pass(chaos);
	default:
		return chaos_wake(chaos);
	}
}

/**
 * chaos_init() - nothing was done yet
 * @chaos: all of it
 * @draw: gives the numbers that decide
 * @draw_arg: its argument
 */
void chaos_init(struct chaos *chaos, u32 (*draw)(struct chaos *chaos),
		void *draw_arg)
{
	int i;

	memset(chaos, 0xa5, sizeof(*chaos));
	chaos->draw = draw;
	chaos->draw_arg = draw_arg;
	chaos->is_over = false;
	chaos->depth = 1;
	chaos->now_ns = NSEC_PER_SEC;
	chaos->wake_ns = 0;
	chaos->asked_ns = 0;
	chaos->is_told = false;
	chaos->dispatched = 0;
	chaos->complaint = NULL;
	fwy_params_init(&chaos->params);
	fwy_sched_init(&chaos->sched, &chaos->params, chaos_draw(chaos, 2));
	for (i = 0; i < CHAOS_FLOWS; i++)
		fwy_flow_init(&chaos->flow[i]);
	for (i = 0; i < CHAOS_ITEMS; i++) {
		fwy_item_init(&chaos->item[i]);
		chaos->state[i] = FWY_ITEM_IDLE;
	}
}

/**
 * chaos_run() - do something
 * @chaos: all of it
 * @steps: how often
 *
 * Return: NULL, or what went wrong.
 */
const char *chaos_run(struct chaos *chaos, unsigned int steps)
{
	while (steps-- && !chaos->is_over && !chaos->complaint) {
		chaos_step(chaos);
		chaos_audit(chaos);
	}
	return chaos->complaint;
}

/**
 * chaos_drain() - nothing comes any more: all that is queued must come out
 * @chaos: all of it
 *
 * Return: NULL, or what went wrong.
 */
const char *chaos_drain(struct chaos *chaos)
{
	unsigned int steps = DRAIN_STEPS;

	while (!chaos->complaint && steps-- &&
	       (chaos->sched.in_device || !fwy_sched_is_empty(&chaos->sched))) {
		if (fwy_sched_has_work(&chaos->sched))
			chaos_ask(chaos);
		else if (chaos->sched.in_device)
			chaos_done(chaos, true);
		else
			chaos_wake(chaos);
		chaos_audit(chaos);
	}
	chaos_complain(chaos, chaos->sched.in_device ||
		       !fwy_sched_is_empty(&chaos->sched),
		       "something never came out");
	chaos_complain(chaos, chaos->sched.in_flight_ns,
		       "nothing in the device takes no time");
	return chaos->complaint;
}
