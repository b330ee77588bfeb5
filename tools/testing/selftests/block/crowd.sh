#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: of 1000 processes that each keep one direct read in flight, under fairway
# each has at least 80 % of the mean, and none waits for two rounds (case 5).
#
# In the first rounds, while the disk's costs are learned, some wait for more than one.
#
# Control: under mq-deadline both are broken.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

READERS=1000
DEPTH=4
# Reads of the least served: one more or less is then 1/10.
READS=10

run()
{
	set_scheduler bt0 "$1"
	# What fairway begins with; a stock kernel may begin with less.
	set_queue bt0 nr_requests 256
	"$HERE/readers" -n "$READERS" -b 4096 -m "$READS" -t 12 /dev/bt0 >"$TMP/figures" ||
		give_up "the readers failed under $1"
	sed 's/^/#   /' "$TMP/figures"
	share_permille=$(($(figure "$TMP/figures" reads_min) * 1000 * READERS /
		$(figure "$TMP/figures" reads)))
}

need root null_blk fairway
plan 4
null_disk bt0 irqmode=2 completion_nsec=2000000 hw_queue_depth=$DEPTH
set_scheduler bt0 none
limit_us=$((2 * READERS * $(service_us bt0 4096) / DEPTH))
run fairway
check "each of $READERS readers has its share" "$share_permille" ge 800
check "none waits for two rounds" "$(figure "$TMP/figures" lat_max_us)" le "$limit_us"
if has_scheduler mq-deadline; then
	run mq-deadline
	check "control: under mq-deadline not" "$share_permille" lt 800
	check "control: and some wait longer" "$(figure "$TMP/figures" lat_max_us)" gt "$limit_us"
else
	ktap_test_skip "no mq-deadline in this kernel"
	ktap_test_skip "no mq-deadline in this kernel"
fi
ktap_finished
