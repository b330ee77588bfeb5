#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The cases of the soak that have no number: storms of what users and administrators
# do, and faults. Sourced by cases.sh.

# pick WORD...: one of them.
pick()
{
	picked=${*:RANDOM % $# + 1:1}
}

# Numbers at the edges of what a knob takes or a number holds, and what is none.
WRITTEN=(0 1 2 3 4 7 8 16 63 64 100 127 128 250 500 999 1000 1001 5000 8000 10000
	65535 65536 100000 1000000 4294967295 4294967296 18446744073709551615
	18446744073709551616 99999999999999999999999 -1 -4294967295 +5 007 0x10 1e3
	1.5 '' ' ' ' 5' '5 ' '5 6' abc fairway none mq-deadline bfq kyber nonesuch
	' fairway' 'fairway junk' '[fairway]' '%s%n' '../fairway'
	aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)

# Those of queue/ that change how requests come. Not io_timeout: requests that
# rightly end would fail.
QUEUE_KNOBS=(nr_requests max_sectors_kb read_ahead_kb nomerges rq_affinity rotational
	add_random iostats wbt_lat_usec write_cache scheduler)

# Every knob, written anything: it keeps what it took and refuses the rest.
case_knobs()
{
	local dir=/sys/block/btknobs/queue file before after wrong=0 defaults

	n1v btknobs
	defaults=$(grep . "$dir"/iosched/*)
	start_verified btknobs 4 1024
	start_clock
	while time_left 25; do
		pick "${QUEUE_KNOBS[@]/#/$dir/}" "$dir"/iosched/* "$dir"/iosched/*
		file=$picked
		# Gone with a scheduler that was written a moment ago.
		[ -w "$file" ] || continue
		pick "$RANDOM" "${WRITTEN[@]}"
		before=$(<"$file")
		if write "$file" "$picked"; then
			after=$(<"$file")
			[[ $file != */iosched/* ]] || [ "$(scheduler btknobs)" != fairway ] ||
				[ "$after" = "$((10#${picked//[+ ]/}))" ] ||
				{ wrong=$((wrong + 1)); echo "# $file: '$picked' taken, reads '$after'"; }
			count "knob writes taken"
		else
			after=$(<"$file")
			[ "$before" = "$after" ] ||
				{ wrong=$((wrong + 1)); echo "# $file: '$picked' refused, was '$before', is '$after'"; }
			count "knob writes refused"
		fi
		# The others' knobs are not the claim.
		[ "$(scheduler btknobs)" = fairway ] || set_scheduler btknobs fairway
	done
	check "knobs: what is taken reads back, what is refused changes nothing" "$wrong" is 0
	set_scheduler btknobs none
	set_scheduler btknobs fairway
	check "knobs: a switch brings the defaults" "$(grep . "$dir"/iosched/*)" is "$defaults"
	stop_verified btknobs knobs
	check_quiet btknobs knobs
	remove_disk btknobs
}

# Processes that read one block and end; every other shares an I/O context.
case_churn()
{
	local failed=0

	null_disk btchurn hw_queue_depth=8 irqmode=2 completion_nsec=200000
	begin_fairway btchurn
	set_queue btchurn nr_requests 16
	# Two, because each starts its processes one after the other.
	"$HERE/churn" /dev/btchurn 32 1000000 >"$TMP/churned1" &
	churn1=$!
	"$HERE/churn" /dev/btchurn 32 1000000 >"$TMP/churned2" &
	churn2=$!
	start_idle btchurn
	start_switching btchurn 1
	start_clock
	let_run 80
	kill "$churn1" "$churn2"
	wait "$churn1" || failed=1
	wait "$churn2" || failed=1
	check "churn: no process failed" "$failed" is 0
	stop_switching btchurn churn
	stop_idle churn
	count "short processes" "$(figure "$TMP/churned1" processes)"
	count "short processes" "$(figure "$TMP/churned2" processes)"
	count I/Os "$(ios btchurn)"
	check_quiet btchurn churn
	remove_disk btchurn
}

# CPUs that come and go with a line of waiters.
case_cpus()
{
	local cpu failed=0

	cpu=cpu1
	null_disk btcpus memory_backed=1 submit_queues=2 hw_queue_depth=2 irqmode=2 \
		completion_nsec=2000000
	begin_fairway btcpus
	set_queue btcpus nr_requests 4
	# First, as its start would take minutes beside so many who are not niced.
	start_verified btcpus 2 1024
	"$HERE/readers" -n 32 -b 4096 -t 3600 /dev/btcpus >"$TMP/figures" &
	readers=$!
	start_clock
	while time_left 20; do
		cpu_offline "$cpu" || failed=$((failed + 1))
		pause 0.1
		cpu_online "$cpu" || failed=$((failed + 1))
		count "CPUs taken offline"
		switch_round btcpus
	done
	check "cpus: each went and came" "$failed" is 0
	kill "$readers"
	wait "$readers" || give_up "the readers failed"
	stop_verified btcpus cpus
	check_quiet btcpus cpus
	remove_disk btcpus
}

# Requests that are requeued, time out or fail before the scheduler sees them, with
# switches. What failed has failed, and nothing else is lost.
case_faults()
{
	local requeue=$NULLB/btfaults/requeue_inject timeout=$NULLB/btfaults/timeout_inject
	local make=/sys/kernel/debug/fail_make_request

	null_disk btfaults memory_backed=1 hw_queue_depth=64 irqmode=2 \
		completion_nsec=1000000
	begin_fairway btfaults
	write /sys/block/btfaults/queue/io_timeout 2000
	"$HERE/keeper" /dev/btfaults >"$TMP/kept" &
	keeper=$!
	inject "$requeue" probability=20
	inject "$timeout" probability=100 interval=300
	inject "$make" probability=5
	write /sys/block/btfaults/make-it-fail 1
	start_switching btfaults 0.5
	start_clock
	let_run 30
	stop_switching btfaults faults
	write /sys/block/btfaults/make-it-fail 0
	stop_injecting "$make" faults "bios failed"
	stop_injecting "$timeout" faults "requests timed out"
	stop_injecting "$requeue" faults "requests requeued"
	kill "$keeper"
	wait "$keeper"
	check "faults: what was written is read back" "$?" is 0
	sed 's/^/# /' "$TMP/kept"
	check "faults: some I/O failed" "$(figure "$TMP/kept" failed)" gt 0
	count "I/Os failed" "$(figure "$TMP/kept" failed)"
	count I/Os "$(ios btfaults)"
	check_quiet btfaults faults
	remove_disk btfaults
}

# A SCSI disk that says BUSY to every seventh command, then loses some, which time
# out, are aborted and tried again: nobody sees an error.
case_busy()
{
	local disk busy lost

	scsi_debug_disk dev_size_mb=64 ndelay=200000 max_queue=4 || give_up "no scsi_debug"
	begin_fairway "$disk"
	start_verified "$disk" 4 2048
	start_switching "$disk" 0.5
	start_requeues "$disk"
	write "$SCSI_DEBUG/every_nth" 7
	# SDEBUG_OPT_HOST_BUSY
	write "$SCSI_DEBUG/opts" 0x8000
	start_clock
	let_run 15
	busy=$(requeues)
	stop_requeues
	# SDEBUG_OPT_TIMEOUT
	write "/sys/block/$disk/device/timeout" 2
	write "$SCSI_DEBUG/opts" 0
	write "$SCSI_DEBUG/every_nth" 200
	write "$SCSI_DEBUG/opts" 4
	let_run 25
	write "$SCSI_DEBUG/opts" 0
	write "$SCSI_DEBUG/every_nth" 0
	# As the SCSI layer counts them, in hexadecimal.
	lost=$(($(<"/sys/block/$disk/device/iotmo_cnt")))
	count_some busy "commands answered with BUSY" "$busy"
	count_some busy "commands that timed out" "$lost"
	count faults $((busy + lost))
	stop_switching "$disk" busy
	stop_verified "$disk" busy
	check_quiet "$disk" busy
	modprobe -r scsi_debug
}

# Each allocation on the way to a scheduler, another nr_requests and a disk fails
# once: what was to be set up is there whole or not at all, and the disk works.
case_alloc()
{
	local kind

	[ -e /proc/thread-self/fail-nth ] || give_up "the kernel has no fail-nth"
	for kind in failslab fail_page_alloc; do
		write "/sys/kernel/debug/$kind/ignore-gfp-wait" N
		inject "/sys/kernel/debug/$kind" probability=0
	done
	write /sys/kernel/debug/fail_page_alloc/min-order 0
	n1v btalloc
	fail_each "a switch" /sys/block/btalloc/queue/scheduler fairway none /dev/btalloc
	begin_fairway btalloc
	fail_each "more nr_requests" /sys/block/btalloc/queue/nr_requests +600 4 /dev/btalloc
	check_quiet btalloc alloc
	# Of the hundreds for a disk only those that fairway makes, or asks for.
	only_fairway failslab
	only_fairway fail_page_alloc
	write "$NULLB/btalloc/power" 0
	fail_each "a new disk" -o "$NULLB/btalloc/power" 1 0 /dev/btalloc
	remove_disk btalloc
	for kind in failslab fail_page_alloc; do
		write "/sys/kernel/debug/$kind/require-start" 0
		write "/sys/kernel/debug/$kind/require-end" 0xffffffffffffffff
	done
}

# only_fairway KIND: where a function of fairway is among the callers.
only_fairway()
{
	local range

	range=$(awk '$2 ~ /[tT]/ && $3 ~ /^(fairway|fwy)_/ && $3 !~ /^fairway_(init|exit)$|[.]cold/ {
			print $1 }' /proc/kallsyms | sort)
	[ -n "$range" ] || give_up "no symbol of fairway"
	write "/sys/kernel/debug/$1/stacktrace-depth" 32
	write "/sys/kernel/debug/$1/require-start" "0x${range%%$'\n'*}" ||
		give_up "the kernel has no filter for callers"
	write "/sys/kernel/debug/$1/require-end" "0x${range##*$'\n'}"
}

# fail_each WHAT [-o] FILE TEXT RESET DISK
fail_each()
{
	local title=$1 injected
	shift

	"$HERE/failnth" "$@" >"$TMP/failnth" 2>&1
	check "alloc: $title: all of it or nothing" "$?" is 0
	sed 's/^/# /' "$TMP/failnth"
	injected=$(figure "$TMP/failnth" injected)
	count_some "alloc: $title" "allocations failed" "${injected:-0}"
	count faults "${injected:-0}"
}

# A freeze, and the removal of the disk, with sleepers in the turnstile.
case_drain()
{
	local round=0 failed=0

	start_clock
	while time_left 20; do
		round=$((round + 1))
		n1v btdrain
		set_queue btdrain nr_requests 4
		"$HERE/readers" -e -n 64 -b 4096 -t 3600 /dev/btdrain >"$TMP/figures" &
		readers=$!
		wait_for 60 line_is btdrain 40 || give_up "no line on btdrain"
		switch_round btdrain
		set_queue btdrain nr_requests 4
		wait_for 60 line_is btdrain 40 || give_up "no line on btdrain"
		set_queue btdrain nr_requests 5
		wait_for 60 line_is btdrain 40 || give_up "no line on btdrain"
		remove_disk btdrain
		wait "$readers" || failed=$((failed + 1))
		count "lines drained" 3
	done
	check "drain: all readers ended" "$failed" is 0
}

# More memory than there is, for one group, with the swap on a disk whose scheduler
# is switched: what was swapped out comes back as it was.
case_swap()
{
	local before after group=/sys/fs/cgroup/soakswap wrong=0 swapped

	null_disk btswap size=256 memory_backed=1 hw_queue_depth=8 irqmode=2 \
		completion_nsec=100000
	begin_fairway btswap
	mkswap /dev/btswap >/dev/null || give_up "mkswap fails"
	swapon /dev/btswap || give_up "swapon fails"
	write /sys/fs/cgroup/cgroup.subtree_control +memory
	mkdir "$group" || give_up "cannot make $group"
	write "$group/memory.high" 12M
	start_switching btswap 0.2
	start_clock
	while time_left 25; do
		dd if=/dev/urandom of="$TMP/origin" bs=1M count=24 2>/dev/null
		before=$(sha256sum <"$TMP/origin")
		in_cgroup soakswap dd if="$TMP/origin" of="$TMP/swapped" bs=1M 2>/dev/null &
		wait $!
		rm "$TMP/origin"
		after=$(in_cgroup soakswap sha256sum <"$TMP/swapped")
		[ "$before" = "$after" ] || wrong=$((wrong + 1))
		rm "$TMP/swapped"
	done
	stop_switching btswap swap
	swapped=$(awk '{ print $7 }' /sys/block/btswap/stat)
	check "swap: what was swapped out came back" "$wrong" is 0
	check "swap: something was swapped out" "$swapped" gt 1000
	count "sectors swapped out" "$swapped"
	count I/Os "$(ios btswap)"
	swapoff /dev/btswap || give_up "swapoff fails"
	rmdir "$group" || give_up "the cgroup soakswap is busy"
	check_quiet btswap swap
	remove_disk btswap
}

# The disk that all programs run from: a copy of this guest's root on a virtio disk,
# where a shell and what it starts live, in a chroot. (Only the first process stays
# in the initramfs.) Nothing is kept in memory: each round reads it all again.
case_root()
{
	local root=/run/soak-root disk=vda rounds

	[ -b "/dev/$disk" ] || give_up "no disk for the root file system"
	if [ ! -d "$root" ]; then
		mkdir "$root"
		mkfs.ext4 -q "/dev/$disk" || give_up "mkfs.ext4 fails"
		mount -t ext4 "/dev/$disk" "$root" || give_up "mount fails"
		mkdir "$root"/{dev,proc,sys,tmp,root}
		cp -a /usr /bin /sbin /lib /lib64 /etc "$root" || give_up "no room for the root"
		umount "$root"
	fi
	begin_fairway "$disk"
	mount -t ext4 "/dev/$disk" "$root" || give_up "mount fails"
	mount -o bind /dev "$root/dev"
	mount -t proc proc "$root/proc"
	cat >"$root/root/live" <<'END'
sum=$(sha256sum /usr/bin/fio)
round=0
while :; do
	echo 3 >/proc/sys/vm/drop_caches
	[ "$sum" = "$(sha256sum /usr/bin/fio)" ] || exit 1
	fio --version >/dev/null || exit 1
	e2fsck -V 2>/dev/null || exit 1
	perl -e 'print "perl\n"' >/root/perl || exit 1
	dd if=/usr/bin/bash of=/root/copy bs=64k conv=fsync 2>/dev/null || exit 1
	cmp /usr/bin/bash /root/copy || exit 1
	round=$((round + 1))
	[ ! -e /root/stop ] || break
done
rm /root/stop
echo "$round" >/root/rounds
END
	chroot "$root" /bin/bash /root/live &
	live=$!
	start_switching "$disk" 0.1
	start_clock
	let_run 25
	: >"$root/root/stop"
	wait "$live"
	check "root: all that ran from the disk did" "$?" is 0
	stop_switching "$disk" root
	rounds=$(<"$root/root/rounds")
	check "root: programs were read from it" "$rounds" gt 0
	count "rounds of programs from the switched root" "$rounds"
	count I/Os "$(ios "$disk")"
	umount "$root/proc"
	umount "$root/dev"
	umount "$root" || give_up "the root file system is busy"
	check_quiet "$disk" root
	check "root: e2fsck" "$(e2fsck -fn "/dev/$disk" >"$TMP/fsck" 2>&1; echo $?)" is 0
}

# write_files DIR: files that are synced, one after the other, and their sums; until
# one cannot be written, or there is $TMP/stop.
write_files()
{
	local number=0 sum

	while [ ! -e "$TMP/stop" ] &&
	      dd if=/dev/urandom of="$1/$number" bs=16k count=4 conv=fsync 2>/dev/null &&
	      sum=$(sha256sum <"$1/$number" 2>/dev/null); do
		echo "$number $sum" >>"$TMP/sums"
		number=$(((number + 1) % 64))
	done
}

# missing_files DIR: how many of the files that were synced are not as they were.
# The last in each place counts; the one that came over it may not be in the sums.
missing_files()
{
	local number sum last=() missing=0

	while read -r number sum; do
		last[number]=$sum
	done <"$TMP/sums"
	# Under way when it ended.
	unset "last[(number + 1) % 64]"
	for number in "${!last[@]}"; do
		[ "$(sha256sum <"$1/$number")" = "${last[number]}" ] || missing=$((missing + 1))
	done
	echo "$missing"
}

# A file system with requeues and switches below it; and one whose disk goes while
# it is written. What was synced is there after a check, and the check finds nothing
# but a journal to replay.
case_files()
{
	local dir=/run/soak-files disk requeue=$NULLB/btfiles/requeue_inject

	mkdir -p "$dir"
	n1v btfiles
	mkfs.ext4 -q /dev/btfiles 32M || give_up "mkfs.ext4 fails"
	mount -t ext4 /dev/btfiles "$dir" || give_up "mount fails"
	: >"$TMP/sums"
	inject "$requeue" probability=20
	start_switching btfiles 0.2
	write_files "$dir" &
	writer=$!
	start_clock
	let_run 15
	stop_switching btfiles files
	: >"$TMP/stop"
	wait "$writer"
	rm "$TMP/stop"
	stop_injecting "$requeue" files "requests requeued"
	check "files: what was synced is there" "$(missing_files "$dir")" is 0
	count "files synced" "$(grep -c . "$TMP/sums")"
	umount "$dir" || give_up "$dir is busy"
	check "files: e2fsck" "$(e2fsck -fn /dev/btfiles >"$TMP/fsck" 2>&1; echo $?)" is 0
	check_quiet btfiles files
	remove_disk btfiles

	scsi_debug_disk dev_size_mb=64 ndelay=1000000 max_queue=4 || give_up "no scsi_debug"
	begin_fairway "$disk"
	mkfs.ext4 -q "/dev/$disk" 32M || give_up "mkfs.ext4 fails"
	mount -t ext4 "/dev/$disk" "$dir" || give_up "mount fails"
	: >"$TMP/sums"
	write_files "$dir" &
	writer=$!
	wait_for 120 has_lines "$TMP/sums" 10 || give_up "no file is written"
	write "/sys/block/$disk/device/delete" 1
	wait "$writer"
	umount "$dir" || give_up "$dir is busy"
	scsi_debug_again
	set_scheduler "$disk" fairway
	count "disks deleted"
	e2fsck -fp "/dev/$disk" >"$TMP/fsck" 2>&1
	check "files: e2fsck after the disk went" "$?" le 1
	check "files: e2fsck once more" "$(e2fsck -fn "/dev/$disk" >"$TMP/fsck" 2>&1; echo $?)" is 0
	mount -t ext4 "/dev/$disk" "$dir" || give_up "mount fails"
	check "files: what was synced survived" "$(missing_files "$dir")" is 0
	count "files synced" "$(grep -c . "$TMP/sums")"
	umount "$dir" || give_up "$dir is busy"
	check_quiet "$disk" files
	modprobe -r scsi_debug
}

has_lines()
{
	[ "$(grep -c . "$1")" -ge "$2" ]
}
