/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disk models: a flash disk.
 *
 *	submission queues -> controller -> dies -> channels -> link	reads
 *	submission queues -> controller -> link -> buffer		writes
 *	buffer -> channels -> dies, with cleaning in between		programs
 *
 * Controller.  Takes commands from the queues in turn, in order within a queue,
 * one every command_ns, while fewer than slots are at work.  A discard keeps it
 * for discard_ns + discard_mib_ns per MiB.  What waits in a queue waits behind
 * whatever came before it: that is how a read is held up by writes that wait for
 * the buffer.
 *
 * Reads.  A read is cut at the pages; page p lies on die p mod dies (or, without
 * striping, each die holds one stretch of the disk).  A page takes read_ns in the
 * die, then the channel carries what is wanted of it, then the link.  The die is
 * busy until its channel is done.  It serves reads in order of arrival, before
 * programs, but does not break off what it has begun, unless it may suspend it.
 *
 * Writes.  A write ends when the buffer has it.  What it finds no room for enters
 * as programs free it.  An idle die takes a unit of program_sectors from the
 * buffer, whatever the address: channel, then program_ns.  A unit that is not full
 * is programmed only if a flush or FUA write waits for it.  Without a buffer every
 * write ends when it is programmed.
 *
 * Cleaning.  Once a die's free units are used up, blocks must be cleaned for each
 * that is written.  There is no map; a block is taken to have a part v of valid
 * data, which is copied inside the die at read_ns + program_ns per unit:
 *
 *	copies per program of host data	v / (1 - v)
 *	write amplification		1 / (1 - v)
 *	erases				one per block_sectors programmed, at erase_ns
 *
 * For writes all over the disk at random and blocks cleaned in the order in which
 * they were written, v is the solution of (1 - v) / -ln v = u, with u = utilisation
 * / (1 + spare).  It is that of Xiang and Kurkoski, "An Improved Analytical
 * Expression for Write Amplification in NAND Flash", arXiv:1110.4245: spare 0.3
 * gives 2.36.
 *
 * What is left out: reads that the buffer could serve, sequential writes that
 * leave nothing valid, cleaning when idle, discards that make cleaning cheaper,
 * SLC caches, wear, errors, heat.
 */
#ifndef DISKMODEL_MODEL_FLASH_H
#define DISKMODEL_MODEL_FLASH_H

#include "model.h"

#define MODEL_FLASH_MAX_QUEUES		8
#define MODEL_FLASH_MAX_COMMANDS	1024
#define MODEL_FLASH_MAX_SLOTS		256
#define MODEL_FLASH_MAX_CHANNELS	16

/** define MODEL_FLASH_NONE - no command */
#define MODEL_FLASH_NONE		0xffff

/**
 * struct model_flash_params - per device: what kind of disk it is
 * @capacity_sectors: size
 * @queues: hardware queues
 * @queue_depth: commands in each; all together at most MODEL_FLASH_MAX_COMMANDS
 * @slots: commands that the controller has at work at a time
 * @command_ns: time of the controller for each command, one by one
 * @latency_ns: rest of the overhead, added to each command, in nobody's way
 * @link_bytes_per_s: rate of the link; 0: no limit
 * @link_duplex: 1: reads and writes do not share it
 * @channels: dies are spread over them
 * @channel_bytes_per_s: rate of one; 0: no limit
 * @dies: a multiple of @channels
 * @striping: 0: each die holds one stretch of the disk
 * @page_sectors: what a die reads at a time
 * @program_sectors: what a die programs at a time (pages of all its planes)
 * @block_sectors: what a die erases at a time
 * @read_ns: page to the die's register (tR)
 * @program_ns: register to the pages (tPROG)
 * @erase_ns: one block (tBERS)
 * @read_run: reads that a die serves before a program gets its turn; 0: any
 *	number
 * @suspends: how often one program, copy or erase is suspended for reads; 0:
 *	they wait
 * @suspend_ns: time it takes to suspend
 * @write_buffer_sectors: size of the buffer; 0: none
 * @volatile_buffer: 1: power loss empties it, so flushes must; 0: capacitors
 * @fua: 1: with @volatile_buffer, the disk knows FUA
 * @gc: 0: there is always an erased block
 * @gc_start_full: 1: no free unit is left at power-on
 * @utilisation_permille: part of the capacity that holds data
 * @spare_permille: flash beyond the capacity, as a part of the capacity
 * @discard: 0: the disk does not know it
 * @discard_ns: controller time of a discard
 * @discard_mib_ns: and for each MiB of it
 */
