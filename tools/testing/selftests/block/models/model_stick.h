/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disk models: a memory card or stick.
 *
 * One command at a time, first come, first served:
 *
 *	read	command_ns + read_ns + sectors / read rate
 *	write	command_ns + write_ns + copies + erases + sectors / write rate
 *
 * The card writes erase blocks of block_sectors, each from its start to its end,
 * and has up to open_blocks of them open at a time.  A write into a block:
 *
 *	open, at its write point	no copies
 *	open, behind its write point	copies what lies between
 *	open, before its write point	closes the block, then opens it anew
 *	not open			opens it; if there are too many, closes the
 *					one least recently written first
 *
 * To open a block costs erase_ns, and the copies up to where the write begins; to
 * close it, the copies from the write point to its end.  So a small write that
 * finds no open block costs one whole erase block: a random write of s sectors
 *
 *	command_ns + write_ns + erase_ns + s / write rate +
 *	(block_sectors - s) / copy rate
 *
 * and a stream of any number up to open_blocks of streams copies nothing:
 *
 *	bytes per s = block / (block / write rate + erase_ns + overhead)
 *
 * Stall.  Every stall_period commands, and when told to, the card does nothing for
 * stall_ns before the next command.
 *
 * What is left out: special blocks for a FAT, wear, heat.  There is no cache.
 */
#ifndef DISKMODEL_MODEL_STICK_H
#define DISKMODEL_MODEL_STICK_H

#include "model.h"

#define MODEL_STICK_MAX_COMMANDS	32
#define MODEL_STICK_MAX_OPEN		64

/**
 * struct model_stick_params - per device: what kind of card it is
 * @capacity_sectors: size
 * @queue_depth: commands it takes; it works on one
 * @command_ns: overhead of a command
 * @read_ns: page to register, once per read
 * @read_bytes_per_s: rate of reads; 0: no limit
 * @write_ns: once per write
 * @write_bytes_per_s: rate of writes; 0: no limit
 * @block_sectors: erase block
 * @open_blocks: blocks open at a time; 0: writes anywhere cost no copies and no
 *	erases
 * @copy_bytes_per_s: rate at which data are moved; 0: no limit
 * @erase_ns: erase of a block
 * @stall_period: commands from one stall to the next; 0: none of itself
 * @stall_ns: length of those stalls
 */
struct model_stick_params {
	u64 capacity_sectors;
	u64 queue_depth;
	u64 command_ns;
	u64 read_ns;
	u64 read_bytes_per_s;
	u64 write_ns;
	u64 write_bytes_per_s;
	u64 block_sectors;
	u64 open_blocks;
	u64 copy_bytes_per_s;
	u64 erase_ns;
	u64 stall_period;
	u64 stall_ns;
};

/**
 * struct model_stick_block - an open erase block
 * @number: which one
 * @point: its sectors before this one are written
 * @used: order of last use, 0: not in use
 */
struct model_stick_block {
	u64 number;
	u64 point;
	u64 used;
};

/**
 * enum model_stick_state - of a command
 * @MODEL_STICK_FREE: tag not in use
 * @MODEL_STICK_QUEUED: waits for those before it
 * @MODEL_STICK_WORKING: the card works on it
 * @MODEL_STICK_ENDED: has ended, the host does not know yet
 *
 *	FREE -> QUEUED -> WORKING -> ENDED -> FREE
 */
enum model_stick_state {
	MODEL_STICK_FREE,
	MODEL_STICK_QUEUED,
	MODEL_STICK_WORKING,
	MODEL_STICK_ENDED,
};

/**
 * struct model_stick_command - per command, indexed by its tag
 * @state: see &enum model_stick_state
 * @req: as submitted
 * @sequence: order of arrival
 * @done_ns: WORKING, ENDED: when it ends
 */
struct model_stick_command {
	enum model_stick_state state;
	struct model_request req;
	u64 sequence;
	u64 done_ns;
};

/**
 * struct model_stick - per device: a card at work
 * @params: what it is; constant
 * @now_ns: time replayed so far
 * @command: commands by tag
 * @sequence: arrivals so far
 * @held: commands held
 * @idle_since_ns: when @held became 0
 * @working: command at work, or NULL
 * @free_ns: when the card can begin the next one, stalls included
 * @until_stall: commands until the next stall
 * @block: the open erase blocks
 * @uses: counts uses of blocks
 * @counters: see &struct model_counters
 */
struct model_stick {
	struct model_stick_params params;
	u64 now_ns;
	struct model_stick_command command[MODEL_STICK_MAX_COMMANDS];
	u64 sequence;
	unsigned int held;
	u64 idle_since_ns;
	struct model_stick_command *working;
	u64 free_ns;
	u64 until_stall;
	struct model_stick_block block[MODEL_STICK_MAX_OPEN];
	u64 uses;
	struct model_counters counters;
};

/** model_stick_param - the parameters with their ranges, ends with a NULL name */
extern const struct model_param model_stick_param[];

/**
 * model_stick_preset() - set all parameters to those of a known card
 * @params: to fill
 * @name: ``sdcard``
 *
 * Return: false, and nothing set, if there is no such preset.
 */
bool model_stick_preset(struct model_stick_params *params, const char *name);

/**
 * model_stick_check() - tell whether a set of parameters describes a card
 * @params: to look at
 *
 * Return: NULL if it does, else what is wrong.
 */
const char *model_stick_check(const struct model_stick_params *params);

#endif /* DISKMODEL_MODEL_STICK_H */
