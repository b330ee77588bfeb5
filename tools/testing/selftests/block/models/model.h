/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disk models: what a model is, whatever disk it stands for.
 *
 * A model decides when each command of a disk is done.  It is plain C over
 * tags, sectors and nanoseconds: it never allocates, locks, sleeps, reads a
 * clock or prints, and uses integers only, so the kernel module and the host
 * tests run the same code and get the same result bit for bit.
 *
 * The caller owns the memory and the lock, and passes the time to every call;
 * a time that went back counts as the last one.  It calls submit() for each command, asks next_ns()
 * when to come again, and then calls poll() until that answers -1:
 *
 *	submit(now) ---> held by the model ---> poll(now) returns the tag
 *
 * Coming late changes no decision: a model first replays what happened up to
 * the time it is given.
 */
#ifndef DISKMODEL_MODEL_H
#define DISKMODEL_MODEL_H

#include <linux/types.h>

/** define MODEL_NEVER - next_ns() when nothing will happen by itself */
#define MODEL_NEVER		(~0ULL)

/** define MODEL_MAX_TAGS - commands a model can hold; tags are below it */
#define MODEL_MAX_TAGS		32

/**
 * enum model_op - what a command does
 * @MODEL_READ: read @sectors from @lba
 * @MODEL_WRITE: write @sectors at @lba
 * @MODEL_FLUSH: end when every write that ended earlier is on the medium
 */
enum model_op {
	MODEL_READ,
	MODEL_WRITE,
	MODEL_FLUSH,
};

/**
 * struct model_request - one command, as the host sends it
 * @op: what to do
 * @is_fua: a write that ends only when it is on the medium
 * @lba: first sector of 512 bytes
 * @sectors: how many; 0 for a flush
 * @queued_ns: when the host had it ready, 0 if that is not known
 */
struct model_request {
	enum model_op op;
	bool is_fua;
	u64 lba;
	u32 sectors;
	u64 queued_ns;
};

/**
 * struct model_counters - per device: what the disk did since power-on
 * @reads: read commands ended
 * @writes: write commands ended
 * @flushes: flush commands ended
 * @read_sectors: sectors of the reads that ended
 * @write_sectors: sectors of the writes that ended
 * @cache_hits: commands that the mechanics had no part in
 * @destaged_sectors: sectors written from the write cache to the medium
 * @seeks: movements of the head
 * @seek_ns: time the head moved or settled
 * @rotation_ns: time waited for the sector to come round
 * @transfer_ns: time the medium was read or written
 * @idle_ns: time without any command, ended by the next one
 * @starved_ns: the part of @idle_ns in which the host had that command ready
 * @aged: commands served first because they had waited too long
 * @held_max: most commands held at one time
 */
struct model_counters {
	u64 reads;
	u64 writes;
	u64 flushes;
	u64 read_sectors;
	u64 write_sectors;
	u64 cache_hits;
	u64 destaged_sectors;
	u64 seeks;
	u64 seek_ns;
	u64 rotation_ns;
	u64 transfer_ns;
	u64 idle_ns;
	u64 starved_ns;
	u64 aged;
	u64 held_max;
};

/**
 * struct model_param - one parameter of a model
 * @name: as users see it, ending in its unit
 * @offset: of the u64 in the parameter struct
 * @min: least value accepted
 * @max: largest value accepted
 */
struct model_param {
	const char *name;
	size_t offset;
	u64 min;
	u64 max;
};

#endif /* DISKMODEL_MODEL_H */
