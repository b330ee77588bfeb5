// SPDX-License-Identifier: GPL-2.0
/*
 * The line in front of a pool of requests: first come, first served, among
 * the flows that hold less than their share of the pool.  Pieces of one I/O are
 * let in together, whatever their flow holds.
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

/* Of a pool one part in so many is for those who hold little ... */
#define FWY_LIGHT_SPARE		8
/* ... which is up to one part in so many, or nothing at all. */
#define FWY_LIGHT_SHARE		128

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
	line->hold = FWY_HOLD_NONE;
	line->nr_seats = 0;
	line->nr_waiters = 0;
}

/**
 * fwy_seat_init() - a seat without waiters that holds nothing
 * @seat: the seat
 * @kind: whose
 */
void fwy_seat_init(struct fwy_seat *seat, enum fwy_seat_kind kind)
{
	RB_CLEAR_NODE(&seat->node);
	INIT_LIST_HEAD(&seat->waiters);
	atomic_set(&seat->held, 0);
	seat->kind = kind;
}

/**
 * fwy_seat_limit() - up to how full a pool a flow is let in without a question
 * @kind: of its seat
 * @limit: requests that the line gives out
 *
 * The last eighth is for those who hold little: who does one request at a time
 * must not stand in line behind the backlogs of others.  Writeback fills whatever
 * it gets, and stops at three quarters.  Pools too small to be divided are not.
 *
 * Return: a number of requests, 1 or more where @limit is.
 */
unsigned int fwy_seat_limit(enum fwy_seat_kind kind, unsigned int limit)
{
	if (kind == FWY_SEAT_WRITEBACK)
		return fwy_open_limit(limit);
	return limit - limit / FWY_LIGHT_SPARE;
}

/**
 * fwy_seat_is_light() - does a flow hold so little that it is let in all the same?
 * @seat: the flow's seat
 * @limit: requests that the line gives out
 *
 * Who holds nothing always is: so in a pool that others keep full everybody gets
 * its turn.
 *
 * Return: the answer.
 */
bool fwy_seat_is_light(const struct fwy_seat *seat, unsigned int limit)
{
	unsigned int held = atomic_read(&seat->held);

	if (seat->kind == FWY_SEAT_WRITEBACK)
		return !held;
	return seat->kind == FWY_SEAT_COMMON || held <= limit / FWY_LIGHT_SHARE;
}

/**
 * fwy_seat_is_held_back() - is it writeback that has enough on its way?
 * @seat: the flow's seat
 * @hold: requests that writeback may hold, above 0
 *
 * Return: the answer; what is held back holds something, and will be admitted when
 * that is given back.
 */
bool fwy_seat_is_held_back(const struct fwy_seat *seat, unsigned int hold)
{
	return seat->kind == FWY_SEAT_WRITEBACK &&
	       (unsigned int)atomic_read(&seat->held) >= hold;
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
	return seat->kind != FWY_SEAT_COMMON &&
	       (unsigned int)atomic_read(&seat->held) >= share;
}

/* Those at the front go with a piece that was let in as others are. */
static bool fwy_seat_is_at_front(const struct fwy_seat *seat)
{
	return fwy_seat_first(seat)->number < FWY_FIRST_NUMBER;
}

static bool fwy_seat_may_enter(const struct fwy_seat *seat, unsigned int limit,
			       unsigned int held, unsigned int hold)
{
	if (fwy_seat_is_held_back(seat, hold))
		return false;
	return held < fwy_seat_limit(seat->kind, limit) ||
	       fwy_seat_is_light(seat, limit);
}

static struct fwy_seat *fwy_line_first(const struct fwy_line *line,
				       unsigned int limit, unsigned int held)
{
	unsigned int share = fwy_line_share(line, limit);
	struct fwy_seat *first = NULL;
	struct rb_node *node;

	for (node = rb_first_cached(&line->seats); node; node = rb_next(node)) {
		struct fwy_seat *seat = fwy_seat_of(node);

		if (fwy_seat_is_at_front(seat))
			return seat;
		if (!fwy_seat_may_enter(seat, limit, held, line->hold))
			continue;
		if (!fwy_seat_is_over(seat, share))
			return seat;
		if (!first)
			first = seat;
	}
	return first;
}

/**
 * fwy_line_admit() - take the next waiter out of the line
 * @line: the line
 * @turn: the seat of who has the device, or NULL
 * @limit: requests that the line gives out
 * @held: how many are given out, below @limit
 *
 * The caller gives one to the waiter returned: it adds one to the seat's count
 * before it calls again.
 *
 * Who has the device goes first: else the device waits for who waits here, and
 * the turn is lost.
 *
 * n waiting flows that each hold ceil(@limit / n) hold all of @limit, so with
 * room there is one below its share.  Should counts have moved meanwhile, the
 * first that may enter is admitted.
 *
 * Return: the first waiter of the flow that has waited longest among those that
 * are below their share and may enter; NULL if there is none, and then a request
 * that is given back will be the next to ask.
 */
struct fwy_waiter *fwy_line_admit(struct fwy_line *line, struct fwy_seat *turn,
				  unsigned int limit, unsigned int held)
{
	struct fwy_waiter *waiter;
	struct fwy_seat *first;

	if (turn && !list_empty(&turn->waiters))
		first = turn;
	else
		first = fwy_line_first(line, limit, held);
	if (!first)
		return NULL;

	waiter = fwy_seat_first(first);
	fwy_line_leave(line, waiter);
	return waiter;
}

/**
 * fwy_line_is_open() - may who comes new ask before those who wait?
 * @line: the line
 * @writeback: the seat of writeback
 *
 * Whoever was to wait behind writeback that is held back would be held as well.
 *
 * Return: whether nobody waits, or nothing but that.
 */
bool fwy_line_is_open(const struct fwy_line *line,
		      const struct fwy_seat *writeback)
{
	bool is_held = !list_empty(&writeback->waiters) &&
		       fwy_seat_is_held_back(writeback, line->hold);

	return line->nr_seats == is_held;
}
