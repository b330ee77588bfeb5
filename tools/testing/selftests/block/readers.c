// SPDX-License-Identifier: GPL-2.0
/*
 * readers: N processes, each with one direct read (or write) in flight, all of
 * them started together. Says how evenly they were served and how long the
 * unluckiest read took.
 *
 * This is the load of the starvation test: as many processes as it takes to run
 * out of requests, none of which ever has more than one. It is written here, not
 * borrowed from fio, because the answer is one line for each figure (no parser
 * is needed in a small guest) and because stopping on the least served process
 * is what the claims are made of.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC	1000000000ULL

/*
 * Latencies are counted in slots of microseconds: one by one up to SUB_SLOTS, then
 * so many for each power of two, which tells them to a sixteenth. Up to 2^32.
 */
#define SUB_SLOTS	16
#define SUB_SHIFT	4
#define SLOTS		(29 * SUB_SLOTS + SUB_SLOTS)

/* Per process, written by it alone; the parent reads it while they run. */
struct reader {
	__u64 reads;		/* completed; all of them began before the stop */
	__u64 sum_ns;
	__u64 max_ns;
	__u32 slot[SLOTS];
	pid_t pid;		/* written by the parent */
	int error;		/* errno of the read that ended it, or 0 */
};

struct shared {
	bool stop;
	struct reader reader[];
};

struct options {
	unsigned int readers;
	unsigned int bytes;
	unsigned int seconds;
	unsigned int min_reads;
	unsigned int think_us;
	__u64 seed;
	bool allow_errors;
	bool share_context;
	bool write;
	bool repin;
	const char *path;
};

static __u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static void die(const char *what)
{
	fprintf(stderr, "readers: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void usage(void)
{
	fprintf(stderr,
		"Usage: readers [-n READERS] [-b BYTES] [-t SECONDS] [-m MIN_READS] [-s SEED] [-T THINK_US] [-w] [-p] [-e] [-c] DEVICE\n"
		"  stops after SECONDS, when each reader has MIN_READS, or on SIGTERM or SIGINT\n"
		"  -T: each waits for THINK_US, half more or less, between two reads\n"
		"  -w: they write zeros\n"
		"  -p: each is moved to another CPU every 10 ms\n"
		"  -e: a read error ends its reader and is counted, but is no failure\n"
		"  -c: all share one I/O context (CLONE_IO)\n");
	exit(2);
}

static unsigned int parse_number(const char *text)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || value > 1000000000)
		usage();
	return value;
}

/* An xorshift generator: where it reads only has to vary. */
static __u64 next_random(__u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static unsigned int slot_of(__u64 us)
{
	unsigned int shift;

	if (us < SUB_SLOTS)
		return us;
	if (us >> 32)
		return SLOTS - 1;
	shift = 63 - __builtin_clzll(us) - SUB_SHIFT;
	return (shift << SUB_SHIFT) + (us >> shift);
}

/* The longest that falls into the slot. */
static __u64 slot_end_us(unsigned int slot)
{
	unsigned int shift;

	if (slot < SUB_SLOTS)
		return slot;
	shift = (slot >> SUB_SHIFT) - 1;
	return ((slot % SUB_SLOTS + SUB_SLOTS + 1ULL) << shift) - 1;
}

static void think(unsigned int us, __u64 random)
{
	__u64 ns = us * 500ULL + random % (us * 1000ULL);
	const struct timespec pause = {
		.tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC,
	};

	nanosleep(&pause, NULL);
}

static void read_until_stopped(int fd, const struct options *opt, __u64 blocks,
			       struct shared *shared, unsigned int index)
{
	struct reader *self = &shared->reader[index];
	__u64 random = (opt->seed + 1) * 0x9e3779b97f4a7c15ULL + index + 1;
	__u64 start, took;
	ssize_t got;
	void *buf;
	off_t at;

	if (posix_memalign(&buf, 4096, opt->bytes))
		_exit(1);
	memset(buf, 0, opt->bytes);

	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		at = (next_random(&random) % blocks) * opt->bytes;
		start = now_ns();
		if (opt->write)
			got = pwrite(fd, buf, opt->bytes, at);
		else
			got = pread(fd, buf, opt->bytes, at);
		took = now_ns() - start;
		if (got != opt->bytes) {
			self->error = got < 0 ? errno : EIO;
			_exit(0);
		}
		self->sum_ns += took;
		if (took > self->max_ns)
			self->max_ns = took;
		self->slot[slot_of(took / 1000)]++;
		__atomic_store_n(&self->reads, self->reads + 1, __ATOMIC_RELAXED);
		if (opt->think_us)
			think(opt->think_us, next_random(&random));
	}
	_exit(0);
}

