#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The disk models as block devices: what fio sees of a disk is what its closed
# form says, knobs refuse what is no disk, content is kept, and a disk can go
# away under I/O.  The models alone are tested on the host, more exactly
# (tools/testing/fairway/models).
#
# Works in any kernel >= 6.12 as root; needs fio, perl and the module, either
# models/diskmodel.ko beside this script or installed.

here=$(dirname "$(readlink -f "$0")")
for helpers in "$here/../kselftest" "$here/../../kselftest"; do
	[ -e "$helpers/ktap_helpers.sh" ] && break
done
# shellcheck source=/dev/null
. "$helpers/ktap_helpers.sh" || exit 1

top=/sys/kernel/config/diskmodel
tmp=$(mktemp -d) || exit 1
loaded=0

cleanup()
{
	local dir

	jobs -p | xargs -r kill 2>/dev/null
	wait
	for dir in "$top"/model*; do
		[ -d "$dir" ] && rmdir "$dir"
	done
	[ "$loaded" = 1 ] && rmmod diskmodel
	rm -rf "$tmp"
}

load_module()
{
	[ -d "$top" ] && return 0
	for ko in "$here/models/diskmodel.ko" "$here/diskmodel.ko"; do
		if [ -e "$ko" ]; then
			modprobe -q configfs
			insmod "$ko" && loaded=1
			return
		fi
	done
	modprobe -q diskmodel && loaded=1
}

# make NAME PRESET [KNOB=VALUE...]: a disk, powered on
make()
{
	local dir=$top/$1 preset=$2 knob

	shift 2
	mkdir "$dir" && echo "$preset" > "$dir/preset" || return 1
	for knob in "$@"; do
		echo "${knob#*=}" > "$dir/${knob%%=*}" || return 1
	done
	echo 1 > "$dir/power" || return 1
	echo none > "/sys/block/${dir##*/}/queue/scheduler"
}

remove()
{
	rmdir "$top/$1"
}

value()
{
	cat "$top/$1/$2"
}

# refused ERROR COMMAND...: COMMAND fails, and for this reason
refused()
{
	local reason=$1 text

	shift
	if text=$(LC_ALL=C bash -c "$*" 2>&1); then
		ktap_print_msg "not refused: $*"
		return 1
	fi
	case $text in
	*"$reason"*)	return 0 ;;
	esac
	ktap_print_msg "refused with '$text' instead of '$reason': $*"
	return 1
}

# check CLAIM STATUS
check()
{
	if [ "$2" -eq 0 ]; then
		ktap_test_pass "$1"
	else
		ktap_test_fail "$1"
	fi
}

# near CLAIM EXPECTED MEASURED PERCENT; what is no number is a failure
near()
{
	perl -e '
		my ($expected, $measured, $percent) = @ARGV;
		for ($expected, $measured) {
			next if /^\d+(\.\d+)?$/ && $_ > 0;
			print "# no number: \"$_\"\n";
			exit 1;
		}
		my $off = 100 * ($measured - $expected) / $expected;
		printf "# expected %s, measured %s, off by %.2f %% of at most %s %%\n",
			$expected, $measured, $off, $percent;
		exit !(abs($off) <= $percent);' "$2" "$3" "$4"
	check "$1" $?
}

# above CLAIM SMALLER LARGER: both numbers
above()
{
	perl -e 'for (@ARGV) { exit 1 unless /^\d+(\.\d+)?$/ }
		 print "# $ARGV[0] < $ARGV[1]?\n"; exit !($ARGV[0] < $ARGV[1])' \
		"$2" "$3"
	check "$1" $?
}

# run_fio DISK ARGUMENTS...: prints "I/Os milliseconds"
run_fio()
{
	local disk=$1

	shift
	fio --minimal --name=t --filename="/dev/$disk" --direct=1 \
		--norandommap --randseed=4711 --bs=4k "$@" > "$tmp/fio" ||
		return 1
	# terse version 3: 6 and 47 KiB, 9 and 50 runtime, by 4 KiB
	perl -F';' -ane 'printf "%d %d\n", ($F[5] + $F[46]) / 4,
		$F[8] > $F[49] ? $F[8] : $F[49]' "$tmp/fio"
}

