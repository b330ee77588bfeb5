#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: on each disk that FAIRWAY_DISKS names (a list of paths) fairway is chosen
# and left like any scheduler, keeps its bounds, shares, merges, and loses nothing
# while it is switched under load. Afterwards scheduler and settings are as they
# were. THE CONTENTS OF THESE DISKS ARE DESTROYED.
#
# If one of them is mounted, held, or carries anything, none is touched.
#
#	FAIRWAY_DISKS="/dev/sdb /dev/disk/by-id/..." ./disks.sh
#
# Other schedulers are no control here: how they do depends on the disk. Their
# figures are printed beside.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-disks.sh
. "$HERE/lib-disks.sh"

# Of each disk, at most.
AREA_MIB=256
# The first MiB is never written: no accident makes a signature of test data.
FIRST_MIB=1
READERS=64
# A disk that serves a read in less has no queue for 64 readers to stand in.
SLOW_US=1000
SWITCHES=40
CLAIMS=15

# verified ARGUMENT...: fio writes with checksums, and compares. The test's own
# process ends with it, so that who started it in the background has its number.
verified()
{
	exec fio --name=verified --filename="/dev/$disk" --offset="${FIRST_MIB}m" \
		--size="${area}m" --direct=1 --bs=16k --ioengine=libaio --iodepth=8 \
		--serialize_overlap=1 --verify=crc32c --verify_fatal=1 "$@" >"$TMP/fio" 2>&1
}

reads()
{
	awk '{ print $1 }' "/sys/block/$disk/stat"
}

# read_back: writes for so long at most, and reads it soon after. In how far that went
# well: a fio that had no time to read says nothing.
read_back()
{
	local before status

	before=$(reads)
	(verified --rw=write --verify_backlog=64 --runtime=30)
	status=$?
	[ $(($(reads) - before)) -ge 64 ] || status="nothing was read"
	echo "$status"
}

has_fio()
{
	command -v fio >/dev/null
}

# skip COUNT REASON
skip()
{
	local i

	for ((i = 0; i < $1; i++)); do
		ktap_test_skip "$disk: $2"
	done
}

# Names that do not become active when they are written, of all that are listed.
not_taken()
{
	local name names

	read -ra names < <(tr -d '[]' <"/sys/block/$disk/queue/scheduler")
	for name in "${names[@]}" none fairway; do
		write "/sys/block/$disk/queue/scheduler" "$name"
		[ "$(scheduler "$disk")" = "$name" ] || echo "$name"
	done
}

test_selection()
{
	local knob=/sys/block/$disk/queue/iosched/pass_requests text taken='' default

	check "$disk: each listed scheduler becomes active" "$(not_taken | paste -sd ' ')none" is none
	if grep -qw elevator_boot_choice /proc/kallsyms; then
		for text in nonesuch "fairway junk" "" " none"; do
			! write "/sys/block/$disk/queue/scheduler" "$text" || taken+="'$text' "
		done
		check "$disk: what is no name is refused" "${taken}$(scheduler "$disk")" is fairway
	else
		skip 1 "queue/scheduler is that of a stock kernel"
		set_scheduler "$disk" fairway
	fi
	default=$(cat "$knob")
	write "$knob" $((default + 1))
	check "$disk: a knob takes another value" "$(cat "$knob")" is $((default + 1))
	set_scheduler "$disk" none
	set_scheduler "$disk" fairway
	check "$disk: it is the default after a switch" "$(cat "$knob")" is "$default"
}

# violations KIND...: waits longer than their bound
violations()
{
	awk -v kinds=" $* " 'index(kinds, " " $1 " ") { waits += $2; beyond += $7 }
		END { print (waits ? beyond + 0 : "no waits") }' "$DEBUG/$disk/sched/watch"
}

test_bounds()
{
	if [ ! -w "$DEBUG/$disk/sched/watch" ]; then
		skip 1 "no $DEBUG/$disk/sched/watch"
		return
	fi
	write "$DEBUG/$disk/sched/watch" 1
	"$HERE/readers" -n 16 -b 4096 -m 50 -t 10 "/dev/$disk" >"$TMP/figures" ||
		give_up "$disk: the readers failed"
	check "$disk: no read waits beyond its bound" \
		"$(violations line order_read turn_read)" is 0
	write "$DEBUG/$disk/sched/watch" 0
}

run_readers()
{
	"$HERE/readers" -n "$READERS" -b 4096 -m 40 -t 20 "/dev/$disk" >"$TMP/figures" ||
		give_up "$disk: the readers failed"
	echo "# $disk, $(scheduler "$disk"):" "$(grep -E 'share|lat' "$TMP/figures" | paste -sd ' ')"
}

