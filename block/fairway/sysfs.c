// SPDX-License-Identifier: GPL-2.0
/*
 * The knobs under queue/iosched/.  Their limits are in core/param.c.
 */
#include <linux/kernel.h>
#include <linux/sysfs.h>

#include "fairway.h"

static ssize_t fairway_knob_show(struct elevator_queue *e, char *page,
				 enum fwy_param param)
{
	struct fairway_queue *fq = e->elevator_data;

	return sysfs_emit(page, "%u\n", READ_ONCE(fq->params.value[param]));
}

static ssize_t fairway_knob_store(struct elevator_queue *e, const char *page,
				  size_t count, enum fwy_param param)
{
	struct fairway_queue *fq = e->elevator_data;
	u32 was = READ_ONCE(fq->params.value[param]);
	u64 value;

	if (kstrtou64(page, 10, &value) ||
	    fwy_param_set(&fq->params, param, value))
		return -EINVAL;
	spin_lock_irq(&fq->lock);
	fwy_window_open(&fq->sched);
	spin_unlock_irq(&fq->lock);
	fairway_observe_knob(fq, param, was, value);
	return count;
}

/* The elevator core does not pass the attribute on, so each has functions. */
#define FAIRWAY_SHOW(name, param)					\
static ssize_t fairway_##name##_show(struct elevator_queue *e, char *page) \
{									\
	return fairway_knob_show(e, page, param);			\
}

#define FAIRWAY_STORE(name, param)					\
static ssize_t fairway_##name##_store(struct elevator_queue *e,		\
				      const char *page, size_t count)	\
{									\
	return fairway_knob_store(e, page, count, param);		\
}

FAIRWAY_SHOW(read_expire_ms, FWY_READ_EXPIRE_MS);
FAIRWAY_STORE(read_expire_ms, FWY_READ_EXPIRE_MS);
FAIRWAY_SHOW(write_expire_ms, FWY_WRITE_EXPIRE_MS);
FAIRWAY_STORE(write_expire_ms, FWY_WRITE_EXPIRE_MS);
FAIRWAY_SHOW(async_expire_ms, FWY_ASYNC_EXPIRE_MS);
FAIRWAY_STORE(async_expire_ms, FWY_ASYNC_EXPIRE_MS);
FAIRWAY_SHOW(pass_sectors, FWY_PASS_SECTORS);
FAIRWAY_STORE(pass_sectors, FWY_PASS_SECTORS);
FAIRWAY_SHOW(pass_requests, FWY_PASS_REQUESTS);
FAIRWAY_STORE(pass_requests, FWY_PASS_REQUESTS);
FAIRWAY_SHOW(round_ms, FWY_ROUND_MS);
FAIRWAY_STORE(round_ms, FWY_ROUND_MS);
FAIRWAY_SHOW(turn_min_ms, FWY_TURN_MIN_MS);
FAIRWAY_STORE(turn_min_ms, FWY_TURN_MIN_MS);
FAIRWAY_SHOW(turn_max_ms, FWY_TURN_MAX_MS);
FAIRWAY_STORE(turn_max_ms, FWY_TURN_MAX_MS);
FAIRWAY_SHOW(antic_us, FWY_ANTIC_US);
FAIRWAY_STORE(antic_us, FWY_ANTIC_US);
FAIRWAY_SHOW(async_weight_pct, FWY_ASYNC_WEIGHT_PCT);
FAIRWAY_STORE(async_weight_pct, FWY_ASYNC_WEIGHT_PCT);
FAIRWAY_SHOW(window_us, FWY_WINDOW_US);
FAIRWAY_STORE(window_us, FWY_WINDOW_US);

#define FAIRWAY_ATTR(name) \
	__ATTR(name, 0644, fairway_##name##_show, fairway_##name##_store)

struct elv_fs_entry fairway_attrs[] = {
	FAIRWAY_ATTR(read_expire_ms),
	FAIRWAY_ATTR(write_expire_ms),
	FAIRWAY_ATTR(async_expire_ms),
	FAIRWAY_ATTR(pass_sectors),
	FAIRWAY_ATTR(pass_requests),
	FAIRWAY_ATTR(round_ms),
	FAIRWAY_ATTR(turn_min_ms),
	FAIRWAY_ATTR(turn_max_ms),
	FAIRWAY_ATTR(antic_us),
	FAIRWAY_ATTR(async_weight_pct),
	FAIRWAY_ATTR(window_us),
	__ATTR_NULL
};
