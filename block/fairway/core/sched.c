// SPDX-License-Identifier: GPL-2.0
/*
 * Which request the device gets next.
 *
 * Requests stand in queues: each process has one of its own; one-deep seeky
 * processes share the crowd's, since a turn would bring them nothing; what
 * nobody waits for is writeback, and the idle class is background.  Where seeks
 * cost, a queue keeps the device for a turn (turn.c).  Elsewhere each request is
 * a turn of its own, or all pieces of one.  In order of precedence:
 *
 *	front		what was requeued or inserted at the head
 *	due		a queue that has waited for long enough
 *	turn		who has the device
 *	fair		the queue with the smallest virtual time
 *	background	when nobody else had anything for a while
 */
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core.h"

/* Idle means that nobody else came for so long. */
#define FWY_GRACE_NS	(100 * NSEC_PER_MSEC)

/* But the idle class is given one request after so long, whoever else comes. */
#define FWY_BACKGROUND_MAX_NS	(5ULL * NSEC_PER_SEC)

/*
 * Of so many one-deep seeky processes one has its request in a single disk.  With
 * several there the disk's own order saves rotations, but they are missing in
 * the sweep: a sixteenth of it can be spared.
 */
#define FWY_CROWD_SPARE	16

/* What a request has at most by default (max_sectors_kb), if the device takes it. */
#define FWY_RUN_SECTORS	2560

/**
 * fwy_sched_init() - nothing is queued, nothing is known
 * @sched: the scheduler
 * @params: the device's knobs, which outlive it
 * @is_sorted: whether seeks cost
 */
void fwy_sched_init(struct fwy_sched *sched, const struct fwy_params *params,
		    bool is_sorted)
{
	*sched = (struct fwy_sched) {
		.params = params,
		.is_sorted = is_sorted,
	};
	INIT_LIST_HEAD(&sched->front);
	fwy_fair_init(&sched->fair);
	fwy_cost_init(&sched->cost, is_sorted);
	fwy_window_init(sched);
	fwy_overlap_init(&sched->overlap);
	fwy_hold_init(&sched->hold);
	fwy_queue_init(&sched->crowd, FWY_CROWD, FWY_WEIGHT);
	fwy_queue_init(&sched->writeback, FWY_WRITEBACK, FWY_WEIGHT);
	fwy_queue_init(&sched->background, FWY_BACKGROUND, FWY_WEIGHT);
}

/**
 * fwy_sched_set_sorted() - whether seeks cost has changed
 * @sched: the scheduler
 * @is_sorted: what it is now
 * @now_ns: the time
 *
 * What is queued keeps its order among each other.
 */
void fwy_sched_set_sorted(struct fwy_sched *sched, bool is_sorted, u64 now_ns)
{
	if (sched->turn.queue)
		fwy_turn_end(sched, now_ns);
	fwy_fair_restart(&sched->fair, now_ns);
	fwy_cost_init(&sched->cost, is_sorted);
	fwy_window_init(sched);
	fwy_overlap_init(&sched->overlap);
	fwy_hold_init(&sched->hold);
	sched->is_sorted = is_sorted;
	sched->stall = FWY_REASON_NONE;
}

/* ---- where requests stand ------------------------------------------------ */

/*
 * A process that does requests here and there, at a usual share: one at a time, or,
 * where the device does several at a time, as many as it likes.
 */
static bool fwy_is_for_crowd(const struct fwy_sched *sched,
			     const struct fwy_item *item)
{
	const struct fwy_flow *flow = item->flow;

	return sched->is_sorted && item->weight == FWY_WEIGHT &&
	       flow->is_seeky &&
	       (flow->pending == 1 || sched->overlap.is_seen);
}

static struct fwy_queue *fwy_sched_queue(struct fwy_sched *sched,
					 const struct fwy_item *item)
{
	/* Whoever's: one seat at the gate is for all of it. */
	if (item->class == FWY_ASYNC)
		return &sched->writeback;
	if (!item->weight)
		return &sched->background;
	if (fwy_is_for_crowd(sched, item))
		return &sched->crowd;
	return &item->flow->queue;
}

