/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fairway core: what the scheduler decides, apart from how it is carried out.
 *
 * The core is plain C over numbers, lists and trees.  It never allocates,
 * locks, sleeps, reads a clock, prints or traces: time and memory come in, a
 * decision goes out.  The caller serialises all calls on one object with the
 * lock that the object's comment names.
 *
 *	line.c	who is admitted next to a pool of requests
 *	queue.c	the requests of one queue, and their order
 *	flow.c	a process's habits, and which queue its requests go to
 *	fair.c	virtual time: which queue is next
 *	cost.c	what a request costs the device, learned from completions
 *	overlap.c whether a device that seeks does several at a time
 *	turn.c	how long a queue keeps a disk that seeks
 *	window.c how much any other device holds
 *	hold.c	how much writeback is let in beside those who wait
 *	sched.c	all of it put together: which request the device gets next
 *	param.c	the knobs: names, units, ranges, defaults
 *	watch.c	how long requests waited, beside how long they may
 *
 * Most work on a &struct fwy_sched; the glue calls line.c, flow.c (set-up),
 * sched.c and watch.c.
 */
#ifndef _FWY_CORE_H
#define _FWY_CORE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/rbtree.h>
#include <linux/types.h>

struct fwy_flow;
struct fwy_queue;

/* ---- line.c: admission -------------------------------------------------- */

enum fwy_seat_kind {
	FWY_SEAT_FLOW,		/* a process's */
	FWY_SEAT_COMMON,	/* of kernel threads, each of which serves many */
	FWY_SEAT_WRITEBACK,	/* of all that nobody waits for */
};

/**
 * struct fwy_seat - one flow's place at one pool of requests
 * @node: in &fwy_line.seats while @waiters is not empty
 * @waiters: the flow's waiters, by number
 * @held: requests of the flow in the pool, and tickets of its woken waiters
 * @kind: how much it may hold
 *
 * Per flow and pool.  Owner: the flow.  Lock: the line's, but for @held, which
 * changes at any time and is only read here.
 */
struct fwy_seat {
	struct rb_node node;
	struct list_head waiters;
	atomic_t held;
	enum fwy_seat_kind kind;
};

/**
 * struct fwy_waiter - one submitter that stands in line
 * @entry: in &fwy_seat.waiters
 * @seat: whose waiter this is
 * @number: place in line, smallest first
 *
 * Per waiting task, on its stack.  Lock: the line's.
 */
struct fwy_waiter {
	struct list_head entry;
	struct fwy_seat *seat;
	u64 number;
};

/**
 * struct fwy_line - the line in front of one pool of requests
 * @seats: seats with waiters, by the number of their first waiter
 * @next_number: number of the next waiter that joins at the end
 * @next_front: number of the next waiter that joins at the front
 * @hold: requests that writeback may hold; the caller sets it before it asks
 * @nr_seats: seats in @seats
 * @nr_waiters: waiters in line
 *
 * Per pool.  Owner and lock: the caller's.
 */
struct fwy_line {
	struct rb_root_cached seats;
	u64 next_number;
	u64 next_front;
	unsigned int hold;
	unsigned int nr_seats;
	unsigned int nr_waiters;
};

/* A pool of at least this many requests keeps one in so many as headroom. */
#define FWY_HEADROOM		16

/**
 * fwy_pool_limit() - how many requests of a pool the line gives out
 * @depth: requests in the pool
 *
 * A freed request is given to the next waiter before its tag is free, a whole
 * flush before where one follows the data, and passthrough commands draw on the
 * same pool unseen.  Without
 * headroom the woken waiter finds no tag and sleeps again, until wake_batch
 * tags were freed.  Pools below 16 have a wake_batch of 1, so there the wait
 * is short and each request counts: they are given out whole.
 *
 * Return: the limit, 1 or more where @depth is.
 */
static inline unsigned int fwy_pool_limit(unsigned int depth)
{
	return depth - depth / FWY_HEADROOM;
}

/* One part in so many is not for writeback. */
#define FWY_WRITEBACK_SPARE	4

/**
 * fwy_open_limit() - up to how full a pool anybody is let in
 * @limit: requests that the line gives out
 *
 * Return: the least fwy_seat_limit() of any seat.
 */
static inline unsigned int fwy_open_limit(unsigned int limit)
{
	return limit - limit / FWY_WRITEBACK_SPARE;
}

void fwy_line_init(struct fwy_line *line);
void fwy_seat_init(struct fwy_seat *seat, enum fwy_seat_kind kind);
unsigned int fwy_seat_limit(enum fwy_seat_kind kind, unsigned int limit);
bool fwy_seat_is_light(const struct fwy_seat *seat, unsigned int limit);
bool fwy_seat_is_held_back(const struct fwy_seat *seat, unsigned int hold);
unsigned int fwy_line_share(const struct fwy_line *line, unsigned int limit);
void fwy_line_join(struct fwy_line *line, struct fwy_seat *seat,
		   struct fwy_waiter *waiter, bool at_front);
struct fwy_waiter *fwy_line_admit(struct fwy_line *line, struct fwy_seat *turn,
				  unsigned int limit, unsigned int held);
bool fwy_line_is_open(const struct fwy_line *line,
		      const struct fwy_seat *writeback);

