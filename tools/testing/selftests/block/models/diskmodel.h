/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diskmodel: block devices that take the time a modelled disk takes.
 *
 * The models decide (model*.[ch]); what is here carries:
 *
 *	configfs.c	devices and counters
 *	configfs_params.c	parameters of the models
 *	driver.c	blk-mq requests in, completions out by an hrtimer
 *	store.c		content; zeros cost nothing
 */
#ifndef DISKMODEL_H
#define DISKMODEL_H

#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "model_flash.h"
#include "model_rotational.h"
#include "model_stick.h"

/**
 * struct diskmodel_config - per device: what its directory holds
 * @ops: the model
 * @rotational: parameters of the rotational model
 * @flash: of the flash model
 * @stick: of the stick model
 * @block_bytes: logical block size, 512 or 4096
 * @request_sectors_max: largest request
 * @store: whether content is kept
 * @store_max_mb: content that may be kept in ordinary memory
 * @store_region_start: physical address of memory that the kernel leaves alone
 * @store_region_mb: its size; 0: none, content is kept in ordinary memory
 */
struct diskmodel_config {
	const struct model_ops *ops;
	struct model_rot_params rotational;
	struct model_flash_params flash;
	struct model_stick_params stick;
	u64 block_bytes;
	u64 request_sectors_max;
	u64 store;
	u64 store_max_mb;
	u64 store_region_start;
	u64 store_region_mb;
};

/**
 * struct diskmodel_store - per device: content
 * @pages: 4 KiB pages that are not all zero, by number
 * @lock: for the copies; taken in any context
 * @bytes: size of @pages
 * @bytes_max: limit for it
 * @refused: writes refused at that limit
 * @region: memory for @pages outside the kernel's own, or NULL; constant
 * @region_start: its physical address; constant
 * @region_used: so much of it was ever used
 * @free: pages of it that are free again, each holding the address of the next
 */
struct diskmodel_store {
	struct xarray pages;
	spinlock_t lock; /* see above */
	u64 bytes;
	u64 bytes_max;
	u64 refused;
	void *region;
	u64 region_start;
	u64 region_used;
	void *free;
};

/**
 * struct diskmodel_books - per device: what counters/ shows
 * @model: see &struct model_counters
 * @dies: entries of its die_busy_ns that mean something
 * @store_bytes: content kept
 * @store_refused: writes failed for the limit of the store
 */
struct diskmodel_books {
	struct model_counters model;
	u64 dies;
	u64 store_bytes;
	u64 store_refused;
};

struct diskmodel_disk;

/** diskmodel_params() - the parameters of the model that @config has chosen */
static inline void *diskmodel_params(struct diskmodel_config *config)
{
	if (config->ops == &model_flash_ops)
		return &config->flash;
	if (config->ops == &model_stick_ops)
		return &config->stick;
	return &config->rotational;
}

/**
 * diskmodel_power_on() - make the block device
 * @name: of the device
 * @config: copied, not changed
 *
 * Return: the disk or an error pointer; -EINVAL, and a line in the kernel log,
 * if the parameters do not describe a disk.
 */
struct diskmodel_disk *diskmodel_power_on(const char *name,
					  struct diskmodel_config *config);

/**
 * diskmodel_power_off() - remove the block device
 * @disk: gone afterwards; requests under way are completed first
 */
void diskmodel_power_off(struct diskmodel_disk *disk);

/**
 * diskmodel_stall() - have the disk do nothing for a while
 * @disk: what it is at is done first
 * @stall_ns: how long
 *
 * Return: -EOPNOTSUPP if the model cannot.
 */
int diskmodel_stall(struct diskmodel_disk *disk, u64 stall_ns);

/** diskmodel_books_read() - take a consistent copy of the counters */
void diskmodel_books_read(struct diskmodel_disk *disk,
			  struct diskmodel_books *books);

/**
 * diskmodel_store_init() - begin with all zeros
 * @store: content
 * @config: how much may be kept, and where
 *
 * Return: 0; for a region, -EINVAL if it is the kernel's own memory, -EBUSY if it
 * is somebody else's, -ENOMEM if it cannot be mapped.
 */
int diskmodel_store_init(struct diskmodel_store *store,
			 const struct diskmodel_config *config);

/**
 * diskmodel_store_transfer() - copy between a request and the store
 * @store: content
 * @rq: a read or write
 *
 * Return: 0, -ENOMEM if memory is short just now, -ENOSPC at the limit.
 */
int diskmodel_store_transfer(struct diskmodel_store *store, struct request *rq);

/**
 * diskmodel_store_discard() - forget a part of the content
 * @store: content
 * @byte: where it begins
 * @len: its length, not 0
 */
void diskmodel_store_discard(struct diskmodel_store *store, u64 byte, u64 len);

/** diskmodel_store_free() - forget all content */
void diskmodel_store_free(struct diskmodel_store *store);

int diskmodel_configfs_init(void);
void diskmodel_configfs_exit(void);

#endif /* DISKMODEL_H */
