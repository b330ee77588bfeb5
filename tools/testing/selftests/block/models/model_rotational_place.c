// SPDX-License-Identifier: GPL-2.0
/*
 * Disk models: where the sectors of a rotating disk are, and what it takes to
 * get from one to another.  Nothing here changes but at power-on.
 */
#include <linux/kernel.h>
#include <linux/math.h>
#include <linux/math64.h>

#include "model_rotational_place.h"

u64 model_rot_track_sectors(u64 bytes_per_s, u64 revolution_ns)
{
	return div64_u64(bytes_per_s * revolution_ns, MODEL_SECTOR_BYTES * MODEL_NSEC);
}

/* sqrt_ns * sqrt(part / 2^32), see the error bound in the header */
static u64 rot_root_ns(u64 sqrt_ns, u64 part)
{
	return (sqrt_ns * int_sqrt64(part << 30)) >> 31;
}

static u64 rot_knee(const struct model_rot_params *params)
{
	return div_u64(params->seek_knee_permille << 32, 1000);
}

u64 model_rot_knee_ns(const struct model_rot_params *params)
{
	return params->seek_settle_ns +
	       rot_root_ns(params->seek_sqrt_ns, rot_knee(params));
}

/* Time in which @sectors pass the head, rounded down; exact over sums. */
static u64 rot_stream_ns(u64 sectors, u64 bytes_per_s)
{
	u64 rest, s = div64_u64_rem(sectors * MODEL_SECTOR_BYTES, bytes_per_s, &rest);

	return s * MODEL_NSEC + div64_u64(rest * MODEL_NSEC, bytes_per_s);
}

static const struct model_rot_zone *rot_zone_find(const struct model_rot *rot,
						  u64 lba)
{
	unsigned int i = rot->zones - 1;

	while (i && rot->zone[i].first_lba > lba)
		i--;
	return &rot->zone[i];
}

struct model_rot_place model_rot_find(const struct model_rot *rot, u64 lba)
{
	const struct model_rot_params *p = &rot->params;
	const struct model_rot_zone *zone = rot_zone_find(rot, lba);
	u64 cylinder, head, sector, rest;
	struct model_rot_place place;

	if (!p->tracks) {
		place.media_ns = zone->first_media_ns +
			rot_stream_ns(lba - zone->first_lba, zone->bytes_per_s);
		place.cylinder = lba;
		place.track = lba;
		return place;
	}
	cylinder = div64_u64_rem(lba - zone->first_lba,
				 p->heads * zone->track_sectors, &rest);
	head = div64_u64_rem(rest, zone->track_sectors, &sector);
	place.media_ns = zone->first_media_ns + cylinder * rot->cylinder_ns +
		head * (p->revolution_ns + rot->head_gap_ns) +
		div64_u64(sector * p->revolution_ns, zone->track_sectors);
	place.cylinder = zone->first_cylinder + cylinder;
	place.track = place.cylinder * p->heads + head;
	return place;
}

struct model_rot_place model_rot_end(const struct model_rot *rot, u64 end)
{
	const struct model_rot_params *p = &rot->params;
	const struct model_rot_zone *zone;
	struct model_rot_place place;
	u64 sector;

	if (!p->tracks)
		return model_rot_find(rot, end);

	zone = rot_zone_find(rot, end - 1);
	div64_u64_rem(end - 1 - zone->first_lba, zone->track_sectors, &sector);
	place = model_rot_find(rot, end - 1);
	place.media_ns -= div64_u64(sector * p->revolution_ns, zone->track_sectors);
	place.media_ns += div64_u64((sector + 1) * p->revolution_ns,
				    zone->track_sectors);
	return place;
}

u64 model_rot_passed(const struct model_rot *rot, u64 media_ns)
{
	const struct model_rot_params *p = &rot->params;
	const struct model_rot_zone *zone;
	unsigned int i = rot->zones - 1;
	u64 cylinder, head, rest, lba;

	while (i && rot->zone[i].first_media_ns > media_ns)
		i--;
	zone = &rot->zone[i];
	if (!p->tracks) {
		u64 s = div64_u64_rem(media_ns - zone->first_media_ns, MODEL_NSEC,
				      &rest);

		lba = zone->first_lba +
		      div64_u64(s * zone->bytes_per_s +
				div64_u64(rest * zone->bytes_per_s, MODEL_NSEC),
				MODEL_SECTOR_BYTES);
	} else {
		cylinder = div64_u64_rem(media_ns - zone->first_media_ns,
					 rot->cylinder_ns, &rest);
		head = min_t(u64, p->heads - 1,
			     div64_u64(rest, p->revolution_ns +
				       rot->head_gap_ns));
		rest -= head * (p->revolution_ns + rot->head_gap_ns);
		rest = min_t(u64, rest, p->revolution_ns);
		lba = zone->first_lba +
		      (cylinder * p->heads + head) * zone->track_sectors +
		      div64_u64(rest * zone->track_sectors, p->revolution_ns);
	}
	/* both divisions round down, and so does the media time: one short */
	if (lba < p->capacity_sectors &&
	    model_rot_end(rot, lba + 1).media_ns <= media_ns)
		lba++;
	return min_t(u64, lba, p->capacity_sectors);
}

