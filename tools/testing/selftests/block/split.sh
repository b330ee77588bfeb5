#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: under fairway a read that is split into pieces waits in line once: its other
# pieces go through with the first, and those who wait meanwhile wait for no more
# than these pieces.
#
# Control: as many reads, each of one piece, wait one by one.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

EVENT=/sys/kernel/tracing/events/fairway/fairway_refuse
TRACE=/sys/kernel/tracing/trace
READERS=16
NR=8
PIECES=8
PIECE=128	# sectors

# waits REQUEST...: how many of the pieces stood in line for longer than three
# services, which a piece that goes first does not.
waits()
{
	write "$TRACE" ""
	write "$EVENT/enable" 1
	"$HERE/submit" /dev/bt0 "$@" >"$TMP/ended" || give_up "submit failed: $*"
	write "$EVENT/enable" 0
	awk -v most_us=$((3 * service)) '
		/fairway_refuse: .* waited wait_ns=/ {
			sub(/.*wait_ns=/, "")
			if ($1 / 1000 > most_us)
				count++
		}
		END { print count + 0 }' "$TRACE"
}

need root null_blk books fairway
[ -d "$EVENT" ] || skip_all "no $EVENT: FTRACE is off, or tracefs not mounted"
plan 6

null_disk bt0 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
set_scheduler bt0 fairway
set_queue bt0 nr_requests "$NR"
set_queue bt0 max_sectors_kb $((PIECE / 2))
service=$(service_us bt0)
echo "# one read takes $service us"
write "$EVENT/filter" 'comm == "submit"' || give_up "no filter by comm"

"$HERE/readers" -n "$READERS" -t 600 /dev/bt0 >"$TMP/figures" &
readers=$!
wait_for 60 line_is bt0 $((READERS - NR - 1)) || give_up "no line: $(books bt0 waiting) wait"

together=$(waits "r:0:$((PIECES * PIECE))")
check "of a read of $PIECES pieces one waits" "$together" is 1
check "and the read is whole" "$(awk '{ print $3 }' "$TMP/ended")" is $((PIECES * PIECE * 512))
for ((piece = 0; piece < PIECES; piece++)); do
	apart+=("r:$((2 * piece * PIECE)):$PIECE")
done
check "control: of $PIECES reads nearly all do" "$(waits "${apart[@]}")" ge $((PIECES - 2))

kill "$readers"
wait "$readers"
check "the readers end without an error" "$? $(figure "$TMP/figures" errors)" is "0 0"
check "who waited did so for the pieces and a round" "$(figure "$TMP/figures" lat_max_us)" \
	le $(((READERS + 1 + PIECES + 1) * service))
write "$EVENT/filter" 0
check "nothing is left in the books" "$(open_books bt0)" is none
ktap_finished
