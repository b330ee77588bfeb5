#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: fairway sends requests in the order of admission where queue/rotational
# is 0. Where it is 1 it sweeps upward by sector, but a request is passed by at
# most pass_requests, or pass_sectors, of later ones, and goes first when its
# direction's expiry is over.
#
# Controls: the same requests with the bounds off are passed by all later ones.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

SERVICE_MS=50
# In front of every list: one read that keeps the disk busy, and one more that
# the core may already have taken from the scheduler when the rest arrives.
BUSY=(r:1000000:8 r:1500000:8)
# Number 2 lies furthest up, so that the sweep, which goes on at the lowest
# sector after the busy ones, comes to it last.
LAST=(r:900000:8 r:1000:8 r:2000:8 r:3000:8 r:4000:8 r:5000:8 r:6000:8)

# send REQUEST...: behind the busy ones; what submit says is in $TMP/order.
send()
{
	"$HERE/submit" /dev/bt0 "${BUSY[@]}" "$@" >"$TMP/order" || give_up "submit failed: $*"
}

order()
{
	cut -d ' ' -f 1 "$TMP/order" | tr '\n' ' '
}

# passed N: how many that came after request N ended before it.
passed()
{
	awk -v n="$1" '$1 == n { print count + 0; exit } $1 > n { count++ }' "$TMP/order"
}

latency_ms()
{
	awk -v n="$1" '$1 == n { print int($2 / 1000) }' "$TMP/order"
}

knob()
{
	write "/sys/block/bt0/queue/iosched/$1" "$2" || give_up "$1 refuses $2"
}

need root null_blk fairway
plan 9
null_disk bt0 irqmode=2 completion_nsec=$((SERVICE_MS * 1000000)) hw_queue_depth=1
set_scheduler bt0 fairway
# All of them fit in, none stands in line.
set_queue bt0 nr_requests 64

set_queue bt0 rotational 0
send r:8000:8 r:2000:8 w:6000:8 r:4000:8
check "without seeks: the order of admission" "$(order)" is "0 1 2 3 4 5 "

set_queue bt0 rotational 1
send r:8000:8 r:2000:8 w:6000:8 r:4000:8
check "with seeks: one sweep upward" "$(order)" is "0 1 3 5 4 2 "

knob pass_requests 0
knob pass_sectors 0
send "${LAST[@]}"
check "control: without a bound all later ones pass" "$(passed 2)" is 6

knob pass_requests 2
send "${LAST[@]}"
check "pass_requests 2 lets two pass" "$(passed 2)" is 2
check "and the others keep their order" "$(order)" is "0 1 3 4 2 5 6 7 8 "

knob pass_requests 0
knob pass_sectors 24
send "${LAST[@]}"
check "pass_sectors 24 lets three of 8 sectors pass" "$(passed 2)" is 3
send r:900000:8 r:1000:16 r:2000:16 r:3000:16
check "but only one of 16 sectors" "$(passed 2)" is 1

knob pass_sectors 0
# Three of the nine services, then the one in flight and the one behind it.
knob read_expire_ms $((3 * SERVICE_MS))
send "${LAST[@]}"
check "an expired request goes next" \
	"$(latency_ms 2)" le $((3 * SERVICE_MS + 3 * SERVICE_MS))
knob read_expire_ms $((60 * SERVICE_MS))
send "${LAST[@]}"
check "control: one that has not expired is served last" "$(passed 2)" is 6
ktap_finished
