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
 *	order.c	which queued request the device gets next
 *	param.c	the knobs: names, units, ranges, defaults
 */
#ifndef _FWY_CORE_H
#define _FWY_CORE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

/* ---- line.c: admission -------------------------------------------------- */

/**
 * struct fwy_seat - one flow's place at one pool of requests
 * @node: in &fwy_line.seats while @waiters is not empty
 * @waiters: the flow's waiters, by number
 * @held: requests of the flow in the pool, and tickets of its woken waiters
 * @is_capped: false for the common flow of kernel threads, which serves many
 *
 * Per flow and pool.  Owner: the flow.  Lock: the line's, but for @held, which
 * changes at any time and is only read here.
 */
struct fwy_seat {
	struct rb_node node;
	struct list_head waiters;
	atomic_t held;
	bool is_capped;
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
 * @nr_seats: seats in @seats
 * @nr_waiters: waiters in line
 *
 * Per pool.  Owner and lock: the caller's.
 */
struct fwy_line {
	struct rb_root_cached seats;
	u64 next_number;
	u64 next_front;
	unsigned int nr_seats;
	unsigned int nr_waiters;
};

unsigned int fwy_pool_limit(unsigned int depth);
void fwy_line_init(struct fwy_line *line);
void fwy_seat_init(struct fwy_seat *seat, bool is_capped);
unsigned int fwy_line_share(const struct fwy_line *line, unsigned int limit);
void fwy_line_join(struct fwy_line *line, struct fwy_seat *seat,
		   struct fwy_waiter *waiter, bool at_front);
struct fwy_waiter *fwy_line_admit(struct fwy_line *line, unsigned int limit);

/* ---- param.c: knobs ------------------------------------------------------ */

enum fwy_param {
	FWY_READ_EXPIRE_MS,
	FWY_WRITE_EXPIRE_MS,
	FWY_PASS_SECTORS,
	FWY_PASS_REQUESTS,
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

void fwy_params_init(struct fwy_params *params);
int fwy_param_set(struct fwy_params *params, enum fwy_param param, u64 value);

/* ---- order.c: the order of dispatch -------------------------------------- */

enum fwy_dir { FWY_READ, FWY_WRITE, FWY_NR_DIRS };

/* Why a request was chosen, in order of precedence. */
enum fwy_reason {
	FWY_REASON_NONE,	/* nothing is queued */
	FWY_REASON_FRONT,	/* requeued, or inserted at the head */
	FWY_REASON_PASSED,	/* later requests passed it for long enough */
	FWY_REASON_EXPIRED,	/* it waited for its direction's expiry */
	FWY_REASON_SWEEP,	/* next by sector, upward, then from the start */
	FWY_REASON_ADMISSION,	/* next in the order of admission */
	FWY_NR_REASONS
};

/*
 *	IDLE -- fwy_order_add() --> QUEUED --+
 *	  ^                                  +-- fwy_order_next() --> DISPATCHED
 *	  |---- fwy_order_add_front() -> FRONT                           |
 *	  |                                                              |
 *	  +-- fwy_order_remove() of a QUEUED one; fwy_item_init() of any -+
 *
 * A requeued request goes from DISPATCHED to FRONT.
 */
enum fwy_item_state {
	FWY_ITEM_IDLE,
	FWY_ITEM_QUEUED,
	FWY_ITEM_FRONT,
	FWY_ITEM_DISPATCHED,
};

/**
 * struct fwy_item - one request as the core sees it
 * @node: in &fwy_order.by_sector while QUEUED
 * @entry: in &fwy_order.fifo while QUEUED, in &fwy_order.front while FRONT
 * @sector: first sector
 * @sectors: length
 * @requests: how many requests it is by now, with those it absorbed
 * @dir: read or write (everything that is not a read)
 * @state: see &enum fwy_item_state
 * @number: admission order
 * @deadline_ns: when it expires
 * @mark_sectors: sectors dispatched or queued ahead when it was added
 * @mark_requests: the same in requests
 *
 * Per request.  Owner: the caller.  Lock: the order's.
 */
struct fwy_item {
	struct rb_node node;
	struct list_head entry;
	u64 sector;
	u32 sectors;
	u32 requests;
	enum fwy_dir dir;
	enum fwy_item_state state;
	u64 number;
	u64 deadline_ns;
	u64 mark_sectors;
	u64 mark_requests;
};

/**
 * struct fwy_order - the queued requests of one device
 * @params: knobs, owned by the caller
 * @front: items to dispatch before all others, in the order they came
 * @fifo: QUEUED items by direction, in the order of admission
 * @by_sector: the same items by first sector
 * @is_sorted: true where seeks cost (rotational): sweep, else admission order
 * @sweep_sector: where the sweep goes on
 * @sweep_left: sweep steps before expiry is looked at again
 * @next_number: admission number of the next item
 * @queued: items in @fifo
 * @queued_front: items in @front
 * @queued_requests: requests in @fifo, with those that were absorbed
 * @queued_sectors: sectors in @fifo
 * @done_requests: requests dispatched from @fifo so far, likewise
 * @done_sectors: sectors of these
 *
 * Per device.  Owner and lock: the caller's.
 */
struct fwy_order {
	const struct fwy_params *params;
	struct list_head front;
	struct list_head fifo[FWY_NR_DIRS];
	struct rb_root_cached by_sector;
	bool is_sorted;
	u64 sweep_sector;
	unsigned int sweep_left;
	u64 next_number;
	unsigned int queued;
	unsigned int queued_front;
	u64 queued_requests;
	u64 queued_sectors;
	u64 done_requests;
	u64 done_sectors;
};

void fwy_item_init(struct fwy_item *item);
void fwy_order_init(struct fwy_order *order, const struct fwy_params *params,
		    bool is_sorted);
void fwy_order_add(struct fwy_order *order, struct fwy_item *item,
		   u64 now_ns);
void fwy_order_add_front(struct fwy_order *order, struct fwy_item *item);
void fwy_order_remove(struct fwy_order *order, struct fwy_item *item);
void fwy_order_resize(struct fwy_order *order, struct fwy_item *item,
		      u64 sector, u32 sectors);
void fwy_order_absorb(struct fwy_order *order, struct fwy_item *item,
		      struct fwy_item *next);
struct fwy_item *fwy_order_find(const struct fwy_order *order, u64 sector);
struct fwy_item *fwy_order_next(struct fwy_order *order, u64 now_ns,
				enum fwy_reason *reason);

static inline bool fwy_order_is_empty(const struct fwy_order *order)
{
	return !order->queued && !order->queued_front;
}

#endif /* _FWY_CORE_H */
