#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The guest's side of the soak: what crashed, hung or lost data under other
# schedulers, done to fairway again and again while data is verified. Runs beside
# lib.sh of the block selftests, prints TAP, and counts what it did.
#
# usage: cases.sh PERCENT CASE...	PERCENT of each case's usual time
#
# Each case ends on its own: its load ends without an error, nothing is left in
# flight, the books balance. What the kernel reports meanwhile is the host's to
# judge.
#
# shellcheck source=../../testing/selftests/block/lib.sh
. "$(dirname "$0")/lib.sh"

PEERS=(none mq-deadline kyber bfq)
# Longest time that an I/O may take with the scheduler switched every 50 ms.
STALL_US=2000000

declare -A did

count()
{
	did[$1]=$((${did[$1]:-0} + ${2:-1}))
}

# time_left SECONDS: is PERCENT of them not over yet, since start_clock?
start_clock()
{
	clock=$SECONDS
}

time_left()
{
	[ $((SECONDS - clock)) -lt $(($1 * percent / 100)) ]
}

# start_verified DISK JOBS KIB: random reads and writes, by each job to KIB of its
# own (the fewer, the more of them merge), each write read back and compared soon
# after. Niced, or what it computes in an emulated CPU would leave
# little to those who switch. Ends on stop_verified, or on the first wrong block.
start_verified()
{
	fio --name=verified --filename="/dev/$1" --direct=1 --rw=randrw --bs=4k \
		--ioengine=libaio --iodepth=4 --numjobs="$2" --nice=10 \
		--size="$3k" --offset_increment="$3k" --serialize_overlap=1 \
		--time_based --runtime=3600 \
		--verify=crc32c --verify_backlog=32 --verify_fatal=1 \
		--group_reporting >"$TMP/fio" 2>&1 &
	verified=$!
	wait_for 60 has_written "$1" || give_up "fio does not start: $(cat "$TMP/fio")"
}

# ios DISK: reads and writes so far.
ios()
{
	local stat

	read -ra stat <"/sys/block/$1/stat"
	echo $((stat[0] + stat[4]))
}

has_written()
{
	local stat

	read -ra stat <"/sys/block/$1/stat"
	[ "${stat[4]}" -gt 0 ]
}

# fio ends with 128 on SIGINT, after the I/O in flight; with 1 on a wrong block.
stop_verified()
{
	local disk=$1 title=$2

	kill -INT "$verified" 2>/dev/null
	wait "$verified"
	check "$title: what was written is read back" "$?" is 128
	grep -E 'verify|error' "$TMP/fio" | head -n 5 | sed 's/^/# /'
	count I/Os "$(ios "$disk")"
}

check_quiet()
{
	check "$2: nothing stays in flight" \
		"$(wait_for 10 is_quiet "$1" && echo quiet)" is quiet
	check "$2: the books balance" "$(open_books "$1")" is none
}

# A switch there and back.
switch_round()
{
	set_scheduler "$1" "${PEERS[did[switches] / 2 % ${#PEERS[@]}]}"
	set_scheduler "$1" fairway
	count switches 2
}

n1v()
{
	null_disk "$1" memory_backed=1 hw_queue_depth=4 irqmode=2 \
		completion_nsec=2000000
	set_scheduler "$1" fairway
}

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
	merge_before_a_line bt17
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

# Requests that merge while tasks stand in line: what is freed so, in the submitter's
# context, goes to the next in line.
merge_before_a_line()
{
	local round=0 before

	set_queue "$1" nr_requests 64
	"$HERE/readers" -n 100 -b 4096 -t 3600 "/dev/$1" >"$TMP/figures" &
	readers=$!
	wait_for 60 line_is "$1" 20 || give_up "no line on $1"
	before=$(merges "$1" write)
	while [ "$round" -lt 5 ]; do
		round=$((round + 1))
		"$HERE/submit" "/dev/$1" w:1000:8 w:1016:8 w:1008:8 >"$TMP/order" ||
			give_up "submit failed"
	done
	# A bio into a request and that into the next, unless the two left before.
	check "case 17: requests merge before a line" $(($(merges "$1" write) - before)) ge 2
	kill "$readers"
	wait "$readers" || give_up "the readers failed"
}

