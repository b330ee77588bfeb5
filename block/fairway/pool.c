// SPDX-License-Identifier: GPL-2.0
/*
 * A pool of requests and the line in front of it.
 *
 * @held counts what was given out: tickets, which a submitter holds from its
 * admission until blk-mq prepares its request, and requests until they finish.
 * While it is below the limit and nobody waits, a submitter adds itself with
 * one atomic operation.  Otherwise it stands in line, and whoever gives
 * something back hands it to the next in line.
 *
 * No wake-up is lost: a waiter first shows itself in @nr_waiting and then looks
 * at @held; who gives back first lowers @held and then looks at @nr_waiting.
 * Each has a full barrier between the two, so at least one sees the other.
 */
#include <linux/mm.h>

#include "fairway.h"

/*
 * A waiter looks for itself this often.  What it finds is counted as rescued, so
 * that a lost wake-up shows; none is known.  The interval keeps the hung task
 * detector quiet where a device takes minutes.
 */
#define FAIRWAY_RECHECK	HZ

static unsigned int fairway_pool_depth(const struct fairway_pool *pool)
{
	return READ_ONCE(pool->hctx->sched_tags->bitmap_tags.sb.depth);
}

/* A queue whose CPUs go offline must drain: its line is let through. */
static bool fairway_pool_is_open(const struct fairway_pool *pool)
{
	return pool->nr_users == 1 &&
	       test_bit(BLK_MQ_S_INACTIVE, &pool->hctx->state);
}

/**
 * fairway_pool_limit() - requests that may be given out
 * @pool: the pool
 *
 * Return: the limit, INT_MAX for no limit.
 */
unsigned int fairway_pool_limit(const struct fairway_pool *pool)
{
	if (unlikely(fairway_pool_is_open(pool)))
		return INT_MAX;
	return fwy_pool_limit(fairway_pool_depth(pool));
}

/**
 * fairway_pool_has_room() - would somebody who asked for some get them at once?
 * @pool: the pool
 * @nr: requests
 *
 * Return: the answer, which may be old the next moment.
 */
bool fairway_pool_has_room(const struct fairway_pool *pool, unsigned int nr)
{
	unsigned int limit = fwy_seat_limit(FWY_SEAT_FLOW,
					    fairway_pool_limit(pool));

	return !READ_ONCE(pool->is_shut) &&
	       atomic_read(&pool->held) + nr <= limit;
}

/**
 * fairway_pool_has_headroom() - is a tag free beyond what the line gives out?
 * @pool: the pool
 *
 * Return: the answer, which may be old the next moment.
 */
bool fairway_pool_has_headroom(const struct fairway_pool *pool)
{
	return atomic_read(&pool->held) < fairway_pool_depth(pool);
}

static bool fairway_pool_take_below(struct fairway_pool *pool,
				    unsigned int limit)
{
	int held = atomic_read(&pool->held);

	do {
		if ((unsigned int)held >= limit)
			return false;
	} while (!atomic_try_cmpxchg(&pool->held, &held, held + 1));
	return true;
}

/**
 * fairway_pool_try_take_any() - take one if there is room for anybody
 * @pool: the pool
 *
 * For whatever somebody waits for.  Without a look at whether it goes offline: who
 * gets none here asks again.
 *
 * Return: whether one was taken.
 */
bool fairway_pool_try_take_any(struct fairway_pool *pool)
{
	unsigned int limit = fwy_pool_limit(fairway_pool_depth(pool));

	return !READ_ONCE(pool->is_shut) &&
	       fairway_pool_take_below(pool, fwy_open_limit(limit));
}

static unsigned int fairway_pool_hold(const struct fairway_pool *pool)
{
	if (unlikely(fairway_pool_is_open(pool)))
		return FWY_HOLD_NONE;
	return READ_ONCE(pool->fq->sched.hold.limit);
}

