// SPDX-License-Identifier: GPL-2.0
/*
 * Turns: how long a queue keeps a disk that seeks.
 *
 * To go elsewhere costs a seek and half a rotation, so a queue keeps the device
 * until it has used its quantum.  A process that waits for each request before
 * it asks for the next has nothing queued most of the time; if it is used to
 * ask again soon, and to lose its place costs more than that, the device waits
 * for it.
 *
 * With N queues that wait for a turn, a switch that takes s, and a quantum q,
 * the longest wait is (N - 1) (q + s) + s and the rate q / (q + s) of what the
 * device streams: the quantum is what a round of round_ms leaves to each.
 */
#include <linux/container_of.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core.h"

/*
 * Places by time in 2^30 ns and, within that, by sector in steps of 2 MiB: together
 * they fit in 64 bits for 500 years and half a million GiB.
 */
#define FWY_EARLY_SHIFT		30
#define FWY_EARLY_BITS		28
#define FWY_EARLY_SECTORS	12

/* Behind every sector. */
#define FWY_LAST	(~0ULL)

/* Who came in the last second is likely to come in the next moment. */
#define FWY_SYNC_NS	NSEC_PER_SEC

/* What a queue that waits and is shared weighs beyond one of usual weight. */
static s64 fwy_turn_extra(const struct fwy_queue *queue)
{
	return fwy_fair_has(queue) ? (s64)queue->weight - FWY_WEIGHT : 0;
}

/*
 * What a round leaves to a queue of usual weight, within limits.  How many share
 * the round is known from the last one; who has just ended a turn, and not yet
 * asked again, does not wait but will be back.  New ones wait.
 */
static u64 fwy_turn_quantum_ns(const struct fwy_sched *sched,
			       const struct fwy_queue *queue)
{
	u64 most_ns = fwy_param_ns(sched->params, FWY_TURN_MAX_MS, NSEC_PER_MSEC);
	u64 least_ns = fwy_param_ns(sched->params, FWY_TURN_MIN_MS, NSEC_PER_MSEC);
	u64 round_ns = fwy_param_ns(sched->params, FWY_ROUND_MS, NSEC_PER_MSEC);
	u64 waiting = FWY_WEIGHT * sched->fair.nr_backlog + queue->weight +
		      fwy_turn_extra(&sched->crowd) +
		      fwy_turn_extra(&sched->writeback);
	u64 weight = max(sched->turn.last_weight, waiting);

	return max(min(div64_u64(round_ns * FWY_WEIGHT, weight), most_ns),
		   least_ns);
}

/* A process that never had a turn.  There may be another, and another. */
static bool fwy_turn_is_new(const struct fwy_queue *queue)
{
	return queue->kind == FWY_OWN && !queue->counted;
}

static void fwy_turn_count(struct fwy_turn *turn, struct fwy_fair *fair,
			   struct fwy_queue *queue)
{
	if (fair->now < queue->key) {
		turn->last_weight = turn->round_weight;
		turn->round_weight = 0;
		fair->newcomers_ns = 0;
	}
	fwy_fair_serve(fair, queue);
	if (queue->counted != fair->now) {
		queue->is_young = fwy_turn_is_new(queue);
		queue->counted = fair->now;
		turn->round_weight += queue->weight;
	}
}

/*
 * What a queue may use in a round, without the way to it.  Mostly that is one
 * turn; the crowd is many processes, and has several.
 */
static u64 fwy_turn_share_ns(const struct fwy_sched *sched,
			     const struct fwy_queue *queue)
{
	return div_u64(fwy_turn_quantum_ns(sched, queue) * queue->weight,
		       FWY_WEIGHT);
}

/* What is left of a share, half of it at least: less would not be worth the way. */
static u64 fwy_turn_left_ns(u64 share_ns, u64 used_ns)
{
	return share_ns - min(used_ns, share_ns / 2);
}

/* A process that comes new, missed its turn, or left half of its share. */
static bool fwy_turn_is_visit(const struct fwy_sched *sched,
			      const struct fwy_queue *queue)
{
	return queue->kind == FWY_OWN &&
	       (queue->key < sched->fair.now ||
		(queue->is_light && queue->key == sched->fair.now));
}