/* ---- param.c: knobs ------------------------------------------------------ */

enum fwy_param {
	FWY_READ_EXPIRE_MS,
	FWY_WRITE_EXPIRE_MS,
	FWY_ASYNC_EXPIRE_MS,
	FWY_PASS_SECTORS,
	FWY_PASS_REQUESTS,
	FWY_ROUND_MS,
	FWY_TURN_MIN_MS,
	FWY_TURN_MAX_MS,
	FWY_ANTIC_US,
	FWY_ASYNC_WEIGHT_PCT,
	FWY_WINDOW_US,
	FWY_NR_PARAMS
};

/**
 * struct fwy_param_info - one knob
 * @name: file name under queue/iosched/
 * @min: smallest allowed value
 * @max: largest allowed value
 * @def: value after the scheduler is selected
 */
struct fwy_param_info {
	const char *name;
	u32 min;
	u32 max;
	u32 def;
};

/**
 * struct fwy_params - the knobs of one device
 * @value: by &enum fwy_param; written by sysfs, read without a lock
 */
struct fwy_params {
	u32 value[FWY_NR_PARAMS];
};

extern const struct fwy_param_info fwy_param_info[FWY_NR_PARAMS];

/**
 * fwy_param_ns() - a knob that is a time
 * @params: the knobs
 * @param: which one
 * @unit_ns: its unit
 *
 * Return: the time in ns.
 */
static inline u64 fwy_param_ns(const struct fwy_params *params,
			       enum fwy_param param, u64 unit_ns)
{
	return READ_ONCE(params->value[param]) * unit_ns;
}

void fwy_params_init(struct fwy_params *params);
int fwy_param_set(struct fwy_params *params, enum fwy_param param, u64 value);

/* ---- requests, queues and flows ------------------------------------------ */

/* Who waits for a request, and so how long it may take. */
enum fwy_class {
	FWY_READ,		/* reads */
	FWY_WRITE,		/* writes that somebody waits for */
	FWY_ASYNC,		/* all others: writeback, discards */
	FWY_NR_CLASSES
};

/* What the device is asked to do. */
enum fwy_op {
	FWY_OP_READ,
	FWY_OP_WRITE,
	FWY_OP_DISCARD,
	FWY_NR_OPS
};

/*
 *	IDLE -- fwy_sched_add() ---> QUEUED --+
 *	 ^ ^                                  +- fwy_sched_next() -> DISPATCHED
 *	 | |-- fwy_sched_add_front() -> FRONT +                          |
 *	 | |                                                             |
 *	 | +-- fwy_sched_remove() of a QUEUED one                        |
 *	 +---- fwy_sched_done(): completed, or to be queued again -------+
 */
enum fwy_item_state {
	FWY_ITEM_IDLE,
	FWY_ITEM_QUEUED,
	FWY_ITEM_FRONT,
	FWY_ITEM_DISPATCHED,
};

/**
 * struct fwy_amount - how much
 * @sectors: of 512 bytes
 * @requests: with those that were absorbed
 */
struct fwy_amount {
	u64 sectors;
	u64 requests;
};

/**
 * struct fwy_item - one request as the core sees it
 * @node: in &fwy_queue.items while QUEUED, where seeks cost
 * @entry: in &fwy_queue.fifo while QUEUED, in &fwy_sched.front while FRONT
 * @queue: where it was queued last, NULL if it never was
 * @flow: whose it is; set by the caller, who keeps it while the item is in use
 * @sector: first sector
 * @sectors: length
 * @class: who waits for it
 * @op: what the device is to do
 * @weight: of its owner, by ioprio, 0 for the idle class; fwy_prio_weight()
 * @is_cut: whether it is a piece of something larger, of which more follows
 * @state: see &enum fwy_item_state
 * @turn: the turn in which it was dispatched
 * @is_near: whether it was dispatched to where the device's head stood
 * @requests: how many requests it is by now, with those it absorbed
 * @round: its round of the queue's sweep
 * @mark: what was dispatched or queued ahead of it when it was added
 * @added_ns: when it was queued
 * @transfer_ns: what it was taken to cost when it was dispatched, with the way to
 *	it unless it is the first of a turn
 * @dispatched_ns: when it was dispatched where seeks cost, else 0
 *
 * Per request.  Owner: the caller.  Lock: the scheduler's.
 */
struct fwy_item {
	struct rb_node node;
	struct list_head entry;
	struct fwy_queue *queue;
	struct fwy_flow *flow;
	u64 sector;
	u32 sectors;
	enum fwy_class class;
	enum fwy_op op;
	u32 weight;
	bool is_cut;
	enum fwy_item_state state;
	u32 turn;
	bool is_near;
	u32 requests;
	u64 round;
	struct fwy_amount mark;
	u64 added_ns;
	u64 transfer_ns;
	u64 dispatched_ns;
};

enum fwy_kind {
	FWY_OWN,		/* one flow's */
	FWY_CROWD,		/* all one-deep seeky flows' */
	FWY_WRITEBACK,		/* all that nobody waits for */
	FWY_BACKGROUND,		/* all of the idle class */
};