/* Those whom it is held back with stand in line. */
static bool fairway_pool_is_shut(const struct fairway_pool *pool,
				 const struct fwy_seat *seat)
{
	if (seat->kind != FWY_SEAT_WRITEBACK)
		return READ_ONCE(pool->is_shut);
	return READ_ONCE(pool->nr_waiting) ||
	       fwy_seat_is_held_back(seat, fairway_pool_hold(pool));
}

/**
 * fairway_pool_try_take() - take one if there is room for a flow
 * @pool: the pool
 * @seat: for whom
 *
 * Return: whether one was taken.
 */
bool fairway_pool_try_take(struct fairway_pool *pool,
			   const struct fwy_seat *seat)
{
	unsigned int limit = fairway_pool_limit(pool);

	if (fairway_pool_is_shut(pool, seat))
		return false;
	return fairway_pool_take_below(pool, fwy_seat_limit(seat->kind, limit)) ||
	       (fwy_seat_is_light(seat, limit) &&
		fairway_pool_take_below(pool, limit));
}

/*
 * The seat of who has the turn.  A flow that ends gives the turn away before it
 * is freed, so what was seen here is there until the end of the RCU section.
 */
static struct fwy_seat *fairway_pool_turn(const struct fairway_pool *pool)
{
	struct fwy_queue *queue = READ_ONCE(pool->fq->sched.turn.queue);

	if (!queue || queue->kind != FWY_OWN)
		return NULL;
	return &container_of(queue, struct fairway_flow,
			     core.queue)->seat[pool->index];
}

static void fairway_pool_show(struct fairway_pool *pool)
{
	const struct fwy_seat *writeback =
		&pool->fq->writeback->seat[pool->index];

	WRITE_ONCE(pool->nr_waiting, pool->line.nr_waiters);
	WRITE_ONCE(pool->is_shut, !fwy_line_is_open(&pool->line, writeback));
}

/*
 * Hand out what there is, and say whether there was something.  A waiter may be
 * gone once it is completed.
 */
static bool fairway_pool_grant(struct fairway_pool *pool)
{
	unsigned int limit = fairway_pool_limit(pool);
	bool has_granted = false;

	lockdep_assert_held(&pool->lock);
	pool->line.hold = fairway_pool_hold(pool);

	rcu_read_lock();
	while (pool->line.nr_waiters && fairway_pool_take_below(pool, limit)) {
		unsigned int held = atomic_read(&pool->held) - 1;
		struct fwy_waiter *next =
			fwy_line_admit(&pool->line, fairway_pool_turn(pool),
				       limit, held);
		struct fairway_waiter *waiter;

		if (!next) {
			atomic_dec(&pool->held);
			break;
		}
		atomic_inc(&next->seat->held);
		waiter = container_of(next, struct fairway_waiter, core);
		if (waiter->joined_ns)
			fairway_observe_admitted(pool, waiter);
		complete(&waiter->done);
		has_granted = true;
	}
	rcu_read_unlock();
	fairway_pool_show(pool);
	return has_granted;
}

/**
 * fairway_pool_admit() - one was given back, and somebody waits
 * @pool: the pool
 *
 * For fairway_pool_put().
 *
 * Context: any, hard irq too.
 */
void fairway_pool_admit(struct fairway_pool *pool)
{
	unsigned long flags;

	spin_lock_irqsave(&pool->lock, flags);
	fairway_pool_grant(pool);
	spin_unlock_irqrestore(&pool->lock, flags);
}

/*
 * The requests that this task holds back may be what it waits for: send them
 * off.  The plug goes on being used by the caller, so it is put back.  Callbacks
 * stay in it: run from here they might submit and wait themselves; run from the
 * sleep they hand that to others.
 */
static void fairway_flush_plug(void)
{
	struct blk_plug *plug = current->plug;
	LIST_HEAD(callbacks);

	if (!plug)
		return;
	list_splice_init(&plug->cb_list, &callbacks);
	blk_finish_plug(plug);
	list_splice(&callbacks, &plug->cb_list);
	current->plug = plug;
}

