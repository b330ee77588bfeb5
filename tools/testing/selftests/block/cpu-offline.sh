#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Claim 1: a CPU that goes offline with N readers in line at its hardware queue
# is offline within (N + nr_requests) x the service time, and they all go on.
#
# Claim 2: those who stood in line there come back with their ticket, since blk-mq
# tries their allocation again on another hardware queue, and give it back.
#
# Claim 3: with batches from io_uring while the CPU goes and comes, every ticket
# becomes a request or is given back.
#
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

READERS=64
CYCLES=10

reads()
{
	awk '{ print $1 }' /sys/block/bt0/stat
}

all_read_again()
{
	holds "$(reads)" ge "$((reads_then + 2 * READERS))"
}

need root cpus null_blk books fio fairway
plan 9

null_disk bt0 submit_queues=2 irqmode=2 completion_nsec=8000000 hw_queue_depth=1
set_scheduler bt0 none
service=$(service_us bt0)
set_scheduler bt0 fairway
set_queue bt0 nr_requests 4
nr=$(cat /sys/block/bt0/queue/nr_requests)

timed cpu_offline cpu1
idle_us=$took_us
cpu_online cpu1
echo "# without I/O cpu1 goes offline in $idle_us us"

taskset 2 "$HERE/readers" -n "$READERS" -t 600 /dev/bt0 >"$TMP/figures" &
readers=$!
wait_for 60 line_is bt0 $((READERS - nr - 1)) || give_up "no line: $(books bt0 waiting) wait"
timed cpu_offline cpu1
# Twice the idle time: the CPU now also has 64 tasks to hand over.
check "cpu1 goes offline within (N + nr_requests) x service" \
	"$took_us" le $(((READERS + nr) * service + 2 * idle_us))
reads_then=$(reads)
check "the readers go on, on the other CPU" \
	"$(wait_for 60 all_read_again && echo yes)" is yes
# The last to leave the line opens it for all who still stand there.
check "who stood in line there came back with a ticket" \
	"$(books bt0 returned)" ge $((READERS / 2))
cpu_online cpu1
kill "$readers"
wait "$readers"
check "they end" "$?" is 0
check "without an error" "$(figure "$TMP/figures" errors)" is 0
check "nothing is left in the books" "$(open_books bt0)" is none
remove_disk bt0

null_disk bt0 submit_queues=2 irqmode=2 completion_nsec=1000000 hw_queue_depth=4
set_scheduler bt0 fairway
set_queue bt0 nr_requests 16
fio --name=batches --filename=/dev/bt0 --direct=1 --rw=randread --bs=4k \
	--ioengine=io_uring --iodepth=64 --iodepth_batch_submit=32 \
	--numjobs=4 --time_based --runtime=600 >"$TMP/fio" 2>&1 &
fio=$!
reads_then=$(reads)
wait_for 60 all_read_again || give_up "fio does not start: $(cat "$TMP/fio")"
for ((cycle = 0; cycle < CYCLES; cycle++)); do
	cpu_offline cpu1 || give_up "cpu1 does not go offline"
	reads_then=$(reads)
	wait_for 60 all_read_again || give_up "I/O stopped with cpu1 offline"
	cpu_online cpu1
	reads_then=$(reads)
	wait_for 60 all_read_again || give_up "I/O stopped with cpu1 online again"
done
kill -INT "$fio"
wait "$fio"
# fio ends so on SIGINT, after all it had in flight.
check "fio ends" "$?" is 128
grep -i 'err=' "$TMP/fio" | sed 's/^/# /'
check "it was contended: tasks stood in line" "$(books bt0 waits)" gt 0
check "every ticket was used or returned once, every request finished" \
	"$(open_books bt0)" is none
ktap_finished
