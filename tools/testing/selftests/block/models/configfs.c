// SPDX-License-Identifier: GPL-2.0
/*
 * diskmodel: knobs and counters, in configfs.
 *
 *	diskmodel/modelNAME/			becomes /dev/modelNAME
 *		power preset block_bytes ...
 *		rotational/			one file per model parameter
 *		counters/			one file per counter
 */
#define pr_fmt(fmt) "diskmodel: " fmt

#include <linux/cleanup.h>
#include <linux/configfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "diskmodel.h"

#define DISKMODEL_PREFIX	"model"

/* Orders all changes of knobs and power; these are rare and of no hot path. */
static DEFINE_MUTEX(diskmodel_mutex);

/**
 * struct diskmodel_device - per directory
 * @group: the directory
 * @rotational: its rotational/
 * @counters: its counters/
 * @config: knobs, changed while @disk is NULL only
 * @preset: name of the last preset written
 * @disk: the disk, NULL while powered off
 * @books: counters of the last time it was on
 *
 * All but the groups under diskmodel_mutex.
 */
struct diskmodel_device {
	struct config_group group;
	struct config_group rotational;
	struct config_group counters;
	struct diskmodel_config config;
	char preset[16];
	struct diskmodel_disk *disk;
	struct diskmodel_books books;
};

static struct diskmodel_device *to_device(struct config_item *item)
{
	return container_of(to_config_group(item), struct diskmodel_device,
			    group);
}

static struct diskmodel_device *rotational_to_device(struct config_item *item)
{
	return container_of(to_config_group(item), struct diskmodel_device,
			    rotational);
}

static struct diskmodel_device *counters_to_device(struct config_item *item)
{
	return container_of(to_config_group(item), struct diskmodel_device,
			    counters);
}

static ssize_t value_show(const void *base, size_t offset, char *page)
{
	guard(mutex)(&diskmodel_mutex);
	return sysfs_emit(page, "%llu\n", *(const u64 *)(base + offset));
}

/* configfs does not say which file it is about, so each has its own name in it */
static const struct model_param *param_find(const struct model_param *param,
					    const char *name)
{
	while (param->name && strcmp(param->name, name))
		param++;
	return WARN_ON_ONCE(!param->name) ? NULL : param;
}

static ssize_t param_show(const void *base, const struct model_param *table,
			  const char *name, char *page)
{
	const struct model_param *param = param_find(table, name);

	return param ? value_show(base, param->offset, page) : -EINVAL;
}

static ssize_t param_store(struct diskmodel_device *device, void *base,
			   const struct model_param *table, const char *name,
			   const char *page, size_t count)
{
	const struct model_param *param = param_find(table, name);
	u64 value;

	if (!param || kstrtou64(page, 0, &value) || value < param->min ||
	    value > param->max)
		return -EINVAL;
	guard(mutex)(&diskmodel_mutex);
	if (device->disk)
		return -EBUSY;
	*(u64 *)(base + param->offset) = value;
	return count;
}

/* --- rotational/ --------------------------------------------------------- */

