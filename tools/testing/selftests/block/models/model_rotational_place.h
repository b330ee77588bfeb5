/* SPDX-License-Identifier: GPL-2.0 */
/* Disk models: places of the rotating disk, for its own files only. */
#ifndef DISKMODEL_MODEL_ROTATIONAL_PLACE_H
#define DISKMODEL_MODEL_ROTATIONAL_PLACE_H

#include "model_rotational.h"

/**
 * struct model_rot_move - what it takes to begin at a place
 * @seek_ns: head movement
 * @rotation_ns: then waiting for the sector
 */
struct model_rot_move {
	u64 seek_ns;
	u64 rotation_ns;
};

/** model_rot_place_init() - work out zones and stroke from @rot's parameters */
void model_rot_place_init(struct model_rot *rot);

/** model_rot_track_sectors() - whole sectors that pass the head in one turn */
u64 model_rot_track_sectors(u64 bytes_per_s, u64 revolution_ns);

/** model_rot_knee_ns() - seek time where the linear part begins */
u64 model_rot_knee_ns(const struct model_rot_params *params);

/**
 * model_rot_end() - where the head is after the sector before @end
 * @rot: the disk
 * @end: one past that sector
 *
 * Return: the place, still on that sector's track, which matters if @end begins
 * the next one.
 */
struct model_rot_place model_rot_end(const struct model_rot *rot, u64 end);

/** model_rot_passed() - one past the last sector that ends by @media_ns */
u64 model_rot_passed(const struct model_rot *rot, u64 media_ns);

/**
 * model_rot_move() - positioning from where the head is
 * @rot: the disk
 * @to: place of @lba
 * @lba: where to begin
 * @is_write: whether to write there
 * @at_ns: when the head sets off
 *
 * Return: the times it takes.
 */
struct model_rot_move model_rot_move(const struct model_rot *rot,
				     const struct model_rot_place *to, u64 lba,
				     bool is_write, u64 at_ns);

#endif /* DISKMODEL_MODEL_ROTATIONAL_PLACE_H */
