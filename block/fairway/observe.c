// SPDX-License-Identifier: GPL-2.0
/*
 * What is told of all this: the watch, trace events, and messages to blktrace.
 *
 * Nothing here changes what the scheduler does.  All devices are observed as long
 * as one of them is watched or one trace event is on.  Otherwise a request where
 * seeks cost nothing looks at one flag in three places, and the clock is not read.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"

#include <linux/blktrace_api.h>
#include <linux/ktime.h>
#include <linux/mutex.h>

/* What is learned is told when it has moved by one part in so many. */
#define FAIRWAY_TOLD_PART	8

static DEFINE_MUTEX(fairway_observe_lock);	/* protects both */
static LIST_HEAD(fairway_observed);
static unsigned int fairway_observers;

const char *const fairway_kind_name[] = {
	[FWY_OWN]		= "own",
	[FWY_CROWD]		= "crowd",
	[FWY_WRITEBACK]		= "writeback",
	[FWY_BACKGROUND]	= "background",
};

static void fairway_observe_update(struct fairway_queue *fq)
{
	lockdep_assert_held(&fairway_observe_lock);
	spin_lock_irq(&fq->lock);
	WRITE_ONCE(fq->is_observed, fairway_observers);
	fq->is_timed = fq->is_observed || fq->sched.is_sorted;
	spin_unlock_irq(&fq->lock);
}

static void fairway_observe_change(int change)
{
	struct fairway_queue *fq;

	mutex_lock(&fairway_observe_lock);
	fairway_observers += change;
	list_for_each_entry(fq, &fairway_observed, observed)
		fairway_observe_update(fq);
	mutex_unlock(&fairway_observe_lock);
}

/**
 * fairway_observe_get() - somebody wants to know
 *
 * Return: 0.
 *
 * Context: process; sleeps.
 */
int fairway_observe_get(void)
{
	fairway_observe_change(1);
	return 0;
}

/**
 * fairway_observe_put() - and no longer
 *
 * Context: process; sleeps.
 */
void fairway_observe_put(void)
{
	fairway_observe_change(-1);
}

/**
 * fairway_observe_begin() - a device gets the scheduler
 * @fq: the device
 *
 * Context: process; sleeps.
 */
void fairway_observe_begin(struct fairway_queue *fq)
{
	mutex_lock(&fairway_observe_lock);
	list_add(&fq->observed, &fairway_observed);
	fairway_observe_update(fq);
	mutex_unlock(&fairway_observe_lock);
}

/**
 * fairway_observe_end() - and another one
 * @fq: the device
 *
 * Context: process; sleeps.
 */
void fairway_observe_end(struct fairway_queue *fq)
{
	mutex_lock(&fairway_observe_lock);
	list_del(&fq->observed);
	mutex_unlock(&fairway_observe_lock);
	if (fq->is_watched)
		fairway_observe_put();
}

/**
 * fairway_watch() - watch a device, anew if it is watched already, or no longer
 * @fq: the device
 * @is_on: which
 *
 * Context: process; sleeps.
 */
void fairway_watch(struct fairway_queue *fq, bool is_on)
{
	struct fairway_flow *flow;
	bool was_on;

	spin_lock_irq(&fq->lock);
	was_on = fq->is_watched;
	fq->is_watched = is_on;
	fwy_watch_init(&fq->watch, &fq->sched, ktime_get_ns());
	fq->ended = (struct fwy_tally) {};
	list_for_each_entry(flow, &fq->flows, entry) {
		flow->tally = (struct fwy_tally) {};
		WRITE_ONCE(flow->lined_ns, 0);
	}
	spin_unlock_irq(&fq->lock);

	if (is_on && !was_on)
		fairway_observe_get();
	else if (was_on && !is_on)
		fairway_observe_put();
}

static void fairway_tell(const struct fairway_queue *fq, const char *what,
			 u64 *told, u64 is)
{
	u64 moved = *told < is ? is - *told : *told - is;

	if (moved <= max(*told, is) / FAIRWAY_TOLD_PART)
		return;
	trace_fairway_adjust(fq, what, *told, is);
	*told = is;
}

