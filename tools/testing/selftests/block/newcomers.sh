#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: under fairway processes that come new without end, each for one read, take no
# more from who reads on than lasting ones may: with eight of them at a time, on a disk
# that serves one read in 8 ms, each of 40 reads one after the other waits for ten at
# most, of which one is its own and one waits at the driver already, on average; where
# seeks cost, and newcomers are before all others until they had as much as a round is,
# for twice as long.
#
# No control: no other scheduler of the kernel puts who comes new before the others.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

NEWCOMERS=8
READS=40

# reads_on ROTATIONAL: how long the reads take, in $took_us
reads_on()
{
	set_queue bt0 rotational "$1"
	set_scheduler bt0 none
	set_scheduler bt0 fairway
	"$HERE/churn" -n /dev/bt0 $NEWCOMERS 1000000 >"$TMP/churned" &
	churn=$!
	wait_for 60 has_read 100 || give_up "no newcomers"
	timed dd if=/dev/bt0 of="$TMP/read" bs=4k count=$READS iflag=direct 2>/dev/null
	kill "$churn"
	wait "$churn" || give_up "a newcomer failed"
	echo "# rotational $1: $READS reads take $took_us us, beside $(tr '\n' ' ' <"$TMP/churned")"
}

has_read()
{
	[ "$(ios bt0)" -ge "$1" ]
}

need root null_blk fairway
plan 2
null_disk bt0 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
service=$(service_us bt0 4096)
bound=$((READS * (NEWCOMERS + 2) * service))
reads_on 0
check "so it is where seeks cost nothing" "$took_us" le "$bound"
reads_on 1
check "and where they cost, within twice that" "$took_us" le $((2 * bound))
ktap_finished
