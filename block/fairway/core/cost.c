// SPDX-License-Identifier: GPL-2.0
/*
 * What a request costs the device, learned from its completions.
 *
 * A request that goes on where the head is shows what a sector takes; any other
 * shows what it takes to get there.  The time of a request begins when the one
 * before it is through, so requests that wait in the device do not seem slow.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core.h"

/* To start with: 50 MB/s, and a disk's mean seek and half a rotation. */
#define FWY_SECTOR_NS	10000
#define FWY_SWITCH_NS	(10 * NSEC_PER_MSEC)

/* Shorter ones say more about the bus than about the medium. */
#define FWY_LEARN_SECTORS	64

/*
 * A value far above what is known is a stall (error recovery, a thermal pause)
 * more often than news: it counts as this much of what is known.  A device that
 * really changed is followed within some tens of requests all the same.
 */
#define FWY_OUTLIER	4

/* Averages take an eighth of each new value. */
#define FWY_AVERAGE_SHIFT	3

/*
 * A step upward is that part of what is known, one downward a sixteenth of it: one
 * slow value in seventeen keeps it up.
 */
#define FWY_SEEK_UP_SHIFT	3
#define FWY_SEEK_DOWN_SHIFT	7

/*
 * The pace is of many turns: each shall count the same for all, whoever comes next
 * after it.
 */
#define FWY_PACE_SHIFT	6

static void fwy_average(u64 *average, u64 value)
{
	value = min(value, *average * FWY_OUTLIER);
	*average -= *average >> FWY_AVERAGE_SHIFT;
	*average += value >> FWY_AVERAGE_SHIFT;
	*average = max_t(u64, *average, 1 << (FWY_AVERAGE_SHIFT + 1));
}

/*
 * A drive answers many requests from its buffers: whatever it was told to write,
 * and what it read ahead.  That says nothing of what is lost by going elsewhere, so
 * only reads count here, and of these the slow ones.  Where none is slow, as on an
 * array, it falls a hundredfold within 600 reads.
 */
static void fwy_learn_seek(u64 *seek_ns, u64 value_ns)
{
	if (value_ns > *seek_ns)
		*seek_ns += min(value_ns - *seek_ns,
				*seek_ns >> FWY_SEEK_UP_SHIFT);
	else
		*seek_ns -= min(*seek_ns - value_ns,
				*seek_ns >> FWY_SEEK_DOWN_SHIFT);
}

static inline bool fwy_is_write(const struct fwy_item *item)
{
	return item->class != FWY_READ;
}

/**
 * fwy_cost_init() - a device of which nothing is known
 * @cost: the model
 */
void fwy_cost_init(struct fwy_cost *cost)
{
	*cost = (struct fwy_cost) {
		.sector_ns = { FWY_SECTOR_NS, FWY_SECTOR_NS },
		.switch_ns = FWY_SWITCH_NS,
		.seek_ns = FWY_SWITCH_NS,
	};
}

/**
 * fwy_cost_transfer_ns() - the time for a request, without getting there
 * @cost: the model
 * @item: the request
 *
 * Return: the time in ns.
 */
u64 fwy_cost_transfer_ns(const struct fwy_cost *cost,
			 const struct fwy_item *item)
{
	return cost->sector_ns[fwy_is_write(item)] * item->sectors;
}

/**
 * fwy_cost_learn() - a request completed
 * @cost: the model
 * @item: the request
 * @now_ns: when
 */
void fwy_cost_learn(struct fwy_cost *cost, const struct fwy_item *item,
		    u64 now_ns)
{
	u64 took_ns = now_ns - max(item->dispatched_ns, cost->done_ns);
	u64 transfer_ns = fwy_cost_transfer_ns(cost, item);
	u64 way_ns = took_ns > transfer_ns ? took_ns - transfer_ns : 0;

	cost->done_ns = now_ns;
	if (!item->is_near) {
		fwy_average(&cost->switch_ns, way_ns);
		if (!fwy_is_write(item))
			fwy_learn_seek(&cost->seek_ns, way_ns);
	} else if (item->sectors >= FWY_LEARN_SECTORS) {
		fwy_average(&cost->sector_ns[fwy_is_write(item)],
			    div_u64(took_ns, item->sectors));
	}
}

/**
 * fwy_cost_learn_pace() - a stream's turn is over
 * @cost: the model
 * @is_write: its direction
 * @sectors: what it had
 * @took_ns: what that took
 */
void fwy_cost_learn_pace(struct fwy_cost *cost, bool is_write, u64 sectors,
			 u64 took_ns)
{
	u64 *pace_ns = &cost->pace_ns[is_write];
	u64 value_ns;

	if (sectors < FWY_LEARN_SECTORS)
		return;
	value_ns = div64_u64(took_ns, sectors);
	if (!*pace_ns)
		*pace_ns = value_ns;
	*pace_ns -= *pace_ns >> FWY_PACE_SHIFT;
	*pace_ns += value_ns >> FWY_PACE_SHIFT;
}
