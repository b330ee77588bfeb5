#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The disk models as block devices: what fio sees of a disk is what its closed
# form says, knobs refuse what is no disk, content is kept, and a disk can go
# away under I/O.  What is kept outside the kernel's memory is tested if the
# kernel was booted with memmap=SIZE$ADDRESS.  The models alone are tested on the host, more exactly
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
export LC_ALL=C

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
	if text=$(bash -c "$*" 2>&1); then
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
	run_fio "$@" | perl -ane 'printf "%.5f", $F[1] / $F[0] if $F[0]'
}

# fio_write_ms DISK ARGUMENTS...: mean latency of a write, milliseconds
fio_write_ms()
{
	run_fio "$@" > "$tmp/total" &&
		perl -F';' -ane 'printf "%.4f", $F[80] / 1000' "$tmp/fio"
}

# knobs DISK MODEL: all of them, as NAME=VALUE
knobs()
{
	local knob

	for knob in "$top/$1/$2"/*; do
		echo "${knob##*/}=$(cat "$knob")"
	done
}

# formula WHAT DISK: the closed form of a rotating disk, from the knobs
formula()
{
	local args

	mapfile -t args < <(knobs "$2" rotational)
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

# flash_formula WHAT DISK [KIB]: the closed form of a flash disk or card, in ms
# per 4 KiB; stream and write are of requests of so many KiB
flash_formula()
{
	local args model

	model=$(value "$2" model)
	mapfile -t args < <(knobs "$2" "$model")
	perl -e '
	my ($what, $kib) = (shift, shift);
	my %k = map { split /=/ } @ARGV;
	sub carry {
		my ($bytes, $rate) = @_;
		return $rate ? 1e9 * $bytes / $rate : 0;
	}
	sub read_ns {
		return $k{command_ns} + $k{latency_ns} + $k{read_ns} +
		       carry(4096, $k{channel_bytes_per_s}) +
		       carry(4096, $k{link_bytes_per_s});
	}
	# part of a block that is valid: (1 - v) / -ln v = u
	sub valid {
		my $u = $k{utilisation_permille} / (1000 + $k{spare_permille});
		my ($low, $high) = (0, 1);
		for (1 .. 60) {
			my $v = ($low + $high) / 2;
			(1 - $v) / -log($v) > $u ? ($high = $v) : ($low = $v);
		}
		return $low;
	}
	sub program_ns {
		my $v = $k{gc} ? valid() : 0;
		my $copies = $v / (1 - $v);
		my $unit = $k{program_sectors};
		my $ns = $k{program_ns} +
			carry($unit * 512, $k{channel_bytes_per_s}) +
			$copies * ($k{read_ns} + $k{program_ns});
		$ns += (1 + $copies) * $k{erase_ns} * $unit /
			$k{block_sectors} if $k{gc};
		return $ns / $k{dies} * 8 / $unit;
	}
	sub card_write_ns {
		my $bytes = shift;
		return $k{command_ns} + $k{write_ns} +
		       carry($bytes, $k{write_bytes_per_s});
	}
	my %form = (
		read => \&read_ns,
		controller => sub { $k{command_ns} },
		link => sub { carry(4096, $k{link_bytes_per_s}) },
		program => \&program_ns,
		card_read => sub {
			$k{command_ns} + $k{read_ns} +
			carry(4096, $k{read_bytes_per_s})
		},
		card_random => sub {
			card_write_ns(4096) + $k{erase_ns} +
			carry($k{block_sectors} * 512 - 4096,
			      $k{copy_bytes_per_s})
		},
		card_stream => sub {
			card_write_ns($kib * 1024) * 4 / $kib +
			$k{erase_ns} * 8 / $k{block_sectors}
		},
	);
	printf "%.5f", $form{$what}->() / 1e6;' "$1" "${3:-4}" "${args[@]}"
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

test_flash()
{
	local before busy

	make model0 nvme && [ -b /dev/model0 ] &&
		[ "$(value model0 model)" = flash ]
	check "an nvme becomes a block device" $?
	[ "$(cat /sys/block/model0/queue/rotational)" = 0 ] &&
		[ "$(cat /sys/block/model0/queue/write_cache)" = \
			"write through" ] &&
		[ "$(cat /sys/block/model0/queue/discard_max_bytes)" -gt 0 ]
	check "not rotational, nothing to flush, knows discards" $?
	# 0.1 ms, so the host's own share shows
	near "nvme: depth-1 random reads, ms" \
		"$(flash_formula read model0)" \
		"$(fio_ms model0 --rw=randread --number_ios=3000)" 20
	near "nvme: random reads at depth 32: the controller's rate, ms" \
		"$(flash_formula controller model0)" \
		"$(fio_ms model0 --rw=randread --ioengine=libaio --iodepth=32 \
			--number_ios=20000)" 3
	near "nvme: sequential reads: the link's rate, ms per 4 KiB" \
		"$(flash_formula link model0)" \
		"$(fio_ms model0 --rw=read --bs=64k --ioengine=libaio \
			--iodepth=32 --size=512m)" 3
	before=$(value model0 counters/copied_sectors)
	# the buffer swallows 8 MiB of the 512 at once
	near "nvme, full: writes at the dies' rate less cleaning, ms per 4 KiB" \
		"$(flash_formula program model0)" \
		"$(fio_ms model0 --rw=write --bs=64k --ioengine=libaio \
			--iodepth=32 --zero_buffers --size=512m)" 4
	[ "$before" = 0 ] &&
		[ "$(value model0 counters/copied_sectors)" -gt 1048576 ]
	check "and the copies are counted" $?
	busy=$(value model0 counters/die_busy_ns | perl -ane '
		print scalar(grep { $_ > 1e9 } @F), " of ", scalar(@F)')
	[ "$busy" = "8 of 8" ]
	check "each die has its busy time: $busy" $?
	remove model0

	make model0 nvme flash/read_ns=2000000 flash/gc=0 &&
		near "nvme with reads of 2 ms: depth-1 random reads, ms" \
			"$(flash_formula read model0)" \
			"$(fio_ms model0 --rw=randread --number_ios=1000)" 2
	near "nvme without cleaning: writes at the dies' rate, ms per 4 KiB" \
		"$(flash_formula program model0)" \
		"$(fio_ms model0 --rw=write --bs=64k --ioengine=libaio \
			--iodepth=32 --zero_buffers --size=1g)" 4
	remove model0
}

test_sata_ssd()
{
	local before

	make model0 sata-ssd &&
		[ "$(cat /sys/block/model0/queue/write_cache)" = \
			"write back" ] &&
		[ "$(cat /sys/block/model0/queue/fua)" = 1 ]
	check "a sata-ssd has a write cache and knows FUA" $?
	near "sata-ssd: sequential reads: the link's rate, ms per 4 KiB" \
		"$(flash_formula link model0)" \
		"$(fio_ms model0 --rw=read --bs=64k --ioengine=libaio \
			--iodepth=32 --size=256m)" 3
	before=$(value model0 counters/programs)
	fio_ms model0 --rw=randwrite --zero_buffers --number_ios=20 \
		--fsync=1 > "$tmp/ms"
	[ "$(value model0 counters/flushes)" -ge 19 ] &&
		[ $(($(value model0 counters/programs) - before)) -ge 19 ]
	check "an fsync reaches the disk, which programs what it has" $?
	above "and takes a program's time" 0.7 "$(cat "$tmp/ms")"
	remove model0
}

test_stick()
{
	local own wait_ms

	make model0 sdcard && [ "$(value model0 model)" = stick ]
	check "an sdcard becomes a block device" $?
	own=$(fio_ms model0 --rw=randread --number_ios=1000)
	near "sdcard: random reads, ms" "$(flash_formula card_read model0)" \
		"$own" 3
	# The first five find blocks to open; then one must be closed for each. How
	# much is copied for one depends on where it lies: 1 % over a hundred.
	fio_ms model0 --rw=randwrite --zero_buffers --number_ios=5 > "$tmp/ms"
	near "sdcard: random 4 KiB writes, ms" \
		"$(flash_formula card_random model0)" \
		"$(fio_ms model0 --rw=randwrite --zero_buffers --randseed=1 \
			--number_ios=100)" 4
	# the host writes, then looks whether it is all zeros, then waits
	near "sdcard: sequential 64 KiB writes, ms per 4 KiB" \
		"$(flash_formula card_stream model0 64)" \
		"$(fio_ms model0 --rw=write --bs=64k --zero_buffers \
			--offset=1g --size=128m)" 5
	echo 5000000000 > "$top/model0/stall_ns"
	wait_ms=$(fio_ms model0 --rw=randread --number_ios=1)
	# it begins before fio does
	above "a stall of 5 s on request: the next read waits for its end" \
		4000 "$wait_ms"
	above "and no longer" "$wait_ms" 5010
	[ "$(value model0 counters/stalls)" = 1 ] &&
		[ "$(value model0 counters/stall_ns)" = 5000000000 ]
	check "the stall is counted" $?
	refused "Invalid argument" "echo 60000000001 > $top/model0/stall_ns"
	check "a stall of more than a minute is refused" $?
	remove model0
	make model0 sdcard stick/stall_period=100 stick/stall_ns=100000000 &&
		near "a stall of 0.1 s every 100 reads: 10 in 1050, ms each" \
			"$(perl -e 'print $ARGV[0] + 1e3 / 1050' "$own")" \
			"$(fio_ms model0 --rw=randread --number_ios=1050)" 3
	remove model0
}

# is_refused FILE VALUE: the write fails as a bad value does; no new process
is_refused()
{
	if { echo "$2" > "$1"; } 2> "$tmp/refused"; then
		ktap_print_msg "'$2' is not refused: $1"
		return 1
	fi
	grep -q "Invalid argument" "$tmp/refused"
}

# sync_write DISK: ten writes that must be on the medium
sync_write()
{
	dd if=/dev/zero of="/dev/$1" bs=4k count=10 oflag=direct,dsync \
		conv=notrunc 2>/dev/null
}

test_fua_switch()
{
	# the file of a block device adds a flush of its own to each of them
	make model0 sata7200 && sync_write model0 &&
		[ "$(value model0 counters/writes)" = 10 ] &&
		[ "$(value model0 counters/flushes)" = 10 ] &&
		[ "$(value model0 counters/destaged_sectors)" = 0 ]
	check "synchronous writes go to the medium, past the cache" $?
	remove model0
	make model0 sata7200 rotational/fua=0 && sync_write model0 &&
		[ "$(cat /sys/block/model0/queue/fua)" = 0 ] &&
		[ "$(value model0 counters/flushes)" = 20 ] &&
		[ "$(value model0 counters/destaged_sectors)" = 80 ]
	check "fua off: through the cache, and a flush more for each" $?
	remove model0
}

test_bad_values()
{
	local dir=$top/model0 file old bad failed=0 tried=0

	mkdir "$dir"
	for file in "$dir"/{rotational,flash,stick}/* \
		    "$dir"/{block_bytes,request_sectors_max,store} \
		    "$dir"/store_{max_mb,region_start,region_mb}; do
		old=$(< "$file")
		for bad in -1 18446744073709551615 abc ''; do
			is_refused "$file" "$bad" || failed=1
			tried=$((tried + 1))
		done
		[ "$(< "$file")" = "$old" ] || failed=1
	done
	ktap_print_msg "$tried bad values"
	check "each knob refuses bad values and keeps its own" $failed

	failed=0
	for bad in sata72000 nonesuch '' 'sata7200 x' aaaaaaaaaaaaaaaaaaaaaaaaaaa; do
		refused "Invalid argument" "echo '$bad' > $dir/preset" || failed=1
	done
	check "an unknown preset is refused" $failed
	failed=0
	for bad in floppy '' 'flash x' aaaaaaaaaaaaaaaaaaaaaaaaaaa; do
		refused "Invalid argument" "echo '$bad' > $dir/model" || failed=1
	done
	echo stick > "$dir/model" && [ "$(value model0 model)" = stick ] ||
		failed=1
	refused "No such device" "echo 1000 > $dir/stall_ns" || failed=1
	check "so is an unknown model, and a stall while off" $failed
	echo sata7200 > "$dir/preset"

	failed=0
	echo 0 > "$dir/rotational/segments"
	refused "Invalid argument" "echo 1 > $dir/power" || failed=1
	[ ! -e /dev/model0 ] || failed=1
	check "half a read-ahead buffer does not power on" $failed

	failed=0
	echo nvme > "$dir/preset"
	echo 3 > "$dir/flash/channels"
	refused "Invalid argument" "echo 1 > $dir/power" || failed=1
	echo 4 > "$dir/flash/channels"
	# ordinary memory: the first MiB above the old PC's
	echo 0x100000 > "$dir/store_region_start"
	echo 1 > "$dir/store_region_mb"
	refused "Invalid argument" "echo 1 > $dir/power" || failed=1
	echo 0 > "$dir/store_region_mb"
	echo 0x100800 > "$dir/store_region_start"
	refused "Invalid argument" "echo 1 > $dir/power" || failed=1
	echo 0 > "$dir/store_region_start"
	echo 1 > "$dir/power" || failed=1
	refused "Operation not supported" "echo 1000 > $dir/stall_ns" || failed=1
	echo 0 > "$dir/power"
	check "nor do odd dies, nor a store in the kernel's own memory" $failed

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

test_store_switch()
{
	make model0 nvme store=0
	dd if=/dev/urandom of=/dev/model0 bs=1M count=2 oflag=direct \
		conv=notrunc 2>/dev/null &&
		[ "$(value model0 counters/write_sectors)" = 4096 ] &&
		[ "$(value model0 counters/store_bytes)" = 0 ]
	check "store off: nothing is kept" $?
	dd if=/dev/model0 bs=1M count=2 iflag=direct 2>/dev/null |
		cmp -n $((2 << 20)) - /dev/zero
	check "and reads bring zeros" $?
	remove model0
}

test_discard()
{
	make model0 nvme
	dd if=/dev/urandom of=/dev/model0 bs=1M count=4 oflag=direct 2>/dev/null
	[ "$(value model0 counters/store_bytes)" = $((4 << 20)) ] &&
		run_fio model0 --rw=trim --bs=1m --offset=1m --size=2m \
			> "$tmp/trim" &&
		[ "$(value model0 counters/store_bytes)" = $((2 << 20)) ] &&
		[ "$(value model0 counters/discard_sectors)" = 4096 ]
	check "a discard frees what it covers and no more" $?
	dd if=/dev/model0 bs=1M skip=1 count=2 iflag=direct 2>/dev/null |
		cmp -n $((2 << 20)) - /dev/zero
	check "which reads as zeros" $?
	remove model0
}

# What lies in memory= set aside is read back, and takes none of the kernel's.
test_region()
{
	local word size start failed=0

	for word in $(< /proc/cmdline); do
		case $word in
		memmap=*M\$*M)	size=${word#memmap=} ;;
		esac
	done
	if [ -z "$size" ]; then
		ktap_test_skip "content outside the kernel's memory: no memmap="
		ktap_test_skip "content outside the kernel's memory: no memmap="
		return
	fi
	start=${size#*\$}
	start=$((${start%M} << 20))
	size=${size%%M*}
	make model0 nvme store_region_start="$start" store_region_mb="$size" &&
		mkdir "$top/model1" || failed=1
	echo "$start" > "$top/model1/store_region_start"
	echo "$size" > "$top/model1/store_region_mb"
	refused "Device or resource busy" "echo 1 > $top/model1/power" ||
		failed=1
	remove model1
	check "one region serves one disk" $failed
	failed=0
	dd if=/dev/urandom of="$tmp/in" bs=1M count=2 2>/dev/null
	# twice, with a discard between: pages are used again
	for _ in 1 2; do
		dd if="$tmp/in" of=/dev/model0 bs=1M seek=7 oflag=direct \
			conv=notrunc 2>/dev/null
		dd if=/dev/model0 bs=1M skip=7 count=2 iflag=direct \
			2>/dev/null | cmp - "$tmp/in" || failed=1
		[ "$(value model0 counters/store_bytes)" = $((2 << 20)) ] ||
			failed=1
		run_fio model0 --rw=trim --bs=1m --offset=7m --size=2m \
			> "$tmp/trim"
	done
	dd if=/dev/urandom of=/dev/model0 bs=1M count=$((size + 1)) \
		oflag=direct 2> "$tmp/dd" && failed=1
	[ "$(value model0 counters/store_bytes)" = $((size << 20)) ] || failed=1
	check "content outside the kernel's memory is kept, up to its size" \
		$failed
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

ktap_set_plan 64
test_queue
test_times
test_switches
test_flash
test_sata_ssd
test_stick
test_fua_switch
test_bad_values
test_content
test_store_switch
test_discard
test_region
test_teardown
ktap_finished
