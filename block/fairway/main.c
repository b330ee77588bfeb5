// SPDX-License-Identifier: GPL-2.0
/*
 * Fairway I/O scheduler: registration, set-up and tear-down of a device.
 *
 * See Documentation/block/fairway-iosched.rst on its use and
 * Documentation/block/fairway-design.rst on why it is as it is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"
#include "fairway.h"
#include "blk-mq.h"

/* Hardware queues with tags of their own have a pool each. */
static unsigned int fairway_nr_pools(const struct request_queue *q)
{
	return blk_mq_is_shared_tags(q->tag_set->flags) ? 1 : q->nr_hw_queues;
}

static unsigned int fairway_pool_index(const struct blk_mq_hw_ctx *hctx)
{
	return blk_mq_is_shared_tags(hctx->flags) ? 0 : hctx->queue_num;
}

/* Commands that the device takes at a time, over all its hardware queues. */
static unsigned int fairway_depth(const struct request_queue *q)
{
	unsigned int queues = blk_mq_is_shared_tags(q->tag_set->flags) ?
			      1 : q->nr_hw_queues;

	return q->tag_set->queue_depth * queues;
}

/*
 * Called with the queue frozen and before it is run again.  Reclaim must not
 * wait for I/O to this very device.
 */
static struct fairway_queue *fairway_queue_alloc(struct request_queue *q)
{
	unsigned int nr_pools = fairway_nr_pools(q);
	struct fairway_queue *fq;

	fq = kzalloc_node(struct_size(fq, pool, nr_pools), GFP_NOIO, q->node);
	if (!fq)
		return NULL;
	fq->counts = alloc_percpu_gfp(struct fairway_counts,
				      GFP_NOIO | __GFP_ZERO);
	if (!fq->counts)
		goto err_queue;
	fq->common = fairway_flow_alloc(nr_pools, FWY_SEAT_COMMON, GFP_NOIO,
					q->node);
	if (!fq->common)
		goto err_counts;
	fq->writeback = fairway_flow_alloc(nr_pools, FWY_SEAT_WRITEBACK,
					   GFP_NOIO, q->node);
	if (!fq->writeback)
		goto err_common;

