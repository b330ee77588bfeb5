// SPDX-License-Identifier: GPL-2.0
/*
 * What a request costs the device, learned from its completions.
 *
 * Where seeks cost, a request that goes on where the head is shows what a sector
 * takes; any other shows what it takes to get there.  The time of a request begins
 * when the one before it is through, so requests that wait in the device do not
 * seem slow.
 *
 * Elsewhere many are served at a time, and one says nothing.  What a device did
 * in a while in which it was busy, and how long that was, shows what each request
 * and each sector takes of its time.
 */
#include <linux/bitops.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core.h"

/* No request begins there. */
#define FWY_NOWHERE	(~0ULL)

/* To start with: 50 MB/s, and a disk's mean seek and half a rotation. */
#define FWY_SECTOR_NS	10000
#define FWY_SWITCH_NS	(10 * NSEC_PER_MSEC)

/*
 * Elsewhere: 500 MB/s, and a request takes about what 8 KiB do, since drives that
 * stream 500 MB/s to 3 GB/s do 60,000 to 400,000 small reads a second.  To discard
 * is little more than one command.
 */
#define FWY_BUSY_SECTOR_NS	1000
#define FWY_BUSY_REQUEST_NS	16000
#define FWY_DISCARD_SECTOR_NS	8
#define FWY_DISCARD_REQUEST_NS	100000

/* Shorter ones say more about the bus than about the medium. */
#define FWY_LEARN_SECTORS	64

/*
 * A value far above what is known is a stall (error recovery, a thermal pause)
 * more often than news: it counts as this much of what is known.  A device that
 * really changed is followed within some tens of requests all the same.
 */
#define FWY_OUTLIER	4

/*
 * An epoch corrects a quarter of the error, and no value by more than a quarter.
 * Changes relative to the value are in 2^16ths.
 */
#define FWY_EPOCH_PART	4
#define FWY_STEP_SHIFT	16
#define FWY_STEP_MAX	(BIT(FWY_STEP_SHIFT) / 4)

/* What was expected is taken with so many bits: then squares fit into 64. */
#define FWY_PART_BITS	30

/* Below it a value could not change by a quarter; above are 0.5 MB/s, or 1 s. */
#define FWY_COST_MIN_NS		8
#define FWY_SECTOR_MAX_NS	BIT(20)
#define FWY_REQUEST_MAX_NS	BIT(30)

/* Each op has two values: requests, and then sectors. */
#define FWY_NR_COSTS	(2 * FWY_NR_OPS)

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

/**
 * fwy_cost_init() - a device of which nothing is known
 * @cost: the model
 * @is_sorted: whether seeks cost
 */
void fwy_cost_init(struct fwy_cost *cost, bool is_sorted)
{
	*cost = (struct fwy_cost) {
		.sector_ns = { FWY_SECTOR_NS, FWY_SECTOR_NS, FWY_SECTOR_NS },
		.switch_ns = FWY_SWITCH_NS,
		.seek_ns = FWY_SWITCH_NS,
		.head = FWY_NOWHERE,
	};
	if (is_sorted)
		return;
	*cost = (struct fwy_cost) {
		.request_ns = { FWY_BUSY_REQUEST_NS, FWY_BUSY_REQUEST_NS,
				FWY_DISCARD_REQUEST_NS },
		.sector_ns = { FWY_BUSY_SECTOR_NS, FWY_BUSY_SECTOR_NS,
			       FWY_DISCARD_SECTOR_NS },
	};
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
	/* By what it did, which need not be the order it was told. */
	bool is_near = item->sector == cost->head;
	u64 took_ns = now_ns - max(item->dispatched_ns, cost->done_ns);
	u64 transfer_ns = fwy_cost_ns(cost, item);
	u64 way_ns = took_ns > transfer_ns ? took_ns - transfer_ns : 0;

	cost->done_ns = now_ns;
	cost->head = item->sector + item->sectors;
	if (!is_near) {
		fwy_average(&cost->switch_ns, way_ns);
		if (item->op == FWY_OP_READ)
			fwy_learn_seek(&cost->seek_ns, way_ns);
	} else if (item->sectors >= FWY_LEARN_SECTORS) {
		fwy_average(&cost->sector_ns[item->op],
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

static u64 *fwy_cost_value(struct fwy_cost *cost, int i)
{
	return i % 2 ? &cost->sector_ns[i / 2] : &cost->request_ns[i / 2];
}

static u64 fwy_cost_part(const struct fwy_cost *cost,
			 const struct fwy_epoch *epoch, int i)
{
	const struct fwy_amount *done = &epoch->done[i / 2];

	return i % 2 ? cost->sector_ns[i / 2] * done->sectors :
		       cost->request_ns[i / 2] * done->requests;
}

/**
 * fwy_cost_of() - the device time for all that was done in an epoch
 * @cost: the model
 * @epoch: the epoch
 *
 * Return: the time in ns.
 */
u64 fwy_cost_of(const struct fwy_cost *cost, const struct fwy_epoch *epoch)
{
	u64 ns = 0;
	int i;

	for (i = 0; i < FWY_NR_COSTS; i++)
		ns += fwy_cost_part(cost, epoch, i);
	return ns;
}

static void fwy_cost_adjust(struct fwy_cost *cost, int i, u64 step, bool is_more)
{
	u64 *value = fwy_cost_value(cost, i);
	u64 most = i % 2 ? FWY_SECTOR_MAX_NS : FWY_REQUEST_MAX_NS;
	u64 change = *value * min_t(u64, step, FWY_STEP_MAX) >> FWY_STEP_SHIFT;
	u64 adjusted = is_more ? *value + change : *value - change;

	*value = min(max_t(u64, adjusted, FWY_COST_MIN_NS), most);
}

/**
 * fwy_cost_learn_epoch() - a device was busy all the time
 * @cost: the model
 * @epoch: what it did, something at least
 *
 * Normalised least mean squares (Widrow and Hoff), each value measured by what it
 * is now: value *= 1 + part of the error * its part / sum of squares of all parts.
 * So what had the greater part in what was expected gets the greater part of the
 * error, and epochs of different mixes tell the values apart.
 */
void fwy_cost_learn_epoch(struct fwy_cost *cost, const struct fwy_epoch *epoch)
{
	u64 expected_ns = fwy_cost_of(cost, epoch);
	u64 took_ns = min(epoch->took_ns, expected_ns * FWY_OUTLIER);
	int shift = max(fls64(expected_ns), FWY_PART_BITS) - FWY_PART_BITS;
	bool is_more = took_ns > expected_ns;
	u64 error, part[FWY_NR_COSTS], squares = 0;
	int i;

	error = is_more ? took_ns - expected_ns : expected_ns - took_ns;
	error = error / FWY_EPOCH_PART >> shift;
	for (i = 0; i < FWY_NR_COSTS; i++) {
		part[i] = fwy_cost_part(cost, epoch, i) >> shift;
		squares += part[i] * part[i];
	}
	squares = max_t(u64, squares >> FWY_STEP_SHIFT, 1);
	for (i = 0; i < FWY_NR_COSTS; i++)
		fwy_cost_adjust(cost, i, div64_u64(part[i] * error, squares),
				is_more);
}
