#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: 64 fio processes on a disk under fairway, of two priorities,
# and fairway-top beside them. Leaves fio.json, top and seconds (elapsed, user and
# system time of fairway-top) in /out.
set -u

disk=/sys/kernel/config/nullb/fwytop
modprobe null_blk nr_devices=0
mkdir "$disk" || exit 1
for setting in size=4096 submit_queues=1 poll_queues=0 irqmode=2 \
	completion_nsec=2000000 hw_queue_depth=4 power=1; do
	echo "${setting#*=}" >"$disk/${setting%%=*}" || exit 1
done
echo fairway >/sys/block/fwytop/queue/scheduler || exit 1

TMPDIR=/dev/null fio --eta=never --output-format=json --output=/out/fio.json \
	--filename=/dev/fwytop --rw=randread --bs=16k --direct=1 --ioengine=psync \
	--time_based --ramp_time=10 --runtime=32 --prioclass=2 \
	--name=usual --numjobs=32 --prio=4 --name=much --numjobs=32 --prio=0 &
fio=$!
# What happens while all begin neither of them counts.
sleep 12
TIMEFORMAT='%R %U %S'
{ time /fairway-top -b -d 5 -n 5 fwytop >/out/top 2>/out/top.err; } 2>/out/seconds ||
	exit 1
wait "$fio" || exit 1
# Nor does it leave the watch on where its reader has gone or there is no terminal.
/fairway-top -b -d 0.1 fwytop | head -n 1 >/dev/null
TERM=none /fairway-top fwytop && exit 1
# Switched on for as long as it ran.
grep -x 'watched 0' /sys/kernel/debug/block/fwytop/sched/watch
