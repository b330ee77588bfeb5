// SPDX-License-Identifier: GPL-2.0
/*
 * fairway-top: who has how much of a disk, and how long each waits, live.
 *
 * The kernel sums up; this looks at the sums now and then. See -h.
 */
#include <curses.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device.h"
#include "table.h"

#define SECTORS_PER_MB	(1000000.0 / 512)
#define US_PER_S	1000000.0
#define LINE_SIZE	256

static const struct roots kernel_roots = {
	.sys = "/sys",
	.debug = "/sys/kernel/debug",
	.proc = "/proc",
};

/* What a task's process was the last time. */
struct task {
	int pid;
	int process;
	uint64_t requests;
	char name[NAME_SIZE];
};

struct top {
	struct device device;
	bool is_batch;
	long looks;		/* how many, 0 for without end */
	double delay_s;
	bool was_watched;	/* before we came */
	struct flow *flows;	/* of the last look */
	size_t nr_flows;
	double at_s;		/* when that was */
	struct task *tasks;
	size_t nr_tasks;
	int line;		/* on the screen */
};

static volatile sig_atomic_t is_to_end;

static void end(int number)
{
	is_to_end = number;
}

static double now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

__attribute__((format(printf, 1, 2)))
static void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("fairway-top: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static void usage(FILE *to)
{
	fputs("usage: fairway-top [-b] [-n LOOKS] [-d SECONDS] [DEVICE]\n"
	      "Who has how much of a disk under the fairway scheduler, and how long each waits.\n"
	      "  -b  print, one look below the other, instead of filling the screen\n"
	      "  -n  end after so many looks\n"
	      "  -d  time between two looks, 0.1 or more (2)\n"
	      "DEVICE: sda, /dev/sda; without it the only one under fairway.\n"
	      "Keys: q ends, r begins the longest waits anew. Switches the device's watch on\n"
	      "as long as it runs. Needs root.\n", to);
}

/* ---- names ---------------------------------------------------------------- */

/* The value of a line "KEY:\tVALUE" of a file in /proc; "" if there is none. */
static void status_value(const char *status, const char *key, char *value,
			 size_t size)
{
	const char *at = strstr(status, key);

	*value = '\0';
	if (!at)
		return;
	at += strlen(key);
	at += strspn(at, " \t");
	snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static void ask_proc(const struct top *top, struct task *task)
{
	char path[PATH_MAX], number[16], *status;

	snprintf(path, sizeof(path), "%s/%d/status", top->device.roots->proc,
		 task->pid);
	status = read_file(path);
	task->process = task->pid;
	if (!status) {
		snprintf(task->name, sizeof(task->name), "(ended)");
		return;
	}
	status_value(status, "Name:", task->name, sizeof(task->name));
	status_value(status, "\nTgid:", number, sizeof(number));
	if (*number)
		task->process = atoi(number);
	free(status);
}

/* A task is asked for once, and again if its pid seems to be another's. */
static int owner(void *context, const struct flow *flow, char *name)
{
	struct top *top = context;
	struct task *task;
	size_t i;

	if (!flow->pid) {
		snprintf(name, NAME_SIZE, "(%s)", flow->queue);
		return 0;
	}
	for (i = 0; i < top->nr_tasks && top->tasks[i].pid != flow->pid; i++)
		;
	if (i == top->nr_tasks) {
		top->tasks = realloc(top->tasks, ++top->nr_tasks *
				     sizeof(*top->tasks));
		top->tasks[i] = (struct task) { .pid = flow->pid };
	}
	task = &top->tasks[i];
	if (!*task->name || task->requests > flow->requests)
		ask_proc(top, task);
	task->requests = flow->requests;
	memcpy(name, task->name, NAME_SIZE);
	return task->process;
}

/* ---- the picture ---------------------------------------------------------- */

__attribute__((format(printf, 2, 3)))
static void line(struct top *top, const char *format, ...)
{
	char text[LINE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* What is too long is cut: wrapped, the next line would cover it. */
	if (top->is_batch)
		puts(text);
	else if (top->line < LINES)
		mvaddnstr(top->line++, 0, text, COLS);
}

static void show_waits(struct top *top, const char *text)
{
	struct wait *waits;
	size_t i, nr;

	waits = parse_waits(text, &nr);
	line(top, "%-14s %10s %10s %10s %10s %6s", "waits", "number",
	     "mean ms", "most ms", "bound ms", "late");
	for (i = 0; i < nr; i++) {
		const struct wait *wait = &waits[i];
		char bound[24] = "-";

		if (!wait->number)
			continue;
		if (wait->bound_us)
			snprintf(bound, sizeof(bound), "%.1f",
				 wait->bound_us / 1e3);
		line(top, "%-14s %10" PRIu64 " %10.1f %10.1f %10s %6" PRIu64,
		     wait->name, wait->number, wait->mean_us / 1e3,
		     wait->longest_us / 1e3, bound, wait->violations);
	}
	free(waits);
}

static void show_row(struct top *top, const struct row *row, double seconds,
		     uint64_t cost)
{
	const struct flow *sum = &row->sum;

	line(top, "%7d %6.1f %8.2f %8.2f %9.1f %9.1f %9.1f %5" PRIu64 " %-9s %s",
	     row->pid, cost ? 100.0 * row->cost / cost : 0,
	     sum->read_sectors / SECTORS_PER_MB / seconds,
	     sum->write_sectors / SECTORS_PER_MB / seconds,
	     sum->requests / seconds,
	     sum->requests ? sum->wait_us / 1e3 / sum->requests : 0,
	     sum->longest_us / 1e3, sum->pending, sum->queue, row->name);
}

static void show_rows(struct top *top, const struct row *rows, size_t nr,
		      double seconds)
{
	uint64_t took_us = 0, cost = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		took_us += rows[i].sum.took_us;
		cost += rows[i].cost;
	}
	line(top, "%s: %.1f s, busy %.0f %%, %zu processes",
	     top->device.name, seconds, 100 * took_us / US_PER_S / seconds, nr);
	line(top, "%7s %6s %8s %8s %9s %9s %9s %5s %-9s %s", "pid", "share%",
	     "read MB", "write MB", "req/s", "mean ms", "most ms", "open",
	     "queue", "command");
	for (i = 0; i < nr; i++)
		show_row(top, &rows[i], seconds, cost);
}

/* One look; the first has nothing to compare with and shows nothing. */
static void look(struct top *top)
{
	char *watch = device_read(&top->device, "watch");
	char *state = device_read(&top->device, "state");
	char *text = device_read(&top->device, "flows");
	double at_s = now_s();
	struct flow *flows;
	struct row *rows;
	size_t nr_flows, nr;

	if (!watch || !state || !text || !parse_watched(watch)) {
		if (!top->is_batch)
			endwin();
		die("%s is gone, not under fairway any more, or its watch was switched off",
		    top->device.name);
	}
	flows = parse_flows(text, &nr_flows);
	if (top->at_s) {
		rows = make_rows(flows, nr_flows, top->flows, top->nr_flows,
				 parse_sorted(state), owner, top, &nr);
		top->line = 0;
		if (!top->is_batch)
			erase();
		show_rows(top, rows, nr, at_s - top->at_s);
		line(top, " ");
		show_waits(top, watch);
		if (top->is_batch) {
			putchar('\n');
			fflush(stdout);
		} else {
			refresh();
		}
		free(rows);
	}
	free(top->flows);
	top->flows = flows;
	top->nr_flows = nr_flows;
	top->at_s = at_s;
	free(watch);
	free(state);
	free(text);
}

/* ---- life ----------------------------------------------------------------- */

/* Until it is time for the next look, a signal came, or q was pressed. */
static void pause_for(struct top *top, double seconds)
{
	struct timespec ts = {
		.tv_sec = seconds,
		.tv_nsec = (seconds - (long)seconds) * 1e9,
	};
	int key;

	if (top->is_batch) {
		nanosleep(&ts, NULL);
		return;
	}
	timeout(seconds * 1000);
	key = getch();
	if (key == 'q')
		is_to_end = 1;
	else if (key == 'r')
		device_write(&top->device, "watch", "1");
}

static double positive(const char *text, double least, const char *what)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= least) || value > 1e6)
		die("%s: not a number of %s", text, what);
	return value;
}

