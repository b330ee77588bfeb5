#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's side of the check of flushes: blocks and files that are synced, one by
# one, with a mark in the log of dm-log-writes as soon as the sync has returned. The
# logs go to /out; the host replays them. Prints TAP.
#
# Where the log is:
#
#	below	load - loop device with fairway - dm-log-writes - null_blk with fairway:
#		the log has the order in which fairway gave writes and flushes out
#	above	load - dm-log-writes - null_blk with fairway: what fairway said was done
#
# shellcheck source=../../testing/selftests/block/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=common.sh
. "$HERE/common.sh"

WRITERS=4
BLOCK=4096
# Of the disk, in MB: e2fsck goes through it many times.
SIZE=16

# logged NAME WHERE: /dev/mapper/NAME, a logged disk; $disk is what the load gets.
logged()
{
	null_disk btdata size="$SIZE" memory_backed=1 fua=1 cache_size=0 hw_queue_depth=4 \
		irqmode=2 completion_nsec=500000
	null_disk btlog size=256 memory_backed=1
	set_scheduler btdata fairway
	dmsetup create "$1" --table \
		"0 $((SIZE * 2048)) log-writes /dev/btdata /dev/btlog" || give_up "no dm-log-writes"
	disk=/dev/mapper/$1 switched=btdata
	if [ "$2" = below ]; then
		switched=loop0
		[ -b /dev/loop0 ] || losetup -f >/dev/null
		losetup /dev/loop0 "$disk" || give_up "no loop device"
		# LOOP_SET_DIRECT_IO: its writes must not wait in the page cache.
		perl -e 'ioctl(STDIN, 0x4C08, 1) or die "$!\n"' </dev/loop0 ||
			give_up "the loop device has no direct I/O"
		disk=/dev/loop0
		set_scheduler loop0 fairway
		set_queue loop0 nr_requests 8
	fi
}

# save_log NAME WHERE
save_log()
{
	[ "$2" = above ] || losetup -d /dev/loop0 || give_up "the loop device is busy"
	# The device may be held a moment longer by who looked at it.
	wait_for 10 dmsetup remove "$1" || give_up "$1 is busy"
	dd if=/dev/btlog bs=1M of="/out/$1.log" count="$3" 2>/dev/null
	remove_disk btlog
	remove_disk btdata
}

mark()
{
	dmsetup message "$1" 0 mark "$2" || give_up "no mark"
}

# As the host has it too.
content()
{
	printf "%-$((BLOCK - 1))s\n" "writer $1 block $2"
}

# A writer of blocks. Those of one writer are apart, so that they do not merge.
write_blocks()
{
	local number=0

	while [ "$number" -lt "$blocks" ]; do
		content "$2" "$number" >"$TMP/block$2"
		dd if="$TMP/block$2" of="$disk" bs="$BLOCK" seek=$((number * WRITERS + $2)) \
			oflag=direct conv=notrunc,fsync 2>/dev/null || exit 1
		mark "$1" "synced-$2-$number"
		number=$((number + 1))
	done
}

# A writer of a file.
append_blocks()
{
	local number=0

	while [ "$number" -lt "$blocks" ]; do
		content "$2" "$number" >"$TMP/block$2"
		dd if="$TMP/block$2" of="/run/logged/file$2" bs="$BLOCK" oflag=append \
			conv=notrunc,fsync 2>/dev/null || exit 1
		mark "$1" "synced-$2-$number"
		number=$((number + 1))
	done
}

# all_write WHAT NAME: all writers, beside readers and with switches.
all_write()
{
	local writer pids=() failed=0

	"$HERE/readers" -n 8 -b 4096 -t 3600 "$disk" >"$TMP/figures" &
	readers=$!
	start_switching "$switched" 0.3
	for ((writer = 0; writer < WRITERS; writer++)); do
		"$1" "$2" "$writer" &
		pids+=($!)
	done
	for writer in "${pids[@]}"; do
		wait "$writer" || failed=$((failed + 1))
	done
	stop_switching "$switched" "$2"
	kill "$readers"
	wait "$readers" || give_up "the readers failed"
	check "$2: every writer got to its end" "$failed" is 0
}

blocks=${1:?}
# There is no udev here: dmsetup has to make the nodes.
export DM_DISABLE_UDEV=1
need root null_blk books fairway
modprobe dm-log-writes
plan 6
logged raw-below below
all_write write_blocks raw-below
save_log raw-below below 64
mkdir -p /run/logged
for where in below above; do
	logged "ext4-$where" "$where"
	mkfs.ext4 -q -E nodiscard -b 1024 -J size=1 "$disk" || give_up "mkfs.ext4 fails"
	sync
	mount -t ext4 "$disk" /run/logged || give_up "mount fails"
	sync
	mark "ext4-$where" mounted
	all_write append_blocks "ext4-$where"
	umount /run/logged || give_up "the file system is busy"
	save_log "ext4-$where" "$where" 128
done
ktap_finished