# fio_ms DISK ARGUMENTS...: milliseconds per 4 KiB
fio_ms()
{
	run_fio "$@" | perl -ane 'printf "%.4f", $F[1] / $F[0] if $F[0]'
}

# fio_write_ms DISK ARGUMENTS...: mean latency of a write, milliseconds
fio_write_ms()
{
	run_fio "$@" > "$tmp/total" &&
		perl -F';' -ane 'printf "%.4f", $F[80] / 1000' "$tmp/fio"
}

# formula WHAT DISK: the closed form, from the knobs
formula()
{
	local knob args=()

	for knob in "$top/$2"/rotational/*; do
		args+=("${knob##*/}=$(cat "$knob")")
	done
	perl -e '
	my $what = shift;
	my %k = map { split /=/ } @ARGV;
	sub curve {
		my $x = shift;
		return 0 if $x <= 0 || !$k{seek};
		my $knee = $k{seek_knee_permille} / 1000;
		my $root = sub {
			$k{seek_settle_ns} + $k{seek_sqrt_ns} * sqrt(shift)
		};
		return $root->($x) if $x <= $knee;
		my $t = $root->($knee);
		return $t + ($k{seek_full_ns} - $t) * ($x - $knee) / (1 - $knee);
	}
	sub rate {
		my $z = shift;
		return $k{outer_bytes_per_s} if $k{zones} < 2;
		return $k{outer_bytes_per_s} - $z / ($k{zones} - 1) *
		       ($k{outer_bytes_per_s} - $k{inner_bytes_per_s});
	}
	# two random sectors; a zone has the more the faster it is
	sub seek_mean {
		my ($n, $all, $sum) = (300, 0, 0);
		my @w = map { $k{tracks} ? rate(int($_ * $k{zones} / $n)) : 1 }
			0 .. $n - 1;
		$all += $_ for @w;
		for my $i (0 .. $n - 1) {
			for my $j (0 .. $n - 1) {
				my $d = $i == $j ? 1 / 3 : abs($i - $j);
				$sum += $w[$i] * $w[$j] * curve($d / $n);
			}
		}
		return $sum / $all / $all;
	}
	sub random_ns {
		my $sum = 0;
		$sum += rate($_) for 0 .. $k{zones} - 1;
		return $k{command_ns} + seek_mean() +
		       4096e9 / ($sum / $k{zones}) +
		       ($k{rotation} ? $k{revolution_ns} / 2 : 0);
	}
	sub stream_ns {
		my $turns = $k{heads} * $k{revolution_ns};
		return 4096e9 / rate(0) * ($turns + $k{cylinder_switch_ns} +
		       ($k{heads} - 1) * $k{head_switch_ns}) / $turns;
	}
	sub cached_ns {
		return $k{hit_ns} + 4096e9 / $k{link_bytes_per_s};
	}
	my %form = (random => \&random_ns, stream => \&stream_ns,
		    cached => \&cached_ns);
	printf "%.4f", $form{$what}->() / 1e6;' "$1" "${args[@]}"
}

test_queue()
{
	local q=/sys/block/model0/queue

	make model0 sata7200 && [ -b /dev/model0 ]
	check "a sata7200 becomes a block device" $?
	[ "$(cat $q/rotational)" = 1 ]
	check "it is rotational" $?
	[ "$(cat $q/write_cache)" = "write back" ] && [ "$(cat $q/fua)" = 1 ]
	check "it has a write cache and knows FUA" $?
	[ "$(cat /sys/block/model0/size)" = 976773168 ]
	check "it has its capacity" $?
}

