// SPDX-License-Identifier: GPL-2.0
/*
 * The watch: how long requests waited, beside how long they may.
 *
 * Nothing is decided here, and nothing depends on it.  The bounds are those of
 * fairway-design.rst, with what they rest on taken from what was seen: how many
 * wait, what the device takes.  A wait is held against the worst of the time that
 * it spans.  So the worst is kept for two whiles, this one and the one before, and
 * a while lasts as long as the longest bound that was computed in them.  Then a
 * wait within its bound began in one of the two; and one that began earlier is
 * longer than any bound it might have had.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core.h"

/* The least: a device does not show its worst in a moment. */
#define FWY_WHILE_NS	NSEC_PER_SEC

/*
 * A bound is computed from no more than this, so that the product has room in 64
 * bits: half a minute for each of a million requests is no bound any more.
 */
#define FWY_MOST_NS		(32ULL * NSEC_PER_SEC)
#define FWY_MOST_SERVICES	(1024 * 1024)

/* A wait of more than half a year is not told apart from that. */
#define FWY_MOST_WAIT_NS	BIT_ULL(54)

/**
 * fwy_elapsed_ns() - how long something took
 * @start_ns: when it began, 0 if that is not known
 * @end_ns: when it ended
 *
 * Return: the time; 0 if the beginning is not known, or comes after the end: two
 * CPUs may read the clock in another order than things happen.
 */
u64 fwy_elapsed_ns(u64 start_ns, u64 end_ns)
{
	return start_ns && start_ns < end_ns ? end_ns - start_ns : 0;
}

/**
 * fwy_wait_slot() - where a wait is counted
 * @wait_ns: the wait
 *
 * Return: the least i for which the wait is up to 2^i us, but the last slot for
 * all that is longer.
 */
unsigned int fwy_wait_slot(u64 wait_ns)
{
	unsigned int slot = 0;

	if (wait_ns > NSEC_PER_USEC)
		slot = fls64(div_u64(wait_ns - 1, NSEC_PER_USEC));
	return min(slot, FWY_WAIT_SLOTS - 1U);
}

/**
 * fwy_waits_add() - a wait is over
 * @waits: those of its kind
 * @wait_ns: how long it was
 * @bound_ns: how long it might be, 0 for no bound
 */
void fwy_waits_add(struct fwy_waits *waits, u64 wait_ns, u64 bound_ns)
{
	u64 permille;

	wait_ns = min_t(u64, wait_ns, FWY_MOST_WAIT_NS);
	waits->number++;
	waits->sum_ns += wait_ns;
	waits->longest_ns = max(waits->longest_ns, wait_ns);
	waits->slot[fwy_wait_slot(wait_ns)]++;
	if (!bound_ns)
		return;
	waits->violations += wait_ns > bound_ns;
	permille = div64_u64(wait_ns * 1000, bound_ns);
	if (permille < waits->permille)
		return;
	waits->permille = permille;
	waits->bound_ns = bound_ns;
}

/**
 * fwy_tally_add() - a request completed
 * @tally: of whose it is
 * @item: the request
 * @took_ns: what it took of the device's time
 * @wait_ns: how long it was asked for
 */
void fwy_tally_add(struct fwy_tally *tally, const struct fwy_item *item,
		   u64 took_ns, u64 wait_ns)
{
	tally->requests++;
	tally->sectors[item->class != FWY_READ] += item->sectors;
	tally->took_ns += took_ns;
	tally->wait_ns += wait_ns;
	tally->longest_ns = max(tally->longest_ns, wait_ns);
}

/**
 * fwy_tally_sum() - two that are told as one
 * @sum: what stays
 * @tally: what is added
 */
void fwy_tally_sum(struct fwy_tally *sum, const struct fwy_tally *tally)
{
	sum->requests += tally->requests;
	sum->sectors[0] += tally->sectors[0];
	sum->sectors[1] += tally->sectors[1];
	sum->took_ns += tally->took_ns;
	sum->wait_ns += tally->wait_ns;
	sum->longest_ns = max(sum->longest_ns, tally->longest_ns);
}

/* ---- the worst of two whiles --------------------------------------------- */

