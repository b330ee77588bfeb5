// SPDX-License-Identifier: GPL-2.0
/*
 * From the running task to its flow.
 */
#include <linux/iocontext.h>
#include <linux/radix-tree.h>
#include <linux/slab.h>

#include "fairway.h"

/**
 * fairway_flow_alloc() - a new flow
 * @nr_pools: pools of the device
 * @kind: how much of a pool it may hold
 * @gfp: how to allocate
 * @node: where
 *
 * Return: the flow with one reference, or NULL without memory.
 */
struct fairway_flow *fairway_flow_alloc(unsigned int nr_pools,
					enum fwy_seat_kind kind, gfp_t gfp,
					int node)
{
	struct fairway_flow *flow;
	unsigned int i;

	flow = kmalloc_node(struct_size(flow, seat, nr_pools), gfp, node);
	if (!flow)
		return NULL;
	fwy_flow_init(&flow->core);
	atomic_set(&flow->refs, 1);
	flow->pieces = 0;
	flow->splitter = NULL;
	flow->lined_ns = 0;
	flow->pid = 0;
	flow->tally = (struct fwy_tally) {};
	for (i = 0; i < nr_pools; i++)
		fwy_seat_init(&flow->seat[i], kind);
	return flow;
}

/**
 * fairway_flow_end() - the last reference to a flow was dropped
 * @fq: the device
 * @flow: the flow
 *
 * For fairway_flow_put().
 *
 * Context: any, hard irq too; without fairway_queue.lock.
 */
void fairway_flow_end(struct fairway_queue *fq, struct fairway_flow *flow)
{
	unsigned long irq_flags;
	bool is_to_run;

	/* The device may be waiting for its next request. */
	spin_lock_irqsave(&fq->lock, irq_flags);
	is_to_run = fwy_sched_forget(&fq->sched, &flow->core);
	list_del(&flow->entry);
	fwy_tally_sum(&fq->ended, &flow->tally);
	fairway_update(fq);
	spin_unlock_irqrestore(&fq->lock, irq_flags);
	/*
	 * blk_mq_run_hw_queues() may take q->queue_lock, which is outside of the
	 * ioc->lock that is held where an icq ends.
	 */
	if (is_to_run)
		blk_mq_delay_run_hw_queues(fq->q, 0);
	/* fairway_pool_turn() may be looking at it. */
	kfree_rcu(flow, rcu);
}

/**
 * fairway_flow_held() - a task of the flow stood in line
 * @fq: the device
 * @flow: the flow
 *
 * Context: process, without fairway_queue.lock.
 */
void fairway_flow_held(struct fairway_queue *fq, struct fairway_flow *flow)
{
	/* Elsewhere nobody looks at what a flow thinks. */
	if (!READ_ONCE(fq->sched.is_sorted))
		return;
	spin_lock_irq(&fq->lock);
	fwy_flow_held(&flow->core);
	spin_unlock_irq(&fq->lock);
}

/**
 * fairway_init_icq() - a task does its first I/O on this device
 * @icq: the new link
 *
 * Called for ioc_find_get_icq() below, with q->queue_lock held.  A task that
 * shares the io_context can see the icq already: the flow has to be complete.
 */
void fairway_init_icq(struct io_cq *icq)
{
	struct fairway_queue *fq = fairway_queue(icq->q);
	struct fairway_icq *fic = container_of(icq, struct fairway_icq, icq);
	struct fairway_flow *flow;
	unsigned long irq_flags;

	flow = fairway_flow_alloc(fq->nr_pools, FWY_SEAT_FLOW,
				  GFP_ATOMIC | __GFP_NOWARN, icq->q->node);
	if (flow) {
		flow->pid = current->pid;
		spin_lock_irqsave(&fq->lock, irq_flags);
		list_add_tail(&flow->entry, &fq->flows);
		spin_unlock_irqrestore(&fq->lock, irq_flags);
	}
	/* Pairs with the dependency on fic->flow of those who find it. */
	smp_store_release(&fic->flow, flow);
}

