#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One run, in the guest: guest.sh DIR OUT. DIR/plan says what it is (jobs.py
# writes it), DIR/jobs.fio are its fio jobs. Leaves in OUT: logs/ (one line per
# I/O), fio.json, samples, params and info of the disk; with an error, "reason".
# On a real disk (device "real") it makes nothing, and leaves the queue as found.
set -u

dir=$1 out=$2
disk='' device='' model='' second='' depth='' service_us='' queues='' phase_permille=''
scheduler='' fs='' files='' file_mb='' nr_requests='' request_sectors_max=''
wbt_lat_usec=''
sysctls='' sample_s='' limit_s='' programs='' warm_s='' seconds=''
# shellcheck source=/dev/null
. "$dir/plan" || exit 1
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$dir/programs.sh" || exit 1
config=/sys/kernel/config/diskmodel/$disk
nullb=/sys/kernel/config/nullb/$disk
queue=/sys/block/$disk/queue

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkfifo "$work/never" || exit 1
exec 9<>"$work/never"

# Waits by bash alone: nobody ever writes to that fifo.
pause()
{
	read -r -t "$1" -u 9
}

fail()
{
	echo "$*" >"$out/reason"
	echo "@fail $*"
	exit 1
}

# Another disk beside the one that is looked at, under the same scheduler.
make_second()
{
	local folder=${config%/*}/modelsecond

	mkdir "$folder" || fail "the disk-model module made no second disk"
	echo "$second" 2>/dev/null >"$folder/preset" ||
		fail "preset $second is not in this module"
	echo 1 >"$folder/power" || fail "$second does not switch on"
	echo "${scheduler%-ll0}" >/sys/block/modelsecond/queue/scheduler ||
		fail "no scheduler $scheduler on the second disk"
}

make_model()
{
	local params turn_ns

	insmod "$dir/diskmodel.ko" || fail "the disk-model module does not load"
	mkdir "$config" || fail "the disk-model module made no $disk"
	echo "$device" 2>/dev/null >"$config/preset" ||
		fail "preset $device is not in this module"
	params=$config/$model
	if [ -n "$depth" ]; then
		echo "$depth" >"$params/queue_depth" ||
			fail "$device cannot have depth $depth"
	fi
	if [ -n "$request_sectors_max" ]; then
		echo "$request_sectors_max" >"$config/request_sectors_max" ||
			fail "$device cannot have such requests"
	fi
	if [ -e "$params/phase_ns" ]; then
		turn_ns=$(<"$params/revolution_ns")
		echo $((turn_ns * phase_permille / 1000)) >"$params/phase_ns"
	fi
	echo 1 >"$config/power" || fail "$device does not switch on"
	grep -H . "$params"/* | sed 's,.*/,,; s,:, ,' >"$out/params"
}

make_null()
{
	local irqmode=2

	modprobe null_blk nr_devices=0 || fail "no null_blk"
	[ "$service_us" != 0 ] || irqmode=1
	if ! { mkdir "$nullb" &&
	       echo "$depth" >"$nullb/hw_queue_depth" &&
	       echo $((service_us * 1000)) >"$nullb/completion_nsec" &&
	       echo "$irqmode" >"$nullb/irqmode" &&
	       echo "$queues" >"$nullb/submit_queues" &&
	       echo 0 >"$nullb/poll_queues" &&
	       echo 65536 >"$nullb/size" &&
	       echo 1 >"$nullb/power"; }; then
		fail "null_blk would not make the disk"
	fi
	: >"$out/params"
}

# What is found is put back, also when the run is stopped.
use_real()
{
	local word scheduler_before nr_before

	for word in $(<"$queue/scheduler"); do
		case $word in
		\[*\]) scheduler_before=${word:1:-1} ;;
		esac
	done
	nr_before=$(<"$queue/nr_requests")
	# shellcheck disable=SC2064 # the values of now
	trap "echo $scheduler_before >$queue/scheduler
		echo $nr_before >$queue/nr_requests
		rm -rf $work" EXIT
	# fio first: a scheduler is not changed under its I/O.
	trap 'kill "$fio_pid" && wait "$fio_pid"; exit 1' TERM INT HUP
	: >"$out/params"
}

prepare_programs()
{
	local name program arguments

	while read -r _ _ program arguments; do
		# shellcheck disable=SC2086 # the words are the arguments
		[ -z "$program" ] || "prepare_$program" $arguments ||
			fail "$program cannot be prepared"
	done <<<"$programs"
}

# run_program JOB PROGRAM ARGUMENTS...: in a process of its own, so that it can
# be stopped with what it started. A line in OUT/programs says what it took.
run_program()
{
	local job=$1 program=$2 begin status
	shift 2

	begin=$(now_ms)
	"run_$program" "$job" "$@" >>"$out/log" 2>&1
	status=$?
	echo "$job $begin $(now_ms) $status" >>"$out/programs"
}

# Starts all programs after the warm-up, and stops them when those that end have
# ended or the time is over. No other background jobs than these.
run_programs()
{
	local job kind program arguments watch
	local -a once=() on=()

	pause "$warm_s"
	set -m
	while read -r job kind program arguments; do
		[ -n "$job" ] || continue
		# shellcheck disable=SC2086 # the words are the arguments
		run_program "$job" "$program" $arguments &
		case $kind in
		once) once+=($!) ;;
		*) on+=($!) ;;
		esac
	done <<<"$programs"
	# A program that ends by itself after so long is left a moment more.
	{ pause "$((seconds + 15))"; kill -- "${once[@]/#/-}"; } 2>/dev/null &
	watch=$!
	wait "${once[@]}"
	kill -- "${on[@]/#/-}" "-$watch" 2>/dev/null
	wait
}

