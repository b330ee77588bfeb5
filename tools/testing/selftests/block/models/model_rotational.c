// SPDX-License-Identifier: GPL-2.0
/*
 * Disk models: a rotating disk at work.  The header says what it is made of.
 *
 * Top to bottom: read-ahead buffer, write cache, choice of the next work, the
 * calls.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "model_rotational_place.h"

/* --- Read-ahead buffer --------------------------------------------------- */

/* The sector at which reading ahead into @segment stops. */
static u64 rot_ahead_limit(const struct model_rot *rot,
			   const struct model_rot_segment *segment)
{
	return min_t(u64, rot->params.capacity_sectors,
		     segment->wanted + rot->params.segment_sectors);
}

static void rot_segment_trim(struct model_rot *rot,
			     struct model_rot_segment *segment)
{
	u64 room = 2 * rot->params.segment_sectors;

	if (segment->end - segment->start > room)
		segment->start = segment->end - room;
}

/*
 * Move the head along to what it has read ahead by @at_ns.  Its time follows the
 * sector it has passed, so going on later loses nothing.
 */
static void rot_ahead_sync(struct model_rot *rot, u64 at_ns)
{
	struct model_rot_segment *segment;
	struct model_rot_place place;
	u64 passed, limit;

	if (rot->ahead < 0)
		return;
	segment = &rot->segment[rot->ahead];
	limit = rot_ahead_limit(rot, segment);
	passed = model_rot_passed(rot, rot->head.media_ns + at_ns - rot->head_ns);
	if (passed >= limit) {
		passed = limit;
		rot->ahead = -1;
	}
	if (passed <= rot->head_lba)
		return;
	place = model_rot_end(rot, passed);
	rot->head_ns += place.media_ns - rot->head.media_ns;
	rot->head = place;
	rot->head_lba = passed;
	segment->end = passed;
	rot_segment_trim(rot, segment);
}

/*
 * The segment that holds @lba, or is just reading it; up to date only after
 * rot_ahead_sync().
 */
static struct model_rot_segment *rot_segment_find(struct model_rot *rot, u64 lba)
{
	unsigned int i;

	for (i = 0; i < rot->params.segments; i++) {
		struct model_rot_segment *segment = &rot->segment[i];

		if (segment->start > lba || segment->start == segment->end)
			continue;
		if (lba < segment->end ||
		    (lba == segment->end && rot->ahead == (int)i))
			return segment;
	}
	return NULL;
}

static bool rot_segment_is_ahead(const struct model_rot *rot,
				 const struct model_rot_segment *segment)
{
	return segment && rot->ahead >= 0 &&
	       segment == &rot->segment[rot->ahead];
}

/* Keep what a read brought, and go on reading behind it. */
static void rot_segment_add(struct model_rot *rot, u64 lba, u64 end)
{
	struct model_rot_segment *segment = NULL;
	unsigned int i;

	if (!rot->params.segments)
		return;
	for (i = 0; i < rot->params.segments && !segment; i++)
		if (rot->segment[i].start < rot->segment[i].end &&
		    rot->segment[i].start <= lba && lba <= rot->segment[i].end)
			segment = &rot->segment[i];
	if (!segment) {
		segment = &rot->segment[0];
		for (i = 1; i < rot->params.segments; i++)
			if (rot->segment[i].used < segment->used)
				segment = &rot->segment[i];
		segment->start = lba;
		segment->end = lba;
		segment->wanted = lba;
	}
	segment->end = max(segment->end, end);
	segment->wanted = max(segment->wanted, end);
	segment->used = ++rot->uses;
	rot_segment_trim(rot, segment);
	/* the head is behind @end: reading on fills only an unbroken segment */
	rot->ahead = segment->end == end ? (int)(segment - rot->segment) : -1;
}

/* A write makes what was read before useless. */
static void rot_segment_drop(struct model_rot *rot, u64 lba, u64 end, u64 at_ns)
{
	unsigned int i;

	rot_ahead_sync(rot, at_ns);
	for (i = 0; i < rot->params.segments; i++) {
		struct model_rot_segment *segment = &rot->segment[i];

		if (lba >= segment->end || end <= segment->start)
			continue;
		if (rot->ahead == (int)i)
			rot->ahead = -1;
		segment->start = 0;
		segment->end = 0;
		segment->used = 0;
	}
}

/* --- Write cache --------------------------------------------------------- */