/**
 * struct fwy_queue - requests that take turns as one
 * @node: in &fwy_fair.backlog while it has items and no turn
 * @key: its place there: where seeks cost the round in which it may have a
 *	turn, else its virtual start time
 * @place: the second part of it: where it will go on, or 0; where seeks cost nothing,
 *	0 for who wants little, else 1
 * @used_ns: what it had of the round @key; where seeks cost nothing, of the run of
 *	pieces that is on, to be charged at its end
 * @counted: the round in which its weight was counted last, 0 if it had no turn yet
 * @waiting: in &fwy_fair.waiting as long
 * @items: QUEUED items by round and sector, where seeks cost
 * @fifo: QUEUED items, in the order they were added
 * @kind: whose requests these are
 * @weight: its share, in percent of a best-effort process of level 4
 * @is_light: whether it wants little: where seeks cost, left half of its share
 *	of the last round or more; else, has one request that goes before others
 * @is_young: whether it was new in the round of @counted
 * @queued: items in @items
 * @in_device: DISPATCHED items that came from here
 * @amount: in @items
 * @done: dispatched from @items so far
 * @round: of the item dispatched last
 * @position: where that item ended
 * @since_ns: since when it has waited for its turn
 * @mark: &fwy_fair.done then
 *
 * Per flow, and one of each other kind per device.  Lock: the scheduler's.
 */
struct fwy_queue {
	struct rb_node node;
	u64 key;
	u64 place;
	u64 used_ns;
	u64 counted;
	struct list_head waiting;
	struct rb_root_cached items;
	struct list_head fifo;
	enum fwy_kind kind;
	u32 weight;
	bool is_light;
	bool is_young;
	unsigned int queued;
	unsigned int in_device;
	struct fwy_amount amount;
	struct fwy_amount done;
	u64 round;
	u64 position;
	u64 since_ns;
	struct fwy_amount mark;
};

/**
 * struct fwy_flow - one process, or several that share an io_context
 * @queue: of its own
 * @pending: its requests that are QUEUED, FRONT or DISPATCHED
 * @in_crowd: those of them that went to the crowd
 * @round: the crowd's round of its last request there
 * @next_sector: where its last request ended
 * @history: of its last eight requests, a bit for each that was far away
 * @is_seeky: whether that shows that it jumps about
 * @think_ns: how long it takes from a completion to its next request, on average
 * @done_ns: when its last request completed, 0 if it was held since
 * @seen: the while in which the watch saw it last
 *
 * Per io_context and device.  Lock: the scheduler's.
 */
struct fwy_flow {
	struct fwy_queue queue;
	unsigned int pending;
	unsigned int in_crowd;
	u64 round;
	u64 next_sector;
	u8 history;
	bool is_seeky;
	u64 think_ns;
	u64 done_ns;
	u32 seen;
};

/* ---- queue.c: the order within a queue ----------------------------------- */

/**
 * fwy_item_init() - an item that is in no queue
 * @item: the item
 */
static inline void fwy_item_init(struct fwy_item *item)
{
	RB_CLEAR_NODE(&item->node);
	item->queue = NULL;
	item->state = FWY_ITEM_IDLE;
}

void fwy_queue_init(struct fwy_queue *queue, enum fwy_kind kind, u32 weight);
void fwy_queue_sort(struct fwy_queue *queue, struct fwy_item *item);
void fwy_queue_unsort(struct fwy_queue *queue, struct fwy_item *item);

/**
 * fwy_queue_add() - put an item into its place
 * @queue: the queue
 * @item: the item, in no queue
 * @is_sorted: by sector, or as they come
 */
static inline void fwy_queue_add(struct fwy_queue *queue, struct fwy_item *item,
				 bool is_sorted)
{
	item->queue = queue;
	list_add_tail(&item->entry, &queue->fifo);
	queue->queued++;
	/* The list has no rounds, but a sweep may begin before it is empty. */
	item->round = queue->round;
	if (is_sorted)
		fwy_queue_sort(queue, item);
}

/**
 * fwy_queue_remove() - take an item out
 * @queue: the queue
 * @item: the item
 */
static inline void fwy_queue_remove(struct fwy_queue *queue,
				    struct fwy_item *item)
{
	list_del(&item->entry);
	queue->queued--;
	if (!RB_EMPTY_NODE(&item->node))
		fwy_queue_unsort(queue, item);
}

void fwy_queue_resize(struct fwy_queue *queue, struct fwy_item *item,
		      u64 sector, u32 sectors);
void fwy_queue_absorb(struct fwy_queue *queue, struct fwy_item *item,
		      struct fwy_item *next);
void fwy_queue_pass(struct fwy_queue *queue, const struct fwy_item *item);
void fwy_queue_close(struct fwy_queue *queue);
struct fwy_item *fwy_queue_overtaken(struct fwy_queue *queue,
				     const struct fwy_item *next,
				     const struct fwy_params *params);
bool fwy_is_beyond(const struct fwy_amount *done, const struct fwy_amount *mark,
		   const struct fwy_params *params);
struct fwy_item *fwy_queue_first(struct fwy_queue *queue);
struct fwy_item *fwy_queue_find(const struct fwy_queue *queue, u64 sector,
				bool is_end);

/**
 * fwy_queue_oldest() - what has waited longest
 * @queue: the queue
 *
 * Return: the item, NULL if there is none.
 */