/* The crowd's share is that of all who stand in it. */
static void fwy_crowd_count(struct fwy_sched *sched, struct fwy_flow *flow,
			    int change)
{
	bool was_in = flow->in_crowd;

	flow->in_crowd += change;
	sched->crowd_flows += !!flow->in_crowd - was_in;
	sched->crowd.weight = FWY_WEIGHT *
			      (sched->crowd_flows ? sched->crowd_flows : 1);
}

/* A queue has begun to wait: is it for that reason somebody else's turn? */
static bool fwy_ends_turn(struct fwy_sched *sched,
			  const struct fwy_queue *queue, u64 now_ns)
{
	return queue->queued == 1 && sched->turn.queue &&
	       sched->in_device < sched->depth &&
	       fwy_turn_is_over(sched, now_ns);
}

/*
 * Nothing is to be had before a completion, or before who has the turn asks.
 * While that waits for its own completion the device may have room for more; and
 * if it asks for something that stands elsewhere, it is not waited for.
 */
static bool fwy_changes_nothing(struct fwy_sched *sched,
				const struct fwy_item *item, u64 now_ns)
{
	if (sched->stall != FWY_REASON_BUSY &&
	    sched->stall != FWY_REASON_ANTICIPATE)
		return false;
	if (!sched->is_sorted)
		return !item->queue->is_light;
	if (!sched->turn.queue)
		return sched->stall == FWY_REASON_BUSY ||
		       now_ns < fwy_turn_spare_until(sched,
						fwy_fair_first(&sched->fair));
	return sched->turn.queue != item->queue &&
	       sched->turn.queue != &item->flow->queue &&
	       !fwy_ends_turn(sched, item->queue, now_ns);
}

/*
 * A process's first request.  Virtual time stands still where there always is another
 * newcomer, as each begins there.  So the place where they begin goes on by what each
 * has, as if all who wait had their part of it.
 */
static noinline void fwy_newcomer_served(struct fwy_fair *fair,
					 struct fwy_queue *queue, u64 cost_ns)
{
	queue->counted = fair->now;
	fair->newcomer = max(fair->newcomer, fair->now) +
			 fwy_cost_share(cost_ns, FWY_WEIGHT * fair->nr_backlog);
}

/* Where each request is a turn of its own: who wants little first. */
static void fwy_enter(struct fwy_sched *sched, struct fwy_queue *queue,
		      u64 now_ns)
{
	fwy_fair_enter(&sched->fair, queue, !queue->is_light, now_ns);
}

static void fwy_queue_began(struct fwy_sched *sched, struct fwy_queue *queue,
			    u64 now_ns)
{
	if (queue == &sched->background) {
		sched->served_ns = now_ns;
		return;
	}
	if (queue == &sched->writeback)
		queue->weight =
			READ_ONCE(sched->params->value[FWY_ASYNC_WEIGHT_PCT]);
	if (sched->is_sorted) {
		if (queue != sched->turn.queue &&
		    !fwy_turn_pass_on(sched, queue, now_ns))
			fwy_turn_enter(sched, queue, now_ns);
	} else if (!fwy_fair_has(queue)) {
		fwy_enter(sched, queue, now_ns);
	} else if (queue->key < sched->fair.now) {
		fwy_fair_leave(&sched->fair, queue);
		fwy_enter(sched, queue, now_ns);
	}
}

/*
 * Where each request is a turn a queue stays in its place when it becomes empty:
 * mostly it is filled again before anybody comes by, and to take it out and put
 * it back would cost more than all the rest.
 */
static void fwy_queue_ended(struct fwy_sched *sched, struct fwy_queue *queue)
{
	if (sched->is_sorted && fwy_fair_has(queue))
		fwy_fair_leave(&sched->fair, queue);
}

/*
 * Where seeks cost nothing: who has one request, and has had less than its share
 * or is favoured, goes before those who have several.  A piece is not the only one.
 */
static void fwy_queue_lighten(struct fwy_sched *sched, struct fwy_queue *queue,
			      const struct fwy_item *item)
{
	queue->is_light = false;
	if (item->flow->pending > 1 || item->is_cut || queue->kind != FWY_OWN ||
	    sched->queued < 2 * sched->fair.nr_backlog)
		return;
	if (queue->key < sched->fair.now) {
		queue->is_light = true;
	} else if (fwy_window_favours(sched, item)) {
		queue->is_light = true;
		queue->key = 0;
	}
}