static bool rot_cache_holds(const struct model_rot *rot, u64 lba, u64 end)
{
	unsigned int i;

	if (rot->destaging != MODEL_NEVER && lba >= rot->moving_lba &&
	    end <= rot->moving_lba + rot->moving_sectors)
		return true;
	for (i = 0; i < rot->extents; i++)
		if (lba >= rot->extent[i].lba &&
		    end <= rot->extent[i].lba + rot->extent[i].sectors)
			return true;
	return false;
}

static bool rot_has_state(const struct model_rot *rot,
			  enum model_rot_state state)
{
	unsigned int i;

	for (i = 0; i < rot->params.queue_depth; i++)
		if (rot->command[i].state == state)
			return true;
	return false;
}

/*
 * Put a write into the cache, if there is room.  While a flush waits, nothing
 * is joined to older data, or a steady writer would hold the flush up for ever.
 */
static bool rot_cache_add(struct model_rot *rot, u64 lba, u64 sectors,
			  u64 sequence)
{
	bool may_join = !rot_has_state(rot, MODEL_ROT_BARRIER);
	struct model_rot_extent *extent;
	unsigned int i;

	if (rot->cached_sectors + sectors > rot->params.write_cache_sectors)
		return false;
	for (i = 0; i < rot->extents && may_join; i++) {
		extent = &rot->extent[i];
		if (lba >= extent->lba &&
		    lba + sectors <= extent->lba + extent->sectors)
			return true;
		if (lba != extent->lba + extent->sectors &&
		    lba + sectors != extent->lba)
			continue;
		extent->lba = min(extent->lba, lba);
		extent->sectors += sectors;
		rot->cached_sectors += sectors;
		return true;
	}
	if (rot->extents == MODEL_ROT_MAX_EXTENTS)
		return false;
	extent = &rot->extent[rot->extents++];
	extent->lba = lba;
	extent->sectors = sectors;
	extent->sequence = sequence;
	rot->cached_sectors += sectors;
	return true;
}

/* End at @at_ns, or when the link has carried the data. */
static void rot_end_at(struct model_rot_command *command, u64 at_ns)
{
	command->state = MODEL_ROT_TIMED;
	command->done_ns = at_ns;
}

static void rot_end_by_link(struct model_rot *rot,
			    struct model_rot_command *command, u64 at_ns)
{
	u64 link_ns = model_bytes_ns(command->req.sectors,
				     rot->params.link_bytes_per_s);

	at_ns = max(at_ns, rot->link_free_ns) + link_ns;
	rot->link_free_ns = at_ns;
	rot->counters.link_ns += link_ns;
	rot->counters.cache_hits++;
	rot_end_at(command, at_ns);
}

/* The oldest command in @state, or NULL. */
static struct model_rot_command *rot_oldest(struct model_rot *rot,
					    enum model_rot_state state)
{
	struct model_rot_command *oldest = NULL;
	unsigned int i;

	for (i = 0; i < rot->params.queue_depth; i++) {
		struct model_rot_command *command = &rot->command[i];

		if (command->state == state &&
		    (!oldest || command->sequence < oldest->sequence))
			oldest = command;
	}
	return oldest;
}

/* After data reached the medium: writes find room, flushes end. */
static void rot_cache_drained(struct model_rot *rot, u64 at_ns)
{
	struct model_rot_command *command;
	u64 oldest = rot->destaging;
	unsigned int i;

	while ((command = rot_oldest(rot, MODEL_ROT_ROOM))) {
		if (!rot_cache_add(rot, command->req.lba, command->req.sectors,
				   command->sequence))
			break;
		rot_end_by_link(rot, command, at_ns);
	}
	for (i = 0; i < rot->extents; i++)
		oldest = min(oldest, rot->extent[i].sequence);
	while ((command = rot_oldest(rot, MODEL_ROT_BARRIER))) {
		if (oldest < command->sequence)
			break;
		rot_end_at(command, at_ns);
	}
}

/**
 * enum rot_destage - which data of the cache may go to the medium
 * @ROT_DESTAGE_NONE: none now
 * @ROT_DESTAGE_ALL: all
 * @ROT_DESTAGE_OLD: those that a flush waits for
 */
enum rot_destage {
	ROT_DESTAGE_NONE,
	ROT_DESTAGE_ALL,
	ROT_DESTAGE_OLD,
};