#define ROTATIONAL_ATTR(field)						\
static ssize_t rotational_##field##_show(struct config_item *item,	\
					 char *page)			\
{									\
	return param_show(&rotational_to_device(item)->config.rot,	\
			  model_rot_param, #field, page);		\
}									\
									\
static ssize_t rotational_##field##_store(struct config_item *item,	\
					  const char *page,		\
					  size_t count)			\
{									\
	struct diskmodel_device *device = rotational_to_device(item);	\
									\
	return param_store(device, &device->config.rot,			\
			   model_rot_param, #field, page, count);	\
}									\
									\
CONFIGFS_ATTR(rotational_, field)

ROTATIONAL_ATTR(capacity_sectors);
ROTATIONAL_ATTR(queue_depth);
ROTATIONAL_ATTR(sptf);
ROTATIONAL_ATTR(age_limit_ns);
ROTATIONAL_ATTR(revolution_ns);
ROTATIONAL_ATTR(phase_ns);
ROTATIONAL_ATTR(rotation);
ROTATIONAL_ATTR(tracks);
ROTATIONAL_ATTR(heads);
ROTATIONAL_ATTR(zones);
ROTATIONAL_ATTR(outer_bytes_per_s);
ROTATIONAL_ATTR(inner_bytes_per_s);
ROTATIONAL_ATTR(head_switch_ns);
ROTATIONAL_ATTR(cylinder_switch_ns);
ROTATIONAL_ATTR(skew);
ROTATIONAL_ATTR(seek);
ROTATIONAL_ATTR(seek_settle_ns);
ROTATIONAL_ATTR(seek_sqrt_ns);
ROTATIONAL_ATTR(seek_knee_permille);
ROTATIONAL_ATTR(seek_full_ns);
ROTATIONAL_ATTR(write_settle_ns);
ROTATIONAL_ATTR(continue_free);
ROTATIONAL_ATTR(command_ns);
ROTATIONAL_ATTR(hit_ns);
ROTATIONAL_ATTR(link_bytes_per_s);
ROTATIONAL_ATTR(segments);
ROTATIONAL_ATTR(segment_sectors);
ROTATIONAL_ATTR(write_cache_sectors);
ROTATIONAL_ATTR(destage_sectors);
ROTATIONAL_ATTR(destage_idle_ns);
ROTATIONAL_ATTR(fua);

static struct configfs_attribute *rotational_attrs[] = {
	&rotational_attr_capacity_sectors,
	&rotational_attr_queue_depth,
	&rotational_attr_sptf,
	&rotational_attr_age_limit_ns,
	&rotational_attr_revolution_ns,
	&rotational_attr_phase_ns,
	&rotational_attr_rotation,
	&rotational_attr_tracks,
	&rotational_attr_heads,
	&rotational_attr_zones,
	&rotational_attr_outer_bytes_per_s,
	&rotational_attr_inner_bytes_per_s,
	&rotational_attr_head_switch_ns,
	&rotational_attr_cylinder_switch_ns,
	&rotational_attr_skew,
	&rotational_attr_seek,
	&rotational_attr_seek_settle_ns,
	&rotational_attr_seek_sqrt_ns,
	&rotational_attr_seek_knee_permille,
	&rotational_attr_seek_full_ns,
	&rotational_attr_write_settle_ns,
	&rotational_attr_continue_free,
	&rotational_attr_command_ns,
	&rotational_attr_hit_ns,
	&rotational_attr_link_bytes_per_s,
	&rotational_attr_segments,
	&rotational_attr_segment_sectors,
	&rotational_attr_write_cache_sectors,
	&rotational_attr_destage_sectors,
	&rotational_attr_destage_idle_ns,
	&rotational_attr_fua,
	NULL,
};

static_assert((ARRAY_SIZE(rotational_attrs) - 1) * sizeof(u64) ==
	      sizeof(struct model_rot_params));

static const struct config_item_type rotational_type = {
	.ct_attrs = rotational_attrs,
	.ct_owner = THIS_MODULE,
};

/* --- counters/ ----------------------------------------------------------- */

static ssize_t counters_show(struct config_item *item, size_t offset,
			     char *page)
{
	struct diskmodel_device *device = counters_to_device(item);

	scoped_guard(mutex, &diskmodel_mutex)
		if (device->disk)
			diskmodel_books_read(device->disk, &device->books);
	return value_show(&device->books, offset, page);
}

#define COUNTERS_ATTR(name, field)					\
static ssize_t counters_##name##_show(struct config_item *item,	\
				      char *page)			\
{									\
	return counters_show(item,					\
			     offsetof(struct diskmodel_books, field),	\
			     page);					\
}									\
									\
CONFIGFS_ATTR_RO(counters_, name)