static inline struct fwy_item *fwy_queue_oldest(struct fwy_queue *queue)
{
	return list_first_entry_or_null(&queue->fifo, struct fwy_item, entry);
}

/* ---- flow.c: habits ------------------------------------------------------ */

/**
 * struct fwy_gaps - the times between several processes, as if they were one
 * @think_ns: from the end of one to the start of the next, on average
 * @done_ns: when the last one ended, 0 if there was none
 *
 * Per device, where seeks cost.  Lock: the scheduler's.
 */
struct fwy_gaps {
	u64 think_ns;
	u64 done_ns;
};

/* Does somebody wait for what stands there? */
static inline bool fwy_queue_is_sync(const struct fwy_queue *queue)
{
	return queue->kind <= FWY_CROWD;
}

bool fwy_is_far(u64 a, u64 b);
void fwy_flow_init(struct fwy_flow *flow);
void fwy_flow_arrive(struct fwy_flow *flow, const struct fwy_item *item,
		     u64 now_ns);
void fwy_gaps_learn(struct fwy_gaps *gaps, u64 now_ns);
void fwy_flow_held(struct fwy_flow *flow);

/* ---- fair.c: virtual time ------------------------------------------------ */

#define FWY_WEIGHT	100

/**
 * struct fwy_fair - the queues that wait for the device
 * @backlog: queues with items and without the turn, in the order of service
 * @waiting: the same, by class of who waits, longest first
 * @nr_backlog: queues in @backlog
 * @now: the greatest key of those that were served: the round, or virtual time
 * @newcomer: the least key of a process that comes new, if it is ahead of @now
 * @newcomers_ns: where seeks cost, what such ones had in this round
 * @done: dispatched so far, where seeks cost
 *
 * Per device.  Lock: the scheduler's.
 */
struct fwy_fair {
	struct rb_root_cached backlog;
	struct list_head waiting[FWY_NR_CLASSES];
	unsigned int nr_backlog;
	u64 now;
	u64 newcomer;
	u64 newcomers_ns;
	struct fwy_amount done;
};

u32 fwy_prio_weight(unsigned int ioprio_class, unsigned int level);
void fwy_fair_init(struct fwy_fair *fair);
void fwy_fair_forget(struct fwy_queue *queue, u64 least_key);
void fwy_fair_enter_from(struct fwy_fair *fair, struct fwy_queue *queue,
			 u64 least_key, u64 place, u64 now_ns);
/**
 * fwy_fair_enter() - the same, and who has been away begins with those who come new
 * @fair: the queues
 * @queue: the queue, with items
 * @place: its place among those of the same key
 * @now_ns: the time
 */
static inline void fwy_fair_enter(struct fwy_fair *fair,
				  struct fwy_queue *queue, u64 place, u64 now_ns)
{
	u64 least_key = fair->now;

	if (queue->key < least_key)
		least_key = max(least_key, fair->newcomer);
	fwy_fair_enter_from(fair, queue, least_key, place, now_ns);
}

void fwy_fair_restart(struct fwy_fair *fair, u64 now_ns);
void fwy_fair_leave(struct fwy_fair *fair, struct fwy_queue *queue);
static inline bool fwy_fair_has(const struct fwy_queue *queue)
{
	return !RB_EMPTY_NODE(&queue->node);
}

struct fwy_queue *fwy_fair_due(struct fwy_fair *fair,
			       const struct fwy_params *params, u64 now_ns);
/**
 * fwy_fair_first() - who is next
 * @fair: the queues
 *
 * Return: the queue, NULL if none waits.
 */
static inline struct fwy_queue *fwy_fair_first(const struct fwy_fair *fair)
{
	return rb_entry_safe(rb_first_cached(&fair->backlog), struct fwy_queue,
			     node);
}

/**
 * fwy_fair_serve() - a queue is served
 * @fair: the queues
 * @queue: the queue
 */
static inline void fwy_fair_serve(struct fwy_fair *fair,
				  const struct fwy_queue *queue)
{
	if (fair->now < queue->key)
		fair->now = queue->key;
}

u64 fwy_expire_ns(const struct fwy_params *params, enum fwy_class class);

/* ---- cost.c: what a request costs ---------------------------------------- */

/**
 * struct fwy_epoch - what a device did for a while
 * @began_ns: when that began
 * @took_ns: how long it was
 * @done: what it completed, by &enum fwy_op
 */
struct fwy_epoch {
	u64 began_ns;
	u64 took_ns;
	struct fwy_amount done[FWY_NR_OPS];
};

/**
 * struct fwy_cost - a device as its completions show it
 * @request_ns: what a request takes beside its sectors, by &enum fwy_op; 0 where
 *	seeks cost
 * @sector_ns: what a sector takes, by &enum fwy_op
 * @switch_ns: what it takes to go elsewhere, on average
 * @seek_ns: what it takes where the medium is asked, and not a buffer
 * @pace_ns: what a sector of a stream's turn takes on average, with whatever the
 *	process does between its requests; by direction, 0 if not known
 * @done_ns: when the last request completed
 * @head: where that ended
 *
 * Per device.  Lock: the scheduler's.
 */
struct fwy_cost {
	u64 request_ns[FWY_NR_OPS];
	u64 sector_ns[FWY_NR_OPS];
	u64 switch_ns;
	u64 seek_ns;
	u64 pace_ns[2];
	u64 done_ns;
	u64 head;
};

