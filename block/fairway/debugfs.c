// SPDX-License-Identifier: GPL-2.0
/*
 * The books: /sys/kernel/debug/block/<disk>/sched/books.
 *
 * Gauges first, all 0 when nothing is going on.  Counters since the scheduler
 * was selected, summed over the CPUs; when nothing is going on
 *
 *	tickets == returned + prepared_tickets
 *	prepared == finished
 *	inserted == dispatched + merged
 *	rescued == 0, unless a CPU went offline: waiters that were not told
 */
#include <linux/seq_file.h>

#include "fairway.h"

static const char *const fairway_count_name[FAIRWAY_NR_COUNTS] = {
	[FAIRWAY_TICKETS]		= "tickets",
	[FAIRWAY_RETURNED]		= "returned",
	[FAIRWAY_WAITS]			= "waits",
	[FAIRWAY_RESCUED]		= "rescued",
	[FAIRWAY_REFUSED]		= "refused",
	[FAIRWAY_PREPARED]		= "prepared",
	[FAIRWAY_PREPARED_TICKETS]	= "prepared_tickets",
	[FAIRWAY_FINISHED]		= "finished",
	[FAIRWAY_INSERTED]		= "inserted",
	[FAIRWAY_REQUEUED]		= "requeued",
	[FAIRWAY_DISPATCHED]		= "dispatched",
	[FAIRWAY_MERGED]		= "merged",
};

static u64 fairway_count_read(const struct fairway_queue *fq,
			      enum fairway_count what)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(fq->counts, cpu)->count[what];
	return sum;
}

/*
 * Pools and tags go while the queue is frozen without references, so with one
 * they stay.  A queue that is frozen for long cannot be read.
 */
static int fairway_books_show(void *data, struct seq_file *m)
{
	struct request_queue *q = data;
	struct fairway_queue *fq = fairway_queue(q);
	unsigned int i, limit = 0, waiting = 0;
	int held = 0;

	if (!percpu_ref_tryget(&q->q_usage_counter))
		return -EBUSY;

	for (i = 0; i < fq->nr_pools; i++) {
		struct fairway_pool *pool = fq->pool[i];

		held += atomic_read(&pool->held);
		waiting += READ_ONCE(pool->nr_waiting);
		limit += fairway_pool_limit(pool);
	}
	seq_printf(m, "held %d\n", held);
	seq_printf(m, "waiting %u\n", waiting);
	seq_printf(m, "queued %u\n", fairway_queued(fq));
	seq_printf(m, "in_device %u\n", READ_ONCE(fq->sched.in_device));
	seq_printf(m, "limit %u\n", limit);
	for (i = 0; i < FAIRWAY_NR_COUNTS; i++)
		seq_printf(m, "%s %llu\n", fairway_count_name[i],
			   fairway_count_read(fq, i));

	percpu_ref_put(&q->q_usage_counter);
	return 0;
}

const struct blk_mq_debugfs_attr fairway_queue_debugfs_attrs[] = {
	{"books", 0400, fairway_books_show},
	{},
};
