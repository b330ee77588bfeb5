// SPDX-License-Identifier: GPL-2.0
/*
 * Disk models: a memory card at work.  The header says what it is made of.
 *
 * Top to bottom: erase blocks, one command, the calls.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "model_stick.h"

/* --- Erase blocks -------------------------------------------------------- */

static u64 stick_copy_ns(struct model_stick *stick, u64 sectors)
{
	stick->counters.copied_sectors += sectors;
	return model_bytes_ns(sectors, stick->params.copy_bytes_per_s);
}

static u64 stick_close(struct model_stick *stick,
		       struct model_stick_block *block)
{
	block->used = 0;
	return stick_copy_ns(stick, stick->params.block_sectors - block->point);
}

/* The open block of that number, or else the one to make room for it. */
static struct model_stick_block *stick_block(struct model_stick *stick,
					     u64 number)
{
	struct model_stick_block *oldest = &stick->block[0];
	unsigned int i;

	for (i = 0; i < stick->params.open_blocks; i++) {
		struct model_stick_block *block = &stick->block[i];

		if (block->used && block->number == number)
			return block;
		if (block->used < oldest->used)
			oldest = block;
	}
	return oldest;
}

/* Write the part of a block that begins at @offset. */
static u64 stick_write_part(struct model_stick *stick, u64 number, u64 offset,
			    u64 sectors)
{
	struct model_stick_block *block = stick_block(stick, number);
	u64 ns = 0;

	if (block->used && (block->number != number || offset < block->point))
		ns += stick_close(stick, block);
	if (!block->used) {
		block->number = number;
		block->point = 0;
		ns += stick->params.erase_ns;
		stick->counters.erases++;
	}
	ns += stick_copy_ns(stick, offset - block->point);
	block->point = offset + sectors;
	block->used = ++stick->uses;
	/* a full one closes of itself, at no cost */
	if (block->point == stick->params.block_sectors)
		block->used = 0;
	return ns;
}

static u64 stick_blocks_ns(struct model_stick *stick,
			   const struct model_request *req)
{
	const struct model_stick_params *p = &stick->params;
	u64 lba = req->lba, end = req->lba + req->sectors;
	u64 ns = 0;

	while (p->open_blocks && lba < end) {
		u64 offset, number, part;

		number = div64_u64_rem(lba, p->block_sectors, &offset);
		part = min(end - lba, p->block_sectors - offset);
		ns += stick_write_part(stick, number, offset, part);
		lba += part;
	}
	return ns;
}

/* --- One command --------------------------------------------------------- */

static u64 stick_command_ns(struct model_stick *stick,
			    const struct model_request *req)
{
	const struct model_stick_params *p = &stick->params;
	u64 ns = 0;

	if (req->op == MODEL_READ)
		ns = p->read_ns + model_bytes_ns(req->sectors,
						 p->read_bytes_per_s);
	else if (req->op == MODEL_WRITE)
		ns = p->write_ns + stick_blocks_ns(stick, req) +
		     model_bytes_ns(req->sectors, p->write_bytes_per_s);
	stick->counters.transfer_ns += ns;
	return p->command_ns + ns;
}

static void stick_stall(struct model_stick *stick, u64 stall_ns)
{
	stick->free_ns = max(stick->free_ns, stick->now_ns) + stall_ns;
	stick->counters.stalls++;
	stick->counters.stall_ns += stall_ns;
}

/* The oldest command in @state, or NULL. */
static struct model_stick_command *stick_oldest(struct model_stick *stick,
						enum model_stick_state state)
{
	struct model_stick_command *oldest = NULL;
	unsigned int i;

	for (i = 0; i < stick->params.queue_depth; i++) {
		struct model_stick_command *command = &stick->command[i];

		if (command->state == state &&
		    (!oldest || command->sequence < oldest->sequence))
			oldest = command;
	}
	return oldest;
}

/* Begin the next command now, when none is under way. */
static void stick_start(struct model_stick *stick)
{
	struct model_stick_command *command =
		stick_oldest(stick, MODEL_STICK_QUEUED);

	if (stick->working || !command)
		return;
	if (stick->params.stall_period && !stick->until_stall--) {
		stick->until_stall = stick->params.stall_period - 1;
		stick_stall(stick, stick->params.stall_ns);
	}
	command->state = MODEL_STICK_WORKING;
	command->done_ns = max(stick->free_ns, stick->now_ns) +
			   stick_command_ns(stick, &command->req);
	stick->free_ns = command->done_ns;
	stick->working = command;
}

