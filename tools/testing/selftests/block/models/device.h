/* SPDX-License-Identifier: GPL-2.0 */
/* diskmodel: what the files of its configfs part share. */
#ifndef DISKMODEL_DEVICE_H
#define DISKMODEL_DEVICE_H

#include <linux/configfs.h>

#include "diskmodel.h"

/**
 * struct diskmodel_device - per directory
 * @group: the directory
 * @rotational: its rotational/
 * @flash: its flash/
 * @stick: its stick/
 * @counters: its counters/
 * @config: knobs, changed while @disk is NULL only
 * @preset: name of the last preset written
 * @disk: the disk, NULL while powered off
 * @books: counters of the last time it was on
 *
 * All but the groups under a mutex of configfs.c.
 */
struct diskmodel_device {
	struct config_group group;
	struct config_group rotational;
	struct config_group flash;
	struct config_group stick;
	struct config_group counters;
	struct diskmodel_config config;
	char preset[16];
	struct diskmodel_disk *disk;
	struct diskmodel_books books;
};

static inline struct diskmodel_device *to_device(struct config_item *item)
{
	return container_of(to_config_group(item), struct diskmodel_device,
			    group);
}

/** diskmodel_parent() - the device of one of its sub-directories */
static inline struct diskmodel_device *diskmodel_parent(struct config_item *item)
{
	return to_device(item->ci_parent);
}

/**
 * diskmodel_param_show() - print a knob
 * @base: struct that holds it
 * @table: rows of that struct
 * @name: of the knob
 * @page: to print to
 *
 * Return: length of the text.
 */
ssize_t diskmodel_param_show(const void *base, const struct model_param *table,
			     const char *name, char *page);

/**
 * diskmodel_param_store() - set a knob of a device that is off
 * @device: whose
 * @base: struct that holds it
 * @table: rows of that struct
 * @name: of the knob
 * @page: text written
 * @count: length of it
 *
 * Return: @count, -EINVAL for what is no number in the knob's range, -EBUSY if
 * the device is on.
 */
ssize_t diskmodel_param_store(struct diskmodel_device *device, void *base,
			      const struct model_param *table, const char *name,
			      const char *page, size_t count);

extern const struct config_item_type diskmodel_rotational_type;
extern const struct config_item_type diskmodel_flash_type;
extern const struct config_item_type diskmodel_stick_type;

#endif /* DISKMODEL_DEVICE_H */
