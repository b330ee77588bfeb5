#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: under fairway processes that come new without end, each for one read, take no
# more from who reads on than lasting ones may, twice over where seeks cost, as there
# they are before all others for a round: with eight of them at a time, where one read
# takes 8 ms, each of 40 reads one after the other waits for ten on average, of which
# one is its own and one waits at the driver already, or for 20.
#
# No control: no other scheduler of the kernel puts who comes new before the others.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

NEWCOMERS=8
READS=40

has_read()
{
	[ "$(ios bt0)" -ge "$1" ]
}

# Usage: reads_on ROTATIONAL BOUND, in us
reads_on()
{
	local churn

	set_scheduler bt0 none
	set_queue bt0 rotational "$1"
	set_scheduler bt0 fairway
	"$HERE/churn" -n /dev/bt0 $NEWCOMERS 1000000 >"$TMP/churned" &
	churn=$!
	wait_for 60 has_read $(($(ios bt0) + 100)) || give_up "no newcomers"
	timed dd if=/dev/bt0 of="$TMP/read" bs=4k count=$READS iflag=direct 2>/dev/null
	kill "$churn"
	wait "$churn" || give_up "a newcomer failed"
	echo "# $READS reads take $took_us us, beside $(tr '\n' ' ' <"$TMP/churned")"
	check "$READS reads beside newcomers, rotational $1" "$took_us" le "$2"
}

need root null_blk fairway
plan 2
null_disk bt0 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
service=$(service_us bt0 4096)
reads_on 0 $((READS * (NEWCOMERS + 2) * service))
reads_on 1 $((READS * 2 * (NEWCOMERS + 2) * service))
ktap_finished
