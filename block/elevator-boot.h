/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Choosing an I/O scheduler by text: the elevator= boot parameter, and what
 * queue/scheduler accepts as a scheduler's name.
 */
#ifndef _ELEVATOR_BOOT_H
#define _ELEVATOR_BOOT_H

#include <linux/types.h>
#include "elevator.h"

/*
 * Twice a disk's name (DISK_NAME_LEN), so that a pattern may spell out some of
 * it as character classes.
 */
#define ELEVATOR_BOOT_PATTERN_MAX	64

/*
 * More entries than any sensible command line has. The limit bounds what one
 * bad command line can log, and is the size of the "already warned" bitmap.
 */
#define ELEVATOR_BOOT_ENTRIES_MAX	64

/**
 * struct elevator_boot_entry - one entry of an elevator= list
 * @text: where the entry starts; NULL in an entry that was not filled yet
 * @len: characters of @text that belong to the entry
 * @index: place in the list, from 0
 * @fault: why the entry is ignored, or NULL if it is well formed
 * @pattern: glob pattern for names of disks; empty if the entry has none
 * @name: scheduler, or "none"
 *
 * Lives on the stack of whoever walks the list. @pattern and @name mean
 * something only where @fault is NULL.
 */
struct elevator_boot_entry {
	const char *text;
	unsigned int len;
	unsigned int index;
	const char *fault;
	char pattern[ELEVATOR_BOOT_PATTERN_MAX];
	char name[ELV_NAME_MAX];
};

bool elevator_boot_next(const char *text, struct elevator_boot_entry *entry);
bool elevator_boot_pick(const char *text, const char *disk, bool prefers_none,
			char *name);
int elevator_boot_name_index(const char *text, const char *name);
int elevator_name_store(char *name, const char *buf, size_t count);

bool elevator_boot_choice(struct request_queue *q,
			  struct elevator_type *(*find_get)(const char *name),
			  struct elevator_type **choice);
int elevator_setup(char *text);

#endif /* _ELEVATOR_BOOT_H */
