#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: disks that share their tags stay apart under fairway (case 12): a reader that
# asks now and then is not slowed by another disk's flood, P99 at most 5 x alone, and
# four equal loads have like shares of at least 90 % of what the tags allow.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

DISKS_SHARING=4
TAGS=8
TAGS_PER_SECOND=$((TAGS * 1000))

unload()
{
	undo
	modprobe -qr null_blk
}

p99_us()
{
	"$HERE/readers" -n 1 -b 4096 -T 20000 -t 4 /dev/nullb1 >"$TMP/probe" || give_up "no reader"
	figure "$TMP/probe" lat_p99_us
}

flood()
{
	local loads=() number before after least=-1 most=0 sum=0

	for ((number = 0; number < DISKS_SHARING; number++)); do
		"$HERE/readers" -n 16 -b 4096 -t 600 "/dev/nullb$number" >"$TMP/load$number" &
		loads+=($!)
	done
	pause 1
	for ((number = 0; number < DISKS_SHARING; number++)); do
		before[number]=$(ios "nullb$number")
	done
	pause 3
	for ((number = 0; number < DISKS_SHARING; number++)); do
		after=$(($(ios "nullb$number") - before[number]))
		sum=$((sum + after))
		[ "$after" -le "$most" ] || most=$after
		[ "$least" -ge 0 ] && [ "$after" -ge "$least" ] || least=$after
	done
	kill "${loads[@]}"
	wait "${loads[@]}" || give_up "the readers failed"
	echo "# $(scheduler nullb0): least $least, most $most, sum $sum in 3 s"
	check "$1: shares are within 1.5" $((most * 100)) le $((least * 150))
	check "$1: and the tags are used" "$sum" ge $((3 * TAGS_PER_SECOND * 90 / 100))
}

need root null_blk fairway
# The tags that are shared are those of the module's parameters.
modprobe -qr null_blk
if [ -d "$NULLB" ] || [ -e /sys/block/nullb0 ]; then
	skip_all "null_blk is built in or in use: its parameters cannot be set"
fi
trap unload EXIT
modprobe null_blk nr_devices=$DISKS_SHARING shared_tags=1 hw_queue_depth=$TAGS irqmode=2 \
	completion_nsec=1000000 submit_queues=1 gb=1 || skip_all "null_blk has no shared_tags"
plan 4
for ((number = 0; number < DISKS_SHARING; number++)); do
	set_scheduler "nullb$number" fairway
done
alone=$(p99_us)
"$HERE/readers" -n 64 -b 4096 -t 600 /dev/nullb0 >"$TMP/flood" &
flood=$!
beside=$(p99_us)
kill "$flood"
wait "$flood" || give_up "the readers failed"
echo "# P99 $alone us alone, $beside us beside another disk's flood"
check "a reader is not slowed by another disk" "$beside" le $((5 * alone))
check "and was there" "$(figure "$TMP/flood" reads)" ge 1000
flood "four equal loads"
ktap_finished