/* The lesser of what was seen, 0 standing for not seen. */
static u64 fwy_least(u64 a, u64 b)
{
	return a && b ? min(a, b) : a + b;
}

/* Of the two whiles together.  What was fresh in the one before tells nothing. */
static struct fwy_peak fwy_watch_worst(const struct fwy_watch *watch)
{
	const struct fwy_peak *a = &watch->peak[0], *b = &watch->peak[1];

	return (struct fwy_peak) {
		.latency_ns = max(a->latency_ns, b->latency_ns),
		.took_ns = max(a->took_ns, b->took_ns),
		.gap_ns = max(a->gap_ns, b->gap_ns),
		.depth = fwy_least(a->depth, b->depth),
		.fronts = a->fronts + b->fronts,
		.seen.flows = b->seen.flows + a->fresh.flows,
		.seen.weight = b->seen.weight + a->fresh.weight,
		.most_weight = max(a->most_weight, b->most_weight),
		.quantum_ns = max(a->quantum_ns, b->quantum_ns),
		.least_cost = fwy_least(a->least_cost, b->least_cost),
		.most_cost = max(a->most_cost, b->most_cost),
		.run_ns = max(a->run_ns, b->run_ns),
	};
}

static void fwy_watch_roll(struct fwy_watch *watch, u64 now_ns)
{
	struct fwy_peak *peak = watch->peak;
	u64 least_ns = max_t(u64, FWY_WHILE_NS,
			     max(peak[0].bound_ns, peak[1].bound_ns));

	if (fwy_elapsed_ns(peak[0].since_ns, now_ns) < least_ns)
		return;
	watch->number++;
	peak[1] = peak[0];
	peak[0] = (struct fwy_peak) { .since_ns = now_ns };
}

static void fwy_see(struct fwy_seen *seen, const struct fwy_item *item)
{
	seen->flows++;
	seen->weight += item->queue->kind == FWY_CROWD ? FWY_WEIGHT :
							 item->queue->weight;
}

/* Whose request this is shares the device; one that is new may pass others. */
static void fwy_watch_see(struct fwy_watch *watch, const struct fwy_item *item)
{
	struct fwy_peak *peak = &watch->peak[0];
	struct fwy_flow *flow = item->flow;

	if (flow->seen == watch->number)
		return;
	fwy_see(&peak->seen, item);
	if (flow->seen + 1 != watch->number)
		fwy_see(&peak->fresh, item);
	flow->seen = watch->number;
}

static u64 fwy_watch_bounded(struct fwy_watch *watch, u64 bound_ns)
{
	watch->peak[0].bound_ns = max(watch->peak[0].bound_ns, bound_ns);
	return bound_ns;
}

/* ---- bounds -------------------------------------------------------------- */

/* So many requests, one after the other, or as many at a time as there were. */
static u64 fwy_services_ns(const struct fwy_peak *worst, u64 services)
{
	u64 service_ns = min_t(u64, worst->latency_ns + worst->gap_ns,
			       FWY_MOST_NS);
	u64 depth = max(worst->depth, 1U);

	services = min_t(u64, services, FWY_MOST_SERVICES);
	return div64_u64(services + depth - 1, depth) * service_ns;
}

/**
 * fwy_watch_turn_bound_ns() - how long a queue may wait for its turn
 * @watch: what was seen
 * @sched: the scheduler, where seeks cost
 *
 * Two rounds, R = sum of the shares + (turns in it) x (the longest a request
 * took), and the turn that is on: it may be as long as it was when fewer shared.
 * A flow that came meanwhile had a share, a request at the front as long as any.
 *
 * Return: the time, 0 if nothing was seen of the device.
 */
u64 fwy_watch_turn_bound_ns(const struct fwy_watch *watch,
			    const struct fwy_sched *sched)
{
	const struct fwy_params *params = sched->params;
	struct fwy_peak worst = fwy_watch_worst(watch);
	u64 took_ns = min_t(u64, worst.took_ns + worst.gap_ns, FWY_MOST_NS);
	u64 least_ns = fwy_param_ns(params, FWY_TURN_MIN_MS, NSEC_PER_MSEC);
	u64 most_ns = fwy_param_ns(params, FWY_TURN_MAX_MS, NSEC_PER_MSEC);
	u64 round_ns = fwy_param_ns(params, FWY_ROUND_MS, NSEC_PER_MSEC);
	u64 services = 2 * worst.seen.flows + worst.fronts;

	if (!worst.took_ns)
		return 0;
	round_ns = max(min(round_ns * FWY_WEIGHT, most_ns * worst.seen.weight),
		       least_ns * worst.seen.weight);
	round_ns = div_u64(round_ns, FWY_WEIGHT);
	services = min_t(u64, services, FWY_MOST_SERVICES);
	return 2 * round_ns + services * took_ns + worst.quantum_ns;
}

