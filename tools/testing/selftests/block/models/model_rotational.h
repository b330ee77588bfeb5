/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Disk models: a rotating disk.
 *
 * One arm, one head at work at a time.  Times a command can be made of:
 *
 *	command + seek (+ write settle) + rotation + transfer	medium
 *	hit + sectors / link					buffers
 *
 * Place.  Zones of equally many cylinders; the media rate falls in equal steps
 * from the first zone to the last.  Every sector has a media time: how long a
 * head that reads from sector 0 on takes to reach it, track and cylinder
 * switches included.  The angle of a sector is its media time modulo one
 * revolution, and the platter's angle is (now + phase) modulo one revolution.
 *
 * Seek over the part x of the stroke (x = 0: none):
 *
 *	settle + sqrt_ns * sqrt(x)				x <= knee
 *	straight from there to full_ns at x = 1			x >  knee
 *
 * The square root is taken in fixed point and is at most sqrt_ns / 65536 (14 ms:
 * 0.2 us) too small.
 *
 * What is left out: the link's share of a transfer from or to the medium (the
 * link is the faster of the two), defects, thermal recalibration, spin-down.
 * A write through the cache's side (FUA) leaves older cached data of the same
 * place to be written after it.
 */
#ifndef DISKMODEL_MODEL_ROTATIONAL_H
#define DISKMODEL_MODEL_ROTATIONAL_H

#include "model.h"

/** define MODEL_MAX_TAGS - commands the drive can hold; tags are below it */
#define MODEL_MAX_TAGS		32

#define MODEL_ROT_MAX_ZONES	64
#define MODEL_ROT_MAX_SEGMENTS	32
#define MODEL_ROT_MAX_EXTENTS	128

/**
 * struct model_rot_params - per device: what kind of disk it is
 * @capacity_sectors: size
 * @queue_depth: commands the drive takes at a time
 * @sptf: 1: serves the command with the shortest positioning time next;
 *	0: first come, first served
 * @age_limit_ns: with @sptf, a command that waited longer goes first; 0: none
 * @revolution_ns: time of one turn
 * @phase_ns: angle of the platter at time 0
 * @rotation: 0: no waiting for the sector to come round
 * @tracks: 1: tracks and cylinders; 0: one spiral without switches, distance
 *	in sectors
 * @heads: tracks per cylinder
 * @zones: number of zones; 1: @outer_bytes_per_s everywhere
 * @outer_bytes_per_s: media rate of the first zone
 * @inner_bytes_per_s: media rate of the last zone
 * @head_switch_ns: from one track to the next of a cylinder
 * @cylinder_switch_ns: from one cylinder to the next while streaming
 * @skew: 1: tracks start later by the switch time, so that streaming goes on
 *	at once; 0: a switch costs a whole turn
 * @seek: 0: seeks take no time
 * @seek_settle_ns: part of every seek, whatever its length
 * @seek_sqrt_ns: square-root part, as if it went on to the full stroke
 * @seek_knee_permille: part of the stroke up to which it holds
 * @seek_full_ns: seek over the full stroke, used if the knee is below 1000
 * @write_settle_ns: added to the seeks of writes
 * @continue_free: 1: a command that begins where the last one ended pays no
 *	positioning, however late it comes
 * @command_ns: overhead of a command for the medium, hidden while others run
 * @hit_ns: overhead of a command for the buffers
 * @link_bytes_per_s: rate of the buffers; 0: no limit
 * @segments: streams that the read-ahead buffer can hold; 0: no read-ahead
 * @segment_sectors: read ahead up to so many unread sectors
 * @write_cache_sectors: size of the write cache; 0: none
 * @destage_sectors: most sectors written from the cache in one go
 * @destage_idle_ns: quiet time before the cache is written back unasked
 * @fua: 1: the drive knows FUA
 */
