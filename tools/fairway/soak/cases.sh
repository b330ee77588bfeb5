#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's side of the soak: what crashed, hung or lost data under other
# schedulers, done to fairway again and again while data is verified. Runs beside
# lib.sh of the block selftests, prints TAP, and counts what it did.
#
# usage: cases.sh PERCENT CASE...	PERCENT of each case's usual time
#        cases.sh --minutes N SEED PERCENT CASE...	again and again until then
#
# Each case ends on its own: its load ends without an error, nothing is left in
# flight, the books balance. What the kernel reports meanwhile is the host's to
# judge. Cases with a number are those of the list of cases from the field; the
# others are in storms.sh.
#
# shellcheck source=../../testing/selftests/block/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=common.sh
. "$HERE/common.sh"
# shellcheck source=storms.sh
. "$HERE/storms.sh"

# Case 16: schedulers switched every 50 ms under verified I/O.
case_16()
{
	n1v bt16
	start_verified bt16 8 8192
	"$HERE/readers" -n 4 -b 4096 -t 3600 /dev/bt16 >"$TMP/figures" &
	readers=$!
	start_clock
	while time_left 60; do
		switch_round bt16
		pause 0.05
	done
	kill "$readers"
	wait "$readers" || give_up "the readers failed"
	check "case 16: no read takes longer than 2 s" \
		"$(figure "$TMP/figures" lat_max_us)" le "$STALL_US"
	stop_verified bt16 "case 16"
	check_quiet bt16 "case 16"
	remove_disk bt16
}

# Case 17: nr_requests, right and wrong, with switches, under verified I/O.
case_17()
{
	local written wanted got limit wrong=0

	n1v bt17
	merge_before_a_line "case 17"
	start_verified bt17 4 256
	start_clock
	while time_left 30; do
		for written in 4 5 64 1024 2 0 -1 abc; do
			wanted=$written
			case $written in
			2 | 0 | -1 | abc)
				wanted=4
				;;
			esac
			write /sys/block/bt17/queue/nr_requests "$written"
			read -r got </sys/block/bt17/queue/nr_requests
			limit=$(books bt17 limit)
			count "nr_requests writes"
			if [ "$got" != "$wanted" ] ||
			   ! holds "$limit" ge 1 || ! holds "$limit" le "$got"; then
				echo "# after '$written': nr_requests $got, limit $limit"
				wrong=$((wrong + 1))
			fi
		done
		switch_round bt17
	done
	check "case 17: every value reads back, every limit lies within" "$wrong" is 0
	stop_verified bt17 "case 17"
	check_quiet bt17 "case 17"
	remove_disk bt17
}

# Case 18: every tenth request is requeued, by null_blk's fault injection.
case_18()
{
	local inject=$NULLB/bt18/requeue_inject
	local requeued

	n1v bt18
	inject "$inject" probability=10
	start_verified bt18 4 1024
	start_clock
	let_run 25
	stop_verified bt18 "case 18"
	requeued=$(books bt18 requeued)
	check "case 18: the books have them" "$requeued" gt 0
	stop_injecting "$inject" "case 18" "requests requeued"
	check_quiet bt18 "case 18"
	remove_disk bt18
}

