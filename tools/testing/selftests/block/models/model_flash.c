// SPDX-License-Identifier: GPL-2.0
/*
 * Disk models: a flash disk at work.  The header says what it is made of.
 *
 * Top to bottom: lists, the end of commands, the controller, the buffer, replay,
 * the calls.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "model_flash_die.h"

/* Which half of a duplex link. */
#define FLASH_TO_HOST	0
#define FLASH_FROM_HOST	1

/* --- Lists --------------------------------------------------------------- */

static void flash_list_init(struct model_flash_list *list)
{
	list->first = MODEL_FLASH_NONE;
	list->last = MODEL_FLASH_NONE;
}

static bool flash_list_is_empty(const struct model_flash_list *list)
{
	return list->first == MODEL_FLASH_NONE;
}

static void flash_list_push(struct model_flash *flash,
			    struct model_flash_list *list, u16 tag)
{
	flash->command[tag].next = MODEL_FLASH_NONE;
	if (flash_list_is_empty(list))
		list->first = tag;
	else
		flash->command[list->last].next = tag;
	list->last = tag;
}

/* The list must not be empty. */
static u16 flash_list_pop(struct model_flash *flash,
			  struct model_flash_list *list)
{
	u16 tag = list->first;

	list->first = flash->command[tag].next;
	return tag;
}

/* --- The end of commands ------------------------------------------------- */

/* By time, and in order of decision among equals. */
static void flash_end_at(struct model_flash *flash, u16 tag, u64 at_ns)
{
	struct model_flash_command *command = &flash->command[tag];
	u16 before = MODEL_FLASH_NONE, behind = flash->timed.first;

	command->state = MODEL_FLASH_TIMED;
	command->done_ns = at_ns + flash->params.latency_ns;
	while (behind != MODEL_FLASH_NONE &&
	       flash->command[behind].done_ns <= command->done_ns) {
		before = behind;
		behind = flash->command[behind].next;
	}
	command->next = behind;
	if (before == MODEL_FLASH_NONE)
		flash->timed.first = tag;
	else
		flash->command[before].next = tag;
}

/* The host is told when it looks, but the slot is free now. */
static void flash_end(struct model_flash *flash)
{
	u16 tag = flash_list_pop(flash, &flash->timed);
	struct model_flash_command *command = &flash->command[tag];

	command->state = MODEL_FLASH_ENDED;
	flash->free_slot[flash->free_slots++] = command->slot;
	model_count(&flash->counters, &command->req);
	flash_list_push(flash, &flash->ended, tag);
}

/* Reserve the link for so many sectors; returns when it has carried them. */
static u64 flash_link(struct model_flash *flash, unsigned int half, u64 sectors)
{
	u64 ns = model_bytes_ns(sectors, flash->params.link_bytes_per_s);
	u64 *free_ns = &flash->link_ns[flash->params.link_duplex ? half : 0];

	flash->counters.link_ns += ns;
	*free_ns = max(*free_ns, flash->now_ns) + ns;
	return *free_ns;
}

/* A page is out of its die. */
static void flash_page_out(struct model_flash *flash, u16 tag, u32 sectors)
{
	struct model_flash_command *command = &flash->command[tag];

	command->ready_ns = flash_link(flash, FLASH_TO_HOST, sectors);
	if (!--command->pages)
		flash_end_at(flash, tag, command->ready_ns);
}

static void flash_barrier(struct model_flash *flash, u16 tag)
{
	struct model_flash_command *command = &flash->command[tag];

	command->target = flash->entered;
	if (command->target <= model_flash_safe(flash)) {
		flash_end_at(flash, tag, flash->now_ns);
		return;
	}
	command->state = MODEL_FLASH_BARRIER;
	flash_list_push(flash, &flash->barriers, tag);
}

/* After a program: in order, as the targets are in order. */
static void flash_barriers_end(struct model_flash *flash)
{
	u64 safe;

	if (flash_list_is_empty(&flash->barriers))
		return;
	safe = model_flash_safe(flash);
	while (!flash_list_is_empty(&flash->barriers) &&
	       flash->command[flash->barriers.first].target <= safe)
		flash_end_at(flash, flash_list_pop(flash, &flash->barriers),
			     flash->now_ns);
}

/* --- The controller ------------------------------------------------------ */