/**
 * fwy_sched_add() - queue an item
 * @sched: the scheduler
 * @item: the item, IDLE, with flow, sector, sectors, class and weight set
 * @now_ns: the time, any monotonic clock that is not 0
 */
void fwy_sched_add(struct fwy_sched *sched, struct fwy_item *item, u64 now_ns)
{
	struct fwy_queue *queue;

	if (sched->is_sorted)
		fwy_flow_arrive(item->flow, item, now_ns);
	item->flow->pending++;
	queue = fwy_sched_queue(sched, item);
	if (queue->kind == FWY_CROWD)
		fwy_crowd_count(sched, item->flow, 1);
	else if (queue->kind == FWY_OWN)
		queue->weight = item->weight;

	if (sched->is_sorted && fwy_queue_is_sync(queue) &&
	    !fwy_turn_sync_pending(sched))
		fwy_gaps_learn(&sched->sync, now_ns);

	item->state = FWY_ITEM_QUEUED;
	item->added_ns = now_ns;
	fwy_queue_add(queue, item, sched->is_sorted);
	if (!sched->is_sorted)
		fwy_queue_lighten(sched, queue, item);
	if (queue->queued == 1)
		fwy_queue_began(sched, queue, now_ns);
	sched->queued++;

	if (queue->kind != FWY_BACKGROUND)
		sched->busy_ns = now_ns;
	if (!fwy_changes_nothing(sched, item, now_ns))
		sched->stall = FWY_REASON_NONE;
}

/**
 * fwy_sched_add_front() - put an item before all others
 * @sched: the scheduler
 * @item: the item, IDLE
 *
 * Such items keep the order in which they came, and are nobody's.
 */
void fwy_sched_add_front(struct fwy_sched *sched, struct fwy_item *item)
{
	item->state = FWY_ITEM_FRONT;
	item->queue = NULL;
	list_add_tail(&item->entry, &sched->front);
	sched->queued_front++;
}

/* An item that was queued is no longer one of its flow's. */
static inline void fwy_flow_lost(struct fwy_sched *sched, struct fwy_item *item)
{
	if (item->queue->kind == FWY_CROWD)
		fwy_crowd_count(sched, item->flow, -1);
	item->flow->pending--;
}

static inline void fwy_sched_take(struct fwy_sched *sched, struct fwy_item *item)
{
	fwy_queue_remove(item->queue, item);
	if (!item->queue->queued)
		fwy_queue_ended(sched, item->queue);
	sched->queued--;
}

/**
 * fwy_sched_remove() - take a QUEUED item out, undispatched
 * @sched: the scheduler
 * @item: the item
 *
 * fwy_sched_has_work() may become true by that, as no completion tells: then
 * fwy_sched_next() is to be asked.
 */
void fwy_sched_remove(struct fwy_sched *sched, struct fwy_item *item)
{
	fwy_sched_take(sched, item);
	fwy_flow_lost(sched, item);
	item->state = FWY_ITEM_IDLE;
	/* If that was all, somebody else may have the turn, and a longer one. */
	if (item->queue == sched->turn.queue)
		sched->stall = FWY_REASON_NONE;
}

/**
 * fwy_sched_resize() - a QUEUED item grew by a merge
 * @sched: the scheduler
 * @item: the item
 * @sector: its first sector now
 * @sectors: its length now
 */
void fwy_sched_resize(struct fwy_sched *sched, struct fwy_item *item,
		      u64 sector, u32 sectors)
{
	u64 end = sector + sectors;

	fwy_queue_resize(item->queue, item, sector, sectors);
	/* Whoever goes on behind it goes on where this process was. */
	if (item->flow->next_sector < end)
		item->flow->next_sector = end;
}

/**
 * fwy_sched_absorb() - one QUEUED item swallowed the one that follows it
 * @sched: the scheduler
 * @item: the item that stays; resized by the caller
 * @next: the item that goes
 *
 * In one queue, whoever waited longest lends its place to both.  See
 * fwy_sched_remove().
 */
