// SPDX-License-Identifier: GPL-2.0
/*
 * Files in /sys/kernel/debug/block/<disk>/sched/:
 *
 *	books		what was counted; always
 *	state		who has the turn, what was learned; always
 *	watch		1 or 0 turns it on or off; how long requests waited, beside
 *			how long they may
 *	histogram	the same waits by length
 *	flows		what each process had
 *
 * The last three are empty while the watch is off.
 *
 * The books: gauges first, all 0 when nothing is going on.  Counters since the
 * scheduler was selected, summed over the CPUs; when nothing is going on
 *
 *	tickets == returned + prepared_tickets
 *	prepared == finished
 *	inserted == dispatched + merged
 *	rescued == 0, unless a CPU went offline: waiters that were not told
 */
#include <linux/seq_file.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

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
	unsigned int i, waiting = 0;
	u64 limit = 0;
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
	seq_printf(m, "limit %llu\n", limit);
	for (i = 0; i < FAIRWAY_NR_COUNTS; i++)
		seq_printf(m, "%s %llu\n", fairway_count_name[i],
			   fairway_count_read(fq, i));

	percpu_ref_put(&q->q_usage_counter);
	return 0;
}

static u64 fairway_us(u64 ns)
{
	return div_u64(ns, NSEC_PER_USEC);
}

/* What is learned, and who has the turn. */
static int fairway_state_show(void *data, struct seq_file *m)
{
	struct fairway_queue *fq = fairway_queue(data);
	const struct fwy_sched *sched = &fq->sched;
	const struct fwy_queue *queue;

	spin_lock_irq(&fq->lock);
	queue = sched->turn.queue;
	seq_printf(m, "sorted %u\n", sched->is_sorted);
	seq_printf(m, "backlog %u\n", sched->fair.nr_backlog);
	seq_printf(m, "now %llu\n", sched->fair.now);
	seq_printf(m, "crowd_flows %u\n", sched->crowd_flows);
	seq_printf(m, "overlaps %u\n", sched->overlap.is_seen);
	seq_printf(m, "in_flight_us %llu\n", fairway_us(sched->in_flight_ns));
	seq_printf(m, "turn %u\n", sched->turn.number);
	seq_printf(m, "turn_queue %s\n",
		   queue ? fairway_kind_name[queue->kind] : "none");
	seq_printf(m, "turn_pid %d\n", queue ? fairway_queue_pid(queue) : 0);
	seq_printf(m, "quantum_us %llu\n", fairway_us(sched->turn.quantum_ns));
	seq_printf(m, "switch_us %llu\n", fairway_us(sched->cost.switch_ns));
	seq_printf(m, "read_sector_ns %llu\n", sched->cost.sector_ns[0]);
	seq_printf(m, "write_sector_ns %llu\n", sched->cost.sector_ns[1]);
	seq_printf(m, "read_request_ns %llu\n", sched->cost.request_ns[0]);
	seq_printf(m, "write_request_ns %llu\n", sched->cost.request_ns[1]);
	seq_printf(m, "hold %u\n", sched->hold.limit);
	seq_printf(m, "window_us %llu\n", fairway_us(sched->window.open_ns));
	spin_unlock_irq(&fq->lock);
	return 0;
}

#define FAIRWAY_NR_WAITS	(1 + 3 * FWY_NR_CLASSES)

static const char *const fairway_waits_name[FAIRWAY_NR_WAITS] = {
	"line",
	"order_read", "order_write", "order_async",
	"turn_read", "turn_write", "turn_async",
	"device_read", "device_write", "device_async",
};

/* All waits, by the names above. */
static const struct fwy_waits *fairway_waits(const struct fwy_watch *watch,
					     unsigned int i)
{
	const struct fwy_waits *const waits[] = {
		watch->order, watch->way, watch->device
	};

	return i ? &waits[(i - 1) / FWY_NR_CLASSES][(i - 1) % FWY_NR_CLASSES] :
		   &watch->line;
}

static void fairway_waits_print(struct seq_file *m, const char *name,
				const struct fwy_waits *waits)
{
	u64 mean_ns = waits->number ? div64_u64(waits->sum_ns, waits->number) : 0;

	seq_printf(m, "%s %llu %llu %llu %llu %llu %llu\n", name, waits->number,
		   fairway_us(mean_ns), fairway_us(waits->longest_ns),
		   fairway_us(waits->bound_ns), waits->permille,
		   waits->violations);
}

