// SPDX-License-Identifier: GPL-2.0
/*
 * Which queue is next.
 *
 * Start-time fair queueing.  A queue that begins to wait starts at S = max(V, F)
 * with F where it was left; to be served costs F = S + cost / weight; the
 * smallest S is next, and V is the greatest S served so far.  So who always has
 * something to do gets its share, and who seldom has something starts at V, and
 * waits for one request, not for the backlogs of others.
 *
 * Where seeks cost, the same is done in whole turns, and S and V are rounds: who
 * used its turn up stands in the next round, all others in this.  Within a round
 * queues go by place, so that the head sweeps over them once.  There a process
 * that comes may have what it left of the round before, or another if it had
 * none of it: it goes first, without losing its place in this round.
 *
 * Beside it each queue has the time since when it waits, and what was
 * dispatched since.  One that waited for its class's expiry, or was passed by
 * as much as it may be, is due: it precedes who has had a turn in this round.
 * In these lists the queues stand in the order in which they began to wait, so
 * the first of each is due first.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/ioprio.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "core.h"

/* Later than any time. */
#define FWY_NEVER	(~0ULL)

/*
 * More than any key is ahead of now: that is the cost of one request at most, and of
 * the pieces before it, at a weight of 1.  A u64 has room for 2^23 times as much.
 */
#define FWY_KEY_LEAP	BIT_ULL(41)

/* What real time gets of what best effort of the same level does. */
#define FWY_RT_FACTOR	16

/**
 * fwy_prio_weight() - the share that an I/O priority stands for
 * @ioprio_class: IOPRIO_CLASS_*
 * @level: 0 (most) to 7
 *
 * Idle: 0, it has no share.
 * Best effort: 200, 175, ... 25 percent; level 4, which nice 0 maps to, is 100.
 * Real time: as much sixteenfold, so that it goes first nearly always, and best
 * effort keeps what remains.
 *
 * Return: the weight in percent of &FWY_WEIGHT.
 */
u32 fwy_prio_weight(unsigned int ioprio_class, unsigned int level)
{
	u32 weight = (IOPRIO_NR_LEVELS - level) * (FWY_WEIGHT / 4);

	if (ioprio_class == IOPRIO_CLASS_IDLE)
		return 0;
	return ioprio_class == IOPRIO_CLASS_RT ? weight * FWY_RT_FACTOR : weight;
}

static inline struct fwy_queue *fwy_queue_of(const struct rb_node *node)
{
	return rb_entry_safe(node, struct fwy_queue, node);
}

static bool fwy_queue_less(struct rb_node *a, const struct rb_node *b)
{
	const struct fwy_queue *queue = fwy_queue_of(a);
	const struct fwy_queue *other = fwy_queue_of(b);

	if (queue->key != other->key)
		return queue->key < other->key;
	return queue->place < other->place;
}

/**
 * fwy_fair_init() - nobody waits
 * @fair: the queues
 */
void fwy_fair_init(struct fwy_fair *fair)
{
	int i;

	/* From 1: a queue that never waited has key 0. */
	*fair = (struct fwy_fair) { .backlog = RB_ROOT_CACHED, .now = 1 };
	for (i = 0; i < FWY_NR_CLASSES; i++)
		INIT_LIST_HEAD(&fair->waiting[i]);
}

static enum fwy_class fwy_queue_class(struct fwy_queue *queue)
{
	return queue->kind == FWY_WRITEBACK ? FWY_ASYNC :
					      fwy_queue_oldest(queue)->class;
}

/**
 * fwy_fair_forget() - what a queue missed long ago is not made up for
 * @queue: the queue, not in the backlog
 * @least_key: to have been away for longer than since this one saves nothing
 */
void fwy_fair_forget(struct fwy_queue *queue, u64 least_key)
{
	if (queue->key < least_key) {
		queue->key = least_key;
		queue->used_ns = 0;
	}
}

/**
 * fwy_fair_enter_from() - a queue begins to wait
 * @fair: the queues
 * @queue: the queue, with items
 * @least_key: as for fwy_fair_forget()
 * @place: its place among those of the same key
 * @now_ns: the time
 */