void fwy_sched_absorb(struct fwy_sched *sched, struct fwy_item *item,
		      struct fwy_item *next)
{
	if (next->queue == item->queue)
		fwy_queue_absorb(item->queue, item, next);
	fwy_sched_remove(sched, next);
}

/* ---- which one is next --------------------------------------------------- */

static struct fwy_queue *fwy_pick_background(struct fwy_sched *sched,
					     u64 now_ns,
					     struct fwy_decision *decision)
{
	u64 grace_ns = sched->busy_ns + FWY_GRACE_NS;

	if (now_ns < grace_ns) {
		decision->reason = FWY_REASON_GRACE;
		decision->wake_ns = grace_ns;
		return NULL;
	}
	decision->reason = FWY_REASON_FAIR;
	return &sched->background;
}

static bool fwy_background_starves(const struct fwy_sched *sched, u64 now_ns)
{
	return sched->background.queued &&
	       now_ns >= sched->served_ns + FWY_BACKGROUND_MAX_NS;
}

/* Something is queued, and nobody has the turn. */
static struct fwy_queue *fwy_pick(struct fwy_sched *sched, u64 now_ns,
				  struct fwy_decision *decision)
{
	struct fwy_queue *queue;

	if (fwy_background_starves(sched, now_ns)) {
		decision->reason = FWY_REASON_DUE;
		return &sched->background;
	}
	decision->reason = FWY_REASON_FAIR;
	while ((queue = fwy_fair_first(&sched->fair)) && !queue->queued)
		fwy_fair_leave(&sched->fair, queue);
	return queue ? queue : fwy_pick_background(sched, now_ns, decision);
}

/*
 * Where seeks cost.  Who had a turn in this round lets pass one who is due, and
 * then has the next: else many who are late would come in the order in which they
 * began to wait, and not in that of the disk.  Writeback that is due has waited for
 * several rounds: all let it pass.
 */
static struct fwy_queue *fwy_pick_turn(struct fwy_sched *sched, u64 now_ns,
				       struct fwy_decision *decision)
{
	struct fwy_queue *queue = fwy_pick(sched, now_ns, decision);
	bool may_wait = queue && !sched->has_let_pass &&
			queue->counted == sched->fair.now;
	struct fwy_queue *due;

	sched->has_let_pass = false;
	if (!queue || queue == &sched->background)
		return queue;
	due = fwy_fair_due(&sched->fair, sched->params, now_ns);
	if (!due) {
		u64 until_ns = fwy_turn_spare_until(sched, queue);

		if (now_ns >= until_ns)
			return queue;
		decision->reason = FWY_REASON_ANTICIPATE;
		decision->wake_ns = until_ns;
		return NULL;
	}
	if (!may_wait && due != &sched->writeback)
		return queue;
	sched->has_let_pass = true;
	decision->reason = FWY_REASON_DUE;
	return due;
}

/* Who has the turn, or gets it now. */
static struct fwy_queue *fwy_turn_of(struct fwy_sched *sched, u64 now_ns,
				     struct fwy_decision *decision)
{
	struct fwy_turn *turn = &sched->turn;
	struct fwy_queue *queue;

	if (turn->queue && fwy_turn_is_over(sched, now_ns))
		fwy_turn_end(sched, now_ns);
	if (turn->queue) {
		decision->reason = FWY_REASON_TURN;
		return turn->queue;
	}
	queue = fwy_pick_turn(sched, now_ns, decision);
	if (!queue)
		return NULL;
	if (fwy_fair_has(queue))
		fwy_fair_leave(&sched->fair, queue);
	fwy_turn_begin(sched, queue, now_ns);
	return queue;
}

static bool fwy_crowd_is_full(const struct fwy_sched *sched, u64 now_ns)
{
	if (fwy_overlap_is_wanted(&sched->overlap, sched->crowd_flows, now_ns))
		return sched->in_device;
	return !sched->overlap.is_seen &&
	       sched->crowd.in_device >=
	       1 + sched->crowd_flows / FWY_CROWD_SPARE;
}

