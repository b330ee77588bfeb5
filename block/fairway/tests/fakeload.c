// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that do I/O on a simulated disk: the core is driven as the glue
 * drives it, in simulated time, and watched on the way.
 */
#include <linux/container_of.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "audit.h"
#include "fakeload.h"

/* The books are looked through after so many events. */
#define AUDIT_STEPS	64

/* Processes do not begin all at once. */
#define START_NS	(2 * NSEC_PER_MSEC)

static void fakeload_complain(struct fakeload *load, const char *complaint)
{
	if (!load->complaint)
		load->complaint = complaint;
}

/**
 * fakeload_init() - a disk without processes
 * @load: all of it
 * @has_head: whether seeks cost
 * @depth: how many requests the disk is given at a time
 * @seed: of what is random
 */
void fakeload_init(struct fakeload *load, bool has_head, unsigned int depth,
		   u32 seed)
{
	fwy_params_init(&load->params);
	fwy_sched_init(&load->sched, &load->params, has_head);
	fakedisk_init(&load->disk, has_head);
	prandom_seed_state(&load->rnd, seed);
	load->depth = depth;
	load->now_ns = NSEC_PER_SEC;
	fwy_watch_init(&load->watch, &load->sched, load->now_ns);
	load->wake_ns = 0;
	load->nr_procs = 0;
	load->nr_ios = 0;
	load->round = 0;
	load->round_ns = load->now_ns;
	load->most_round_ns = 0;
	load->steps = 0;
	load->complaint = NULL;
}

/**
 * fakeload_add() - some processes
 * @load: all of it
 * @kind: what they do; it is kept
 *
 * Those that go on from where they were have each a place of their own.
 */
void fakeload_add(struct fakeload *load, const struct fakekind *kind)
{
	unsigned int i, j;

	for (i = 0; i < kind->count; i++) {
		struct fakeproc *proc = &load->proc[load->nr_procs];

		if (load->nr_procs == FAKELOAD_PROCS ||
		    load->nr_ios + kind->depth > FAKELOAD_IOS) {
			fakeload_complain(load, "too many for this test");
			return;
		}
		*proc = (struct fakeproc) {
			.kind = kind,
			.next_sector = load->nr_procs * 8 *
				div_u64(FAKEDISK_SECTORS, 8 * FAKELOAD_PROCS),
		};
		fwy_flow_init(&proc->flow);
		load->nr_procs++;
		for (j = 0; j < kind->depth; j++) {
			struct fakeio *io = &load->io[load->nr_ios++];

			fwy_item_init(&io->item);
			io->proc = proc;
			io->at_ns = load->now_ns +
				    prandom_u32_state(&load->rnd) % START_NS;
		}
	}
}

static u64 fakeload_sector(struct fakeload *load, struct fakeproc *proc)
{
	const struct fakekind *kind = proc->kind;
	u32 places = div_u64(FAKEDISK_SECTORS, kind->sectors);
	bool has_run = kind->run && !(++proc->asked % kind->run);

	return kind->is_random || has_run ?
	       (u64)(prandom_u32_state(&load->rnd) % places) * kind->sectors :
	       proc->next_sector;
}

static void fakeload_submit(struct fakeload *load, struct fakeio *io)
{
	struct fakeproc *proc = io->proc;
	struct fwy_item *item = &io->item;

	fwy_item_init(item);
	item->flow = &proc->flow;
	item->sector = fakeload_sector(load, proc);
	item->sectors = proc->kind->sectors;
	item->class = proc->kind->class;
	item->op = item->class == FWY_READ ? FWY_OP_READ : FWY_OP_WRITE;
	item->weight = proc->kind->weight;
	item->is_cut = proc->kind->is_cut &&
		       (proc->asked + 1) % proc->kind->run;
	proc->next_sector = item->sector + item->sectors;
	io->at_ns = load->now_ns;
	fwy_sched_add(&load->sched, item, load->now_ns);
	io->ahead = fwy_watch_queued(&load->watch, &load->sched.cost, item,
				     load->now_ns);
}

static void fakeload_watch_round(struct fakeload *load)
{
	load->most_round_ns = max(load->most_round_ns,
				  load->now_ns - load->round_ns);
	if (load->round == load->sched.fair.now)
		return;
	load->round = load->sched.fair.now;
	load->round_ns = load->now_ns;
}

