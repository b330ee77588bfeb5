#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: where fairway is a module, writing its name loads it: it is active and
# has its knobs when the write returns. It cannot be removed while a disk uses it,
# and afterwards it can, also while its trace events are on. A disk that comes loads
# nothing.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=watch-modprobe.sh
. "$HERE/watch-modprobe.sh"

TRACING=/sys/kernel/tracing

is_loaded()
{
	grep -q '^fairway_iosched ' /proc/modules
}

state()
{
	if is_loaded; then
		echo loaded
	else
		echo absent
	fi
}

unload()
{
	modprobe -r fairway-iosched 2>/dev/null
	state
}

need root null_blk fairway
is_loaded || skip_all "fairway is built into this kernel"
[ "$(unload)" = absent ] || skip_all "fairway is in use"

[ -w $TRACING/events/enable ] ||
	skip_all "no events in $TRACING: FTRACE is off, or tracefs not mounted"
plan 10
watch_modprobe
null_disk bt0
check "a new disk loads no scheduler" "$(asked_for)" is nothing
check "fairway is not there" "$(state)" is absent
write /sys/block/bt0/queue/scheduler fairway
check "writing its name makes it active" "$(scheduler bt0)" is fairway
check "its knobs are there" "$(cat /sys/block/bt0/queue/iosched/pass_requests)" ge 0
check "its name was asked for, once" "$(asked_for)" is fairway-iosched
check "it cannot be removed from under a disk" "$(unload)" is loaded
set_scheduler bt0 none
check "nor is it removed by that" "$(state)" is loaded
check "it can be removed when no disk uses it" "$(unload)" is absent
set_scheduler bt0 fairway
write $TRACING/events/fairway/enable 1
"$HERE/readers" -n 1 -b 4096 -m 8 -t 60 /dev/bt0 >"$TMP/readers" ||
	give_up "readers failed"
check "its trace events are there" "$(grep -c fairway_dispatch: $TRACING/trace)" ge 8
set_scheduler bt0 none
check "it can be removed while they are on" "$(unload)" is absent
ktap_finished
