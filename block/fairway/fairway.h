/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fairway glue: what carries the core's decisions between blk-mq and itself.
 *
 *	main.c		registration, set-up and tear-down of a device
 *	pool.c		counting a pool's requests and the line in front of it
 *	admit.c		a request's life: limit_depth, prepare, finish
 *	flow.c		finding the submitter's flow
 *	dispatch.c	queueing, dispatching, and what comes back
 *	merge.c		merging
 *	sysfs.c		the knobs
 *	observe.c	what is told of all this: the watch, trace events, blktrace
 *	debugfs.c	the books, and what the watch saw
 *
 * Locks, outermost first:
 *	fairway_queue.lock	what is queued, who has the turn, flows, and the
 *				merge hash; hard irq safe, since requests
 *				complete there.  Taken inside ioc->lock where
 *				an icq ends, and inside q->queue_lock too
 *				where one begins or the scheduler is switched
 *				away.  Nothing is run inside.
 *	fairway_pool.lock	the line; hard irq safe as well.  Nothing is
 *				taken inside but what complete() takes.
 * Neither is taken inside the other.
 */
#ifndef _FAIRWAY_H
#define _FAIRWAY_H

#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "blk.h"
#include "blk-mq-debugfs.h"
#include "core/core.h"
#include "elevator.h"

/**
 * struct fairway_flow - a task, or tasks that share an io_context
 * @core: the core's part
 * @refs: one of its icq (or of the queue, for the common flow) and one of each
 *	of its requests
 * @pieces: how many more pieces of the I/O that is being split may stand at
 *	the front
 * @splitter: the bio list of the task that splits it, to know it by; tasks that
 *	share the flow may overwrite each other's, and lose a place in line
 * @rcu: for its end
 * @lined_ns: how long its task has just stood in line, for its next request;
 *	mixed up by tasks that share the flow; 0 unless observed
 * @pid: the task that made it, 0 if none did
 * @entry: in fairway_queue.flows
 * @tally: what it had while the watch was on
 * @seat: by pool
 *
 * Per io_context and device.  Lock: fairway_queue.lock for @core, @entry and
 * @tally, none for the rest; see &struct fwy_seat.
 */
struct fairway_flow {
	struct fwy_flow core;
	atomic_t refs;
	unsigned int pieces;
	const struct bio_list *splitter;
	struct rcu_head rcu;
	u64 lined_ns;
	pid_t pid;
	struct list_head entry;
	struct fwy_tally tally;
	struct fwy_seat seat[];
};

/**
 * struct fairway_icq - the link from an io_context to its flow
 * @icq: first, for the block layer
 * @flow: NULL if there was no memory: the common flow serves
 */
struct fairway_icq {
	struct io_cq icq;
	struct fairway_flow *flow;
};

/**
 * struct fairway_item - what the scheduler keeps for a request
 * @core: the core's part
 * @rq: the request
 * @flow: whose request it is, with a reference
 * @is_requeued: the device gave it back, so it goes first
 * @queued_ns: when it was queued, if observed; these are left from an earlier
 *	request if that was before this one began, see fairway_is_of_now()
 * @dispatched_ns: when it was dispatched, if observed
 * @lined_ns: how long its task stood in line for it, if observed when queued
 * @ahead: what fwy_watch_queued() said then
 *
 * Per request, by its scheduler tag.  Lock: fairway_queue.lock but for @rq and
 * @flow, which stay.
 */
struct fairway_item {
	struct fwy_item core;
	struct request *rq;
	struct fairway_flow *flow;
	bool is_requeued;
	u64 queued_ns;
	u64 dispatched_ns;
	u64 lined_ns;
	unsigned int ahead;
};

/**
 * struct fairway_pool - one set of scheduler tags, and the line before it
 * @fq: the device
 * @hctx: a hardware queue that uses the tags
 * @index: of this pool in fairway_queue.pool and fairway_flow.seat
 * @nr_users: hardware queues that use the tags; set-up and tear-down only
 * @nr_items: size of @items; a request with a higher tag is not tracked
 * @items: by scheduler tag
 * @held: tickets given out and requests in use
 * @nr_waiting: a copy of line.nr_waiters for those without the lock
 * @is_shut: whether who comes new has to stand in line, for the same
 * @lock: for @line, see above
 * @line: who waits
 */
struct fairway_pool {
	struct fairway_queue *fq;
	struct blk_mq_hw_ctx *hctx;
	unsigned int index;
	unsigned int nr_users;
	unsigned int nr_items;
	struct fairway_item *items;

	atomic_t held ____cacheline_aligned_in_smp;
	unsigned int nr_waiting;
	bool is_shut;
	spinlock_t lock;	/* protects @line */
	struct fwy_line line;
};

/**
 * struct fairway_waiter - a task that waits
 * @core: its place
 * @done: completed when it is admitted
 * @joined_ns: since when it waits, 0 unless observed
 * @admitted_ns: until when
 * @ahead: who was before it, with itself; 0 for one that is promised nothing: its
 *	flow had requests already, or it went to the front itself
 * @fronts: how many had gone to the front when it came
 */
