// SPDX-License-Identifier: GPL-2.0
/*
 * How much the device holds, where seeks cost nothing.
 *
 * What is in the device is beyond any order: who comes next waits for it.  So
 * the device gets as little as keeps it busy.  How much that is no device tells,
 * and it is found by trial.  Time is cut into epochs of some completions; now and
 * then one has half as much more in the device than the others, or a third less.
 * If more brings more, the window grows; if less costs nothing, it shrinks.
 *
 * What epochs brought is compared in device time, as cost.c learns it from them,
 * so that a change of what is asked for is not taken for one of the device.  An
 * epoch counts only if something waited all the time: else it is not the device
 * that was measured.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core.h"

/* To begin with: some requests, of any size, for a device of 500 MB/s. */
#define FWY_WINDOW_NS		NSEC_PER_MSEC

/* One is served and one is at hand: less would idle any device. */
#define FWY_WINDOW_REQUESTS	2

/* Requests in an epoch, and four times what the device holds if that is more. */
#define FWY_EPOCH_REQUESTS	64
#define FWY_EPOCH_TIMES		4

/* Up to so many epochs are between two trials. */
#define FWY_REST_MAX		16

/* Rates, and by how much one is greater than another, are in parts. */
#define FWY_PARTS		1024

/*
 * The window grows if half as much more brings 2 %, and shrinks if a third less
 * costs no more than 1 %; in between it stays.  Where n random requests meet at
 * c servers, so that n / (n + c) of them work, that is at 94 to 98 %.
 */
#define FWY_GROW_PARTS		20
#define FWY_SHRINK_PARTS	10

/* So many trials, of both kinds, decide, but so clear a gain does at once. */
#define FWY_TRIALS		12
#define FWY_CLEAR_PARTS		100

/* If rates before and after a trial differ by more, the device has changed. */
#define FWY_STEADY_PART		4

/* Factors by which the window follows the costs, in 2^20ths. */
#define FWY_FACTOR_SHIFT	20

/* More than any device needs, and a factor does not wrap: 18 minutes. */
#define FWY_WINDOW_MOST_NS	BIT_ULL(40)

static void fwy_epoch_begin(struct fwy_window *window, unsigned int in_device,
			    bool is_settling, u64 now_ns)
{
	window->epoch = (struct fwy_epoch) { .began_ns = now_ns };
	window->is_starved = false;
	window->was_full = false;
	window->is_settling = is_settling;
	window->left = is_settling ? in_device + 1 :
		       max_t(unsigned int, FWY_EPOCH_REQUESTS,
			     FWY_EPOCH_TIMES * (in_device + 1));
}

/**
 * fwy_window_is_shut() - has the device enough to do, as it is full?
 * @sched: the scheduler
 * @queue: who is next
 *
 * Who wants little is let in where others are not, up to twice as much.
 *
 * Return: whether a completion has to come first.
 */
bool fwy_window_is_shut(struct fwy_sched *sched, const struct fwy_queue *queue)
{
	unsigned int times = queue->is_light ? 2 : 1;

	if (sched->in_device < times * FWY_WINDOW_REQUESTS ||
	    sched->in_flight_ns < times * sched->window.open_ns)
		return false;
	sched->window.was_full = true;
	return true;
}

/**
 * fwy_window_favours() - may a request go before its time?
 * @sched: the scheduler
 * @item: the one request of a flow
 *
 * Who asks for one thing after the other has soon had its share, beside many who
 * ask for much at a time.  But it is little that it wants, and it waits for each.
 *
 * Return: the answer; if it may, it is taken from what is kept for that.
 */
bool fwy_window_favours(struct fwy_sched *sched, const struct fwy_item *item)
{
	u64 cost_ns = fwy_cost_ns(&sched->cost, item);

	if (sched->window.kept_ns < cost_ns)
		return false;
	sched->window.kept_ns -= cost_ns;
	return true;
}

/**
 * fwy_window_keep() - some of the device's time is kept for who wants little
 * @sched: the scheduler
 * @cost_ns: what others have just got
 */
