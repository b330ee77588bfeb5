#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: while 64 readers stand in line under fairway, a read that may not wait
# (RWF_NOWAIT) is refused at once; it neither waits nor takes a place from one of
# them. Where nobody waits it is served.
#
# Control: one that may wait is served in the same line.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

READERS=64
TRIES=8
EAGAIN=-11

# send REQUEST...: submit itself ends with status 1 where one is refused.
send()
{
	"$HERE/submit" /dev/bt0 "$@" >"$TMP/order"
	[ "$(wc -l <"$TMP/order")" -eq $# ] || give_up "submit failed: $*"
}

# ended RESULT: how many of what was sent ended with it.
ended()
{
	awk -v want="$1" '$3 == want { count++ } END { print count + 0 }' "$TMP/order"
}

need root null_blk books fairway refusal
plan 8
null_disk bt0 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
set_scheduler bt0 fairway
# Of these two are headroom: there are tags to be had, it is the line that refuses.
set_queue bt0 nr_requests 32
nr=$(cat /sys/block/bt0/queue/nr_requests)

send R:0:8
check "where nobody waits it is served" "$(ended 4096)" is 1
check "and none is counted as refused" "$(books bt0 refused)" is 0

"$HERE/readers" -n "$READERS" -t 600 /dev/bt0 >"$TMP/figures" &
readers=$!
wait_for 60 line_is bt0 $((READERS - nr - 1)) || give_up "no line: $(books bt0 waiting) wait"

for ((try = 0; try < TRIES; try++)); do
	tries+=(R:$((try * 8)):8)
done
send "${tries[@]}"
check "where others wait all of $TRIES are refused" "$(ended $EAGAIN)" is "$TRIES"
check "the books say so" "$(books bt0 refused)" is "$TRIES"
send r:0:8
check "control: one that may wait is served" "$(ended 4096)" is 1

kill "$readers"
wait "$readers"
check "the readers end" "$?" is 0
check "without an error" "$(figure "$TMP/figures" errors)" is 0
check "nothing is left in the books" "$(open_books bt0)" is none
ktap_finished
