/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes that do I/O on a simulated disk, for tests of the core.
 */
#ifndef _FWY_TESTS_FAKELOAD_H
#define _FWY_TESTS_FAKELOAD_H

#include <linux/prandom.h>

#include "fakedisk.h"

#define FAKELOAD_PROCS	160
#define FAKELOAD_IOS	384
#define FAKELOAD_PAUSE	32

/**
 * struct fakekind - processes that all do the same
 * @count: how many
 * @is_random: anywhere on the disk, or each on from its own place
 * @run: so many go on from there, then it is somewhere else; 0: it never is
 * @sectors: length of a request
 * @depth: how many at a time
 * @class: who waits for them
 * @weight: 0 for the idle class
 * @think_us: from a completion to the request that follows it
 * @pause_us: the same, but once in FAKELOAD_PAUSE times, at random; 0 for never
 * @is_cut: whether those that go on are pieces of one
 */
struct fakekind {
	unsigned int count;
	bool is_random;
	u32 run;
	u32 sectors;
	unsigned int depth;
	enum fwy_class class;
	u32 weight;
	u32 think_us;
	u32 pause_us;
	bool is_cut;
};

/**
 * struct fakeproc - one process
 * @flow: as the core sees it
 * @kind: what it does
 * @next_sector: where it goes on
 * @asked: requests, all together
 * @done: requests since the figures were cleared
 * @done_sectors: their length
 * @wait_ns: what they took, all together
 * @most_ns: what the longest took
 */
struct fakeproc {
	struct fwy_flow flow;
	const struct fakekind *kind;
	u64 next_sector;
	u32 asked;
	u64 done;
	u64 done_sectors;
	u64 wait_ns;
	u64 most_ns;
};

/**
 * struct fakeio - one request, used again and again
 * @item: as the core sees it
 * @proc: whose
 * @at_ns: if IDLE: when it will be submitted, else when it was
 * @ahead: for the watch
 * @dispatched_ns: for the watch
 */
struct fakeio {
	struct fwy_item item;
	struct fakeproc *proc;
	u64 at_ns;
	unsigned int ahead;
	u64 dispatched_ns;
};

/**
 * struct fakeload - a scheduler, its disk and its processes
 * @params: the knobs
 * @sched: the scheduler
 * @watch: what it is watched with
 * @disk: the disk
 * @depth: how many the disk is given at a time
 * @now_ns: the time
 * @wake_ns: when the scheduler wants to be asked, 0 for not by time
 * @rnd: where the random ones go
 * @proc: the processes
 * @nr_procs: how many
 * @io: their requests
 * @nr_ios: how many
 * @round: the scheduler's, and
 * @round_ns: since when; where seeks cost
 * @most_round_ns: what the longest round took
 * @steps: events so far
 * @complaint: what went wrong, or NULL
 *
 * Per test.
 */
struct fakeload {
	struct fwy_params params;
	struct fwy_sched sched;
	struct fwy_watch watch;
	struct fakedisk disk;
	unsigned int depth;
	u64 now_ns;
	u64 wake_ns;
	struct rnd_state rnd;
	struct fakeproc proc[FAKELOAD_PROCS];
	unsigned int nr_procs;
	struct fakeio io[FAKELOAD_IOS];
	unsigned int nr_ios;
	u64 round;
	u64 round_ns;
	u64 most_round_ns;
	u64 steps;
	const char *complaint;
};

void fakeload_init(struct fakeload *load, bool has_head, unsigned int depth,
		   u32 seed);
void fakeload_add(struct fakeload *load, const struct fakekind *kind);
const char *fakeload_run(struct fakeload *load, u64 run_ns);
void fakeload_clear(struct fakeload *load);

#endif /* _FWY_TESTS_FAKELOAD_H */
