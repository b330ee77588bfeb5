#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: of 64 processes that each keep one direct read in flight on a serial
# device, under fairway none waits longer than one round (64 x the service time)
# and all are served equally often, whatever nr_requests is.
#
# Control: under mq-deadline both bounds are broken. A freed tag goes to whoever
# completes a request before the woken waiter runs.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

READERS=64
# Until the least served has so many reads, so that one read more or less (which
# is where a round ends, not unfairness) is 1/40 and stays above SHARE_PERMILLE.
READS=40
# 40 of 42: one read of start-up and one of the end.
SHARE_PERMILLE=950
# Of the round: what the CPU adds to 64 completions, and no 65th service time
# more than that, as 1/64 is 1.6 %.
LATENCY_PCT=105

# run SCHEDULER: figures in $TMP/figures, the bound in $limit_us.
run()
{
	set_scheduler bt0 "$1"
	[ -z "${2:-}" ] || set_queue bt0 nr_requests "$2"
	"$HERE/readers" -n "$READERS" -m "$READS" -t 60 /dev/bt0 >"$TMP/figures" ||
		give_up "the readers failed under $1"
	sed 's/^/#   /' "$TMP/figures"
}

need root null_blk fairway
plan 8

null_disk bt0 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
set_scheduler bt0 none
service=$(service_us bt0)
limit_us=$((READERS * service * LATENCY_PCT / 100))
echo "# one read takes $service us"

for nr in '' 4 64; do
	run fairway "$nr"
	at="with nr_requests ${nr:-as found}"
	check "equal shares $at" \
		"$(figure "$TMP/figures" share_ratio_permille)" ge "$SHARE_PERMILLE"
	check "no read waits longer than a round $at" \
		"$(figure "$TMP/figures" lat_max_us)" le "$limit_us"
done

if has_scheduler mq-deadline; then
	run mq-deadline
	check "control: mq-deadline's shares are unequal" \
		"$(figure "$TMP/figures" share_ratio_permille)" lt "$SHARE_PERMILLE"
	check "control: mq-deadline lets a read wait longer" \
		"$(figure "$TMP/figures" lat_max_us)" gt "$limit_us"
else
	ktap_test_skip "control: no mq-deadline in this kernel"
	ktap_test_skip "control: no mq-deadline in this kernel"
fi
ktap_finished