struct model_rot_params {
	u64 capacity_sectors;
	u64 queue_depth;
	u64 sptf;
	u64 age_limit_ns;
	u64 revolution_ns;
	u64 phase_ns;
	u64 rotation;
	u64 tracks;
	u64 heads;
	u64 zones;
	u64 outer_bytes_per_s;
	u64 inner_bytes_per_s;
	u64 head_switch_ns;
	u64 cylinder_switch_ns;
	u64 skew;
	u64 seek;
	u64 seek_settle_ns;
	u64 seek_sqrt_ns;
	u64 seek_knee_permille;
	u64 seek_full_ns;
	u64 write_settle_ns;
	u64 continue_free;
	u64 command_ns;
	u64 hit_ns;
	u64 link_bytes_per_s;
	u64 segments;
	u64 segment_sectors;
	u64 write_cache_sectors;
	u64 destage_sectors;
	u64 destage_idle_ns;
	u64 fua;
};

/**
 * struct model_rot_zone - a run of cylinders with one media rate
 * @first_lba: first sector
 * @first_cylinder: first cylinder
 * @first_media_ns: media time of the first sector
 * @bytes_per_s: media rate
 * @track_sectors: sectors per track
 */
struct model_rot_zone {
	u64 first_lba;
	u64 first_cylinder;
	u64 first_media_ns;
	u64 bytes_per_s;
	u64 track_sectors;
};

/**
 * struct model_rot_place - where a sector is
 * @media_ns: its media time
 * @cylinder: its cylinder; on a spiral, the sector itself
 * @track: its track, counted from the outside; on a spiral, the sector itself
 */
struct model_rot_place {
	u64 media_ns;
	u64 cylinder;
	u64 track;
};

/**
 * enum model_rot_state - of a command
 * @MODEL_ROT_FREE: tag not in use
 * @MODEL_ROT_QUEUED: waits for the mechanics
 * @MODEL_ROT_MOVING: the mechanics work for it
 * @MODEL_ROT_ROOM: a write that waits for room in the cache
 * @MODEL_ROT_BARRIER: a flush that waits for older writes
 * @MODEL_ROT_TIMED: its end is known
 *
 *	FREE -> QUEUED -> MOVING -> TIMED -> FREE	medium
 *	FREE [-> ROOM] -> TIMED -> FREE			buffers
 *	FREE -> BARRIER -> TIMED -> FREE		flush
 */
enum model_rot_state {
	MODEL_ROT_FREE,
	MODEL_ROT_QUEUED,
	MODEL_ROT_MOVING,
	MODEL_ROT_ROOM,
	MODEL_ROT_BARRIER,
	MODEL_ROT_TIMED,
};

/**
 * struct model_rot_command - per command, indexed by its tag
 * @state: see &enum model_rot_state
 * @req: as submitted
 * @sequence: order of arrival
 * @arrival_ns: when it came
 * @ready_ns: when the mechanics may start on it
 * @done_ns: when it ends, in state TIMED
 * @place: where it starts on the medium
 */
struct model_rot_command {
	enum model_rot_state state;
	struct model_request req;
	u64 sequence;
	u64 arrival_ns;
	u64 ready_ns;
	u64 done_ns;
	struct model_rot_place place;
};

/**
 * struct model_rot_segment - sectors in the read-ahead buffer
 * @start: first one
 * @end: one past the last; equal to @start: empty
 * @wanted: one past the last that was asked for
 * @used: order of last use
 */
struct model_rot_segment {
	u64 start;
	u64 end;
	u64 wanted;
	u64 used;
};

/**
 * struct model_rot_extent - sectors in the write cache
 * @lba: first one
 * @sectors: how many
 * @sequence: arrival of its oldest write
 */
struct model_rot_extent {
	u64 lba;
	u64 sectors;
	u64 sequence;
};

/**
 * struct model_rot - per device: a rotating disk at work
 * @params: what it is; constant
 * @zone: its zones; constant
 * @zones: how many; constant
 * @cylinder_ns: media time per cylinder; constant
 * @head_gap_ns: media time between two tracks of a cylinder; constant
 * @stroke: largest distance of two places; constant
 * @now_ns: time replayed so far
 * @command: commands by tag
 * @held: commands held
 * @idle_since_ns: when @held became 0
 * @active_ns: when a command last came or the mechanics last stopped
 * @sequence: arrivals so far
 * @is_moving: the mechanics work until @stop_ns
 * @stop_ns: when they stop
 * @moving_tag: for this command, or -1 for the write cache
 * @moving_lba: first sector of that work
 * @moving_sectors: length of that work
 * @head: place of the head after the last sector known to have passed
 * @head_lba: one past that sector
 * @head_ns: when it passed
 * @ahead: segment that is being read into, or -1
 * @segment: the read-ahead buffer
 * @uses: counts uses of segments
 * @extent: the write cache; the first @extents are in use
 * @extents: how many
 * @cached_sectors: sectors in the write cache
 * @destaging: sequence of the data on their way to the medium, or MODEL_NEVER
 * @link_free_ns: when the link is free
 * @counters: see &struct model_counters
 */
