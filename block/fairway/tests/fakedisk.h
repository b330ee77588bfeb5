/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A disk that takes time as a disk does, for tests of the core.
 */
#ifndef _FWY_TESTS_FAKEDISK_H
#define _FWY_TESTS_FAKEDISK_H

#include "core/core.h"

/* It takes as many at a time as SATA's command queue does. */
#define FAKEDISK_DEPTH		32

/* 40 GB at 30 MB/s: slow, so that a test needs few requests. */
#define FAKEDISK_SECTORS	78125000ULL
#define FAKEDISK_SECTOR_NS	17066

/**
 * struct fakedisk - one disk, or what is none
 * @has_head: whether seeks cost; if not, a request takes what fwy_cost_share()
 *	says, in us
 * @item: what it was given, in that order, the first from @first on
 * @first: index of what it does now
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
	struct fwy_item *item[2 * FAKEDISK_DEPTH];
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
