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
	 * How long a request may wait before it is preferred to the sweep.
	 * Somebody waits for a read, so half a second: what a person takes for
	 * "slow".  Writes are mostly waited for by the flusher: ten times that.
	 * Zero would make every request overdue, and the sweep with it.
	 */
	[FWY_READ_EXPIRE_MS] = { "read_expire_ms", 1, FWY_MINUTE_MS, 500 },
	[FWY_WRITE_EXPIRE_MS] = { "write_expire_ms", 1, FWY_MINUTE_MS, 5000 },
	/*
	 * How much may pass the oldest request in the sweep; 0 is no bound.
	 * 8 MiB is a quarter of a second of streaming on a slow disk, and room
	 * for a full sweep of one-deep readers.  Counted in requests (off by
	 * default), a small one lets any large one pass.
	 */
	[FWY_PASS_SECTORS] = { "pass_sectors", 0, FWY_GIB_SECTORS, 16384 },
	[FWY_PASS_REQUESTS] = { "pass_requests", 0, 1024 * 1024, 0 },
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