void fwy_window_keep(struct fwy_sched *sched, u64 cost_ns)
{
	struct fwy_window *window = &sched->window;

	window->kept_ns = min(window->kept_ns + cost_ns / FWY_LIGHT_PART,
			      window->limit_ns);
}

/* ---- trials -------------------------------------------------------------- */

static u64 fwy_window_of(u64 limit_ns, enum fwy_trial trial)
{
	if (trial == FWY_TRIAL_MORE)
		return limit_ns + limit_ns / 2;
	if (trial == FWY_TRIAL_LESS)
		return limit_ns - div_u64(limit_ns, 3);
	return limit_ns;
}

/**
 * fwy_window_open() - open the window as wide as it is to be
 * @sched: the scheduler, of which the knob, the limit or the trial has changed
 */
void fwy_window_open(struct fwy_sched *sched)
{
	struct fwy_window *window = &sched->window;
	u64 fixed_us = READ_ONCE(sched->params->value[FWY_WINDOW_US]);

	window->open_ns = fixed_us ? fixed_us * NSEC_PER_USEC :
			  fwy_window_of(window->limit_ns, window->trial);
}

static void fwy_window_restart(struct fwy_window *window, unsigned int rests)
{
	int trial;

	for (trial = 0; trial < FWY_NR_TRIALS; trial++) {
		window->tried[trial] = 0;
		window->gain[trial] = 0;
	}
	window->rests = rests;
	window->rest = rests;
}

static void fwy_window_move(struct fwy_window *window, enum fwy_trial trial)
{
	window->limit_ns = fwy_window_of(window->limit_ns, trial);
	fwy_window_restart(window, 1);
}

static bool fwy_window_gained(const struct fwy_window *window,
			      enum fwy_trial trial, s64 parts)
{
	unsigned int tried = window->tried[trial];

	return tried && window->gain[trial] >= parts * tried;
}

static void fwy_window_decide(struct fwy_window *window)
{
	if (fwy_window_gained(window, FWY_TRIAL_MORE, FWY_GROW_PARTS))
		fwy_window_move(window, FWY_TRIAL_MORE);
	else if (fwy_window_gained(window, FWY_TRIAL_LESS, -FWY_SHRINK_PARTS))
		fwy_window_move(window, FWY_TRIAL_LESS);
	else
		fwy_window_restart(window, min_t(unsigned int, window->rests * 2,
						 FWY_REST_MAX));
}

static void fwy_window_judge(struct fwy_window *window, s64 gain)
{
	enum fwy_trial trial = window->last;

	window->tried[trial]++;
	window->gain[trial] += max_t(s64, gain, -FWY_CLEAR_PARTS);
	if (trial == FWY_TRIAL_MORE && gain >= FWY_CLEAR_PARTS)
		fwy_window_move(window, trial);
	else if (window->tried[FWY_TRIAL_MORE] + window->tried[FWY_TRIAL_LESS] ==
		 FWY_TRIALS)
		fwy_window_decide(window);
}

/* Device time for each unit of time, in parts. */
static u64 fwy_epoch_rate(const struct fwy_epoch *epoch,
			  const struct fwy_cost *cost)
{
	return div64_u64(fwy_cost_of(cost, epoch) * FWY_PARTS,
			 max_t(u64, epoch->took_ns, 1));
}

/* The last trial beside the epochs before and after it. */
static void fwy_window_compare(struct fwy_window *window,
			       const struct fwy_cost *cost)
{
	u64 before = fwy_epoch_rate(&window->before, cost);
	u64 after = fwy_epoch_rate(&window->epoch, cost);
	u64 tested = fwy_epoch_rate(&window->tested, cost);
	u64 least = min(before, after), most = max(before, after);
	s64 gain;

	if (!least || most - least > least / FWY_STEADY_PART) {
		fwy_window_restart(window, 1);
		return;
	}
	gain = (s64)div64_u64(tested * FWY_PARTS * 2, least + most) - FWY_PARTS;
	if (window->last == FWY_TRIAL_LESS && gain <= -FWY_CLEAR_PARTS)
		window->spared = FWY_REST_MAX;
	fwy_window_judge(window, gain);
}

