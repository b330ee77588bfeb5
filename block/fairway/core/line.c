// SPDX-License-Identifier: GPL-2.0
/*
 * The line in front of a pool of requests: first come, first served, among
 * the flows that hold less than their share of the pool.
 *
 * A flow keeps its own waiters in order; the flows are kept by the number of
 * their first waiter.  So the next waiter to admit is found without walking
 * past the many tasks of one greedy flow.
 */
#include <linux/bits.h>

#include "core.h"

/*
 * Numbers count up from the middle for those who join at the end and down for
 * those who join at the front: 2^63 of each never wrap.
 */
#define FWY_FIRST_NUMBER	BIT_ULL(63)

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
unsigned int fwy_pool_limit(unsigned int depth)
{
	return depth - depth / FWY_HEADROOM;
}

static inline struct fwy_seat *fwy_seat_of(struct rb_node *node)
{
	return rb_entry(node, struct fwy_seat, node);
}

static inline struct fwy_waiter *fwy_seat_first(const struct fwy_seat *seat)
{
	return list_first_entry(&seat->waiters, struct fwy_waiter, entry);
}

static bool fwy_seat_less(struct rb_node *a, const struct rb_node *b)
{
	const struct fwy_seat *seat = rb_entry(b, struct fwy_seat, node);

	return fwy_seat_first(fwy_seat_of(a))->number <
	       fwy_seat_first(seat)->number;
}

/**
 * fwy_line_init() - an empty line
 * @line: the line
 */
void fwy_line_init(struct fwy_line *line)
{
	line->seats = RB_ROOT_CACHED;
	line->next_number = FWY_FIRST_NUMBER;
	line->next_front = FWY_FIRST_NUMBER - 1;
	line->nr_seats = 0;
	line->nr_waiters = 0;
}

/**
 * fwy_seat_init() - a seat without waiters that holds nothing
 * @seat: the seat
 * @is_capped: whether the share cap applies
 */
void fwy_seat_init(struct fwy_seat *seat, bool is_capped)
{
	RB_CLEAR_NODE(&seat->node);
	INIT_LIST_HEAD(&seat->waiters);
	atomic_set(&seat->held, 0);
	seat->is_capped = is_capped;
}

/**
 * fwy_line_share() - what each waiting flow may hold of the pool
 * @line: the line
 * @limit: requests that the line gives out
 *
 * Only flows that wait are counted: others do not ask for more.
 *
 * Return: @limit / waiting flows, rounded up, so 1 or more.
 */
unsigned int fwy_line_share(const struct fwy_line *line, unsigned int limit)
{
	unsigned int flows = line->nr_seats ? line->nr_seats : 1;

	return limit / flows + (limit % flows ? 1 : 0);
}

/**
 * fwy_line_join() - stand in line
 * @line: the line
 * @seat: the flow's seat at this pool
 * @waiter: the waiter, in no line
 * @at_front: before all others: the next piece of an I/O that was split
 */
void fwy_line_join(struct fwy_line *line, struct fwy_seat *seat,
		   struct fwy_waiter *waiter, bool at_front)
{
	bool was_waiting = !list_empty(&seat->waiters);

	waiter->seat = seat;
	if (at_front) {
		if (was_waiting)
			rb_erase_cached(&seat->node, &line->seats);
		waiter->number = line->next_front--;
		list_add(&waiter->entry, &seat->waiters);
	} else {
		waiter->number = line->next_number++;
		list_add_tail(&waiter->entry, &seat->waiters);
	}
	if (at_front || !was_waiting)
		rb_add_cached(&seat->node, &line->seats, fwy_seat_less);
	if (!was_waiting)
		line->nr_seats++;
	line->nr_waiters++;
}

static void fwy_line_leave(struct fwy_line *line, struct fwy_waiter *waiter)
{
	struct fwy_seat *seat = waiter->seat;

	rb_erase_cached(&seat->node, &line->seats);
	list_del_init(&waiter->entry);
	line->nr_waiters--;
	if (list_empty(&seat->waiters)) {
		RB_CLEAR_NODE(&seat->node);
		line->nr_seats--;
	} else {
		rb_add_cached(&seat->node, &line->seats, fwy_seat_less);
	}
}

static bool fwy_seat_is_over(const struct fwy_seat *seat, unsigned int share)
{
	return seat->is_capped && (unsigned int)atomic_read(&seat->held) >= share;
}

/**
 * fwy_line_admit() - take the next waiter out of the line
 * @line: the line
 * @limit: requests that the line gives out, for the share
 *
 * The caller has room in the pool and gives it to the waiter returned: it adds
 * one to the seat's count before it calls again.
 *
 * With room there is a flow below its share: n waiting flows that each hold
 * ceil(@limit / n) hold all of @limit.  Should counts have moved meanwhile,
 * the first in line is admitted: room is never left unused.
 *
 * Return: the first waiter of the flow that has waited longest among those
 * below their share, NULL if nobody waits.
 */
struct fwy_waiter *fwy_line_admit(struct fwy_line *line, unsigned int limit)
{
	struct rb_node *node = rb_first_cached(&line->seats);
	unsigned int share = fwy_line_share(line, limit);
	struct fwy_waiter *waiter;

	if (!node)
		return NULL;

	while (node && fwy_seat_is_over(fwy_seat_of(node), share))
		node = rb_next(node);
	if (!node)
		node = rb_first_cached(&line->seats);

	waiter = fwy_seat_first(fwy_seat_of(node));
	fwy_line_leave(line, waiter);
	return waiter;
}