# A sweep over a disk that seeks serves each once, at any time of the sweep: the
# longest wait is two sweeps, the mean one. A third is for the disk's own order.
test_shares()
{
	local i adjacent=() before

	if [ "$service" -lt "$SLOW_US" ]; then
		skip 3 "a read takes $service us, too little for a queue"
		return
	fi
	if [ "$has_peer" ]; then
		set_scheduler "$disk" mq-deadline
		run_readers
		set_scheduler "$disk" fairway
	fi
	run_readers
	check "$disk: $READERS readers have like shares" \
		"$(figure "$TMP/figures" share_ratio_permille)" ge 800
	check "$disk: none waits for three rounds" "$(figure "$TMP/figures" lat_max_us)" \
		le $((3 * $(figure "$TMP/figures" lat_mean_us)))

	# More than the disk takes at a time: what waits merges.
	for ((i = 0; i < 128; i++)); do
		adjacent+=("r:$((4096 + 8 * i)):8")
	done
	before=$(merges "$disk" read)
	"$HERE/submit" "/dev/$disk" "${adjacent[@]}" >"$TMP/order" || give_up "$disk: submit failed"
	check "$disk: adjacent reads merge" $(($(merges "$disk" read) - before)) ge 1
}

test_integrity()
{
	local i peers=(none mq-deadline) readers fio

	if ! has_fio; then
		skip 4 "fio is not installed"
		return
	fi
	check "$disk: what was written is read back" "$(read_back)" is 0

	"$HERE/readers" -n 8 -b 4096 -t 600 "/dev/$disk" >"$TMP/figures" &
	readers=$!
	verified --rw=randrw --verify_backlog=32 --time_based --runtime=600 &
	fio=$!
	for ((i = 0; i < SWITCHES; i++)); do
		write "/sys/block/$disk/queue/scheduler" "${peers[i % 2]}"
		set_scheduler "$disk" fairway
		write "/sys/block/$disk/queue/nr_requests" $((4 << i % 5))
		pause 0.1
	done
	# fio ends so on SIGINT, after all it had in flight.
	kill -INT "$fio" 2>/dev/null
	wait "$fio"
	check "$disk: so it is with $SWITCHES switches there and back" "$?" is 128
	grep -E 'verify|error' "$TMP/fio" | head -n 5 | sed 's/^/# /'
	kill "$readers"
	wait "$readers"
	check "$disk: no reader failed" "$?" is 0
	check "$disk: nothing wrong afterwards" "$(read_back)" is 0
}

test_disk()
{
	disk=$1
	area=$(($(cat "/sys/block/$disk/size") / 2048 - 2 * FIRST_MIB))
	[ "$area" -le "$AREA_MIB" ] || area=$AREA_MIB
	save_disk "$disk"
	echo "# $disk: $(settings_found "$disk")"
	set_scheduler "$disk" none
	service=$(service_us "$disk" 4096)
	echo "# $disk: a read of 4 KiB takes $service us"

	test_selection
	test_bounds
	test_shares
	test_integrity
	check "$disk: nothing stays in flight" "$(wait_for 10 is_quiet "$disk" && echo quiet)" is quiet
	if [ -r "$DEBUG/$disk/sched/books" ]; then
		check "$disk: the books balance" "$(open_books "$disk")" is none
	else
		skip 1 "no $DEBUG/$disk/sched/books"
	fi
	restore_disk "$disk"
	check "$disk: scheduler and settings are as they were" \
		"$(settings_now "$disk")" is "$(settings_found "$disk")"
}

need root
read -d '' -ra disks <<<"${FAIRWAY_DISKS:-}"
[ "${#disks[@]}" -gt 0 ] || skip_all "FAIRWAY_DISKS names no disk"
if ! vet_disks "${disks[@]}"; then
	plan 1
	ktap_test_fail "all disks may be used: one is not, none was touched"
	ktap_finished
fi
grep -qw fairway "/sys/block/${REAL[0]}/queue/scheduler" || modprobe -q fairway-iosched
grep -qw fairway "/sys/block/${REAL[0]}/queue/scheduler" ||
	skip_all "no scheduler fairway in this kernel"
has_peer=
! grep -qw mq-deadline "/sys/block/${REAL[0]}/queue/scheduler" || has_peer=yes

plan $((CLAIMS * ${#REAL[@]}))
for name in "${REAL[@]}"; do
	test_disk "$name"
done
ktap_finished
