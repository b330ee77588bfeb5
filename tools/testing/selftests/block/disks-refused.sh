#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: disks.sh uses a disk of FAIRWAY_DISKS only if nobody holds it and nothing is
# on it. Otherwise it says which and why, and touches none, also none of the others
# that are named. What it uses gets its scheduler and settings back, also when the
# test is killed.
#
# Control: a blank disk that nobody holds is used.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-disks.sh
. "$HERE/lib-disks.sh"

# What of this was under way; the rest fails.
undo_stack()
{
	end_jobs
	{
		umount "$TMP/mnt"
		swapoff /dev/bt0
		dmsetup remove bt-dm
		losetup -d "${loop:-}"
	} 2>/dev/null
	undo_disks
}
trap undo_stack EXIT

# All that could have been touched.
state()
{
	local disk

	for disk in bt0 bt1; do
		settings "$disk"
		awk '{ print "writes", $5, $12, $16 }' "/sys/block/$disk/stat"
		dd if="/dev/$disk" bs=1M count=8 iflag=direct 2>/dev/null | md5sum
	done
}

# refuses REASON PATH...: the last of them for this reason.
refuses()
{
	local reason=$1 before
	shift

	before=$(state)
	FAIRWAY_DISKS="$*" "$HERE/disks.sh" >"$TMP/out" 2>&1
	check "refused: $reason" "$? $(grep -F "# ${*: -1} is refused:" "$TMP/out")" \
		is "1 # ${*: -1} is refused: $reason"
	[ "$(state)" = "$before" ] || give_up "touched: $before, then $(state)"
}

blank()
{
	dd if=/dev/zero of=/dev/bt0 bs=1M count=8 oflag=direct 2>/dev/null || give_up "dd failed"
}

# with TOOL CLAIMS TEST: or so many claims are skipped, where TEST cannot even make
# what is to be refused.
with()
{
	local i

	if command -v "$1" >/dev/null && "$3"; then
		return
	fi
	for ((i = 0; i < $2; i++)); do
		ktap_test_skip "$1 is not installed, or this kernel lacks what it needs"
	done
}

test_mounted()
{
	mkfs.ext4 -q -O ^has_journal /dev/bt0 || give_up "mkfs.ext4 failed"
	mkdir -p "$TMP/mnt"
	mount -t ext4 -o ro /dev/bt0 "$TMP/mnt" || return 1
	umount "$TMP/mnt"
	refuses "it carries ext4" /dev/bt1 /dev/bt0
	mount -t ext4 -o ro /dev/bt0 "$TMP/mnt" || give_up "mount failed"
	refuses "bt0 is mounted on $TMP/mnt" /dev/bt1 /dev/bt0
	umount "$TMP/mnt"
}

test_swap()
{
	mkswap /dev/bt0 >/dev/null || give_up "mkswap failed"
	refuses "it carries swap" /dev/bt1 /dev/bt0
	swapon /dev/bt0 || give_up "swapon failed"
	refuses "bt0 is swap" /dev/bt1 /dev/bt0
	swapoff /dev/bt0
}

test_dm()
{
	local name

	dmsetup create bt-dm --table "0 2048 linear /dev/bt0 0" || return 1
	name=$(dmsetup info -c --noheadings -o blkdevname bt-dm)
	refuses "bt0 is held by $name" /dev/bt1 /dev/bt0
	refuses "its driver takes no scheduler" /dev/bt1 "/dev/$name"
	dmsetup remove bt-dm
}

test_loop()
{
	modprobe -q loop
	loop=$(losetup -f)
	losetup "$loop" /dev/bt0 || return 1
	refuses "a loop device stands on it" /dev/bt1 /dev/bt0
	losetup -d "$loop"
}

# One partition of 4 MiB behind the first, in a table as MS-DOS had it.
test_partitions()
{
	blank
	{
		head -c 446 /dev/zero
		printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\040\0\0'
		head -c 48 /dev/zero
		printf '\125\252'
	} | dd of=/dev/bt0 bs=512 count=1 iflag=fullblock 2>/dev/null
	refuses "it carries dos" /dev/bt1 /dev/bt0
	blockdev --rereadpt /dev/bt0
	wait_for 10 test -b /dev/bt0p1 || give_up "no partition came"
	refuses "it has partitions" /dev/bt1 /dev/bt0
	refuses "it is a partition, not a disk" /dev/bt1 /dev/bt0p1
	blank
	blockdev --rereadpt /dev/bt0
}

# Odd values, which nobody has by default.
tune()
{
	set_scheduler bt0 mq-deadline
	set_queue bt0 nr_requests 77
	set_queue bt0 iosched/read_expire 123
	settings_now bt0
}

test_use()
{
	local found test

	found=$(tune)
	FAIRWAY_DISKS=/dev/bt0 "$HERE/disks.sh" >"$TMP/out" 2>&1
	check "control: a blank disk that nobody holds is used, and all is well" "$?" is 0
	sed 's/^[^#]/#   &/' "$TMP/out"
	check "its scheduler and settings are as they were" "$(settings_now bt0)" is "$found"

	FAIRWAY_DISKS=/dev/bt0 "$HERE/disks.sh" >"$TMP/out" 2>&1 &
	test=$!
	wait_for 60 grep -q "becomes active" "$TMP/out" || give_up "disks.sh does not start"
	kill "$test"
	wait "$test"
	check "killed it ends as killed" "$?" is 143
	check "and leaves them so too" "$(settings_now bt0)" is "$found"
	FAIRWAY_DISKS=/dev/bt0 "$HERE/disks.sh" >"$TMP/out" 2>&1 &
	test=$!
	wait_for 60 grep -q "becomes active" "$TMP/out"
	check "and does not hold the disk" "$?" is 0
	kill "$test"
	wait "$test"
}

need root null_blk fairway mq-deadline
for tool in blkid wipefs; do
	command -v "$tool" >/dev/null || skip_all "$tool is not installed"
done
plan 20
for disk in bt0 bt1; do
	null_disk "$disk" memory_backed=1 size=16 irqmode=2 completion_nsec=2000000 \
		hw_queue_depth=4
done

refuses "there is no such file" /dev/bt1 /dev/nosuch
refuses "it is no block device" /dev/bt1 /dev/null
touch "$TMP/file"
refuses "it is no block device" /dev/bt1 "$TMP/file"
ln -s /dev/bt1 "$TMP/link"
refuses "bt1 is named twice" /dev/bt1 "$TMP/link"
"$HERE/claim" /dev/bt0 >"$TMP/held" &
holder=$!
wait_for 10 test -s "$TMP/held" || give_up "claim does not start"
refuses "somebody uses it: Device or resource busy" /dev/bt1 /dev/bt0
kill "$holder"
wait "$holder"
with losetup 1 test_loop
with mkfs.ext4 2 test_mounted
with mkswap 2 test_swap
with dmsetup 2 test_dm
with blockdev 3 test_partitions
test_use
ktap_finished