/**
 * fwy_cost_ns() - the device time that a request takes
 * @cost: the model
 * @item: the request
 *
 * Return: the time in ns, without the way to it where seeks cost.
 */
static inline u64 fwy_cost_ns(const struct fwy_cost *cost,
			      const struct fwy_item *item)
{
	return cost->request_ns[item->op] +
	       cost->sector_ns[item->op] * item->sectors;
}

/* No request counts for more: 17 s. */
#define FWY_COST_MOST_NS	BIT_ULL(34)

/**
 * fwy_cost_charged_ns() - the device time that a request counts for
 * @cost: the model
 * @item: the request
 *
 * Return: fwy_cost_ns(), up to FWY_COST_MOST_NS.
 */
static inline u64 fwy_cost_charged_ns(const struct fwy_cost *cost,
				      const struct fwy_item *item)
{
	return min_t(u64, fwy_cost_ns(cost, item), FWY_COST_MOST_NS);
}

/**
 * fwy_cost_share() - what device time counts against a queue's share
 * @cost_ns: the time, up to FWY_COST_MOST_NS
 * @weight: of the queue, above 0
 *
 * Return: @cost_ns as FWY_WEIGHT is to @weight, rounded down.
 */
static inline u64 fwy_cost_share(u64 cost_ns, u32 weight)
{
	return weight == FWY_WEIGHT ? cost_ns :
				      div_u64(cost_ns * FWY_WEIGHT, weight);
}

void fwy_cost_init(struct fwy_cost *cost, bool is_sorted);
void fwy_cost_learn(struct fwy_cost *cost, const struct fwy_item *item,
		    u64 now_ns);
void fwy_cost_learn_pace(struct fwy_cost *cost, bool is_write, u64 sectors,
			 u64 took_ns);
u64 fwy_cost_of(const struct fwy_cost *cost, const struct fwy_epoch *epoch);
void fwy_cost_learn_epoch(struct fwy_cost *cost, const struct fwy_epoch *epoch);

/* ---- overlap.c: several at a time ----------------------------------------- */

/**
 * struct fwy_overlap - does a device that seeks do several requests at a time?
 * @is_seen: the answer
 * @parts: how long half of a batch takes, on average
 * @is_open: whether one-deep requests are let in together now
 * @sent: requests of the batch that is measured, 0 for none
 * @done: of these, those that came back
 * @began_ns: when that was
 * @first_ns: how long it took to the first completion, 0 before
 * @next_ns: when the next batch is to be asked for
 * @rest_ns: how long after the last that is
 *
 * Per device.  Lock: the scheduler's.
 */
struct fwy_overlap {
	bool is_seen;
	bool is_open;
	u32 parts;
	unsigned int sent;
	unsigned int done;
	u64 began_ns;
	u64 first_ns;
	u64 next_ns;
	u64 rest_ns;
};

void fwy_overlap_init(struct fwy_overlap *overlap);
bool fwy_overlap_is_wanted(const struct fwy_overlap *overlap,
			   unsigned int waiting, u64 now_ns);
void fwy_overlap_open(struct fwy_overlap *overlap, u64 now_ns);
bool fwy_overlap_has_room(const struct fwy_overlap *overlap);
void fwy_overlap_dispatched(struct fwy_overlap *overlap, bool is_alone,
			    bool is_far, u64 now_ns);
void fwy_overlap_done(struct fwy_overlap *overlap, u64 dispatched_ns,
		      bool is_done, u64 now_ns);

/* ---- window.c: how much the device holds --------------------------------- */

/* One part in so many of the device's time is kept for who wants little. */
#define FWY_LIGHT_PART		8

enum fwy_trial {
	FWY_TRIAL_NONE,		/* the window as it is */
	FWY_TRIAL_MORE,		/* half as much more */
	FWY_TRIAL_LESS,		/* a third less */
	FWY_NR_TRIALS
};

/**
 * struct fwy_window - device time that may be in flight, where seeks cost nothing
 * @limit_ns: how much
 * @open_ns: how much in this epoch
 * @kept_ns: what those who want little may have before their time
 * @epoch: what was done in this epoch
 * @before: in the last one without a trial
 * @tested: in the last trial
 * @trial: what is tried in this epoch
 * @last: what was tried last
 * @is_tested: whether that is still to be compared
 * @is_settling: whether @open_ns has just changed, so nothing is measured yet
 * @is_starved: whether there was a time in this epoch when nothing waited
 * @was_full: whether there was one when something waited for the window
 * @left: completions until the epoch ends
 * @rest: epochs until the next trial
 * @rests: epochs between two trials
 * @spared: epochs for which nothing less is tried, as it would cost much
 * @tried: trials since the last decision, by kind
 * @gain: what they brought all together, in parts, by kind
 *
 * Per device.  Lock: the scheduler's.
 */
struct fwy_window {
	u64 limit_ns;
	u64 open_ns;
	u64 kept_ns;
	struct fwy_epoch epoch;
	struct fwy_epoch before;
	struct fwy_epoch tested;
	enum fwy_trial trial;
	enum fwy_trial last;
	bool is_tested;
	bool is_settling;
	bool is_starved;
	bool was_full;
	unsigned int left;
	unsigned int rest;
	unsigned int rests;
	unsigned int spared;
	unsigned int tried[FWY_NR_TRIALS];
	s64 gain[FWY_NR_TRIALS];
};