static void stick_replay(struct model_stick *stick, u64 now_ns)
{
	now_ns = max(now_ns, stick->now_ns);
	while (stick->working && stick->working->done_ns <= now_ns) {
		stick->now_ns = stick->working->done_ns;
		stick->working->state = MODEL_STICK_ENDED;
		model_count(&stick->counters, &stick->working->req);
		stick->working = NULL;
		stick_start(stick);
	}
	stick->now_ns = now_ns;
}

/* --- The calls ----------------------------------------------------------- */

static bool stick_ops_preset(void *params, const char *name)
{
	return model_stick_preset(params, name);
}

static const char *stick_ops_check(const void *params)
{
	return model_stick_check(params);
}

static struct model_traits stick_traits(const void *params)
{
	const struct model_stick_params *p = params;

	return (struct model_traits) {
		.capacity_sectors = p->capacity_sectors,
		.queues = 1,
		.queue_depth = p->queue_depth,
	};
}

static void stick_init(void *model, const void *params, u64 now_ns)
{
	struct model_stick *stick = model;

	memset(stick, 0, sizeof(*stick));
	stick->params = *(const struct model_stick_params *)params;
	stick->now_ns = now_ns;
	stick->free_ns = now_ns;
	stick->idle_since_ns = now_ns;
	stick->until_stall = stick->params.stall_period;
}

static bool stick_submit(void *model, unsigned int tag,
			 const struct model_request *req, u64 now_ns)
{
	struct model_stick *stick = model;
	const struct model_stick_params *p = &stick->params;
	bool is_flush = req->op == MODEL_FLUSH;
	struct model_stick_command *command;

	if (tag >= p->queue_depth ||
	    stick->command[tag].state != MODEL_STICK_FREE ||
	    req->lba > p->capacity_sectors ||
	    req->sectors > p->capacity_sectors - req->lba ||
	    is_flush != !req->sectors || req->op == MODEL_DISCARD)
		return false;
	stick_replay(stick, now_ns);
	if (!stick->held)
		model_count_idle(&stick->counters, req, stick->idle_since_ns,
				 stick->now_ns);
	stick->held++;
	stick->counters.held_max = max_t(u64, stick->counters.held_max,
					 stick->held);
	command = &stick->command[tag];
	command->req = *req;
	command->sequence = ++stick->sequence;
	command->state = MODEL_STICK_QUEUED;
	stick_start(stick);
	return true;
}

static u64 stick_next_ns(const void *model)
{
	const struct model_stick *stick = model;
	unsigned int i;

	for (i = 0; i < stick->params.queue_depth; i++)
		if (stick->command[i].state == MODEL_STICK_ENDED)
			return stick->now_ns;
	return stick->working ? stick->working->done_ns : MODEL_NEVER;
}

static int stick_poll(void *model, u64 now_ns)
{
	struct model_stick *stick = model;
	struct model_stick_command *command;

	stick_replay(stick, now_ns);
	command = stick_oldest(stick, MODEL_STICK_ENDED);
	if (!command)
		return -1;
	command->state = MODEL_STICK_FREE;
	if (!--stick->held)
		stick->idle_since_ns = command->done_ns;
	return command - stick->command;
}

static void stick_ops_replay(void *model, u64 now_ns)
{
	stick_replay(model, now_ns);
}

static void stick_ops_stall(void *model, u64 stall_ns, u64 now_ns)
{
	stick_replay(model, now_ns);
	stick_stall(model, stall_ns);
}

static const struct model_counters *stick_counters(const void *model)
{
	return &((const struct model_stick *)model)->counters;
}

const struct model_ops model_stick_ops = {
	.name = "stick",
	.state_bytes = sizeof(struct model_stick),
	.params_bytes = sizeof(struct model_stick_params),
	.param = model_stick_param,
	.preset = stick_ops_preset,
	.check = stick_ops_check,
	.traits = stick_traits,
	.init = stick_init,
	.submit = stick_submit,
	.next_ns = stick_next_ns,
	.poll = stick_poll,
	.replay = stick_ops_replay,
	.stall = stick_ops_stall,
	.counters = stick_counters,
};