static void fairway_pool_recheck(struct fairway_pool *pool)
{
	bool has_granted;

	spin_lock_irq(&pool->lock);
	has_granted = fairway_pool_grant(pool);
	spin_unlock_irq(&pool->lock);
	if (has_granted)
		fairway_count(pool->fq, FAIRWAY_RESCUED);
}

/**
 * fairway_pool_wait() - stand in line until one is given
 * @pool: the pool
 * @hctx: the submitter's hardware queue
 * @flow: the submitter's flow
 * @at_front: before all others
 *
 * Context: process; sleeps, with a reference on q_usage_counter as a waiter
 * for a tag has.  Requests that finish are all it takes to be admitted.
 */
void fairway_pool_wait(struct fairway_pool *pool, struct blk_mq_hw_ctx *hctx,
		       struct fairway_flow *flow, bool at_front)
{
	struct fwy_seat *seat = &flow->seat[pool->index];
	struct fairway_waiter waiter = {};

	fairway_flush_plug();

	init_completion(&waiter.done);
	spin_lock_irq(&pool->lock);
	if (READ_ONCE(pool->fq->is_observed))
		fairway_observe_joined(pool, seat, &waiter, at_front);
	fwy_line_join(&pool->line, seat, &waiter.core, at_front);
	WRITE_ONCE(pool->nr_waiting, pool->line.nr_waiters);
	smp_mb();	/* see the top of this file */
	fairway_pool_grant(pool);
	spin_unlock_irq(&pool->lock);

	if (!completion_done(&waiter.done))
		blk_mq_run_hw_queue(hctx, false);

	while (!wait_for_completion_io_timeout(&waiter.done, FAIRWAY_RECHECK))
		fairway_pool_recheck(pool);
	/* From here the ticket is the task's own, and so is what it becomes. */
	atomic_dec(&seat->held);
	if (waiter.joined_ns)
		fairway_observe_lined(pool, flow, &waiter);
}

/**
 * fairway_pool_fit() - one item for each tag
 * @pool: the pool, not in use
 *
 * Return: 0, or -ENOMEM; then the requests with the highest tags go untracked.
 *
 * Context: the queue is frozen, so reclaim must not do I/O.
 */
int fairway_pool_fit(struct fairway_pool *pool)
{
	unsigned int nr = pool->hctx->sched_tags->nr_tags;
	struct fairway_item *items;

	if (nr <= pool->nr_items)
		return 0;
	items = kvcalloc_node(nr, sizeof(*items), GFP_NOIO,
			      pool->fq->q->node);
	if (!items)
		return -ENOMEM;
	kvfree(pool->items);
	pool->items = items;
	pool->nr_items = nr;
	return 0;
}

/**
 * fairway_pool_alloc() - set up a pool
 * @fq: the device
 * @hctx: a hardware queue that uses the pool's tags
 * @index: the pool's number
 *
 * Return: the pool, or NULL without memory.
 *
 * Context: the queue is frozen, so reclaim must not do I/O.
 */
struct fairway_pool *fairway_pool_alloc(struct fairway_queue *fq,
					struct blk_mq_hw_ctx *hctx,
					unsigned int index)
{
	struct fairway_pool *pool;

	pool = kzalloc_node(sizeof(*pool), GFP_NOIO, fq->q->node);
	if (!pool)
		return NULL;
	pool->fq = fq;
	pool->hctx = hctx;
	pool->index = index;
	spin_lock_init(&pool->lock);
	fwy_line_init(&pool->line);
	if (fairway_pool_fit(pool)) {
		kfree(pool);
		return NULL;
	}
	return pool;
}

/**
 * fairway_pool_free() - the end of a pool
 * @pool: the pool; nothing of it is in use
 */
void fairway_pool_free(struct fairway_pool *pool)
{
	WARN_ON_ONCE(atomic_read(&pool->held));
	WARN_ON_ONCE(pool->line.nr_waiters);
	kvfree(pool->items);
	kfree(pool);
}