/**
 * fwy_turn_begin() - a queue gets the device
 * @sched: the scheduler; nobody has the turn
 * @queue: the queue, which does not wait any longer
 * @now_ns: the time
 */
void fwy_turn_begin(struct fwy_sched *sched, struct fwy_queue *queue,
		    u64 now_ns)
{
	struct fwy_turn *turn = &sched->turn;
	/* Who goes on has no way to go. */
	bool is_there = queue == turn->last;
	u64 way_ns = is_there ? 0 : sched->cost.switch_ns;
	u64 share_ns, left_ns;

	/* It may never be empty, so the knob is looked at here. */
	if (queue->kind == FWY_WRITEBACK)
		queue->weight =
			READ_ONCE(sched->params->value[FWY_ASYNC_WEIGHT_PCT]);
	fwy_turn_count(turn, &sched->fair, queue);
	share_ns = fwy_turn_share_ns(sched, queue);
	left_ns = fwy_turn_left_ns(share_ns, queue->used_ns);
	if (queue->kind == FWY_CROWD)
		left_ns = min(left_ns, fwy_turn_quantum_ns(sched, queue));
	*turn = (struct fwy_turn) {
		.number = turn->number + 1,
		.arrived_ns = is_there ? now_ns : 0,
		.way_ns = way_ns,
		.last = queue,
		.since_ns = queue->since_ns,
		.is_late = now_ns >= queue->since_ns +
			   fwy_param_ns(sched->params, FWY_ASYNC_EXPIRE_MS, NSEC_PER_MSEC),
		.share_ns = share_ns + sched->cost.switch_ns,
		.quantum_ns = left_ns,
		.round_weight = turn->round_weight,
		.last_weight = turn->last_weight,
	};
	WRITE_ONCE(turn->queue, queue);
}

/* The way to the first request is no use of the quantum. */
static u64 fwy_turn_time_ns(const struct fwy_turn *turn, u64 now_ns)
{
	u64 time_ns = turn->in_flight_ns + turn->first_ns;

	if (turn->arrived_ns)
		time_ns += now_ns - turn->arrived_ns;
	return time_ns;
}

/*
 * What the quantum was used for.  Of a process that reads or writes on, it is what
 * its sectors take on average over all of these: the inner tracks of a disk have
 * half the rate of the outer ones, and who reads there has the same right to read.
 * But what took half as long again as that is no longer the disk's doing alone.
 */
static u64 fwy_turn_used_ns(const struct fwy_sched *sched, u64 now_ns)
{
	const struct fwy_turn *turn = &sched->turn;
	u64 time_ns = fwy_turn_time_ns(turn, now_ns);
	u64 pace_ns = sched->cost.pace_ns[turn->is_write];

	if (!turn->is_stream || !pace_ns)
		return time_ns;
	return clamp(pace_ns * turn->sectors, div_u64(time_ns * 2, 3),
		     time_ns + time_ns / 2);
}

/* What a round takes of the queues that wait, with one that comes. */
static u64 fwy_turn_round_ns(const struct fwy_sched *sched)
{
	u64 least_ns = fwy_param_ns(sched->params, FWY_TURN_MIN_MS, NSEC_PER_MSEC);

	return max(fwy_param_ns(sched->params, FWY_ROUND_MS, NSEC_PER_MSEC),
		   (sched->fair.nr_backlog + 1) *
		   (least_ns + sched->cost.switch_ns));
}

/*
 * Each process that comes new is before all others in its first round.  Together such
 * ones have that for as much as a round is: who comes then begins in the next one,
 * with the others.
 */
static void fwy_turn_charge_newcomers(struct fwy_sched *sched, u64 used_ns)
{
	struct fwy_fair *fair = &sched->fair;

	if (!sched->turn.queue->is_young)
		return;
	fair->newcomers_ns += used_ns + sched->turn.way_ns;
	if (fair->newcomers_ns >= fwy_turn_round_ns(sched))
		fair->newcomer = fair->now + 1;
}