static u64 flash_fetch_ns(const struct model_flash *flash,
			  const struct model_request *req)
{
	const struct model_flash_params *p = &flash->params;

	if (req->op != MODEL_DISCARD)
		return p->command_ns;
	/* 2048 sectors are a MiB */
	return p->command_ns + p->discard_ns +
	       req->sectors * p->discard_mib_ns / 2048;
}

static void flash_fetch_start(struct model_flash *flash)
{
	unsigned int i, queues = flash->params.queues;
	struct model_flash_command *command;

	if (flash->fetch != MODEL_FLASH_NONE || !flash->free_slots)
		return;
	for (i = 0; i < queues; i++) {
		unsigned int queue = (flash->next_queue + i) % queues;

		if (flash_list_is_empty(&flash->queue[queue]))
			continue;
		flash->next_queue = (queue + 1) % queues;
		flash->fetch = flash_list_pop(flash, &flash->queue[queue]);
		command = &flash->command[flash->fetch];
		command->state = MODEL_FLASH_FETCHED;
		command->slot = flash->free_slot[--flash->free_slots];
		flash->fetch_ns = flash->now_ns +
				  flash_fetch_ns(flash, &command->req);
		return;
	}
}

static void flash_fetch_end(struct model_flash *flash)
{
	u16 tag = flash->fetch;
	struct model_flash_command *command = &flash->command[tag];

	flash->fetch = MODEL_FLASH_NONE;
	switch (command->req.op) {
	case MODEL_READ:
		command->state = MODEL_FLASH_READING;
		model_flash_die_read(flash, tag);
		break;
	case MODEL_WRITE:
		command->state = MODEL_FLASH_ENTERING;
		command->sectors = command->req.sectors;
		command->had_to_wait = false;
		flash_list_push(flash, &flash->entering, tag);
		break;
	case MODEL_FLUSH:
		flash_barrier(flash, tag);
		break;
	case MODEL_DISCARD:
		flash_end_at(flash, tag, flash->now_ns);
		break;
	}
}

/* --- The buffer ---------------------------------------------------------- */

static u64 flash_room(const struct model_flash *flash)
{
	u64 size = flash->params.write_buffer_sectors;

	return size ? size - flash->buffer_sectors : MODEL_NEVER;
}

static void flash_entry_start(struct model_flash *flash)
{
	struct model_flash_command *command;

	if (flash->entry_sectors || flash_list_is_empty(&flash->entering))
		return;
	command = &flash->command[flash->entering.first];
	flash->entry_sectors = min_t(u64, command->sectors, flash_room(flash));
	if (flash->entry_sectors < command->sectors && !command->had_to_wait) {
		command->had_to_wait = true;
		flash->counters.room_waits++;
	}
	if (!flash->entry_sectors)
		return;
	flash->buffer_sectors += flash->entry_sectors;
	flash->entry_ns = flash_link(flash, FLASH_FROM_HOST,
				     flash->entry_sectors);
}

static bool flash_must_be_safe(const struct model_flash *flash,
			       const struct model_request *req)
{
	const struct model_flash_params *p = &flash->params;

	return !p->write_buffer_sectors || (req->is_fua && p->volatile_buffer);
}

static void flash_entry_end(struct model_flash *flash)
{
	u16 tag = flash->entering.first;
	struct model_flash_command *command = &flash->command[tag];

	flash->entered += flash->entry_sectors;
	command->sectors -= flash->entry_sectors;
	flash->entry_sectors = 0;
	if (command->sectors)
		return;
	flash_list_pop(flash, &flash->entering);
	if (flash_must_be_safe(flash, &command->req)) {
		flash_barrier(flash, tag);
		return;
	}
	flash->counters.cache_hits++;
	flash_end_at(flash, tag, flash->now_ns);
}

/* --- Replay -------------------------------------------------------------- */

/* When something ends, or MODEL_NEVER. */
static u64 flash_turn_ns(const struct model_flash *flash)
{
	u64 at_ns = MODEL_NEVER;
	unsigned int i;

	if (!flash_list_is_empty(&flash->timed))
		at_ns = flash->command[flash->timed.first].done_ns;
	if (flash->fetch != MODEL_FLASH_NONE)
		at_ns = min(at_ns, flash->fetch_ns);
	if (flash->entry_sectors)
		at_ns = min(at_ns, flash->entry_ns);
	for (i = 0; i < flash->params.dies; i++)
		if (flash->die[i].work != MODEL_FLASH_IDLE)
			at_ns = min(at_ns, flash->die[i].until_ns);
	return at_ns;
}