static void read_arguments(struct top *top, int argc, char **argv,
			   const struct roots *roots)
{
	static const struct option words[] = {
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	char message[MESSAGE_SIZE];
	int option;

	while ((option = getopt_long(argc, argv, "bn:d:h", words, NULL)) != -1) {
		switch (option) {
		case 'b':
			top->is_batch = true;
			break;
		case 'n':
			top->looks = positive(optarg, 1, "looks, 1 or more");
			break;
		case 'd':
			top->delay_s = positive(optarg, 0.1,
						"seconds, 0.1 or more");
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (argc - optind > 1) {
		usage(stderr);
		exit(2);
	}
	if (geteuid())
		die("must be root: the figures are in %s", roots->debug);
	if (!device_find(&top->device, roots, argv[optind], message))
		die("%s", message);
}

static void begin(struct top *top)
{
	struct sigaction action = { .sa_handler = end };
	char *watch = device_read(&top->device, "watch");

	top->was_watched = watch && parse_watched(watch);
	free(watch);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	/* First: initscr() would exit by itself, and leave the watch on. */
	if (!top->is_batch) {
		if (!newterm(NULL, stdout, stdin))
			die("no terminal; try -b");
		cbreak();
		noecho();
		curs_set(0);
	}
	if (!top->was_watched &&
	    !device_write(&top->device, "watch", "1")) {
		int err = errno;

		if (!top->is_batch)
			endwin();
		die("cannot switch the watch of %s on: %s", top->device.name,
		    strerror(err));
	}
}

int main(int argc, char **argv)
{
	struct top top = { .delay_s = 2 };
	long looks = 0;

	read_arguments(&top, argc, argv, &kernel_roots);
	begin(&top);
	look(&top);
	while (!is_to_end) {
		pause_for(&top, top.delay_s);
		if (is_to_end)
			break;
		look(&top);
		if (++looks == top.looks)
			break;
	}
	if (!top.is_batch)
		endwin();
	if (!top.was_watched)
		device_write(&top.device, "watch", "0");
	return 0;
}
