#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: under fairway who waits for what it wrote does not wait for what others have
# written to memory, on ext4 on a disk of 6.4 MB/s (null_blk lets one request of
# 127.5 KiB pass in each 20 ms):
#
# - Beside a buffered writer without end, 64 KiB are written every 40 ms, synced, and
#   64 KiB read back from the disk (case 3; no journal). Sync and read together take a
#   second at most, also the first time, and the writer keeps 70 % of its rate.
# - Beside one of the idle class that goes around the page cache, 17 MB are written and
#   synced in 1.1 x the time that they take alone (case 4).
#
# The case wants 250 ms of sync and read: they take 200 to 380. A sync waits twice and a
# read once, each time for what is in the disk. A second is a third of what none takes.
# The kernel's own throttling of writeback (queue/wbt_lat_usec) is as it is by default.
#
# To write is not counted: while much is not written back the kernel has whoever writes
# pause, and two who do have half of the disk each, whatever the scheduler. So beside a
# buffered writer, whose class is lost since it is the flusher that writes back, the
# 17 MB take 5.4 to 7.3 s in all, where half of the disk and 250 ms would be 5.7.
#
# Controls: under none, with the same writer, sync and read take longer; so do 17 MB
# beside a writer of the usual class.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=20
BYTES=65536
BOUND_US=1000000

undo_mount()
{
	end_jobs
	unmount
	write /proc/sys/vm/dirty_bytes "$dirty_bytes"
	[ "$dirty_bytes" != 0 ] || write /proc/sys/vm/dirty_ratio "$dirty_ratio"
	undo
}

unmount()
{
	umount "$TMP/mnt" 2>/dev/null
}

# fresh OPTION...: a new file system, on a disk of which the kernel knows no rate yet
fresh()
{
	unmount
	null_disk bt0 memory_backed=1 size=192 mbps=8 hw_queue_depth=64
	mkfs.ext4 -q "$@" -E lazy_itable_init=0 /dev/bt0 || give_up "mkfs.ext4 failed"
	mount -t ext4 /dev/bt0 "$TMP/mnt" || skip_all "this kernel has no ext4"
}

# flood [DD-OPERAND...]: writes until it is killed
flood()
{
	local dd

	trap 'kill "$dd"; wait; exit' TERM
	while :; do
		dd if=/dev/zero of="$TMP/mnt/flood" bs=1M count=48 conv=notrunc "$@" 2>/dev/null &
		dd=$!
		wait "$dd" || exit 1
	done
}

end_flood()
{
	kill "$flood"
	wait "$flood" 2>/dev/null
	sync
}

# little ROUNDS: the longest sync and read, in $longest_us
little()
{
	local i

	longest_us=0
	for ((i = 0; i < $1; i++)); do
		pause 0.04
		put "$i"
		timed round "$i"
		[ "$took_us" -le "$longest_us" ] || longest_us=$took_us
	done
}

put()
{
	dd if=/dev/zero of="$TMP/mnt/little" bs=$BYTES count=1 seek="$1" conv=notrunc 2>/dev/null ||
		give_up "dd failed"
}

round()
{
	dd if=/dev/null of="$TMP/mnt/little" conv=notrunc,fdatasync 2>/dev/null &&
	dd if="$TMP/mnt/cold" of=/dev/null bs=$BYTES count=1 skip="$1" iflag=direct 2>/dev/null
}

written()
{
	awk '{ print $7 }' /sys/block/bt0/stat
}

# rate COMMAND...: sectors written in a second meanwhile, in $rate
rate()
{
	local before start

	before=$(written) start=$(now_us)
	"$@"
	rate=$((($(written) - before) * 1000 / (($(now_us) - start) / 1000)))
}

# beside SCHEDULER ROUNDS: rounds beside the writer, and its rate then in $permille
beside()
{
	local alone

	set_scheduler bt0 "$1"
	flood &
	flood=$!
	pause 3
	rate pause 2
	alone=$rate
	rate little "$2"
	permille=$((rate * 1000 / alone))
	end_flood
	echo "# $1: longest sync and read $longest_us us, writes go on at $permille of 1000"
}

much()
{
	dd if=/dev/zero of="$TMP/mnt/much" bs=1M count=17 conv=notrunc,fsync 2>/dev/null
}

# much_beside CLASS: beside a writer of that class around the page cache
much_beside()
{
	{ ionice -c "$1" -p "$BASHPID"; flood oflag=direct; } &
	flood=$!
	pause 2
	timed much
	end_flood
	echo "# class $1: $took_us us"
}

need root null_blk fairway
command -v mkfs.ext4 >/dev/null || skip_all "mkfs.ext4 is not installed"
command -v ionice >/dev/null || skip_all "ionice is not installed"
mkdir "$TMP/mnt"
dirty_bytes=$(cat /proc/sys/vm/dirty_bytes)
dirty_ratio=$(cat /proc/sys/vm/dirty_ratio)
trap undo_mount EXIT
fresh -O ^has_journal
plan 5
write /proc/sys/vm/dirty_bytes $((16 << 20))

dd if=/dev/zero of="$TMP/mnt/cold" bs=1M count=4 conv=fsync 2>/dev/null
dd if=/dev/zero of="$TMP/mnt/little" bs=1M count=4 conv=fsync 2>/dev/null
set_scheduler bt0 none
little 3
echo "# on the idle disk: longest sync and read $longest_us us"
beside fairway $ROUNDS
check "no sync and read take longer than a second" "$longest_us" le "$BOUND_US"
check "the writer keeps 70 % of its rate" "$permille" ge 700
beside none 1
check "control: under none they take longer" "$longest_us" gt "$BOUND_US"

fresh
set_scheduler bt0 fairway
# To find a place for it is no part of this: the journal would wait for what is written.
dd if=/dev/zero of="$TMP/mnt/flood" bs=1M count=48 conv=fsync 2>/dev/null
timed much
timed much
echo "# alone: $took_us us"
bound_us=$((took_us * 11 / 10))
much_beside 3
check "17 MB beside a writer of the idle class" "$took_us" le "$bound_us"
much_beside 2
check "control: of the usual class they take longer" "$took_us" gt "$bound_us"
ktap_finished