/* Everybody who can begin something does. */
static void flash_start(struct model_flash *flash)
{
	unsigned int i, index, dies = flash->params.dies;
	u64 taken;

	flash_fetch_start(flash);
	flash_entry_start(flash);
	for (i = 0, index = flash->next_die; i < dies; i++) {
		taken = flash->taken;
		model_flash_die_start(flash, index);
		index = index + 1 < dies ? index + 1 : 0;
		if (flash->taken != taken)
			flash->next_die = index;
	}
}

/* Whatever ends now, in a fixed order. */
static void flash_stop(struct model_flash *flash)
{
	u64 now_ns = flash->now_ns;
	unsigned int i;
	u16 tag;

	while (!flash_list_is_empty(&flash->timed) &&
	       flash->command[flash->timed.first].done_ns <= now_ns)
		flash_end(flash);
	for (i = 0; i < flash->params.dies; i++) {
		struct model_flash_die *die = &flash->die[i];

		if (die->work == MODEL_FLASH_IDLE || die->until_ns > now_ns)
			continue;
		tag = model_flash_die_stop(flash, i);
		if (tag != MODEL_FLASH_NONE)
			flash_page_out(flash, tag, die->out_sectors);
	}
	flash_barriers_end(flash);
	if (flash->entry_sectors && flash->entry_ns <= now_ns)
		flash_entry_end(flash);
	if (flash->fetch != MODEL_FLASH_NONE && flash->fetch_ns <= now_ns)
		flash_fetch_end(flash);
}

static void flash_replay(struct model_flash *flash, u64 now_ns)
{
	u64 at_ns;

	now_ns = max(now_ns, flash->now_ns);
	while ((at_ns = flash_turn_ns(flash)) <= now_ns) {
		flash->now_ns = at_ns;
		flash_stop(flash);
		flash_start(flash);
	}
	flash->now_ns = now_ns;
}

/* --- The calls ----------------------------------------------------------- */

static bool flash_ops_preset(void *params, const char *name)
{
	return model_flash_preset(params, name);
}

static const char *flash_ops_check(const void *params)
{
	return model_flash_check(params);
}

static struct model_traits flash_traits(const void *params)
{
	const struct model_flash_params *p = params;
	bool is_volatile = p->write_buffer_sectors && p->volatile_buffer;

	return (struct model_traits) {
		.capacity_sectors = p->capacity_sectors,
		.queues = p->queues,
		.queue_depth = p->queue_depth,
		.dies = p->dies,
		.has_write_cache = is_volatile,
		.has_fua = is_volatile && p->fua,
		.has_discard = p->discard,
	};
}

static void flash_init(void *model, const void *params, u64 now_ns)
{
	struct model_flash *flash = model;
	unsigned int i;

	memset(flash, 0, sizeof(*flash));
	flash->params = *(const struct model_flash_params *)params;
	flash->now_ns = now_ns;
	flash->idle_since_ns = now_ns;
	flash->fetch = MODEL_FLASH_NONE;
	for (i = 0; i < flash->params.queues; i++)
		flash_list_init(&flash->queue[i]);
	flash_list_init(&flash->entering);
	flash_list_init(&flash->barriers);
	flash_list_init(&flash->timed);
	flash_list_init(&flash->ended);
	for (i = 0; i < flash->params.slots; i++)
		flash->free_slot[flash->free_slots++] = i;
	model_flash_die_init(flash);
}

static bool flash_is_good(const struct model_flash *flash, unsigned int tag,
			  const struct model_request *req)
{
	const struct model_flash_params *p = &flash->params;

	return tag < p->queues * p->queue_depth &&
	       flash->command[tag].state == MODEL_FLASH_FREE &&
	       req->lba <= p->capacity_sectors &&
	       req->sectors <= p->capacity_sectors - req->lba &&
	       (req->op == MODEL_FLUSH) == !req->sectors &&
	       (req->op != MODEL_DISCARD || p->discard);
}

