// SPDX-License-Identifier: GPL-2.0
/*
 * keeper: processes that write and read blocks of a disk whose I/O fails now and
 * then, and know what each block has to hold: what was written last, or, where
 * writes failed since, that or what one of them would have written. A read that
 * fails is counted; one that brings anything else is an error. (fio stops at errors
 * other than EIO.)
 *
 * Ends on SIGTERM, when each process has read all its blocks once more. By then no
 * I/O should fail any more.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK	4096
#define WORDS	(BLOCK / 8)
#define KEEPERS	16
#define BLOCKS	128	/* of each keeper */

/* Per keeper, written by it alone. */
struct figures {
	uint64_t writes, reads, failed, wrong, lost;
};

/* Per block: the last write that succeeded and the last that was tried. */
struct block {
	uint64_t good, tried;
};

static volatile sig_atomic_t is_over;

static void end(int signal)
{
	(void)signal;
	is_over = 1;
}

static void die(const char *what)
{
	fprintf(stderr, "keeper: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ x >> 33;
}

/* The first word is the generation, 0 on a disk that is new. */
static void fill(uint64_t *words, uint64_t place, uint64_t generation)
{
	unsigned int i;

	words[0] = generation;
	for (i = 1; i < WORDS; i++)
		words[i] = generation ? mix(place * 1000003 + generation * WORDS + i) : 0;
}

static bool is_right(const uint64_t *words, uint64_t place, const struct block *block)
{
	uint64_t expected[WORDS];

	if (words[0] < block->good || words[0] > block->tried)
		return false;
	fill(expected, place, words[0]);
	return !memcmp(words, expected, BLOCK);
}

/* -1 if the read failed, else whether what came was right. */
static int read_block(int fd, uint64_t *words, uint64_t place, const struct block *block)
{
	if (pread(fd, words, BLOCK, place * BLOCK) != BLOCK)
		return -1;
	if (is_right(words, place, block))
		return 1;
	printf("# block %llu: generation %llu, not %llu to %llu, or not as it was written\n",
	       (unsigned long long)place, (unsigned long long)words[0],
	       (unsigned long long)block->good, (unsigned long long)block->tried);
	fflush(stdout);
	return 0;
}

static void keep(int fd, unsigned int number, struct figures *figures)
{
	uint64_t random = number + 1, place, index;
	struct block blocks[BLOCKS] = {};
	uint64_t *words;
	int right;

	if (posix_memalign((void **)&words, BLOCK, BLOCK))
		_exit(1);
	while (!is_over) {
		random = mix(random + 1);
		index = random % BLOCKS;
		place = (uint64_t)number * BLOCKS + index;
		if (random & 1 << 20) {
			fill(words, place, ++blocks[index].tried);
			figures->writes++;
			if (pwrite(fd, words, BLOCK, place * BLOCK) == BLOCK)
				blocks[index].good = blocks[index].tried;
			else
				figures->failed++;
			continue;
		}
		right = read_block(fd, words, place, &blocks[index]);
		figures->reads++;
		figures->failed += right < 0;
		figures->wrong += !right;
	}
	for (index = 0; index < BLOCKS; index++) {
		place = (uint64_t)number * BLOCKS + index;
		right = read_block(fd, words, place, &blocks[index]);
		figures->lost += right < 0;
		figures->wrong += !right;
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	struct figures *figures, sum = {};
	struct sigaction action = { .sa_handler = end };
	bool is_clean = true;
	pid_t pids[KEEPERS];
	unsigned int i;
	int fd, status;

	if (argc != 2) {
		fprintf(stderr, "Usage: keeper DISK\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		die(argv[1]);
	figures = mmap(NULL, KEEPERS * sizeof(*figures), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (figures == MAP_FAILED)
		die("mmap");
	sigaction(SIGTERM, &action, NULL);
	for (i = 0; i < KEEPERS; i++) {
		pids[i] = fork();
		if (pids[i] < 0)
			die("fork");
		if (pids[i])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		keep(fd, i, &figures[i]);
	}
	while (!is_over)
		pause();
	for (i = 0; i < KEEPERS; i++)
		kill(pids[i], SIGTERM);
	for (i = 0; i < KEEPERS; i++) {
		if (waitpid(pids[i], &status, 0) != pids[i])
			die("waitpid");
		is_clean &= WIFEXITED(status) && !WEXITSTATUS(status);
		sum.writes += figures[i].writes;
		sum.reads += figures[i].reads;
		sum.failed += figures[i].failed;
		sum.wrong += figures[i].wrong;
		sum.lost += figures[i].lost;
	}
	printf("writes %llu\nreads %llu\nfailed %llu\nwrong %llu\nlost %llu\n",
	       (unsigned long long)sum.writes, (unsigned long long)sum.reads,
	       (unsigned long long)sum.failed, (unsigned long long)sum.wrong,
	       (unsigned long long)sum.lost);
	return is_clean && !sum.wrong && !sum.lost ? 0 : 1;
}
