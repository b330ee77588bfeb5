#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's side of the device matrix: the core set on one kind of disk. Prints
# TAP. A disk is written to from its start to its end.
#
# usage: matrix.sh rotational|flash|scsi_debug|nvme|sata|virtio-blk|virtio-scsi
#
# shellcheck source=../../testing/selftests/block/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=common.sh
. "$HERE/common.sh"

MODELS=/sys/kernel/config/diskmodel
declare -A PRESET=([rotational]=sata7200 [flash]=nvme)
READERS=32

# The disk, once it is there, in $disk.
find_disk()
{
	wait_for 60 disk_is_there || give_up "no disk of the kind $kind"
	set_scheduler "$disk" fairway
}

disk_is_there()
{
	local path

	for path in /sys/block/$pattern; do
		disk=${path##*/}
		[ -b "/dev/$disk" ] && [ -d "$path/queue" ] && return
	done
	return 1
}

make_disk()
{
	case $kind in
	rotational | flash)
		[ -d "$MODELS" ] || insmod "$HERE/diskmodel.ko" ||
			give_up "no diskmodel"
		mkdir "$MODELS/model0"
		write "$MODELS/model0/preset" "${PRESET[$kind]}" ||
			give_up "no preset ${PRESET[$kind]}"
		write "$MODELS/model0/store" 1
		write "$MODELS/model0/power" 1 || give_up "diskmodel refuses"
		;;
	scsi_debug)
		modprobe scsi_debug dev_size_mb=64 ndelay=2000000 max_queue=8 ||
			give_up "no scsi_debug"
		;;
	esac
	find_disk
}

# The disk goes, under whatever there is.
unplug()
{
	case $kind in
	rotational | flash)
		rmdir "$MODELS/model0"
		;;
	scsi_debug | sata | virtio-scsi)
		host=$(realpath "/sys/block/$disk/device" | grep -o 'host[0-9]*' | head -n 1)
		write "/sys/block/$disk/device/delete" 1
		;;
	nvme | virtio-blk)
		# The function of the PCI device, above all that is made of it.
		write "$(realpath "/sys/block/$disk/device" |
			grep -o '^/sys/devices/pci[^/]*\(/0000:[^/]*\)*')/remove" 1
		;;
	esac
}

# ... and comes back.
plug()
{
	case $kind in
	rotational | flash)
		make_disk
		return
		;;
	scsi_debug | sata | virtio-scsi)
		write "/sys/class/scsi_host/$host/scan" "- - -"
		;;
	nvme | virtio-blk)
		write /sys/bus/pci/rescan 1
		;;
	esac
	find_disk
}

check_selection()
{
	local name wrong=0

	for name in $(tr -d '[]' <"/sys/block/$disk/queue/scheduler"); do
		set_scheduler "$disk" "$name"
	done
	for name in nonesuch ' fairway' 'fairway junk' ''; do
		set_scheduler "$disk" fairway
		! write "/sys/block/$disk/queue/scheduler" "$name" &&
			[ "$(scheduler "$disk")" = fairway ] || wrong=$((wrong + 1))
	done
	check "$kind: selection: names are taken, what is none is refused" "$wrong" is 0
}

# By the watch: what each wait may be depends on the disk. On one CPU, because each
# hardware queue has a line of its own, and a bound is for one line.
check_order()
{
	local late before

	set_queue "$disk" nr_requests 8
	write "$DEBUG/$disk/sched/watch" 1 || give_up "no watch"
	taskset 1 "$HERE/readers" -n "$READERS" -b 4096 -t 30 -m 100 "/dev/$disk" \
		>"$TMP/figures" || give_up "the readers failed"
	sed 's/^/# /' "$TMP/figures" "$DEBUG/$disk/sched/watch"
	check "$kind: order: some waited in line" \
		"$(figure "$DEBUG/$disk/sched/watch" line | sed 's/ .*//')" gt "$READERS"
	late=$(awk '$7 ~ /^[0-9]+$/ { sum += $7 } END { print sum + 0 }' \
		"$DEBUG/$disk/sched/watch")
	check "$kind: order: nobody waits beyond the bound" "$late" is 0
	set_scheduler "$disk" none
	set_scheduler "$disk" fairway
	before=$(merges "$disk" write)
	fio --name=adjacent --filename="/dev/$disk" --rw=write --bs=4k --size=1M --direct=1 \
		--ioengine=libaio --iodepth=16 --iodepth_batch=16 \
		--iodepth_batch_complete_min=16 >"$TMP/fio" ||
		give_up "fio failed: $(<"$TMP/fio")"
	check "$kind: order: adjacent writes merge" $(($(merges "$disk" write) - before)) gt 100
}

check_integrity()
{
	start_verified "$disk" 4 8192
	start_clock
	let_run 8
	start_switching "$disk" 0.1
	let_run 20
	stop_switching "$disk" "$kind: switch under load"
	stop_verified "$disk" "$kind: integrity"
	check_quiet "$disk" "$kind: integrity"
}

check_unplug()
{
	local group round failed=0

	for group in soakA soakB soakC; do
		cgroup "$group"
	done
	for round in 1 2 3; do
		lose "$disk" unplug
		plug
		count "disks unplugged"
	done
	check "$kind: hot-unplug: all jobs ended, $round times" "$failed" is 0
	check "$kind: hot-unplug: the disk that came back is read" \
		"$("$HERE/readers" -n 4 -b 4096 -m 8 -t 60 "/dev/$disk" >"$TMP/figures"; echo $?)" is 0
	check_quiet "$disk" "$kind: hot-unplug"
}

kind=${1:?}
case $kind in
rotational | flash) pattern='model0' ;;
scsi_debug | sata | virtio-scsi) pattern='sd*' ;;
nvme) pattern='nvme*n1' ;;
virtio-blk) pattern='vd*' ;;
*) give_up "no kind of disk: $kind" ;;
esac
need root null_blk books fio fairway
plan 13
make_disk
check_selection
check_order
check_integrity
check_unplug
for what in "${!did[@]}"; do
	echo "# did $what: ${did[$what]}"
done
ktap_finished
