// SPDX-License-Identifier: GPL-2.0
/*
 * The order of dispatch.
 *
 * Where seeks cost nothing, requests leave in the order of admission, whatever
 * the time: nothing expires there, or reads that all wait long would keep every
 * write waiting for its own, longer, expiry.  Where seeks cost, one sweep goes
 * upward over all of them and starts again from the lowest sector.  Two rules
 * keep the sweep from forgetting anybody: nothing is passed by more than a set
 * amount of later requests, and what has waited for its expiry goes first.
 *
 * How much has passed a request needs no counter per request.  With D = what
 * was dispatched so far, and mark = D + what was queued when the request was
 * added: once the request is the oldest, everything that was queued before it
 * has left, so D - mark is exactly what came later and left earlier.  And the
 * oldest request is the one that was passed most.
 */
#include <linux/compiler.h>
#include <linux/time64.h>

#include "core.h"

/*
 * Steps of the sweep between two expired requests.  When everything has
 * expired, serving by expiry alone would turn the sweep into first come, first
 * served just when the device is short of time.
 */
#define FWY_SWEEP_STEPS	16

static inline struct fwy_item *fwy_item_of(const struct rb_node *node)
{
	return rb_entry_safe(node, struct fwy_item, node);
}

static bool fwy_item_less(struct rb_node *a, const struct rb_node *b)
{
	return fwy_item_of(a)->sector < fwy_item_of(b)->sector;
}

static u32 fwy_order_param(const struct fwy_order *order, enum fwy_param param)
{
	return READ_ONCE(order->params->value[param]);
}

/**
 * fwy_item_init() - an item that is in no order
 * @item: the item
 */
void fwy_item_init(struct fwy_item *item)
{
	RB_CLEAR_NODE(&item->node);
	INIT_LIST_HEAD(&item->entry);
	item->state = FWY_ITEM_IDLE;
}

/**
 * fwy_order_init() - an empty order
 * @order: the order
 * @params: the device's knobs, which outlive the order
 * @is_sorted: whether seeks cost
 */
void fwy_order_init(struct fwy_order *order, const struct fwy_params *params,
		    bool is_sorted)
{
	*order = (struct fwy_order) {
		.params = params,
		.by_sector = RB_ROOT_CACHED,
		.is_sorted = is_sorted,
	};
	INIT_LIST_HEAD(&order->front);
	INIT_LIST_HEAD(&order->fifo[FWY_READ]);
	INIT_LIST_HEAD(&order->fifo[FWY_WRITE]);
}

/**
 * fwy_order_add() - queue an item
 * @order: the order
 * @item: the item, IDLE, with sector, sectors and dir set
 * @now_ns: the time, any monotonic clock
 */
void fwy_order_add(struct fwy_order *order, struct fwy_item *item, u64 now_ns)
{
	u64 expire_ms = fwy_order_param(order, item->dir == FWY_READ ?
					FWY_READ_EXPIRE_MS :
					FWY_WRITE_EXPIRE_MS);

	item->state = FWY_ITEM_QUEUED;
	item->number = order->next_number++;
	item->deadline_ns = now_ns + expire_ms * NSEC_PER_MSEC;
	item->mark_sectors = order->done_sectors + order->queued_sectors;
	item->mark_requests = order->done_requests + order->queued_requests;
	list_add_tail(&item->entry, &order->fifo[item->dir]);
	rb_add_cached(&item->node, &order->by_sector, fwy_item_less);
	item->requests = 1;
	order->queued++;
	order->queued_requests++;
	order->queued_sectors += item->sectors;
}

/**
 * fwy_order_add_front() - put an item before all others
 * @order: the order
 * @item: the item, IDLE or DISPATCHED (requeued)
 *
 * Such items keep the order in which they came, whatever their direction.
 */
void fwy_order_add_front(struct fwy_order *order, struct fwy_item *item)
{
	item->state = FWY_ITEM_FRONT;
	list_add_tail(&item->entry, &order->front);
	order->queued_front++;
}

/**
 * fwy_order_remove() - take a QUEUED item out, undispatched
 * @order: the order
 * @item: the item
 */
void fwy_order_remove(struct fwy_order *order, struct fwy_item *item)
{
	rb_erase_cached(&item->node, &order->by_sector);
	RB_CLEAR_NODE(&item->node);
	list_del_init(&item->entry);
	order->queued--;
	order->queued_requests -= item->requests;
	order->queued_sectors -= item->sectors;
	item->state = FWY_ITEM_IDLE;
}

/**
 * fwy_order_resize() - a QUEUED item grew by a merge
 * @order: the order
 * @item: the item
 * @sector: its first sector now
 * @sectors: its length now
 */
void fwy_order_resize(struct fwy_order *order, struct fwy_item *item,
		      u64 sector, u32 sectors)
{
	order->queued_sectors += sectors;
	order->queued_sectors -= item->sectors;
	item->sectors = sectors;
	if (sector == item->sector)
		return;
	rb_erase_cached(&item->node, &order->by_sector);
	item->sector = sector;
	rb_add_cached(&item->node, &order->by_sector, fwy_item_less);
}

/**
 * fwy_order_absorb() - one QUEUED item swallowed the one that follows it
 * @order: the order
 * @item: the item that stays; resized by the caller
 * @next: the item that goes, of the same direction
 *
 * Whoever waited longest lends its place to both.
 */