/* ---- hold.c: how much writeback is let in -------------------------------- */

/* No limit. */
#define FWY_HOLD_NONE		UINT_MAX

/**
 * struct fwy_hold - what writeback may have on its way, where seeks cost nothing
 * @limit: requests of each pool; read without the lock
 * @done: since @limit was set
 * @took_ns: of time for these
 * @done_ns: when the last one completed
 *
 * Per device.  Lock: the scheduler's.
 */
struct fwy_hold {
	unsigned int limit;
	unsigned int done;
	u64 took_ns;
	u64 done_ns;
};

/* ---- turn.c and sched.c: what the device gets next ----------------------- */

/* Why a request was chosen, or none. */
enum fwy_reason {
	FWY_REASON_NONE,	/* nothing is queued */
	FWY_REASON_BUSY,	/* the device has enough: until a completion */
	FWY_REASON_ANTICIPATE,	/* who has the turn will go on: until a time */
	FWY_REASON_GRACE,	/* only background I/O, too early: until a time */
	FWY_REASON_FRONT,	/* requeued, or inserted at the head */
	FWY_REASON_DUE,		/* its queue had waited for long enough */
	FWY_REASON_FAIR,	/* its queue was next by virtual time */
	FWY_REASON_TURN,	/* its queue has the turn */
	FWY_NR_REASONS
};

/**
 * struct fwy_turn - who has a disk that seeks, and since when
 * @queue: who, NULL for nobody
 * @last: who had the last turn begun, to compare with only
 * @number: which turn it is
 * @since_ns: since when it had waited
 * @is_late: whether that was for longer than writeback is to wait
 * @arrived_ns: when its first request completed, 0 before: the seek is over
 * @first_ns: estimated transfer time of that request
 * @idle_ns: when it had nothing left, queued or in the device
 * @think_ns: what whose request completed last is used to take for the next
 * @share_ns: what the queue may use in this round, with one way
 * @way_ns: what the way to it is charged as
 * @quantum_ns: how long the turn may last, from @arrived_ns on
 * @in_flight_ns: estimated transfer time of what it has in the device by now
 * @dispatched: requests so far
 * @sectors: of these
 * @is_stream: whether each of a process's goes on where the one before ended
 * @is_write: whether the first writes
 * @round_weight: of the queues that had a turn in this round so far
 * @last_weight: of those that had one in the round before
 *
 * Per device.  Lock: the scheduler's.
 */
struct fwy_turn {
	struct fwy_queue *queue;
	const struct fwy_queue *last;
	u32 number;
	u64 since_ns;
	bool is_late;
	u64 arrived_ns;
	u64 first_ns;
	u64 idle_ns;
	u64 think_ns;
	u64 share_ns;
	u64 way_ns;
	u64 quantum_ns;
	u64 in_flight_ns;
	unsigned int dispatched;
	u64 sectors;
	bool is_stream;
	bool is_write;
	u64 round_weight;
	u64 last_weight;
};

/**
 * struct fwy_sched - the queued requests of one device
 * @params: knobs, owned by the caller
 * @is_sorted: true where seeks cost (rotational): turns
 * @front: items to dispatch before all others, in the order they came
 * @fair: the queues that wait
 * @turn: who has the device
 * @cost: what the device was seen to take
 * @window: how much of that it may hold, where seeks cost nothing
 * @overlap: whether it does several at a time, where seeks cost
 * @hold: what writeback may have on its way
 * @sync: between requests that somebody waits for
 * @visits: between the turns of processes that come for little; @done_ns is 0
 *	when another has come since
 * @crowd: one-deep seeky flows
 * @writeback: what nobody waits for
 * @background: the idle class
 * @queued: items that are QUEUED
 * @queued_front: items in @front
 * @in_device: items that are DISPATCHED
 * @depth: how many the device takes at a time, by the last one who asked
 * @in_flight_ns: estimated transfer time of these
 * @crowd_flows: flows with requests in the crowd, queued or in the device
 * @head: where the device's head is, after what was dispatched last
 * @busy_ns: when the last request outside the idle class came or completed
 * @has_let_pass: whether the last turn was of one who was due, before another
 * @served_ns: when @background was served last, or began to wait
 * @stall: why fwy_sched_next() has nothing although something is queued;
 *	FWY_REASON_NONE where it may have
 *
 * Per device.  Owner and lock: the caller's.
 */
struct fwy_sched {
	const struct fwy_params *params;
	bool is_sorted;
	struct list_head front;
	struct fwy_fair fair;
	struct fwy_turn turn;
	struct fwy_cost cost;
	struct fwy_window window;
	struct fwy_overlap overlap;
	struct fwy_hold hold;
	struct fwy_gaps sync;
	struct fwy_gaps visits;
	struct fwy_queue crowd;
	struct fwy_queue writeback;
	struct fwy_queue background;
	unsigned int queued;
	unsigned int queued_front;
	unsigned int in_device;
	unsigned int depth;
	u64 in_flight_ns;
	unsigned int crowd_flows;
	u64 head;
	u64 busy_ns;
	bool has_let_pass;
	u64 served_ns;
	enum fwy_reason stall;
};