/**
 * fwy_watch_order_bound_ns() - how long a request may wait to be dispatched
 * @watch: what was seen
 * @cost: what requests cost by now
 * @item: the request, where seeks cost nothing
 * @ahead: requests of its queue, up to it, when it was added; 1 or more
 *
 * Those ahead of it, and for them and itself what the other queues get meanwhile:
 * as much as their weight is to that of its queue, in requests of the least cost
 * there was, and one request each at least, with the pieces before it where that is
 * one of a run.  An eighth more goes before its time, and what was kept for that
 * before.
 *
 * Return: the time, 0 if nothing was seen of the device.
 */
u64 fwy_watch_order_bound_ns(const struct fwy_watch *watch,
			     const struct fwy_cost *cost,
			     const struct fwy_item *item, unsigned int ahead)
{
	struct fwy_peak worst = fwy_watch_worst(watch);
	u64 own = (ahead - 1) * worst.most_cost + fwy_cost_charged_ns(cost, item);
	u64 unit = item->queue->weight * max_t(u64, worst.least_cost, 1);
	u64 others = own * worst.most_weight + worst.run_ns * item->queue->weight;
	u64 times = div64_u64(others + unit - 1, unit);

	if (!worst.latency_ns)
		return 0;
	times = min_t(u64, times, FWY_MOST_SERVICES);
	times = max_t(u64, times, 1) * worst.seen.flows;
	return fwy_services_ns(&worst, ahead + worst.fronts + times +
			       times / FWY_LIGHT_PART + worst.depth);
}

/**
 * fwy_watch_line_bound_ns() - how long a submitter may stand in line
 * @watch: what was seen
 * @ahead: who stands there before it, with itself
 *
 * Each completion admits one.
 *
 * Return: the time, 0 if nothing was seen of the device.
 */
u64 fwy_watch_line_bound_ns(const struct fwy_watch *watch, unsigned int ahead)
{
	struct fwy_peak worst = fwy_watch_worst(watch);

	return worst.latency_ns ? fwy_services_ns(&worst, ahead) : 0;
}

/* ---- what happens -------------------------------------------------------- */

/**
 * fwy_watch_init() - begin to watch
 * @watch: where what was seen before is lost
 * @sched: the scheduler
 * @now_ns: the time
 */
void fwy_watch_init(struct fwy_watch *watch, const struct fwy_sched *sched,
		    u64 now_ns)
{
	/* A number that no flow has seen lately: all are fresh. */
	*watch = (struct fwy_watch) {
		.since_ns = now_ns,
		.number = watch->number + 2,
		.peak[0].since_ns = now_ns,
		.turn = sched->turn.number,
	};
}

/**
 * fwy_watch_lined() - a submitter leaves the line
 * @watch: the watch
 * @wait_ns: how long it stood there
 * @ahead: who was before it, with itself, 0 where there is no bound
 */
void fwy_watch_lined(struct fwy_watch *watch, u64 wait_ns, unsigned int ahead)
{
	u64 bound_ns = 0;

	if (ahead)
		bound_ns = fwy_watch_line_bound_ns(watch, ahead);
	fwy_waits_add(&watch->line, wait_ns, fwy_watch_bounded(watch, bound_ns));
}

/**
 * fwy_watch_queued() - a request was added
 * @watch: the watch
 * @cost: what requests cost by now
 * @item: the request, QUEUED
 * @now_ns: the time
 *
 * Return: what fwy_watch_dispatched() will want to know.
 */