/* The disk is given what the scheduler has for it. */
static void fakeload_pump(struct fakeload *load)
{
	struct fwy_decision decision;
	struct fakeio *io;

	while (fwy_sched_has_work(&load->sched)) {
		struct fwy_item *item = fwy_sched_next(&load->sched, load->depth,
						       load->now_ns, &decision);

		fakeload_watch_round(load);
		if (!item) {
			load->wake_ns = decision.wake_ns;
			break;
		}
		if (item->state != FWY_ITEM_DISPATCHED ||
		    !fakedisk_put(&load->disk, item, load->now_ns))
			fakeload_complain(load, "the disk was given too much");
		io = container_of(item, struct fakeio, item);
		io->dispatched_ns = load->now_ns;
		fwy_watch_dispatched(&load->watch, &load->sched, item,
				     io->ahead, load->now_ns);
	}
	if (fwy_sched_has_work(&load->sched))
		fakeload_complain(load, "it had nothing, and wants to be asked");
	if (!fwy_sched_is_empty(&load->sched) && !load->disk.nr &&
	    load->wake_ns <= load->now_ns)
		fakeload_complain(load, "something is queued, and nobody owes a call");
}

static u64 fakeload_think_ns(struct fakeload *load, const struct fakekind *kind)
{
	bool is_pause = kind->pause_us &&
			!(prandom_u32_state(&load->rnd) % FAKELOAD_PAUSE);

	return (is_pause ? kind->pause_us : kind->think_us) * NSEC_PER_USEC;
}

static void fakeload_finish(struct fakeload *load)
{
	struct fwy_item *item = fakedisk_finish(&load->disk);
	struct fakeio *io = container_of(item, struct fakeio, item);
	struct fakeproc *proc = io->proc;
	u64 wait_ns = load->now_ns - io->at_ns;

	if (item->state != FWY_ITEM_DISPATCHED) {
		fakeload_complain(load, "one was dispatched twice");
		return;
	}
	proc->done++;
	proc->done_sectors += item->sectors;
	proc->wait_ns += wait_ns;
	proc->most_ns = max(proc->most_ns, wait_ns);
	/* As in the glue: what was told before holds no longer. */
	load->wake_ns = 0;
	fwy_watch_done(&load->watch, &load->sched, item, load->sched.queued,
		       io->dispatched_ns, load->now_ns);
	fwy_sched_done(&load->sched, item, load->now_ns, true);
	io->at_ns = load->now_ns + fakeload_think_ns(load, proc->kind);
}

static u64 fakeload_next_ns(const struct fakeload *load, u64 end_ns)
{
	u64 next_ns = end_ns;
	unsigned int i;

	if (load->disk.nr)
		next_ns = min(next_ns, load->disk.done_ns);
	if (load->wake_ns)
		next_ns = min(next_ns, load->wake_ns);
	for (i = 0; i < load->nr_ios; i++)
		if (load->io[i].item.state == FWY_ITEM_IDLE)
			next_ns = min(next_ns, load->io[i].at_ns);
	return next_ns;
}

static void fakeload_step(struct fakeload *load)
{
	unsigned int i;

	if (load->wake_ns && load->wake_ns <= load->now_ns) {
		load->wake_ns = 0;
		fwy_sched_awake(&load->sched);
		fakeload_pump(load);
	}
	if (load->disk.nr && load->disk.done_ns <= load->now_ns) {
		fakeload_finish(load);
		fakeload_pump(load);
	}
	for (i = 0; i < load->nr_ios; i++) {
		struct fakeio *io = &load->io[i];

		if (io->item.state != FWY_ITEM_IDLE || io->at_ns > load->now_ns)
			continue;
		fakeload_submit(load, io);
		fakeload_pump(load);
	}
}

static void fakeload_audit(struct fakeload *load)
{
	struct fwy_audit audit;
	const char *complaint;
	unsigned int i;

	fwy_audit_begin(&audit, &load->sched);
	for (i = 0; i < load->nr_procs; i++)
		fwy_audit_flow(&audit, &load->proc[i].flow);
	complaint = fwy_audit_end(&audit);
	if (complaint)
		fakeload_complain(load, complaint);
	if (load->sched.in_device != load->disk.nr)
		fakeload_complain(load, "what is in the device is there");
}

/**
 * fakeload_run() - let some time pass
 * @load: all of it
 * @run_ns: how much
 *
 * Return: NULL, or what went wrong.
 */
const char *fakeload_run(struct fakeload *load, u64 run_ns)
{
	u64 end_ns = load->now_ns + run_ns;

	while (load->now_ns < end_ns && !load->complaint) {
		load->now_ns = max(load->now_ns,
				   fakeload_next_ns(load, end_ns));
		fakeload_step(load);
		if (!(load->steps++ % AUDIT_STEPS))
			fakeload_audit(load);
	}
	fakeload_audit(load);
	return load->complaint;
}

/**
 * fakeload_clear() - figures begin anew: it has warmed up
 * @load: all of it
 */
void fakeload_clear(struct fakeload *load)
{
	unsigned int i;

	load->most_round_ns = 0;
	load->disk.switches = 0;
	load->disk.switch_ns = 0;
	for (i = 0; i < load->nr_procs; i++) {
		struct fakeproc *proc = &load->proc[i];

		proc->done = 0;
		proc->done_sectors = 0;
		proc->wait_ns = 0;
		proc->most_ns = 0;
	}
}
