/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diskmodel: block devices that take the time a modelled disk takes.
 *
 * The models decide (model*.[ch]); what is here carries:
 *
 *	configfs.c	knobs and counters
 *	driver.c	blk-mq requests in, completions out by an hrtimer
 *	store.c		content; zeros cost nothing
 */
#ifndef DISKMODEL_H
#define DISKMODEL_H

#include <linux/blk-mq.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/xarray.h>

#include "model_rotational.h"

/**
 * struct diskmodel_config - per device: what its directory holds
 * @rot: parameters of the model
 * @block_bytes: logical block size, 512 or 4096
 * @request_sectors_max: largest request
 * @store: whether content is kept
 * @store_max_mb: content that may be kept
 */
struct diskmodel_config {
	struct model_rot_params rot;
	u64 block_bytes;
	u64 request_sectors_max;
	u64 store;
	u64 store_max_mb;
};

/**
 * struct diskmodel_store - per device: content
 * @pages: 4 KiB pages that are not all zero, by number
 * @lock: for the copies; taken in any context
 * @bytes: size of @pages
 * @bytes_max: limit for it
 * @refused: writes refused at that limit
 */
struct diskmodel_store {
	struct xarray pages;
	spinlock_t lock; /* see above */
	u64 bytes;
	u64 bytes_max;
	u64 refused;
};

/**
 * struct diskmodel_books - per device: what counters/ shows
 * @model: see &struct model_counters
 * @store_bytes: content kept
 * @store_refused: writes failed for the limit of the store
 */
struct diskmodel_books {
	struct model_counters model;
	u64 store_bytes;
	u64 store_refused;
};

struct diskmodel_disk;

/**
 * diskmodel_power_on() - make the block device
 * @name: of the device
 * @config: copied
 *
 * Return: the disk or an error pointer; -EINVAL, and a line in the kernel log,
 * if the parameters do not describe a disk.
 */
struct diskmodel_disk *diskmodel_power_on(const char *name,
					  const struct diskmodel_config *config);

/**
 * diskmodel_power_off() - remove the block device
 * @disk: gone afterwards; requests under way are completed first
 */
void diskmodel_power_off(struct diskmodel_disk *disk);

/** diskmodel_books_read() - take a consistent copy of the counters */
void diskmodel_books_read(struct diskmodel_disk *disk,
			  struct diskmodel_books *books);

/** diskmodel_store_init() - begin with all zeros */
void diskmodel_store_init(struct diskmodel_store *store, u64 bytes_max);

/**
 * diskmodel_store_transfer() - copy between a request and the store
 * @store: content
 * @rq: a read or write
 *
 * Return: 0, -ENOMEM if memory is short just now, -ENOSPC at the limit.
 */
int diskmodel_store_transfer(struct diskmodel_store *store, struct request *rq);

/** diskmodel_store_free() - forget all content */
void diskmodel_store_free(struct diskmodel_store *store);

int diskmodel_configfs_init(void);
void diskmodel_configfs_exit(void);

#endif /* DISKMODEL_H */