/* Has the device enough to do for now, as far as who has the turn goes? */
static bool fwy_is_full(const struct fwy_sched *sched,
			const struct fwy_queue *queue, u64 now_ns)
{
	bool is_crowd = queue->kind == FWY_CROWD;

	if (is_crowd && fwy_overlap_has_room(&sched->overlap))
		return false;
	return fwy_turn_is_full(sched, now_ns) ||
	       (is_crowd && fwy_crowd_is_full(sched, now_ns));
}

static struct fwy_queue *fwy_choose_queue(struct fwy_sched *sched, u64 now_ns,
					  struct fwy_decision *decision)
{
	struct fwy_queue *queue;

	queue = fwy_turn_of(sched, now_ns, decision);
	if (!queue)
		return NULL;
	if (!queue->queued && !queue->in_device) {
		decision->reason = FWY_REASON_ANTICIPATE;
		decision->wake_ns = fwy_turn_wait_until(sched);
		return NULL;
	}
	if (!queue->queued || fwy_is_full(sched, queue, now_ns)) {
		decision->reason = FWY_REASON_BUSY;
		return NULL;
	}
	return queue;
}

/*
 * Once a turn, what has waited for too long behind a sweep that others keep
 * going.  The crowd's sweep leaves nobody behind.
 */
static struct fwy_item *fwy_expired(const struct fwy_sched *sched,
				    struct fwy_queue *queue, u64 now_ns)
{
	struct fwy_item *item = fwy_queue_oldest(queue);

	if (sched->turn.dispatched || queue->kind == FWY_CROWD)
		return NULL;
	if (item->added_ns + fwy_expire_ns(sched->params, item->class) > now_ns)
		return NULL;
	return item;
}

/*
 * For writeback nobody waits, until somebody does: a file system, for the block
 * that it wants to change again, and whoever uses it, for the file system.  So what
 * comes when something has waited for as long as a read may is of the next sweep:
 * this one comes to its end, and no seek is lost.
 */
static bool fwy_sweep_is_long(const struct fwy_sched *sched,
			      struct fwy_queue *queue, u64 now_ns)
{
	const struct fwy_item *oldest = fwy_queue_oldest(queue);

	return queue->kind == FWY_WRITEBACK && oldest->round >= queue->round &&
	       oldest->added_ns + fwy_expire_ns(sched->params, FWY_READ) <=
	       now_ns;
}

static struct fwy_item *fwy_choose_item(const struct fwy_sched *sched,
					struct fwy_queue *queue, u64 now_ns)
{
	struct fwy_item *next = fwy_queue_first(queue);
	struct fwy_item *item;

	if (fwy_sweep_is_long(sched, queue, now_ns))
		fwy_queue_close(queue);
	item = fwy_queue_overtaken(queue, next, sched->params);
	if (!item)
		item = fwy_expired(sched, queue, now_ns);
	if (item && item != next)
		return item;
	fwy_queue_pass(queue, next);
	return next;
}

static void fwy_sched_move_head(struct fwy_sched *sched, struct fwy_item *item,
				u64 now_ns)
{
	bool is_far = item->op == FWY_OP_READ &&
		      fwy_is_far(item->sector, sched->head);

	fwy_overlap_dispatched(&sched->overlap, sched->in_device == 1, is_far,
			       now_ns);
	item->dispatched_ns = now_ns;
	item->is_near = item->sector == sched->head;
	/* What gets there first begins the turn: its way is no use of that. */
	if (!item->is_near && sched->turn.dispatched)
		item->transfer_ns += sched->cost.switch_ns;
	sched->head = item->sector + item->sectors;
}

static inline void fwy_sched_dispatch(struct fwy_sched *sched,
				      struct fwy_item *item, u64 now_ns)
{
	item->state = FWY_ITEM_DISPATCHED;
	item->transfer_ns = fwy_cost_charged_ns(&sched->cost, item);
	item->dispatched_ns = 0;
	sched->in_device++;
	if (sched->is_sorted)
		fwy_sched_move_head(sched, item, now_ns);
	sched->in_flight_ns += item->transfer_ns;
}

static struct fwy_item *fwy_dispatch_front(struct fwy_sched *sched, u64 now_ns)
{
	struct fwy_item *item = list_first_entry(&sched->front,
						 struct fwy_item, entry);