static bool fwy_window_may_try(const struct fwy_window *window,
			       enum fwy_trial trial, u64 least_ns)
{
	return trial == FWY_TRIAL_MORE ? window->was_full :
					 window->limit_ns > least_ns;
}

/*
 * More and less in turn, unless one would make no difference.  Where less has just
 * cost much it is taken to do so again.
 */
static void fwy_window_next_trial(struct fwy_window *window, u64 least_ns)
{
	enum fwy_trial trial = window->last == FWY_TRIAL_MORE ?
			       FWY_TRIAL_LESS : FWY_TRIAL_MORE;

	if (--window->rest)
		return;
	window->rest = window->rests;
	if (!fwy_window_may_try(window, trial, least_ns))
		trial = window->last;
	if (!fwy_window_may_try(window, trial, least_ns))
		return;
	if (trial == FWY_TRIAL_LESS && window->spared) {
		window->last = trial;
		fwy_window_judge(window, -FWY_CLEAR_PARTS);
		return;
	}
	window->trial = trial;
}

/* What a request of an epoch costs on average. */
static u64 fwy_epoch_request_ns(const struct fwy_epoch *epoch,
				const struct fwy_cost *cost)
{
	u64 requests = 0;
	int op;

	for (op = 0; op < FWY_NR_OPS; op++)
		requests += epoch->done[op].requests;
	return div64_u64(fwy_cost_of(cost, epoch), requests);
}

/* After an epoch without a trial. */
static void fwy_window_learn(struct fwy_window *window, struct fwy_cost *cost)
{
	u64 was_ns = fwy_epoch_request_ns(&window->epoch, cost);
	u64 now_ns, factor, least_ns;

	window->spared -= !!window->spared;
	if (window->is_tested)
		fwy_window_compare(window, cost);
	window->is_tested = false;
	window->before = window->epoch;

	/* As many requests as before, whatever they are taken to cost. */
	fwy_cost_learn_epoch(cost, &window->epoch);
	now_ns = fwy_epoch_request_ns(&window->epoch, cost);
	factor = div64_u64(now_ns << FWY_FACTOR_SHIFT, was_ns);
	least_ns = FWY_WINDOW_REQUESTS * now_ns;
	window->limit_ns = max(window->limit_ns * factor >> FWY_FACTOR_SHIFT,
			       least_ns);
	window->limit_ns = min_t(u64, window->limit_ns, FWY_WINDOW_MOST_NS);
	fwy_window_next_trial(window, least_ns);
}

/**
 * fwy_epoch_end() - so many requests have completed
 * @sched: the scheduler, without the last of them
 * @now_ns: when that completed
 */
void fwy_epoch_end(struct fwy_sched *sched, u64 now_ns)
{
	struct fwy_window *window = &sched->window;
	enum fwy_trial trial = window->trial;

	if (window->is_settling || window->is_starved) {
		fwy_epoch_begin(window, sched->in_device, false, now_ns);
		return;
	}
	window->epoch.took_ns = now_ns - window->epoch.began_ns;
	if (trial) {
		window->tested = window->epoch;
		window->last = trial;
		window->is_tested = true;
		window->trial = FWY_TRIAL_NONE;
	} else {
		fwy_window_learn(window, &sched->cost);
	}
	fwy_window_open(sched);
	fwy_epoch_begin(window, sched->in_device, window->trial != trial,
			now_ns);
}

/**
 * fwy_window_init() - a device of which nothing is known
 * @sched: the scheduler
 */
void fwy_window_init(struct fwy_sched *sched)
{
	struct fwy_window *window = &sched->window;

	*window = (struct fwy_window) {
		.limit_ns = FWY_WINDOW_NS,
		.last = FWY_TRIAL_LESS,
		.rest = 1,
		.rests = 1,
	};
	fwy_epoch_begin(window, 0, false, 0);
	window->is_starved = true;
	fwy_window_open(sched);
}