COUNTERS_ATTR(reads, model.reads);
COUNTERS_ATTR(writes, model.writes);
COUNTERS_ATTR(flushes, model.flushes);
COUNTERS_ATTR(read_sectors, model.read_sectors);
COUNTERS_ATTR(write_sectors, model.write_sectors);
COUNTERS_ATTR(cache_hits, model.cache_hits);
COUNTERS_ATTR(destaged_sectors, model.destaged_sectors);
COUNTERS_ATTR(seeks, model.seeks);
COUNTERS_ATTR(seek_ns, model.seek_ns);
COUNTERS_ATTR(rotation_ns, model.rotation_ns);
COUNTERS_ATTR(transfer_ns, model.transfer_ns);
COUNTERS_ATTR(idle_ns, model.idle_ns);
COUNTERS_ATTR(starved_ns, model.starved_ns);
COUNTERS_ATTR(aged, model.aged);
COUNTERS_ATTR(held_max, model.held_max);
COUNTERS_ATTR(store_bytes, store_bytes);
COUNTERS_ATTR(store_refused, store_refused);

static struct configfs_attribute *counters_attrs[] = {
	&counters_attr_reads,
	&counters_attr_writes,
	&counters_attr_flushes,
	&counters_attr_read_sectors,
	&counters_attr_write_sectors,
	&counters_attr_cache_hits,
	&counters_attr_destaged_sectors,
	&counters_attr_seeks,
	&counters_attr_seek_ns,
	&counters_attr_rotation_ns,
	&counters_attr_transfer_ns,
	&counters_attr_idle_ns,
	&counters_attr_starved_ns,
	&counters_attr_aged,
	&counters_attr_held_max,
	&counters_attr_store_bytes,
	&counters_attr_store_refused,
	NULL,
};

static_assert((ARRAY_SIZE(counters_attrs) - 1) * sizeof(u64) ==
	      sizeof(struct diskmodel_books));

static const struct config_item_type counters_type = {
	.ct_attrs = counters_attrs,
	.ct_owner = THIS_MODULE,
};

/* --- The directory of a device ------------------------------------------- */

static const struct model_param device_param[] = {
	{
		.name = "block_bytes",
		.offset = offsetof(struct diskmodel_config, block_bytes),
		.min = SECTOR_SIZE,
		.max = 4096,
	}, {
		.name = "request_sectors_max",
		.offset = offsetof(struct diskmodel_config, request_sectors_max),
		.min = PAGE_SECTORS,
		.max = 65535,
	}, {
		.name = "store",
		.offset = offsetof(struct diskmodel_config, store),
		.max = 1,
	}, {
		.name = "store_max_mb",
		.offset = offsetof(struct diskmodel_config, store_max_mb),
		.max = 1 << 20,
	},
	{ }
};

