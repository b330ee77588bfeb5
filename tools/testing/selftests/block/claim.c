// SPDX-License-Identifier: GPL-2.0
/*
 * claim: opens a block device for itself alone, says "held" or why it cannot, and
 * keeps it until killed.
 *
 * What holds a device (a mount in whatever namespace, swap, dm, md, a virtual
 * machine) refuses this, and nothing can begin to hold it meanwhile. Programs that
 * just open the device are not kept out.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t parent = getppid();

	if (argc != 2) {
		fprintf(stderr, "Usage: claim DEVICE\n");
		return 2;
	}
	/* A test that was killed must not leave its disks held. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return 1;
	if (open(argv[1], O_RDWR | O_EXCL | O_CLOEXEC) < 0) {
		puts(strerror(errno));
		return 1;
	}
	puts("held");
	fflush(stdout);
	for (;;)
		pause();
}
