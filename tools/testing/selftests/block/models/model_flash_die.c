// SPDX-License-Identifier: GPL-2.0
/*
 * Disk models: dies of the flash disk.  The header says what they do; here is
 * in which order.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "model_flash_die.h"

static struct model_flash_die *flash_die(struct model_flash *flash,
					 unsigned int index)
{
	return &flash->die[index];
}

void model_flash_die_init(struct model_flash *flash)
{
	const struct model_flash_params *p = &flash->params;
	u64 valid_q30 = model_flash_valid_q30(p);
	u64 pages = DIV64_U64_ROUND_UP(p->capacity_sectors, p->page_sectors);
	u64 units = div64_u64(p->capacity_sectors, p->program_sectors * p->dies);
	unsigned int i;

	flash->stretch_pages = DIV64_U64_ROUND_UP(pages, p->dies);
	flash->units_per_block = div64_u64(p->block_sectors, p->program_sectors);
	if (p->gc)
		flash->copies_q16 = div64_u64(valid_q30 << 16,
					      (1ULL << 30) - valid_q30);
	for (i = 0; i < p->dies; i++) {
		struct model_flash_die *die = flash_die(flash, i);

		die->tag = MODEL_FLASH_NONE;
		die->reads.first = MODEL_FLASH_NONE;
		if (!p->gc_start_full)
			die->free_units = div64_u64(units, 1000) *
				(1000 + p->spare_permille -
				 p->utilisation_permille);
	}
}

/* --- Pages of a read ----------------------------------------------------- */

static unsigned int flash_page_die(const struct model_flash *flash, u64 page)
{
	const struct model_flash_params *p = &flash->params;
	u64 rest;

	if (!p->striping)
		return div64_u64(page, flash->stretch_pages);
	div64_u64_rem(page, p->dies, &rest);
	return rest;
}

static u64 flash_first_page(const struct model_flash *flash,
			    const struct model_request *req)
{
	return div64_u64(req->lba, flash->params.page_sectors);
}

static u64 flash_last_page(const struct model_flash *flash,
			   const struct model_request *req)
{
	return div64_u64(req->lba + req->sectors - 1, flash->params.page_sectors);
}

void model_flash_die_read(struct model_flash *flash, u16 tag)
{
	const struct model_flash_params *p = &flash->params;
	struct model_flash_command *command = &flash->command[tag];
	struct model_flash_slot *slot = &flash->slot[command->slot];
	u64 page = flash_first_page(flash, &command->req);
	u64 last = flash_last_page(flash, &command->req);
	u64 step = p->striping ? 1 : flash->stretch_pages;
	unsigned int i;

	command->pages = last - page + 1;
	for (i = 0; i < p->dies && page <= last; i++) {
		unsigned int index = flash_page_die(flash, page);
		struct model_flash_die *die = flash_die(flash, index);

		slot->page[index] = page;
		slot->next[index] = MODEL_FLASH_NONE;
		if (die->reads.first == MODEL_FLASH_NONE)
			die->reads.first = tag;
		else
			flash->slot[flash->command[die->reads.last].slot]
				.next[index] = tag;
		die->reads.last = tag;
		/* the first page of the next die */
		page = p->striping ? page + 1 : (index + 1) * step;
	}
}

/* Take one page out of the line; the read leaves it with its last. */
static void flash_take_page(struct model_flash *flash, unsigned int index)
{
	const struct model_flash_params *p = &flash->params;
	struct model_flash_die *die = flash_die(flash, index);
	struct model_flash_command *command = &flash->command[die->reads.first];
	struct model_flash_slot *slot = &flash->slot[command->slot];
	u64 start = slot->page[index] * p->page_sectors;
	u64 end = min(start + p->page_sectors,
		      command->req.lba + command->req.sectors);

	die->tag = die->reads.first;
	die->out_sectors = end - max(start, command->req.lba);
	slot->page[index] += p->striping ? p->dies : 1;
	if (slot->page[index] > flash_last_page(flash, &command->req) ||
	    flash_page_die(flash, slot->page[index]) != index)
		die->reads.first = slot->next[index];
}

/* --- Work ---------------------------------------------------------------- */

static void flash_work(struct model_flash *flash, unsigned int index,
		       enum model_flash_work work, u64 ns)
{
	struct model_flash_die *die = flash_die(flash, index);

	die->work = work;
	die->until_ns = flash->now_ns + ns;
	flash->counters.die_busy_ns[index] += ns;
	flash->counters.transfer_ns += ns;
}

/* Time until the channel of a die has carried @sectors, from now on. */
static u64 flash_channel_ns(struct model_flash *flash, unsigned int index,
			    u64 sectors)
{
	u64 *free_ns = &flash->channel_ns[index % (unsigned int)
					  flash->params.channels];

	*free_ns = max(*free_ns, flash->now_ns) +
		   model_bytes_ns(sectors, flash->params.channel_bytes_per_s);
	return *free_ns - flash->now_ns;
}

/* Whether somebody waits for data that no die has taken yet. */
static bool flash_must_empty(const struct model_flash *flash)
{
	const struct model_flash_list *barriers = &flash->barriers;

	/* targets are in order */
	return barriers->first != MODEL_FLASH_NONE &&
	       flash->command[barriers->last].target > flash->taken;
}

