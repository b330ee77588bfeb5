// SPDX-License-Identifier: GPL-2.0
/*
 * What a process is used to do: how long it thinks between two requests, and
 * whether it reads on where it was.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core.h"

/* Within 1 MiB a disk's head stays on its track or goes to the next. */
#define FWY_NEAR_SECTORS	2048

/*
 * Of the last eight requests half were far away: seeky.  And so it stays until all
 * but one are near: who reads here and there in a file of some MiB is near one time
 * in four, and would change between the crowd and turns of its own.
 */
#define FWY_SEEKY_REQUESTS	4
#define FWY_STREAM_REQUESTS	1

/*
 * What is assumed of those that were not seen: so the second request of a seeky
 * process shows it, and a stream has no more than the way to its first.
 */
#define FWY_HISTORY		0x03

/*
 * One long pause says no more than that it was long: twice what a disk is worth
 * waiting for.  So the average is below that as long as most are short, and a
 * process that slept for an hour is anticipated again after a few short ones.
 */
#define FWY_THINK_MAX_NS	(16 * NSEC_PER_MSEC)

/*
 * Whoever comes for little while others stream or write has to wait for a part of
 * their turn and two ways, which is three times what it costs to wait in vain.  So
 * one in four that comes soon is enough.
 */
#define FWY_GAP_MAX_NS	(10 * NSEC_PER_MSEC)

/* Averages take an eighth of each new value. */
#define FWY_AVERAGE_SHIFT	3

/**
 * fwy_flow_init() - a process of which nothing is known
 * @flow: the flow
 *
 * It is taken for a stream that thinks briefly, until it shows otherwise.
 */
void fwy_flow_init(struct fwy_flow *flow)
{
	*flow = (struct fwy_flow) { .history = FWY_HISTORY };
	fwy_queue_init(&flow->queue, FWY_OWN, FWY_WEIGHT);
}

/* @average_ns is of times such as that from @done_ns to @now_ns. */
static void fwy_learn_think(u64 *average_ns, u64 done_ns, u64 now_ns, u64 most_ns)
{
	u64 think_ns = min(now_ns - done_ns, most_ns);

	*average_ns -= *average_ns >> FWY_AVERAGE_SHIFT;
	*average_ns += think_ns >> FWY_AVERAGE_SHIFT;
}

/**
 * fwy_is_far() - has a disk to seek from one sector to another?
 * @a: the one
 * @b: the other
 *
 * Return: the answer.
 */
bool fwy_is_far(u64 a, u64 b)
{
	return (a < b ? b - a : a - b) > FWY_NEAR_SECTORS;
}

/**
 * fwy_flow_arrive() - a process submits
 * @flow: the flow
 * @item: what
 * @now_ns: when
 */
void fwy_flow_arrive(struct fwy_flow *flow, const struct fwy_item *item,
		     u64 now_ns)
{
	bool is_far = fwy_is_far(item->sector, flow->next_sector);
	unsigned int far;

	if (!flow->pending && flow->done_ns)
		fwy_learn_think(&flow->think_ns, flow->done_ns, now_ns,
				FWY_THINK_MAX_NS);
	flow->history = flow->history << 1 | is_far;
	flow->next_sector = item->sector + item->sectors;
	far = hweight8(flow->history);
	if (far >= FWY_SEEKY_REQUESTS)
		flow->is_seeky = true;
	else if (far <= FWY_STREAM_REQUESTS)
		flow->is_seeky = false;
}

/**
 * fwy_gaps_learn() - the next one has come
 * @gaps: the times between such
 * @now_ns: when
 */
void fwy_gaps_learn(struct fwy_gaps *gaps, u64 now_ns)
{
	if (gaps->done_ns)
		fwy_learn_think(&gaps->think_ns, gaps->done_ns, now_ns,
				FWY_GAP_MAX_NS);
}

/**
 * fwy_flow_held() - a process stood in line before it could submit
 * @flow: the flow
 *
 * So the time since its last completion is not what it thought.
 */
void fwy_flow_held(struct fwy_flow *flow)
{
	flow->done_ns = 0;
}