test_times()
{
	local one many ns before

	before=$(value model0 counters/reads)
	one=$(fio_ms model0 --rw=randread --number_ios=3000)
	near "sata7200: depth-1 random reads, ms" \
		"$(formula random model0)" "$one" 3
	[ "$(value model0 counters/reads)" = $((before + 3000)) ]
	check "the disk counted each of them" $?
	near "sata7200: sequential reads in the first zone, ms per 4 KiB" \
		"$(formula stream model0)" \
		"$(fio_ms model0 --rw=read --bs=64k --size=256m)" 3
	many=$(fio_ms model0 --rw=randread --ioengine=libaio --iodepth=32 \
		--number_ios=3000)
	# 2.0 on the host, with the same ageing; the host adds to both here
	above "sata7200: a queue of 32 speeds random reads up" \
		"$(perl -e 'print 1.8 * shift' "$many")" "$one"
	# 0.1 ms, so the host's own share shows
	near "sata7200: cached write, ms" "$(formula cached model0)" \
		"$(fio_write_ms model0 --rw=randwrite --zero_buffers \
			--number_ios=100)" 25

	before=$(value model0 counters/flushes)
	one=$(fio_ms model0 --rw=randwrite --zero_buffers --number_ios=20 \
		--fsync=1)
	many=$(($(value model0 counters/flushes) - before))
	ktap_print_msg "$many flushes for 20 writes"
	[ "$many" -ge 19 ]
	check "an fsync reaches the disk as a flush" $?
	above "and takes the time of the medium" 4 "$one"
	ns=$(($(value model0 counters/seek_ns) +
		$(value model0 counters/rotation_ns) +
		$(value model0 counters/transfer_ns)))
	[ "$ns" -gt 0 ] && [ "$(value model0 counters/held_max)" = 32 ]
	check "its counters tell where the time went" $?
	remove model0
}

test_switches()
{
	make model0 ide2002 &&
		near "ide2002: depth-1 random reads, ms" \
			"$(formula random model0)" \
			"$(fio_ms model0 --rw=randread --number_ios=3000)" 3
	remove model0
	make model0 ide2002 rotational/rotation=0 &&
		near "ide2002 without rotation: half a turn less, ms" \
			"$(formula random model0)" \
			"$(fio_ms model0 --rw=randread --number_ios=3000)" 3
	remove model0
	make model0 seekdisk &&
		near "seekdisk: depth-1 random reads, ms" \
			"$(formula random model0)" \
			"$(fio_ms model0 --rw=randread --number_ios=3000)" 3
	remove model0
}

