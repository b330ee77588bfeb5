// SPDX-License-Identifier: GPL-2.0
/*
 * Does a device that says that it seeks do several requests at a time?
 *
 * A disk array says the same as a single disk.  But a single disk has one arm: of
 * requests that it has together each takes about as long as the first one did, and
 * where it has the choice, longer, for it takes the nearest first.  An array of
 * disks is through with several when one disk is through with one.
 *
 * So it is told by a batch: requests that come to an empty device before it
 * completes one, for places that are far from each other.  Processes that do one
 * request at a time are served one at a time on a single disk, so now and then some
 * of them are let in together.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "core.h"

/* Of fewer nothing is concluded; of more, only these are looked at. */
#define FWY_BATCH_LEAST		4
#define FWY_BATCH_MOST		8

/*
 * How long half of a batch takes, in parts of so many times the first one: a single
 * disk all of it or more, an array of four half of it, of which the first is done
 * soonest.  Averages take an eighth of each new value.
 */
#define FWY_PARTS		1024
#define FWY_OVERLAP_PARTS	(FWY_PARTS * 5 / 8)
#define FWY_SINGLE_PARTS	(FWY_PARTS * 7 / 8)
#define FWY_PARTS_MAX		(FWY_PARTS * 2)
#define FWY_AVERAGE_SHIFT	3

/*
 * From one batch that is asked for to the next: twice as long each time, until
 * something changes.
 */
#define FWY_BATCH_REST_NS	(50 * NSEC_PER_MSEC)
#define FWY_BATCH_REST_MAX_NS	NSEC_PER_SEC

/**
 * fwy_overlap_init() - a device of which nothing is known: it has one arm
 * @overlap: what is known
 */
void fwy_overlap_init(struct fwy_overlap *overlap)
{
	*overlap = (struct fwy_overlap) {
		.parts = FWY_PARTS,
		.rest_ns = FWY_BATCH_REST_NS,
	};
}

static void fwy_overlap_rest(struct fwy_overlap *overlap, u64 now_ns)
{
	overlap->next_ns = now_ns + overlap->rest_ns;
	overlap->rest_ns = min_t(u64, overlap->rest_ns * 2,
				 FWY_BATCH_REST_MAX_NS);
}

/**
 * fwy_overlap_is_wanted() - shall one-deep requests be let in together for once?
 * @overlap: what is known
 * @waiting: how many there are, with those in the device
 * @now_ns: the time
 *
 * Return: the answer; if so, the device has to be empty first.
 */
bool fwy_overlap_is_wanted(const struct fwy_overlap *overlap,
			   unsigned int waiting, u64 now_ns)
{
	return waiting >= FWY_BATCH_LEAST && now_ns >= overlap->next_ns;
}

/**
 * fwy_overlap_open() - a one-deep request is about to come to an empty device
 * @overlap: what is known
 * @now_ns: the time
 *
 * If that is wanted by now, others are let in with it.
 */
void fwy_overlap_open(struct fwy_overlap *overlap, u64 now_ns)
{
	if (now_ns < overlap->next_ns)
		return;
	overlap->is_open = true;
	fwy_overlap_rest(overlap, now_ns);
}

/**
 * fwy_overlap_has_room() - shall one more be let in for that?
 * @overlap: what is known
 *
 * Return: the answer.
 */
bool fwy_overlap_has_room(const struct fwy_overlap *overlap)
{
	return overlap->is_open && overlap->sent < FWY_BATCH_MOST;
}

static void fwy_overlap_drop(struct fwy_overlap *overlap)
{
	overlap->sent = 0;
	overlap->is_open = false;
}

/**
 * fwy_overlap_dispatched() - a request goes to the device
 * @overlap: what is known
 * @is_alone: whether the device had nothing
 * @is_far: whether it reads, and far from where the one before it ended
 * @now_ns: the time
 */
void fwy_overlap_dispatched(struct fwy_overlap *overlap, bool is_alone,
			    bool is_far, u64 now_ns)
{
	if (is_alone) {
		overlap->began_ns = now_ns;
		overlap->first_ns = 0;
		overlap->sent = 0;
		overlap->done = 0;
	} else if (!overlap->sent || overlap->first_ns) {
		return;
	}
	overlap->sent++;
	/* One that is near, or written to a buffer, takes no time. */
	if (!is_far)
		fwy_overlap_drop(overlap);
}

static void fwy_overlap_judge(struct fwy_overlap *overlap, u64 took_ns,
			      u64 now_ns)
{
	u64 parts = div64_u64(took_ns * FWY_PARTS,
			      overlap->first_ns * overlap->done);

	parts = min_t(u64, parts, FWY_PARTS_MAX);
	overlap->parts -= overlap->parts >> FWY_AVERAGE_SHIFT;
	overlap->parts += parts >> FWY_AVERAGE_SHIFT;
	if (overlap->parts < FWY_OVERLAP_PARTS)
		overlap->is_seen = true;
	else if (overlap->parts > FWY_SINGLE_PARTS)
		overlap->is_seen = false;
	if (overlap->is_seen ? parts < FWY_SINGLE_PARTS :
			       parts > FWY_OVERLAP_PARTS)
		return;
	/* This one says otherwise: see soon what is right. */
	overlap->rest_ns = FWY_BATCH_REST_NS;
	fwy_overlap_rest(overlap, now_ns);
}

/**
 * fwy_overlap_done() - a request came back
 * @overlap: what is known
 * @dispatched_ns: when it was dispatched
 * @is_done: whether it completed, or came back undone
 * @now_ns: the time
 */
void fwy_overlap_done(struct fwy_overlap *overlap, u64 dispatched_ns,
		      bool is_done, u64 now_ns)
{
	u64 took_ns = now_ns - overlap->began_ns;

	if (!overlap->sent)
		return;
	/* What came after the first was back may have gone to a buffer. */
	if (overlap->first_ns &&
	    dispatched_ns >= overlap->began_ns + overlap->first_ns)
		return;
	if (!overlap->first_ns) {
		overlap->first_ns = max_t(u64, took_ns, 1);
		overlap->is_open = false;
		overlap->sent = min_t(unsigned int, overlap->sent,
				      FWY_BATCH_MOST);
	}
	overlap->done++;
	if (!is_done || overlap->sent < FWY_BATCH_LEAST) {
		fwy_overlap_drop(overlap);
	} else if (overlap->done == overlap->sent / 2) {
		fwy_overlap_judge(overlap, took_ns, now_ns);
		fwy_overlap_drop(overlap);
	}
}
