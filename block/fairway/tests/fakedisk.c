// SPDX-License-Identifier: GPL-2.0
/*
 * A disk that takes time as a disk does.
 *
 *	seek		1 ms + 14 ms * sqrt(distance / capacity)
 *	rotation	11 ms (5400 a minute); sectors lie one after the other
 *	transfer	30 MB/s
 *
 * What goes on where the head is waits for neither: the drive has read on.
 *
 * Without a head it is some dies; fakedisk.h says how long each takes.
 */
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "fakedisk.h"

#define SEEK_LEAST_NS	(1 * NSEC_PER_MSEC)
#define SEEK_MORE_NS	(14 * NSEC_PER_MSEC)
#define ROTATION_NS	(11 * NSEC_PER_MSEC)

/* The root of a ratio in 2^30ths is in 2^15ths, and fits in 32 bits. */
#define RATIO_SHIFT	30

/**
 * fakedisk_init() - a disk that has nothing to do
 * @disk: the disk
 * @has_head: whether seeks cost
 */
void fakedisk_init(struct fakedisk *disk, bool has_head)
{
	*disk = (struct fakedisk) {
		.has_head = has_head,
		.dies = 1,
		.slowness = 1,
	};
}

static u64 fakedisk_seek_ns(const struct fakedisk *disk, u64 sector)
{
	u64 distance = sector > disk->head ? sector - disk->head :
					     disk->head - sector;
	u64 ratio = div64_u64(distance << RATIO_SHIFT, FAKEDISK_SECTORS);

	return SEEK_LEAST_NS +
	       (SEEK_MORE_NS * int_sqrt(ratio) >> RATIO_SHIFT / 2);
}

static u32 fakedisk_angle_ns(u64 ns)
{
	u32 angle_ns;

	div_u64_rem(ns, ROTATION_NS, &angle_ns);
	return angle_ns;
}

/* To get to a sector: the seek, and until it has come round. */
static u64 fakedisk_way_ns(const struct fakedisk *disk, u64 sector, u64 now_ns)
{
	u64 seek_ns = fakedisk_seek_ns(disk, sector);
	u32 at_ns = fakedisk_angle_ns(now_ns + seek_ns);
	u32 is_at_ns = fakedisk_angle_ns(sector * FAKEDISK_SECTOR_NS);

	return seek_ns + (is_at_ns < at_ns ? ROTATION_NS : 0) + is_at_ns - at_ns;
}

static void fakedisk_start(struct fakedisk *disk, u64 now_ns)
{
	const struct fwy_item *item = disk->item[disk->first];
	u64 way_ns = 0;

	if (item->sector != disk->head) {
		way_ns = fakedisk_way_ns(disk, item->sector, now_ns);
		disk->switches++;
		disk->switch_ns += way_ns;
	}
	disk->done_ns = now_ns + way_ns +
			(u64)item->sectors * FAKEDISK_SECTOR_NS;
	disk->head = item->sector + item->sectors;
}

static void fakedisk_find_first(struct fakedisk *disk)
{
	unsigned int i;

	disk->first = 0;
	for (i = 1; i < disk->nr; i++)
		if (disk->end_ns[i] < disk->end_ns[disk->first])
			disk->first = i;
	disk->done_ns = disk->end_ns[disk->first];
}

/* Neighbours lie on different dies, whatever their size (Knuth's factor). */
static unsigned int fakedisk_die(const struct fakedisk *disk, u64 sector)
{
	return ((u32)sector * 2654435761U >> 16) % disk->dies;
}

static unsigned int fakedisk_free_die(const struct fakedisk *disk)
{
	unsigned int i, first = 0;

	for (i = 1; i < disk->dies; i++)
		if (disk->free_ns[i] < disk->free_ns[first])
			first = i;
	return first;
}

static void fakedisk_put_to_die(struct fakedisk *disk, struct fwy_item *item,
				u64 now_ns)
{
	unsigned int die = disk->is_even ? fakedisk_free_die(disk) :
					   fakedisk_die(disk, item->sector);
	u64 *free_ns = &disk->free_ns[die];

	*free_ns = max(*free_ns, now_ns) + NSEC_PER_USEC * disk->dies *
		   disk->slowness * (FAKEDISK_REQUEST_US + item->sectors);
	disk->item[disk->nr] = item;
	disk->end_ns[disk->nr++] = *free_ns;
	fakedisk_find_first(disk);
}

static struct fwy_item *fakedisk_take_from_die(struct fakedisk *disk)
{
	struct fwy_item *item = disk->item[disk->first];

	disk->nr--;
	disk->item[disk->first] = disk->item[disk->nr];
	disk->end_ns[disk->first] = disk->end_ns[disk->nr];
	fakedisk_find_first(disk);
	return item;
}

/**
 * fakedisk_put() - give it one more
 * @disk: the disk
 * @item: what
 * @now_ns: when
 *
 * Return: whether it had room.
 */
bool fakedisk_put(struct fakedisk *disk, struct fwy_item *item, u64 now_ns)
{
	if (disk->nr == ARRAY_SIZE(disk->item))
		return false;
	if (!disk->has_head) {
		fakedisk_put_to_die(disk, item, now_ns);
		return true;
	}
	disk->item[(disk->first + disk->nr) % ARRAY_SIZE(disk->item)] = item;
	if (!disk->nr++)
		fakedisk_start(disk, now_ns);
	return true;
}

/**
 * fakedisk_finish() - it is &fakedisk.done_ns
 * @disk: the disk, which has something
 *
 * Return: what is done.
 */
struct fwy_item *fakedisk_finish(struct fakedisk *disk)
{
	struct fwy_item *item = disk->item[disk->first];

	if (!disk->has_head)
		return fakedisk_take_from_die(disk);
	disk->first = (disk->first + 1) % ARRAY_SIZE(disk->item);
	if (--disk->nr)
		fakedisk_start(disk, disk->done_ns);
	return item;
}
