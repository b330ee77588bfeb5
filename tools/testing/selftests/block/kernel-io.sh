#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: I/O of kernel threads, which belongs to no process, has the share of one under
# fairway, no less and no more, and those who wait for it are served alike (case 23). A
# loop device's workers stand here for all such: md, dm-crypt, swap.
#
# Control: the same readers without a loop device have a share each.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

OTHERS=4

THROUGH=8

# beside DISK: what those who read through DISK have, beside others who read bt0, in
# thousandths of what one of the others has.
beside()
{
	local through others

	"$HERE/readers" -n $THROUGH -b 4096 -t 600 "$1" >"$TMP/through" &
	through=$!
	"$HERE/readers" -n $OTHERS -b 4096 -t 600 /dev/bt0 >"$TMP/others" &
	others=$!
	pause 6
	kill "$through" "$others"
	wait "$through" "$others" || give_up "the readers failed"
	echo "# through $1:" "$(grep -E 'reads|lat' "$TMP/through" | paste -sd ' ')"
	echo "# others:" "$(grep -E 'reads|lat' "$TMP/others" | paste -sd ' ')"
	permille=$(($(figure "$TMP/through" reads) * 1000 * OTHERS / $(figure "$TMP/others" reads)))
}

undo_loop()
{
	end_jobs
	losetup -d "$loop"
	undo
}

need root null_blk books fairway
command -v losetup >/dev/null || skip_all "losetup is not installed"
null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=1
set_scheduler bt0 fairway
set_queue bt0 nr_requests 64
modprobe -q loop
[ -e /dev/loop-control ] || skip_all "there are no loop devices"
plan 5
loop=$(losetup -f) || give_up "no free loop device"
losetup "$loop" /dev/bt0 || give_up "losetup failed"
trap undo_loop EXIT
write "/sys/block/${loop##*/}/queue/scheduler" none

beside "$loop"
check "$THROUGH who read through kernel threads have the share of one" "$permille" ge 900
check "and no more" "$permille" le 1100
check "they are served alike" "$(figure "$TMP/through" share_ratio_permille)" ge 900
check "so are the others" "$(figure "$TMP/others" share_ratio_permille)" ge 900
beside /dev/bt0
check "control: $THROUGH who read by themselves have a share each" "$permille" \
	ge $((THROUGH * 900))
ktap_finished
