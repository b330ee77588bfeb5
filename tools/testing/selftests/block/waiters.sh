#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: what must drain the line of waiters (a switch of the scheduler, another
# nr_requests, the removal of the disk), begun with N readers in it, ends within
# (N + nr_requests) x the service time: those who wait are let through by
# completions alone, and nobody new gets in front of them.
#
# Going offline of a CPU is in cpu-offline.sh, which needs two of them.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

READERS=64
# Of the bound: the CPU's part of so many completions, as in starvation.sh.
SLACK_PCT=105

# A pool in which not all of them fit: whatever the scheduler begins with.
small_pool()
{
	set_queue bt0 nr_requests 4
}

begin_readers()
{
	[ "$(nr_requests)" -lt "$READERS" ] || give_up "all readers fit into the pool"
	"$HERE/readers" -e -n "$READERS" -t 600 /dev/bt0 >"$TMP/figures" &
	readers=$!
	# One may be between two reads; the others are in line or hold a request.
	wait_for 60 line_is bt0 "$((READERS - $(nr_requests) - 1))" ||
		give_up "the readers do not stand in line: $(books bt0 waiting) wait"
}

end_readers()
{
	kill "$readers"
	wait "$readers" || give_up "the readers failed"
}

nr_requests()
{
	cat /sys/block/bt0/queue/nr_requests
}

# drain CLAIM COMMAND...: the time of COMMAND with a full line, against the bound
# and what the same COMMAND costs without any I/O ($idle_us).
drain()
{
	local claim=$1 bound
	shift

	bound=$(((READERS + $(nr_requests)) * service * SLACK_PCT / 100))
	timed "$@"
	check "$claim within (N + nr_requests) x service" "$took_us" le "$((bound + idle_us))"
}

idle()
{
	timed "$@"
	idle_us=$took_us
	echo "# '$*' without I/O takes $idle_us us"
}

make_disk()
{
	null_disk bt0 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
}

need root null_blk books fairway mq-deadline
plan 10
make_disk
set_scheduler bt0 none
service=$(service_us bt0)

idle set_scheduler bt0 mq-deadline
set_scheduler bt0 fairway
small_pool
begin_readers
drain "switch to another scheduler ends" set_scheduler bt0 none
check "the new scheduler is active" "$(scheduler bt0)" is none
end_readers

set_scheduler bt0 fairway
idle set_queue bt0 nr_requests 8
small_pool
begin_readers
drain "a larger nr_requests ends" set_queue bt0 nr_requests 8
check "nr_requests is what was written" "$(nr_requests)" is 8
end_readers
begin_readers
drain "a smaller nr_requests ends" set_queue bt0 nr_requests 4
check "nr_requests is what was written" "$(nr_requests)" is 4
end_readers
check "the line is empty afterwards" "$(open_books bt0)" is none

idle remove_disk bt0
make_disk
set_scheduler bt0 fairway
small_pool
begin_readers
drain "removal of the disk ends" remove_disk bt0
wait "$readers"
check "the readers end with the disk" "$?" is 0
check "each with an error" "$(figure "$TMP/figures" errors)" is "$READERS"
ktap_finished
