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