# Case 18: every tenth request is requeued, by null_blk's fault injection.
case_18()
{
	local inject=$NULLB/bt18/requeue_inject
	local requeued

	n1v bt18
	[ -d "$inject" ] || give_up "null_blk has no requeue_inject"
	write "$inject/verbose" 0
	write "$inject/interval" 1
	write "$inject/times" -1
	write "$inject/probability" 10
	start_verified bt18 4 1024
	start_clock
	while time_left 25; do
		pause 1
	done
	stop_verified bt18 "case 18"
	requeued=$(books bt18 requeued)
	check "case 18: requests were requeued" "$requeued" gt 0
	count "requeued requests" "$requeued"
	check_quiet bt18 "case 18"
	remove_disk bt18
}

# cgroup NAME: a group that has the io controller.
cgroup()
{
	write /sys/fs/cgroup/cgroup.subtree_control +io
	mkdir "/sys/fs/cgroup/$1" || give_up "cannot make the cgroup $1"
}

# in_cgroup NAME COMMAND...
in_cgroup()
{
	echo "$BASHPID" >"/sys/fs/cgroup/$1/cgroup.procs" || exit 1
	shift
	exec "$@"
}

# Case 22: groups that go while their readers read; processes that live for one.
case_22()
{
	local round=0 failed=0 pid pids storm status

	n1v bt22
	while :; do
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
	kill "$storm" 2>/dev/null
	wait "$storm" 2>/dev/null
	status=$?
	check "case 22: no process of the storm failed" "$status" is 143
	count I/Os "$(ios bt22)"
	check_quiet bt22 "case 22"
	remove_disk bt22
}

has_members()
{
	local members

	mapfile -t members <"/sys/fs/cgroup/$1/cgroup.procs"
	[ "${#members[@]}" -ge "$2" ]
}

# Case 24: disks that go under I/O from several groups: errors, nothing else.
case_24()
{
	local group host disk failed=0 pids

	for group in soakA soakB soakC; do
		cgroup "$group"
	done
	modprobe scsi_debug dev_size_mb=64 ndelay=2000000 max_queue=4 ||
		give_up "no scsi_debug"
	host=$(ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*)
	host=${host##*/}
	start_clock
	while time_left 25; do
		wait_for 30 disk_of "$host" >"$TMP/disk" || give_up "scsi_debug's disk does not come"
		disk=$(cat "$TMP/disk")
		set_scheduler "$disk" fairway
		lose "$disk" write "/sys/block/$disk/device/delete" 1
		write "/sys/class/scsi_host/$host/scan" "- - -"
		count "disks deleted"
	done
	wait_for 30 disk_of "$host" >"$TMP/disk" || give_up "scsi_debug's disk does not come back"
	disk=$(cat "$TMP/disk")
	set_scheduler "$disk" fairway
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

# disk_of HOST: its one disk, once it can be opened; false without one.
disk_of()
{
	local path disk

	for path in "/sys/class/scsi_host/$1/device"/target*/*/block/*; do
		disk=${path##*/}
		[ -b "/dev/$disk" ] && [ -d "/sys/block/$disk/queue" ] && echo "$disk"
		return
	done
}

# lose DISK COMMAND...: readers in three groups and a writer outside, which all
# have to end by themselves when COMMAND takes the disk away. (No fio: it starts so
# slowly here that there would be few rounds.)
lose()
{
	local disk=$1
	shift

	pids=()
	for group in soakA soakB soakC; do
		in_cgroup "$group" "$HERE/readers" -e -n 2 -b 4096 -t 3600 \
			"/dev/$disk" >"$TMP/figures.$group" &
		pids+=($!)
	done
	dd if=/dev/zero of="/dev/$disk" bs=4k oflag=direct 2>/dev/null &
	pids+=($!)
	# Each has opened the disk before it forks its two.
	for group in soakA soakB soakC; do
		wait_for 60 has_members "$group" 3 || give_up "no readers in $group"
	done
	wait_for 60 has_written "$disk" || give_up "no writer on $disk"
	count I/Os "$(ios "$disk")"
	"$@"
	for pid in "${pids[@]::3}"; do
		wait "$pid" || failed=$((failed + 1))
	done
	# The writer's status tells of the error, as it should: only its end counts.
	wait "${pids[3]}"
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

percent=${1:?}
shift
declare -A CHECKS=([0]=1 [16]=4 [17]=5 [18]=4 [22]=4 [24]=4)
total=0
for case in "$@"; do
	total=$((total + CHECKS[$case]))
done
need root null_blk books fio fairway
plan "$total"
for case in "$@"; do
	began=$SECONDS
	echo "soak: case $case" >/dev/kmsg
	"case_$case"
	echo "# case $case took $((SECONDS - began)) s"
done
for what in "${!did[@]}"; do
	echo "# did $what: ${did[$what]}"
done
ktap_finished