static bool flash_submit(void *model, unsigned int tag,
			 const struct model_request *req, u64 now_ns)
{
	struct model_flash *flash = model;
	struct model_flash_command *command;
	unsigned int queue;

	if (!flash_is_good(flash, tag, req))
		return false;
	flash_replay(flash, now_ns);
	if (!flash->held)
		model_count_idle(&flash->counters, req, flash->idle_since_ns,
				 flash->now_ns);
	flash->held++;
	flash->counters.held_max = max_t(u64, flash->counters.held_max,
					 flash->held);
	command = &flash->command[tag];
	command->req = *req;
	command->state = MODEL_FLASH_QUEUED;
	queue = tag / (unsigned int)flash->params.queue_depth;
	flash_list_push(flash, &flash->queue[queue], tag);
	flash_start(flash);
	return true;
}

/*
 * The command at the controller, and those behind it one command_ns later at the
 * soonest.
 */
static u64 flash_next_fetched_ns(const struct model_flash *flash)
{
	const struct model_flash_params *p = &flash->params;
	u64 at_ns = flash->fetch_ns;
	u64 ahead_ns = 0;

	if (flash->command[flash->fetch].req.op == MODEL_READ)
		ahead_ns = p->read_ns;
	if (flash->held > 1)
		ahead_ns = min(ahead_ns, p->command_ns);
	return at_ns + ahead_ns;
}

/*
 * Not when the next thing happens, which would be several times per command, but
 * a time before which no command can end: a page must still pass the channel and
 * the link, and programs end nothing unless somebody waits for them.
 */
static u64 flash_next_ns(const void *model)
{
	const struct model_flash *flash = model;
	const struct model_flash_params *p = &flash->params;
	bool has_waiter = !flash_list_is_empty(&flash->entering) ||
			  !flash_list_is_empty(&flash->barriers);
	u64 at_ns = MODEL_NEVER;
	unsigned int i;

	if (!flash_list_is_empty(&flash->ended))
		return flash->now_ns;
	if (flash->fetch != MODEL_FLASH_NONE)
		at_ns = flash_next_fetched_ns(flash);
	if (flash->entry_sectors)
		at_ns = min(at_ns, flash->entry_ns);
	for (i = 0; i < p->dies; i++) {
		const struct model_flash_die *die = &flash->die[i];
		u64 die_ns = die->until_ns;

		if (die->work == MODEL_FLASH_IDLE)
			continue;
		if (die->work == MODEL_FLASH_READ)
			die_ns += model_bytes_ns(die->out_sectors,
						 p->channel_bytes_per_s);
		if (die->work == MODEL_FLASH_READ || die->work == MODEL_FLASH_OUT)
			die_ns += model_bytes_ns(die->out_sectors,
						 p->link_bytes_per_s);
		else if (!has_waiter && die->reads.first == MODEL_FLASH_NONE)
			continue;
		at_ns = min(at_ns, die_ns);
	}
	if (at_ns != MODEL_NEVER)
		at_ns += p->latency_ns;
	if (!flash_list_is_empty(&flash->timed))
		at_ns = min(at_ns, flash->command[flash->timed.first].done_ns);
	return at_ns;
}

static int flash_poll(void *model, u64 now_ns)
{
	struct model_flash *flash = model;
	struct model_flash_command *command;
	u16 tag;

	flash_replay(flash, now_ns);
	if (flash_list_is_empty(&flash->ended))
		return -1;
	tag = flash_list_pop(flash, &flash->ended);
	command = &flash->command[tag];
	command->state = MODEL_FLASH_FREE;
	if (!--flash->held)
		flash->idle_since_ns = command->done_ns;
	return tag;
}

static void flash_ops_replay(void *model, u64 now_ns)
{
	flash_replay(model, now_ns);
}

static const struct model_counters *flash_counters(const void *model)
{
	return &((const struct model_flash *)model)->counters;
}

const struct model_ops model_flash_ops = {
	.name = "flash",
	.state_bytes = sizeof(struct model_flash),
	.params_bytes = sizeof(struct model_flash_params),
	.param = model_flash_param,
	.preset = flash_ops_preset,
	.check = flash_ops_check,
	.traits = flash_traits,
	.init = flash_init,
	.submit = flash_submit,
	.next_ns = flash_next_ns,
	.poll = flash_poll,
	.replay = flash_ops_replay,
	.counters = flash_counters,
};