	list_del(&item->entry);
	sched->queued_front--;
	fwy_sched_dispatch(sched, item, now_ns);
	/* The device is not idle any more, for which others may have waited. */
	sched->stall = FWY_REASON_NONE;
	return item;
}

static inline void fwy_dispatch_from(struct fwy_sched *sched,
				     struct fwy_queue *queue,
				     struct fwy_item *item, u64 now_ns)
{
	fwy_sched_take(sched, item);
	fwy_sched_dispatch(sched, item, now_ns);
	queue->in_device++;
	if (queue->kind == FWY_BACKGROUND)
		sched->served_ns = now_ns;
}

static void fwy_count(struct fwy_amount *amount, const struct fwy_item *item)
{
	amount->sectors += item->sectors;
	amount->requests += item->requests;
}

/* Where seeks cost.  Apart, so that the other way stays short. */
static noinline struct fwy_item *
fwy_dispatch_sorted(struct fwy_sched *sched, u64 now_ns,
		    struct fwy_decision *decision)
{
	struct fwy_queue *queue = fwy_choose_queue(sched, now_ns, decision);
	struct fwy_item *item;

	if (!queue)
		return NULL;
	if (queue->kind == FWY_CROWD && !sched->in_device)
		fwy_overlap_open(&sched->overlap, now_ns);
	item = fwy_choose_item(sched, queue, now_ns);
	fwy_dispatch_from(sched, queue, item, now_ns);
	fwy_turn_dispatched(sched, item);
	fwy_count(&queue->done, item);
	fwy_count(&sched->fair.done, item);
	return item;
}

/*
 * What a device takes in pieces only is one request to who sent it, who waits for the
 * last of them.  So they are one turn: the queue stays first, and is charged with the
 * last.  But they are no longer than a request may be where nothing is cut, and who
 * came first as it wanted little (then its place is 0) has the rest when it is its
 * turn.
 */
static noinline bool fwy_run_goes_on(struct fwy_sched *sched,
				     struct fwy_queue *queue,
				     const struct fwy_item *item, u64 cost_ns)
{
	const struct fwy_item *next = fwy_queue_oldest(queue);
	u64 most_ns = FWY_RUN_SECTORS * sched->cost.sector_ns[item->op];

	if (!fwy_fair_has(queue) || !queue->place || cost_ns >= most_ns)
		return false;
	if (!next || next->op != item->op ||
	    next->sector != item->sector + item->sectors)
		return false;
	queue->used_ns = cost_ns;
	return true;
}

/* Where seeks cost nothing: each request is a turn of its own, or all its pieces. */
static struct fwy_item *fwy_dispatch_fair(struct fwy_sched *sched, u64 now_ns,
					  struct fwy_decision *decision)
{
	struct fwy_queue *queue = fwy_pick(sched, now_ns, decision);
	struct fwy_item *item;
	u64 cost_ns;

	if (!queue)
		return NULL;
	if (fwy_window_is_full(sched, queue)) {
		decision->reason = FWY_REASON_BUSY;
		return NULL;
	}
	item = fwy_queue_oldest(queue);
	fwy_dispatch_from(sched, queue, item, now_ns);
	fwy_fair_serve(&sched->fair, queue);
	cost_ns = queue->used_ns + item->transfer_ns;
	if (item->is_cut && fwy_run_goes_on(sched, queue, item, cost_ns))
		return item;
	queue->used_ns = 0;
	queue->key += fwy_cost_share(cost_ns, queue->weight);
	/* There is somebody else. */
	if (sched->fair.nr_backlog > 1 && fwy_fair_has(queue)) {
		fwy_window_keep(sched, cost_ns);
		if (unlikely(!queue->counted))
			fwy_newcomer_served(&sched->fair, queue, cost_ns);
		fwy_fair_leave(&sched->fair, queue);
		if (queue->queued)
			fwy_enter(sched, queue, now_ns);
	}
	return item;
}

static struct fwy_item *fwy_dispatch(struct fwy_sched *sched,
				     unsigned int depth, u64 now_ns,
				     struct fwy_decision *decision)
{
	struct fwy_item *item = NULL;

