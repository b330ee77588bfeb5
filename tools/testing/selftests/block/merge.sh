#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: a bio that continues a request still waiting in fairway is merged into
# it, at its back and at its front, reads as well as writes; a bio that touches
# nothing, or continues a request of the other direction, is not.
#
# What such a merge leaves is served, also where it takes the only other request from a
# process whose turn it is, and nobody sends another one (a disk that seeks).
#
# Control: with none nothing waits in a scheduler, so nothing merges. (submit
# sends each request in a system call of its own: no plug merges them either.)
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# merged DIRECTION REQUEST...: how many bios of DIRECTION merge while the disk is
# busy with a read far away. A second such read is the one that the core may have
# taken from the scheduler already and keeps, beyond merging, for the next tag. A
# third is what the block layer tries first, as the last that merged: what is to
# merge has to be found.
merged()
{
	local direction=$1 before
	shift

	before=$(merges bt0 "$direction")
	"$HERE/submit" /dev/bt0 r:1000000:8 r:1500000:8 r:1800000:8 "$@" >"$TMP/order" ||
		give_up "submit failed: $*"
	echo "$(($(merges bt0 "$direction") - before))"
}

# is_served REQUEST...: whether they all end, with nothing else to wake the disk
is_served()
{
	local submitter

	"$HERE/submit" -p 5 /dev/bt0 "$@" >"$TMP/order" &
	submitter=$!
	wait_for 5 has_ended "$submitter" && echo served
	# Any new request would have helped.
	dd if=/dev/bt0 of="$TMP/block" bs=4k count=1 iflag=direct 2>/dev/null
	wait "$submitter" || give_up "submit failed: $*"
}

has_ended()
{
	! kill -0 "$1" 2>/dev/null
}

need root null_blk fairway
plan 11

# 50 ms: long enough for a slow CPU to submit three requests meanwhile.
null_disk bt0 irqmode=2 completion_nsec=50000000 hw_queue_depth=1
set_scheduler bt0 fairway
# All of them fit in, none stands in line.
set_queue bt0 nr_requests 64

check "a read merges at the back" "$(merged read r:1000:8 r:1008:8)" is 1
check "a read merges at the front" "$(merged read r:1008:8 r:1000:8)" is 1
check "a write merges at the back" "$(merged write w:1000:8 w:1008:8)" is 1
check "a write merges at the front" "$(merged write w:1008:8 w:1000:8)" is 1
check "both ends of one request grow" "$(merged write w:1008:8 w:1016:8 w:1000:8)" is 2
check "a gap of one sector does not merge" "$(merged read r:1000:8 r:1009:8)" is 0
check "a write does not merge into a read" "$(merged write r:1000:8 w:1008:8)" is 0
check "a bio between two requests joins all three" \
	"$(merged write w:1000:8 w:1016:8 w:1008:8)" is 2

set_queue bt0 rotational 1
set_scheduler bt0 none
set_scheduler bt0 fairway
set_queue bt0 nr_requests 64
before=$(merges bt0 read)
check "where seeks cost, what has merged is served" \
	"$(is_served r:1000000:8 r:1000:8 r:1016:8 r:1008:8)" is served
check "and it had merged" $(($(merges bt0 read) - before)) is 2

set_scheduler bt0 none
check "control: none merges nothing" "$(merged write w:1000:8 w:1008:8)" is 0
ktap_finished
