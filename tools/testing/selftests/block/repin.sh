#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: readers that are moved from CPU to CPU every 10 ms, also while they stand in
# line at the hardware queue that they leave, all go on: none waits for two seconds
# (case 6).
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

need root cpus null_blk books fairway
plan 4
null_disk bt0 submit_queues=2 hw_queue_depth=2 irqmode=2 completion_nsec=2000000
set_scheduler bt0 fairway
set_queue bt0 nr_requests 4
seconds=10
[ -z "${FAIRWAY_LONG:-}" ] || seconds=60
"$HERE/readers" -p -n 32 -b 4096 -t "$seconds" /dev/bt0 >"$TMP/figures"
check "readers that are moved all end" "$? $(figure "$TMP/figures" errors)" is "0 0"
sed 's/^/#   /' "$TMP/figures"
check "none waits for two seconds" "$(figure "$TMP/figures" lat_max_us)" le 2000000
check "some stood in line" "$(books bt0 waits)" gt 0
check "the books balance" "$(open_books bt0)" is none
ktap_finished