struct fairway_waiter {
	struct fwy_waiter core;
	struct completion done;
	u64 joined_ns;
	u64 admitted_ns;
	unsigned int ahead;
	u64 fronts;
};

/* Counted per CPU.  What is counted is said in debugfs.c. */
enum fairway_count {
	FAIRWAY_TICKETS,
	FAIRWAY_RETURNED,
	FAIRWAY_WAITS,
	FAIRWAY_RESCUED,
	FAIRWAY_REFUSED,
	FAIRWAY_PREPARED,
	FAIRWAY_PREPARED_TICKETS,
	FAIRWAY_FINISHED,
	FAIRWAY_INSERTED,
	FAIRWAY_REQUEUED,
	FAIRWAY_DISPATCHED,
	FAIRWAY_MERGED,
	FAIRWAY_NR_COUNTS
};

struct fairway_counts {
	u64 count[FAIRWAY_NR_COUNTS];
};

/* What trace events and blktrace were told last. */
struct fairway_told {
	u64 sector_ns[2];
	u64 request_ns[2];
	u64 switch_ns;
	u64 window_ns;
	u64 quantum_ns;
	u32 turn;
};

/**
 * struct fairway_queue - the scheduler of one device
 * @q: the device's queue
 * @counts: what happened so far
 * @common: flow of those that have none of their own
 * @writeback: flow of what nobody waits for
 * @params: the knobs
 * @depth: commands that the device takes at a time
 * @nr_pools: pools in @pool
 * @timer: asks again when @sched said to
 * @lock: for all below, for fairway_flow.core, and for the queue's merge hash and
 *	last_merge
 * @sched: the queued requests
 * @untracked: queued requests without an item, by queuelist
 * @nr_untracked: how many
 * @has_work: whether one of them may be dispatched, read without the lock
 * @is_timed: seeks cost, or the device is observed: the clock is read for each
 *	request, and observe.c is told of it
 * @is_observed: it is watched or a trace event is on, read without the lock
 * @is_watched: whether what @watch says may be believed
 * @observed: in the list of all devices, lock: observe.c's
 * @flows: all of them
 * @watch: how long requests waited
 * @ended: what flows had that are no more, while the watch was on
 * @told: see &struct fairway_told
 * @pool: the pools
 */
struct fairway_queue {
	struct request_queue *q;
	struct fairway_counts __percpu *counts;
	struct fairway_flow *common;
	struct fairway_flow *writeback;
	struct fwy_params params;
	unsigned int depth;
	unsigned int nr_pools;
	struct hrtimer timer;

	spinlock_t lock ____cacheline_aligned_in_smp;	/* protects all below */
	struct fwy_sched sched;
	struct list_head untracked;
	unsigned int nr_untracked;
	bool has_work;
	bool is_timed;
	bool is_observed;
	bool is_watched;
	struct list_head observed;
	struct list_head flows;
	struct fwy_watch watch;
	struct fwy_tally ended;
	struct fairway_told told;

	struct fairway_pool *pool[];
};

static inline struct fairway_queue *fairway_queue(struct request_queue *q)
{
	return q->elevator->elevator_data;
}

/* Requests that are queued; without the lock, about so many. */
static inline unsigned int fairway_queued(const struct fairway_queue *fq)
{
	/* A number of some moment ago does. */
	return data_race(fq->sched.queued + fq->sched.queued_front +
			 fq->nr_untracked);
}

static inline void fairway_count(struct fairway_queue *fq,
				 enum fairway_count what)
{
	this_cpu_inc(fq->counts->count[what]);
}

/* A request's item, NULL for one without. */
static inline struct fairway_item *fairway_item(const struct request *rq)
{
	if (!(rq->rq_flags & RQF_USE_SCHED))
		return NULL;
	return rq->elv.priv[0];
}

/* pool.c */
struct fairway_pool *fairway_pool_alloc(struct fairway_queue *fq,
					struct blk_mq_hw_ctx *hctx,
					unsigned int index);
void fairway_pool_free(struct fairway_pool *pool);
int fairway_pool_fit(struct fairway_pool *pool);
unsigned int fairway_pool_limit(const struct fairway_pool *pool);
bool fairway_pool_has_room(const struct fairway_pool *pool, unsigned int nr);
bool fairway_pool_try_take_any(struct fairway_pool *pool);
bool fairway_pool_try_take(struct fairway_pool *pool,
			   const struct fwy_seat *seat);
bool fairway_pool_has_headroom(const struct fairway_pool *pool);
void fairway_pool_admit(struct fairway_pool *pool);
void fairway_pool_wait(struct fairway_pool *pool, struct blk_mq_hw_ctx *hctx,
		       struct fairway_flow *flow, bool at_front);

/* Take one whether there is room or not. */
static inline void fairway_pool_take(struct fairway_pool *pool)
{
	atomic_inc(&pool->held);
}

/* Give one back.  Context: any, hard irq too. */
static inline void fairway_pool_put(struct fairway_pool *pool)
{
	atomic_dec(&pool->held);
	smp_mb__after_atomic();	/* see the top of pool.c */
	if (unlikely(READ_ONCE(pool->nr_waiting)))
		fairway_pool_admit(pool);
}