static int fairway_watch_show(void *data, struct seq_file *m)
{
	struct fairway_queue *fq = fairway_queue(data);
	const struct fwy_watch *watch = &fq->watch;
	u64 bound_ns = 0;
	unsigned int i;

	spin_lock_irq(&fq->lock);
	seq_printf(m, "watched %u\n", fq->is_watched);
	if (fq->is_watched) {
		if (fq->sched.is_sorted)
			bound_ns = fwy_watch_turn_bound_ns(watch, &fq->sched);
		seq_printf(m, "seconds %llu\n",
			   div_u64(fwy_elapsed_ns(watch->since_ns,
						  ktime_get_ns()),
				   NSEC_PER_SEC));
		seq_printf(m, "turn_bound_us %llu\n", fairway_us(bound_ns));
		seq_puts(m, "# wait number mean_us longest_us bound_us permille violations\n");
		for (i = 0; i < FAIRWAY_NR_WAITS; i++)
			fairway_waits_print(m, fairway_waits_name[i],
					    fairway_waits(watch, i));
	}
	spin_unlock_irq(&fq->lock);
	return 0;
}

static ssize_t fairway_watch_write(void *data, const char __user *buf,
				   size_t count, loff_t *ppos)
{
	bool is_on;
	int err;

	err = kstrtobool_from_user(buf, count, &is_on);
	if (err)
		return err;
	fairway_watch(fairway_queue(data), is_on);
	return count;
}

static int fairway_histogram_show(void *data, struct seq_file *m)
{
	struct fairway_queue *fq = fairway_queue(data);
	unsigned int i, slot;

	spin_lock_irq(&fq->lock);
	if (!fq->is_watched)
		goto out;
	seq_puts(m, "# up_to_us");
	for (i = 0; i < FAIRWAY_NR_WAITS; i++)
		seq_printf(m, " %s", fairway_waits_name[i]);
	seq_putc(m, '\n');
	for (slot = 0; slot < FWY_WAIT_SLOTS; slot++) {
		seq_printf(m, "%llu", 1ULL << slot);
		for (i = 0; i < FAIRWAY_NR_WAITS; i++)
			seq_printf(m, " %llu",
				   fairway_waits(&fq->watch, i)->slot[slot]);
		seq_putc(m, '\n');
	}
out:
	spin_unlock_irq(&fq->lock);
	return 0;
}

static void *fairway_flows_start(struct seq_file *m, loff_t *pos)
	__acquires(&fairway_queue(m->private)->lock)
{
	struct fairway_queue *fq = fairway_queue(m->private);

	spin_lock_irq(&fq->lock);
	return fq->is_watched ? seq_list_start_head(&fq->flows, *pos) : NULL;
}

static void *fairway_flows_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &fairway_queue(m->private)->flows, pos);
}

static void fairway_flows_stop(struct seq_file *m, void *v)
	__releases(&fairway_queue(m->private)->lock)
{
	spin_unlock_irq(&fairway_queue(m->private)->lock);
}

static void fairway_tally_print(struct seq_file *m,
				const struct fwy_tally *tally)
{
	seq_printf(m, " %llu %llu %llu %llu %llu %llu\n", tally->requests,
		   tally->sectors[0], tally->sectors[1],
		   fairway_us(tally->took_ns), fairway_us(tally->wait_ns),
		   fairway_us(tally->longest_ns));
}

/* Those that had nothing and have nothing are left out. */
static int fairway_flows_show(struct seq_file *m, void *v)
{
	struct fairway_queue *fq = fairway_queue(m->private);
	const struct fairway_flow *flow;
	const char *kind = "own";

	if (v == &fq->flows) {
		seq_puts(m, "# pid queue pending queued in_device key used_us requests read_sectors write_sectors took_us wait_us longest_us\n");
		seq_puts(m, "0 ended 0 0 0 0 0");
		fairway_tally_print(m, &fq->ended);
		return 0;
	}
	flow = list_entry(v, struct fairway_flow, entry);
	if (!flow->tally.requests && !flow->core.pending)
		return 0;
	if (flow == fq->writeback)
		kind = "writeback";
	else if (flow == fq->common)
		kind = "common";
	else if (flow->core.in_crowd)
		kind = "crowd";
	seq_printf(m, "%d %s %u %u %u %llu %llu", flow->pid, kind,
		   flow->core.pending, flow->core.queue.queued,
		   flow->core.queue.in_device, flow->core.queue.key,
		   fairway_us(flow->core.queue.used_ns));
	fairway_tally_print(m, &flow->tally);
	return 0;
}

static const struct seq_operations fairway_flows_ops = {
	.start	= fairway_flows_start,
	.next	= fairway_flows_next,
	.stop	= fairway_flows_stop,
	.show	= fairway_flows_show,
};

const struct blk_mq_debugfs_attr fairway_queue_debugfs_attrs[] = {
	{"books", 0400, fairway_books_show},
	{"state", 0400, fairway_state_show},
	{"watch", 0600, fairway_watch_show, fairway_watch_write},
	{"histogram", 0400, fairway_histogram_show},
	{"flows", 0400, .seq_ops = &fairway_flows_ops},
	{},
};