/**
 * struct fwy_decision - what fwy_sched_next() says beside the item
 * @reason: why
 * @wake_ns: if there is no item: when to ask again, 0 for not by time
 */
struct fwy_decision {
	enum fwy_reason reason;
	u64 wake_ns;
};

void fwy_window_init(struct fwy_sched *sched);
void fwy_window_open(struct fwy_sched *sched);
bool fwy_window_is_shut(struct fwy_sched *sched, const struct fwy_queue *queue);
bool fwy_window_favours(struct fwy_sched *sched, const struct fwy_item *item);
void fwy_window_keep(struct fwy_sched *sched, u64 cost_ns);
void fwy_epoch_end(struct fwy_sched *sched, u64 now_ns);

/**
 * fwy_window_is_full() - has the device enough to do for now?
 * @sched: the scheduler
 * @queue: who is next
 *
 * Return: whether a completion has to come first.
 */
static inline bool fwy_window_is_full(struct fwy_sched *sched,
				      const struct fwy_queue *queue)
{
	return sched->in_flight_ns >= sched->window.open_ns &&
	       fwy_window_is_shut(sched, queue);
}

/**
 * fwy_window_done() - a request completed
 * @sched: the scheduler, without the request
 * @item: the request
 * @now_ns: when
 *
 * While nothing waits it is not the device that is measured.
 */
static inline void fwy_window_done(struct fwy_sched *sched,
				   const struct fwy_item *item, u64 now_ns)
{
	struct fwy_window *window = &sched->window;
	struct fwy_amount *done = &window->epoch.done[item->op];

	if (!sched->queued) {
		window->is_starved = true;
		return;
	}
	done->sectors += item->sectors;
	done->requests++;
	if (!--window->left)
		fwy_epoch_end(sched, now_ns);
}

void fwy_hold_init(struct fwy_hold *hold);
void fwy_hold_done(struct fwy_sched *sched, const struct fwy_item *item,
		   u64 now_ns);

void fwy_turn_enter(struct fwy_sched *sched, struct fwy_queue *queue,
		    u64 now_ns);
void fwy_turn_begin(struct fwy_sched *sched, struct fwy_queue *queue,
		    u64 now_ns);
bool fwy_turn_pass_on(struct fwy_sched *sched, struct fwy_queue *queue,
		      u64 now_ns);
void fwy_turn_end(struct fwy_sched *sched, u64 now_ns);
bool fwy_turn_is_over(struct fwy_sched *sched, u64 now_ns);
unsigned int fwy_turn_sync_pending(const struct fwy_sched *sched);
u64 fwy_turn_spare_until(const struct fwy_sched *sched,
			 const struct fwy_queue *queue);
void fwy_turn_leave(struct fwy_sched *sched);
void fwy_turn_gone(struct fwy_sched *sched);
u64 fwy_turn_wait_until(const struct fwy_sched *sched);
bool fwy_turn_is_full(const struct fwy_sched *sched, u64 now_ns);
void fwy_turn_dispatched(struct fwy_sched *sched, struct fwy_item *item);
void fwy_turn_done(struct fwy_sched *sched, const struct fwy_item *item,
		   u64 now_ns, bool is_done);

void fwy_sched_init(struct fwy_sched *sched, const struct fwy_params *params,
		    bool is_sorted);
void fwy_sched_set_sorted(struct fwy_sched *sched, bool is_sorted, u64 now_ns);
void fwy_sched_add(struct fwy_sched *sched, struct fwy_item *item, u64 now_ns);
void fwy_sched_add_front(struct fwy_sched *sched, struct fwy_item *item);
void fwy_sched_remove(struct fwy_sched *sched, struct fwy_item *item);
void fwy_sched_resize(struct fwy_sched *sched, struct fwy_item *item,
		      u64 sector, u32 sectors);
void fwy_sched_absorb(struct fwy_sched *sched, struct fwy_item *item,
		      struct fwy_item *next);
struct fwy_item *fwy_sched_next(struct fwy_sched *sched, unsigned int depth,
				u64 now_ns, struct fwy_decision *decision);
bool fwy_sched_done(struct fwy_sched *sched, struct fwy_item *item, u64 now_ns,
		    bool is_done);
bool fwy_sched_awake(struct fwy_sched *sched);
bool fwy_sched_forget(struct fwy_sched *sched, struct fwy_flow *flow);

static inline bool fwy_sched_is_empty(const struct fwy_sched *sched)
{
	return !sched->queued && !sched->queued_front;
}

/**
 * fwy_sched_has_work() - may fwy_sched_next() have an item?
 * @sched: the scheduler
 *
 * Return: false if nothing is queued, or all of it waits for a completion, for
 * a request of who has the turn, or for a time that was told.
 */
static inline bool fwy_sched_has_work(const struct fwy_sched *sched)
{
	return sched->queued_front ||
	       (sched->queued && sched->stall == FWY_REASON_NONE);
}

/* ---- watch.c: what was promised, beside what happened -------------------- */

/* Up to 1 us, 2 us, 4 us, ...; the last takes in all that is longer. */
#define FWY_WAIT_SLOTS	32

