// SPDX-License-Identifier: GPL-2.0
/*
 * churn: processes that read one block of a disk and end, so many at a time; of each
 * two one shares the I/O context of its parent (CLONE_IO), with -n none. Ends after so
 * many, or on SIGTERM, and prints how many there were.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK	4096
#define BLOCKS	10000

static bool is_over;
static bool all_new;

static void end(int signal)
{
	(void)signal;
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
}

static void die(const char *what)
{
	fprintf(stderr, "churn: %s: %s\n", what, strerror(errno));
	exit(1);
}

static pid_t start(unsigned int number, int fd, void *buf)
{
	struct clone_args args = {
		.flags = number % 2 && !all_new ? CLONE_IO : 0,
		.exit_signal = SIGCHLD,
	};
	pid_t pid = syscall(SYS_clone3, &args, sizeof(args));

	if (pid)
		return pid;
	_exit(pread(fd, buf, BLOCK, (off_t)(number * 7919 % BLOCKS) * BLOCK) != BLOCK);
}

static bool has_time(void)
{
	return !__atomic_load_n(&is_over, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = end };
	unsigned int most, number = 0, running = 0, failed = 0;
	int fd, status;
	void *buf;

	if (argc > 1 && !strcmp(argv[1], "-n")) {
		all_new = true;
		argc--;
		argv++;
	}
	if (argc != 4) {
		fprintf(stderr, "Usage: churn [-n] DISK AT_A_TIME NUMBER\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0 || posix_memalign(&buf, BLOCK, BLOCK))
		die(argv[1]);
	most = atoi(argv[3]);
	sigaction(SIGTERM, &action, NULL);
	/* What is to be shared has to be there: a priority makes it. */
	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
		    IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, IOPRIO_BE_NORM)))
		die("ioprio_set");
	while (running || (number < most && has_time())) {
		if (number < most && has_time() && running < (unsigned int)atoi(argv[2])) {
			if (start(number++, fd, buf) < 0)
				die("clone3");
			running++;
			continue;
		}
		if (wait(&status) < 0) {
			if (errno == EINTR)
				continue;
			die("wait");
		}
		running--;
		failed += !WIFEXITED(status) || WEXITSTATUS(status);
	}
	printf("processes %u\nfailed %u\n", number, failed);
	return !!failed;
}
