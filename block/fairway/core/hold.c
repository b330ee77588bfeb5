// SPDX-License-Identifier: GPL-2.0
/*
 * How much writeback is let in, where seeks cost nothing.
 *
 * For what the flusher writes nobody waits, until somebody does: who syncs a file
 * of which it has begun to write pages, and a file system, for a block that it
 * wants to change.  Which of its requests that will be nobody can know.  But pages
 * that are not submitted yet are not under writeback, and who syncs them sends them
 * itself.  So writeback has on its way what the device does in a time that is not too
 * long to wait for; the rest of it waits at the gate.
 *
 * What that is needs no model: so many were done in the last such time, beside those
 * that the device has.  These are not held, or a device that takes longer than that
 * for each, but does many at a time, would never get them.
 *
 * Where seeks cost a long sweep is worth more, and is not held.
 */
#include <linux/math64.h>
#include <linux/minmax.h>

#include "core.h"

/* One of them is served, one is at hand, and one is on its way to there. */
#define FWY_HOLD_LEAST		3

/*
 * That time, as a part of what a read may wait.  Who syncs waits for it more than
 * once: for pages, and for what the file system keeps of the file.
 */
#define FWY_HOLD_PART		8

/* By a half more at a time: a fast device has all that it can use within a second. */
#define FWY_HOLD_STEP		2

/**
 * fwy_hold_init() - a device of which nothing is known
 * @hold: what writeback is held by
 */
void fwy_hold_init(struct fwy_hold *hold)
{
	hold->done = 0;
	hold->took_ns = 0;
	hold->done_ns = 0;
	WRITE_ONCE(hold->limit, FWY_HOLD_NONE);
}

/*
 * The gate does not know how long a request will be.  A file system writes some that
 * are small, and then more come that are not: so it opens by steps, and shuts at
 * once.
 */
static void fwy_hold_learn(struct fwy_hold *hold, unsigned int in_device,
			   u64 hold_ns)
{
	u64 limit = div64_u64(hold->done * hold_ns, hold->took_ns) +
		    in_device + 1;
	u64 most = (u64)hold->limit + hold->limit / FWY_HOLD_STEP;

	limit = max_t(u64, min(limit, most), FWY_HOLD_LEAST);
	WRITE_ONCE(hold->limit, min_t(u64, limit, FWY_HOLD_NONE));
	hold->done = 0;
	hold->took_ns = 0;
}

/**
 * fwy_hold_done() - something completed that nobody waited for
 * @sched: the scheduler, without the item
 * @item: the item, of class FWY_ASYNC
 * @now_ns: when
 *
 * Who is held waits for such a completion, so nothing else has to open the gate.
 */
void fwy_hold_done(struct fwy_sched *sched, const struct fwy_item *item,
		   u64 now_ns)
{
	struct fwy_hold *hold = &sched->hold;
	u64 hold_ns = fwy_expire_ns(sched->params, FWY_READ) / FWY_HOLD_PART;
	u64 since_ns = max(item->added_ns, hold->done_ns);

	hold->took_ns += now_ns - min(since_ns, now_ns);
	hold->done_ns = now_ns;
	hold->done++;
	if (hold->took_ns >= hold_ns)
		fwy_hold_learn(hold, sched->in_device, hold_ns);
}
