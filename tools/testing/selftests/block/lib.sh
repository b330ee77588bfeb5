#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The vocabulary of the block tests. Sourced, not run. A test then reads:
#
#	need root null_blk fairway	# or the whole test is skipped, with the reason
#	plan 2
#	null_disk bt0 hw_queue_depth=1 irqmode=2 completion_nsec=8000000
#	set_scheduler bt0 fairway
#	check "claim" "$got" le "$bound"
#	ktap_finished
#
# Whatever a test made (disks, background jobs, CPUs taken offline) is undone
# when it ends, also when it fails or is killed by the runner's timeout.

# shellcheck disable=SC2034 # used by the tests
HERE=$(dirname "$(realpath "$0")")
# shellcheck source=/dev/null
. "$HERE/../kselftest/ktap_helpers.sh"

NULLB=/sys/kernel/config/nullb
DEBUG=/sys/kernel/debug/block
TMP=$(mktemp -d) || exit 1
DISKS=()
OFFLINED=()
SCSI_MADE=
read -r TAINT </proc/sys/kernel/tainted

end_jobs()
{
	local jobs

	trap '' INT TERM HUP
	mapfile -t jobs < <(jobs -p)
	if [ "${#jobs[@]}" -gt 0 ]; then
		kill "${jobs[@]}" 2>/dev/null
		wait "${jobs[@]}" 2>/dev/null
	fi
}

undo()
{
	local name

	end_jobs
	for name in "${OFFLINED[@]}"; do
		cpu_online "$name"
	done
	for name in "${DISKS[@]}"; do
		remove_disk "$name"
	done
	[ -z "$SCSI_MADE" ] || modprobe -qr scsi_debug
	rm -rf "$TMP"
	judge_kernel
}

# The test has failed where the kernel has warned, oopsed or locked up meanwhile: bits
# 9, 7 and 14.
judge_kernel()
{
	local taint

	read -r taint </proc/sys/kernel/tainted
	[ $(((taint & ~TAINT) & 0x4280)) -eq 0 ] || {
		echo "# the kernel reports an error, see dmesg: tainted is $taint, was $TAINT"
		exit 1
	}
}
trap undo EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

plan()
{
	ktap_print_header
	ktap_set_plan "$1"
}

skip_all()
{
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

# Ends the test as failed: something it stands on did not work.
give_up()
{
	ktap_exit_fail_msg "$*"
}

# need WHAT...: skips the whole test where something it needs is missing.
need()
{
	local what

	for what in "$@"; do
		case $what in
		root)
			[ "$(id -u)" -eq 0 ] || skip_all "must be root"
			;;
		null_blk)
			[ -d "$NULLB" ] || modprobe -q null_blk nr_devices=0
			[ -d "$NULLB" ] ||
				skip_all "no $NULLB: null_blk is missing, or configfs not mounted"
			;;
		cpus)
			[ -w /sys/devices/system/cpu/cpu1/online ] ||
				skip_all "no second CPU that can be taken offline"
			;;
		books)
			[ -d "$DEBUG" ] ||
				skip_all "no $DEBUG: BLK_DEBUG_FS is off, or debugfs not mounted"
			;;
		elevator_boot)
			grep -qw elevator_boot_choice /proc/kallsyms ||
				skip_all "queue/scheduler and elevator= are those of a stock kernel"
			;;
		refusal)
			grep -qw elevator_boot_choice /proc/kallsyms ||
				skip_all "a stock kernel cannot refuse who may not wait"
			;;
		fio)
			command -v fio >/dev/null || skip_all "fio is not installed"
			;;
		*)
			has_scheduler "$what" || skip_all "no scheduler $what in this kernel"
			;;
		esac
	done
}

# null_disk NAME ATTRIBUTE=VALUE...: makes /dev/NAME. 1 GB, one hardware queue,
# 512-byte sectors, unless told otherwise. One that a killed test left behind goes
# first.
null_disk()
{
	local name=$1 setting
	shift

	[ -d "$NULLB/$name" ] && remove_disk "$name"
	mkdir "$NULLB/$name" || give_up "cannot make the null_blk device $name"
	DISKS+=("$name")
	for setting in size=1024 submit_queues=1 poll_queues=0 "$@" power=1; do
		write "$NULLB/$name/${setting%%=*}" "${setting#*=}" ||
			give_up "null_blk refuses $setting"
	done
	[ -b "/dev/$name" ] || give_up "/dev/$name did not appear"
}