/*
 * Above three quarters full the cache competes with commands, so that a burst
 * still finds room; that and waiting commands apart, it is written when idle.
 */
static enum rot_destage rot_destage_now(const struct model_rot *rot, u64 at_ns)
{
	const struct model_rot_params *p = &rot->params;

	if (!rot->extents)
		return ROT_DESTAGE_NONE;
	if (rot->cached_sectors * 4 > p->write_cache_sectors * 3 ||
	    rot_has_state(rot, MODEL_ROT_ROOM))
		return ROT_DESTAGE_ALL;
	if (rot_has_state(rot, MODEL_ROT_BARRIER))
		return ROT_DESTAGE_OLD;
	if (at_ns >= rot->active_ns + p->destage_idle_ns &&
	    !rot_has_state(rot, MODEL_ROT_QUEUED))
		return ROT_DESTAGE_ALL;
	return ROT_DESTAGE_NONE;
}

/* --- Choice of the next work --------------------------------------------- */

/**
 * struct rot_choice - the best work so far
 * @tag: a command, or -1
 * @extent: a part of the write cache, or -1
 * @is_aged: it has waited too long
 * @since_ns: since when it, or who needs it, waits
 * @sequence: order of arrival
 * @cost_ns: positioning time
 */
struct rot_choice {
	int tag;
	int extent;
	bool is_aged;
	u64 since_ns;
	u64 sequence;
	u64 cost_ns;
};

static bool rot_is_better(const struct model_rot *rot,
			  const struct rot_choice *a, const struct rot_choice *b)
{
	if (b->tag < 0 && b->extent < 0)
		return true;
	if (!rot->params.sptf)
		return a->sequence < b->sequence;
	if (a->is_aged != b->is_aged)
		return a->is_aged;
	if (a->is_aged && a->since_ns != b->since_ns)
		return a->since_ns < b->since_ns;
	if (a->cost_ns != b->cost_ns)
		return a->cost_ns < b->cost_ns;
	return a->sequence < b->sequence;
}

static bool rot_is_aged(const struct model_rot *rot, u64 since_ns, u64 at_ns)
{
	return rot->params.age_limit_ns &&
	       at_ns - since_ns > rot->params.age_limit_ns;
}

static u64 rot_cost_ns(const struct model_rot *rot,
		       const struct model_rot_place *place, u64 lba,
		       bool is_write, u64 at_ns)
{
	struct model_rot_move move;

	if (!rot->params.sptf)
		return 0;
	move = model_rot_move(rot, place, lba, is_write, at_ns);
	return move.seek_ns + move.rotation_ns;
}

static void rot_choose_command(struct model_rot *rot, u64 at_ns,
			       struct rot_choice *best)
{
	unsigned int tag;

	for (tag = 0; tag < rot->params.queue_depth; tag++) {
		struct model_rot_command *command = &rot->command[tag];
		struct rot_choice choice = {
			.tag = tag,
			.extent = -1,
			.since_ns = command->arrival_ns,
			.sequence = command->sequence,
		};

		if (command->state != MODEL_ROT_QUEUED ||
		    command->ready_ns > at_ns)
			continue;
		choice.is_aged = rot_is_aged(rot, command->arrival_ns, at_ns);
		if (command->req.op == MODEL_WRITE ||
		    !rot_segment_find(rot, command->req.lba))
			choice.cost_ns = rot_cost_ns(rot, &command->place,
						     command->req.lba,
						     command->req.op == MODEL_WRITE,
						     at_ns);
		if (rot_is_better(rot, &choice, best))
			*best = choice;
	}
}

static void rot_choose_extent(struct model_rot *rot, u64 at_ns,
			      struct rot_choice *best)
{
	enum rot_destage destage = rot_destage_now(rot, at_ns);
	struct model_rot_command *flush = rot_oldest(rot, MODEL_ROT_BARRIER);
	struct model_rot_command *room = rot_oldest(rot, MODEL_ROT_ROOM);
	u64 since_ns = at_ns;
	unsigned int i;

	if (destage == ROT_DESTAGE_NONE)
		return;
	if (flush)
		since_ns = min(since_ns, flush->arrival_ns);
	if (room)
		since_ns = min(since_ns, room->arrival_ns);