struct model_flash_params {
	u64 capacity_sectors;
	u64 queues;
	u64 queue_depth;
	u64 slots;
	u64 command_ns;
	u64 latency_ns;
	u64 link_bytes_per_s;
	u64 link_duplex;
	u64 channels;
	u64 channel_bytes_per_s;
	u64 dies;
	u64 striping;
	u64 page_sectors;
	u64 program_sectors;
	u64 block_sectors;
	u64 read_ns;
	u64 program_ns;
	u64 erase_ns;
	u64 read_run;
	u64 suspends;
	u64 suspend_ns;
	u64 write_buffer_sectors;
	u64 volatile_buffer;
	u64 fua;
	u64 gc;
	u64 gc_start_full;
	u64 utilisation_permille;
	u64 spare_permille;
	u64 discard;
	u64 discard_ns;
	u64 discard_mib_ns;
};

/**
 * struct model_flash_list - commands in line, linked by their own ``next``
 * @first: first one, or MODEL_FLASH_NONE
 * @last: last one; means nothing in an empty list
 */
struct model_flash_list {
	u16 first;
	u16 last;
};

/**
 * enum model_flash_state - of a command
 * @MODEL_FLASH_FREE: tag not in use
 * @MODEL_FLASH_QUEUED: in a submission queue
 * @MODEL_FLASH_FETCHED: the controller works on it
 * @MODEL_FLASH_READING: dies work on it
 * @MODEL_FLASH_ENTERING: a write on its way into the buffer
 * @MODEL_FLASH_BARRIER: waits for programs: a flush, or a write that must be safe
 * @MODEL_FLASH_TIMED: its end is known
 * @MODEL_FLASH_ENDED: has ended, the host does not know yet
 *
 *	FREE -> QUEUED -> FETCHED -> READING -> TIMED -> ENDED -> FREE
 *	                          -> ENTERING [-> BARRIER] -> TIMED
 *	                          [-> BARRIER] -> TIMED
 */
enum model_flash_state {
	MODEL_FLASH_FREE,
	MODEL_FLASH_QUEUED,
	MODEL_FLASH_FETCHED,
	MODEL_FLASH_READING,
	MODEL_FLASH_ENTERING,
	MODEL_FLASH_BARRIER,
	MODEL_FLASH_TIMED,
	MODEL_FLASH_ENDED,
};

/**
 * struct model_flash_command - per command, indexed by its tag
 * @state: see &enum model_flash_state
 * @req: as submitted
 * @next: behind it in the list that its state has
 * @slot: at work: which slot
 * @pages: READING: not with the host yet
 * @sectors: ENTERING: not in the buffer yet
 * @had_to_wait: ENTERING: found no room
 * @target: BARRIER: data up to here must be programmed
 * @ready_ns: READING: when the link was done with the pages so far
 * @done_ns: TIMED: when it ends
 */
struct model_flash_command {
	enum model_flash_state state;
	struct model_request req;
	u16 next;
	u16 slot;
	u32 pages;
	u32 sectors;
	bool had_to_wait;
	u64 target;
	u64 ready_ns;
	u64 done_ns;
};

/**
 * struct model_flash_slot - a read at work, by die
 * @next: the read behind it in each die's line
 * @page: its next page on each die
 */
struct model_flash_slot {
	u16 next[MODEL_MAX_DIES];
	u64 page[MODEL_MAX_DIES];
};

/**
 * enum model_flash_work - what a die does
 * @MODEL_FLASH_IDLE: nothing
 * @MODEL_FLASH_READ: reads a page into its register
 * @MODEL_FLASH_OUT: waits for its channel, or that carries the page
 * @MODEL_FLASH_PROGRAM: takes a unit from its channel and programs it
 * @MODEL_FLASH_COPY: moves a unit of valid data
 * @MODEL_FLASH_ERASE: erases a block
 */
enum model_flash_work {
	MODEL_FLASH_IDLE,
	MODEL_FLASH_READ,
	MODEL_FLASH_OUT,
	MODEL_FLASH_PROGRAM,
	MODEL_FLASH_COPY,
	MODEL_FLASH_ERASE,
};

