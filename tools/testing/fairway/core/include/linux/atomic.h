/* SPDX-License-Identifier: GPL-2.0 */
/* The host tests have one thread: what the core reads needs no atomicity. */
#ifndef _HOST_ATOMIC_H
#define _HOST_ATOMIC_H

#include <linux/compiler.h>
#include <linux/types.h>

static inline int atomic_read(const atomic_t *v)
{
	return READ_ONCE(v->counter);
}

static inline void atomic_set(atomic_t *v, int i)
{
	WRITE_ONCE(v->counter, i);
}

#endif /* _HOST_ATOMIC_H */
