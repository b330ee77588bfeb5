// SPDX-License-Identifier: GPL-2.0
/* Disk models: parameters of the rotating disk, their ranges and presets. */
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "model_rotational_place.h"

#define ROT_PARAM(field, least, most) {					\
	.name = #field,							\
	.offset = offsetof(struct model_rot_params, field),		\
	.min = (least),							\
	.max = (most),							\
}

/*
 * The upper ends keep every product below 2^63: no time above 1 s where it is
 * multiplied, no rate above 1 GB/s on the medium.
 */
const struct model_param model_rot_param[] = {
	ROT_PARAM(capacity_sectors, 8, 1ULL << 40),
	ROT_PARAM(queue_depth, 1, MODEL_MAX_TAGS),
	ROT_PARAM(sptf, 0, 1),
	ROT_PARAM(age_limit_ns, 0, 60 * MODEL_NSEC),
	ROT_PARAM(revolution_ns, MODEL_NSEC / 1000, MODEL_NSEC),
	ROT_PARAM(phase_ns, 0, MODEL_NSEC),
	ROT_PARAM(rotation, 0, 1),
	ROT_PARAM(tracks, 0, 1),
	ROT_PARAM(heads, 1, 64),
	ROT_PARAM(zones, 1, MODEL_ROT_MAX_ZONES),
	ROT_PARAM(outer_bytes_per_s, 100000, MODEL_NSEC),
	ROT_PARAM(inner_bytes_per_s, 100000, MODEL_NSEC),
	ROT_PARAM(head_switch_ns, 0, MODEL_NSEC),
	ROT_PARAM(cylinder_switch_ns, 0, MODEL_NSEC),
	ROT_PARAM(skew, 0, 1),
	ROT_PARAM(seek, 0, 1),
	ROT_PARAM(seek_settle_ns, 0, MODEL_NSEC),
	ROT_PARAM(seek_sqrt_ns, 0, MODEL_NSEC),
	ROT_PARAM(seek_knee_permille, 0, 1000),
	ROT_PARAM(seek_full_ns, 0, MODEL_NSEC),
	ROT_PARAM(write_settle_ns, 0, MODEL_NSEC),
	ROT_PARAM(continue_free, 0, 1),
	ROT_PARAM(command_ns, 0, MODEL_NSEC),
	ROT_PARAM(hit_ns, 0, MODEL_NSEC),
	ROT_PARAM(link_bytes_per_s, 0, 100 * MODEL_NSEC),
	ROT_PARAM(segments, 0, MODEL_ROT_MAX_SEGMENTS),
	ROT_PARAM(segment_sectors, 0, 1 << 20),
	ROT_PARAM(write_cache_sectors, 0, 1 << 20),
	ROT_PARAM(destage_sectors, 1, 1 << 16),
	ROT_PARAM(destage_idle_ns, 0, 60 * MODEL_NSEC),
	ROT_PARAM(fua, 0, 1),
	{ }
};

/*
 * A 40 GB desktop disk of 2002: IBM Deskstar 120GXP, IC35L040AVVN07, one
 * platter, two heads, 7200 rpm.  From its specification, S07N-4778-08, revision
 * 4.1 of 18 June 2002, section 4.4: overhead 0.3 ms, 0.1 ms from the buffer;
 * average seek 8.5 ms to read, 9.2 ms to write.  Full stroke 14.7 ms, head
 * switch 1.4 ms, cylinder switch 1.8 ms are those of the Deskstar 60GXP, its
 * predecessor (specification S07N-4780-04 of 1 May 2002, 4.3.2.2 to 4.3.2.4).
 * Outer tracks of 984 sectors: X-bit labs' review of the Deskstar 180GXP gives
 * its 1092 as 11 % more than the 120GXP's.  That is 60.5 MB/s from the head and,
 * by IBM's own formula, 50.7 MB/s streaming.  Inner rate: 0.478 of it, as on
 * the disk below, of the same diameter.  Knee and root were solved for: settle
 * 1.8 ms (the shortest seek is the cylinder switch), full stroke and average
 * as given, and no kink at the knee.  Buffer 2 MB; how it is divided (3/4 to
 * read-ahead) is our choice.  No queueing: Linux did not use ATA TCQ.
 */
