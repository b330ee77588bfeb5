/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which device is looked at, and its files.
 */
#ifndef _FAIRWAY_TOP_DEVICE_H
#define _FAIRWAY_TOP_DEVICE_H

#include <stdbool.h>

/* Where the kernel's file systems are mounted. */
struct roots {
	const char *sys;
	const char *debug;
	const char *proc;
};

#define DEVICE_SIZE	40
#define MESSAGE_SIZE	320

struct device {
	const struct roots *roots;
	char name[DEVICE_SIZE];
};

bool device_find(struct device *device, const struct roots *roots,
		 const char *wanted, char message[MESSAGE_SIZE]);
char *device_read(const struct device *device, const char *file);
bool device_write(const struct device *device, const char *file,
		  const char *text);
char *read_file(const char *path);

#endif /* _FAIRWAY_TOP_DEVICE_H */
