# SPDX-License-Identifier: GPL-2.0
#
# Loads that fio cannot be: sourced by guest.sh, which calls prepare_NAME before
# the scheduler is set and run_NAME, in its own shell, once the warm-up is over.
# run_NAME JOB ARGUMENTS... may leave a log like fio's in $out/logs/JOB_lat.log.

mount=/mnt
: "${out:?is set by guest.sh}"

# Time of day in ms.
now_ms()
{
	local us=${EPOCHREALTIME/./}

	echo $((us / 1000))
}

# Content goes through standard input and is lost; JOB's log gets a line for each
# piece that arrives: how long it took to come. No module of perl's is needed for
# the time: 228 is clock_gettime on x86_64, 0 the time of day.
meter()
{
	perl -e '
		sub now {
			my $time = pack("qq", 0, 0);
			syscall(228, 0, $time);
			my ($s, $ns) = unpack("qq", $time);
			return $s * 1e9 + $ns;
		}
		open(my $log, ">", $ARGV[0]) or die;
		my $before = now();
		while ((my $size = sysread(STDIN, my $data, 131072)) > 0) {
			my $now = now();
			printf $log "%d, %d, 0, %d, 0\n", $now / 1e6,
				$now - $before, $size;
			$before = $now;
		}' "$out/logs/$1_lat.log"
}

# tree NAME FOLDERS FILES: so many folders of so many files of 16 KiB; ext4 spreads
# the folders over the disk. No process is started for a file.
tree()
{
	local folder file blob

	printf -v blob '%16384s' ''
	for ((folder = 0; folder < $2; folder++)); do
		mkdir -p "$mount/$1/$folder"
		for ((file = 0; file < $3; file++)); do
			printf '%s' "$blob" >"$mount/$1/$folder/$file"
		done
	done
}

# find | xargs cat over a tree: FOLDERS FILES
prepare_findcat()
{
	tree findcat "$@"
}

run_findcat()
{
	find "$mount/findcat" -type f -print0 | xargs -0 cat | meter "$1"
}

# A new file of so many MiB, and fsync.
prepare_writesync()
{
	:
}

run_writesync()
{
	dd if=/dev/zero of="$mount/writesync" bs=1M count="$2" conv=fsync \
		status=none
}

# A build without a compiler: for each of STEPS steps, FILES small files that
# nobody has read yet, 40 ms as if computing, one small file written.
prepare_build()
{
	tree build "$1" "$2"
	mkdir -p "$mount/objects"
}

run_build()
{
	local step blob

	printf -v blob '%16384s' ''
	for ((step = 0; step < $2; step++)); do
		cat "$mount/build/$step"/* >/dev/null || return
		pause 0.04
		printf '%s' "$blob" >"$mount/objects/$step"
	done
}

# tar x without tar: new files of 16 KiB, all the time.
prepare_untar()
{
	:
}

run_untar()
{
	local round

	for ((round = 0; ; round++)); do
		tree "untar$((round % 4))" 20 50
	done
}

# ls -lR of a tree that does not stay in memory, all the time.
prepare_list()
{
	tree list "$@"
}

run_list()
{
	while :; do
		ls -lR "$mount/list" >/dev/null
		echo 2 >/proc/sys/vm/drop_caches
	done
}

prepare_sync()
{
	:
}

run_sync()
{
	sync
}

# Debian's dbench with its own load file: so many clients for the cell's time.
prepare_dbench()
{
	mkdir -p "$mount/dbench"
}

# shellcheck disable=SC2154
run_dbench()
{
	dbench -c /client.txt -D "$mount/dbench" -t "$seconds" "$2" >"$out/dbench"
}

# The disk's scheduler and none in turns, so many times. The variables are those
# of guest.sh.
prepare_switches()
{
	:
}

# shellcheck disable=SC2154
run_switches()
{
	local round

	for ((round = 0; round < $2; round += 2)); do
		echo none >"$queue/scheduler" || return
		echo "${scheduler%-ll0}" >"$queue/scheduler" || return
	done
}

# What the scheduler holds in memory, in bytes: of each request more in its pool,
# and of each of PROCESSES processes that have read and are still there. What the
# kernel holds of them without a scheduler is taken off. The variables are guest.sh's.
prepare_memory()
{
	:
}

# shellcheck disable=SC2154
run_memory()
{
	local name=${scheduler%-ll0} small=64 large=2048 before alone with request=0

	if [ "$name" != none ]; then
		echo $small >"$queue/nr_requests" || return
		before=$(memory_kb MemFree)
		echo $large >"$queue/nr_requests" || return
		request=$(((before - $(memory_kb MemFree)) * 1024 / (large - small)))
	fi
	echo none >"$queue/scheduler" || return
	alone=$(crowd_kb "$2") || return
	echo "$name" >"$queue/scheduler" || return
	with=$(crowd_kb "$2") || return
	echo "request_bytes $request
process_bytes $(((with - alone) * 1024 / $2))" >"$out/memory"
}

# memory_kb KEY: a line of /proc/meminfo
memory_kb()
{
	local key value

	while read -r key value _; do
		[ "$key" != "$1:" ] || { echo "$value"; return; }
	done </proc/meminfo
	return 1
}

# crowd_kb PROCESSES: by how much slabs grow while so many processes, which are
# there already, each read 4 KiB elsewhere on the disk
# shellcheck disable=SC2154
crowd_kb()
{
	echo 0 >"$queue/read_ahead_kb" || return
	echo 3 >/proc/sys/vm/drop_caches
	perl -e '
		my ($disk, $processes) = @ARGV;
		my ($begun, $go, $done, $said, $end, $hold, $file, $byte);
		sub slabs {
			open(my $file, "<", "/proc/meminfo") or die;
			my ($kb) = join("", <$file>) =~ /^Slab: +(\d+)/m or die;
			return $kb;
		}
		pipe($begun, $go) && pipe($done, $said) && pipe($end, $hold) or die;
		for my $number (0 .. $processes - 1) {
			my $pid = fork();
			defined($pid) or die;
			next if $pid;
			close($_) for $go, $hold, $done;
			sysread($begun, $byte, 1);
			my $well = open($file, "<", $disk) &&
				sysseek($file, $number << 20, 0) &&
				(sysread($file, $byte, 4096) // 0) == 4096;
			syswrite($said, $well ? "+" : "-");
			sysread($end, $byte, 1);
			exit(0);
		}
		my $before = slabs();
		close($go);
		for (1 .. $processes) {
			sysread($done, $byte, 1) && $byte eq "+" or die "no read";
		}
		print slabs() - $before, "\n";
		close($hold);
		1 while wait() > 0;
	' "/dev/$disk" "$1"
}
