/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the books of a scheduler balance, for tests of the core.
 */
#ifndef _FWY_TESTS_AUDIT_H
#define _FWY_TESTS_AUDIT_H

#include "core/core.h"

/**
 * struct fwy_audit - one look at all of it
 * @sched: the scheduler
 * @queued: items found in queues so far
 * @in_device: items that queues have in the device
 * @backlog: queues found that wait
 * @crowd_flows: flows found that have something in the crowd
 * @complaint: what is wrong, or NULL
 */
struct fwy_audit {
	const struct fwy_sched *sched;
	unsigned int queued;
	unsigned int in_device;
	unsigned int backlog;
	unsigned int crowd_flows;
	const char *complaint;
};

void fwy_audit_begin(struct fwy_audit *audit, const struct fwy_sched *sched);
void fwy_audit_flow(struct fwy_audit *audit, const struct fwy_flow *flow);
const char *fwy_audit_end(struct fwy_audit *audit);

#endif /* _FWY_TESTS_AUDIT_H */
