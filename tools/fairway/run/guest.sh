#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in the guest: guest.sh DIR. DIR/items has one line per run:
#   id scheduler depth service_ns irqmode nr_requests|- sample_s limit_s wait_s...
# and DIR/ID.N.fio the jobs of its N-th fio, which starts wait_s after the one
# before it. Each run leaves ID.N.json, ID.samples and ID.info in /out and, when
# everything went well, ID.ok. The lines with @ are for the host.
set -u

dir=$1
disk=fwyrun
config=/sys/kernel/config/nullb/$disk
queue=/sys/block/$disk/queue

work=$(mktemp -d) || exit 1
mkfifo "$work/never" || exit 1
exec 9<>"$work/never"

# Waits by bash alone: nobody ever writes to that fifo.
pause()
{
	read -r -t "$1" -u 9
}

# One line per sample: time, idle and iowait ticks, and of the disk: reads,
# sectors read, writes, sectors written. No process is started for it.
sample()
{
	local idle iowait reads rsectors writes wsectors

	while :; do
		read -r _ _ _ _ idle iowait _ </proc/stat
		read -r reads _ rsectors _ writes _ wsectors _ \
			<"/sys/block/$disk/stat"
		echo "$EPOCHREALTIME $idle $iowait" \
			"$reads $rsectors $writes $wsectors"
		pause "$1"
	done
}

make_disk()
{
	local depth=$1 service_ns=$2 irqmode=$3

	mkdir "$config" &&
	echo "$depth" >"$config/hw_queue_depth" &&
	echo "$service_ns" >"$config/completion_nsec" &&
	echo "$irqmode" >"$config/irqmode" &&
	echo 1 >"$config/submit_queues" &&
	echo 0 >"$config/poll_queues" &&
	echo 65536 >"$config/size" &&
	echo 1 >"$config/power"
}

remove_disk()
{
	if [ -d "$config" ]; then
		echo 0 >"$config/power"
		rmdir "$config"
	fi
}

# Prints the reason if it fails.
set_queue()
{
	local scheduler=$1 nr_requests=$2 active

	active=$(<"$queue/scheduler")
	case " ${active//[\[\]]/} " in
	*" $scheduler "*) ;;
	*)
		echo "this kernel has no scheduler $scheduler, only: $active"
		return 1
		;;
	esac
	echo "$scheduler" >"$queue/scheduler"
	active=$(<"$queue/scheduler")
	case $active in
	*"[$scheduler]"*) ;;
	*)
		echo "scheduler $scheduler was not accepted: $active"
		return 1
		;;
	esac
	if [ "$nr_requests" != - ] &&
	   ! echo "$nr_requests" >"$queue/nr_requests"; then
		echo "nr_requests $nr_requests was refused"
		return 1
	fi
}

# Prints the reason if it fails. No other background jobs than fios here.
#
# fio looks for a file in TMPDIR each 10 ms. Below a file that is no folder this
# costs nothing; in a tmpfs each look leaves a name behind that RCU has to free,
# which keeps the tick and a kernel thread busy all the time: half of all that
# the guest does beside a slow disk.
run_fios()
{
	local id=$1 limit_s=$2 number=0 status=0 wait_s pid one
	local -a pids=()
	shift 2

	for wait_s; do
		pause "$wait_s"
		(cd "$work" && TMPDIR=/dev/null exec timeout -k 10 "$limit_s" \
			fio --eta=never --output-format=json+ \
			--output="/out/$id.$number.json" \
			"$dir/$id.$number.fio") >>"/out/$id.log" 2>&1 &
		pids+=($!)
		number=$((number + 1))
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
		one=$?
		[ "$one" -eq 0 ] || status=$one
	done
	case $status in
	0) return 0 ;;
	124 | 137) echo "fio did not end within $limit_s guest seconds" ;;
	*) echo "fio failed ($status): $(tail -n 1 "/out/$id.log")" ;;
	esac
	return 1
}

# Prints the reason if it fails.
run_one()
{
	local id=$1 scheduler=$2 depth=$3 service_ns=$4 irqmode=$5
	local nr_requests=$6 sample_s=$7 limit_s=$8
	local sampler status
	shift 8

	if ! make_disk "$depth" "$service_ns" "$irqmode"; then
		echo "null_blk would not make the disk"
		return 1
	fi
	set_queue "$scheduler" "$nr_requests" || return
	{
		echo "nr_requests $(<"$queue/nr_requests")"
		echo "rotational $(<"$queue/rotational")"
		echo "release $(uname -r)"
		echo "cpus $(nproc)"
	} >"/out/$id.info"

	sample "$sample_s" >"/out/$id.samples" &
	sampler=$!
	run_fios "$id" "$limit_s" "$@"
	status=$?
	kill "$sampler"
	wait "$sampler" 2>/dev/null
	return "$status"
}

modprobe null_blk nr_devices=0 || exit 1
failed=0
while read -r id rest; do
	echo "@start $id $EPOCHREALTIME"
	# shellcheck disable=SC2086 # the fields of the line are the arguments
	reason=$(run_one "$id" $rest </dev/null)
	status=$?
	remove_disk
	if [ "$status" -eq 0 ]; then
		: >"/out/$id.ok"
		echo "@done $id $EPOCHREALTIME"
	else
		echo "$reason" >"/out/$id.failed"
		echo "@fail $id $reason"
		failed=1
	fi
done <"$dir/items"
exit "$failed"
