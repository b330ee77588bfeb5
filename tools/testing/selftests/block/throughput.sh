#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: what fairway decides costs the disk nothing.
#
# - Two processes that read by turns, each when the other is through, on a disk where
#   seeks cost nothing (case 14): at most 1.2 x as long as under none.
# - Readers with one request each, and with 16 each, on a disk that serves 64 at a
#   time (case 15): 95 % of what none does, also where it says that it seeks, as a disk
#   array does.
# - Large writes that were split (case 13): pieces that continue one another go to the
#   disk one behind the other no less often than under none, and waiters are woken in
#   batches, or the pieces of one write would be torn apart.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

TRACING=/sys/kernel/tracing

relay_us()
{
	set_scheduler bt0 "$1"
	"$HERE/relay" 2000 /dev/bt0 >"$TMP/relay" || give_up "relay failed"
	figure "$TMP/relay" took_us
}

# rate SCHEDULER ROTATIONAL DEPTH: I/Os of 8 readers in two seconds, after one
rate()
{
	local before

	set_scheduler bt0 "$1"
	set_queue bt0 rotational "$2"
	start_fio bt0 --rw=randread --bs=4k --iodepth="$3" --numjobs=8
	pause 1
	before=$(ios bt0)
	pause 2
	rate=$(($(ios bt0) - before))
	echo "# $1, rotational $2, depth $3: $rate I/Os"
	stop_fio
}

# pieces SCHEDULER ROTATIONAL: of 1000 requests that went to the disk, how many began where the
# one before them ended
pieces()
{
	set_scheduler bt0 "$1"
	set_queue bt0 rotational "$2"
	# none has the disk's own tags.
	[ "$1" = none ] || set_queue bt0 nr_requests 64
	start_fio bt0 --rw=randwrite --bs=1m --iodepth=1 --numjobs=24
	write $TRACING/trace ""
	write $TRACING/events/block/block_rq_issue/enable 1
	pause 2
	write $TRACING/events/block/block_rq_issue/enable 0
	stop_fio
	# ... block_rq_issue: 252,0 WS 131072 () 2048 + 256 be,0,4 [fio]
	sequential=$(awk '/block_rq_issue:/ {
			for (i = 1; i <= NF; i++)
				if ($i == "+")
					break
			count++
			sequential += $(i - 1) == end
			end = $(i - 1) + $(i + 1)
		}
		END { print count ? int(1000 * sequential / count) : "" }' $TRACING/trace)
	echo "# $1, rotational $2: $sequential of 1000 requests go on where the last ended"
}

need root null_blk fio fairway books
[ -w $TRACING/events/block/block_rq_issue/enable ] ||
	skip_all "no block events in $TRACING: FTRACE is off, or tracefs not mounted"
plan 10

null_disk bt0 irqmode=2 completion_nsec=100000 hw_queue_depth=1
set_queue bt0 rotational 0
none_us=$(relay_us none)
check "two that read by turns take 1.2 x none's time" "$(relay_us fairway)" \
	le $((none_us * 120 / 100))
remove_disk bt0

null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=64
for rotational in 0 1; do
	for depth in 1 16; do
		rate none 0 "$depth"
		limit=$((rate * 95 / 100))
		rate fairway "$rotational" "$depth"
		check "rotational $rotational, 8 readers with $depth each: 95 % of none" \
			"$rate" ge "$limit"
	done
done
remove_disk bt0

null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=4 max_sectors=256
pieces none 0
none=$sequential
for rotational in 0 1; do
	pieces fairway "$rotational"
	check "rotational $rotational: pieces of large writes stay together as under none" \
		"$sequential" ge "$none"
	check "rotational $rotational: of 20 more than one" "$sequential" ge 50
done
check "waiters are woken in batches" \
	"$(sed -n '/^bitmap_tags:/,/^breserved_tags:/s/^wake_batch=//p' \
		$DEBUG/bt0/hctx0/sched_tags)" gt 1
ktap_finished
