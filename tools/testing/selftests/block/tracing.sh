#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: what blktrace sees under fairway adds up (case 29). Each request that was
# inserted goes to the disk once, whole, alone or as a part of one that it merged with,
# and what went to the disk completes once. And each goes there within its bound: at
# most pass_requests later ones before it, as read from the trace.
#
# Control: of a trace without one of its lines, whichever kind, the sums do not add up;
# without pass_requests more pass.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

TRACING=/sys/kernel/tracing

# trace COMMAND...: what the disk did meanwhile, in $TMP/trace: ACTION SECTOR SECTORS
trace()
{
	write $TRACING/trace ""
	write /sys/block/bt0/trace/enable 1
	"$@" >"$TMP/load" 2>&1 || give_up "$* failed: $(head -n 1 "$TMP/load")"
	wait_for 10 is_quiet bt0
	write /sys/block/bt0/trace/enable 0
	# fio-100 [000] ..... 1.234567: 252,0 I W 2048 + 8 [fio]
	awk '{
		for (i = 1; i <= NF; i++)
			if ($i == "+" && $(i - 3) ~ /^[A-Z]$/)
				print $(i - 3), $(i - 1), $(i + 1)
	}' $TRACING/trace >"$TMP/trace"
	echo "# $(cut -d ' ' -f 1 "$TMP/trace" | sort | uniq -c | paste -sd ' ' | tr -s ' ')"
}

# unbalanced FILE: what in the trace does not add up, or "nothing". By sector: how
# often it was asked for, inserted, sent to the disk, and completed. All I/O here is
# to sectors of its own.
unbalanced()
{
	awk '
		{
			for (i = 0; i < $3; i += 8) {
				count[$1, $2 + i]++
				seen[$2 + i] = 1
			}
			requests[$1]++
		}
		# A merge takes a request that was inserted, or its bio was none yet.
		END {
			for (sector in seen) {
				sectors++
				if (count["Q", sector] != 1 || count["D", sector] != 1 ||
				    count["C", sector] != 1 || count["I", sector] > 1 ||
				    count["I", sector] + count["M", sector] + count["F", sector] < 1)
					wrong++
			}
			if (requests["D"] != requests["C"])
				wrong++
			if (wrong)
				print wrong " of " sectors
			else
				print sectors ? "nothing" : "no trace"
		}' "$1"
}

# without ACTION: the trace without the last of its lines with it
without()
{
	tac "$TMP/trace" | awk -v action="$1" '$1 == action && !done { done = 1; next } { print }' |
		tac >"$TMP/cut"
	unbalanced "$TMP/cut"
}

# passed: of all that were inserted, the most that were later and went first
passed()
{
	awk '
		$1 == "I" {
			came[$2] = ++number
		}
		$1 == "D" && $2 in came {
			for (sector in came)
				if (came[sector] < came[$2] && ++passed[sector] > most)
					most = passed[sector]
			delete came[$2]
		}
		END { print most + 0 }' "$TMP/trace"
}

# apart: reads upward, and one below that they all could pass
apart()
{
	local i list=(r:900000:8 r:1500000:8 r:800:8)

	for ((i = 1; i <= 24; i++)); do
		list+=("r:$((1500000 + i * 1000)):8")
	done
	"$HERE/submit" /dev/bt0 "${list[@]}"
}

need root null_blk fio fairway books
if [ ! -w $TRACING/current_tracer ]; then
	skip_all "no $TRACING: FTRACE is off, or tracefs not mounted"
fi
grep -qw blk $TRACING/available_tracers || skip_all "no blktrace in this kernel"
plan 10
null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=1
set_scheduler bt0 fairway
set_queue bt0 nr_requests 64
write $TRACING/current_tracer blk || give_up "the tracer blk is refused"
trap 'write $TRACING/current_tracer nop; undo' EXIT

# 16 adjacent writes of 4 KiB in one system call are plugged.
trace fio --name=plugged --filename=/dev/bt0 --direct=1 --ioengine=libaio --rw=write --bs=4k \
	--size=2m --iodepth=32 --iodepth_batch=16 --iodepth_low=1 --numjobs=2 --thread \
	--offset_increment=64m
check "plugged writes: each is inserted, sent and completed once" "$(unbalanced "$TMP/trace")" is nothing
check "some merged" "$(grep -c '^[MF]' "$TMP/trace")" ge 1
for action in I D C; do
	check "control: without a line with $action it does not add up" \
		"$(without "$action" | grep -c ' of ')" is 1
done
trace fio --name=single --filename=/dev/bt0 --direct=1 --ioengine=libaio --rw=randread --bs=4k \
	--size=64m --io_size=1m --iodepth=32
check "single reads: so are they" "$(unbalanced "$TMP/trace")" is nothing
check "the books agree" "$(open_books bt0)" is none

set_queue bt0 rotational 1
for bound in 4 0; do
	set_queue bt0 iosched/pass_requests "$bound"
	set_queue bt0 iosched/pass_sectors 0
	trace apart
	echo "# pass_requests $bound: $(passed) passed"
	if [ "$bound" -gt 0 ]; then
		check "no request is passed by more than pass_requests" "$(passed)" le "$bound"
		check "but by that many" "$(passed)" ge "$bound"
	else
		check "control: without a bound by more" "$(passed)" gt 4
	fi
done
ktap_finished