/*
 * Who used its share up stands in the next round, and what it took too much is
 * missing there.  The way counts as what it takes on average: who comes often and
 * wants little each time has others wait for the way, not for what it wants.
 */
static void fwy_turn_charge(struct fwy_sched *sched, u64 now_ns)
{
	const struct fwy_turn *turn = &sched->turn;
	struct fwy_queue *queue = turn->queue;
	u64 used_ns = fwy_turn_used_ns(sched, now_ns);

	fwy_turn_charge_newcomers(sched, used_ns);
	queue->used_ns += used_ns;
	/* Who gave up early may have spent it all on thinking. */
	if (turn->is_stream && used_ns >= turn->quantum_ns)
		fwy_cost_learn_pace(&sched->cost, turn->is_write, turn->sectors,
				    fwy_turn_time_ns(turn, now_ns));
	if (turn->dispatched)
		queue->used_ns += turn->way_ns;
	queue->is_light = !queue->queued && !queue->in_device &&
			  queue->used_ns < turn->share_ns / 2;
	if (queue->used_ns < turn->share_ns)
		return;
	queue->used_ns = min(queue->used_ns - turn->share_ns, turn->share_ns);
	queue->key++;
}

/*
 * Those who missed a turn go as they came; of about one second by sector, so that
 * many who start at once sweep over the disk from the first turn on.
 */
static u64 fwy_turn_early_place(u64 sector, u64 now_ns)
{
	u64 most = (1ULL << FWY_EARLY_BITS) - 1;

	return now_ns >> FWY_EARLY_SHIFT << FWY_EARLY_BITS |
	       min(sector >> FWY_EARLY_SECTORS, most);
}

static void fwy_turn_visit(struct fwy_gaps *visits, u64 now_ns)
{
	fwy_gaps_learn(visits, now_ns);
	visits->done_ns = 0;
}

/**
 * fwy_turn_enter() - a queue begins to wait for a turn
 * @sched: the scheduler
 * @queue: the queue, with items
 * @now_ns: the time
 *
 * Who used its turn has its place in the sweep over the turns.  Who comes new,
 * or wants little, waits for one turn, wherever it will go.
 *
 * A process that missed its turn, or left some of it, has that first and then
 * its place in this round all the same.  If the early turn were this round's, the
 * next would come in the next round, for a place at the end of the sweep two
 * rounds later.  What many share is not in so much of a hurry; and writeback, for
 * which nobody waits, has its share at the end of the round.
 */
void fwy_turn_enter(struct fwy_sched *sched, struct fwy_queue *queue,
		    u64 now_ns)
{
	u64 least_key = sched->fair.now - (queue->kind == FWY_OWN);
	u64 place = fwy_queue_first(queue)->sector;

	if (fwy_turn_is_new(queue))
		least_key = max(least_key, sched->fair.newcomer);
	if (queue->kind == FWY_OWN)
		fwy_fair_forget(queue, least_key);
	if (fwy_turn_is_visit(sched, queue))
		fwy_turn_visit(&sched->visits, now_ns);
	if (queue->kind == FWY_WRITEBACK)
		place = FWY_LAST;
	else if (queue->kind == FWY_OWN && queue->key < sched->fair.now)
		place = fwy_turn_early_place(place, now_ns);
	else if (queue->is_light || queue->key < sched->fair.now)
		place = 0;
	fwy_fair_enter_from(&sched->fair, queue, least_key, place, now_ns);
}

/**
 * fwy_turn_leave() - who has the turn has no more to do
 * @sched: the scheduler; somebody has the turn
 */
void fwy_turn_leave(struct fwy_sched *sched)
{
	if (fwy_turn_is_visit(sched, sched->turn.queue))
		sched->visits.done_ns = sched->turn.idle_ns;
	WRITE_ONCE(sched->turn.queue, NULL);
}

/**
 * fwy_turn_gone() - who has the turn ends
 * @sched: the scheduler; somebody has the turn
 */
