#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the guest's side of the soak and of the device matrix is made of: load that
# verifies what it wrote, and what is done to disks under it. Sourced, not run,
# after lib.sh of the block selftests.

PEERS=(none mq-deadline kyber bfq)
# shellcheck disable=SC2034 # used by the cases
# Longest time that an I/O may take with the scheduler switched every 50 ms.
STALL_US=2000000

declare -A did
percent=100
# Whether the next disks say that they seek: run_cases has it change.
seeks=1

count()
{
	did[$1]=$((${did[$1]:-0} + ${2:-1}))
}

# count_some TITLE WHAT NUMBER: what a case is for has to have happened.
count_some()
{
	check "$1: $2" "$3" gt 0
	count "$2" "$3"
}

# begin_fairway DISK: where seeks cost something there are turns, sweeps, and the
# timer of anticipation; elsewhere the window and the gate for writeback.
begin_fairway()
{
	set_queue "$1" rotational "$seeks"
	set_scheduler "$1" fairway
}

# turns DISK: how many there were since the scheduler was chosen, in $turns. By bash
# alone, as it is asked for often.
turns()
{
	local key value

	turns=0
	while read -r key value; do
		[ "$key" != turn ] || turns=$value
	done 2>/dev/null <"$DEBUG/$1/sched/state"
}

# start_idle DISK: a reader of the idle class, who waits for a timer on any disk.
start_idle()
{
	ionice -c 3 "$HERE/readers" -n 1 -b 4096 -t 3600 "/dev/$1" >"$TMP/idle" &
	idler=$!
}

# stop_idle TITLE: it ends without an error. How much it had is not the claim.
stop_idle()
{
	kill "$idler"
	wait "$idler"
	check "$1: the reader of the idle class reads and ends" "$?" is 0
	count "reads of the idle class" "$(figure "$TMP/idle" reads)"
}

# time_left SECONDS: are "percent" of them not over yet, since start_clock?
start_clock()
{
	clock=$SECONDS
}

time_left()
{
	[ $((SECONDS - clock)) -lt $(($1 * percent / 100)) ]
}

# let_run SECONDS: what is under way, until so long after start_clock.
let_run()
{
	while time_left "$1"; do
		pause 1
	done
}

# start_verified DISK JOBS KIB [OPTION...]: random reads and writes, by each job to KIB of its
# own (the fewer, the more of them merge), each write read back and compared soon
# after. Niced, or what it computes in an emulated CPU would leave
# little to those who switch. Ends on stop_verified, or on the first wrong block. Beside
# it reads somebody of the idle class.
start_verified()
{
	local disk=$1 jobs=$2 kib=$3
	shift 3

	fio --name=verified --filename="/dev/$disk" --direct=1 --rw=randrw --bs=4k \
		--ioengine=libaio --iodepth=4 --numjobs="$jobs" --nice=10 \
		--size="${kib}k" --offset_increment="${kib}k" --serialize_overlap=1 \
		--time_based --runtime=3600 \
		--verify=crc32c --verify_backlog=32 --verify_fatal=1 \
		--group_reporting "$@" >"$TMP/fio" 2>&1 &
	verified=$!
	wait_for 60 has_written "$disk" || give_up "fio does not start: $(cat "$TMP/fio")"
	start_idle "$disk"
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
	# Errors of I/O that was failed on purpose are not of interest.
	grep -E 'verify|err' "$TMP/fio" | grep -v io_u | head -n 5 | sed 's/^/# /'
	stop_idle "$title"
	count I/Os "$(ios "$disk")"
}

check_quiet()
{
	local books turns

	turns "$1"
	count turns "$turns"
	check "$2: nothing stays in flight" \
		"$(wait_for 10 is_quiet "$1" && echo quiet)" is quiet
	books=$(open_books "$1")
	check "$2: the books balance" "$books" is none
	# A leak stays, I/O that still comes does not.
	[ "$books" = none ] || { pause 2; echo "# 2 s later: $(open_books "$1")"; }
}

