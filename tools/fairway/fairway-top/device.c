// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the device. What stands in the way is said so that it can be put right.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"

/* The whole file as a string, or NULL; free() it. */
char *read_file(const char *path)
{
	size_t size = 16384, length = 0;
	char *text = malloc(size);
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		free(text);
		return NULL;
	}
	while ((got = read(fd, text + length, size - length - 1)) > 0) {
		length += got;
		if (length + 1 == size)
			text = realloc(text, size *= 2);
	}
	close(fd);
	text[length] = '\0';
	if (got < 0) {
		free(text);
		return NULL;
	}
	return text;
}

static bool exists(const char *path)
{
	struct stat stat_buf;

	return !stat(path, &stat_buf);
}

/* The active scheduler of a disk, "" if it has no such file. */
static void read_scheduler(const struct roots *roots, const char *disk,
			   char name[DEVICE_SIZE])
{
	char path[PATH_MAX], *text, *from;

	snprintf(path, sizeof(path), "%s/block/%s/queue/scheduler", roots->sys,
		 disk);
	text = read_file(path);
	from = text ? strchr(text, '[') : NULL;
	snprintf(name, DEVICE_SIZE, "%.*s",
		 from ? (int)strcspn(from + 1, "]") : 0, from ? from + 1 : "");
	free(text);
}

/* The disk of a name in /dev or of a partition; false if there is none. */
static bool find_disk(const struct roots *roots, const char *wanted,
		      char name[DEVICE_SIZE])
{
	char path[PATH_MAX], link[PATH_MAX], *at;
	const char *slash = strrchr(wanted, '/');

	if (slash)
		wanted = slash + 1;
	snprintf(path, sizeof(path), "%s/class/block/%s", roots->sys, wanted);
	if (!*wanted || !realpath(path, link))
		return false;
	snprintf(path, sizeof(path), "%s/partition", link);
	if (exists(path))
		*strrchr(link, '/') = '\0';
	at = strrchr(link, '/');
	snprintf(name, DEVICE_SIZE, "%s", at + 1);
	return true;
}

/* The disks under fairway: how many, the first, and all as a text. */
static int list_disks(const struct roots *roots, char first[DEVICE_SIZE],
		      char *list, size_t size)
{
	char path[PATH_MAX], scheduler[DEVICE_SIZE];
	struct dirent **entry;
	int i, nr, found = 0;

	*list = '\0';
	snprintf(path, sizeof(path), "%s/block", roots->sys);
	nr = scandir(path, &entry, NULL, alphasort);
	for (i = 0; i < nr; i++) {
		read_scheduler(roots, entry[i]->d_name, scheduler);
		if (!strcmp(scheduler, "fairway")) {
			if (!found++)
				snprintf(first, DEVICE_SIZE, "%s",
					 entry[i]->d_name);
			snprintf(list + strlen(list), size - strlen(list),
				 " %s", entry[i]->d_name);
		}
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
	return found;
}

static bool check_files(const struct device *device, char *message)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/block", device->roots->debug);
	if (!exists(path)) {
		snprintf(message, MESSAGE_SIZE,
			 "no %s: mount -t debugfs debugfs %s, or the kernel is without CONFIG_BLK_DEBUG_FS",
			 path, device->roots->debug);
		return false;
	}
	snprintf(path, sizeof(path), "%s/block/%s/sched/flows",
		 device->roots->debug, device->name);
	if (!exists(path)) {
		snprintf(message, MESSAGE_SIZE,
			 "no %s: this kernel's fairway is older than this program",
			 path);
		return false;
	}
	return true;
}

/*
 * The device of a name, or without one the only device under fairway. If there is
 * none, or it cannot be watched, message says why.
 */
bool device_find(struct device *device, const struct roots *roots,
		 const char *wanted, char message[MESSAGE_SIZE])
{
	char scheduler[DEVICE_SIZE], list[MESSAGE_SIZE / 2];
	int found;

	device->roots = roots;
	if (!wanted) {
		found = list_disks(roots, device->name, list, sizeof(list));
		if (found == 1)
			return check_files(device, message);
		if (found)
			snprintf(message, MESSAGE_SIZE,
				 "which of the devices under fairway?%s", list);
		else
			snprintf(message, MESSAGE_SIZE,
				 "no device is under fairway: echo fairway >/sys/block/DEVICE/queue/scheduler");
		return false;
	}
	if (!find_disk(roots, wanted, device->name)) {
		snprintf(message, MESSAGE_SIZE, "%.80s: no such block device",
			 wanted);
		return false;
	}
	read_scheduler(roots, device->name, scheduler);
	if (strcmp(scheduler, "fairway")) {
		snprintf(message, MESSAGE_SIZE,
			 "%s is not under fairway but under %s: echo fairway >/sys/block/%s/queue/scheduler",
			 device->name, *scheduler ? scheduler : "none",
			 device->name);
		return false;
	}
	return check_files(device, message);
}

static void sched_path(const struct device *device, const char *file,
		       char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/block/%s/sched/%s", device->roots->debug,
		 device->name, file);
}

/* One of the scheduler's files, NULL if it is gone; free() it. */
char *device_read(const struct device *device, const char *file)
{
	char path[PATH_MAX];

	sched_path(device, file, path);
	return read_file(path);
}

/* Writes one of the scheduler's files. Returns whether that was accepted. */
bool device_write(const struct device *device, const char *file,
		  const char *text)
{
	char path[PATH_MAX];
	ssize_t put;
	int fd;

	sched_path(device, file, path);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	put = write(fd, text, strlen(text));
	close(fd);
	return put == (ssize_t)strlen(text);
}