remove_disk()
{
	[ -d "$NULLB/$1" ] || return 0
	write "$NULLB/$1/power" 0
	rmdir "$NULLB/$1"
}

# write FILE TEXT: silent, returns whether the kernel accepted it.
write()
{
	echo "$2" 2>/dev/null >"$1"
}

# Loads it where it is a module.
has_scheduler()
{
	local name=bt_probe found

	modprobe -q "$1-iosched"
	null_disk "$name"
	grep -qw -- "$1" "/sys/block/$name/queue/scheduler"
	found=$?
	remove_disk "$name"
	return "$found"
}

scheduler()
{
	local list

	read -r list <"/sys/block/$1/queue/scheduler"
	list=${list#*[}
	echo "${list%]*}"
}

set_scheduler()
{
	local list

	write "/sys/block/$1/queue/scheduler" "$2"
	read -r list <"/sys/block/$1/queue/scheduler"
	[[ $list == *"[$2]"* ]] || give_up "$1 does not take the scheduler $2"
}

set_queue()
{
	write "/sys/block/$1/queue/$2" "$3" || give_up "$1 refuses $3 for queue/$2"
}

# scsi_debug_disk PARAMETER...: makes a disk, and leaves its name in $disk; false
# where the kernel has none. Its driver may be a module that nobody loads by itself.
SCSI_DEBUG=/sys/bus/pseudo/drivers/scsi_debug
scsi_debug_disk()
{
	modprobe -q sd_mod
	modprobe -q scsi_debug "$@" || return 1
	SCSI_MADE=yes
	wait_for 30 scsi_debug_is_there || give_up "scsi_debug's disk does not come"
}

# Once it was deleted. It may have another name.
scsi_debug_again()
{
	local scan

	for scan in "$SCSI_DEBUG"/adapter*/host*/scsi_host/*/scan; do
		write "$scan" "- - -"
	done
	wait_for 30 scsi_debug_is_there || give_up "scsi_debug's disk does not come back"
}

scsi_debug_is_there()
{
	local path

	for path in "$SCSI_DEBUG"/adapter*/host*/target*/*/block/*; do
		disk=${path##*/}
	done
	can_be_opened "$disk"
}

# The kernel lets nobody open a disk before its queue takes a scheduler.
can_be_opened()
{
	[ -b "/dev/$1" ] && { : <"/dev/$1"; } 2>/dev/null
}

# inject FOLDER SETTING=VALUE...: turns fault injection on, silently.
MANY=1000000
inject()
{
	local folder=$1 setting
	shift

	[ -d "$folder" ] || give_up "the kernel has no $folder"
	for setting in verbose=0 interval=1 "times=$MANY" "$@"; do
		write "$folder/${setting%%=*}" "${setting#*=}" ||
			give_up "$folder refuses $setting"
	done
}

# books DISK NAME: one line of the scheduler's own accounts. Prints nothing if
# the scheduler keeps none, so that a comparison with it fails.
books()
{
	[ -r "$DEBUG/$1/sched/books" ] && figure "$DEBUG/$1/sched/books" "$2"
}

# merges DISK DIRECTION: bios merged into requests, as the kernel counts them.
merges()
{
	case $2 in
	read)
		awk '{ print $2 }' "/sys/block/$1/stat"
		;;
	write)
		awk '{ print $6 }' "/sys/block/$1/stat"
		;;
	esac
}

# ios DISK: reads and writes that were done.
ios()
{
	awk '{ print $1 + $5 }' "/sys/block/$1/stat"
}

has_done()
{
	holds "$(ios "$1")" ge "$2"
}

# start_fio DISK ARGUMENT...: a load in the background, under way when it returns,
# that lasts until stop_fio. Threads start sooner than processes.
start_fio()
{
	local disk=$1
	shift

	fio --name=load --filename="/dev/$disk" --direct=1 --ioengine=libaio --thread \
		--time_based --runtime=3600 --group_reporting "$@" >"$TMP/fio" 2>&1 &
	fio=$!
	wait_for 60 has_done "$disk" $(($(ios "$disk") + 100)) ||
		give_up "fio does not start: $(head -n 1 "$TMP/fio")"
}

