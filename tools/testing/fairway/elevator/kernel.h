/* SPDX-License-Identifier: GPL-2.0 */
/* As much of the kernel as elevator-boot.c and lib/glob.c see. Included first. */
#ifndef _HOST_KERNEL_H
#define _HOST_KERNEL_H

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* In the place of block/elevator.h, which is about everything else. */
#define _ELEVATOR_H
#define ELV_NAME_MAX 16

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define __init
#define __pure
#define fallthrough __attribute__((__fallthrough__))
#define __ro_after_init
#define DECLARE_BITMAP(name, bits) bool name[bits]
#define pr_warn(...) host_warn(__VA_ARGS__)

#define BLK_MQ_F_NO_SCHED_BY_DEFAULT 1

struct elevator_type;

struct gendisk {
	char disk_name[32];
};

struct blk_mq_tag_set {
	unsigned int flags;
};

struct request_queue {
	struct blk_mq_tag_set *tag_set;
	struct gendisk *disk;
};

bool glob_match(const char *pat, const char *str);

__attribute__((format(printf, 1, 2))) void host_warn(const char *format, ...);

static inline bool test_and_set_bit(int bit, bool *bitmap)
{
	bool was = bitmap[bit];

	bitmap[bit] = true;
	return was;
}

static inline long strscpy(char *to, const char *from, size_t size)
{
	size_t len = strnlen(from, size - 1);

	memcpy(to, from, len);
	to[len] = '\0';
	return len;
}

#endif /* _HOST_KERNEL_H */
