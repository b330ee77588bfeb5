// SPDX-License-Identifier: GPL-2.0
/*
 * failnth: writes TEXT to FILE again and again, and each time one more allocation
 * on the way succeeds before one fails, until none fails. Before each attempt it
 * writes RESET, with no failure. So every allocation of what TEXT sets off in this
 * task fails once. What was refused must have changed nothing: FILE reads as after
 * RESET.
 *
 * TEXT as +NUMBER is that number and the attempt's, so that it is another each time.
 *
 * With a disk, one block of it is read after each attempt: whatever failed, the disk
 * has to work, unless there is none (-o: there need not be).
 *
 * Wants fail-nth of the kernel's fault injection, with ignore-gfp-wait off.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST	5000
#define BLOCK	4096
#define TEXT_MAX	256

static void die(const char *what)
{
	fprintf(stderr, "failnth: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_file(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		die(path);
	return fd;
}

static void read_file(const char *file, char *text, size_t size)
{
	int fd = open_file(file, O_RDONLY);
	ssize_t got = read(fd, text, size - 1);

	if (got < 0)
		die(file);
	text[got] = '\0';
	close(fd);
}

/* Leaves in @state what the file reads then. */
static void reset(const char *file, const char *text, char *state, size_t size)
{
	int fd = open_file(file, O_WRONLY);

	if (write(fd, text, strlen(text)) < 0)
		die("the reset fails");
	close(fd);
	read_file(file, state, size);
}

static void check_unchanged(const char *file, const char *before, int nth)
{
	char now[TEXT_MAX];

	read_file(file, now, sizeof(now));
	if (!strcmp(before, now))
		return;
	fprintf(stderr, "failnth: allocation %d: refused, but %s reads '%s' after '%s'\n",
		nth, file, now, before);
	exit(1);
}

/* A "+" before a number: what has grown once would not grow again. */
static const char *text_of(const char *text, int nth)
{
	static char number[16];

	if (text[0] != '+')
		return text;
	snprintf(number, sizeof(number), "%d", atoi(text) + nth);
	return number;
}

/* The errno of a write that has its @nth allocation fail; *@is_injected: one did. */
static int attempt(int control, const char *file, const char *text, int nth,
		   bool *is_injected)
{
	int fd = open_file(file, O_WRONLY);
	char number[16] = "";
	int err = 0;

	snprintf(number, sizeof(number), "%d", nth);
	if (pwrite(control, number, strlen(number), 0) < 0)
		die("fail-nth");
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	memset(number, 0, sizeof(number));
	if (pread(control, number, sizeof(number) - 1, 0) <= 0)
		die("fail-nth");
	if (pwrite(control, "0", 1, 0) < 0)
		die("fail-nth");
	*is_injected = !atoi(number);
	close(fd);
	return err;
}

static void read_block(const char *disk, bool is_optional)
{
	int fd = open(disk, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *buf;

	if (fd < 0 && is_optional)
		return;
	if (fd < 0)
		die(disk);
	if (posix_memalign(&buf, BLOCK, BLOCK))
		die("memory");
	if (pread(fd, buf, BLOCK, 0) != BLOCK)
		die("the disk does not work any more");
	free(buf);
	close(fd);
}

int main(int argc, char **argv)
{
	bool is_injected = true, is_optional = false;
	int control, nth, err = 0, refused = 0;
	char before[TEXT_MAX];

	if (argc > 1 && !strcmp(argv[1], "-o")) {
		is_optional = true;
		argv++;
		argc--;
	}
	if (argc < 4 || argc > 5) {
		fprintf(stderr, "Usage: failnth [-o] FILE TEXT RESET [DISK]\n");
		return 2;
	}
	control = open_file("/proc/thread-self/fail-nth", O_RDWR);
	for (nth = 1; nth <= MOST && is_injected; nth++) {
		reset(argv[1], argv[3], before, sizeof(before));
		err = attempt(control, argv[1], text_of(argv[2], nth), nth,
			      &is_injected);
		refused += !!err;
		if (err)
			check_unchanged(argv[1], before, nth);
		if (argc > 4)
			read_block(argv[4], is_optional);
	}
	printf("injected %d\n", nth - 2);
	printf("refused %d\n", refused);
	/* The last attempt had no failure, so it has to have worked. */
	printf("last_error %d\n", err);
	return is_injected || err ? 1 : 0;
}