void fwy_fair_enter_from(struct fwy_fair *fair, struct fwy_queue *queue,
			 u64 least_key, u64 place, u64 now_ns)
{
	fwy_fair_forget(queue, least_key);
	queue->place = place;
	queue->since_ns = now_ns;
	queue->mark = fair->done;
	rb_add_cached(&queue->node, &fair->backlog, fwy_queue_less);
	list_add_tail(&queue->waiting, &fair->waiting[fwy_queue_class(queue)]);
	fair->nr_backlog++;
}

/**
 * fwy_fair_restart() - keys get another meaning
 * @fair: the queues
 * @now_ns: the time
 *
 * All who wait begin anew, in their order, and nobody is ahead of now: sectors
 * that were used must not be taken for rounds.
 */
void fwy_fair_restart(struct fwy_fair *fair, u64 now_ns)
{
	struct rb_root_cached backlog = fair->backlog;
	struct rb_node *node;

	fair->backlog = RB_ROOT_CACHED;
	fair->nr_backlog = 0;
	fair->now += FWY_KEY_LEAP;
	while ((node = rb_first_cached(&backlog))) {
		struct fwy_queue *queue = fwy_queue_of(node);

		rb_erase_cached(&queue->node, &backlog);
		RB_CLEAR_NODE(&queue->node);
		list_del_init(&queue->waiting);
		queue->key = fair->now;
		queue->used_ns = 0;
		if (queue->queued)
			fwy_fair_enter(fair, queue, 0, now_ns);
	}
}

/**
 * fwy_fair_leave() - a queue waits no longer
 * @fair: the queues
 * @queue: the queue
 */
void fwy_fair_leave(struct fwy_fair *fair, struct fwy_queue *queue)
{
	rb_erase_cached(&queue->node, &fair->backlog);
	RB_CLEAR_NODE(&queue->node);
	list_del_init(&queue->waiting);
	fair->nr_backlog--;
}

/**
 * fwy_expire_ns() - how long a queue may wait before it precedes others
 * @params: the knobs
 * @class: of its requests
 *
 * Return: the time in ns.
 */
u64 fwy_expire_ns(const struct fwy_params *params, enum fwy_class class)
{
	static const enum fwy_param expire_ms[FWY_NR_CLASSES] = {
		[FWY_READ] = FWY_READ_EXPIRE_MS,
		[FWY_WRITE] = FWY_WRITE_EXPIRE_MS,
		[FWY_ASYNC] = FWY_ASYNC_EXPIRE_MS,
	};

	return fwy_param_ns(params, expire_ms[class], NSEC_PER_MSEC);
}

/*
 * When a queue's wait expires, or 0 if it was passed by as much as it may be, or
 * FWY_NEVER if it is not due.
 */
static u64 fwy_queue_due_ns(const struct fwy_fair *fair,
			    struct fwy_queue *queue,
			    const struct fwy_params *params, u64 now_ns)
{
	u64 due_ns = queue->since_ns +
		     fwy_expire_ns(params, fwy_queue_class(queue));
	struct fwy_amount more = {
		.sectors = fair->done.sectors + 1,
		.requests = fair->done.requests + 1,
	};

	if (fwy_is_beyond(&more, &queue->mark, params))
		return 0;
	return due_ns <= now_ns ? due_ns : FWY_NEVER;
}

/**
 * fwy_fair_due() - who has waited for long enough
 * @fair: the queues
 * @params: the knobs
 * @now_ns: the time, or 0 for only those that were passed
 *
 * Who had its share of this round is not due before the next: when more is asked
 * for than the device can do, everybody waits for long.
 *
 * Return: the queue whose wait expired first, NULL if none is due.
 */
struct fwy_queue *fwy_fair_due(struct fwy_fair *fair,
			       const struct fwy_params *params, u64 now_ns)
{
	struct fwy_queue *due = NULL;
	u64 least_ns = FWY_NEVER;
	int class;

	for (class = 0; class < FWY_NR_CLASSES; class++) {
		struct fwy_queue *queue;
		u64 due_ns;

		queue = list_first_entry_or_null(&fair->waiting[class],
						 struct fwy_queue, waiting);
		if (!queue || queue->key > fair->now)
			continue;
		due_ns = fwy_queue_due_ns(fair, queue, params, now_ns);
		if (due_ns < least_ns) {
			due = queue;
			least_ns = due_ns;
		}
	}
	return due;
}
