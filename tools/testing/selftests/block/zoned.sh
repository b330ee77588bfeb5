#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: on a zoned disk fairway keeps what is written to a zone at its write pointer
# (case 21): 32 writes at a time, to one zone and to eight in turn, all end, without an
# error, and read back right; also when every tenth request is given back by the driver.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# write_zones JOBS ZONES: each writes its own
write_zones()
{
	fio --name=zones --filename=/dev/bt0 --direct=1 --ioengine=libaio --iodepth=32 \
		--zonemode=zbd --rw=write --bs=64k --numjobs="$1" --size="$2z" \
		--offset_increment="$2z" --max_open_zones=8 --group_reporting \
		--verify=crc32c --do_verify=1 --verify_fatal=1 --thread >"$TMP/fio" 2>&1
}

need root null_blk fio fairway books
mkdir "$NULLB/bt_zoned" || give_up "cannot make a null_blk device"
[ -e "$NULLB/bt_zoned/zoned" ] || { rmdir "$NULLB/bt_zoned"; skip_all "null_blk has no zones"; }
rmdir "$NULLB/bt_zoned"
plan 9

null_disk bt0 size=128 zoned=1 zone_size=4 memory_backed=1 hw_queue_depth=64 irqmode=2 \
	completion_nsec=1000000
set_scheduler bt0 fairway
write_zones 1 1
check "one zone is written and read back" "$?" is 0
write_zones 1 8
check "eight zones are" "$?" is 0
write_zones 8 2
check "eight writers, two zones each" "$?" is 0
check "all was written" "$(awk '{ print $7 }' /sys/block/bt0/stat)" ge $(((1 + 8 + 16) * 8192))
check "the books balance" "$(open_books bt0)" is none

requeues=$NULLB/bt0/requeue_inject
if [ -d "$requeues" ]; then
	inject "$requeues" probability=10
	write_zones 1 1
	check "with requeues one zone is" "$?" is 0
	write_zones 8 2
	check "so are eight times two" "$?" is 0
	check "requests were requeued" "$(books bt0 requeued)" ge 10
	check "the books balance then too" "$(open_books bt0)" is none
else
	for _ in 1 2 3 4; do
		ktap_test_skip "null_blk has no fault injection in this kernel"
	done
fi
ktap_finished
