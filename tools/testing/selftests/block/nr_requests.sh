#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: nr_requests and the scheduler can be changed while 64 readers work under
# fairway. What is accepted reads back and is the size of the pool; what is
# refused changes nothing; fairway starts afresh after another scheduler; and no
# read is lost on the way.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

nr_requests()
{
	cat /sys/block/bt0/queue/nr_requests
}

# pool FIELD: depth or wake_batch of the scheduler's tags.
pool()
{
	sed -n "/^bitmap_tags:/,/^breserved_tags:/s/^$1=//p" \
		"$DEBUG/bt0/hctx0/sched_tags"
}

accepts()
{
	write /sys/block/bt0/queue/nr_requests "$1" || give_up "nr_requests refuses $1"
	check "nr_requests takes $1" "$(nr_requests)" is "$2"
	check "the pool has $2 requests after $1" "$(pool depth)" is "$2"
	check "of which the line gives out 1 to $2 after $1" \
		"$(holds "$(books bt0 limit)" le "$2" && books bt0 limit)" ge 1
}

refuses()
{
	local before
	before=$(nr_requests)
	check "nr_requests refuses '$1'" \
		"$(write /sys/block/bt0/queue/nr_requests "$1" || echo refused)" is refused
	check "nr_requests is the same after '$1'" "$(nr_requests)" is "$before"
}

need root null_blk books fairway mq-deadline
plan 31
null_disk bt0 irqmode=2 completion_nsec=1000000 hw_queue_depth=4
set_scheduler bt0 fairway
as_found=$(nr_requests)
set_queue bt0 nr_requests 8

"$HERE/readers" -n 64 -b 4096 -t 600 /dev/bt0 >"$TMP/figures" &
readers=$!
wait_for 60 line_is bt0 32 || give_up "the readers do not stand in line"

accepts 5 5
accepts 64 64
# A batch of 1 would wake one task for each freed request and tear apart the
# pieces of large I/Os; the core makes it depth / 8.
check "waiters are woken in batches" "$(pool wake_batch)" ge 2
accepts 1024 1024
accepts 4 4
# The block layer's own lower limit.
accepts 2 4
accepts 0 4
refuses -1
refuses abc
# And its upper one, 16 x 128.
refuses 2049

for other in none mq-deadline; do
	set_scheduler bt0 "$other"
	set_scheduler bt0 fairway
done
check "nr_requests starts afresh after other schedulers" "$(nr_requests)" is "$as_found"
check "so does the pool" "$(pool depth)" is "$as_found"

kill "$readers"
wait "$readers"
check "all readers end" "$?" is 0
check "each of them has read" "$(figure "$TMP/figures" reads_min)" ge 1
check "without an error" "$(figure "$TMP/figures" errors)" is 0
check "nothing is left in the books" "$(open_books bt0)" is none
ktap_finished