/* Another turn has begun. */
static void fairway_observe_turn(struct fairway_queue *fq)
{
	const struct fwy_turn *turn = &fq->sched.turn;
	const struct fwy_queue *queue = turn->queue;

	fq->told.turn = turn->number;
	if (!queue)
		return;
	if (trace_fairway_adjust_enabled())
		fairway_tell(fq, "quantum_ns", &fq->told.quantum_ns,
			     turn->quantum_ns);
	blk_add_trace_msg(fq->q, "fairway turn %u %s pid %d quantum %llu us, %u wait",
			  turn->number, fairway_kind_name[queue->kind],
			  fairway_queue_pid(queue),
			  div_u64(turn->quantum_ns, NSEC_PER_USEC),
			  fq->sched.fair.nr_backlog);
}

/**
 * fairway_observe_knob() - a knob was written
 * @fq: the device
 * @param: which
 * @was: its value before
 * @is: its value now
 */
void fairway_observe_knob(struct fairway_queue *fq, enum fwy_param param,
			  u32 was, u32 is)
{
	trace_fairway_adjust(fq, fwy_param_info[param].name, was, is);
	blk_add_trace_msg(fq->q, "fairway %s %u -> %u",
			  fwy_param_info[param].name, was, is);
}

/*
 * A time of this request, or of one that had its tag before and was observed?  To
 * forget it would cost each request something, observed or not.
 */
static bool fairway_is_of_now(const struct fairway_item *item, u64 at_ns)
{
	return at_ns >= item->rq->start_time_ns;
}

/**
 * fairway_observe_queued() - a request was queued
 * @fq: the device
 * @item: the request
 */
void fairway_observe_queued(struct fairway_queue *fq, struct fairway_item *item)
{
	lockdep_assert_held(&fq->lock);
	if (!fq->is_observed)
		return;
	item->queued_ns = item->core.added_ns;
	item->lined_ns = READ_ONCE(item->flow->lined_ns);
	WRITE_ONCE(item->flow->lined_ns, 0);
	item->ahead = fwy_watch_queued(&fq->watch, &fq->sched.cost, &item->core,
				       item->queued_ns);
}

/**
 * fairway_observe_dispatched() - a request goes to the device
 * @fq: the device
 * @item: the request
 * @reason: why this one
 * @now_ns: the time
 */
void fairway_observe_dispatched(struct fairway_queue *fq,
				struct fairway_item *item,
				enum fwy_reason reason, u64 now_ns)
{
	unsigned int ahead = 0;
	u64 wait_ns;

	lockdep_assert_held(&fq->lock);
	if (fq->sched.turn.number != fq->told.turn)
		fairway_observe_turn(fq);
	if (!fq->is_observed)
		return;
	if (fairway_is_of_now(item, item->queued_ns))
		ahead = item->ahead;
	item->dispatched_ns = now_ns;
	wait_ns = fwy_watch_dispatched(&fq->watch, &fq->sched, &item->core,
				       ahead, now_ns);
	trace_fairway_dispatch(fq, item, reason, wait_ns);
}

static void fairway_tell_costs(struct fairway_queue *fq)
{
	const struct fwy_cost *cost = &fq->sched.cost;
	struct fairway_told *told = &fq->told;

	fairway_tell(fq, "read_sector_ns", &told->sector_ns[0],
		     cost->sector_ns[0]);
	fairway_tell(fq, "write_sector_ns", &told->sector_ns[1],
		     cost->sector_ns[1]);
	if (fq->sched.is_sorted) {
		fairway_tell(fq, "switch_ns", &told->switch_ns, cost->switch_ns);
		return;
	}
	fairway_tell(fq, "read_request_ns", &told->request_ns[0],
		     cost->request_ns[FWY_OP_READ]);
	fairway_tell(fq, "write_request_ns", &told->request_ns[1],
		     cost->request_ns[FWY_OP_WRITE]);
	fairway_tell(fq, "window_ns", &told->window_ns,
		     fq->sched.window.limit_ns);
}

