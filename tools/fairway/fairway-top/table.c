// SPDX-License-Identifier: GPL-2.0
/*
 * From the text of the scheduler's files to rows of processes. Columns are found
 * by the names in the first line, so that a kernel may have more of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define MAX_COLUMNS	32

/* Where a column goes. */
struct column {
	const char *name;
	size_t offset;
};

static const struct column flow_columns[] = {
	{ "pending", offsetof(struct flow, pending) },
	{ "requests", offsetof(struct flow, requests) },
	{ "read_sectors", offsetof(struct flow, read_sectors) },
	{ "write_sectors", offsetof(struct flow, write_sectors) },
	{ "took_us", offsetof(struct flow, took_us) },
	{ "wait_us", offsetof(struct flow, wait_us) },
	{ "longest_us", offsetof(struct flow, longest_us) },
};

static const struct column wait_columns[] = {
	{ "number", offsetof(struct wait, number) },
	{ "mean_us", offsetof(struct wait, mean_us) },
	{ "longest_us", offsetof(struct wait, longest_us) },
	{ "bound_us", offsetof(struct wait, bound_us) },
	{ "permille", offsetof(struct wait, permille) },
	{ "violations", offsetof(struct wait, violations) },
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* The words of a line, which is cut up. Returns how many there are. */
static size_t split(char *line, char *word[MAX_COLUMNS])
{
	size_t nr = 0;
	char *rest;

	for (line = strtok_r(line, " \t", &rest); line && nr < MAX_COLUMNS;
	     line = strtok_r(NULL, " \t", &rest))
		word[nr++] = line;
	return nr;
}

/* The line that begins at *text, as a copy; *text is what follows it. */
static char *next_line(const char **text)
{
	size_t length = strcspn(*text, "\n");
	char *line;

	if (!**text)
		return NULL;
	line = strndup(*text, length);
	*text += length + ((*text)[length] == '\n');
	return line;
}

/*
 * A table whose header is "# FIRST NAME...". Returns for each of the wanted
 * columns which word of a line it is, 0 where the header has none such.
 */
static bool read_header(char *line, const struct column *column, size_t nr,
			size_t *place)
{
	char *word[MAX_COLUMNS];
	size_t words, i, j;

	if (strncmp(line, "# ", 2))
		return false;
	words = split(line + 2, word);
	for (i = 0; i < nr; i++) {
		place[i] = 0;
		for (j = 1; j < words; j++)
			if (!strcmp(word[j], column[i].name))
				place[i] = j;
	}
	return true;
}

static bool read_number(const char *word, uint64_t *number)
{
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	*number = strtoull(word, &end, 10);
	return !*end && !errno;
}

/* Fills in a record's columns; false if the line has not all, or no numbers. */
static bool read_columns(char *const *word, size_t words,
			 const struct column *column, size_t nr,
			 const size_t *place, void *record)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		uint64_t number;

		if (!place[i])
			continue;
		if (place[i] >= words ||
		    !read_number(word[place[i]], &number))
			return false;
		memcpy((char *)record + column[i].offset, &number,
		       sizeof(number));
	}
	return true;
}

/* Is the watch on? */
bool parse_watched(const char *text)
{
	return !strncmp(text, "watched 1", strlen("watched 1"));
}

/* Of "state": do seeks cost? */
bool parse_sorted(const char *text)
{
	return !strncmp(text, "sorted 1", strlen("sorted 1"));
}

/* The lines of "watch" below its header; free() them. */
struct wait *parse_waits(const char *text, size_t *nr)
{
	size_t place[NR(wait_columns)];
	struct wait *waits = NULL;
	bool has_header = false;
	char *line;

	*nr = 0;
	for (; (line = next_line(&text)); free(line)) {
		struct wait wait = {};
		char *word[MAX_COLUMNS];
		size_t words;

		if (!has_header) {
			has_header = read_header(line, wait_columns,
						 NR(wait_columns), place);
			continue;
		}
		words = split(line, word);
		if (!words || !read_columns(word, words, wait_columns,
					    NR(wait_columns), place, &wait))
			continue;
		snprintf(wait.name, sizeof(wait.name), "%s", word[0]);
		waits = realloc(waits, (*nr + 1) * sizeof(*waits));
		waits[(*nr)++] = wait;
	}
	return waits;
}