#define DEVICE_ATTR_VALUE(field)					\
static ssize_t device_##field##_show(struct config_item *item,		\
				     char *page)			\
{									\
	return param_show(&to_device(item)->config, device_param,	\
			  #field, page);				\
}									\
									\
static ssize_t device_##field##_store(struct config_item *item,	\
				      const char *page, size_t count)	\
{									\
	struct diskmodel_device *device = to_device(item);		\
									\
	return param_store(device, &device->config, device_param,	\
			   #field, page, count);			\
}									\
									\
CONFIGFS_ATTR(device_, field)

DEVICE_ATTR_VALUE(block_bytes);
DEVICE_ATTR_VALUE(request_sectors_max);
DEVICE_ATTR_VALUE(store);
DEVICE_ATTR_VALUE(store_max_mb);

static ssize_t device_preset_show(struct config_item *item, char *page)
{
	guard(mutex)(&diskmodel_mutex);
	return sysfs_emit(page, "%s\n", to_device(item)->preset);
}

static int device_preset(struct diskmodel_device *device, const char *name)
{
	if (!model_rot_preset(&device->config.rot, name))
		return -EINVAL;
	strscpy(device->preset, name, sizeof(device->preset));
	return 0;
}

static ssize_t device_preset_store(struct config_item *item, const char *page,
				   size_t count)
{
	struct diskmodel_device *device = to_device(item);
	size_t len = count && page[count - 1] == '\n' ? count - 1 : count;
	char name[sizeof(device->preset)];
	int error;

	if (len >= sizeof(name))
		return -EINVAL;
	memcpy(name, page, len);
	name[len] = '\0';
	guard(mutex)(&diskmodel_mutex);
	if (device->disk)
		return -EBUSY;
	error = device_preset(device, name);
	return error ? error : count;
}

CONFIGFS_ATTR(device_, preset);

/* Called with diskmodel_mutex held. */
static void device_power_off(struct diskmodel_device *device)
{
	lockdep_assert_held(&diskmodel_mutex);

	if (!device->disk)
		return;
	diskmodel_books_read(device->disk, &device->books);
	diskmodel_power_off(device->disk);
	device->disk = NULL;
}

static ssize_t device_power_show(struct config_item *item, char *page)
{
	guard(mutex)(&diskmodel_mutex);
	return sysfs_emit(page, "%d\n", !!to_device(item)->disk);
}

static ssize_t device_power_store(struct config_item *item, const char *page,
				  size_t count)
{
	struct diskmodel_device *device = to_device(item);
	struct diskmodel_disk *disk;
	bool is_on;

	if (kstrtobool(page, &is_on))
		return -EINVAL;
	guard(mutex)(&diskmodel_mutex);
	if (!is_on)
		device_power_off(device);
	if (!is_on || device->disk)
		return count;
	disk = diskmodel_power_on(config_item_name(item), &device->config);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	device->disk = disk;
	return count;
}

CONFIGFS_ATTR(device_, power);

static struct configfs_attribute *device_attrs[] = {
	&device_attr_power,
	&device_attr_preset,
	&device_attr_block_bytes,
	&device_attr_request_sectors_max,
	&device_attr_store,
	&device_attr_store_max_mb,
	NULL,
};

static void device_release(struct config_item *item)
{
	kfree(to_device(item));
}

static struct configfs_item_operations device_item_ops = {
	.release = device_release,
};

static const struct config_item_type device_type = {
	.ct_item_ops = &device_item_ops,
	.ct_attrs = device_attrs,
	.ct_owner = THIS_MODULE,
};

/* --- The top directory --------------------------------------------------- */

static struct config_group *diskmodel_make(struct config_group *parent,
					   const char *name)
{
	struct diskmodel_device *device;

	/* a prefix of our own, so that no name can be another driver's */
	if (!strstarts(name, DISKMODEL_PREFIX) ||
	    strlen(name) >= DISK_NAME_LEN) {
		pr_err("%s: a name is %s... of less than %d characters\n",
		       name, DISKMODEL_PREFIX, DISK_NAME_LEN);
		return ERR_PTR(-EINVAL);
	}
	device = kzalloc(sizeof(*device), GFP_KERNEL);
	if (!device)
		return ERR_PTR(-ENOMEM);

	device_preset(device, "sata7200");
	device->config.block_bytes = SECTOR_SIZE;
	device->config.request_sectors_max = 2560;
	device->config.store = 1;
	device->config.store_max_mb = 64;
	config_group_init_type_name(&device->group, name, &device_type);
	config_group_init_type_name(&device->rotational, "rotational",
				    &rotational_type);
	configfs_add_default_group(&device->rotational, &device->group);
	config_group_init_type_name(&device->counters, "counters",
				    &counters_type);
	configfs_add_default_group(&device->counters, &device->group);
	return &device->group;
}

static void diskmodel_drop(struct config_group *parent, struct config_item *item)
{
	scoped_guard(mutex, &diskmodel_mutex)
		device_power_off(to_device(item));
	config_item_put(item);
}

static struct configfs_group_operations diskmodel_group_ops = {
	.make_group = diskmodel_make,
	.drop_item = diskmodel_drop,
};

static const struct config_item_type diskmodel_type = {
	.ct_group_ops = &diskmodel_group_ops,
	.ct_owner = THIS_MODULE,
};

static struct configfs_subsystem diskmodel_subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "diskmodel",
			.ci_type = &diskmodel_type,
		},
	},
};

int diskmodel_configfs_init(void)
{
	config_group_init(&diskmodel_subsystem.su_group);
	mutex_init(&diskmodel_subsystem.su_mutex);
	return configfs_register_subsystem(&diskmodel_subsystem);
}

void diskmodel_configfs_exit(void)
{
	configfs_unregister_subsystem(&diskmodel_subsystem);
}
