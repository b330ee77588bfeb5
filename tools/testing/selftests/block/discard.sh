#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: discards beside writers and a reader (case 7): on a disk that does one thing at
# a time, each in 5 ms, the reader waits for what is in the disk and no more, the
# discards have the share of writeback until they are through, and the writers go on.
#
# Control: under none the reader waits behind what the writers have sent.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

DISCARDS=32

# beside SCHEDULER: the reader's figures in $TMP/probe
beside()
{
	local probe

	set_scheduler "$disk" "$1"
	# A stock kernel begins with twice the depth of the disk, which is 2.
	[ "$1" = none ] || set_queue "$disk" nr_requests 256
	start_fio "$disk" --rw=write --bs=128k --iodepth=64 --numjobs=4 --size=8m \
		--offset=64m --offset_increment=8m
	"$HERE/readers" -n 1 -b 4096 -T 20000 -t 600 "/dev/$disk" >"$TMP/probe" &
	probe=$!
	written=$(ios "$disk")
	timed blkdiscard -p 1048576 -l $((DISCARDS << 20)) "/dev/$disk"
	written=$(($(ios "$disk") - written))
	kill "$probe"
	wait "$probe" || give_up "the reader failed"
	stop_fio
	echo "# $1: $DISCARDS discards in $took_us us, $written other I/Os meanwhile, the reader:" \
		"$(grep -E 'reads |lat' "$TMP/probe" | paste -sd ' ')"
}

need root null_blk fio fairway
blkdiscard --help 2>&1 | grep -q -e --step || skip_all "blkdiscard is not installed"
scsi_debug_disk dev_size_mb=128 lbpu=1 ndelay=5000000 max_queue=1 ||
	skip_all "no scsi_debug in this kernel"
plan 5
set_scheduler "$disk" none
set_queue "$disk" rotational 0
# Or they merge, and what is copied takes an emulated CPU longer than 5 ms.
set_queue "$disk" max_sectors_kb 128
service=$(service_us "$disk" 4096)
echo "# $disk: one read takes $service us"
beside fairway
# One in the disk, one at its driver, and its own.
check "the reader waits for what is in the disk" "$(figure "$TMP/probe" lat_max_us)" \
	le $((4 * service))
# Four writers and the reader have a share of 100 each at most, writeback one of 50.
check "the discards have their share" "$took_us" le $((DISCARDS * 11 * service * 110 / 100))
check "the writers go on" "$written" ge $((took_us / service / 2))
is_quiet "$disk"
check "nothing stays in flight" "$?" is 0
beside none
check "control: under none it waits for the writers" "$(figure "$TMP/probe" lat_max_us)" \
	gt $((4 * service))
ktap_finished
