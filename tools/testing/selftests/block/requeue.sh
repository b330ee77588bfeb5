#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: requests that the driver gives back are neither lost nor done twice under
# fairway, nor does anything merge into them once they were at the driver: what was
# written is read back, and the books balance. A SCSI host that says BUSY to every
# seventh command, with buffered sequential writes that merge all the time (case 19);
# null_blk that gives back every tenth request (case 18; longer in the soak).
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

TRACING=/sys/kernel/tracing
# A command for which there is no room stays at the driver: the scheduler does not
# hear of it.
REQUEUES=$TRACING/events/block/block_rq_requeue

undo_events()
{
	write $REQUEUES/enable 0
	undo
}

# verified DISK ARGUMENT...: fio by four jobs, each to a part of its own
verified()
{
	local disk=$1
	shift

	fio --name=verified --filename="/dev/$disk" --numjobs=4 --size=4m --offset_increment=8m \
		--verify=crc32c --verify_fatal=1 --group_reporting --thread "$@" >"$TMP/fio" 2>&1
}

need root null_blk fio books fairway
[ -w $REQUEUES/enable ] || skip_all "no $REQUEUES: FTRACE is off, or tracefs not mounted"
plan 8

trap undo_events EXIT
if scsi_debug_disk dev_size_mb=64 ndelay=200000 max_queue=4 every_nth=7 opts=0x8000; then
	set_scheduler "$disk" fairway
	# Enough commands, each of some writes that merged.
	set_queue "$disk" max_sectors_kb 32
	write $TRACING/trace ""
	write $REQUEUES/enable 1
	verified "$disk" --rw=write --bs=4k --end_fsync=1 --do_verify=0
	check "behind a busy host buffered writes end" "$?" is 0
	verified "$disk" --rw=read --bs=4k --direct=1 --ioengine=libaio --iodepth=8
	check "and are read back from the disk" "$?" is 0
	write $REQUEUES/enable 0
	check "the host was busy" "$(grep -c block_rq_requeue: $TRACING/trace)" ge 10
	check "writes merged" "$(merges "$disk" write)" ge 10
	check "the books balance" "$(open_books "$disk")" is none
else
	for _ in 1 2 3 4 5; do
		ktap_test_skip "no scsi_debug in this kernel"
	done
fi

null_disk bt0 size=64 memory_backed=1 hw_queue_depth=4 irqmode=2 completion_nsec=2000000
set_scheduler bt0 fairway
requeues=$NULLB/bt0/requeue_inject
if [ -d "$requeues" ]; then
	inject "$requeues" probability=10
	verified bt0 --rw=randrw --bs=4k --direct=1 --ioengine=libaio --iodepth=4
	check "with requeues what was written is read back" "$?" is 0
	check "requests were requeued" "$(books bt0 requeued)" ge 10
	check "the books balance" "$(open_books bt0)" is none
else
	for _ in 1 2 3; do
		ktap_test_skip "null_blk has no fault injection in this kernel"
	done
fi
ktap_finished
