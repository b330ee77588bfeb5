// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of fairway-top: what it reads, what it makes of it, and what it says
 * of a device that it cannot show. In TAP.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "table.h"

static int nr_checks, nr_failed;

static void check(const char *claim, bool holds)
{
	printf("%sok %d %s\n", holds ? "" : "not ", ++nr_checks, claim);
	nr_failed += !holds;
}

static void check_number(const char *claim, long long got, long long wanted)
{
	if (got != wanted)
		printf("# %s: got %lld, wanted %lld\n", claim, got, wanted);
	check(claim, got == wanted);
}

static void check_text(const char *claim, const char *got, const char *part)
{
	if (!strstr(got, part))
		printf("# %s: got '%s', wanted '%s' in it\n", claim, got, part);
	check(claim, strstr(got, part));
}

/* ---- parsing -------------------------------------------------------------- */

#define HEADER "# pid queue pending queued in_device key used_us requests read_sectors write_sectors took_us wait_us longest_us\n"

static void flows_are_read_by_the_names_of_their_columns(void)
{
	struct flow *flows;
	size_t nr;

	flows = parse_flows(HEADER
			    "0 ended 0 0 0 0 0 1 2 3 4 5 6\n"
			    "4711 own 2 1 1 99 98 10 20 30 40 50 60\n", &nr);
	check_number("two flows", nr, 2);
	check_number("pid", flows[1].pid, 4711);
	check("queue", !strcmp(flows[1].queue, "own"));
	check_number("pending", flows[1].pending, 2);
	check_number("requests", flows[1].requests, 10);
	check_number("read", flows[1].read_sectors, 20);
	check_number("written", flows[1].write_sectors, 30);
	check_number("took", flows[1].took_us, 40);
	check_number("wait", flows[1].wait_us, 50);
	check_number("longest", flows[1].longest_us, 60);
	free(flows);

	/* Another order, columns that are new, and some that are missing. */
	flows = parse_flows("# pid queue new requests took_us\n"
			    "1 own x 7 18446744073709551615\n", &nr);
	check_number("other columns: one flow", nr, 1);
	check_number("other columns: requests", flows[0].requests, 7);
	check("the largest number", flows[0].took_us == UINT64_MAX);
	check_number("what is missing is 0", flows[0].wait_us, 0);
	free(flows);
}

static void what_is_no_flow_is_left_out(void)
{
	static const char *const bad[] = {
		"", "\n", HEADER, "watched 0\n", "1 own 1 1 1 1 1 1 1 1 1 1 1\n",
		HEADER "1 own 2 3\n",
		HEADER "x own 2 1 1 99 98 10 20 30 40 50 60\n",
		HEADER "-1 own 2 1 1 99 98 10 20 30 40 50 60\n",
		HEADER "1 own 2 1 1 99 98 ten 20 30 40 50 60\n",
		HEADER "1 own 2 1 1 99 98 -10 20 30 40 50 60\n",
		HEADER "1 own 2 1 1 99 98 10 20 30 40 50 18446744073709551616\n",
		HEADER "1\n",
	};
	size_t i, nr;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		free(parse_flows(bad[i], &nr));
		check_number("no flow", nr, 0);
	}
	free(parse_flows(HEADER "1 own 2 1 1 99 98 10 20 30 40 50 60", &nr));
	check_number("the last line may have no end", nr, 1);
}

static void waits_are_read(void)
{
	static const char text[] = "watched 1\nseconds 10\nturn_bound_us 5\n"
		"# wait number mean_us longest_us bound_us permille violations\n"
		"line 1305 438656 448393 448378 999 1\n"
		"order_read 0 0 0 0 0 0\n";
	struct wait *waits;
	size_t nr;

	check("the watch is on", parse_watched(text));
	check("and off", !parse_watched("watched 0\n"));
	check("or not there", !parse_watched(""));
	check("seeks cost", parse_sorted("sorted 1\nbacklog 0\n"));
	check("or not", !parse_sorted("sorted 0\n") && !parse_sorted(""));
	waits = parse_waits(text, &nr);
	check_number("two kinds", nr, 2);
	check("the name", !strcmp(waits[0].name, "line"));
	check_number("number", waits[0].number, 1305);
	check_number("mean", waits[0].mean_us, 438656);
	check_number("longest", waits[0].longest_us, 448393);
	check_number("bound", waits[0].bound_us, 448378);
	check_number("permille", waits[0].permille, 999);
	check_number("violations", waits[0].violations, 1);
	free(waits);
}

/* ---- rows ----------------------------------------------------------------- */

/* Tasks 100 to 199 are of process 100, and so on. */
static int hundreds(void *context, const struct flow *flow, char *name)
{
	(void)context;
	snprintf(name, NAME_SIZE, "%s", flow->pid ? "task" : flow->queue);
	return flow->pid / 100 * 100;
}

static struct flow flow(int pid, const char *queue, uint64_t requests,
			uint64_t took_us)
{
	struct flow flow = {
		.pid = pid, .requests = requests, .read_sectors = 8 * requests,
		.took_us = took_us, .wait_us = 10 * took_us,
		.longest_us = took_us / 2,
	};

	snprintf(flow.queue, sizeof(flow.queue), "%s", queue);
	return flow;
}