static bool all_have(const struct shared *shared, const struct options *opt)
{
	unsigned int i;

	for (i = 0; i < opt->readers; i++)
		if (__atomic_load_n(&shared->reader[i].reads, __ATOMIC_RELAXED) <
		    opt->min_reads)
			return false;
	return true;
}

static pid_t fork_reader(const struct options *opt)
{
	struct clone_args args = {
		.flags = opt->share_context ? CLONE_IO : 0,
		.exit_signal = SIGCHLD,
	};

	return syscall(SYS_clone3, &args, sizeof(args));
}

/* What is to be shared has to be there first: the usual priority, set, makes it. */
static void make_context(void)
{
	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
		    IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, IOPRIO_BE_NORM)))
		die("ioprio_set");
}

/* Forks the readers; they start when the write end of the returned pipe closes. */
static int fork_readers(int fd, const struct options *opt, __u64 blocks,
			struct shared *shared)
{
	pid_t parent = getpid();
	int gate[2];
	unsigned int i;
	char c;

	if (pipe(gate))
		die("pipe");
	if (opt->share_context)
		make_context();
	for (i = 0; i < opt->readers; i++) {
		pid_t pid = fork_reader(opt);

		if (pid < 0)
			die("fork");
		if (pid) {
			shared->reader[i].pid = pid;
			continue;
		}
		/* Whoever kills the parent must not leave readers behind. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(gate[1]);
		while (read(gate[0], &c, 1) < 0 && errno == EINTR)
			;
		read_until_stopped(fd, opt, blocks, shared, i);
	}
	close(gate[0]);
	return gate[1];
}

/* No more than one in a hundred took longer. */
static __u64 p99_us(const struct options *opt, const struct shared *shared,
		    __u64 total)
{
	__u64 longer = 0;
	unsigned int i, slot;

	for (slot = SLOTS - 1; slot; slot--) {
		for (i = 0; i < opt->readers; i++)
			longer += shared->reader[i].slot[slot];
		if (longer * 100 > total)
			break;
	}
	return slot_end_us(slot);
}

/* Wherever they are, be it in a queue for a CPU that they have to leave. */
static void repin(const struct options *opt, const struct shared *shared, __u64 *random)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int i;
	cpu_set_t set;

	for (i = 0; i < opt->readers; i++) {
		CPU_ZERO(&set);
		CPU_SET(next_random(random) % cpus, &set);
		/* One that has ended is none that could be moved. */
		sched_setaffinity(shared->reader[i].pid, sizeof(set), &set);
	}
}

static void report(const struct options *opt, const struct shared *shared,
		   __u64 ns)
{
	__u64 least = ~0ULL, most = 0, total = 0, sum_ns = 0, max_ns = 0;
	unsigned int i, errors = 0;

	for (i = 0; i < opt->readers; i++) {
		const struct reader *r = &shared->reader[i];

		least = r->reads < least ? r->reads : least;
		most = r->reads > most ? r->reads : most;
		max_ns = r->max_ns > max_ns ? r->max_ns : max_ns;
		total += r->reads;
		sum_ns += r->sum_ns;
		errors += !!r->error;
	}

	printf("readers %u\n", opt->readers);
	printf("milliseconds %llu\n", (unsigned long long)(ns / 1000000));
	printf("reads %llu\n", (unsigned long long)total);
	printf("reads_min %llu\n", (unsigned long long)least);
	printf("reads_max %llu\n", (unsigned long long)most);
	/* Whole numbers, which a shell can compare. */
	printf("share_ratio_permille %llu\n",
	       (unsigned long long)(most ? least * 1000 / most : 0));
	printf("lat_mean_us %llu\n",
	       (unsigned long long)(total ? sum_ns / total / 1000 : 0));
	printf("lat_p99_us %llu\n",
	       (unsigned long long)p99_us(opt, shared, total));
	printf("lat_max_us %llu\n", (unsigned long long)(max_ns / 1000));
	printf("errors %u\n", errors);
}

/* Collects readers that have ended, with WNOHANG or waiting; false on a bad end. */
static bool reap(unsigned int *running, int flags)
{
	bool clean = true;
	int status;

	while (*running && waitpid(-1, &status, flags) > 0) {
		--*running;
		clean &= WIFEXITED(status) && !WEXITSTATUS(status);
	}
	return clean;
}

static void parse_options(int argc, char **argv, struct options *opt)
{
	int c;

	while ((c = getopt(argc, argv, "n:b:t:m:s:T:wpec")) != -1) {
		switch (c) {
		case 'n':
			opt->readers = parse_number(optarg);
			break;
		case 'b':
			opt->bytes = parse_number(optarg);
			break;
		case 't':
			opt->seconds = parse_number(optarg);
			break;
		case 'm':
			opt->min_reads = parse_number(optarg);
			break;
		case 's':
			opt->seed = parse_number(optarg);
			break;
		case 'T':
			opt->think_us = parse_number(optarg);
			break;
		case 'w':
			opt->write = true;
			break;
		case 'p':
			opt->repin = true;
			break;
		case 'e':
			opt->allow_errors = true;
			break;
		case 'c':
			opt->share_context = true;
			break;
		default:
			usage();
		}
	}
	if (optind != argc - 1 || !opt->readers || !opt->seconds ||
	    !opt->bytes || opt->bytes % 512)
		usage();
	opt->path = argv[optind];
}

int main(int argc, char **argv)
{
	struct options opt = { .readers = 64, .bytes = 65536, .seconds = 20 };
	const struct timespec tick = { .tv_nsec = 10 * 1000 * 1000 };
	unsigned int running, i;
	struct shared *shared;
	__u64 random = 1;
	bool clean, stopped;
	sigset_t signals;
	__u64 start, end;
	int fd, gate;
	off_t size;

	parse_options(argc, argv, &opt);

	fd = open(opt.path, (opt.write ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		die(opt.path);
	size = lseek(fd, 0, SEEK_END);
	if (size < (off_t)opt.bytes) {
		fprintf(stderr, "readers: %s: smaller than one read\n", opt.path);
		return 1;
	}
	shared = mmap(NULL, sizeof(*shared) + opt.readers * sizeof(shared->reader[0]),
		      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");

	/*
	 * Blocked, so that sigtimedwait() sees them. The readers inherit that: a
	 * terminal's ^C goes to all, and it is the parent that stops them.
	 */
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);

	gate = fork_readers(fd, &opt, size / opt.bytes, shared);
	running = opt.readers;
	start = now_ns();
	close(gate);

	do {
		stopped = sigtimedwait(&signals, NULL, &tick) > 0;
		end = now_ns();
		/* With all of them gone (a removed disk) there is nothing to wait for. */
		clean = reap(&running, WNOHANG);
		if (opt.repin)
			repin(&opt, shared, &random);
	} while (clean && running && !stopped &&
		 end - start < opt.seconds * NSEC_PER_SEC &&
		 !(opt.min_reads && all_have(shared, &opt)));

	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
	clean &= reap(&running, 0);

	report(&opt, shared, end - start);

	for (i = 0; i < opt.readers && !opt.allow_errors; i++) {
		if (!shared->reader[i].error)
			continue;
		fprintf(stderr, "readers: reader %u: %s\n", i,
			strerror(shared->reader[i].error));
		clean = false;
	}
	return clean ? 0 : 1;
}
