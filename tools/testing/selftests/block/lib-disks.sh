# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The real disks that FAIRWAY_DISKS names: which of them may be used, and how they
# are left. Sourced after lib.sh.
#
# A disk is used if nobody holds it and nothing is on it. Its contents are then
# nobody's, its scheduler and the settings of its queue are put back at the end.

# Names in /sys/block of those that may be used.
REAL=()
# "SCHEDULER" and "FILE VALUE" lines for each, as they were found, in $TMP/found.NAME.
SAVED=()

undo_disks()
{
	local name

	end_jobs
	for name in "${SAVED[@]}"; do
		restore_disk "$name"
	done
	undo
}
trap undo_disks EXIT

# device_number PATH: "8:16"
device_number()
{
	local major minor

	read -r major minor < <(stat -L -c '%t %T' "$1")
	echo "$((16#$major)):$((16#$minor))"
}

# What /sys calls the block device PATH.
disk_name()
{
	basename "$(realpath "/sys/dev/block/$(device_number "$1")")"
}

# refusal PATH: why it may not be used, as far as can be told without opening it;
# nothing, if there is no reason.
refusal()
{
	local path=$1 name sys

	[ -e "$path" ] || { echo "there is no such file"; return; }
	[ -b "$path" ] || { echo "it is no block device"; return; }
	name=$(disk_name "$path")
	sys=/sys/class/block/$name
	if [ -e "$sys/partition" ]; then
		echo "it is a partition, not a disk"
	elif [ ! -e "$sys/queue/scheduler" ] || [ "$(<"$sys/queue/scheduler")" = none ]; then
		echo "its driver takes no scheduler"
	elif [ "$(<"$sys/ro")" != 0 ]; then
		echo "it is read-only"
	else
		held_by "$name"
	fi
}

# held_by NAME: who uses the disk or a part of it.
held_by()
{
	local part

	for part in "/sys/block/$1" "/sys/block/$1/$1"*; do
		[ -e "$part/dev" ] || continue
		mounted "$part" && return
		swapped "$part" && return
		stacked "$part" && return
	done
	looped "$1" && return
	# They have no signature of their own where the table was overwritten.
	for part in "/sys/block/$1/$1"*/partition; do
		[ -e "$part" ] && echo "it has partitions" && return
	done
}

mounted()
{
	local where

	where=$(awk -v number="$(<"$1/dev")" '$3 == number { print $5; exit }' \
		/proc/self/mountinfo)
	[ -n "$where" ] && echo "${1##*/} is mounted on $where"
}

swapped()
{
	local file kind rest

	while read -r file kind rest; do
		if [ "$kind" = partition ] && [ "$(device_number "$file")" = "$(<"$1/dev")" ]; then
			echo "${1##*/} is swap"
			return
		fi
	done </proc/swaps
	return 1
}

stacked()
{
	local holder

	for holder in "$1"/holders/*; do
		[ -e "$holder" ] || continue
		echo "${1##*/} is held by ${holder##*/}"
		return
	done
	return 1
}

looped()
{
	local file

	for file in /sys/block/loop*/loop/backing_file; do
		if [ -e "$file" ] && [ "$(<"$file")" -ef "/dev/$1" ]; then
			echo "a loop device stands on it"
			return
		fi
	done
	return 1
}

# signature PATH: what is on it. Both are asked: each knows some that the other
# does not. What cannot be told counts as something.
signature()
{
	local tool found

	for tool in blkid wipefs; do
		command -v "$tool" >/dev/null || { echo "there is no $tool to look at it"; return; }
	done
	found=$(blkid -p -o export "$1" 2>&1)
	case $? in
	0)
		echo "it carries" "$(sed -n 's/^\(PT\)\?TYPE=//p' <<<"$found")"
		return
		;;
	2)
		;;
	*)
		echo "blkid cannot tell what is on it: ${found//$'\n'/ }"
		return
		;;
	esac
	found=$(wipefs --noheadings --output TYPE "$1" 2>&1) ||
		found="what wipefs cannot tell: $found"
	[ -z "$found" ] || echo "it carries ${found//$'\n'/ }"
}

# claim_disk PATH: for this test alone, until it ends. Sets $reason if it cannot.
claim_disk()
{
	local answer says

	# One file for each: what the last one said is no answer.
	says=$(mktemp -p "$TMP") || exit 1
	"$HERE/claim" "$1" >"$says" &
	wait_for 30 test -s "$says" || give_up "$1 cannot be opened"
	read -r answer <"$says"
	[ "$answer" = held ] || reason="somebody uses it: $answer"
}

# vet_disks PATH...: into REAL; false, and says why, if one of them may not be
# used. Nothing is written, not even a setting.
vet_disks()
{
	local path reason name refused=0

	for path in "$@"; do
		reason=$(refusal "$path")
		if [ -z "$reason" ]; then
			name=$(disk_name "$path")
			if [[ " ${REAL[*]} " == *" $name "* ]]; then
				reason="$name is named twice"
			else
				claim_disk "$path"
				[ -n "$reason" ] || reason=$(signature "$path")
				REAL+=("$name")
			fi
		fi
		if [ -n "$reason" ]; then
			echo "# $path is refused: $reason"
			refused=1
		fi
	done
	return "$refused"
}

# settings NAME: the scheduler, then "FILE VALUE" for what a switch changes.
settings()
{
	local file

	scheduler "$1"
	cd "/sys/block/$1/queue" || return
	for file in nr_requests wbt_lat_usec iosched/*; do
		[ -f "$file" ] && echo "$file $(cat "$file" 2>/dev/null)"
	done
	cd - >/dev/null || return
}

# save_disk NAME: from now on it is put back at the end.
save_disk()
{
	settings "$1" >"$TMP/found.$1"
	SAVED+=("$1")
}

# The same in one line, to be compared.
settings_now()
{
	settings "$1" | paste -sd ' '
}

settings_found()
{
	paste -sd ' ' "$TMP/found.$1"
}

restore_disk()
{
	local name file value

	{
		read -r name
		write "/sys/block/$1/queue/scheduler" "$name"
		while read -r file value; do
			[ "$(cat "/sys/block/$1/queue/$file" 2>/dev/null)" = "$value" ] ||
				write "/sys/block/$1/queue/$file" "$value"
		done
	} <"$TMP/found.$1"
}
