/* SPDX-License-Identifier: GPL-2.0 */
/* Host build of the disk models: helpers of kernel.h that they use. */
#ifndef HOST_LINUX_KERNEL_H
#define HOST_LINUX_KERNEL_H

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define min_t(type, a, b) ({						\
	type min_a = (a);						\
	type min_b = (b);						\
	min_a < min_b ? min_a : min_b;					\
})

#define max_t(type, a, b) ({						\
	type max_a = (a);						\
	type max_b = (b);						\
	max_a > max_b ? max_a : max_b;					\
})

#define min(a, b)		min_t(__typeof__(a), a, b)
#define max(a, b)		max_t(__typeof__(a), a, b)
#define clamp(value, lo, hi)	min(max(value, lo), hi)

#endif /* HOST_LINUX_KERNEL_H */
