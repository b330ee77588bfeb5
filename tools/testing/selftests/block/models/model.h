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
 * a time that went back counts as the last one.  It calls submit() for each
 * command, asks next_ns() when to come again, and then calls poll() until that
 * answers -1:
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

#define MODEL_NSEC		1000000000ULL
#define MODEL_SECTOR_BYTES	512ULL

/** define MODEL_MAX_DIES - dies that have a counter of their own */
#define MODEL_MAX_DIES		32

/**
 * enum model_op - what a command does
 * @MODEL_READ: read @sectors from @lba
 * @MODEL_WRITE: write @sectors at @lba
 * @MODEL_FLUSH: end when every write that ended earlier is on the medium
 * @MODEL_DISCARD: forget @sectors at @lba
 */
enum model_op {
	MODEL_READ,
	MODEL_WRITE,
	MODEL_FLUSH,
	MODEL_DISCARD,
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
 * @discards: discard commands ended
 * @read_sectors: sectors of the reads that ended
 * @write_sectors: sectors of the writes that ended
 * @discard_sectors: sectors of the discards that ended
 * @cache_hits: commands that only buffers had a part in
 * @destaged_sectors: sectors written from the write cache to the medium
 * @seeks: movements of the head
 * @seek_ns: time the head moved or settled
 * @rotation_ns: time waited for the sector to come round
 * @transfer_ns: time the medium was read or written; on flash the dies' together
 * @link_ns: time the link carried data
 * @idle_ns: time without any command, ended by the next one
 * @starved_ns: the part of @idle_ns in which the host had that command ready
 * @aged: commands served first because they had waited too long
 * @held_max: most commands held at one time
 * @page_reads: flash: pages read for the host
 * @programs: flash: programs of host data
 * @copied_sectors: flash, stick: sectors moved within the medium
 * @erases: flash, stick: blocks erased
 * @suspends: flash: programs and erases suspended for a read
 * @room_waits: flash: writes that found the buffer full
 * @stalls: times the disk did nothing on purpose
 * @stall_ns: how long
 * @die_busy_ns: flash: time each die worked or held data for its channel
 */
struct model_counters {
	u64 reads;
	u64 writes;
	u64 flushes;
	u64 discards;
	u64 read_sectors;
	u64 write_sectors;
	u64 discard_sectors;
	u64 cache_hits;
	u64 destaged_sectors;
	u64 seeks;
	u64 seek_ns;
	u64 rotation_ns;
	u64 transfer_ns;
	u64 link_ns;
	u64 idle_ns;
	u64 starved_ns;
	u64 aged;
	u64 held_max;
	u64 page_reads;
	u64 programs;
	u64 copied_sectors;
	u64 erases;
	u64 suspends;
	u64 room_waits;
	u64 stalls;
	u64 stall_ns;
	u64 die_busy_ns[MODEL_MAX_DIES];
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

/**
 * struct model_traits - what the host must know of a disk
 * @capacity_sectors: size
 * @queues: hardware queues; tag / @queue_depth is a command's queue
 * @queue_depth: commands in each
 * @dies: entries of die_busy_ns in use
 * @is_rotational: seeks cost time
 * @has_write_cache: a write that ended may be lost with power
 * @has_fua: takes &model_request.is_fua
 * @has_discard: takes MODEL_DISCARD
 */
struct model_traits {
	u64 capacity_sectors;
	unsigned int queues;
	unsigned int queue_depth;
	unsigned int dies;
	bool is_rotational;
	bool has_write_cache;
	bool has_fua;
	bool has_discard;
};

/**
 * struct model_ops - one kind of disk, for callers that know no more
 * @name: of the kind
 * @state_bytes: memory that the caller provides for @init and the calls below
 * @params_bytes: size of its parameters
 * @param: the parameters with their ranges, ends with a NULL name
 * @preset: set all parameters to those of a known disk; false if there is none
 *	of that name
 * @check: NULL if the parameters describe a disk, else what is wrong
 * @traits: what the host must know; the parameters passed @check
 * @init: power on; the parameters passed @check
 * @submit: hand in a command, with a tag below queues x queue_depth that is not
 *	in use, inside the capacity; false, and nothing done, if it breaks a rule
 * @next_ns: a time to call @poll at, at the latest when the next command ends,
 *	or MODEL_NEVER
 * @poll: replay up to now and take one command that has ended: its tag, free
 *	again, or -1
 * @replay: replay up to now, so that the counters are of now
 * @stall: do nothing for so long, from when the work under way is done; NULL if
 *	this kind cannot
 * @counters: what the disk did
 */
struct model_ops {
	const char *name;
	size_t state_bytes;
	size_t params_bytes;
	const struct model_param *param;
	bool (*preset)(void *params, const char *name);
	const char *(*check)(const void *params);
	struct model_traits (*traits)(const void *params);
	void (*init)(void *model, const void *params, u64 now_ns);
	bool (*submit)(void *model, unsigned int tag,
		       const struct model_request *req, u64 now_ns);
	u64 (*next_ns)(const void *model);
	int (*poll)(void *model, u64 now_ns);
	void (*replay)(void *model, u64 now_ns);
	void (*stall)(void *model, u64 stall_ns, u64 now_ns);
	const struct model_counters *(*counters)(const void *model);
};

/**
 * model_params_check() - check parameters against their ranges
 * @param: rows with the ranges
 * @params: the struct that holds them
 *
 * Return: the name of the first that is out of range, or NULL.
 */
const char *model_params_check(const struct model_param *param,
			       const void *params);

/**
 * model_bytes_ns() - time in which a link carries some sectors
 * @sectors: at most 2^24
 * @bytes_per_s: rate; 0: no limit
 *
 * Return: the time, rounded down.
 */
u64 model_bytes_ns(u64 sectors, u64 bytes_per_s);

/** model_count() - count a command that has ended */
void model_count(struct model_counters *counters,
		 const struct model_request *req);

/**
 * model_count_idle() - count the idle time that a command ends
 * @counters: to change
 * @req: the command
 * @since_ns: when the disk became idle
 * @now_ns: when @req came, not before @since_ns
 */
void model_count_idle(struct model_counters *counters,
		      const struct model_request *req, u64 since_ns, u64 now_ns);

extern const struct model_ops model_rot_ops;
extern const struct model_ops model_flash_ops;
extern const struct model_ops model_stick_ops;

#endif /* DISKMODEL_MODEL_H */
