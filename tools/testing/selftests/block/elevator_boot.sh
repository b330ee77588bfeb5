#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: this boot's elevator= gave each disk the scheduler it should have, disks
# that came later included; what was ignored was reported, once each, and nothing
# else; and no module was asked for on the way.
#
#	elevator_boot.sh PARAMETERS IGNORED DISK=SCHEDULER...
#
# PARAMETERS: the end of the kernel command line, "-" for a boot without elevator=
# IGNORED: the reports without their head, joined by "|", or "-"
# DISK: hot1q, hotmq and hotns are null_blk disks that are made here, with one
#	queue, with more, and without schedulers; any other has to be there
#
# It needs a boot of its own for each form of the parameter, so that the runner
# does not run it by itself.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=watch-modprobe.sh
. "$HERE/watch-modprobe.sh"

usage()
{
	echo "usage: elevator_boot.sh PARAMETERS IGNORED DISK=SCHEDULER..." >&2
	exit 2
}

# Echoes PARAMETERS if the command line ends so, else the command line.
booted_with()
{
	local line
	line=$(cat /proc/cmdline)

	if [ "$1" = - ] && [[ $line != *elevator=* ]] || [[ $line == *" $1" ]]; then
		echo "$1"
	else
		echo "$line"
	fi
}

# Disks are probed in any order, so that neither the order of the reports counts
# nor the disk on which an unknown name was met first.
reports()
{
	dmesg | sed -n 's/ when [^ ]* came$//; s/.*elevator=: ignored //p'
}

one_line()
{
	local text
	text=$(sort | paste -sd '|')
	echo "${text:--}"
}

plug()
{
	case $1 in
	hot1q)
		null_disk "$1" poll_queues=0
		;;
	hotmq)
		null_disk "$1" poll_queues=1
		;;
	hotns)
		null_disk "$1" no_sched=1
		;;
	esac
	wait_for 30 test -e "/sys/block/$1/queue/scheduler" ||
		give_up "this boot has no disk $1"
}

# What a disk has, also where "none" is all there is and no bracket marks it.
active()
{
	if [ "$(cat "/sys/block/$1/queue/scheduler")" = none ]; then
		echo none
	else
		scheduler "$1"
	fi
}

[ $# -ge 3 ] || usage
parameters=$1 ignored=$2
shift 2
for expectation in "$@"; do
	[[ $expectation == ?*=?* ]] || usage
done

need root null_blk elevator_boot
plan $(($# + 3))
check "the guest was booted as asked" "$(booted_with "$parameters")" is "$parameters"
watch_modprobe
for expectation in "$@"; do
	disk=${expectation%%=*}
	plug "$disk"
	check "$disk" "$(active "$disk")" is "${expectation#*=}"
done
check "what was ignored is reported once" "$(reports | one_line)" is \
	"$(tr '|' '\n' <<<"$ignored" | one_line)"
check "no module was asked for" "$(asked_for)" is nothing
ktap_finished