static const struct model_rot_params rot_ide2002 = {
	.capacity_sectors = 80418240,
	.queue_depth = 1,
	.revolution_ns = 8333333,
	.rotation = 1,
	.tracks = 1,
	.heads = 2,
	.zones = 30,
	.outer_bytes_per_s = 60456961,
	.inner_bytes_per_s = 28898428,
	.head_switch_ns = 1400000,
	.cylinder_switch_ns = 1800000,
	.skew = 1,
	.seek = 1,
	.seek_settle_ns = 1800000,
	.seek_sqrt_ns = 12540000,
	.seek_knee_permille = 620,
	.seek_full_ns = 14700000,
	.write_settle_ns = 700000,
	.command_ns = 300000,
	.hit_ns = 100000,
	.link_bytes_per_s = 100000000,
	.segments = 6,
	.segment_sectors = 512,
	.write_cache_sectors = 1024,
	.destage_sectors = 512,
	.destage_idle_ns = 2000000,
};

/*
 * A 500 GB desktop disk of 2005 with NCQ: Hitachi Deskstar 7K500,
 * HDS725050KLA360, five platters, ten heads, 7200 rpm.  From its specification,
 * table 10: 76.3 MB/s from the head and 64.8 MB/s streaming in zone 0, 36.5 and
 * 31.0 MB/s in zone 29.  Average seek 8.5 ms, buffer 16 MB, NCQ, 300 MB/s link:
 * The Tech Report's review of the drive.  One track and switch take 76.3/64.8
 * of a turn, so switches are 1.48 ms on average; 1.45 and 1.75 ms fit.  Write
 * seeks 1 ms longer and full stroke as for the makers' other 7200 rpm disks
 * (7K1000.C table 9; 60GXP 4.3.2.2).  Overheads: the 120GXP's, for want of
 * better.  Knee and root solved for as above.  Ageing at 0.5 s: our choice.
 */
static const struct model_rot_params rot_sata7200 = {
	.capacity_sectors = 976773168,
	.queue_depth = 32,
	.sptf = 1,
	.age_limit_ns = 500000000,
	.revolution_ns = 8333333,
	.rotation = 1,
	.tracks = 1,
	.heads = 10,
	.zones = 30,
	.outer_bytes_per_s = 76300000,
	.inner_bytes_per_s = 36500000,
	.head_switch_ns = 1450000,
	.cylinder_switch_ns = 1750000,
	.skew = 1,
	.seek = 1,
	.seek_settle_ns = 1750000,
	.seek_sqrt_ns = 12645000,
	.seek_knee_permille = 645,
	.seek_full_ns = 14700000,
	.write_settle_ns = 1000000,
	.command_ns = 300000,
	.hit_ns = 100000,
	.link_bytes_per_s = 300000000,
	.segments = 16,
	.segment_sectors = 1024,
	.write_cache_sectors = 16384,
	.destage_sectors = 1024,
	.destage_idle_ns = 2000000,
	.fua = 1,
};

/*
 * The disk of Fairway's design page, "a disk with seeks", kept so that figures
 * measured on it can be compared: 40 GB, 30 MB/s, first come first served, a
 * command that does not begin where the last one ended pays 1 ms + 14 ms *
 * sqrt(distance / capacity) and waits for (offset / rate) mod 11 ms; no cache.
 */
static const struct model_rot_params rot_seekdisk = {
	.capacity_sectors = 78125000,
	.queue_depth = 32,
	.revolution_ns = 11000000,
	.rotation = 1,
	.heads = 1,
	.zones = 1,
	.outer_bytes_per_s = 30000000,
	.inner_bytes_per_s = 30000000,
	.seek = 1,
	.seek_settle_ns = 1000000,
	.seek_sqrt_ns = 14000000,
	.seek_knee_permille = 1000,
	.continue_free = 1,
	.destage_sectors = 1024,
};

bool model_rot_preset(struct model_rot_params *params, const char *name)
{
	static const struct {
		const char *name;
		const struct model_rot_params *params;
	} preset[] = {
		{ "ide2002", &rot_ide2002 },
		{ "sata7200", &rot_sata7200 },
		{ "seekdisk", &rot_seekdisk },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(preset); i++) {
		if (strcmp(preset[i].name, name))
			continue;
		*params = *preset[i].params;
		return true;
	}
	return false;
}

const char *model_rot_check(const struct model_rot_params *params)
{
	const char *name = model_params_check(model_rot_param, params);

	if (name)
		return name;
	if (params->phase_ns >= params->revolution_ns)
		return "phase_ns is not below revolution_ns";
	if (params->inner_bytes_per_s > params->outer_bytes_per_s)
		return "inner_bytes_per_s is above outer_bytes_per_s";
	if (!model_rot_track_sectors(params->inner_bytes_per_s, params->revolution_ns))
		return "a track holds no sector";
	if (params->seek_knee_permille < 1000 &&
	    params->seek_full_ns < model_rot_knee_ns(params))
		return "seek_full_ns is below the seek time at the knee";
	if (!params->segments != !params->segment_sectors)
		return "only one of segments and segment_sectors is 0";
	return NULL;
}