	for (i = 0; i < rot->extents; i++) {
		struct model_rot_extent *extent = &rot->extent[i];
		struct model_rot_place place = model_rot_find(rot, extent->lba);
		struct rot_choice choice = {
			.tag = -1,
			.extent = i,
			.is_aged = rot_is_aged(rot, since_ns, at_ns),
			.since_ns = since_ns,
			.sequence = extent->sequence,
		};

		if (destage == ROT_DESTAGE_OLD &&
		    extent->sequence > flush->sequence)
			continue;
		choice.cost_ns = rot_cost_ns(rot, &place, extent->lba, true,
					     at_ns);
		if (rot_is_better(rot, &choice, best))
			*best = choice;
	}
}

/* Send the head to work; the caller has ended the read-ahead. */
static void rot_move_start(struct model_rot *rot, u64 lba, u64 sectors,
			   bool is_write, u64 at_ns)
{
	struct model_rot_place place = model_rot_find(rot, lba);
	struct model_rot_move move = model_rot_move(rot, &place, lba, is_write,
						    at_ns);
	u64 transfer_ns = model_rot_media_ns(rot, lba, sectors);

	rot->is_moving = true;
	rot->moving_lba = lba;
	rot->moving_sectors = sectors;
	rot->stop_ns = at_ns + move.seek_ns + move.rotation_ns + transfer_ns;
	rot->counters.seeks += move.seek_ns != 0;
	rot->counters.seek_ns += move.seek_ns;
	rot->counters.rotation_ns += move.rotation_ns;
	rot->counters.transfer_ns += transfer_ns;
}

static void rot_start_read(struct model_rot *rot,
			   struct model_rot_command *command, u64 at_ns)
{
	struct model_rot_segment *segment;
	u64 lba = command->req.lba, end = lba + command->req.sectors;

	segment = rot_segment_find(rot, lba);
	if (segment && end <= segment->end) {
		segment->wanted = max(segment->wanted, end);
		segment->used = ++rot->uses;
		rot_end_by_link(rot, command, at_ns);
		return;
	}
	command->state = MODEL_ROT_MOVING;
	rot->moving_tag = command - rot->command;
	if (rot_segment_is_ahead(rot, segment)) {
		/* the head is on its way there: just let it read on */
		rot->stop_ns = rot->head_ns + model_rot_end(rot, end).media_ns -
			       rot->head.media_ns;
		rot->counters.transfer_ns += rot->stop_ns - at_ns;
		rot->is_moving = true;
		rot->moving_lba = lba;
		rot->moving_sectors = end - lba;
		rot->ahead = -1;
		return;
	}
	if (segment)
		lba = segment->end;
	rot->ahead = -1;
	rot_move_start(rot, lba, end - lba, false, at_ns);
}

static void rot_start_extent(struct model_rot *rot, unsigned int i, u64 at_ns)
{
	struct model_rot_extent *extent = &rot->extent[i];
	u64 sectors = min(extent->sectors, rot->params.destage_sectors);

	rot->ahead = -1;
	rot->moving_tag = -1;
	rot->destaging = extent->sequence;
	rot_move_start(rot, extent->lba, sectors, true, at_ns);
	extent->lba += sectors;
	extent->sectors -= sectors;
	if (!extent->sectors)
		*extent = rot->extent[--rot->extents];
}

static void rot_start(struct model_rot *rot, u64 at_ns)
{
	struct rot_choice best = { .tag = -1, .extent = -1 };
	struct model_rot_command *command;

	/* the choice depends on where the head has got to */
	rot_ahead_sync(rot, at_ns);
	rot_choose_command(rot, at_ns, &best);
	rot_choose_extent(rot, at_ns, &best);
	rot->counters.aged += best.is_aged;
	if (best.extent >= 0) {
		rot_start_extent(rot, best.extent, at_ns);
	} else if (best.tag >= 0) {
		command = &rot->command[best.tag];
		if (command->req.op == MODEL_READ) {
			rot_start_read(rot, command, at_ns);
			return;
		}
		rot->ahead = -1;
		command->state = MODEL_ROT_MOVING;
		rot->moving_tag = best.tag;
		rot_move_start(rot, command->req.lba, command->req.sectors, true,
			       at_ns);
	}
}

