// SPDX-License-Identifier: GPL-2.0
/*
 * The knobs.  Every limit is argued here and nowhere else.
 */
#include <linux/errno.h>

#include "core.h"

#define FWY_MINUTE_MS	60000
#define FWY_GIB_SECTORS	(1024 * 1024 * 2)

const struct fwy_param_info fwy_param_info[FWY_NR_PARAMS] = {
	/*
	 * How long a queue may wait before it precedes virtual time.  Somebody
	 * waits for a read, so half a second: what a person takes for "slow".
	 * Who waits for a write waits for several, one after the other, and
	 * mostly in the background: twice that.  Writeback has nobody waiting:
	 * ten times.  Zero would make every queue due, and shares with it.
	 */
	[FWY_READ_EXPIRE_MS] = { "read_expire_ms", 1, FWY_MINUTE_MS, 500 },
	[FWY_WRITE_EXPIRE_MS] = { "write_expire_ms", 1, FWY_MINUTE_MS, 1000 },
	[FWY_ASYNC_EXPIRE_MS] = { "async_expire_ms", 1, FWY_MINUTE_MS, 5000 },
	/*
	 * How much of others may pass a queue that waits; 0 is no bound.  Less
	 * than a round of turns would fight them: 512 MiB is 64 turns of 40 ms
	 * at 200 MB/s.  Counted in requests (off by default), a small one lets
	 * any large one pass.
	 */
	[FWY_PASS_SECTORS] = { "pass_sectors", 0, FWY_GIB_SECTORS, 1048576 },
	[FWY_PASS_REQUESTS] = { "pass_requests", 0, 1024 * 1024, 0 },
	/*
	 * What the turns of all who wait together take, within the limits for
	 * each.  A quarter of a second is what readers of a disk do not notice;
	 * a turn above 120 ms brings no more than 90 % of streaming, and one
	 * below 16 ms would be shorter than the way to it.
	 */
	[FWY_ROUND_MS] = { "round_ms", 1, FWY_MINUTE_MS, 220 },
	[FWY_TURN_MIN_MS] = { "turn_min_ms", 1, FWY_MINUTE_MS, 16 },
	[FWY_TURN_MAX_MS] = { "turn_max_ms", 1, FWY_MINUTE_MS, 120 },
	/*
	 * How long the device waits for who has the turn; 0 is never.  More
	 * than a seek and half a rotation cannot pay.
	 */
	[FWY_ANTIC_US] = { "antic_us", 0, 1000 * 1000, 8000 },
	/*
	 * Writeback beside processes that wait, as a share of one of them: half
	 * leaves a lone reader two thirds of the disk, and 15 % of it to
	 * writeback beside three.
	 */
	[FWY_ASYNC_WEIGHT_PCT] = { "async_weight_pct", 1, 1000, 50 },
	/*
	 * Device time in flight where seeks cost nothing: what who comes next
	 * waits for.  0 is as little as keeps the device busy.
	 */
	[FWY_WINDOW_US] = { "window_us", 0, 1000 * 1000, 0 },
};

/**
 * fwy_params_init() - set every knob to its default
 * @params: the knobs
 */
void fwy_params_init(struct fwy_params *params)
{
	int i;

	for (i = 0; i < FWY_NR_PARAMS; i++)
		params->value[i] = fwy_param_info[i].def;
}

/**
 * fwy_param_set() - set one knob
 * @params: the knobs
 * @param: which
 * @value: the new value, in the knob's unit
 *
 * Return: 0, or -EINVAL and no change if @value is out of range.
 */
int fwy_param_set(struct fwy_params *params, enum fwy_param param, u64 value)
{
	const struct fwy_param_info *info = &fwy_param_info[param];

	if (value < info->min || value > info->max)
		return -EINVAL;
	WRITE_ONCE(params->value[param], value);
	return 0;
}
