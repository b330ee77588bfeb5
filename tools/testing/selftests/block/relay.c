// SPDX-License-Identifier: GPL-2.0
/*
 * relay: two processes that read a device by turns, each when the other is through,
 * as a program and its helper do. Neither ever has a second request. Prints what
 * all steps together took.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define BYTES	4096

static void die(const char *what)
{
	fprintf(stderr, "relay: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Steps first, first + 2 and so on, each after a word from the other. */
static void run(int fd, unsigned int first, unsigned int steps, int from, int to)
{
	unsigned int step;
	char word = 0;
	void *buf;

	if (posix_memalign(&buf, BYTES, BYTES))
		die("buffer");
	for (step = first; step < steps; step += 2) {
		if (read(from, &word, 1) != 1)
			die("pipe");
		if (pread(fd, buf, BYTES, (off_t)step * BYTES) != BYTES)
			die("read");
		if (write(to, &word, 1) != 1)
			die("pipe");
	}
	free(buf);
}

int main(int argc, char **argv)
{
	struct timespec start, end;
	int fd, there[2], back[2], status;
	unsigned int steps;
	pid_t pid;

	if (argc != 3) {
		fprintf(stderr, "Usage: relay STEPS DEVICE    (an even number of steps)\n");
		return 2;
	}
	steps = atoi(argv[1]);
	fd = open(argv[2], O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		die(argv[2]);
	if (pipe(there) || pipe(back))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(fd, 1, steps, there[0], back[1]);
		return 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &start);
	/* The first step waits for nobody. */
	if (write(back[1], "", 1) != 1)
		die("pipe");
	run(fd, 0, steps, back[0], there[1]);
	if (waitpid(pid, &status, 0) != pid || status)
		die("the other");
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("took_us %lld\n", (end.tv_sec - start.tv_sec) * 1000000LL +
	       (end.tv_nsec - start.tv_nsec) / 1000);
	return 0;
}
