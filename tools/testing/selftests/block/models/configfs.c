// SPDX-License-Identifier: GPL-2.0
/*
 * diskmodel: knobs and counters, in configfs.
 *
 *	diskmodel/modelNAME/			becomes /dev/modelNAME
 *		power preset model block_bytes ...
 *		rotational/ flash/ stick/	configfs_params.c
 *		counters/			one file per counter
 */
#define pr_fmt(fmt) "diskmodel: " fmt

#include <linux/cleanup.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "device.h"

#define DISKMODEL_PREFIX	"model"

/* As long as the stalls of the stick's own can be. */
#define DISKMODEL_STALL_MAX_NS	(60ULL * NSEC_PER_SEC)

/* All models; the name of a preset belongs to one of them. */
static const struct model_ops *const diskmodel_models[] = {
	&model_rot_ops, &model_flash_ops, &model_stick_ops,
};

/* Orders all changes of knobs and power; these are rare and of no hot path. */
static DEFINE_MUTEX(diskmodel_mutex);

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

ssize_t diskmodel_param_show(const void *base, const struct model_param *table,
			     const char *name, char *page)
{
	const struct model_param *param = param_find(table, name);

	return param ? value_show(base, param->offset, page) : -EINVAL;
}

ssize_t diskmodel_param_store(struct diskmodel_device *device, void *base,
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

/* --- counters/ ----------------------------------------------------------- */

static ssize_t counters_show(struct config_item *item, size_t offset,
			     char *page)
{
	struct diskmodel_device *device = diskmodel_parent(item);

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
COUNTERS_ATTR(discards, model.discards);
COUNTERS_ATTR(read_sectors, model.read_sectors);
COUNTERS_ATTR(write_sectors, model.write_sectors);
COUNTERS_ATTR(discard_sectors, model.discard_sectors);
COUNTERS_ATTR(cache_hits, model.cache_hits);
COUNTERS_ATTR(destaged_sectors, model.destaged_sectors);
COUNTERS_ATTR(seeks, model.seeks);
COUNTERS_ATTR(seek_ns, model.seek_ns);
COUNTERS_ATTR(rotation_ns, model.rotation_ns);
COUNTERS_ATTR(transfer_ns, model.transfer_ns);
COUNTERS_ATTR(link_ns, model.link_ns);
COUNTERS_ATTR(idle_ns, model.idle_ns);
COUNTERS_ATTR(starved_ns, model.starved_ns);
COUNTERS_ATTR(aged, model.aged);
COUNTERS_ATTR(held_max, model.held_max);
COUNTERS_ATTR(page_reads, model.page_reads);
COUNTERS_ATTR(programs, model.programs);
COUNTERS_ATTR(copied_sectors, model.copied_sectors);
COUNTERS_ATTR(erases, model.erases);
COUNTERS_ATTR(suspends, model.suspends);
COUNTERS_ATTR(room_waits, model.room_waits);
COUNTERS_ATTR(stalls, model.stalls);
COUNTERS_ATTR(stall_ns, model.stall_ns);
COUNTERS_ATTR(store_bytes, store_bytes);
COUNTERS_ATTR(store_refused, store_refused);

/* One line, a figure for each die; empty if the model has none. */
static ssize_t counters_die_busy_ns_show(struct config_item *item, char *page)
{
	struct diskmodel_device *device = diskmodel_parent(item);
	unsigned int i;
	int len = 0;

	guard(mutex)(&diskmodel_mutex);
	if (device->disk)
		diskmodel_books_read(device->disk, &device->books);
	for (i = 0; i < device->books.dies; i++)
		len += sysfs_emit_at(page, len, "%s%llu", i ? " " : "",
				     device->books.model.die_busy_ns[i]);
	return len + sysfs_emit_at(page, len, "\n");
}

CONFIGFS_ATTR_RO(counters_, die_busy_ns);

static struct configfs_attribute *counters_attrs[] = {
	&counters_attr_reads,
	&counters_attr_writes,
	&counters_attr_flushes,
	&counters_attr_discards,
	&counters_attr_read_sectors,
	&counters_attr_write_sectors,
	&counters_attr_discard_sectors,
	&counters_attr_cache_hits,
	&counters_attr_destaged_sectors,
	&counters_attr_seeks,
	&counters_attr_seek_ns,
	&counters_attr_rotation_ns,
	&counters_attr_transfer_ns,
	&counters_attr_link_ns,
	&counters_attr_idle_ns,
	&counters_attr_starved_ns,
	&counters_attr_aged,
	&counters_attr_held_max,
	&counters_attr_page_reads,
	&counters_attr_programs,
	&counters_attr_copied_sectors,
	&counters_attr_erases,
	&counters_attr_suspends,
	&counters_attr_room_waits,
	&counters_attr_stalls,
	&counters_attr_stall_ns,
	&counters_attr_die_busy_ns,
	&counters_attr_store_bytes,
	&counters_attr_store_refused,
	NULL,
};

/* a file for each counter but the number of dies */
static_assert((ARRAY_SIZE(counters_attrs) - 1 + MODEL_MAX_DIES) * sizeof(u64) ==
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
	}, {
		.name = "store_region_start",
		.offset = offsetof(struct diskmodel_config, store_region_start),
		.max = 1ULL << 52,
	}, {
		.name = "store_region_mb",
		.offset = offsetof(struct diskmodel_config, store_region_mb),
		.max = 1 << 20,
	},
	{ }
};

#define DEVICE_ATTR_VALUE(field)					\
static ssize_t device_##field##_show(struct config_item *item,		\
				     char *page)			\
{									\
	return diskmodel_param_show(&to_device(item)->config,		\
				    device_param, #field, page);	\
}									\
									\
static ssize_t device_##field##_store(struct config_item *item,	\
				      const char *page, size_t count)	\
{									\
	struct diskmodel_device *device = to_device(item);		\
									\
	return diskmodel_param_store(device, &device->config,		\
				     device_param, #field, page, count); \
}									\
									\
CONFIGFS_ATTR(device_, field)

DEVICE_ATTR_VALUE(block_bytes);
DEVICE_ATTR_VALUE(request_sectors_max);
DEVICE_ATTR_VALUE(store);
DEVICE_ATTR_VALUE(store_max_mb);
DEVICE_ATTR_VALUE(store_region_start);
DEVICE_ATTR_VALUE(store_region_mb);

static ssize_t device_preset_show(struct config_item *item, char *page)
{
	guard(mutex)(&diskmodel_mutex);
	return sysfs_emit(page, "%s\n", to_device(item)->preset);
}

static int device_preset(struct diskmodel_device *device, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(diskmodel_models); i++) {
		struct diskmodel_config config = device->config;

		config.ops = diskmodel_models[i];
		if (!config.ops->preset(diskmodel_params(&config), name))
			continue;
		device->config = config;
		strscpy(device->preset, name, sizeof(device->preset));
		return 0;
	}
	return -EINVAL;
}