unsigned int fwy_watch_queued(struct fwy_watch *watch,
			      const struct fwy_cost *cost,
			      const struct fwy_item *item, u64 now_ns)
{
	struct fwy_peak *peak = &watch->peak[0];
	u64 cost_ns = fwy_cost_charged_ns(cost, item);

	fwy_watch_roll(watch, now_ns);
	fwy_watch_see(watch, item);
	peak->most_weight = max(peak->most_weight, item->queue->weight);
	peak->least_cost = fwy_least(peak->least_cost, cost_ns);
	peak->most_cost = max(peak->most_cost, cost_ns);
	return item->queue->queued;
}

/* A turn shows by its first request. */
static void fwy_watch_way(struct fwy_watch *watch,
			  const struct fwy_sched *sched,
			  const struct fwy_item *item, u64 now_ns)
{
	u64 since_ns = item->queue->since_ns;
	u64 bound_ns = 0;

	watch->turn = item->turn;
	if (since_ns >= watch->since_ns)
		bound_ns = fwy_watch_turn_bound_ns(watch, sched);
	fwy_waits_add(&watch->way[item->class],
		      fwy_elapsed_ns(since_ns, now_ns),
		      fwy_watch_bounded(watch, bound_ns));
}

/**
 * fwy_watch_dispatched() - a request goes to the device
 * @watch: the watch
 * @sched: the scheduler
 * @item: the request, DISPATCHED
 * @ahead: what fwy_watch_queued() said of it; 0 if it was not asked
 * @now_ns: the time
 *
 * The idle class is promised nothing, and requests at the front never wait.
 *
 * Return: how long it waited.
 */
u64 fwy_watch_dispatched(struct fwy_watch *watch, const struct fwy_sched *sched,
			 const struct fwy_item *item, unsigned int ahead,
			 u64 now_ns)
{
	struct fwy_peak *peak = &watch->peak[0];
	u64 wait_ns, bound_ns = 0;

	fwy_watch_roll(watch, now_ns);
	if (watch->has_more)
		peak->gap_ns = max(peak->gap_ns,
				   fwy_elapsed_ns(watch->done_ns, now_ns));
	watch->has_more = false;
	peak->quantum_ns = max(peak->quantum_ns, sched->turn.quantum_ns);
	if (!item->queue) {
		peak->fronts++;
		return 0;
	}
	if (!sched->is_sorted)
		peak->run_ns = max(peak->run_ns, item->queue->used_ns);
	wait_ns = fwy_elapsed_ns(item->added_ns, now_ns);
	if (item->queue->kind != FWY_BACKGROUND) {
		if (sched->is_sorted && item->turn != watch->turn)
			fwy_watch_way(watch, sched, item, now_ns);
		if (!sched->is_sorted && ahead)
			bound_ns = fwy_watch_order_bound_ns(watch,
							    &sched->cost,
							    item, ahead);
	}
	fwy_waits_add(&watch->order[item->class], wait_ns,
		      fwy_watch_bounded(watch, bound_ns));
	return wait_ns;
}

/**
 * fwy_watch_done() - a request completed
 * @watch: the watch
 * @sched: the scheduler
 * @item: the request, still DISPATCHED
 * @has_more: whether somebody else waits for the device
 * @dispatched_ns: when it was dispatched
 * @now_ns: the time
 *
 * Return: what it took of the device's time.
 */
u64 fwy_watch_done(struct fwy_watch *watch, const struct fwy_sched *sched,
		   const struct fwy_item *item, bool has_more,
		   u64 dispatched_ns, u64 now_ns)
{
	struct fwy_peak *peak = &watch->peak[0];
	u64 latency_ns = fwy_elapsed_ns(dispatched_ns, now_ns);
	u64 took_ns = min(latency_ns, fwy_elapsed_ns(watch->done_ns, now_ns));

	if (!watch->done_ns)
		took_ns = latency_ns;
	fwy_watch_roll(watch, now_ns);
	watch->done_ns = now_ns;
	watch->has_more = has_more;
	peak->latency_ns = max(peak->latency_ns, latency_ns);
	peak->took_ns = max(peak->took_ns, took_ns);
	if (has_more)
		peak->depth = fwy_least(peak->depth, sched->in_device);
	fwy_waits_add(&watch->device[item->class], latency_ns, 0);
	return took_ns;
}
