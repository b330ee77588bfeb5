// SPDX-License-Identifier: GPL-2.0
/*
 * The requests of one queue, and their order.
 *
 * One tree by (round, sector) is all it takes; its first item is next.  What a
 * round means makes the order:
 *
 *	one-way sweep	An item behind the sweep belongs to the next round, one
 *			ahead of it to this.  So the sweep goes upward and starts
 *			again from the lowest sector.
 *	fair sweep	The same, but of a flow's items each has a round of its
 *			own: nobody is served twice in a round.
 *
 * Where seeks cost nothing, items leave in the order they were added: they are
 * only in the list.
 */
#include <linux/minmax.h>

#include "core.h"

/*
 * Without a tree so many are looked at.  What can be merged comes close together;
 * a sequential stream written backwards is found among the last.
 */
#define FWY_LOOK	8

static inline struct fwy_item *fwy_item_of(const struct rb_node *node)
{
	return rb_entry_safe(node, struct fwy_item, node);
}

static bool fwy_item_less(struct rb_node *a, const struct rb_node *b)
{
	const struct fwy_item *item = fwy_item_of(a), *other = fwy_item_of(b);

	if (item->round != other->round)
		return item->round < other->round;
	return item->sector < other->sector;
}

/**
 * fwy_queue_init() - an empty queue
 * @queue: the queue
 * @kind: whose requests it takes
 * @weight: its share
 */
void fwy_queue_init(struct fwy_queue *queue, enum fwy_kind kind, u32 weight)
{
	*queue = (struct fwy_queue) {
		.items = RB_ROOT_CACHED,
		.kind = kind,
		.weight = weight,
	};
	RB_CLEAR_NODE(&queue->node);
	INIT_LIST_HEAD(&queue->waiting);
	INIT_LIST_HEAD(&queue->fifo);
}

static u64 fwy_queue_round(const struct fwy_queue *queue,
			   const struct fwy_item *item)
{
	struct fwy_flow *flow = item->flow;
	u64 round = queue->round + (item->sector < queue->position);

	if (queue->kind != FWY_CROWD)
		return round;
	/*
	 * It may join a round that goes on, but once, and not behind the sweep; and
	 * not at first, or processes that come without end make it one without end.
	 */
	if (!flow->round)
		round = queue->round + 1;
	flow->round = max(flow->round + 1, round);
	return flow->round;
}

/**
 * fwy_queue_sort() - put an item into its place in the sweep
 * @queue: the queue
 * @item: the item, which has just been added
 */
void fwy_queue_sort(struct fwy_queue *queue, struct fwy_item *item)
{
	item->round = fwy_queue_round(queue, item);
	rb_add_cached(&item->node, &queue->items, fwy_item_less);
	item->mark.sectors = queue->done.sectors + queue->amount.sectors;
	item->mark.requests = queue->done.requests + queue->amount.requests;
	item->requests = 1;
	queue->amount.requests++;
	queue->amount.sectors += item->sectors;
}

/**
 * fwy_queue_unsort() - take an item out of the sweep
 * @queue: the queue
 * @item: the item, which has just been removed
 */
void fwy_queue_unsort(struct fwy_queue *queue, struct fwy_item *item)
{
	rb_erase_cached(&item->node, &queue->items);
	RB_CLEAR_NODE(&item->node);
	queue->amount.requests -= item->requests;
	queue->amount.sectors -= item->sectors;
}

/**
 * fwy_queue_resize() - an item grew by a merge
 * @queue: the queue
 * @item: the item; it stays in its round
 * @sector: where it begins now
 * @sectors: its length now
 */
void fwy_queue_resize(struct fwy_queue *queue, struct fwy_item *item,
		      u64 sector, u32 sectors)
{
	bool is_moved = sector != item->sector;

	if (RB_EMPTY_NODE(&item->node)) {
		item->sector = sector;
		item->sectors = sectors;
		return;
	}
	queue->amount.sectors += sectors;
	queue->amount.sectors -= item->sectors;
	item->sectors = sectors;
	if (!is_moved)
		return;
	rb_erase_cached(&item->node, &queue->items);
	item->sector = sector;
	rb_add_cached(&item->node, &queue->items, fwy_item_less);
}

/**
 * fwy_queue_absorb() - one item swallowed another of the same queue
 * @queue: the queue
 * @item: the item that stays, resized by the caller
 * @next: the item that goes; removed by the caller
 *
 * Whoever waited longest lends its place to both.
 */
void fwy_queue_absorb(struct fwy_queue *queue, struct fwy_item *item,
		      struct fwy_item *next)
{
	if (next->added_ns < item->added_ns) {
		list_move(&item->entry, &next->entry);
		item->added_ns = next->added_ns;
		item->mark = next->mark;
	}
	if (RB_EMPTY_NODE(&item->node) || RB_EMPTY_NODE(&next->node))
		return;
	/* The marks of later ones counted it, so it goes on counting. */
	item->requests += next->requests;
	queue->amount.requests += next->requests;
}