# Case 22: groups that go while their readers read; processes that live for one.
case_22()
{
	local round=0 failed=0 pid pids storm status

	n1v bt22
	start_idle bt22
	# Ends by itself: a kill would leave its last process reading.
	until [ -e "$TMP/stop" ]; do
		dd if=/dev/bt22 of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null ||
			exit 1
	done &
	storm=$!
	start_clock
	while time_left 35; do
		round=$((round + 1))
		cgroup "soak$round"
		in_cgroup "soak$round" "$HERE/readers" -n 4 -b 4096 -t 3600 \
			/dev/bt22 >"$TMP/figures" &
		readers=$!
		wait_for 60 has_members "soak$round" 5 || give_up "the readers do not start"
		# Read whole first: the list changes as its members leave.
		mapfile -t pids <"/sys/fs/cgroup/soak$round/cgroup.procs"
		for pid in "${pids[@]}"; do
			write /sys/fs/cgroup/cgroup.procs "$pid"
		done
		rmdir "/sys/fs/cgroup/soak$round" || failed=$((failed + 1))
		[ $((round % 7)) -ne 0 ] || switch_round bt22
		kill "$readers"
		wait "$readers" || failed=$((failed + 1))
		count "groups removed"
	done
	check "case 22: no reader failed, every group went" "$failed" is 0
	: >"$TMP/stop"
	wait "$storm"
	status=$?
	rm "$TMP/stop"
	check "case 22: no process of the storm failed" "$status" is 0
	stop_idle "case 22"
	count I/Os "$(ios bt22)"
	check_quiet bt22 "case 22"
	remove_disk bt22
}

# Case 24: disks that go under I/O from several groups: errors, nothing else.
case_24()
{
	local group disk failed=0 pids

	for group in soakA soakB soakC; do
		cgroup "$group"
	done
	scsi_debug_disk dev_size_mb=64 ndelay=2000000 max_queue=4 || give_up "no scsi_debug"
	start_clock
	while time_left 25; do
		begin_fairway "$disk"
		lose "$disk" write "/sys/block/$disk/device/delete" 1
		scsi_debug_again
		count "disks deleted"
	done
	begin_fairway "$disk"
	check "case 24: the disk that came back is read" \
		"$("$HERE/readers" -n 4 -b 4096 -m 8 -t 60 "/dev/$disk" >"$TMP/figures"; echo $?)" is 0
	check_quiet "$disk" "case 24"
	modprobe -r scsi_debug

	start_clock
	while time_left 15; do
		n1v bt24
		lose bt24 remove_disk bt24
		count "disks powered off"
	done
	check "case 24: all jobs ended, with their disks" "$failed" is 0
	for group in soakA soakB soakC; do
		rmdir "/sys/fs/cgroup/$group" || give_up "the cgroup $group is busy"
	done
}

# Case 0: a wrong block on the disk. The host wants this one to fail.
case_0()
{
	n1v bt0
	start_verified bt0 1 8192
	start_clock
	while kill -0 "$verified" 2>/dev/null && time_left 100; do
		dd if=/dev/zero of=/dev/bt0 bs=1M count=8 oflag=direct 2>/dev/null
	done
	stop_verified bt0 "case 0"
}

# run_cases CASE...: every other one on disks that seek, and in the next round the
# others.
run_cases()
{
	local case began

	seeks=$((${did[rounds]:-1} % 2))
	for case in "$@"; do
		began=$SECONDS
		echo "soak: case $case" >/dev/kmsg
		"case_$case"
		echo "# case $case, rotational $seeks, took $((SECONDS - began)) s"
		seeks=$((1 - seeks))
	done
}

minutes=0
if [ "${1-}" = --minutes ]; then
	minutes=${2:?}
	RANDOM=${3:?}
	echo "# seed $3"
	shift 3
fi
percent=${1:?}
shift
need root null_blk books fio fairway
if [ "$minutes" -eq 0 ]; then
	declare -A CHECKS=([0]=2 [16]=5 [17]=6 [18]=6 [22]=5 [24]=4)
	total=0
	for case in "$@"; do
		total=$((total + CHECKS[$case]))
	done
	plan "$total"
	run_cases "$@"
else
	ktap_print_header
	while [ "$SECONDS" -lt $((minutes * 60)) ]; do
		count rounds
		echo "# round ${did[rounds]}, second $SECONDS"
		run_cases "$@"
	done
	# How many rounds there would be nobody knew before.
	ktap_set_plan $((KTAP_TESTNO - 1))
fi
for what in "${!did[@]}"; do
	echo "# did $what: ${did[$what]}"
done
ktap_finished
