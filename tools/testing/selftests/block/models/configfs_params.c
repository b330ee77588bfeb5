// SPDX-License-Identifier: GPL-2.0
/*
 * diskmodel: parameters of the models in configfs, a directory for each model and
 * a file for each parameter, in the order in which the model's header has them.
 */
#include <linux/module.h>

#include "device.h"

#define PARAM_ATTR(kind, table, field)					\
static ssize_t kind##_##field##_show(struct config_item *item,		\
				     char *page)			\
{									\
	return diskmodel_param_show(&diskmodel_parent(item)->config.kind, \
				    table, #field, page);		\
}									\
									\
static ssize_t kind##_##field##_store(struct config_item *item,	\
				      const char *page, size_t count)	\
{									\
	struct diskmodel_device *device = diskmodel_parent(item);	\
									\
	return diskmodel_param_store(device, &device->config.kind, table, \
				     #field, page, count);		\
}									\
									\
CONFIGFS_ATTR(kind##_, field)

#define ROTATIONAL_ATTR(field)	PARAM_ATTR(rotational, model_rot_param, field)
#define FLASH_ATTR(field)	PARAM_ATTR(flash, model_flash_param, field)
#define STICK_ATTR(field)	PARAM_ATTR(stick, model_stick_param, field)

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

const struct config_item_type diskmodel_rotational_type = {
	.ct_attrs = rotational_attrs,
	.ct_owner = THIS_MODULE,
};

FLASH_ATTR(capacity_sectors);
FLASH_ATTR(queues);
FLASH_ATTR(queue_depth);
FLASH_ATTR(slots);
FLASH_ATTR(command_ns);
FLASH_ATTR(latency_ns);
FLASH_ATTR(link_bytes_per_s);
FLASH_ATTR(link_duplex);
FLASH_ATTR(channels);
FLASH_ATTR(channel_bytes_per_s);
FLASH_ATTR(dies);
FLASH_ATTR(striping);
FLASH_ATTR(page_sectors);
FLASH_ATTR(program_sectors);
FLASH_ATTR(block_sectors);
FLASH_ATTR(read_ns);
FLASH_ATTR(program_ns);
FLASH_ATTR(erase_ns);
FLASH_ATTR(read_run);
FLASH_ATTR(suspends);
FLASH_ATTR(suspend_ns);
FLASH_ATTR(write_buffer_sectors);
FLASH_ATTR(volatile_buffer);
FLASH_ATTR(fua);
FLASH_ATTR(gc);
FLASH_ATTR(gc_start_full);
FLASH_ATTR(utilisation_permille);
FLASH_ATTR(spare_permille);
FLASH_ATTR(discard);
FLASH_ATTR(discard_ns);
FLASH_ATTR(discard_mib_ns);

static struct configfs_attribute *flash_attrs[] = {
	&flash_attr_capacity_sectors,
	&flash_attr_queues,
	&flash_attr_queue_depth,
	&flash_attr_slots,
	&flash_attr_command_ns,
	&flash_attr_latency_ns,
	&flash_attr_link_bytes_per_s,
	&flash_attr_link_duplex,
	&flash_attr_channels,
	&flash_attr_channel_bytes_per_s,
	&flash_attr_dies,
	&flash_attr_striping,
	&flash_attr_page_sectors,
	&flash_attr_program_sectors,
	&flash_attr_block_sectors,
	&flash_attr_read_ns,
	&flash_attr_program_ns,
	&flash_attr_erase_ns,
	&flash_attr_read_run,
	&flash_attr_suspends,
	&flash_attr_suspend_ns,
	&flash_attr_write_buffer_sectors,
	&flash_attr_volatile_buffer,
	&flash_attr_fua,
	&flash_attr_gc,
	&flash_attr_gc_start_full,
	&flash_attr_utilisation_permille,
	&flash_attr_spare_permille,
	&flash_attr_discard,
	&flash_attr_discard_ns,
	&flash_attr_discard_mib_ns,
	NULL,
};

static_assert((ARRAY_SIZE(flash_attrs) - 1) * sizeof(u64) ==
	      sizeof(struct model_flash_params));

const struct config_item_type diskmodel_flash_type = {
	.ct_attrs = flash_attrs,
	.ct_owner = THIS_MODULE,
};

STICK_ATTR(capacity_sectors);
STICK_ATTR(queue_depth);
STICK_ATTR(command_ns);
STICK_ATTR(read_ns);
STICK_ATTR(read_bytes_per_s);
STICK_ATTR(write_ns);
STICK_ATTR(write_bytes_per_s);
STICK_ATTR(block_sectors);
STICK_ATTR(open_blocks);
STICK_ATTR(copy_bytes_per_s);
STICK_ATTR(erase_ns);
STICK_ATTR(stall_period);
STICK_ATTR(stall_ns);

static struct configfs_attribute *stick_attrs[] = {
	&stick_attr_capacity_sectors,
	&stick_attr_queue_depth,
	&stick_attr_command_ns,
	&stick_attr_read_ns,
	&stick_attr_read_bytes_per_s,
	&stick_attr_write_ns,
	&stick_attr_write_bytes_per_s,
	&stick_attr_block_sectors,
	&stick_attr_open_blocks,
	&stick_attr_copy_bytes_per_s,
	&stick_attr_erase_ns,
	&stick_attr_stall_period,
	&stick_attr_stall_ns,
	NULL,
};

static_assert((ARRAY_SIZE(stick_attrs) - 1) * sizeof(u64) ==
	      sizeof(struct model_stick_params));

const struct config_item_type diskmodel_stick_type = {
	.ct_attrs = stick_attrs,
	.ct_owner = THIS_MODULE,
};