/* Take a unit, or what there is if somebody waits for it, out of the buffer. */
static bool flash_take_unit(struct model_flash *flash,
			    struct model_flash_die *die)
{
	u64 sectors = min(flash->entered - flash->taken,
			  flash->params.program_sectors);

	if (!sectors || (sectors < flash->params.program_sectors &&
			 !flash_must_empty(flash)))
		return false;
	die->has_program = true;
	die->position = flash->taken;
	die->sectors = sectors;
	flash->taken += sectors;
	return true;
}

u64 model_flash_safe(const struct model_flash *flash)
{
	u64 safe = flash->taken;
	unsigned int i;

	for (i = 0; i < flash->params.dies; i++)
		if (flash->die[i].has_program)
			safe = min(safe, flash->die[i].position);
	return safe;
}

/* Work other than reads; false if there is none. */
static bool flash_start_other(struct model_flash *flash, unsigned int index)
{
	const struct model_flash_params *p = &flash->params;
	struct model_flash_die *die = flash_die(flash, index);
	enum model_flash_work held = die->held;

	if (held != MODEL_FLASH_IDLE) {
		die->held = MODEL_FLASH_IDLE;
		die->work = held;
		die->until_ns = flash->now_ns + die->held_ns;
	} else if (die->block_units >= flash->units_per_block) {
		die->block_units -= flash->units_per_block;
		flash->counters.erases++;
		flash_work(flash, index, MODEL_FLASH_ERASE, p->erase_ns);
	} else if (die->copies_q16 >= 1 << 16) {
		die->copies_q16 -= 1 << 16;
		flash->counters.copied_sectors += p->program_sectors;
		flash_work(flash, index, MODEL_FLASH_COPY,
			   p->read_ns + p->program_ns);
	} else if (flash_take_unit(flash, die)) {
		flash->counters.programs++;
		flash_work(flash, index, MODEL_FLASH_PROGRAM,
			   flash_channel_ns(flash, index, die->sectors) +
			   p->program_ns);
	} else {
		return false;
	}
	die->run = 0;
	return true;
}

static void flash_start_read(struct model_flash *flash, unsigned int index,
			     u64 delay_ns)
{
	struct model_flash_die *die = flash_die(flash, index);

	flash_take_page(flash, index);
	die->run++;
	flash->counters.page_reads++;
	flash_work(flash, index, MODEL_FLASH_READ,
		   delay_ns + flash->params.read_ns);
}

static bool flash_may_suspend(const struct model_flash *flash,
			      const struct model_flash_die *die)
{
	return die->work >= MODEL_FLASH_PROGRAM &&
	       die->suspends < flash->params.suspends &&
	       die->until_ns > flash->now_ns;
}

void model_flash_die_start(struct model_flash *flash, unsigned int index)
{
	const struct model_flash_params *p = &flash->params;
	struct model_flash_die *die = flash_die(flash, index);
	bool has_read = die->reads.first != MODEL_FLASH_NONE;

	if (die->work != MODEL_FLASH_IDLE) {
		if (!has_read || !flash_may_suspend(flash, die))
			return;
		die->held = die->work;
		die->held_ns = die->until_ns - flash->now_ns;
		die->suspends++;
		flash->counters.suspends++;
		flash_start_read(flash, index, p->suspend_ns);
		return;
	}
	if (has_read && p->read_run && die->run >= p->read_run &&
	    flash_start_other(flash, index)) {
		/* its turn is for work, not for being suspended at once */
		die->suspends = p->suspends;
		return;
	}
	if (has_read)
		flash_start_read(flash, index, 0);
	else
		flash_start_other(flash, index);
}

/* A unit has been programmed; once the flash is full, that must be made good. */
static void flash_unit_done(struct model_flash *flash,
			    struct model_flash_die *die, bool is_host_data)
{
	if (!flash->params.gc)
		return;
	if (is_host_data && die->free_units) {
		die->free_units--;
		return;
	}
	die->block_units++;
	if (is_host_data)
		die->copies_q16 += flash->copies_q16;
}

u16 model_flash_die_stop(struct model_flash *flash, unsigned int index)
{
	struct model_flash_die *die = flash_die(flash, index);
	enum model_flash_work work = die->work;

	if (work == MODEL_FLASH_READ) {
		flash_work(flash, index, MODEL_FLASH_OUT,
			   flash_channel_ns(flash, index, die->out_sectors));
		return MODEL_FLASH_NONE;
	}
	die->work = MODEL_FLASH_IDLE;
	if (work == MODEL_FLASH_OUT)
		return die->tag;

	die->suspends = 0;
	if (work == MODEL_FLASH_PROGRAM) {
		die->has_program = false;
		flash->buffer_sectors -= die->sectors;
		flash->counters.destaged_sectors += die->sectors;
	}
	if (work != MODEL_FLASH_ERASE)
		flash_unit_done(flash, die, work == MODEL_FLASH_PROGRAM);
	return MODEL_FLASH_NONE;
}
