// SPDX-License-Identifier: GPL-2.0
/*
 * Between the submitters and the device: queueing, dispatching, and what comes
 * back.
 */
#include <linux/ioprio.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <trace/events/block.h>

#include "fairway.h"
#include "blk-mq.h"
#include "blk-mq-sched.h"

/*
 * Where seeks cost, turns are measured.  Elsewhere only the idle class asks for
 * the time; unless somebody looks on.
 */
static u64 fairway_now_ns(const struct fairway_queue *fq)
{
	/* By the timer's clock: a coarse one would not have come so far yet. */
	if (fq->is_timed || fq->sched.background.queued)
		return ktime_get_ns();
	return fq->sched.busy_ns;
}

/**
 * fairway_update() - show the state to those without the lock
 * @fq: the device
 *
 * Called before the lock is dropped by whoever changed something.
 */
void fairway_update(struct fairway_queue *fq)
{
	lockdep_assert_held(&fq->lock);
	WRITE_ONCE(fq->has_work,
		   fq->nr_untracked || fwy_sched_has_work(&fq->sched));
}

/* Zeroing and discarding is never waited for as a write is, and moves no data. */
static void fairway_describe_op(struct request *rq, struct fwy_item *item)
{
	if (!op_is_write(req_op(rq))) {
		item->class = FWY_READ;
		item->op = FWY_OP_READ;
	} else if (!bio_has_data(rq->bio)) {
		item->class = FWY_ASYNC;
		item->op = FWY_OP_DISCARD;
	} else {
		item->class = op_is_sync(rq->cmd_flags) &&
			      req_op(rq) == REQ_OP_WRITE ? FWY_WRITE : FWY_ASYNC;
		item->op = FWY_OP_WRITE;
	}
}

static u32 fairway_weight(struct request *rq)
{
	unsigned int ioprio = req_get_ioprio(rq);
	unsigned int class = IOPRIO_PRIO_CLASS(ioprio);

	if (ioprio == IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, IOPRIO_BE_NORM) ||
	    class == IOPRIO_CLASS_NONE)
		return FWY_WEIGHT;
	return fwy_prio_weight(class, IOPRIO_PRIO_LEVEL(ioprio));
}

static void fairway_describe(struct request *rq, struct fwy_item *item)
{
	item->sector = blk_rq_pos(rq);
	item->sectors = blk_rq_sectors(rq);
	fairway_describe_op(rq, item);
	item->weight = fairway_weight(rq);
	/* blk-mq says so of all pieces but the last, and of what is as long as can be. */
	item->is_cut = rq->cmd_flags & REQ_NOMERGE;
}

/* Returns whether the request went into another. */
static bool fairway_add(struct fairway_queue *fq, struct request *rq,
			struct list_head *free)
{
	struct fairway_item *item = fairway_item(rq);

	/* Of two discards that become one, requests_merged is not told. */
	if (fq->sched.queued && !blk_discard_mergable(rq) &&
	    blk_mq_sched_try_insert_merge(fq->q, rq, free))
		return true;

	/* blk-mq has read the clock when it prepared the request. */
	fwy_sched_add(&fq->sched, &item->core, fq->sched.is_sorted ?
		      ktime_get_ns() : rq->start_time_ns);
	if (fq->is_timed)
		fairway_observe_queued(fq, item);
	fairway_merge_add(fq->q, rq);
	return false;
}

/*
 * Where a request goes:
 *  - without an item: nothing is known of it, so first;
 *  - at the head: what blk-mq inserts there, and what comes a second time;
 *  - to its queue, from where it may be merged with.
 */
static void fairway_insert(struct fairway_queue *fq, struct request *rq,
			   bool at_head, struct list_head *free)
{
	struct fairway_item *item = fairway_item(rq);

	lockdep_assert_held(&fq->lock);

	trace_block_rq_insert(rq);
	fairway_count(fq, FAIRWAY_INSERTED);
	if (unlikely(!item)) {
		list_add_tail(&rq->queuelist, &fq->untracked);
		fq->nr_untracked++;
		return;
	}
	fairway_describe(rq, &item->core);
	if (at_head || item->is_requeued) {
		item->is_requeued = false;
		fwy_sched_add_front(&fq->sched, &item->core);
	} else if (fairway_add(fq, rq, free)) {
		fairway_count(fq, FAIRWAY_MERGED);
	}
}

/**
 * fairway_insert_requests() - queue requests
 * @hctx: the hardware queue that they were submitted to
 * @list: the requests
 * @flags: BLK_MQ_INSERT_AT_HEAD or not
 *
 * Called from blk-mq in process context; the caller runs the queue.
 */
void fairway_insert_requests(struct blk_mq_hw_ctx *hctx, struct list_head *list,
			     blk_insert_t flags)
{
	struct fairway_queue *fq = fairway_queue(hctx->queue);
	bool at_head = !!(flags & BLK_MQ_INSERT_AT_HEAD);
	LIST_HEAD(free);

	spin_lock_irq(&fq->lock);
	while (!list_empty(list)) {
		struct request *rq = list_first_entry(list, struct request,
						      queuelist);

		list_del_init(&rq->queuelist);
		fairway_insert(fq, rq, at_head, &free);
	}
	fairway_update(fq);
	spin_unlock_irq(&fq->lock);

	blk_mq_free_requests(&free);
}