void fwy_turn_gone(struct fwy_sched *sched)
{
	const struct fwy_turn *turn = &sched->turn;

	fwy_turn_charge_newcomers(sched,
				  fwy_turn_used_ns(sched, max(turn->idle_ns,
							      turn->arrived_ns)));
	fwy_turn_leave(sched);
}

/**
 * fwy_turn_end() - the queue gives the device away
 * @sched: the scheduler
 * @now_ns: the time
 */
void fwy_turn_end(struct fwy_sched *sched, u64 now_ns)
{
	struct fwy_queue *queue = sched->turn.queue;

	fwy_turn_charge(sched, now_ns);
	if (!queue->queued)
		fwy_turn_leave(sched);
	WRITE_ONCE(sched->turn.queue, NULL);
	if (!queue->queued || queue->kind == FWY_BACKGROUND)
		return;
	fwy_turn_enter(sched, queue, now_ns);
	/* Cut short again and again, it has waited all the time. */
	if (queue->kind == FWY_WRITEBACK && queue->key <= sched->fair.now)
		queue->since_ns = sched->turn.since_ns;
}

/**
 * fwy_turn_pass_on() - does a process go on where who has the turn was?
 * @sched: the scheduler
 * @queue: the process's, with its first item
 * @now_ns: the time
 *
 * Two processes that read one stream by turns, each when the other is through,
 * are one for the disk: who goes on has what is left of the turn, without a way.
 * Each is charged what it had.
 *
 * Return: whether the queue has the turn now.
 */
bool fwy_turn_pass_on(struct fwy_sched *sched, struct fwy_queue *queue,
		      u64 now_ns)
{
	struct fwy_turn *turn = &sched->turn;
	u64 used_ns;

	if (queue->kind != FWY_OWN || queue->key > sched->fair.now ||
	    (fwy_turn_is_new(queue) && sched->fair.newcomer > sched->fair.now) ||
	    !turn->queue || turn->queue->kind != FWY_OWN ||
	    turn->queue->queued || !turn->arrived_ns ||
	    fwy_queue_first(queue)->sector != sched->head)
		return false;
	used_ns = fwy_turn_used_ns(sched, now_ns);
	if (used_ns >= turn->quantum_ns)
		return false;
	fwy_turn_charge(sched, now_ns);
	fwy_fair_forget(queue, sched->fair.now - 1);
	fwy_turn_count(turn, &sched->fair, queue);
	WRITE_ONCE(turn->queue, queue);
	turn->last = queue;
	turn->number++;
	turn->share_ns = fwy_turn_share_ns(sched, queue) + sched->cost.switch_ns;
	turn->arrived_ns = now_ns;
	turn->first_ns = 0;
	turn->in_flight_ns = 0;
	turn->way_ns = 0;
	turn->quantum_ns -= used_ns;
	turn->dispatched = 0;
	turn->sectors = 0;
	return true;
}

/* Does who has the turn wait for something elsewhere, and so asks for no more? */
static bool fwy_turn_is_elsewhere(const struct fwy_queue *queue)
{
	const struct fwy_flow *flow = container_of(queue, struct fwy_flow,
						   queue);

	return flow->pending > queue->in_device;
}

/*
 * Is it worth to wait for who is used to think for so long?  Not if that is longer
 * than the way that is saved.
 */
static bool fwy_think_is_short(const struct fwy_sched *sched, u64 think_ns)
{
	return think_ns < sched->cost.seek_ns &&
	       think_ns < fwy_param_ns(sched->params, FWY_ANTIC_US, NSEC_PER_USEC);
}

/* Is it worth to wait for who has the turn? */
static bool fwy_turn_may_wait(const struct fwy_sched *sched)
{
	const struct fwy_turn *turn = &sched->turn;

	if (turn->queue->kind == FWY_OWN) {
		if (fwy_turn_is_elsewhere(turn->queue))
			return false;
	} else if (turn->queue->kind == FWY_BACKGROUND) {
		return false;
	}
	return fwy_think_is_short(sched, turn->think_ns);
}