struct model_rot {
	struct model_rot_params params;
	struct model_rot_zone zone[MODEL_ROT_MAX_ZONES];
	unsigned int zones;
	u64 cylinder_ns;
	u64 head_gap_ns;
	u64 stroke;
	u64 now_ns;
	struct model_rot_command command[MODEL_MAX_TAGS];
	unsigned int held;
	u64 idle_since_ns;
	u64 active_ns;
	u64 sequence;
	bool is_moving;
	u64 stop_ns;
	int moving_tag;
	u64 moving_lba;
	u64 moving_sectors;
	struct model_rot_place head;
	u64 head_lba;
	u64 head_ns;
	int ahead;
	struct model_rot_segment segment[MODEL_ROT_MAX_SEGMENTS];
	u64 uses;
	struct model_rot_extent extent[MODEL_ROT_MAX_EXTENTS];
	unsigned int extents;
	u64 cached_sectors;
	u64 destaging;
	u64 link_free_ns;
	struct model_counters counters;
};

/** model_rot_param - the parameters with their ranges, ends with a NULL name */
extern const struct model_param model_rot_param[];

/**
 * model_rot_preset() - set all parameters to those of a known disk
 * @params: to fill
 * @name: ``ide2002``, ``sata7200`` or ``seekdisk``
 *
 * Return: false, and nothing set, if there is no such preset.
 */
bool model_rot_preset(struct model_rot_params *params, const char *name);

/**
 * model_rot_check() - tell whether a set of parameters describes a disk
 * @params: to look at
 *
 * Return: NULL if it does, else what is wrong.
 */
const char *model_rot_check(const struct model_rot_params *params);

/**
 * model_rot_init() - power on
 * @rot: the disk
 * @params: must have passed model_rot_check()
 * @now_ns: time
 */
void model_rot_init(struct model_rot *rot,
		    const struct model_rot_params *params, u64 now_ns);

/**
 * model_rot_submit() - hand in a command
 * @rot: the disk
 * @tag: below the queue depth, and not in use
 * @req: inside the capacity
 * @now_ns: time
 *
 * Return: false, and nothing done, if the command breaks one of these rules.
 */
bool model_rot_submit(struct model_rot *rot, unsigned int tag,
		      const struct model_request *req, u64 now_ns);

/**
 * model_rot_next_ns() - tell when something will happen
 * @rot: the disk
 *
 * Return: a time to call model_rot_poll() at, or MODEL_NEVER.
 */
u64 model_rot_next_ns(const struct model_rot *rot);

/**
 * model_rot_poll() - replay up to now and take one command that has ended
 * @rot: the disk
 * @now_ns: time
 *
 * Return: its tag, free again, or -1 if there is none.
 */
int model_rot_poll(struct model_rot *rot, u64 now_ns);

/**
 * model_rot_find() - find a sector
 * @rot: the disk
 * @lba: below the capacity
 *
 * Return: its place.
 */
struct model_rot_place model_rot_find(const struct model_rot *rot, u64 lba);

/**
 * model_rot_seek_ns() - time of a seek
 * @rot: the disk
 * @distance: at most the stroke
 *
 * Return: the time, 0 for no distance.
 */
u64 model_rot_seek_ns(const struct model_rot *rot, u64 distance);

/**
 * model_rot_media_ns() - time to read or write some sectors in place
 * @rot: the disk
 * @lba: first one
 * @sectors: at least 1
 *
 * Return: the time from the first sector's start to the last one's end.
 */
u64 model_rot_media_ns(const struct model_rot *rot, u64 lba, u64 sectors);

#endif /* DISKMODEL_MODEL_ROTATIONAL_H */
