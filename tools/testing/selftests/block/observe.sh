#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: what fairway tells of itself is what happened. The watch counts each
# request once and sees the longest wait that the readers saw, within its bound;
# each trace event comes as often as what it tells of, with its fields, and stops
# when it is switched off; a knob that is written shows, in blktrace too. A watch
# that is off shows nothing.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

TRACING=/sys/kernel/tracing
EVENTS=$TRACING/events/fairway
SCHED=$DEBUG/bt0/sched
READERS=16

# waits NAME COLUMN: of a line of the watch: number mean_us longest_us bound_us
# permille violations.
waits()
{
	awk -v name="$1" -v column="$2" '$1 == name { print $(column + 1) }' "$SCHED/watch"
}

# flows COLUMN: the sum over all flows, ended ones too.
flows()
{
	awk -v column="$1" '!/^#/ { sum += $column } END { print sum + 0 }' "$SCHED/flows"
}

longest_us()
{
	awk '!/^#/ && $NF > most { most = $NF } END { print most + 0 }' "$SCHED/flows"
}

# slots COLUMN: the sum of a column of the histogram.
slots()
{
	awk -v column="$1" '!/^#/ { sum += $column } END { print sum + 0 }' "$SCHED/histogram"
}

run_readers()
{
	"$HERE/readers" -n "$READERS" -m 20 -t 60 /dev/bt0 >"$TMP/figures" ||
		give_up "the readers failed"
	sed 's/^/#   /' "$TMP/figures"
}

event()
{
	write "$EVENTS/fairway_$1/enable" "$2" || give_up "cannot switch the event $1"
}

forget()
{
	write "$TRACING/trace" ""
}

# traced EVENT [PATTERN]: how many of them are in the trace, as PATTERN says.
traced()
{
	grep -cE "fairway_$1: [0-9]+,[0-9]+ ${2:-}" "$TRACING/trace"
}

# The messages come with the block tracer only.
messages()
{
	write "$TRACING/current_tracer" blk
	write /sys/block/bt0/trace/enable 1
	write /sys/block/bt0/queue/iosched/antic_us 7000
	"$HERE/submit" /dev/bt0 r:0:8 r:80000:8 >"$TMP/order"
	write /sys/block/bt0/trace/enable 0
	cp "$TRACING/trace" "$TMP/messages"
	write "$TRACING/current_tracer" nop
}

need root null_blk fairway books
[ -d "$EVENTS" ] || skip_all "no $EVENTS: FTRACE is off, or tracefs not mounted"
plan 30

null_disk bt0 irqmode=2 completion_nsec=4000000 hw_queue_depth=1
set_scheduler bt0 fairway
set_queue bt0 nr_requests 4

check "the watch is off" "$(cat "$SCHED/watch")" is "watched 0"
run_readers
check "and sees nothing" "$(flows 8)" is 0

write "$SCHED/watch" yes
check "it is switched on" "$(figure "$SCHED/watch" watched)" is 1
write "$SCHED/watch" maybe
check "what is neither on nor off is refused" "$?" is 1
run_readers
reads=$(figure "$TMP/figures" reads)
longest=$(figure "$TMP/figures" lat_max_us)
check "each read is counted once as dispatched" "$(waits order_read 1)" is "$reads"
check "and once as completed" "$(waits device_read 1)" is "$reads"
check "in the histogram too" "$(slots 3)" is "$reads"
check "and in the flows" "$(flows 8)" is "$reads"
check "their sectors are those of the reads" "$(flows 9)" is $((reads * 128))
check "nothing was written" "$(flows 10)" is 0
check "some stood in line" "$(waits line 1)" gt 0
check "the longest wait is not more than a reader saw" "$(longest_us)" le "$longest"
check "and not much less" "$(longest_us)" ge $((longest * 95 / 100))
check "nobody in line waited beyond the bound" "$(waits line 6)" is 0
check "nor in the order" "$(waits order_read 6)" is 0
check "the bound in line says something" "$(waits line 5)" ge 500

set_queue bt0 nr_requests 64
set_queue bt0 rotational 1
write "$SCHED/watch" 1
check "switched on again it begins anew" "$(flows 8)" is 0
run_readers
check "turns are seen" "$(waits turn_read 1)" gt 0
check "none comes later than its bound" "$(waits turn_read 6)" is 0
write "$SCHED/watch" 0
check "off again it shows nothing" "$(cat "$SCHED/watch" "$SCHED/flows" "$SCHED/histogram")" \
	is "watched 0"

set_queue bt0 rotational 0
forget
event dispatch 1
event "done" 1
"$HERE/submit" /dev/bt0 r:1000:8 r:2000:16 w:3000:8 r:2016:16 >"$TMP/order" ||
	give_up "submit failed"
event dispatch 0
event "done" 0
dispatched="pid=[1-9][0-9]* class=(read|write|async) sector=[0-9]+ sectors=[0-9]+"
dispatched+=" queue=own reason=fair turn=[0-9]+ wait_ns=[0-9]+$"
# The last merges into the second, or comes too late to.
check "dispatches are traced, with all fields" "$(traced dispatch "$dispatched")" ge 3
check "as many as the trace has of them" "$(traced dispatch)" is "$(traced dispatch "$dispatched")"
check "and as many completions" \
	"$(traced "done" 'pid=[1-9][0-9]* .* device_ns=[0-9]{7,} took_ns=[0-9]{7,}$')" \
	is "$(traced dispatch)"
check "a write is one" "$(traced dispatch 'pid=[0-9]+ class=write sector=3000 sectors=8 ')" is 1

set_queue bt0 nr_requests 4
forget
event refuse 1
run_readers
event refuse 0
check "who stood in line is traced" "$(traced refuse 'pid=[0-9]+ waited wait_ns=[1-9][0-9]* ')" \
	gt 0

forget
event adjust 1
write /sys/block/bt0/queue/iosched/round_ms 100
write /sys/block/bt0/queue/iosched/round_ms 0
event adjust 0
write /sys/block/bt0/queue/iosched/round_ms 200
check "a knob that is written is traced" "$(traced adjust 'what=round_ms was=220 is=100$')" is 1
check "one that is refused is not, nor one after the event is off" "$(traced adjust)" is 1

if [ -w /sys/block/bt0/trace/enable ]; then
	set_queue bt0 rotational 1
	messages
	check "blktrace is told of a knob" "$(grep -c 'fairway antic_us 8000 -> 7000' "$TMP/messages")" \
		is 1
	check "and of turns" "$(grep -cE 'fairway turn [0-9]+ own pid [1-9]' "$TMP/messages")" gt 0
else
	ktap_test_skip "no blktrace in this kernel"
	ktap_test_skip "no blktrace in this kernel"
fi
check "the books balance" "$(open_books bt0)" is none
ktap_finished