static void rows_are_what_came_since(void)
{
	const struct flow before[] = {
		flow(0, "writeback", 5, 50), flow(0, "common", 7, 70),
		flow(101, "own", 10, 1000), flow(201, "own", 90, 900),
		flow(301, "own", 4, 40),
	};
	const struct flow now[] = {
		flow(0, "writeback", 6, 51), flow(0, "common", 9, 72),
		flow(101, "own", 30, 3000), flow(102, "own", 5, 7000),
		flow(201, "own", 3, 300), flow(301, "own", 4, 40),
	};
	struct row *rows;
	size_t nr;

	rows = make_rows(now, 6, before, 5, true, hundreds, NULL, &nr);
	check_number("who had nothing is left out", nr, 4);
	check_number("who had most is first", rows[0].pid, 100);
	check_number("tasks are summed", rows[0].sum.requests, 20 + 5);
	check_number("of these the time", rows[0].sum.took_us, 2000 + 7000);
	check_number("the longest is since ever", rows[0].sum.longest_us, 3500);
	check_number("figures that began anew", rows[1].sum.requests, 3);
	check("without a pid by the queue", !strcmp(rows[2].name, "common") &&
	      rows[2].sum.requests == 2 && rows[3].sum.requests == 1);
	free(rows);

	/* Without seeks by sectors and requests: 20 + 5 requests of 8 sectors. */
	rows = make_rows(now, 6, before, 5, false, hundreds, NULL, &nr);
	check_number("the cost is in sectors", rows[0].cost, 25 * (8 + 16));
	free(rows);

	rows = make_rows(now, 0, before, 5, true, hundreds, NULL, &nr);
	check_number("nobody", nr, 0);
	free(rows);
}

/* ---- devices -------------------------------------------------------------- */

static char top[] = "/tmp/fairway-top.XXXXXX";

static void put(const char *path, const char *text)
{
	char whole[512], *slash;
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", top, path);
	for (slash = whole + strlen(top) + 1; (slash = strchr(slash, '/'));
	     slash++) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
	if (!text) {
		mkdir(whole, 0755);
		return;
	}
	file = fopen(whole, "w");
	fputs(text, file);
	fclose(file);
}

static void link_to(const char *to, const char *from)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", top, from);
	if (symlink(to, path))
		perror(path);
}

static void devices_are_found_or_it_is_said_why_not(void)
{
	char sys[300], debug[300], message[MESSAGE_SIZE] = "";
	struct roots roots = { .sys = sys, .debug = debug, .proc = "/proc" };
	struct device device;
	char *text;

	snprintf(sys, sizeof(sys), "%s/sys", top);
	snprintf(debug, sizeof(debug), "%s/debug", top);
	put("sys/block/sda/queue/scheduler", "none [mq-deadline] fairway\n");
	put("sys/block/sda/sda1/partition", "1\n");
	put("sys/class/block/", NULL);
	link_to("../../block/sda", "sys/class/block/sda");
	link_to("../../block/sda/sda1", "sys/class/block/sda1");

	check("nobody is under fairway",
	      !device_find(&device, &roots, NULL, message));
	check_text("and it says how", message, "no device is under fairway");
	check("no such device",
	      !device_find(&device, &roots, "/dev/sdx", message));
	check_text("it is named", message, "/dev/sdx: no such block device");
	check("no name at all", !device_find(&device, &roots, "/dev/", message));
	check("under another", !device_find(&device, &roots, "sda", message));
	check_text("which is named", message,
		   "sda is not under fairway but under mq-deadline");

	put("sys/block/sda/queue/scheduler", "none mq-deadline [fairway]\n");
	check("no debugfs", !device_find(&device, &roots, "sda", message));
	check_text("which is said", message, "mount -t debugfs");
	put("debug/block/sda/sched/books", "");
	check("an old kernel", !device_find(&device, &roots, "sda", message));
	check_text("which is said", message, "older than this program");

	put("debug/block/sda/sched/flows", HEADER);
	check("found", device_find(&device, &roots, "/dev/sda", message));
	check("by a partition", device_find(&device, &roots, "sda1", message) &&
	      !strcmp(device.name, "sda"));
	check("as the only one", device_find(&device, &roots, NULL, message) &&
	      !strcmp(device.name, "sda"));
	text = device_read(&device, "flows");
	check("its files are read", text && !strcmp(text, HEADER));
	free(text);
	check("what is not there is not", !device_read(&device, "nothing"));
	check("nor written", !device_write(&device, "nothing", "1"));
	check("a file is written", device_write(&device, "books", "1"));

	put("sys/block/nvme0n1/queue/scheduler", "[fairway] none\n");
	check("one of two", !device_find(&device, &roots, NULL, message));
	check_text("both are named", message, "nvme0n1 sda");
}

int main(void)
{
	char command[64];
	int status;

	printf("TAP version 13\n");
	flows_are_read_by_the_names_of_their_columns();
	what_is_no_flow_is_left_out();
	waits_are_read();
	rows_are_what_came_since();
	if (!mkdtemp(top))
		return 1;
	devices_are_found_or_it_is_said_why_not();
	snprintf(command, sizeof(command), "rm -rf %s", top);
	status = system(command);
	printf("1..%d\n", nr_checks);
	return nr_failed || status;
}
