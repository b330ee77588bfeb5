// SPDX-License-Identifier: GPL-2.0
/*
 * Merging.  Only what is in the order may be merged with: it enters the merge
 * hash when it is queued and leaves it when it is dispatched.  All of this runs
 * under fairway_queue.lock.
 */
#include "fairway.h"
#include "blk-mq-sched.h"

/* The queue that a bio's request would stand in. */
static struct fwy_queue *fairway_bio_queue(struct fairway_queue *fq,
					   struct bio *bio)
{
	if (!op_is_sync(bio->bi_opf))
		return &fq->sched.writeback;
	return &fairway_flow_find_current(fq->q)->core.queue;
}

/**
 * fairway_allow_merge() - may a bio become part of a request?
 * @q: the device's queue
 * @rq: the request, queued
 * @bio: the bio
 *
 * Called from blk-mq in the submitter's context.
 *
 * Return: whether both are of one flow, or both writeback: what nobody waits for
 * must not delay what somebody does, nor cost somebody else.
 */
bool fairway_allow_merge(struct request_queue *q, struct request *rq,
			 struct bio *bio)
{
	struct fairway_queue *fq = fairway_queue(q);
	struct fairway_item *item = fairway_item(rq);

	lockdep_assert_held(&fq->lock);
	return item && item->core.queue == fairway_bio_queue(fq, bio);
}

/**
 * fairway_bio_merge() - merge a bio that was just submitted
 * @q: the device's queue
 * @bio: the bio
 * @nr_segs: its segments
 *
 * Called from blk-mq in the submitter's context, before it takes a request.
 *
 * Return: whether it was merged.
 */
bool fairway_bio_merge(struct request_queue *q, struct bio *bio,
		       unsigned int nr_segs)
{
	struct fairway_queue *fq = fairway_queue(q);
	struct request *free = NULL;
	bool is_merged, had_work;

	/* Who comes in the same moment is not merged with. */
	if (!data_race(fq->sched.queued))
		return false;

	spin_lock_irq(&fq->lock);
	had_work = fq->has_work;
	is_merged = blk_mq_sched_try_merge(q, bio, nr_segs, &free);
	fairway_update(fq);
	had_work |= !fq->has_work;
	spin_unlock_irq(&fq->lock);

	if (free)
		blk_mq_free_request(free);
	/* No request comes, so blk-mq runs no queue. */
	if (!had_work)
		blk_mq_run_hw_queues(q, true);
	return is_merged;
}

/**
 * fairway_request_merge() - find a request that begins where a bio ends
 * @q: the device's queue
 * @req: the request found
 * @bio: the bio
 *
 * Called from elv_merge(), which has looked for one that ends where it begins.
 *
 * Return: how to merge.
 */
int fairway_request_merge(struct request_queue *q, struct request **req,
			  struct bio *bio)
{
	struct fairway_queue *fq = fairway_queue(q);
	struct fwy_item *item;
	struct request *rq;

	lockdep_assert_held(&fq->lock);

	item = fwy_queue_find(fairway_bio_queue(fq, bio), bio_end_sector(bio),
			      false);
	if (!item)
		return ELEVATOR_NO_MERGE;
	rq = container_of(item, struct fairway_item, core)->rq;
	if (!elv_bio_merge_ok(rq, bio))
		return ELEVATOR_NO_MERGE;
	*req = rq;
	return blk_discard_mergable(rq) ? ELEVATOR_DISCARD_MERGE :
					  ELEVATOR_FRONT_MERGE;
}

/**
 * fairway_request_merged() - a bio was merged into a request
 * @q: the device's queue
 * @rq: the request
 * @type: at which end; the request tells
 */
void fairway_request_merged(struct request_queue *q, struct request *rq,
			    enum elv_merge type)
{
	struct fairway_queue *fq = fairway_queue(q);

	lockdep_assert_held(&fq->lock);
	fwy_sched_resize(&fq->sched, &fairway_item(rq)->core, blk_rq_pos(rq),
			 blk_rq_sectors(rq));
}

/**
 * fairway_requests_merged() - a request swallowed the one that follows it
 * @q: the device's queue
 * @rq: the request that stays
 * @next: the request that goes; it may never have been queued
 */
void fairway_requests_merged(struct request_queue *q, struct request *rq,
			     struct request *next)
{
	struct fairway_queue *fq = fairway_queue(q);
	struct fairway_item *gone = fairway_item(next);
	struct fwy_item *item = &fairway_item(rq)->core;

	lockdep_assert_held(&fq->lock);
	fwy_sched_resize(&fq->sched, item, blk_rq_pos(rq), blk_rq_sectors(rq));
	if (gone && gone->core.state == FWY_ITEM_QUEUED) {
		fairway_merge_remove(q, next);
		fwy_sched_absorb(&fq->sched, item, &gone->core);
		fairway_count(fq, FAIRWAY_MERGED);
	}
}

/* The request of the same queue that ends, or begins, where another begins or ends. */
static struct request *fairway_neighbour(const struct request *rq,
					 bool is_former)
{
	struct fairway_item *item = fairway_item(rq);
	struct fwy_item *found;

	if (!item || item->core.state != FWY_ITEM_QUEUED)
		return NULL;
	found = fwy_queue_find(item->core.queue, is_former ? blk_rq_pos(rq) :
			       blk_rq_pos(rq) + blk_rq_sectors(rq), is_former);
	return found ? container_of(found, struct fairway_item, core)->rq : NULL;
}

/**
 * fairway_former_request() - the queued request just before a request
 * @q: the device's queue
 * @rq: the request
 *
 * Return: the request, or NULL.
 */
struct request *fairway_former_request(struct request_queue *q,
				       struct request *rq)
{
	return fairway_neighbour(rq, true);
}

/**
 * fairway_next_request() - the queued request just after a request
 * @q: the device's queue
 * @rq: the request
 *
 * Return: the request, or NULL.
 */
struct request *fairway_next_request(struct request_queue *q,
				     struct request *rq)
{
	return fairway_neighbour(rq, false);
}
