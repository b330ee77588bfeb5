// SPDX-License-Identifier: GPL-2.0
/*
 * submit: sends the given requests to a device in the given order, each in a
 * system call of its own, and prints them in the order in which they end.
 *
 * A call with one request is not plugged, so what the block layer merges or
 * reorders was merged or reordered by the scheduler. The first request is there
 * to keep a slow device busy while the others arrive.
 *
 * R and W stand for a read and a write that may not wait (RWF_NOWAIT).
 *
 * With -p MS there are so many milliseconds, 999 at most, before each but the first:
 * blk-mq looks again 3 ms after it was told that there is nothing to dispatch.
 *
 * Each line of output: the request's number (from 0), its latency in us, and the
 * number of bytes or minus an errno.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/fs.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_REQUESTS	256
#define SECTOR_SHIFT	9

static __u64 now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ULL + ts.tv_nsec / 1000;
}

static void die(const char *what)
{
	fprintf(stderr, "submit: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void usage(void)
{
	fprintf(stderr,
		"Usage: submit [-p MS] DEVICE (r|w|R|W):SECTOR:SECTORS...   (at most %d requests)\n",
		MAX_REQUESTS);
	exit(2);
}

static void prepare(struct iocb *cb, int fd, unsigned int number, const char *text)
{
	unsigned long long sector;
	unsigned int sectors;
	void *buf;
	char op, rest;

	if (sscanf(text, "%c:%llu:%u%c", &op, &sector, &sectors, &rest) != 3 ||
	    !op || !strchr("rwRW", op) || !sectors)
		usage();
	if (posix_memalign(&buf, 4096, (size_t)sectors << SECTOR_SHIFT)) {
		errno = ENOMEM;
		die("buffer");
	}
	memset(buf, number, (size_t)sectors << SECTOR_SHIFT);

	cb->aio_data = number;
	cb->aio_lio_opcode = tolower(op) == 'r' ? IOCB_CMD_PREAD :
						  IOCB_CMD_PWRITE;
	cb->aio_rw_flags = isupper(op) ? RWF_NOWAIT : 0;
	cb->aio_fildes = fd;
	cb->aio_buf = (unsigned long)buf;
	cb->aio_nbytes = (__u64)sectors << SECTOR_SHIFT;
	cb->aio_offset = sector << SECTOR_SHIFT;
}

int main(int argc, char **argv)
{
	static struct iocb cb[MAX_REQUESTS];
	static __u64 start_us[MAX_REQUESTS];
	struct timespec pause = { 0 };
	unsigned int pause_ms;
	char rest;
	unsigned int i, count;
	aio_context_t ctx = 0;
	int fd, failed = 0;

	if (argc > 2 && !strcmp(argv[1], "-p")) {
		if (sscanf(argv[2], "%u%c", &pause_ms, &rest) != 1 || pause_ms > 999)
			usage();
		pause.tv_nsec = pause_ms * 1000000L;
		argc -= 2;
		argv += 2;
	}
	count = argc - 2;
	if (argc < 3 || count > MAX_REQUESTS)
		usage();
	fd = open(argv[1], O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		die(argv[1]);
	for (i = 0; i < count; i++)
		prepare(&cb[i], fd, i, argv[i + 2]);
	if (syscall(SYS_io_setup, count, &ctx))
		die("io_setup");

	for (i = 0; i < count; i++) {
		struct iocb *one = &cb[i];

		if (i)
			nanosleep(&pause, NULL);
		start_us[i] = now_us();
		if (syscall(SYS_io_submit, ctx, 1, &one) != 1)
			die("io_submit");
	}
	for (i = 0; i < count; i++) {
		struct io_event event;
		int got;

		do {
			got = syscall(SYS_io_getevents, ctx, 1, 1, &event, NULL);
		} while (got < 0 && errno == EINTR);
		if (got != 1)
			die("io_getevents");
		printf("%llu %llu %lld\n", (unsigned long long)event.data,
		       (unsigned long long)(now_us() - start_us[event.data]),
		       (long long)event.res);
		if (event.res != (long long)cb[event.data].aio_nbytes)
			failed = 1;
	}
	return failed;
}