static unsigned int fwy_turn_sync_in_device(const struct fwy_sched *sched)
{
	return sched->in_device - sched->writeback.in_device -
	       sched->background.in_device;
}

/**
 * fwy_turn_sync_pending() - how much is there that somebody waits for?
 * @sched: the scheduler
 *
 * Return: requests that are queued or in the device, but for those of writeback and
 * of the idle class.
 */
unsigned int fwy_turn_sync_pending(const struct fwy_sched *sched)
{
	return sched->queued - sched->writeback.queued -
	       sched->background.queued + fwy_turn_sync_in_device(sched);
}

/* Is there still in the device what somebody else waits for? */
static bool fwy_turn_left_behind(const struct fwy_sched *sched)
{
	const struct fwy_queue *queue = sched->turn.queue;
	unsigned int own = fwy_queue_is_sync(queue) ? queue->in_device : 0;

	return fwy_turn_sync_in_device(sched) > own;
}

/**
 * fwy_turn_spare_until() - shall the device wait before a turn begins?
 * @sched: the scheduler
 * @queue: whose turn is next, NULL for nobody's
 *
 * Processes often come one after the other, each for what the one before has
 * found: a shell, the program it starts, the next one.  Who streams does not notice
 * a few ms, and for writeback nobody waits; but the least of a turn of theirs, and
 * the way there and back, is much for who wants little.  So where one of these is
 * used to come soon after the last was served, it is waited for.
 *
 * Return: until when, 0 for not at all.
 */
u64 fwy_turn_spare_until(const struct fwy_sched *sched,
			 const struct fwy_queue *queue)
{
	u64 done_ns, think_ns;

	if (queue && queue->kind == FWY_WRITEBACK &&
	    !fwy_turn_sync_pending(sched)) {
		done_ns = sched->sync.done_ns;
		think_ns = sched->sync.think_ns;
	} else if (queue && queue->kind == FWY_OWN &&
		   !fwy_turn_is_visit(sched, queue)) {
		done_ns = sched->visits.done_ns;
		think_ns = sched->visits.think_ns;
	} else {
		return 0;
	}
	if (!done_ns || !fwy_think_is_short(sched, think_ns))
		return 0;
	return done_ns + fwy_param_ns(sched->params, FWY_ANTIC_US, NSEC_PER_USEC);
}

/**
 * fwy_turn_wait_until() - how long the device waits for who has the turn
 * @sched: the scheduler; who has the turn has nothing queued or in the device
 *
 * Return: a time.
 */
u64 fwy_turn_wait_until(const struct fwy_sched *sched)
{
	return sched->turn.idle_ns +
	       fwy_param_ns(sched->params, FWY_ANTIC_US, NSEC_PER_USEC);
}

/*
 * Does a process wait that is first in this round whatever its place?  It comes
 * new, or left half of its share: mostly it does not have much to do.  Before
 * writeback comes everybody who has something left of this round.
 */
static bool fwy_turn_is_wanted(const struct fwy_sched *sched)
{
	const struct fwy_queue *first = fwy_fair_first(&sched->fair);

	if (!first || first->key > sched->fair.now)
		return false;
	if (sched->turn.queue->kind == FWY_WRITEBACK)
		return true;
	return fwy_turn_is_visit(sched, first);
}

/*
 * Has somebody else waited for long enough?  A turn has its least all the same,
 * or many who are late would have seeks and nothing else; but nobody is passed by
 * more than may.  Writeback has no least, but what is late has all of its turn.
 */
static bool fwy_turn_is_cut(struct fwy_sched *sched, u64 used_ns, u64 now_ns)
{
	const struct fwy_turn *turn = &sched->turn;
	u64 least_ns = fwy_param_ns(sched->params, FWY_TURN_MIN_MS, NSEC_PER_MSEC);
	bool had_least = used_ns >= least_ns;

	if (!turn->dispatched)
		return false;
	if (turn->queue->kind == FWY_WRITEBACK)
		had_least = !turn->is_late;
	if (had_least && fwy_turn_is_wanted(sched))
		return true;
	return fwy_fair_due(&sched->fair, sched->params,
			    had_least ? now_ns : 0);
}

