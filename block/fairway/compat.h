/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a stock kernel lacks: two of the hunks that Fairway's own tree has.  The
 * module for stock kernels is built with FAIRWAY_STOCK; see
 * Documentation/block/fairway-iosched.rst on what its users notice.
 */
#ifndef _FAIRWAY_COMPAT_H
#define _FAIRWAY_COMPAT_H

#include <linux/types.h>

#include "elevator.h"

#ifdef FAIRWAY_STOCK

/* nr_requests stays what the block layer makes it: twice the device's depth. */
static inline void fairway_begin_with(struct elevator_type *type,
				      unsigned int nr_requests)
{
}

/* blk-mq goes on with nr_tags = 0: who may not wait takes what there is. */
static inline bool fairway_can_refuse(void)
{
	return false;
}

#else

static inline void fairway_begin_with(struct elevator_type *type,
				      unsigned int nr_requests)
{
	type->elevator_requests = nr_requests;
}

static inline bool fairway_can_refuse(void)
{
	return true;
}

#endif
#endif /* _FAIRWAY_COMPAT_H */
