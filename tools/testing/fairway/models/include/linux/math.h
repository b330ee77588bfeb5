/* SPDX-License-Identifier: GPL-2.0 */
/* Host build of the disk models: the exact integer root, rounded down. */
#ifndef HOST_LINUX_MATH_H
#define HOST_LINUX_MATH_H

#include <linux/types.h>

static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0;
	int bit;

	for (bit = 31; bit >= 0; bit--) {
		u64 next = root | 1ULL << bit;

		if (next * next <= x)
			root = next;
	}
	return root;
}

#endif /* HOST_LINUX_MATH_H */