# Files of zeros, one after the other, written past the page cache. Without a
# scheduler, so that they lie alike for all. Lazy initialization would go on
# beside the measurement.
make_files()
{
	case $fs in
	raw) return ;;
	ext4) mkfs.ext4 -q -F -N 16384 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard \
		"/dev/$disk" ;;
	ext4-nojournal) mkfs.ext4 -q -F -N 16384 -O ^has_journal \
		-E lazy_itable_init=0,nodiscard "/dev/$disk" ;;
	xfs) mkfs.xfs -q -K -f "/dev/$disk" ;;
	esac || fail "mkfs for $fs failed"
	mkdir -p "$mount"
	mount -t "${fs%%-*}" "/dev/$disk" "$mount" || fail "no mount of $fs"
	# shellcheck disable=SC2016 # fio's own $filenum
	if [ "$file_mb" -gt 0 ] && ! fio --output="$out/log" --name=files \
		--directory="$mount" --filename_format='f$filenum' \
		--nrfiles="$files" --filesize="${file_mb}m" --rw=write --bs=1m \
		--direct=1 --zero_buffers=1 --fallocate=none --create_on_open=1 \
		--file_service_type=sequential; then
		fail "the files do not fit: $(tail -n 1 "$out/log")"
	fi
	prepare_programs
	sync
}

set_queue()
{
	local name=${scheduler%-ll0} active word

	active=$(<"$queue/scheduler")
	case " ${active//[\[\]]/} " in
	*" $name "*) ;;
	*) fail "this kernel has no scheduler $name, only: $active" ;;
	esac
	echo "$name" >"$queue/scheduler"
	active=$(<"$queue/scheduler")
	case $active in
	*"[$name]"*) ;;
	*) fail "scheduler $name was not accepted: $active" ;;
	esac
	if [ "$scheduler" = bfq-ll0 ]; then
		echo 0 >"$queue/iosched/low_latency" || fail "no low_latency"
	fi
	if [ -n "$nr_requests" ]; then
		echo "$nr_requests" >"$queue/nr_requests" ||
			fail "nr_requests $nr_requests was refused"
	fi
	# bfq turns it off by itself, and refuses then.
	if [ -n "$wbt_lat_usec" ] && [ "$name" != bfq ]; then
		echo "$wbt_lat_usec" >"$queue/wbt_lat_usec" ||
			fail "wbt_lat_usec $wbt_lat_usec was refused"
	fi
	for word in $sysctls; do
		echo "${word#*=}" >"/proc/sys/${word%%=*}" ||
			fail "$word was refused"
	done
}

# One line per sample: time, idle and iowait ticks, the disk's reads, sectors
# read, writes, sectors written, dirty kB, and the model's counters in the order
# of OUT/counters. No process is started for it.
sample()
{
	local idle iowait reads rsectors writes wsectors dirty key value file line
	local -a counters=()

	for file in "$config"/counters/*; do
		[ -e "$file" ] && counters+=("$file")
	done
	printf '%s\n' "${counters[@]##*/}" >"$out/counters"
	while :; do
		read -r _ _ _ _ idle iowait _ </proc/stat
		read -r reads _ rsectors _ writes _ wsectors _ \
			<"/sys/block/$disk/stat"
		while read -r key value _; do
			[ "$key" != Dirty: ] || { dirty=$value; break; }
		done </proc/meminfo
		line=
		for file in "${counters[@]}"; do
			read -r value <"$file"
			# Where there is a figure for each part, their sum.
			line+=" $((${value// / + }))"
		done
		echo "$EPOCHREALTIME $idle $iowait $reads $rsectors $writes" \
			"$wsectors $dirty$line"
		pause "$sample_s"
	done
}

run_fio()
{
	local status

	(cd "$work" && exec timeout -k 10 "$limit_s" fio --eta=never \
		--output-format=json --output="$out/fio.json" "$dir/jobs.fio") \
		>>"$out/log" 2>&1 &
	# In the background, or a signal would wait until it has ended.
	fio_pid=$!
	wait "$fio_pid"
	status=$?
	case $status in
	0) return 0 ;;
	124 | 137) fail "fio did not end within $limit_s guest seconds" ;;
	*) fail "fio failed ($status): $(tail -n 1 "$out/log")" ;;
	esac
}

fio_pid=''
mkdir -p "$out/logs"
case $device in
null) make_null ;;
real) use_real ;;
*) make_model ;;
esac
[ -z "$second" ] || make_second
echo none >"$queue/scheduler"
make_files
set_queue
if [ "$device" = real ]; then
	blockdev --flushbufs "/dev/$disk"
else
	echo 3 >/proc/sys/vm/drop_caches
fi
{
	echo "nr_requests $(<"$queue/nr_requests")"
	echo "rotational $(<"$queue/rotational")"
	echo "wbt_lat_usec $(cat "$queue/wbt_lat_usec" 2>/dev/null || echo -)"
	echo "release $(uname -r)"
	echo "cpus $(nproc)"
} >"$out/info"
sample >"$out/samples" &
sampler=$!
: >"$out/programs"
if [ -n "$programs" ]; then
	(run_programs) &
	programs_pid=$!
fi
if grep -q '^rw=' "$dir/jobs.fio"; then
	run_fio
fi
if [ -n "$programs" ]; then
	wait "$programs_pid"
fi
kill "$sampler"
wait "$sampler" 2>/dev/null
cat "$config/counters/store_refused" >"$out/store_refused" 2>/dev/null
echo "@done"