/**
 * fwy_turn_is_over() - shall somebody else have the device?
 * @sched: the scheduler; somebody has the turn
 * @now_ns: the time
 *
 * Return: the answer.
 */
bool fwy_turn_is_over(struct fwy_sched *sched, u64 now_ns)
{
	const struct fwy_turn *turn = &sched->turn;
	const struct fwy_queue *queue = turn->queue;
	u64 used_ns = fwy_turn_used_ns(sched, now_ns);

	if (turn->dispatched && used_ns >= turn->quantum_ns)
		return true;
	if (queue->kind == FWY_BACKGROUND && sched->fair.nr_backlog)
		return true;
	if (fwy_turn_is_cut(sched, used_ns, now_ns))
		return true;
	if (queue->queued)
		return false;
	if (!fwy_turn_may_wait(sched))
		return true;
	return !queue->in_device && now_ns >= fwy_turn_wait_until(sched);
}

/**
 * fwy_turn_is_full() - has the device enough to do for now?
 * @sched: the scheduler; somebody has the turn
 * @now_ns: the time
 *
 * What is in the device cannot be ended, so it is no more than a turn.  Of
 * writeback, while others come now and then, it is no more than the least of one,
 * or one request.
 *
 * And it is of one process: a disk that has the choice prefers what goes on where
 * it is, and passes by what another one has left there, until it ages in the disk.
 *
 * Return: whether a completion has to come first.
 */
bool fwy_turn_is_full(const struct fwy_sched *sched, u64 now_ns)
{
	struct fwy_queue *queue = sched->turn.queue;
	u64 least_ns = fwy_param_ns(sched->params, FWY_TURN_MIN_MS, NSEC_PER_MSEC);
	u64 next_ns;

	if (!sched->in_device)
		return false;
	if (fwy_turn_left_behind(sched) ||
	    sched->in_flight_ns >= sched->turn.quantum_ns)
		return true;
	if (queue->kind != FWY_WRITEBACK || !queue->queued ||
	    !sched->sync.done_ns || now_ns >= sched->sync.done_ns + FWY_SYNC_NS)
		return false;
	next_ns = fwy_cost_ns(&sched->cost, fwy_queue_first(queue));
	return sched->in_flight_ns + next_ns > least_ns;
}

/**
 * fwy_turn_dispatched() - a request of who has the turn goes to the device
 * @sched: the scheduler
 * @item: the request
 */
void fwy_turn_dispatched(struct fwy_sched *sched, struct fwy_item *item)
{
	struct fwy_turn *turn = &sched->turn;

	item->turn = turn->number;
	if (!turn->dispatched++) {
		turn->is_stream = turn->queue->kind == FWY_OWN;
		turn->is_write = item->class != FWY_READ;
	} else if (!item->is_near) {
		turn->is_stream = false;
	}
	turn->sectors += item->sectors;
	turn->in_flight_ns += item->transfer_ns;
}

/**
 * fwy_turn_done() - a request came back
 * @sched: the scheduler
 * @item: the request
 * @now_ns: when
 * @is_done: whether it completed, or came back undone
 */
void fwy_turn_done(struct fwy_sched *sched, const struct fwy_item *item,
		   u64 now_ns, bool is_done)
{
	struct fwy_turn *turn = &sched->turn;

	/* Else it was dispatched where seeks cost nothing. */
	bool is_known = item->dispatched_ns;

	if (is_done && is_known)
		fwy_cost_learn(&sched->cost, item, now_ns);
	if (!item->queue)
		return;
	item->flow->done_ns = now_ns;
	if (fwy_queue_is_sync(item->queue))
		sched->sync.done_ns = now_ns;
	if (item->queue != turn->queue)
		return;
	turn->idle_ns = now_ns;
	turn->think_ns = item->flow->think_ns;
	if (!is_known || item->turn != turn->number)
		return;
	turn->in_flight_ns -= item->transfer_ns;
	if (!turn->arrived_ns) {
		turn->arrived_ns = now_ns;
		turn->first_ns = item->transfer_ns;
	}
}