/* The lines of "flows"; free() them. */
struct flow *parse_flows(const char *text, size_t *nr)
{
	size_t place[NR(flow_columns)];
	struct flow *flows = NULL;
	bool has_header = false;
	char *line;

	*nr = 0;
	for (; (line = next_line(&text)); free(line)) {
		struct flow flow = {};
		char *word[MAX_COLUMNS];
		uint64_t pid;
		size_t words;

		if (!has_header) {
			has_header = read_header(line, flow_columns,
						 NR(flow_columns), place);
			continue;
		}
		words = split(line, word);
		if (words < 2 || !read_number(word[0], &pid) ||
		    !read_columns(word, words, flow_columns, NR(flow_columns),
				  place, &flow))
			continue;
		flow.pid = pid;
		snprintf(flow.queue, sizeof(flow.queue), "%s", word[1]);
		flows = realloc(flows, (*nr + 1) * sizeof(*flows));
		flows[(*nr)++] = flow;
	}
	return flows;
}

/* A task is the same if its pid is; what has none is told apart by its queue. */
static const struct flow *find_flow(const struct flow *flow, size_t nr,
				    const struct flow *like)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (flow[i].pid == like->pid &&
		    (like->pid || !strcmp(flow[i].queue, like->queue)))
			return &flow[i];
	return NULL;
}

/* What came since: all of it if the figures began anew meanwhile. */
static struct flow since(const struct flow *now, const struct flow *before)
{
	struct flow flow = *now;

	if (!before || before->requests > now->requests ||
	    before->wait_us > now->wait_us)
		return flow;
	flow.requests -= before->requests;
	flow.read_sectors -= before->read_sectors;
	flow.write_sectors -= before->write_sectors;
	flow.took_us -= before->took_us;
	flow.wait_us -= before->wait_us;
	return flow;
}

static void add_flow(struct flow *sum, const struct flow *flow)
{
	sum->pending += flow->pending;
	sum->requests += flow->requests;
	sum->read_sectors += flow->read_sectors;
	sum->write_sectors += flow->write_sectors;
	sum->took_us += flow->took_us;
	sum->wait_us += flow->wait_us;
	if (sum->longest_us < flow->longest_us)
		sum->longest_us = flow->longest_us;
}

static struct row *find_row(struct row *rows, size_t nr, int pid,
			    const char *name)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (rows[i].pid == pid && (pid || !strcmp(rows[i].name, name)))
			return &rows[i];
	return NULL;
}

/*
 * Where seeks cost, time. Elsewhere a device does many requests at a time, which
 * end together: sectors, with each request as some more, as the scheduler has it.
 */
#define REQUEST_SECTORS	16

static uint64_t cost_of(const struct flow *sum, bool is_sorted)
{
	return is_sorted ? sum->took_us :
	       sum->read_sectors + sum->write_sectors +
	       REQUEST_SECTORS * sum->requests;
}

/* Who had most of the device first, then who has the lower pid. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *row = a, *other = b;

	if (row->cost != other->cost)
		return row->cost < other->cost ? 1 : -1;
	return (row->pid > other->pid) - (row->pid < other->pid);
}

/*
 * The flows of tasks as rows of processes, with what came since before. Those that
 * had nothing and want nothing are left out. free() the rows.
 */
struct row *make_rows(const struct flow *now, size_t nr_now,
		      const struct flow *before, size_t nr_before,
		      bool is_sorted, owner_fn *owner, void *context,
		      size_t *nr)
{
	struct row *rows = calloc(nr_now + 1, sizeof(*rows));
	size_t i;

	*nr = 0;
	for (i = 0; i < nr_now; i++) {
		struct flow flow = since(&now[i], find_flow(before, nr_before,
							    &now[i]));
		char name[NAME_SIZE] = "";
		struct row *row;
		int pid;

		if (!flow.requests && !flow.pending)
			continue;
		pid = owner(context, &now[i], name);
		row = find_row(rows, *nr, pid, name);
		if (!row) {
			row = &rows[(*nr)++];
			row->pid = pid;
			memcpy(row->name, name, sizeof(name));
			memcpy(row->sum.queue, flow.queue, sizeof(flow.queue));
		}
		add_flow(&row->sum, &flow);
		row->cost = cost_of(&row->sum, is_sorted);
	}
	qsort(rows, *nr, sizeof(*rows), compare_rows);
	return rows;
}
