#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: each knob of fairway takes the whole numbers of its range and nothing else,
# reads back what it took, and has the rights that other schedulers' knobs have. To
# write them stops no I/O, however many wait (case 30). What a switch takes is printed.
#
# Control: nr_requests, which has to drain the line first.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

READERS=64
ROUNDS=20
# Of the texts that are tried; the same each time.
SEED=${SEED:-1}

# As Documentation/block/fairway-iosched.rst has them.
declare -A LEAST=([read_expire_ms]=1 [write_expire_ms]=1 [async_expire_ms]=1
	[pass_sectors]=0 [pass_requests]=0 [round_ms]=1 [turn_min_ms]=1 [turn_max_ms]=1
	[antic_us]=0 [async_weight_pct]=1 [window_us]=0)
declare -A MOST=([read_expire_ms]=60000 [write_expire_ms]=60000 [async_expire_ms]=60000
	[pass_sectors]=2097152 [pass_requests]=1048576 [round_ms]=60000
	[turn_min_ms]=60000 [turn_max_ms]=60000 [antic_us]=1000000
	[async_weight_pct]=1000 [window_us]=1000000)

NO_NUMBERS=('' ' ' - + abc 1x 0x10 1.5 1e3 '1 2' ' 1' '1 ' -1 -0x1
	4294967296 4294967297 18446744073709551615 18446744073709551616
	99999999999999999999999999 %d '*' ''\''' none fairway)

KNOBS=/sys/block/bt0/queue/iosched

# knob_takes NAME TEXT: yes, if it is taken and reads back; no, if it is refused and
# the knob is as it was.
knob_takes()
{
	local before after

	before=$(<"$KNOBS/$1")
	if write "$KNOBS/$1" "$2"; then
		after=$(<"$KNOBS/$1")
		[ "$after" = "$2" ] && echo yes || echo "reads $after"
	else
		after=$(<"$KNOBS/$1")
		[ "$after" = "$before" ] && echo no || echo "refused, but reads $after"
	fi
}

# wrongs NAME: what the knob does wrong
wrongs()
{
	local i text answer want

	for text in "${LEAST[$1]}" "${MOST[$1]}"; do
		answer=$(knob_takes "$1" "$text")
		[ "$answer" = yes ] || echo "'$text': $answer, "
	done
	for text in $((LEAST[$1] - 1)) $((MOST[$1] + 1)) "${NO_NUMBERS[@]}"; do
		answer=$(knob_takes "$1" "$text")
		[ "$answer" = no ] || echo "'$text': $answer, "
	done
	for ((i = 0; i < ROUNDS; i++)); do
		text=$(((RANDOM << 15 | RANDOM) % (2 * MOST[$1])))
		want=no
		[ "$text" -lt "${LEAST[$1]}" ] || [ "$text" -gt "${MOST[$1]}" ] || want=yes
		answer=$(knob_takes "$1" "$text")
		[ "$answer" = "$want" ] || echo "'$text': $answer, "
	done
}

need root null_blk books fairway mq-deadline
plan $((${#LEAST[@]} + 7))
RANDOM=$SEED
echo "# seed $SEED"
null_disk bt0 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
set_scheduler bt0 none
service=$(service_us bt0)
set_scheduler bt0 fairway

check "all knobs are tried here" "$(cd $KNOBS && printf '%s\n' ./* | cut -c 3- | sort | paste -sd ' ')" \
	is "$(printf '%s\n' "${!LEAST[@]}" | sort | paste -sd ' ')"
for name in "${!LEAST[@]}"; do
	check "$name takes what is in its range only" "$(wrongs "$name")none" is none
done
check "their rights are those of other schedulers' knobs" \
	"$(stat -c '%a %u %g' $KNOBS/* | sort -u | paste -sd ' ')" is "644 0 0"
if command -v setpriv >/dev/null; then
	check "who is not root changes none" \
		"$(setpriv --reuid 65534 --regid 65534 --clear-groups sh -c \
			"echo 100 2>/dev/null >$KNOBS/round_ms" 2>/dev/null || echo refused)" is refused
else
	ktap_test_skip "setpriv is not installed"
fi

timed set_scheduler bt0 mq-deadline
echo "# a switch to mq-deadline takes $took_us us"
timed set_scheduler bt0 fairway
echo "# a switch to fairway takes $took_us us"
check "an idle disk is switched within a tenth of a second" "$took_us" le 100000

set_queue bt0 nr_requests 8
"$HERE/readers" -n $READERS -t 600 /dev/bt0 >"$TMP/figures" &
readers=$!
wait_for 60 line_is bt0 $((READERS - 9)) || give_up "no line: $(books bt0 waiting) wait"
longest=0
for name in "${!LEAST[@]}"; do
	for value in "${LEAST[$name]}" "${MOST[$name]}" "$(<"$KNOBS/$name")"; do
		timed set_queue bt0 "iosched/$name" "$value"
		[ "$took_us" -le "$longest" ] || longest=$took_us
	done
done
check "no knob waits for a request, however many stand in line" "$longest" lt "$service"
timed set_queue bt0 nr_requests 16
check "control: nr_requests waits for the line" "$took_us" ge $((READERS * service / 2))
kill "$readers"
wait "$readers"
check "the readers end" "$? $(figure "$TMP/figures" errors)" is "0 0"
ktap_finished
