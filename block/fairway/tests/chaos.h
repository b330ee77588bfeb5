/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whatever may be done to a scheduler, in any order, for tests of the core.
 */
#ifndef _FWY_TESTS_CHAOS_H
#define _FWY_TESTS_CHAOS_H

#include "core/core.h"

#define CHAOS_FLOWS	8
#define CHAOS_ITEMS	48

/**
 * struct chaos - one scheduler, and what was done to it
 * @draw: gives the next number that decides; chaos ends when it says so
 * @draw_arg: its argument
 * @is_over: set by @draw when there are no more numbers
 * @params: the knobs
 * @sched: the scheduler
 * @flow: the flows
 * @item: the items
 * @state: of each item as it should be
 * @depth: how many the device takes
 * @now_ns: the time
 * @wake_ns: when to ask, 0 for not by time
 * @asked_ns: when it had nothing, 0 if something changed since then
 * @is_told: whether somebody is to ask, or asks
 * @dispatched: items that came out
 * @complaint: what went wrong, or NULL
 *
 * Per test.
 */
struct chaos {
	u32 (*draw)(struct chaos *chaos);
	void *draw_arg;
	bool is_over;
	struct fwy_params params;
	struct fwy_sched sched;
	struct fwy_flow flow[CHAOS_FLOWS];
	struct fwy_item item[CHAOS_ITEMS];
	enum fwy_item_state state[CHAOS_ITEMS];
	unsigned int depth;
	u64 now_ns;
	u64 wake_ns;
	u64 asked_ns;
	bool is_told;
	u64 dispatched;
	const char *complaint;
};

void chaos_init(struct chaos *chaos, u32 (*draw)(struct chaos *chaos),
		void *draw_arg);
const char *chaos_run(struct chaos *chaos, unsigned int steps);
const char *chaos_drain(struct chaos *chaos);

#endif /* _FWY_TESTS_CHAOS_H */