/**
 * fairway_exit_icq() - the last task ended, or the scheduler is switched away
 * @icq: the link that ends; the flow lives on while its requests do
 */
void fairway_exit_icq(struct io_cq *icq)
{
	struct fairway_icq *fic = container_of(icq, struct fairway_icq, icq);

	if (fic->flow)
		fairway_flow_put(fairway_queue(icq->q), fic->flow);
}

/*
 * The icq without q->queue_lock.  An icq leaves when its last task exits, and
 * current is one, or when the scheduler does, which waits for the
 * q_usage_counter that the submitter holds.  For the same reason the hint may
 * be written here: nobody can be freeing what it is set to.
 */
static inline struct fairway_icq *fairway_icq_find(struct request_queue *q)
{
	struct io_context *ioc = current->io_context;
	struct io_cq *icq;

	if (!ioc)
		return NULL;

	rcu_read_lock();
	icq = rcu_dereference(ioc->icq_hint);
	if (!icq || icq->q != q) {
		icq = radix_tree_lookup(&ioc->icq_tree, q->id);
		if (icq && icq->q == q)
			rcu_assign_pointer(ioc->icq_hint, icq);
		else
			icq = NULL;
	}
	rcu_read_unlock();

	return icq ? container_of(icq, struct fairway_icq, icq) : NULL;
}

/*
 * Kernel threads work for others: a kworker for many, so one flow for it would
 * cap the many to the share of one.
 */
static bool fairway_has_own_flow(void)
{
	return !(current->flags & PF_KTHREAD);
}

static struct fairway_flow *fairway_icq_flow(struct fairway_queue *fq,
					     const struct fairway_icq *fic)
{
	struct fairway_flow *flow;

	if (!fic)
		return fq->common;
	flow = READ_ONCE(fic->flow);	/* see fairway_init_icq() */
	return flow ? flow : fq->common;
}

/**
 * fairway_flow_find_current() - the running task's flow, if it has one
 * @q: the device's queue, with a reference on q_usage_counter
 *
 * Return: its flow, or the common flow: who has none has nothing queued in it.
 *
 * Context: process; fairway_queue.lock may be held.
 */
struct fairway_flow *fairway_flow_find_current(struct request_queue *q)
{
	struct fairway_icq *fic = NULL;

	if (fairway_has_own_flow())
		fic = fairway_icq_find(q);
	return fairway_icq_flow(fairway_queue(q), fic);
}

/**
 * fairway_flow_get_current() - the running task's flow, made if needed
 * @q: the device's queue, with a reference on q_usage_counter
 *
 * Return: its flow, or the common flow where there is no memory for one.
 *
 * Context: process, interrupts on and no lock held; does not sleep.
 */
struct fairway_flow *fairway_flow_get_current(struct request_queue *q)
{
	struct fairway_queue *fq = fairway_queue(q);
	struct fairway_icq *fic;
	struct io_cq *icq;

	lockdep_assert_not_held(&fq->lock);
	if (!fairway_has_own_flow())
		return fq->common;
	fic = fairway_icq_find(q);
	if (unlikely(!fic)) {
		icq = ioc_find_get_icq(q);
		if (!icq)
			return fq->common;
		/* The icq lasts as long as the task: see fairway_icq_find(). */
		put_io_context(icq->ioc);
		fic = container_of(icq, struct fairway_icq, icq);
	}
	return fairway_icq_flow(fq, fic);
}

/**
 * fairway_flow_of() - the flow that a request is accounted to
 * @q: the device's queue, with a reference on q_usage_counter
 * @opf: what the running task submits
 *
 * Return: the flow.
 *
 * Context: as fairway_flow_get_current().
 */
struct fairway_flow *fairway_flow_of(struct request_queue *q, blk_opf_t opf)
{
	return op_is_sync(opf) ? fairway_flow_get_current(q) :
				 fairway_queue(q)->writeback;
}
