#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: who writes little and waits for it does not wait for what others have written
# to memory (case 3): on ext4 without a journal, on a disk of 8 MB/s, beside a buffered
# writer without end, every 40 ms 64 KiB are written, synced and read back from the
# disk. No round takes longer than 250 ms or 1.5 x the longest on the idle disk, and
# the writer keeps 70 % of its rate.
#
# It does not hold yet, so that the runner does not run it: most of a round is the
# sync, which waits for pages that the flusher has sent already, behind all the rest of
# the writeback.
#
# Control: under none, with the same writer, rounds take longer.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

ROUNDS=20
BYTES=65536

undo_mount()
{
	end_jobs
	umount "$TMP/mnt" 2>/dev/null
	write /proc/sys/vm/dirty_bytes "$dirty_bytes"
	[ "$dirty_bytes" != 0 ] || write /proc/sys/vm/dirty_ratio "$dirty_ratio"
	undo
}

flood()
{
	while :; do
		dd if=/dev/zero of="$TMP/mnt/flood" bs=1M count=96 conv=notrunc 2>/dev/null || exit 1
	done
}

# little: the longest of some rounds, in $longest_us
little()
{
	local i

	longest_us=0
	for ((i = 0; i < ROUNDS; i++)); do
		pause 0.04
		timed round "$i"
		[ "$took_us" -le "$longest_us" ] || longest_us=$took_us
	done
}

round()
{
	dd if=/dev/zero of="$TMP/mnt/little" bs=$BYTES count=1 seek="$1" conv=notrunc,fdatasync \
		2>/dev/null &&
	dd if="$TMP/mnt/cold" of=/dev/null bs=$BYTES count=1 skip="$1" iflag=direct 2>/dev/null
}

written()
{
	awk '{ print $7 }' /sys/block/bt0/stat
}

# beside SCHEDULER: rounds beside the writer, and its rate then in $permille
beside()
{
	local before start alone

	set_scheduler bt0 "$1"
	flood &
	flood=$!
	pause 3
	before=$(written) start=$(now_us)
	pause 3
	alone=$((($(written) - before) * 1000 / (($(now_us) - start) / 1000)))
	before=$(written) start=$(now_us)
	little
	permille=$(((($(written) - before) * 1000 / (($(now_us) - start) / 1000)) * 1000 / alone))
	kill "$flood"
	wait "$flood" 2>/dev/null
	echo "# $1: longest round $longest_us us, writes go on at $permille of 1000"
	sync
}

need root null_blk fairway
command -v mkfs.ext4 >/dev/null || skip_all "mkfs.ext4 is not installed"
null_disk bt0 memory_backed=1 size=192 mbps=8 hw_queue_depth=64
mkfs.ext4 -q -O ^has_journal -E lazy_itable_init=0 /dev/bt0 || give_up "mkfs.ext4 failed"
mkdir "$TMP/mnt"
dirty_bytes=$(cat /proc/sys/vm/dirty_bytes)
dirty_ratio=$(cat /proc/sys/vm/dirty_ratio)
trap undo_mount EXIT
mount -t ext4 /dev/bt0 "$TMP/mnt" || skip_all "this kernel has no ext4"
plan 3
write /proc/sys/vm/dirty_bytes $((16 << 20))
dd if=/dev/zero of="$TMP/mnt/cold" bs=1M count=4 conv=fsync 2>/dev/null
dd if=/dev/zero of="$TMP/mnt/little" bs=1M count=4 conv=fsync 2>/dev/null
set_scheduler bt0 none
little
echo "# on the idle disk: longest round $longest_us us"
bound_us=$((longest_us * 3 / 2 > 250000 ? longest_us * 3 / 2 : 250000))
beside fairway
check "no round takes longer than $bound_us us" "$longest_us" le "$bound_us"
check "the writer keeps 70 % of its rate" "$permille" ge 700
beside none
check "control: under none a round takes longer" "$longest_us" gt "$bound_us"
ktap_finished
