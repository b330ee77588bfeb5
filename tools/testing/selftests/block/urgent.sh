#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim: while readers stand in line under fairway, I/O that others wait for does
# not: metadata of a file system (REQ_META, REQ_PRIO), and what frees memory
# (REQ_SWAP, PF_MEMALLOC).
#
# Control: the data of a file is waited for in the same line.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

TRACING=/sys/kernel/tracing
EVENTS=$TRACING/events/fairway
CGROUP=/sys/fs/cgroup
READERS=16
NR=8
FOLDERS=8

# traced COMMAND...: runs it as a task of its own, and leaves in $waited how often
# that stood in line and in $read how many reads of its own were served.
traced()
{
	local pid

	write "$TRACING/trace" ""
	write "$EVENTS/enable" 1
	"$@" >"$TMP/printed" &
	pid=$!
	wait "$pid" || give_up "$* failed"
	write "$EVENTS/enable" 0
	waited=$(events "fairway_refuse: .* pid=$pid waited")
	read=$(events "fairway_dispatch: .* pid=$pid class=read")
}

events()
{
	grep -c "$1" "$TRACING/trace"
}

# Folders lie apart, each in a group of its own, and so do their inodes.
make_files()
{
	local folder

	mkfs.ext4 -q -F -b 1024 -N 1024 -O ^has_journal,^flex_bg,^resize_inode \
		-E lazy_itable_init=0 /dev/bt0 >"$TMP/mkfs" 2>&1 ||
		give_up "no ext4: $(tail -n 1 "$TMP/mkfs")"
	mkdir "$TMP/on"
	mount -t ext4 /dev/bt0 "$TMP/on" || give_up "no mount"
	for ((folder = 0; folder < FOLDERS; folder++)); do
		mkdir "$TMP/on/$folder"
		head -c 65536 /dev/zero >"$TMP/on/$folder/file"
	done
	umount "$TMP/on"
}

# Memory of a control group goes to swap at its member's own wish, whoever else
# has enough.
push_out()
{
	# shellcheck disable=SC2016 # the inner shell's own
	bash -c 'echo $$ >"$1/cgroup.procs" && yes | head -c 2M >"$2" &&
		{ echo 1M >"$1/memory.reclaim" || :; }' - "$CGROUP/bt" "$shm" 2>"$TMP/pushed" || give_up "no memory of a control group"
}

is_written()
{
	[ "$(events "fairway_dispatch: .* class=async")" -ge 8 ]
}

undo_here()
{
	[ -z "${shm:-}" ] || rm -f "$shm"
	swapoff /dev/bt0 2>/dev/null
	umount "$TMP/on" 2>/dev/null
	[ ! -d "$CGROUP/bt" ] || rmdir "$CGROUP/bt"
	undo
}

need root null_blk books fairway
[ -d "$EVENTS" ] || skip_all "no $EVENTS: FTRACE is off, or tracefs not mounted"
command -v mkfs.ext4 >/dev/null || skip_all "mkfs.ext4 is not installed"
grep -qw ext4 /proc/filesystems || modprobe -q ext4 || skip_all "no ext4 in this kernel"
plan 7
trap undo_here EXIT

null_disk bt0 size=128 memory_backed=1 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
make_files
set_scheduler bt0 fairway
set_queue bt0 nr_requests "$NR"
"$HERE/readers" -n "$READERS" -t 600 /dev/bt0 >"$TMP/figures" &
readers=$!
wait_for 60 line_is bt0 $((READERS - NR - 1)) || give_up "no line: $(books bt0 waiting) wait"

# The read-ahead of folders and inodes is no metadata to the block layer.
mount -t ext4 -o ro,inode_readahead_blks=0 /dev/bt0 "$TMP/on" || give_up "no mount"
write /proc/sys/vm/drop_caches 3
# shellcheck disable=SC2046 # names are words
traced stat -c %s $(seq -f "$TMP/on/%g/file" 0 $((FOLDERS - 1)))
check "stat sees the files" "$(grep -cx 65536 "$TMP/printed")" is "$FOLDERS"
check "for which it reads folders and inodes" "$read" ge "$FOLDERS"
check "and stands in no line" "$waited" is 0
traced cat "$TMP/on/0/file"
check "control: cat does, for what is in a file" "$waited" ge 1
umount "$TMP/on"

if [ -w "$CGROUP/cgroup.subtree_control" ] && [ -e /proc/swaps ] &&
   write "$CGROUP/cgroup.subtree_control" +memory && mkdir -p "$CGROUP/bt" &&
   [ -w "$CGROUP/bt/memory.reclaim" ]; then
	shm=$(mktemp /dev/shm/bt.XXXXXX)
	mkswap /dev/bt0 >/dev/null
	swapon /dev/bt0 || give_up "no swap on bt0"
	write "$TRACING/trace" ""
	write "$EVENTS/enable" 1
	push_out
	wait_for 60 is_written || give_up "memory does not go to swap"
	write "$EVENTS/enable" 0
	check "what memory goes to swap stands in no line" \
		"$(events "bash-[0-9]* .* fairway_refuse: .* waited")" is 0
else
	ktap_test_skip "no memory.reclaim in control groups, or no swap"
fi

kill "$readers"
wait "$readers"
check "the readers end without an error" "$? $(figure "$TMP/figures" errors)" is "0 0"
swapoff /dev/bt0 2>/dev/null
check "nothing is left in the books" "$(open_books bt0)" is none
ktap_finished