/* flow.c */
struct fairway_flow *fairway_flow_alloc(unsigned int nr_pools,
					enum fwy_seat_kind kind, gfp_t gfp,
					int node);
struct fairway_flow *fairway_flow_find_current(struct request_queue *q);
struct fairway_flow *fairway_flow_get_current(struct request_queue *q);
struct fairway_flow *fairway_flow_of(struct request_queue *q, blk_opf_t opf);
void fairway_flow_end(struct fairway_queue *fq, struct fairway_flow *flow);
void fairway_flow_held(struct fairway_queue *fq, struct fairway_flow *flow);
void fairway_init_icq(struct io_cq *icq);
void fairway_exit_icq(struct io_cq *icq);

/* Drop a reference.  Context: any, hard irq too; without fairway_queue.lock. */
static inline void fairway_flow_put(struct fairway_queue *fq,
				    struct fairway_flow *flow)
{
	if (unlikely(atomic_dec_and_test(&flow->refs)))
		fairway_flow_end(fq, flow);
}

/* admit.c */
void fairway_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data);
void fairway_prepare_request(struct request *rq);
void fairway_finish_request(struct request *rq);

/* dispatch.c */
void fairway_insert_requests(struct blk_mq_hw_ctx *hctx, struct list_head *list,
			     blk_insert_t flags);
struct request *fairway_dispatch_request(struct blk_mq_hw_ctx *hctx);
bool fairway_has_work(struct blk_mq_hw_ctx *hctx);
void fairway_completed_request(struct request *rq, u64 now_ns);
void fairway_requeue_request(struct request *rq);
void fairway_drop(struct fairway_queue *fq, struct fairway_item *item);
void fairway_update(struct fairway_queue *fq);
enum hrtimer_restart fairway_timer(struct hrtimer *timer);

/* merge.c */
bool fairway_allow_merge(struct request_queue *q, struct request *rq,
			 struct bio *bio);
bool fairway_bio_merge(struct request_queue *q, struct bio *bio,
		       unsigned int nr_segs);
int fairway_request_merge(struct request_queue *q, struct request **req,
			  struct bio *bio);
void fairway_request_merged(struct request_queue *q, struct request *rq,
			    enum elv_merge type);
void fairway_requests_merged(struct request_queue *q, struct request *rq,
			     struct request *next);
struct request *fairway_former_request(struct request_queue *q,
				       struct request *rq);
struct request *fairway_next_request(struct request_queue *q,
				     struct request *rq);

/* A request was queued. */
static inline void fairway_merge_add(struct request_queue *q,
				     struct request *rq)
{
	if (!rq_mergeable(rq))
		return;
	elv_rqhash_add(q, rq);
	if (!q->last_merge)
		q->last_merge = rq;
}

/* A request leaves, for the device or into another. */
static inline void fairway_merge_remove(struct request_queue *q,
					struct request *rq)
{
	elv_rqhash_del(q, rq);
	if (q->last_merge == rq)
		q->last_merge = NULL;
}

/* observe.c */
extern const char *const fairway_kind_name[];	/* by enum fwy_kind */

/* For trace events.  The disk has no number yet when its queue is set up. */
static inline dev_t fairway_dev(const struct fairway_queue *fq)
{
	return disk_devt(fq->q->disk);
}

/* Of whom a queue is, 0 for what is of many. */
static inline pid_t fairway_queue_pid(const struct fwy_queue *queue)
{
	if (queue->kind != FWY_OWN)
		return 0;
	return container_of(queue, struct fairway_flow, core.queue)->pid;
}

int fairway_observe_get(void);
void fairway_observe_put(void);
void fairway_observe_begin(struct fairway_queue *fq);
void fairway_observe_end(struct fairway_queue *fq);
void fairway_watch(struct fairway_queue *fq, bool is_on);
void fairway_observe_queued(struct fairway_queue *fq,
			    struct fairway_item *item);
void fairway_observe_dispatched(struct fairway_queue *fq,
				struct fairway_item *item,
				enum fwy_reason reason, u64 now_ns);
void fairway_observe_done(struct fairway_queue *fq, struct fairway_item *item,
			  u64 now_ns);
void fairway_observe_joined(struct fairway_pool *pool,
			    const struct fwy_seat *seat,
			    struct fairway_waiter *waiter, bool at_front);
void fairway_observe_admitted(struct fairway_pool *pool,
			      struct fairway_waiter *waiter);
void fairway_observe_lined(struct fairway_pool *pool, struct fairway_flow *flow,
			   const struct fairway_waiter *waiter);
void fairway_observe_refused(struct fairway_pool *pool);
void fairway_observe_knob(struct fairway_queue *fq, enum fwy_param param,
			  u32 was, u32 is);

/* sysfs.c */
extern struct elv_fs_entry fairway_attrs[];

/* debugfs.c */
#ifdef CONFIG_BLK_DEBUG_FS
extern const struct blk_mq_debugfs_attr fairway_queue_debugfs_attrs[];
#endif

#endif /* _FAIRWAY_H */
