#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The host's side that the soaks and the device matrix share. Sourced, not run, with
# the repository as the working directory, and BUILD and OUT as make has them.

# shellcheck disable=SC2034 # used by those who source it
soak=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
build=${BUILD:-build}
tree=$build/tree
kernel_build=$build/debug
out=${OUT:-out}/soak
failed=0

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

# install_tests: the block selftests and the guest's side of the soak, in
# $out/installed, for the kernel in $kernel_build.
install_tests() {
	local program

	rm -rf "$out/installed"
	tools/fairway/test/install --tree "$tree" --build "$build/kselftest/${kernel_build##*/}" \
		--kernel "$kernel_build" "$out/installed" || exit 1
	cp "$soak"/*.sh "$out/installed/block" || exit 1
	for program in failnth keeper; do
		gcc -O2 -Wall -Wextra -Werror -o "$out/installed/block/$program" \
			"$soak/$program.c" || die "$program does not build"
	done
}

# boot NAME ARGUMENT...
boot() {
	local name=$1
	shift

	tools/fairway/lab/boot --kernel "$kernel_build/arch/x86/boot/bzImage" \
		--mode smp --mem 2048 --out "$out/$name" --add "$out/installed:/tests" "$@"
}

# verdict GOOD TEXT: GOOD is a command's status.
verdict() {
	if [ "$1" -eq 0 ]; then
		echo "${0##*/}: passed: $2"
	else
		echo "${0##*/}: FAILED: $2"
		failed=$((failed + 1))
	fi
}

# What the kernel has to say of each planted error. The lock order comes first:
# the others make lockdep switch itself off.
plant='insmod /plant/lockorder.ko
	modprobe lkdtm
	cd /sys/kernel/debug/provoke-crash || exit
	(echo READ_AFTER_FREE >DIRECT)
	(echo ARRAY_BOUNDS >DIRECT)
	modprobe kmemleak-test
	rmmod kmemleak-test
	echo HUNG_TASK >DIRECT &
	until dmesg | grep -q "blocked for more than"; do sleep 1; done'
reports=('circular locking dependency' 'KASAN' 'UBSAN|cut here' 'blocked for more than'
	'kmemleak|unreferenced')

# prove_detectors: the kernel and the disk go wrong on purpose. A clean run only
# means something from detectors that have been seen to work.
prove_detectors() {
	local began=$SECONDS expected=() report status

	rm -rf "$out/plant"
	cp -r "$soak/plant" "$out/plant"
	make -C "$kernel_build" M="$(realpath "$out/plant")" modules \
		>"$out/plant/build.log" 2>&1 ||
		die "the module with the planted error does not build: $out/plant/build.log"

	# Each report has to come, and nothing else.
	for report in "${reports[@]}"; do
		expected+=(--expect-report "$report")
	done
	boot planted --quiet --timeout 240 --leak-scan "${expected[@]}" \
		--append sysctl.kernel.hung_task_timeout_secs=5 \
		--add "$out/plant/lockorder.ko:/plant/lockorder.ko" -- "$plant"
	verdict $? "planted errors are reported by lockdep, KASAN, UBSAN, kmemleak and for a \
hung task ($((SECONDS - began)) s)"

	# The guest must fail for this reason, and only for it.
	began=$SECONDS
	boot wrong-block --quiet --timeout 240 -- /tests/block/cases.sh 100 0
	status=$?
	if [ "$status" -eq 1 ] && grep -q '^not ok 1 case 0: what was written' \
			"$out/wrong-block/stdout.log"; then
		verdict 0 "a planted wrong block is reported ($((SECONDS - began)) s)"
	else
		verdict 1 "a planted wrong block is reported: status $status, see $out/wrong-block"
	fi
}
