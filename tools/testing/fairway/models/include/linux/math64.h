/* SPDX-License-Identifier: GPL-2.0 */
/* Host build of the disk models: divisions of 64 bits. */
#ifndef HOST_LINUX_MATH64_H
#define HOST_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *rest)
{
	*rest = dividend % divisor;
	return dividend / divisor;
}

static inline u64 DIV64_U64_ROUND_UP(u64 dividend, u64 divisor)
{
	return (dividend + divisor - 1) / divisor;
}

#endif /* HOST_LINUX_MATH64_H */