void fwy_order_absorb(struct fwy_order *order, struct fwy_item *item,
		      struct fwy_item *next)
{
	if (next->number < item->number) {
		list_move(&item->entry, &next->entry);
		item->number = next->number;
		item->deadline_ns = next->deadline_ns;
		item->mark_sectors = next->mark_sectors;
		item->mark_requests = next->mark_requests;
	}
	/* The marks of later ones counted it, so it goes on counting. */
	item->requests += next->requests;
	order->queued_requests += next->requests;
	fwy_order_remove(order, next);
}

/**
 * fwy_order_find() - a QUEUED item that starts at a sector
 * @order: the order
 * @sector: the sector
 *
 * Return: the item, or NULL.
 */
struct fwy_item *fwy_order_find(const struct fwy_order *order, u64 sector)
{
	struct rb_node *node = order->by_sector.rb_root.rb_node;

	while (node) {
		struct fwy_item *item = fwy_item_of(node);

		if (sector == item->sector)
			return item;
		node = sector < item->sector ? node->rb_left : node->rb_right;
	}
	return NULL;
}

/* The head of the one list or the other, whichever @is_before prefers. */
static struct fwy_item *
fwy_order_head(struct fwy_order *order,
	       bool (*is_before)(const struct fwy_item *a,
				 const struct fwy_item *b))
{
	struct fwy_item *read, *write;

	read = list_first_entry_or_null(&order->fifo[FWY_READ],
					struct fwy_item, entry);
	write = list_first_entry_or_null(&order->fifo[FWY_WRITE],
					 struct fwy_item, entry);
	if (!read || !write)
		return read ? read : write;
	return is_before(write, read) ? write : read;
}

static bool fwy_item_is_older(const struct fwy_item *a,
			      const struct fwy_item *b)
{
	return a->number < b->number;
}

static bool fwy_item_expires_before(const struct fwy_item *a,
				    const struct fwy_item *b)
{
	return a->deadline_ns < b->deadline_ns;
}

static struct fwy_item *fwy_order_sweep(const struct fwy_order *order)
{
	struct rb_node *node = order->by_sector.rb_root.rb_node;
	struct fwy_item *found = NULL;

	while (node) {
		struct fwy_item *item = fwy_item_of(node);

		if (item->sector >= order->sweep_sector) {
			found = item;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found ? found : fwy_item_of(rb_first_cached(&order->by_sector));
}

/*
 * Would the oldest item, added at @mark, be passed by more than @bound when
 * @amount more leave before it?  @done and @mark count in the same unit; for
 * the oldest item @done has reached @mark.
 */
static bool fwy_is_beyond(u64 done, u64 mark, u32 amount, u32 bound)
{
	return bound && done + amount > mark + bound;
}

static bool fwy_order_may_pass(const struct fwy_order *order,
			       const struct fwy_item *oldest,
			       const struct fwy_item *next)
{
	if (oldest == next)
		return true;
	return !fwy_is_beyond(order->done_sectors, oldest->mark_sectors,
			      next->sectors,
			      fwy_order_param(order, FWY_PASS_SECTORS)) &&
	       !fwy_is_beyond(order->done_requests, oldest->mark_requests,
			      next->requests,
			      fwy_order_param(order, FWY_PASS_REQUESTS));
}

static struct fwy_item *fwy_order_choose(struct fwy_order *order, u64 now_ns,
					 enum fwy_reason *reason)
{
	struct fwy_item *oldest = fwy_order_head(order, fwy_item_is_older);
	struct fwy_item *next = fwy_order_sweep(order);
	struct fwy_item *due;

	if (!fwy_order_may_pass(order, oldest, next)) {
		*reason = FWY_REASON_PASSED;
		return oldest;
	}
	if (order->sweep_left) {
		order->sweep_left--;
	} else {
		due = fwy_order_head(order, fwy_item_expires_before);
		if (due->deadline_ns <= now_ns &&
		    fwy_order_may_pass(order, oldest, due)) {
			order->sweep_left = FWY_SWEEP_STEPS;
			*reason = FWY_REASON_EXPIRED;
			return due;
		}
	}
	*reason = FWY_REASON_SWEEP;
	return next;
}

/**
 * fwy_order_next() - dispatch one item
 * @order: the order
 * @now_ns: the time, on the clock that fwy_order_add() was given
 * @reason: why this one
 *
 * Return: the item, now DISPATCHED and out of the order, or NULL if the order
 * is empty.
 */
struct fwy_item *fwy_order_next(struct fwy_order *order, u64 now_ns,
				enum fwy_reason *reason)
{
	struct fwy_item *item;

	item = list_first_entry_or_null(&order->front, struct fwy_item, entry);
	if (item) {
		list_del_init(&item->entry);
		order->queued_front--;
		item->state = FWY_ITEM_DISPATCHED;
		*reason = FWY_REASON_FRONT;
		return item;
	}
	if (!order->queued) {
		*reason = FWY_REASON_NONE;
		return NULL;
	}

	if (order->is_sorted) {
		item = fwy_order_choose(order, now_ns, reason);
	} else {
		item = fwy_order_head(order, fwy_item_is_older);
		*reason = FWY_REASON_ADMISSION;
	}
	fwy_order_remove(order, item);
	item->state = FWY_ITEM_DISPATCHED;
	order->sweep_sector = item->sector + item->sectors;
	order->done_requests += item->requests;
	order->done_sectors += item->sectors;
	return item;
}