/**
 * fwy_queue_pass() - the sweep goes on behind an item
 * @queue: the queue
 * @item: the item, dispatched by the order of the sweep
 */
void fwy_queue_pass(struct fwy_queue *queue, const struct fwy_item *item)
{
	/* What is left of a round that is closed does not open it. */
	if (item->round < queue->round)
		return;
	queue->round = item->round;
	queue->position = item->sector + item->sectors;
}

/**
 * fwy_queue_close() - nothing that comes from now on joins this round
 * @queue: the queue
 */
void fwy_queue_close(struct fwy_queue *queue)
{
	queue->round++;
	queue->position = 0;
}

/**
 * fwy_is_beyond() - did more pass by than may?
 * @done: what was dispatched by now
 * @mark: what of it did not pass by
 * @params: the knobs, with the bounds
 *
 * Return: the answer.
 */
bool fwy_is_beyond(const struct fwy_amount *done, const struct fwy_amount *mark,
		   const struct fwy_params *params)
{
	u32 sectors = READ_ONCE(params->value[FWY_PASS_SECTORS]);
	u32 requests = READ_ONCE(params->value[FWY_PASS_REQUESTS]);

	/* Below 0 if what was queued ahead of it left without being dispatched. */
	return (sectors && (s64)(done->sectors - mark->sectors) > sectors) ||
	       (requests && (s64)(done->requests - mark->requests) > requests);
}

/**
 * fwy_queue_overtaken() - who must not be passed again
 * @queue: the queue
 * @next: the item that the sweep comes to
 * @params: the knobs
 *
 * How much has passed an item needs no counter for each.  With D = what was
 * dispatched so far, and mark = D + what was queued when it was added: once it is
 * the oldest, everything that was queued before it has left, so D - mark is
 * exactly what came later and left earlier.  And the oldest was passed most.
 *
 * Return: the oldest item, if @next would pass it by more than may; else NULL.
 */
struct fwy_item *fwy_queue_overtaken(struct fwy_queue *queue,
				     const struct fwy_item *next,
				     const struct fwy_params *params)
{
	struct fwy_item *oldest = fwy_queue_oldest(queue);
	struct fwy_amount done = {
		.sectors = queue->done.sectors + next->sectors,
		.requests = queue->done.requests + next->requests,
	};

	if (oldest == next || RB_EMPTY_NODE(&oldest->node))
		return NULL;
	return fwy_is_beyond(&done, &oldest->mark, params) ? oldest : NULL;
}

/**
 * fwy_queue_first() - what is next in the order
 * @queue: the queue
 *
 * Return: the item, NULL if there is none.
 */
struct fwy_item *fwy_queue_first(struct fwy_queue *queue)
{
	struct rb_node *node = rb_first_cached(&queue->items);

	return node ? fwy_item_of(node) : fwy_queue_oldest(queue);
}

static struct fwy_item *fwy_queue_find_in(const struct fwy_queue *queue,
					  u64 round, u64 sector)
{
	struct rb_node *node = queue->items.rb_root.rb_node;

	while (node) {
		struct fwy_item *item = fwy_item_of(node);

		if (round == item->round && sector == item->sector)
			return item;
		if (round < item->round ||
		    (round == item->round && sector < item->sector))
			node = node->rb_left;
		else
			node = node->rb_right;
	}
	return NULL;
}

static struct fwy_item *fwy_queue_find_sorted(const struct fwy_queue *queue,
					      u64 sector)
{
	struct fwy_item *item = fwy_queue_find_in(queue, queue->round, sector);

	return item ? item : fwy_queue_find_in(queue, queue->round + 1, sector);
}

/**
 * fwy_queue_find() - an item that begins, or ends, at a sector
 * @queue: the queue
 * @sector: the sector
 * @is_end: whether it shall end there
 *
 * For merges, so it may miss one: in a sweep, what is not of this round or the
 * next; without one, what is not among the last that were added.
 *
 * Return: the item, or NULL.
 */
struct fwy_item *fwy_queue_find(const struct fwy_queue *queue, u64 sector,
				bool is_end)
{
	unsigned int left = FWY_LOOK;
	struct fwy_item *item;

	if (!RB_EMPTY_ROOT(&queue->items.rb_root) && !is_end)
		return fwy_queue_find_sorted(queue, sector);
	list_for_each_entry_reverse(item, &queue->fifo, entry) {
		if (item->sector + (is_end ? item->sectors : 0) == sector)
			return item;
		if (!--left)
			break;
	}
	return NULL;
}
