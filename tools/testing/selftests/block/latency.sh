#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: under fairway who wants little waits for what the disk is doing, not for
# what others want.
#
# - A reader that asks now and then, beside 32 writers that ask for more than the
#   disk and the pool hold (case 1): for what is in the disk. In a pool of 16, which
#   is not enough for one request of each, for a round of those who wait as well.
# - A reader of the disk's first sector, beside a stream that goes upward on a disk
#   that seeks (case 8): for the least of a turn, and what is in the disk.
# - A reader alone on a disk that stops and starts its queue as it runs out of its
#   rate (case 20): never for a second. FAIRWAY_LONG=yes looks for ten minutes.
#
# Controls: under mq-deadline and kyber the first waits for a tag behind the writers;
# under mq-deadline the second until it expires, after 500 ms.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

DEPTH=4
NR=16

# probe SECONDS [OPTION...]: one reader of 4 KiB, figures in $TMP/probe.
probe()
{
	"$HERE/readers" -n 1 -b 4096 -t "$@" >"$TMP/probe" || give_up "the reader failed"
	sed 's/^/#   /' "$TMP/probe"
}

longest_us()
{
	figure "$TMP/probe" lat_max_us
}

# beside_writers SCHEDULER [NR_REQUESTS]
beside_writers()
{
	set_scheduler bt0 "$1"
	[ -z "${2:-}" ] || set_queue bt0 nr_requests "$2"
	# mq-deadline's own protection is off, as with its default nr_requests.
	[ "$1" != mq-deadline ] || set_queue bt0 iosched/async_depth "$2"
	start_fio bt0 --rw=randwrite --bs=4k --iodepth=4 --numjobs=32
	probe 4 -T 20000 /dev/bt0
	stop_fio
}

# beside_stream SCHEDULER DIRECTION: the longest of some reads of sector 0.
beside_stream()
{
	local i took_us

	longest=0
	set_scheduler bt0 "$1"
	set_queue bt0 nr_requests 64
	start_fio bt0 --rw="$2" --bs=64k --iodepth=32 --offset=1m
	for ((i = 0; i < 4; i++)); do
		pause 0.7
		"$HERE/submit" /dev/bt0 r:0:8 >"$TMP/order" || give_up "submit failed"
		read -r _ took_us _ <"$TMP/order"
		[ "$took_us" -le "$longest" ] || longest=$took_us
	done
	echo "# $1 beside $2: $longest us"
	stop_fio
}

need root null_blk fio fairway
plan 8

null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=$DEPTH
set_scheduler bt0 none
service=$(service_us bt0 4096)
beside_writers fairway 256
# What was in the disk, one that came before it, and its own.
check "a reader beside writers waits for what is in the disk" "$(longest_us)" \
	le $((3 * service * 105 / 100))
bound_us=$(((DEPTH + NR) * service))
beside_writers fairway $NR
check "with a pool of $NR for no more than the disk and the pool hold" "$(longest_us)" \
	le "$bound_us"
for peer in mq-deadline kyber; do
	if has_scheduler "$peer"; then
		beside_writers "$peer" $NR
		check "control: under $peer for longer" "$(longest_us)" gt "$bound_us"
	else
		ktap_test_skip "no $peer in this kernel"
	fi
done
remove_disk bt0

null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=1
set_queue bt0 rotational 1
# The least of a turn; one in the disk, one at its driver, and its own.
set_scheduler bt0 fairway
bound_us=$(($(cat /sys/block/bt0/queue/iosched/turn_min_ms) * 1000 + 3 * service * 105 / 100))
for direction in write read; do
	beside_stream fairway "$direction"
	check "behind a stream that does $direction a reader waits for the least of a turn" \
		"$longest" le "$bound_us"
done
if has_scheduler mq-deadline; then
	beside_stream mq-deadline read
	check "control: under mq-deadline until it expires" "$longest" gt "$bound_us"
else
	ktap_test_skip "no mq-deadline in this kernel"
fi
remove_disk bt0

null_disk bt0 mbps=8 hw_queue_depth=64
set_scheduler bt0 fairway
seconds=5
[ -z "${FAIRWAY_LONG:-}" ] || seconds=600
probe "$seconds" /dev/bt0
check "alone on a disk that stops its queue none waits for a second" "$(longest_us)" le 1000000
ktap_finished
