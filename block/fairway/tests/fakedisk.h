/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A disk that takes time as a disk does, for tests of the core; or one without a
 * head, made of dies.
 */
#ifndef _FWY_TESTS_FAKEDISK_H
#define _FWY_TESTS_FAKEDISK_H

#include "core/core.h"

/* It takes as many at a time as SATA's command queue does. */
#define FAKEDISK_DEPTH		32

/* 40 GB at 30 MB/s: slow, so that a test needs few requests. */
#define FAKEDISK_SECTORS	78125000ULL
#define FAKEDISK_SECTOR_NS	17066

/* Without a head: what a request takes beside its sectors, which take 1 us each. */
#define FAKEDISK_REQUEST_US	16

#define FAKEDISK_DIES		32

/**
 * struct fakedisk - one disk, or what is none
 * @has_head: whether seeks cost
 * @dies: without a head: how many it has.  A request is served by the die that
 *	its place tells, which takes that many times what the request is said to
 *	take, so that all of them together do as much whatever their number
 * @is_even: without a head: whether any die can serve any request instead
 * @slowness: without a head: how many times longer all that takes
 * @item: what it was given, with a head in that order, from @first on
 * @end_ns: without a head: when each will be done
 * @free_ns: when each die has nothing to do any more
 * @first: index of what it does now, or will have done next
 * @nr: how many these are
 * @head: where its head is
 * @done_ns: when the first will be done
 * @switches: how often it went elsewhere
 * @switch_ns: what that took
 *
 * Per test.
 */
struct fakedisk {
	bool has_head;
	unsigned int dies;
	bool is_even;
	unsigned int slowness;
	struct fwy_item *item[2 * FAKEDISK_DEPTH];
	u64 end_ns[2 * FAKEDISK_DEPTH];
	u64 free_ns[FAKEDISK_DIES];
	unsigned int first;
	unsigned int nr;
	u64 head;
	u64 done_ns;
	u64 switches;
	u64 switch_ns;
};

void fakedisk_init(struct fakedisk *disk, bool has_head);
bool fakedisk_put(struct fakedisk *disk, struct fwy_item *item, u64 now_ns);
struct fwy_item *fakedisk_finish(struct fakedisk *disk);

#endif /* _FWY_TESTS_FAKEDISK_H */
