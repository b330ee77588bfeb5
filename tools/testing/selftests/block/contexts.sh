#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: under fairway tasks that share an I/O context have the share of one, in a
# pool that is too small for all and in the order: others do not wait for each of
# them.
#
# Control: beside as many tasks that share nothing the others wait for each.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

TASKS=32
OTHERS=4
NR=8

# beside OPTION...: the longest read of some others beside many tasks, in
# $longest_us.
beside()
{
	"$HERE/readers" -n "$TASKS" -t 600 "$@" /dev/bt0 >"$TMP/tasks" &
	tasks=$!
	wait_for 60 line_is bt0 $((TASKS - NR - 1)) ||
		give_up "no line: $(books bt0 waiting) wait"
	"$HERE/readers" -n "$OTHERS" -m 20 -t 120 /dev/bt0 >"$TMP/others" ||
		give_up "the other readers failed"
	longest_us=$(figure "$TMP/others" lat_max_us)
	kill "$tasks"
	wait "$tasks"
	check "the tasks end without an error" \
		"$? $(figure "$TMP/tasks" errors)" is "0 0"
}

need root null_blk books fairway
plan 4

null_disk bt0 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
set_scheduler bt0 fairway
set_queue bt0 nr_requests "$NR"
service=$(service_us bt0)
echo "# one read takes $service us"

beside -c
# Two rounds of the flows, and the pool as it was found.
check "beside $TASKS tasks that share an I/O context others wait for one" \
	"$longest_us" le $(((2 * (OTHERS + 1) + NR) * service))
beside
check "control: beside $TASKS that do not they wait for all" \
	"$longest_us" ge $((TASKS * service))
ktap_finished