# fio ends with 128 on SIGINT, after all that is in flight.
stop_fio()
{
	kill -INT "$fio" 2>/dev/null
	wait "$fio"
	[ "$?" = 128 ] || give_up "fio failed: $(head -n 1 "$TMP/fio")"
}

# Nothing in flight at the disk.
is_quiet()
{
	local reads writes

	read -r reads writes <"/sys/block/$1/inflight"
	[ $((reads + writes)) -eq 0 ]
}

# What in the books of an idle disk is not as it must be: a gauge that is not 0,
# or counters that do not add up. "none", if there is nothing.
open_books()
{
	local wrong

	wrong=$(awk '
		function must_be(name, sum)
		{
			if (!(name in book) || book[name] != sum)
				printf "%s is %s not %s, ", name, book[name], sum
		}
		{
			book[$1] = $2
		}
		END {
			must_be("held", 0)
			must_be("waiting", 0)
			must_be("queued", 0)
			must_be("tickets", book["returned"] + book["prepared_tickets"])
			must_be("prepared", book["finished"])
			must_be("inserted", book["dispatched"] + book["merged"])
		}' "$DEBUG/$1/sched/books" 2>&1)
	echo "${wrong:-none}"
}

cpu_online()
{
	write "/sys/devices/system/cpu/$1/online" 1
}

cpu_offline()
{
	OFFLINED+=("$1")
	write "/sys/devices/system/cpu/$1/online" 0
}

# wait_for SECONDS COMMAND...: until COMMAND succeeds; false when time is up.
wait_for()
{
	local end=$((SECONDS + $1))
	shift

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		pause 0.01
	done
}

# pause SECONDS: a sleep that starts no process, which is slow in some guests.
exec {NEVER}<> <(:)
pause()
{
	read -rt "$1" -u "$NEVER" || :
}

now_us()
{
	echo "${EPOCHREALTIME/[.,]/}"
}

# timed COMMAND...: runs it and leaves its time in $took_us. Not in a subshell,
# where undo() would not learn what COMMAND did.
timed()
{
	local start
	start=$(now_us)
	"$@" || give_up "$* failed"
	took_us=$(($(now_us) - start))
}

# line_is DISK N: at least N tasks stand in line.
line_is()
{
	holds "$(books "$1" waiting)" ge "$2"
}

# figure FILE NAME: the value in a line "NAME VALUE" of a report. Of a report as it
# is at one moment: read would go back in the file after each line, and the kernel
# writes it anew then.
figure()
{
	local name value

	while read -r name value; do
		[ "$name" = "$2" ] && echo "$value"
	done <<<"$(<"$1")"
}

# service_us DISK [BYTES]: what one read takes when nobody else is there.
service_us()
{
	"$HERE/readers" -n 1 -m 50 -b "${2:-65536}" "/dev/$1" >"$TMP/service" ||
		give_up "one reader failed on $1"
	figure "$TMP/service" lat_mean_us
}

# check CLAIM GOT OPERATOR WANT: one line of TAP. Whole numbers with lt le gt ge,
# text with is. No value is never the right value.
check()
{
	local claim=$1 got=$2 operator=$3 want=$4

	echo "# $claim: got '$got', wanted $operator '$want'"
	if holds "$got" "$operator" "$want"; then
		ktap_test_pass "$claim"
	else
		ktap_test_fail "$claim"
	fi
}

are_numbers()
{
	local number='^-?[0-9]+$'

	[[ $1 =~ $number && $2 =~ $number ]]
}

holds()
{
	case $2 in
	is)
		[ -n "$1" ] && [ "$1" = "$3" ]
		;;
	lt)
		are_numbers "$1" "$3" && [ "$1" -lt "$3" ]
		;;
	le)
		are_numbers "$1" "$3" && [ "$1" -le "$3" ]
		;;
	gt)
		are_numbers "$1" "$3" && [ "$1" -gt "$3" ]
		;;
	ge)
		are_numbers "$1" "$3" && [ "$1" -ge "$3" ]
		;;
	*)
		give_up "no operator '$2'"
		;;
	esac
}
