// SPDX-License-Identifier: GPL-2.0
/*
 * The turnstile: how a submitter comes to a request, and gives it back.
 *
 * blk-mq calls limit_depth before it looks for a tag, prepare_request when it
 * has one, finish_request shortly before it frees it.  No hook tells of an
 * allocation that failed.  So a ticket must never be out of sight: its number
 * travels in data->rq_flags, which blk-mq keeps over its retries and copies to
 * the request.  limit_depth finds a ticket there when blk-mq tries again since
 * the hardware queue went inactive; prepare_request finds it in the request,
 * even if the submitter slept for a tag and woke on another hardware queue.
 *
 * Where an allocation may end without a request (no waiting allowed) or with
 * fewer than asked for (batches), no ticket is given: prepare_request counts.
 */
#include <linux/bio.h>
#include <linux/oom.h>
#include <linux/sched.h>

#include "compat.h"
#include "fairway.h"
#include "blk-mq.h"

/*
 * Ticket number: pool index + 1, in bits of rq_flags that blk-mq leaves free.
 * Set by limit_depth, gone after prepare_request.  A device with more pools
 * than fit has no line in front of the rest.
 */
#define FAIRWAY_TICKET_SHIFT	20
#define FAIRWAY_TICKET_MAX	(U32_MAX >> FAIRWAY_TICKET_SHIFT)
#define FAIRWAY_TICKET_MASK \
	((__force req_flags_t)(FAIRWAY_TICKET_MAX << FAIRWAY_TICKET_SHIFT))

/*
 * Pieces of one split I/O that go through together after its first waited.
 * They are of one I/O and lie side by side, so it costs the others no seek;
 * without it each piece of a 1 MB request would wait for the whole line.
 */
#define FAIRWAY_MAX_PIECES	8

static unsigned int fairway_ticket(req_flags_t rq_flags)
{
	return (__force u32)(rq_flags & FAIRWAY_TICKET_MASK) >>
		FAIRWAY_TICKET_SHIFT;
}

static void fairway_ticket_give(struct blk_mq_alloc_data *data,
				struct fairway_pool *pool)
{
	BUILD_BUG_ON(__RQF_BITS > FAIRWAY_TICKET_SHIFT);
	data->rq_flags |= (__force req_flags_t)((pool->index + 1) <<
						FAIRWAY_TICKET_SHIFT);
	fairway_count(pool->fq, FAIRWAY_TICKETS);
}

/* blk-mq tries again: the ticket goes to the next in line of its pool. */
static void fairway_ticket_return(struct blk_mq_alloc_data *data)
{
	struct fairway_queue *fq = fairway_queue(data->q);
	unsigned int ticket = fairway_ticket(data->rq_flags);

	data->rq_flags &= ~FAIRWAY_TICKET_MASK;
	fairway_count(fq, FAIRWAY_RETURNED);
	fairway_pool_put(fq->pool[ticket - 1]);
}

/*
 * Who is never held: those whose I/O others wait for, and those who free
 * memory or die for it.
 */
static bool fairway_is_urgent(blk_opf_t opf)
{
	return opf & (REQ_META | REQ_PRIO | REQ_SWAP) ||
	       current->flags & PF_MEMALLOC || tsk_is_oom_victim(current);
}

/* Is the bio that the task submits followed by the rest of what was split? */
static bool fairway_is_split(void)
{
	return current->bio_list && !bio_list_empty(&current->bio_list[0]);
}

/*
 * A first piece waits like everybody and takes a number of further ones with
 * it.  prepare_request ends that with the last piece, waited for or not.
 */
static bool fairway_may_join_front(struct fairway_queue *fq,
				   struct fairway_flow *flow)
{
	if (READ_ONCE(flow->pieces) &&
	    READ_ONCE(flow->splitter) == current->bio_list) {
		WRITE_ONCE(flow->pieces, flow->pieces - 1);
		return true;
	}
	if (fairway_is_split() && flow != fq->common &&
	    flow != fq->writeback) {
		WRITE_ONCE(flow->splitter, current->bio_list);
		WRITE_ONCE(flow->pieces, FAIRWAY_MAX_PIECES - 1);
	}
	return false;
}

/* The device waits for a request of who has the turn: it must not wait here. */
static bool fairway_has_turn(const struct fairway_pool *pool,
			     const struct fairway_flow *flow)
{
	return READ_ONCE(pool->fq->sched.turn.queue) == &flow->core.queue &&
	       fairway_pool_has_headroom(pool);
}

static void fairway_stand_in_line(struct fairway_pool *pool,
				  struct blk_mq_hw_ctx *hctx,
				  struct fairway_flow *flow)
{
	fairway_count(pool->fq, FAIRWAY_WAITS);
	fairway_pool_wait(pool, hctx, flow,
			  fairway_may_join_front(pool->fq, flow));
	fairway_flow_held(pool->fq, flow);
}