test_bad_values()
{
	local dir=$top/model0 file old bad failed=0 tried=0

	mkdir "$dir"
	for file in "$dir"/rotational/* "$dir"/{block_bytes,store,store_max_mb} \
		    "$dir"/request_sectors_max; do
		old=$(cat "$file")
		for bad in -1 18446744073709551615 abc ''; do
			refused "Invalid argument" "echo '$bad' > $file" ||
				failed=1
			tried=$((tried + 1))
		done
		[ "$(cat "$file")" = "$old" ] || failed=1
	done
	ktap_print_msg "$tried bad values"
	check "each knob refuses bad values and keeps its own" $failed

	failed=0
	for bad in sata72000 nonesuch '' 'sata7200 x' aaaaaaaaaaaaaaaaaaaaaaaaaaa; do
		refused "Invalid argument" "echo '$bad' > $dir/preset" || failed=1
	done
	check "an unknown preset is refused" $failed

	failed=0
	echo 0 > "$dir/rotational/segments"
	refused "Invalid argument" "echo 1 > $dir/power" || failed=1
	[ ! -e /dev/model0 ] || failed=1
	check "half a read-ahead buffer does not power on" $failed

	failed=0
	echo seekdisk > "$dir/preset"
	echo 1 > "$dir/power"
	refused "Device or resource busy" \
		"echo 1 > $dir/rotational/queue_depth" || failed=1
	refused "Device or resource busy" "echo ide2002 > $dir/preset" || failed=1
	check "a disk that is on cannot be changed" $failed
	remove model0

	refused "Invalid argument" "mkdir $top/sda" &&
		refused "Invalid argument" \
			"mkdir $top/model_with_a_name_of_32_characters"
	check "names that are not the models' own are refused" $?
}

test_content()
{
	local failed=0

	make model0 ide2002 store_max_mb=2 || failed=1
	dd if=/dev/zero of=/dev/model0 bs=1M count=8 oflag=direct 2>/dev/null &&
		[ "$(value model0 counters/store_bytes)" = 0 ] || failed=1
	check "zeros cost nothing" $failed

	dd if=/dev/urandom of="$tmp/in" bs=512 count=2049 2>/dev/null
	dd if="$tmp/in" of=/dev/model0 bs=512 seek=12345 oflag=direct \
		conv=notrunc 2>/dev/null
	echo 3 > /proc/sys/vm/drop_caches
	dd if=/dev/model0 of="$tmp/out" bs=512 skip=12345 count=2049 \
		iflag=direct 2>/dev/null
	cmp "$tmp/in" "$tmp/out"
	check "what is written is read back, sector by sector" $?
	[ "$(value model0 counters/store_bytes)" -gt 1048576 ]
	check "and its size is counted" $?

	dd if=/dev/zero of=/dev/model0 bs=512 seek=12345 count=2049 \
		oflag=direct conv=notrunc 2>/dev/null
	[ "$(value model0 counters/store_bytes)" -le 8192 ]
	check "zeros over it free it" $?

	failed=0
	dd if=/dev/urandom of=/dev/model0 bs=1M count=4 oflag=direct \
		2> "$tmp/dd" && failed=1
	grep -q "Input/output error" "$tmp/dd" || failed=1
	[ "$(value model0 counters/store_refused)" -gt 0 ] || failed=1
	[ "$(value model0 counters/store_bytes)" -le $((2 << 20)) ] || failed=1
	check "the store's limit fails the write and is counted" $failed
	remove model0
}

# busy DISK: I/O without end in the background, once it is under way; sets $pid
busy()
{
	fio --name=busy --filename="/dev/$1" --direct=1 --rw=randrw \
		--zero_buffers --ioengine=libaio --iodepth=32 --time_based \
		--runtime=1h > "$tmp/busy.$1" 2>&1 &
	pid=$!
	while [ "$(value "$1" counters/reads)" -lt 100 ]; do
		kill -0 "$pid" 2>/dev/null || return 1
		sleep 0.05
	done
}

test_teardown()
{
	local failed=0 pid first second i

	make model0 sata7200 && make model1 seekdisk || failed=1
	busy model0 || failed=1
	first=$pid
	busy model1 || failed=1
	second=$pid
	kill -0 "$first" || failed=1
	check "two disks work side by side" $failed

	echo 0 > "$top/model0/power" && [ ! -b /dev/model0 ]
	check "a disk is powered off under I/O" $?
	remove model1 && [ ! -e /dev/model1 ]
	check "a disk is removed under I/O" $?
	failed=0
	for pid in "$first" "$second"; do
		wait "$pid"
		case $? in
		0|127)	failed=1 ;;
		esac
	done
	for i in 0 1; do
		grep -q "io_u error on file /dev/model$i" "$tmp/busy.model$i" ||
			failed=1
	done
	check "the I/O ends with errors" $failed
	[ "$(value model0 counters/reads)" -ge 100 ]
	check "the counters outlive the disk" $?
	echo 1 > "$top/model0/power" &&
		dd if=/dev/model0 of=/dev/null bs=4k count=1 2>/dev/null
	check "a disk is powered on again" $?
	remove model0
}

ktap_print_header
if [ "$(id -u)" != 0 ] || ! command -v fio > /dev/null ||
   ! command -v perl > /dev/null; then
	ktap_skip_all "needs root, fio and perl"
	exit "$KSFT_SKIP"
fi
if ! load_module; then
	ktap_skip_all "no diskmodel module"
	exit "$KSFT_SKIP"
fi
trap cleanup EXIT

ktap_set_plan 31
test_queue
test_times
test_switches
test_bad_values
test_content
test_teardown
ktap_finished