/**
 * fairway_observe_done() - a request completed
 * @fq: the device
 * @item: the request, about which the core does not know yet
 * @now_ns: the time
 */
void fairway_observe_done(struct fairway_queue *fq, struct fairway_item *item,
			  u64 now_ns)
{
	const struct fairway_pool *pool = item->rq->mq_hctx->sched_data;
	bool has_more = fq->sched.queued || READ_ONCE(pool->nr_waiting);
	u64 took_ns, wait_ns;

	lockdep_assert_held(&fq->lock);
	if (!fq->is_observed || !fairway_is_of_now(item, item->dispatched_ns))
		return;
	took_ns = fwy_watch_done(&fq->watch, &fq->sched, &item->core, has_more,
				 item->dispatched_ns, now_ns);
	wait_ns = fwy_elapsed_ns(item->rq->start_time_ns, now_ns);
	if (fairway_is_of_now(item, item->queued_ns))
		wait_ns += item->lined_ns;
	fwy_tally_add(&item->flow->tally, &item->core, took_ns, wait_ns);
	trace_fairway_done(fq, item,
			   fwy_elapsed_ns(item->dispatched_ns, now_ns), took_ns);
	if (trace_fairway_adjust_enabled())
		fairway_tell_costs(fq);
}

/**
 * fairway_observe_joined() - a submitter is about to stand in line
 * @pool: the pool
 * @seat: of its flow
 * @waiter: it
 * @at_front: whether it goes to the front
 *
 * The promise is to flows that have no more than one request, in front of a device
 * with one line: which of several gets the next completion is not promised.
 */
void fairway_observe_joined(struct fairway_pool *pool,
			    const struct fwy_seat *seat,
			    struct fairway_waiter *waiter, bool at_front)
{
	lockdep_assert_held(&pool->lock);
	waiter->joined_ns = ktime_get_ns();
	waiter->fronts = pool->line.next_front;
	if (pool->fq->nr_pools == 1 && !at_front &&
	    list_empty(&seat->waiters) && !atomic_read(&seat->held))
		waiter->ahead = pool->line.nr_waiters + 1;
}

/**
 * fairway_observe_admitted() - a submitter was given its request
 * @pool: the pool
 * @waiter: it, not told yet
 */
void fairway_observe_admitted(struct fairway_pool *pool,
			      struct fairway_waiter *waiter)
{
	lockdep_assert_held(&pool->lock);
	waiter->admitted_ns = ktime_get_ns();
	/* Each that went to the front has lowered the number. */
	if (waiter->ahead)
		waiter->ahead += waiter->fronts - pool->line.next_front;
}

/**
 * fairway_observe_lined() - a submitter has stood in line
 * @pool: the pool
 * @flow: its flow
 * @waiter: it
 *
 * Its wait lasts until it runs; the promise holds until it was admitted.
 *
 * Context: process, no lock held.
 */
void fairway_observe_lined(struct fairway_pool *pool, struct fairway_flow *flow,
			   const struct fairway_waiter *waiter)
{
	struct fairway_queue *fq = pool->fq;
	u64 wait_ns = fwy_elapsed_ns(waiter->joined_ns, ktime_get_ns());

	spin_lock_irq(&fq->lock);
	fwy_watch_lined(&fq->watch,
			fwy_elapsed_ns(waiter->joined_ns, waiter->admitted_ns),
			waiter->ahead);
	spin_unlock_irq(&fq->lock);
	WRITE_ONCE(flow->lined_ns, wait_ns);
	trace_fairway_refuse(pool, current->pid, false, wait_ns);
}

/**
 * fairway_observe_refused() - a submitter that may not wait gets nothing
 * @pool: the pool
 */
void fairway_observe_refused(struct fairway_pool *pool)
{
	trace_fairway_refuse(pool, current->pid, true, 0);
}