static int device_model(struct diskmodel_device *device, const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(diskmodel_models); i++) {
		if (strcmp(diskmodel_models[i]->name, name))
			continue;
		device->config.ops = diskmodel_models[i];
		return 0;
	}
	return -EINVAL;
}

/* Choose by a name, while the device is off. */
static ssize_t device_choose(struct diskmodel_device *device,
			     int (*choose)(struct diskmodel_device *device,
					   const char *name),
			     const char *page, size_t count)
{
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
	error = choose(device, name);
	return error ? error : count;
}

static ssize_t device_preset_store(struct config_item *item, const char *page,
				   size_t count)
{
	return device_choose(to_device(item), device_preset, page, count);
}

static ssize_t device_model_show(struct config_item *item, char *page)
{
	guard(mutex)(&diskmodel_mutex);
	return sysfs_emit(page, "%s\n", to_device(item)->config.ops->name);
}

static ssize_t device_model_store(struct config_item *item, const char *page,
				  size_t count)
{
	return device_choose(to_device(item), device_model, page, count);
}

CONFIGFS_ATTR(device_, model);
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

/* A stall on request: at once, of this length, while the device is on. */
static ssize_t device_stall_ns_store(struct config_item *item,
				     const char *page, size_t count)
{
	struct diskmodel_device *device = to_device(item);
	u64 stall_ns;
	int error;

	if (kstrtou64(page, 0, &stall_ns) || stall_ns > DISKMODEL_STALL_MAX_NS)
		return -EINVAL;
	guard(mutex)(&diskmodel_mutex);
	if (!device->disk)
		return -ENODEV;
	error = diskmodel_stall(device->disk, stall_ns);
	return error ? error : count;
}

CONFIGFS_ATTR_WO(device_, stall_ns);

static struct configfs_attribute *device_attrs[] = {
	&device_attr_power,
	&device_attr_preset,
	&device_attr_model,
	&device_attr_block_bytes,
	&device_attr_request_sectors_max,
	&device_attr_store,
	&device_attr_store_max_mb,
	&device_attr_store_region_start,
	&device_attr_store_region_mb,
	&device_attr_stall_ns,
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

static void diskmodel_add(struct diskmodel_device *device,
			  struct config_group *group, const char *name,
			  const struct config_item_type *type)
{
	config_group_init_type_name(group, name, type);
	configfs_add_default_group(group, &device->group);
}

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

	/* each model begins with one of its presets; the last one written holds */
	device_preset(device, "sdcard");
	device_preset(device, "nvme");
	device_preset(device, "sata7200");
	device->config.block_bytes = SECTOR_SIZE;
	device->config.request_sectors_max = 2560;
	device->config.store = 1;
	device->config.store_max_mb = 64;
	config_group_init_type_name(&device->group, name, &device_type);
	diskmodel_add(device, &device->rotational, "rotational",
		      &diskmodel_rotational_type);
	diskmodel_add(device, &device->flash, "flash", &diskmodel_flash_type);
	diskmodel_add(device, &device->stick, "stick", &diskmodel_stick_type);
	diskmodel_add(device, &device->counters, "counters", &counters_type);
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