/**
 * struct model_flash_die - per die
 * @work: what it does
 * @until_ns: and until when
 * @tag: READ, OUT: for this read
 * @out_sectors: READ, OUT: so much of the page is wanted
 * @held: work that is suspended for reads, or MODEL_FLASH_IDLE
 * @held_ns: time that it still needs
 * @suspends: how often it was suspended
 * @has_program: PROGRAM, also if suspended
 * @position: of the first sector of host data in it
 * @sectors: of host data in it
 * @reads: reads in line, linked in their slots
 * @run: reads served since something else had its turn
 * @free_units: units that can be programmed before cleaning must begin
 * @copies_q16: copies owed, in 1/65536
 * @block_units: units programmed since the last erase
 */
struct model_flash_die {
	enum model_flash_work work;
	u64 until_ns;
	u16 tag;
	u32 out_sectors;
	enum model_flash_work held;
	u64 held_ns;
	u64 suspends;
	bool has_program;
	u64 position;
	u32 sectors;
	struct model_flash_list reads;
	u64 run;
	u64 free_units;
	u64 copies_q16;
	u64 block_units;
};

/**
 * struct model_flash - per device: a flash disk at work
 * @params: what it is; constant
 * @copies_q16: copies per program of host data, in 1/65536; constant
 * @units_per_block: constant
 * @stretch_pages: pages per die without striping; constant
 * @now_ns: time replayed so far
 * @command: commands by tag
 * @slot: what is at work
 * @free_slot: stack of those that are not in use
 * @free_slots: height of it
 * @queue: QUEUED, by hardware queue
 * @next_queue: whose turn it is at the controller
 * @fetch: command at the controller, or MODEL_FLASH_NONE
 * @fetch_ns: until then
 * @entering: ENTERING, in order; the first is on the link if @entry_sectors
 * @entry_sectors: sectors on the link to the buffer
 * @entry_ns: when they are there
 * @barriers: BARRIER
 * @timed: TIMED, by the time
 * @ended: ENDED, in order
 * @held: commands held
 * @idle_since_ns: when @held became 0
 * @die: the dies
 * @next_die: whose turn it is at the buffer
 * @channel_ns: when each channel is free
 * @link_ns: when the link is free to the host, and from it
 * @buffer_sectors: room in use in the buffer
 * @entered: sectors that ever entered the buffer
 * @taken: sectors that ever left it for a die
 * @counters: see &struct model_counters
 */
struct model_flash {
	struct model_flash_params params;
	u64 copies_q16;
	u64 units_per_block;
	u64 stretch_pages;
	u64 now_ns;
	struct model_flash_command command[MODEL_FLASH_MAX_COMMANDS];
	struct model_flash_slot slot[MODEL_FLASH_MAX_SLOTS];
	u16 free_slot[MODEL_FLASH_MAX_SLOTS];
	unsigned int free_slots;
	struct model_flash_list queue[MODEL_FLASH_MAX_QUEUES];
	unsigned int next_queue;
	u16 fetch;
	u64 fetch_ns;
	struct model_flash_list entering;
	u32 entry_sectors;
	u64 entry_ns;
	struct model_flash_list barriers;
	struct model_flash_list timed;
	struct model_flash_list ended;
	unsigned int held;
	u64 idle_since_ns;
	struct model_flash_die die[MODEL_MAX_DIES];
	unsigned int next_die;
	u64 channel_ns[MODEL_FLASH_MAX_CHANNELS];
	u64 link_ns[2];
	u64 buffer_sectors;
	u64 entered;
	u64 taken;
	struct model_counters counters;
};

/** model_flash_param - the parameters with their ranges, ends with a NULL name */
extern const struct model_param model_flash_param[];

/**
 * model_flash_preset() - set all parameters to those of a known disk
 * @params: to fill
 * @name: ``nvme`` or ``sata-ssd``
 *
 * Return: false, and nothing set, if there is no such preset.
 */
bool model_flash_preset(struct model_flash_params *params, const char *name);

/**
 * model_flash_check() - tell whether a set of parameters describes a disk
 * @params: to look at
 *
 * Return: NULL if it does, else what is wrong.
 */
const char *model_flash_check(const struct model_flash_params *params);

/**
 * model_flash_valid_q30() - valid part of a block when it is cleaned
 * @params: each value must be in its range
 *
 * Return: v in 1/2^30, see above.
 */
u64 model_flash_valid_q30(const struct model_flash_params *params);

#endif /* DISKMODEL_MODEL_FLASH_H */
