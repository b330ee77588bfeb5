/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the scheduler's files in debugfs say, and what it means for processes.
 */
#ifndef _FAIRWAY_TOP_TABLE_H
#define _FAIRWAY_TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_SIZE	20

/* One line of "flows": a task, counted since the watch was switched on. */
struct flow {
	int pid;
	char queue[NAME_SIZE];
	uint64_t pending;
	uint64_t requests;
	uint64_t read_sectors;
	uint64_t write_sectors;
	uint64_t took_us;
	uint64_t wait_us;
	uint64_t longest_us;
};

/* One line of "watch": a kind of wait. */
struct wait {
	char name[NAME_SIZE];
	uint64_t number;
	uint64_t mean_us;
	uint64_t longest_us;
	uint64_t bound_us;
	uint64_t permille;
	uint64_t violations;
};

/*
 * One process: its tasks' flows since the last look; longest_us since ever. cost is
 * what the scheduler charges for that.
 */
struct row {
	int pid;
	char name[NAME_SIZE];
	struct flow sum;
	uint64_t cost;
};

/* What a task belongs to.  Returns its process's id and puts its name there. */
typedef int owner_fn(void *context, const struct flow *flow, char *name);

bool parse_watched(const char *text);
bool parse_sorted(const char *text);
struct wait *parse_waits(const char *text, size_t *nr);
struct flow *parse_flows(const char *text, size_t *nr);
struct row *make_rows(const struct flow *now, size_t nr_now,
		      const struct flow *before, size_t nr_before,
		      bool is_sorted, owner_fn *owner, void *context,
		      size_t *nr);

#endif /* _FAIRWAY_TOP_TABLE_H */