static void rot_stop(struct model_rot *rot, u64 at_ns)
{
	u64 end = rot->moving_lba + rot->moving_sectors;

	rot->is_moving = false;
	rot->active_ns = at_ns;
	rot->head = model_rot_end(rot, end);
	rot->head_lba = end;
	rot->head_ns = at_ns;
	if (rot->moving_tag < 0) {
		rot->destaging = MODEL_NEVER;
		rot->cached_sectors -= rot->moving_sectors;
		rot->counters.destaged_sectors += rot->moving_sectors;
		rot_cache_drained(rot, at_ns);
		return;
	}
	rot_end_at(&rot->command[rot->moving_tag], at_ns);
	if (rot->command[rot->moving_tag].req.op == MODEL_READ)
		rot_segment_add(rot, rot->moving_lba, end);
}

/* When the mechanics stop or can start, or MODEL_NEVER. */
static u64 rot_turn_ns(const struct model_rot *rot)
{
	u64 at_ns = MODEL_NEVER;
	unsigned int i;

	if (rot->is_moving)
		return rot->stop_ns;
	for (i = 0; i < rot->params.queue_depth; i++)
		if (rot->command[i].state == MODEL_ROT_QUEUED)
			at_ns = min(at_ns, rot->command[i].ready_ns);
	if (rot_destage_now(rot, rot->now_ns) != ROT_DESTAGE_NONE)
		at_ns = rot->now_ns;
	else if (rot->extents && at_ns == MODEL_NEVER)
		at_ns = rot->active_ns + rot->params.destage_idle_ns;
	return max(at_ns, rot->now_ns);
}

static void rot_replay(struct model_rot *rot, u64 now_ns)
{
	u64 at_ns;

	while ((at_ns = rot_turn_ns(rot)) <= now_ns) {
		rot->now_ns = at_ns;
		if (rot->is_moving)
			rot_stop(rot, at_ns);
		else
			rot_start(rot, at_ns);
	}
	rot->now_ns = now_ns;
}

/* --- The calls ----------------------------------------------------------- */

void model_rot_init(struct model_rot *rot,
		    const struct model_rot_params *params, u64 now_ns)
{
	memset(rot, 0, sizeof(*rot));
	rot->params = *params;
	model_rot_place_init(rot);
	rot->head = model_rot_find(rot, 0);
	rot->head_ns = now_ns;
	rot->now_ns = now_ns;
	rot->idle_since_ns = now_ns;
	rot->active_ns = now_ns;
	rot->ahead = -1;
	rot->destaging = MODEL_NEVER;
}

static void rot_submit_read(struct model_rot *rot,
			    struct model_rot_command *command, u64 now_ns)
{
	const struct model_rot_params *p = &rot->params;
	u64 lba = command->req.lba, end = lba + command->req.sectors;
	struct model_rot_segment *segment;

	rot_ahead_sync(rot, now_ns);
	segment = rot_segment_find(rot, lba);
	if (segment && end <= segment->end) {
		segment->wanted = max(segment->wanted, end);
		segment->used = ++rot->uses;
		rot_end_by_link(rot, command, now_ns + p->hit_ns);
		return;
	}
	if (rot_cache_holds(rot, lba, end)) {
		rot_end_by_link(rot, command, now_ns + p->hit_ns);
		return;
	}
	if (segment) {
		command->ready_ns = now_ns + p->hit_ns;
		if (rot_segment_is_ahead(rot, segment))
			segment->wanted = max(segment->wanted, end);
	}
	command->state = MODEL_ROT_QUEUED;
}

static void rot_submit_write(struct model_rot *rot,
			     struct model_rot_command *command, u64 now_ns)
{
	const struct model_rot_params *p = &rot->params;
	u64 lba = command->req.lba;
	u32 sectors = command->req.sectors;

	rot_segment_drop(rot, lba, lba + sectors, now_ns);
	if (command->req.is_fua || sectors > p->write_cache_sectors) {
		command->state = MODEL_ROT_QUEUED;
	} else if (!rot_has_state(rot, MODEL_ROT_ROOM) &&
		   rot_cache_add(rot, lba, sectors, command->sequence)) {
		rot_end_by_link(rot, command, now_ns + p->hit_ns);
	} else {
		command->state = MODEL_ROT_ROOM;
	}
}