/* The pool is three quarters full or more, or for writeback: it depends on who asks. */
static void fairway_ask_for_ticket(struct fairway_pool *pool,
				   struct blk_mq_hw_ctx *hctx, blk_opf_t opf)
{
	struct fairway_flow *flow = fairway_flow_of(pool->fq->q, opf);

	if (fairway_pool_try_take(pool, &flow->seat[pool->index]))
		return;
	if (fairway_is_urgent(opf) || fairway_has_turn(pool, flow))
		fairway_pool_take(pool);
	else
		fairway_stand_in_line(pool, hctx, flow);
}

/*
 * Tags in a batch are only tried for: without room for all of them, or where
 * queues share tags and blk-mq gives no batches, it would end in waiting for a
 * tag without a ticket.
 */
static bool fairway_may_batch(const struct fairway_pool *pool,
			      const struct blk_mq_alloc_data *data)
{
	return data->nr_tags > 1 &&
	       !(data->hctx->flags & BLK_MQ_F_TAG_QUEUE_SHARED) &&
	       fairway_pool_has_room(pool, data->nr_tags);
}

/**
 * fairway_limit_depth() - admit a submitter to the pool
 * @opf: what it submits
 * @data: how it allocates
 *
 * Called from __blk_mq_alloc_requests(), in the submitter's context, with a
 * reference on q_usage_counter.  May sleep unless BLK_MQ_REQ_NOWAIT is set.
 * Refuses by nr_tags = 0, then, where the kernel can.
 */
void fairway_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data)
{
	struct fairway_pool *pool = data->hctx->sched_data;

	if (unlikely(fairway_ticket(data->rq_flags)))
		fairway_ticket_return(data);
	if (unlikely(pool->index >= FAIRWAY_TICKET_MAX))
		return;

	if (fairway_may_batch(pool, data))
		return;
	data->nr_tags = 1;
	if (data->flags & BLK_MQ_REQ_NOWAIT) {
		if (fairway_can_refuse() && !fairway_pool_has_room(pool, 1) &&
		    !fairway_is_urgent(opf)) {
			data->nr_tags = 0;
			fairway_count(pool->fq, FAIRWAY_REFUSED);
			if (READ_ONCE(pool->fq->is_observed))
				fairway_observe_refused(pool);
		}
		return;
	}

	if (!op_is_sync(opf) || !fairway_pool_try_take_any(pool))
		fairway_ask_for_ticket(pool, data->hctx, opf);
	fairway_ticket_give(data, pool);
}

/**
 * fairway_prepare_request() - a request was allocated
 * @rq: the request; not much more than its tag is known yet
 *
 * Called in the submitter's context.
 */
void fairway_prepare_request(struct request *rq)
{
	struct fairway_queue *fq = fairway_queue(rq->q);
	struct fairway_pool *pool = rq->mq_hctx->sched_data;
	unsigned int ticket = fairway_ticket(rq->rq_flags);
	struct fairway_item *item = NULL;
	struct fairway_flow *flow;

	rq->rq_flags &= ~FAIRWAY_TICKET_MASK;
	if (ticket != pool->index + 1) {
		fairway_pool_take(pool);
		if (ticket)
			fairway_pool_put(fq->pool[ticket - 1]);
	}

	if (likely(rq->internal_tag < pool->nr_items)) {
		item = &pool->items[rq->internal_tag];
		fwy_item_init(&item->core);
		item->rq = rq;
		item->is_requeued = false;
		flow = fairway_flow_of(rq->q, rq->cmd_flags);
		item->flow = flow;
		item->core.flow = &flow->core;
		atomic_inc(&flow->refs);
		atomic_inc(&flow->seat[pool->index].held);
		if (unlikely(READ_ONCE(flow->pieces)) && !fairway_is_split())
			WRITE_ONCE(flow->pieces, 0);
	}
	rq->elv.priv[0] = item;

	fairway_count(fq, FAIRWAY_PREPARED);
	if (ticket)
		fairway_count(fq, FAIRWAY_PREPARED_TICKETS);
}

/**
 * fairway_finish_request() - a request is about to be freed
 * @rq: the request, inserted or not
 *
 * Called in any context, hard irq and under the flush lock too, so nothing is
 * run from here.
 */
void fairway_finish_request(struct request *rq)
{
	struct fairway_pool *pool = rq->mq_hctx->sched_data;
	struct fairway_item *item = rq->elv.priv[0];

	if (likely(item)) {
		struct fairway_flow *flow = item->flow;

		if (unlikely(item->core.state == FWY_ITEM_DISPATCHED))
			fairway_drop(pool->fq, item);
		rq->elv.priv[0] = NULL;
		atomic_dec(&flow->seat[pool->index].held);
		fairway_flow_put(pool->fq, flow);
	}
	fairway_count(pool->fq, FAIRWAY_FINISHED);
	fairway_pool_put(pool);
}