# A switch there and back.
switch_round()
{
	local turns

	turns "$1"
	count turns "$turns"
	set_scheduler "$1" "${PEERS[did[switches] / 2 % ${#PEERS[@]}]}"
	set_scheduler "$1" fairway
	count switches 2
}

# start_switching DISK [SECONDS]: there and back, with so long in between, until
# stop_switching.
start_switching()
{
	: >"$TMP/switches"
	switch_for_ever "$@" &
	switcher=$!
}

switch_for_ever()
{
	local round=0 turns

	while :; do
		turns "$1"
		set_scheduler "$1" "${PEERS[round++ % ${#PEERS[@]}]}"
		set_scheduler "$1" fairway
		echo "$turns" >>"$TMP/switches"
		pause "${2:-0.1}"
	done
}

stop_switching()
{
	local made

	kill "$switcher" 2>/dev/null
	wait "$switcher"
	check "$2: every switch was made" "$?" is 143
	made=$(grep -c . "$TMP/switches")
	count switches $((made * 2))
	count turns "$(awk '{ sum += $1 } END { print sum + 0 }' "$TMP/switches")"
	set_scheduler "$1" fairway
}

# stop_injecting FOLDER TITLE WHAT: turns off what inject() did, and counts what came
# of it.
stop_injecting()
{
	local left

	write "$1/probability" 0
	read -r left <"$1/times"
	count_some "$2" "$3" $((MANY - left))
	count faults $((MANY - left))
}

# start_requeues DISK: has the kernel say each time that a request goes back to the
# scheduler's or the driver's queue; requeues says how often it did.
TRACING=/sys/kernel/tracing/instances/soak
start_requeues()
{
	local event=$TRACING/events/block/block_rq_requeue major minor

	[ -d "$TRACING" ] || mkdir "$TRACING" || give_up "no instance of tracing"
	IFS=: read -r major minor <"/sys/block/$1/dev"
	write "$event/filter" "dev == $((major << 20 | minor))" ||
		give_up "the filter of block_rq_requeue is refused"
	write "$event/enable" 1
}

requeues()
{
	awk -F: '$1 == "entries" || $1 == "overrun" { sum += $2 } END { print sum + 0 }' \
		"$TRACING"/per_cpu/cpu*/stats
}

stop_requeues()
{
	write "$TRACING/events/block/block_rq_requeue/enable" 0
	rmdir "$TRACING" || give_up "the instance of tracing is busy"
}

n1v()
{
	null_disk "$1" memory_backed=1 hw_queue_depth=4 irqmode=2 \
		completion_nsec=2000000
	begin_fairway "$1"
}

# merge_before_a_line TITLE: requests that merge while tasks stand in line: what is freed
# so, in the submitter's context, goes to the next in line. The disk is so slow that this
# kernel keeps up with it: a line is there all the time.
merge_before_a_line()
{
	null_disk btline memory_backed=1 hw_queue_depth=4 irqmode=2 completion_nsec=20000000
	set_scheduler btline fairway
	set_queue btline nr_requests 64
	"$HERE/readers" -n 70 -b 4096 -t 3600 /dev/btline >"$TMP/figures" &
	readers=$!
	wait_for 60 line_is btline 4 || give_up "no line on btline"
	wait_for 120 has_merged btline
	check "$1: requests merge before a line" "$(books btline merged)" ge 1
	kill "$readers"
	wait "$readers" || give_up "the readers failed"
	remove_disk btline
}

# has_merged DISK: did one request swallow another, after one more that lies between two?
# Who has the least priority waits four rounds for its second, so in two of five tries
# these are still there when the last is through the line.
has_merged()
{
	ionice -c 2 -n 7 "$HERE/submit" "/dev/$1" r:2000:8 r:1000:8 r:1016:8 r:1008:8 \
		>"$TMP/order" || give_up "submit failed"
	holds "$(books "$1" merged)" ge 1
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

has_members()
{
	local members

	mapfile -t members <"/sys/fs/cgroup/$1/cgroup.procs"
	[ "${#members[@]}" -ge "$2" ]
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
