// SPDX-License-Identifier: GPL-2.0
/*
 * Between the submitters and the device: queueing, requeueing, dispatching.
 */
#include <linux/jiffies.h>
#include <trace/events/block.h>

#include "fairway.h"
#include "blk.h"
#include "blk-mq.h"
#include "blk-mq-sched.h"

/* Expiry is in milliseconds: the tick will do, and costs next to nothing. */
static u64 fairway_now_ns(void)
{
	return jiffies64_to_nsecs(get_jiffies_64());
}

/*
 * Where a request goes:
 *  - without an item: nothing is known of it, so first;
 *  - at the head: what blk-mq inserts there, and what comes a second time;
 *  - in the order, from where it may be merged with.
 */
static void fairway_insert(struct fairway_queue *fq, struct request *rq,
			   bool at_head, struct list_head *free)
{
	struct fairway_item *item = fairway_item(rq);

	lockdep_assert_held(&fq->lock);

	trace_block_rq_insert(rq);
	fairway_count(fq, FAIRWAY_INSERTED);
	if (!item) {
		list_add_tail(&rq->queuelist, &fq->untracked);
	} else if (at_head || item->core.state == FWY_ITEM_DISPATCHED) {
		if (item->core.state == FWY_ITEM_DISPATCHED)
			fairway_count(fq, FAIRWAY_REQUEUED);
		fwy_order_add_front(&fq->order, &item->core);
	} else {
		/* Of two discards that become one, requests_merged is not told. */
		if (fq->order.queued && !blk_discard_mergable(rq) &&
		    blk_mq_sched_try_insert_merge(fq->q, rq, free)) {
			fairway_count(fq, FAIRWAY_MERGED);
			return;
		}
		item->core.sector = blk_rq_pos(rq);
		item->core.sectors = blk_rq_sectors(rq);
		item->core.dir = op_is_write(req_op(rq)) ? FWY_WRITE : FWY_READ;
		fwy_order_add(&fq->order, &item->core, fairway_now_ns());
		fairway_merge_add(fq->q, rq);
	}
	WRITE_ONCE(fq->nr_queued, fq->nr_queued + 1);
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

	spin_lock(&fq->lock);
	while (!list_empty(list)) {
		struct request *rq = list_first_entry(list, struct request,
						      queuelist);

		list_del_init(&rq->queuelist);
		fairway_insert(fq, rq, at_head, &free);
	}
	spin_unlock(&fq->lock);

	blk_mq_free_requests(&free);
}

/**
 * fairway_dispatch_request() - the next request for the device
 * @hctx: the hardware queue that is run; the request may be another's
 *
 * Called from blk-mq in process context.
 *
 * Return: a request, or NULL if none is queued.
 */
struct request *fairway_dispatch_request(struct blk_mq_hw_ctx *hctx)
{
	struct fairway_queue *fq = fairway_queue(hctx->queue);
	enum fwy_reason reason;
	struct fwy_item *item;
	struct request *rq;

	spin_lock(&fq->lock);
	rq = list_first_entry_or_null(&fq->untracked, struct request,
				      queuelist);
	if (rq) {
		list_del_init(&rq->queuelist);
	} else {
		fq->order.is_sorted = !blk_queue_nonrot(fq->q);
		item = fwy_order_next(&fq->order, fairway_now_ns(), &reason);
		if (item) {
			rq = container_of(item, struct fairway_item, core)->rq;
			fairway_merge_remove(fq->q, rq);
		}
	}
	if (rq) {
		WRITE_ONCE(fq->nr_queued, fq->nr_queued - 1);
		fairway_count(fq, FAIRWAY_DISPATCHED);
		rq->rq_flags |= RQF_STARTED;
	}
	spin_unlock(&fq->lock);

	return rq;
}

/**
 * fairway_has_work() - would fairway_dispatch_request() return a request?
 * @hctx: the hardware queue
 *
 * Return: true exactly if one is queued; then whoever queued it runs the queue.
 */
bool fairway_has_work(struct blk_mq_hw_ctx *hctx)
{
	return READ_ONCE(fairway_queue(hctx->queue)->nr_queued);
}