/**
 * struct fwy_waits - how long some kind of wait was
 * @number: waits
 * @sum_ns: all together
 * @longest_ns: the longest
 * @permille: the most that a wait took of its bound, 0 where none has one
 * @bound_ns: the bound of that wait
 * @violations: waits that were longer than their bound
 * @slot: waits by length, see fwy_wait_slot()
 *
 * Per kind of wait and class.  Lock: that of the &struct fwy_watch.
 */
struct fwy_waits {
	u64 number;
	u64 sum_ns;
	u64 longest_ns;
	u64 permille;
	u64 bound_ns;
	u64 violations;
	u64 slot[FWY_WAIT_SLOTS];
};

/**
 * struct fwy_seen - flows that had requests
 * @flows: how many
 * @weight: of these together, in percent of the usual
 */
struct fwy_seen {
	u64 flows;
	u64 weight;
};

/**
 * struct fwy_peak - the worst of a while
 * @since_ns: when it began
 * @bound_ns: the longest bound that was computed
 * @latency_ns: the longest time of a request in the device
 * @took_ns: the longest time from a completion to the next of a busy device
 * @gap_ns: the longest time from a completion, with more to come, to a dispatch
 * @depth: requests in the device at a completion, with more to come: the least; 0
 *	for not seen
 * @fronts: requests that went before all others
 * @seen: flows that had requests in this while
 * @fresh: of these, those that had none in the while before
 * @most_weight: of a queue
 * @quantum_ns: the longest that a turn might last
 * @least_cost: of a request at the usual weight, in ns; 0 for not
 *	seen
 * @most_cost: the same
 * @run_ns: what the pieces before the last of a run cost, the most
 */
struct fwy_peak {
	u64 since_ns;
	u64 bound_ns;
	u64 latency_ns;
	u64 took_ns;
	u64 gap_ns;
	unsigned int depth;
	unsigned int fronts;
	struct fwy_seen seen;
	struct fwy_seen fresh;
	u32 most_weight;
	u64 quantum_ns;
	u64 least_cost;
	u64 most_cost;
	u64 run_ns;
};

/**
 * struct fwy_watch - what was seen of one device
 * @since_ns: since when
 * @number: which while it is
 * @peak: the worst of this while, and of the one before
 * @done_ns: when the last request completed
 * @has_more: whether something waited then, and nothing was dispatched since
 * @turn: the last turn that was seen
 * @line: in line for a request
 * @order: from queued to dispatched, by class; bounded where seeks cost nothing
 * @way: of queues for their turn, by class of its first request; bounded
 * @device: from dispatched to completed, by class
 *
 * Per device.  Owner: the caller.  Lock: the scheduler's.
 */
struct fwy_watch {
	u64 since_ns;
	u32 number;
	struct fwy_peak peak[2];
	u64 done_ns;
	bool has_more;
	u32 turn;
	struct fwy_waits line;
	struct fwy_waits order[FWY_NR_CLASSES];
	struct fwy_waits way[FWY_NR_CLASSES];
	struct fwy_waits device[FWY_NR_CLASSES];
};

/**
 * struct fwy_tally - what somebody had of the device
 * @requests: that completed
 * @sectors: of these: read, written
 * @took_ns: of the device's time: for each, since the one before it completed
 * @wait_ns: from asking for a request to its completion, all together
 * @longest_ns: the longest of these
 *
 * Per flow.  Lock: the scheduler's.
 */
struct fwy_tally {
	u64 requests;
	u64 sectors[2];
	u64 took_ns;
	u64 wait_ns;
	u64 longest_ns;
};

u64 fwy_elapsed_ns(u64 start_ns, u64 end_ns);
unsigned int fwy_wait_slot(u64 wait_ns);
void fwy_waits_add(struct fwy_waits *waits, u64 wait_ns, u64 bound_ns);
void fwy_tally_add(struct fwy_tally *tally, const struct fwy_item *item,
		   u64 took_ns, u64 wait_ns);
void fwy_tally_sum(struct fwy_tally *sum, const struct fwy_tally *tally);

void fwy_watch_init(struct fwy_watch *watch, const struct fwy_sched *sched,
		    u64 now_ns);
u64 fwy_watch_turn_bound_ns(const struct fwy_watch *watch,
			    const struct fwy_sched *sched);
u64 fwy_watch_order_bound_ns(const struct fwy_watch *watch,
			     const struct fwy_cost *cost,
			     const struct fwy_item *item, unsigned int ahead);
u64 fwy_watch_line_bound_ns(const struct fwy_watch *watch, unsigned int ahead);
void fwy_watch_lined(struct fwy_watch *watch, u64 wait_ns, unsigned int ahead);
unsigned int fwy_watch_queued(struct fwy_watch *watch,
			      const struct fwy_cost *cost,
			      const struct fwy_item *item, u64 now_ns);
u64 fwy_watch_dispatched(struct fwy_watch *watch, const struct fwy_sched *sched,
			 const struct fwy_item *item, unsigned int ahead,
			 u64 now_ns);
u64 fwy_watch_done(struct fwy_watch *watch, const struct fwy_sched *sched,
		   const struct fwy_item *item, bool has_more,
		   u64 dispatched_ns, u64 now_ns);

#endif /* _FWY_CORE_H */