	fq->q = q;
	fq->depth = fairway_depth(q);
	fq->nr_pools = nr_pools;
	spin_lock_init(&fq->lock);
	INIT_LIST_HEAD(&fq->untracked);
	fwy_params_init(&fq->params);
	fwy_sched_init(&fq->sched, &fq->params, !blk_queue_nonrot(q));
	INIT_LIST_HEAD(&fq->flows);
	list_add(&fq->common->entry, &fq->flows);
	list_add(&fq->writeback->entry, &fq->flows);
	hrtimer_init(&fq->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	fq->timer.function = fairway_timer;
	fairway_observe_begin(fq);
	return fq;

err_common:
	kfree(fq->common);
err_counts:
	free_percpu(fq->counts);
err_queue:
	kfree(fq);
	return NULL;
}

static void fairway_queue_free(struct fairway_queue *fq)
{
	hrtimer_cancel(&fq->timer);
	fairway_observe_end(fq);
	WARN_ON_ONCE(fairway_queued(fq));
	WARN_ON_ONCE(fq->sched.in_device);
	WARN_ON_ONCE(atomic_read(&fq->common->refs) != 1);
	WARN_ON_ONCE(atomic_read(&fq->writeback->refs) != 1);
	kfree(fq->common);
	kfree(fq->writeback);
	free_percpu(fq->counts);
	kfree(fq);
}

static int fairway_init_sched(struct request_queue *q, struct elevator_type *e)
{
	struct elevator_queue *eq = elevator_alloc(q, e);

	if (!eq)
		return -ENOMEM;
	eq->elevator_data = fairway_queue_alloc(q);
	if (!eq->elevator_data) {
		kobject_put(&eq->kobj);
		return -ENOMEM;
	}
	/* One order for all hardware queues, so one of them runs it. */
	blk_queue_flag_set(QUEUE_FLAG_SQ_SCHED, q);
	q->elevator = eq;
	return 0;
}

/* Called with the queue frozen: no request is left, and nobody waits. */
static void fairway_exit_sched(struct elevator_queue *e)
{
	struct fairway_queue *fq = e->elevator_data;

	/* Also where the selection failed, and no successor decides on it. */
	blk_queue_flag_clear(QUEUE_FLAG_SQ_SCHED, fq->q);
	fairway_queue_free(fq);
}

static int fairway_init_hctx(struct blk_mq_hw_ctx *hctx, unsigned int index)
{
	struct fairway_queue *fq = fairway_queue(hctx->queue);
	unsigned int pool = fairway_pool_index(hctx);

	if (!fq->pool[pool])
		fq->pool[pool] = fairway_pool_alloc(fq, hctx, pool);
	if (!fq->pool[pool])
		return -ENOMEM;
	fq->pool[pool]->nr_users++;
	hctx->sched_data = fq->pool[pool];
	return 0;
}

static void fairway_exit_hctx(struct blk_mq_hw_ctx *hctx, unsigned int index)
{
	struct fairway_pool *pool = hctx->sched_data;

	if (--pool->nr_users)
		return;
	pool->fq->pool[pool->index] = NULL;
	fairway_pool_free(pool);
}

/*
 * Called with the queue frozen, after the tags of @hctx changed and before
 * q->nr_requests does.
 */
static void fairway_depth_updated(struct blk_mq_hw_ctx *hctx)
{
	if (fairway_pool_fit(hctx->sched_data))
		pr_warn_ratelimited("no memory for %u requests: the rest is served unsorted\n",
				    hctx->sched_tags->nr_tags);
}

/*
 * The pool to begin with: what is not in it cannot be ordered.  64 readers of
 * files have two requests each; more would only take memory (about 100 KiB for
 * these) and, with bounds that do not depend on it, bring nothing.
 */
#define FAIRWAY_REQUESTS	256

static struct elevator_type fairway_elevator = {
	.ops = {
		.init_sched		= fairway_init_sched,
		.exit_sched		= fairway_exit_sched,
		.init_hctx		= fairway_init_hctx,
		.exit_hctx		= fairway_exit_hctx,
		.depth_updated		= fairway_depth_updated,
		.init_icq		= fairway_init_icq,
		.exit_icq		= fairway_exit_icq,
		.limit_depth		= fairway_limit_depth,
		.prepare_request	= fairway_prepare_request,
		.finish_request		= fairway_finish_request,
		.insert_requests	= fairway_insert_requests,
		.dispatch_request	= fairway_dispatch_request,
		.has_work		= fairway_has_work,
		.completed_request	= fairway_completed_request,
		.requeue_request	= fairway_requeue_request,
		.allow_merge		= fairway_allow_merge,
		.bio_merge		= fairway_bio_merge,
		.request_merge		= fairway_request_merge,
		.request_merged		= fairway_request_merged,
		.requests_merged	= fairway_requests_merged,
		.former_request		= fairway_former_request,
		.next_request		= fairway_next_request,
	},
	.icq_size	= sizeof(struct fairway_icq),
	.icq_align	= __alignof__(struct fairway_icq),
	.elevator_attrs	= fairway_attrs,
	.elevator_name	= "fairway",
	.elevator_owner	= THIS_MODULE,
#ifdef CONFIG_BLK_DEBUG_FS
	.queue_debugfs_attrs = fairway_queue_debugfs_attrs,
#endif
};

static int __init fairway_init(void)
{
	fairway_begin_with(&fairway_elevator, FAIRWAY_REQUESTS);
	return elv_register(&fairway_elevator);
}

static void __exit fairway_exit(void)
{
	elv_unregister(&fairway_elevator);
}

module_init(fairway_init);
module_exit(fairway_exit);

MODULE_DESCRIPTION("Fairway I/O scheduler");
MODULE_LICENSE("GPL");