bool model_rot_submit(struct model_rot *rot, unsigned int tag,
		      const struct model_request *req, u64 now_ns)
{
	const struct model_rot_params *p = &rot->params;
	bool is_flush = req->op == MODEL_FLUSH;
	struct model_rot_command *command;

	if (tag >= p->queue_depth || rot->command[tag].state != MODEL_ROT_FREE ||
	    req->op == MODEL_DISCARD)
		return false;
	if (req->lba > p->capacity_sectors ||
	    req->sectors > p->capacity_sectors - req->lba ||
	    is_flush != !req->sectors)
		return false;

	now_ns = max(now_ns, rot->now_ns);
	rot_replay(rot, now_ns);
	if (!rot->held)
		model_count_idle(&rot->counters, req, rot->idle_since_ns,
				 now_ns);
	rot->held++;
	rot->counters.held_max = max_t(u64, rot->counters.held_max, rot->held);
	rot->active_ns = now_ns;
	command = &rot->command[tag];
	command->req = *req;
	command->sequence = ++rot->sequence;
	command->arrival_ns = now_ns;
	command->ready_ns = now_ns + p->command_ns;
	if (is_flush) {
		command->state = MODEL_ROT_BARRIER;
		if (!rot->extents && rot->destaging == MODEL_NEVER)
			rot_end_at(command, now_ns + p->hit_ns);
		return true;
	}
	command->place = model_rot_find(rot, req->lba);
	if (req->op == MODEL_READ)
		rot_submit_read(rot, command, now_ns);
	else
		rot_submit_write(rot, command, now_ns);
	return true;
}

u64 model_rot_next_ns(const struct model_rot *rot)
{
	u64 at_ns = rot_turn_ns(rot);
	unsigned int i;

	for (i = 0; i < rot->params.queue_depth; i++)
		if (rot->command[i].state == MODEL_ROT_TIMED)
			at_ns = min(at_ns, rot->command[i].done_ns);
	return at_ns;
}

int model_rot_poll(struct model_rot *rot, u64 now_ns)
{
	struct model_rot_command *first = NULL;
	unsigned int i;

	now_ns = max(now_ns, rot->now_ns);
	rot_replay(rot, now_ns);
	for (i = 0; i < rot->params.queue_depth; i++) {
		struct model_rot_command *command = &rot->command[i];

		if (command->state != MODEL_ROT_TIMED ||
		    command->done_ns > now_ns)
			continue;
		if (!first || command->done_ns < first->done_ns ||
		    (command->done_ns == first->done_ns &&
		     command->sequence < first->sequence))
			first = command;
	}
	if (!first)
		return -1;

	model_count(&rot->counters, &first->req);
	first->state = MODEL_ROT_FREE;
	if (!--rot->held)
		rot->idle_since_ns = first->done_ns;
	return first - rot->command;
}

/* --- As one kind of many ------------------------------------------------- */

static bool rot_ops_preset(void *params, const char *name)
{
	return model_rot_preset(params, name);
}

static const char *rot_ops_check(const void *params)
{
	return model_rot_check(params);
}

static struct model_traits rot_ops_traits(const void *params)
{
	const struct model_rot_params *p = params;

	return (struct model_traits) {
		.capacity_sectors = p->capacity_sectors,
		.queues = 1,
		.queue_depth = p->queue_depth,
		.is_rotational = true,
		.has_write_cache = p->write_cache_sectors,
		.has_fua = p->write_cache_sectors && p->fua,
	};
}

static void rot_ops_init(void *model, const void *params, u64 now_ns)
{
	model_rot_init(model, params, now_ns);
}

static bool rot_ops_submit(void *model, unsigned int tag,
			   const struct model_request *req, u64 now_ns)
{
	return model_rot_submit(model, tag, req, now_ns);
}

static u64 rot_ops_next_ns(const void *model)
{
	return model_rot_next_ns(model);
}

static int rot_ops_poll(void *model, u64 now_ns)
{
	return model_rot_poll(model, now_ns);
}

static void rot_ops_replay(void *model, u64 now_ns)
{
	struct model_rot *rot = model;

	rot_replay(rot, max(now_ns, rot->now_ns));
}

static const struct model_counters *rot_ops_counters(const void *model)
{
	return &((const struct model_rot *)model)->counters;
}

const struct model_ops model_rot_ops = {
	.name = "rotational",
	.state_bytes = sizeof(struct model_rot),
	.params_bytes = sizeof(struct model_rot_params),
	.param = model_rot_param,
	.preset = rot_ops_preset,
	.check = rot_ops_check,
	.traits = rot_ops_traits,
	.init = rot_ops_init,
	.submit = rot_ops_submit,
	.next_ns = rot_ops_next_ns,
	.poll = rot_ops_poll,
	.replay = rot_ops_replay,
	.counters = rot_ops_counters,
};
