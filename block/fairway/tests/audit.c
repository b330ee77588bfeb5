// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the books of a scheduler balance: what is counted is what is there,
 * and whoever has something to do stands where it will be found.
 */
#include "audit.h"

static void audit_that(struct fwy_audit *audit, bool is_right, const char *claim)
{
	if (!is_right && !audit->complaint)
		audit->complaint = claim;
}

static void audit_tree(struct fwy_audit *audit, const struct fwy_queue *queue)
{
	struct rb_node *node = rb_first_cached(&queue->items);
	const struct fwy_item *last = NULL;
	unsigned int nr = 0;

	for (; node; node = rb_next(node)) {
		const struct fwy_item *item = rb_entry(node, struct fwy_item,
						       node);

		audit_that(audit, item->queue == queue, "a stranger in a tree");
		audit_that(audit, !last || last->round < item->round ||
			   (last->round == item->round &&
			    last->sector <= item->sector),
			   "a tree is in order");
		last = item;
		nr++;
	}
	audit_that(audit, nr <= queue->queued, "a tree has what is queued");
}

static void audit_queue(struct fwy_audit *audit, const struct fwy_queue *queue)
{
	const struct fwy_sched *sched = audit->sched;
	bool has_turn = sched->turn.queue == queue;
	const struct fwy_item *item;
	unsigned int nr = 0;

	list_for_each_entry(item, &queue->fifo, entry) {
		audit_that(audit, item->state == FWY_ITEM_QUEUED &&
			   item->queue == queue, "a list has what is queued");
		nr++;
	}
	audit_that(audit, nr == queue->queued, "a queue counts its items");
	audit_tree(audit, queue);
	audit->queued += queue->queued;
	audit->in_device += queue->in_device;
	audit->backlog += fwy_fair_has(queue);
	audit_that(audit, list_empty(&queue->waiting) == !fwy_fair_has(queue),
		   "who waits is in both orders");
	audit_that(audit, !has_turn || !fwy_fair_has(queue),
		   "who has the turn does not wait for it");
	if (queue->kind == FWY_BACKGROUND)
		audit_that(audit, !fwy_fair_has(queue), "the idle class waits");
	else
		audit_that(audit, !queue->queued || has_turn ||
			   fwy_fair_has(queue),
			   "who has something will be found");
	audit_that(audit, !sched->is_sorted || queue->queued ||
		   !fwy_fair_has(queue), "who has nothing does not wait");
}

static void audit_backlog(struct fwy_audit *audit)
{
	struct rb_node *node = rb_first_cached(&audit->sched->fair.backlog);
	const struct fwy_queue *last = NULL;
	unsigned int nr = 0;

	for (; node; node = rb_next(node)) {
		const struct fwy_queue *queue = rb_entry(node, struct fwy_queue,
							 node);

		audit_that(audit, !last || last->key < queue->key ||
			   (last->key == queue->key &&
			    last->place <= queue->place),
			   "the backlog is in order");
		last = queue;
		nr++;
	}
	audit_that(audit, nr == audit->sched->fair.nr_backlog &&
		   nr == audit->backlog, "the backlog is counted");
}

/**
 * fwy_audit_begin() - begin with the queues that every device has
 * @audit: the look
 * @sched: the scheduler
 */
void fwy_audit_begin(struct fwy_audit *audit, const struct fwy_sched *sched)
{
	*audit = (struct fwy_audit) { .sched = sched };
	audit_queue(audit, &sched->crowd);
	audit_queue(audit, &sched->writeback);
	audit_queue(audit, &sched->background);
}

/**
 * fwy_audit_flow() - go on with a flow; each must be had once
 * @audit: the look
 * @flow: the flow
 */
void fwy_audit_flow(struct fwy_audit *audit, const struct fwy_flow *flow)
{
	audit_queue(audit, &flow->queue);
	audit_that(audit, flow->in_crowd <= flow->pending,
		   "what is in the crowd is pending");
	audit->crowd_flows += !!flow->in_crowd;
}

/**
 * fwy_audit_end() - compare it with the scheduler's own counts
 * @audit: the look, which had all flows
 *
 * Return: NULL, or the claim that does not hold.
 */
const char *fwy_audit_end(struct fwy_audit *audit)
{
	const struct fwy_sched *sched = audit->sched;

	audit_backlog(audit);
	audit_that(audit, audit->queued == sched->queued,
		   "what is queued is counted");
	audit_that(audit, audit->in_device <= sched->in_device,
		   "what is in the device is counted");
	audit_that(audit, audit->crowd_flows == sched->crowd_flows,
		   "the crowd's flows are counted");
	audit_that(audit, sched->in_device || !sched->in_flight_ns,
		   "nothing in the device takes no time");
	audit_that(audit, sched->is_sorted || !sched->turn.queue,
		   "there are no turns where seeks cost nothing");
	return audit->complaint;
}
