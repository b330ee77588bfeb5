#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: under fairway ionice sets shares: levels 0 and 7 of best effort have 8 : 1,
# as their weights are, and the idle class next to nothing but not nothing. The same
# holds through a device mapper target (case 9). A light reader does not feel an
# idle-class one that reads without a pause, which moves all the same (case 10).
#
# Controls: readers of one priority share alike; mq-deadline knows no levels; under
# none the light reader feels the other.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# Of each, so that both always want more than the disk does.
READERS=16

undo_mapped()
{
	end_jobs
	dmsetup remove bt-dm 2>/dev/null
	undo
}

# share DISK CLASS LEVEL CLASS LEVEL: reads of the first per 100 of the second. The
# idle class has one request in 5 s.
share()
{
	local first second seconds=3

	[ "$4" != 3 ] || seconds=6

	ionice -c "$2" -n "$3" "$HERE/readers" -n "$READERS" -b 4096 -t 600 "$1" >"$TMP/first" &
	first=$!
	ionice -c "$4" -n "$5" "$HERE/readers" -n "$READERS" -b 4096 -t 600 "$1" >"$TMP/second" &
	second=$!
	pause "$seconds"
	kill "$first" "$second"
	wait "$first" || give_up "the first readers failed"
	wait "$second" || give_up "the second readers failed"
	first=$(figure "$TMP/first" reads)
	second=$(figure "$TMP/second" reads)
	percent=$((first * 100 / (second ? second : 1)))
	echo "# $1, $(scheduler bt0), class $2 level $3 and class $4 level $5:" \
		"$first and $second reads"
}

# within CLAIM GOT WANTED PERCENT
within()
{
	check "$1, at least" "$2" ge $(($3 * (100 - $4) / 100))
	check "$1, at most" "$2" le $(($3 * (100 + $4) / 100))
}

# mean_us SECONDS: of a reader that thinks for 33 ms
mean_us()
{
	"$HERE/readers" -n 1 -b 4096 -T 33000 -t "$1" /dev/bt0 >"$TMP/light" || give_up "readers failed"
	figure "$TMP/light" lat_mean_us
}

# beside CLASS SECONDS: the light reader's mean beside one that reads without a pause
beside()
{
	local other

	ionice -c "$1" "$HERE/readers" -n 1 -b 4096 -t 600 /dev/bt0 >"$TMP/other" &
	other=$!
	mean=$(mean_us "$2")
	kill "$other"
	wait "$other" || give_up "the other reader failed"
	echo "# $(scheduler bt0), class $1: mean $mean us, the other $(figure "$TMP/other" reads) reads"
}

need root null_blk fairway
command -v ionice >/dev/null || skip_all "ionice is not installed"
plan 14
trap undo_mapped EXIT

null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=4
set_scheduler bt0 fairway
set_queue bt0 nr_requests 256
share /dev/bt0 2 4 2 4
within "control: readers of one priority share alike" "$percent" 100 5
share /dev/bt0 2 0 2 7
within "level 0 has eight times of level 7" "$percent" 800 10
bare=$percent
share /dev/bt0 2 0 3 7
check "the idle class has next to nothing" "$(figure "$TMP/second" reads)" \
	le $(($(figure "$TMP/first" reads) / 100))
check "but not nothing" "$(figure "$TMP/second" reads)" ge 1

modprobe -q dm-mod
if command -v dmsetup >/dev/null && dmsetup create bt-dm \
		--table "0 $(cat /sys/block/bt0/size) linear /dev/bt0 0" 2>/dev/null; then
	mapped=/dev/$(dmsetup info -c --noheadings -o blkdevname bt-dm)
	share "$mapped" 2 0 2 7
	within "it is so through device mapper" "$percent" "$bare" 10
	share "$mapped" 2 0 3 7
	check "so is the idle class" "$(figure "$TMP/second" reads)" \
		le $(($(figure "$TMP/first" reads) / 100))
	dmsetup remove bt-dm
else
	for _ in 1 2 3; do
		ktap_test_skip "no device mapper, or dmsetup is not installed"
	done
fi
if has_scheduler mq-deadline; then
	set_scheduler bt0 mq-deadline
	share /dev/bt0 2 0 2 7
	check "control: mq-deadline knows no levels" "$percent" le 200
else
	ktap_test_skip "no mq-deadline in this kernel"
fi
remove_disk bt0

null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=1
set_scheduler bt0 fairway
alone=$(mean_us 3)
echo "# alone: mean $alone us"
beside 3 11
check "a light reader does not feel one of the idle class" "$mean" le $((alone * 130 / 100))
check "which moves" "$(figure "$TMP/other" reads)" ge 2
beside 2 3
check "control: it feels one of its own class" "$mean" gt $((alone * 130 / 100))
set_scheduler bt0 none
beside 3 3
check "control: and under none one of the idle class" "$mean" gt $((alone * 130 / 100))
ktap_finished