u64 model_rot_media_ns(const struct model_rot *rot, u64 lba, u64 sectors)
{
	return model_rot_end(rot, lba + sectors).media_ns -
	       model_rot_find(rot, lba).media_ns;
}

u64 model_rot_seek_ns(const struct model_rot *rot, u64 distance)
{
	const struct model_rot_params *p = &rot->params;
	u64 stroke = rot->stroke;
	u64 part, knee, knee_ns;

	if (!distance || !p->seek)
		return 0;
	if (distance >> 31) {
		distance >>= 9;
		stroke >>= 9;
	}
	part = min_t(u64, div64_u64(distance << 32, stroke), 1ULL << 32);
	knee = rot_knee(p);
	if (part <= knee)
		return p->seek_settle_ns + rot_root_ns(p->seek_sqrt_ns, part);

	knee_ns = model_rot_knee_ns(p);
	return knee_ns + div64_u64((p->seek_full_ns - knee_ns) * (part - knee),
				   (1ULL << 32) - knee);
}

/* Time until the platter brings @media_ns under a head that is ready at @at_ns. */
static u64 rot_wait_ns(const struct model_rot *rot, u64 media_ns, u64 at_ns)
{
	u64 turn = rot->params.revolution_ns;
	u64 want, have;

	if (!rot->params.rotation)
		return 0;
	div64_u64_rem(media_ns, turn, &want);
	div64_u64_rem(at_ns + rot->params.phase_ns, turn, &have);
	return want >= have ? want - have : want + turn - have;
}

struct model_rot_move model_rot_move(const struct model_rot *rot,
				     const struct model_rot_place *to, u64 lba,
				     bool is_write, u64 at_ns)
{
	const struct model_rot_params *p = &rot->params;
	const struct model_rot_place *from = &rot->head;
	bool is_next = lba == rot->head_lba;
	struct model_rot_move move = { };

	if (p->continue_free && is_next)
		return move;
	if (from->cylinder != to->cylinder) {
		u64 distance = from->cylinder < to->cylinder ?
			       to->cylinder - from->cylinder :
			       from->cylinder - to->cylinder;

		move.seek_ns = model_rot_seek_ns(rot, distance);
		/* streaming into the next cylinder is a switch, no seek */
		if (p->tracks && is_next && p->seek)
			move.seek_ns = p->cylinder_switch_ns;
		if (is_write && p->seek && !is_next)
			move.seek_ns += p->write_settle_ns;
	} else if (from->track != to->track && p->seek) {
		move.seek_ns = p->head_switch_ns;
	}
	move.rotation_ns = rot_wait_ns(rot, to->media_ns, at_ns + move.seek_ns);
	return move;
}

static void rot_zones_init(struct model_rot *rot)
{
	const struct model_rot_params *p = &rot->params;
	u64 step = p->outer_bytes_per_s - p->inner_bytes_per_s;
	u64 lba = 0, cylinder = 0, media_ns = 0, sum = 0, cylinders;
	unsigned int i;

	rot->zones = p->zones;
	for (i = 0; i < rot->zones; i++) {
		u64 rate = p->outer_bytes_per_s;

		if (i)
			rate -= div_u64(step * i, rot->zones - 1);
		rot->zone[i].bytes_per_s = rate;
		rot->zone[i].track_sectors =
			model_rot_track_sectors(rate, p->revolution_ns);
		sum += rot->zone[i].track_sectors * p->heads;
	}
	cylinders = div64_u64(p->capacity_sectors + sum - 1, sum);
	for (i = 0; i < rot->zones; i++) {
		struct model_rot_zone *zone = &rot->zone[i];
		u64 sectors = cylinders * p->heads * zone->track_sectors;

		zone->first_lba = lba;
		zone->first_cylinder = cylinder;
		zone->first_media_ns = media_ns;
		lba += sectors;
		cylinder += cylinders;
		media_ns += p->tracks ? cylinders * rot->cylinder_ns :
			    rot_stream_ns(sectors, zone->bytes_per_s);
	}
}

/* Media time of a switch: without skew the track's start has just gone by. */
static u64 rot_gap_ns(const struct model_rot_params *p, u64 switch_ns)
{
	if (p->skew || !p->rotation || !p->seek)
		return switch_ns;
	return DIV64_U64_ROUND_UP(switch_ns, p->revolution_ns) *
	       p->revolution_ns;
}

void model_rot_place_init(struct model_rot *rot)
{
	const struct model_rot_params *p = &rot->params;

	rot->head_gap_ns = rot_gap_ns(p, p->head_switch_ns);
	rot->cylinder_ns = p->heads * p->revolution_ns +
			   (p->heads - 1) * rot->head_gap_ns +
			   rot_gap_ns(p, p->cylinder_switch_ns);
	rot_zones_init(rot);
	rot->stroke = p->capacity_sectors;
	if (p->tracks)
		rot->stroke = model_rot_find(rot, p->capacity_sectors - 1).cylinder;
	rot->stroke = max_t(u64, rot->stroke, 1);
}
