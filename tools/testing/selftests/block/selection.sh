#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: queue/scheduler takes each name that it lists, and the aliases, with or
# without one newline. Any other text is refused, changes nothing, and does not
# make the kernel look for a module unless it could be the name of one. This holds
# for disks with one and with many hardware queues; where no scheduler is possible,
# "none" is listed and can be written. Each choice starts with the default knobs.
#
# Kernels before fairway fail it: "nonesuch" switches the scheduler off there, and
# " fairway" is taken.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=watch-modprobe.sh
. "$HERE/watch-modprobe.sh"

INVALID="Invalid argument"

# 15 characters, the longest name there can be, and texts that are longer.
LETTERS_15=abcdefghijklmno
LETTERS_64=$LETTERS_15-$LETTERS_15-$LETTERS_15-$LETTERS_15-

# Well formed, but nobody's name: the kernel has to ask for a module.
UNKNOWN=(nonesuch noop none- Fairway fairways fair "$LETTERS_15")

# As printf's %b has them.
MALFORMED=('\n' ' ' '\t' '\n\n' '\0' ' \n'
	' fairway' 'fairway ' 'fairway \n' '\nfairway' 'fairway\n\n' 'fairway\r\n'
	'fairway junk' 'fairway\njunk' 'fairway\0' 'fairway\0junk' 'fairway,none'
	'[fairway]' 'none ' 'none\n\n' 'none junk' ' none'
	'../fairway' '/fairway' '%s' '*' 'fairwa\0377' 'sda:fairway'
	"${LETTERS_15}p" "${LETTERS_15}p\\n" "$LETTERS_64" "$LETTERS_64\\n"
	"fairway$(printf '%4080s' '')" "$(printf '%4095s' '' | tr ' ' x)")

# answer DISK TEXT: what the kernel says to TEXT, %b. dd, because the shell
# writes a text with newlines in pieces.
answer()
{
	printf '%b' "$2" >"$TMP/text"
	if LC_ALL=C dd if="$TMP/text" of="/sys/block/$1/queue/scheduler" bs=64k \
		conv=notrunc 2>"$TMP/answer"; then
		echo taken
	else
		sed -n '1s/.*: //p' "$TMP/answer"
	fi
}

hardware_queues()
{
	find "/sys/block/$1/mq" -mindepth 1 -maxdepth 1 -name '[0-9]*' | wc -l
}

listed()
{
	tr -d '[]' <"/sys/block/$1/queue/scheduler"
}

# takes DISK TEXT SCHEDULER
takes()
{
	check "$1 takes '$2'" "$(answer "$1" "$2") $(scheduler "$1")" is "taken $3"
}

# The knobs of DISK, "name:value ..."
knobs()
{
	(cd "/sys/block/$1/queue/iosched" && grep . /dev/null ./* | paste -sd ' ')
}

# refuses DISK TEXT WANTED: the kernel says no, keeps what it has, and has asked
# for the module WANTED on the way.
refuses()
{
	local before
	before=$(scheduler "$1")

	: >"$TMP/asked"
	check "$1 with $before refuses '${2:0:32}'" \
		"$(answer "$1" "$2"), has $(scheduler "$1"), asked for $(asked_for)" is \
		"$INVALID, has $before, asked for $3"
	[ "$(scheduler "$1")" = "$before" ] || set_scheduler "$1" "$before"
}

need root null_blk fairway mq-deadline elevator_boot
# A hardware queue for polling is the second one: it is there on one CPU too, and
# unless told otherwise.
null_disk bt1q poll_queues=0
null_disk btmq poll_queues=1
null_disk btno no_sched=1
read -ra names < <(listed bt1q)

plan $((2 * (5 + 2 * ${#names[@]} + 2 * ${#UNKNOWN[@]}) + 2 * ${#MALFORMED[@]} + 11))

check "bt1q has one hardware queue" "$(hardware_queues bt1q)" is 1
check "btmq has many hardware queues" "$(hardware_queues btmq)" ge 2

watch_modprobe
for disk in bt1q btmq; do
	check "$disk lists fairway once" \
		"$(listed "$disk" | tr ' ' '\n' | grep -cx fairway)" is 1
	check "$disk lists none once" \
		"$(listed "$disk" | tr ' ' '\n' | grep -cx none)" is 1
	check "one name is in brackets on $disk" \
		"$(tr -cd '[]' <"/sys/block/$disk/queue/scheduler")" is "[]"
	for name in "${names[@]}"; do
		takes "$disk" "$name" "$name"
	done
	for name in "${names[@]}"; do
		takes "$disk" "$name\\n" "$name"
	done
	takes "$disk" 'deadline\n' mq-deadline
	takes "$disk" deadline mq-deadline
	for name in none fairway; do
		set_scheduler "$disk" "$name"
		for text in "${UNKNOWN[@]}"; do
			refuses "$disk" "$text\\n" "$text-iosched"
		done
	done
done
for name in none fairway; do
	set_scheduler bt1q "$name"
	for text in "${MALFORMED[@]}"; do
		refuses bt1q "$text" nothing
	done
done

check "btno lists none alone" "$(cat /sys/block/btno/queue/scheduler)" is none
check "btno takes none" "$(answer btno 'none\n')" is taken
check "btno says that it has no fairway" "$(answer btno 'fairway\n')" is \
	"Operation not supported"
check "btno refuses what is no name" "$(answer btno 'fairway junk\n')" is "$INVALID"

: >"$TMP/asked"
answer bt1q 'none\n' >/dev/null
check "nothing is loaded for none" "$(asked_for)" is nothing

set_scheduler bt1q fairway
defaults=$(knobs bt1q)
knob=/sys/block/bt1q/queue/iosched/pass_requests
default=$(cat "$knob")
check "knobs are there when the write returns" "$default" ge 0
write "$knob" "$((default + 1))"
check "a knob takes another value" "$(cat "$knob")" is "$((default + 1))"
set_scheduler btmq none
set_scheduler btmq fairway
check "it is not that of another disk" "$(knobs btmq)" is "$defaults"
set_scheduler bt1q none
set_scheduler bt1q fairway
check "it is the default after a switch" "$(knobs bt1q)" is "$defaults"
ktap_finished
