/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Host tests of the disk models: driving a disk of any kind, and the tests that
 * all kinds have to pass alike.
 */
#ifndef MODELS_DRIVE_H
#define MODELS_DRIVE_H

#include "model.h"
#include "tap.h"

#define MS	1e6
#define SEEDS	3

/** define DRIVE_MAX_TAGS - commands that any model can hold */
#define DRIVE_MAX_TAGS	1024

extern const u64 seeds[SEEDS];

/**
 * struct load - a closed loop of commands
 * @next: fills the next command
 * @depth: commands kept in the disk
 * @count: commands in all
 * @seed: state of the random numbers
 * @sectors: sectors per command
 * @cursor: for @next
 * @capacity_sectors: of the disk; filled in
 * @late_ns: most time by which the host may come late
 */
struct load {
	void (*next)(struct load *load, struct model_request *req);
	unsigned int depth;
	u64 count;
	u64 seed;
	u32 sectors;
	u64 cursor;
	u64 capacity_sectors;
	u64 late_ns;
};

/**
 * struct outcome - what came of it
 * @start_ns: first command sent
 * @end_ns: last command ended
 * @latency_ns: sum of the times between the two, per command
 * @latency_max_ns: longest of them
 * @hash: over all tags and times, in order
 */
struct outcome {
	u64 start_ns;
	u64 end_ns;
	u64 latency_ns;
	u64 latency_max_ns;
	u64 hash;
};

/**
 * struct disk - a disk under test
 * @ops: what kind it is
 * @model: memory for its state, of the largest kind's size
 * @counters: its counters
 */
struct disk {
	const struct model_ops *ops;
	void *model;
	const struct model_counters *counters;
};

/** die() - give up the whole run */
void die(const char *why);

/** power_on() - a fresh disk at time 0; gives up if there is no such disk */
void power_on(struct disk *disk, const struct model_ops *ops,
	      const void *params);

/** drive() - run a load to its end, from @now_ns on */
struct outcome drive(struct disk *disk, struct load *load, u64 now_ns);

/** drive_one() - one command on an idle disk; returns how long it took */
u64 drive_one(struct disk *disk, enum model_op op, u64 lba, u32 sectors,
	      u64 now_ns);

/** drive_settle() - let the disk alone until it has nothing more to do */
u64 drive_settle(struct disk *disk, u64 now_ns);

/** outcome_mean_ms() - time per command */
double outcome_mean_ms(const struct outcome *out, u64 count);

void next_random_read(struct load *load, struct model_request *req);
void next_random_write(struct load *load, struct model_request *req);
void next_fua_write(struct load *load, struct model_request *req);
void next_sequential_read(struct load *load, struct model_request *req);
void next_sequential_write(struct load *load, struct model_request *req);
/* reads and writes at random and in order, FUA and flushes */
void next_mixed(struct load *load, struct model_request *req);

/* The tests that all kinds have to pass; @params is a good disk. */
void test_ranges(const struct model_ops *ops, const void *params);
void test_repeat(const struct model_ops *ops, const void *params,
		 unsigned int depth);
void test_late_host(const struct model_ops *ops, const void *params);
/* is_empty() tells whether nothing is left in a model that has come to rest */
void test_fuzz(const struct model_ops *ops, const void *params,
	       bool (*is_empty)(const void *model), u64 seed,
	       unsigned int disks);

#endif /* MODELS_DRIVE_H */