static struct request *fairway_next(struct fairway_queue *fq)
{
	bool is_sorted = !blk_queue_nonrot(fq->q);
	u64 now_ns = fairway_now_ns(fq);
	struct fairway_item *found;
	struct fwy_decision decision;
	struct fwy_item *item;
	struct request *rq;

	rq = list_first_entry_or_null(&fq->untracked, struct request,
				      queuelist);
	if (rq) {
		list_del_init(&rq->queuelist);
		fq->nr_untracked--;
		return rq;
	}

	if (unlikely(fq->sched.is_sorted != is_sorted)) {
		fwy_sched_set_sorted(&fq->sched, is_sorted, now_ns);
		fq->is_timed = is_sorted || fq->is_observed;
	}
	item = fwy_sched_next(&fq->sched, fq->depth, now_ns,
			      &decision);
	if (!item) {
		if (decision.wake_ns)
			hrtimer_start(&fq->timer, ns_to_ktime(decision.wake_ns),
				      HRTIMER_MODE_ABS);
		return NULL;
	}
	found = container_of(item, struct fairway_item, core);
	if (fq->is_timed)
		fairway_observe_dispatched(fq, found, decision.reason, now_ns);
	fairway_merge_remove(fq->q, found->rq);
	return found->rq;
}

/**
 * fairway_dispatch_request() - the next request for the device
 * @hctx: the hardware queue that is run; the request may be another's
 *
 * Called from blk-mq in process context.
 *
 * Return: a request, or NULL if none may go now.
 */
struct request *fairway_dispatch_request(struct blk_mq_hw_ctx *hctx)
{
	struct fairway_queue *fq = fairway_queue(hctx->queue);
	struct request *rq;

	spin_lock_irq(&fq->lock);
	rq = fairway_next(fq);
	fairway_update(fq);
	spin_unlock_irq(&fq->lock);

	if (rq) {
		fairway_count(fq, FAIRWAY_DISPATCHED);
		rq->rq_flags |= RQF_STARTED;
	}
	return rq;
}

/**
 * fairway_has_work() - may fairway_dispatch_request() return a request?
 * @hctx: the hardware queue
 *
 * Return: false also if what is queued waits for a completion or for a time;
 * then the completion or the timer runs the queue.
 */
bool fairway_has_work(struct blk_mq_hw_ctx *hctx)
{
	return READ_ONCE(fairway_queue(hctx->queue)->has_work);
}

/**
 * fairway_timer() - the time has come that the core asked for
 * @timer: the device's timer
 *
 * Called in hard irq context.
 *
 * Return: HRTIMER_NORESTART.
 */
enum hrtimer_restart fairway_timer(struct hrtimer *timer)
{
	struct fairway_queue *fq = container_of(timer, struct fairway_queue,
						timer);
	unsigned long irq_flags;
	bool is_to_run;

	spin_lock_irqsave(&fq->lock, irq_flags);
	is_to_run = fwy_sched_awake(&fq->sched);
	fairway_update(fq);
	spin_unlock_irqrestore(&fq->lock, irq_flags);

	if (is_to_run)
		blk_mq_run_hw_queues(fq->q, true);
	return HRTIMER_NORESTART;
}

static void fairway_came_back(struct fairway_queue *fq,
			      struct fairway_item *item, u64 now_ns,
			      bool is_done)
{
	unsigned long irq_flags;
	bool is_to_run = false;

	spin_lock_irqsave(&fq->lock, irq_flags);
	if (item->core.state == FWY_ITEM_DISPATCHED) {
		if (fq->is_timed && is_done)
			fairway_observe_done(fq, item, now_ns);
		is_to_run = fwy_sched_done(&fq->sched, &item->core, now_ns,
					   is_done);
	}
	if (is_to_run)
		fairway_update(fq);
	spin_unlock_irqrestore(&fq->lock, irq_flags);

	/* Not from here: the request still has its tag. */
	if (is_to_run)
		blk_mq_run_hw_queues(fq->q, true);
}

/**
 * fairway_completed_request() - the device is done with a request
 * @rq: the request, inserted or not
 * @now_ns: when, on the monotonic clock
 *
 * Called in any context, hard irq too.
 */
void fairway_completed_request(struct request *rq, u64 now_ns)
{
	struct fairway_item *item = fairway_item(rq);

	if (item)
		fairway_came_back(fairway_queue(rq->q), item, now_ns, true);
}

/**
 * fairway_requeue_request() - the device gave a request back
 * @rq: the request, which will be inserted again
 *
 * Called in any context, hard irq too.
 */
void fairway_requeue_request(struct request *rq)
{
	struct fairway_queue *fq = fairway_queue(rq->q);
	struct fairway_item *item = fairway_item(rq);

	if (!item || item->core.state != FWY_ITEM_DISPATCHED)
		return;
	item->is_requeued = true;
	fairway_count(fq, FAIRWAY_REQUEUED);
	fairway_came_back(fq, item, fairway_now_ns(fq), false);
}

/**
 * fairway_drop() - a request is freed that was dispatched and never completed
 * @fq: the device
 * @item: the request's item
 *
 * Called in any context, hard irq too.
 */
void fairway_drop(struct fairway_queue *fq, struct fairway_item *item)
{
	fairway_came_back(fq, item, fairway_now_ns(fq), false);
}