	/*
	 * Where seeks cost nothing one more waits at the driver, so that the
	 * device has it as soon as it can take it.
	 */
	depth += !sched->is_sorted;
	decision->reason = FWY_REASON_BUSY;
	if (sched->in_device < depth)
		item = sched->is_sorted ?
		       fwy_dispatch_sorted(sched, now_ns, decision) :
		       fwy_dispatch_fair(sched, now_ns, decision);
	if (!item)
		sched->stall = decision->reason;
	else if (sched->in_device >= depth)
		sched->stall = FWY_REASON_BUSY;
	return item;
}

/**
 * fwy_sched_next() - dispatch one item
 * @sched: the scheduler
 * @depth: how many requests the device takes at a time
 * @now_ns: the time, on the clock that fwy_sched_add() was given
 * @decision: why this one, or none
 *
 * After NULL with something queued fwy_sched_has_work() is false, until a
 * request comes or completes that changes that.  At decision->wake_ns, if that
 * is not 0, the caller calls fwy_sched_awake() and asks again.
 *
 * Return: the item, now DISPATCHED, or NULL.
 */
struct fwy_item *fwy_sched_next(struct fwy_sched *sched, unsigned int depth,
				u64 now_ns, struct fwy_decision *decision)
{
	*decision = (struct fwy_decision) { .reason = FWY_REASON_NONE };
	sched->depth = depth;
	if (sched->queued_front) {
		decision->reason = FWY_REASON_FRONT;
		return fwy_dispatch_front(sched, now_ns);
	}
	if (!sched->queued) {
		/* Whoever is told no time now must not wait for an older one. */
		sched->stall = FWY_REASON_NONE;
		return NULL;
	}
	return fwy_dispatch(sched, depth, now_ns, decision);
}

/* ---- what comes back ----------------------------------------------------- */

/**
 * fwy_sched_awake() - the time has come, or the device was changed
 * @sched: the scheduler
 *
 * Return: whether fwy_sched_next() is to be asked.
 */
bool fwy_sched_awake(struct fwy_sched *sched)
{
	bool was_stalled = sched->stall != FWY_REASON_NONE;

	sched->stall = FWY_REASON_NONE;
	return was_stalled && fwy_sched_has_work(sched);
}

/**
 * fwy_sched_done() - a DISPATCHED item came back
 * @sched: the scheduler
 * @item: the item, now IDLE
 * @now_ns: the time
 * @is_done: whether it completed; if not, nothing is learned from it, and
 *	fwy_sched_add_front() may be next
 *
 * Return: whether fwy_sched_next() is to be asked.
 */
bool fwy_sched_done(struct fwy_sched *sched, struct fwy_item *item, u64 now_ns,
		    bool is_done)
{
	struct fwy_queue *queue = item->queue;

	item->state = FWY_ITEM_IDLE;
	sched->in_device--;
	sched->in_flight_ns -= item->transfer_ns;
	if (queue) {
		queue->in_device--;
		fwy_flow_lost(sched, item);
		if (queue->kind != FWY_BACKGROUND)
			sched->busy_ns = now_ns;
	}
	if (sched->is_sorted) {
		/* CPUs come in any order, and a plug may have read the clock before. */
		now_ns = max(now_ns, max(item->dispatched_ns,
					 sched->cost.done_ns));
		fwy_overlap_done(&sched->overlap, item->dispatched_ns, is_done,
				 now_ns);
		fwy_turn_done(sched, item, now_ns, is_done);
	} else if (is_done) {
		if (item->class == FWY_ASYNC)
			fwy_hold_done(sched, item, now_ns);
		fwy_window_done(sched, item, now_ns);
	}
	return fwy_sched_awake(sched);
}

/**
 * fwy_sched_forget() - a flow ends
 * @sched: the scheduler
 * @flow: the flow, of which nothing is queued or in the device
 *
 * Return: whether fwy_sched_next() is to be asked.
 */
bool fwy_sched_forget(struct fwy_sched *sched, struct fwy_flow *flow)
{
	if (fwy_fair_has(&flow->queue))
		fwy_fair_leave(&sched->fair, &flow->queue);
	/* Another may come to lie there. */
	if (sched->turn.last == &flow->queue)
		sched->turn.last = NULL;
	if (sched->turn.queue != &flow->queue)
		return false;
	fwy_turn_gone(sched);
	return fwy_sched_awake(sched);
}
