# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Who asks for modules. Sourced after lib.sh.

MODPROBE=/proc/sys/kernel/modprobe

# From now on $TMP/asked gets the name of each module that the kernel wants. The
# real modprobe is still run.
watch_modprobe()
{
	[ -w "$MODPROBE" ] || give_up "no $MODPROBE: this kernel loads no modules"
	real_modprobe=$(cat "$MODPROBE")
	: >"$TMP/asked"
	# The kernel calls: modprobe -q -- NAME
	cat >"$TMP/modprobe" <<-END
		#!/bin/sh
		echo "\$3" >>"$TMP/asked"
		exec "$real_modprobe" "\$@"
	END
	chmod +x "$TMP/modprobe"
	trap unwatch_modprobe EXIT
	echo "$TMP/modprobe" >"$MODPROBE"
}

unwatch_modprobe()
{
	echo "$real_modprobe" >"$MODPROBE"
	undo
}

# Names of schedulers' modules that were wanted, or "nothing".
asked_for()
{
	grep -e -iosched "$TMP/asked" || echo nothing
}
