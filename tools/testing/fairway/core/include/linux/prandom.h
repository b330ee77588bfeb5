/* SPDX-License-Identifier: GPL-2.0 */
/* A seeded generator with the kernel's names: a 64-bit xorshift. */
#ifndef _HOST_PRANDOM_H
#define _HOST_PRANDOM_H

#include <linux/types.h>

struct rnd_state {
	u64 x;
};

static inline void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	state->x = seed | 1;
}

static inline u32 prandom_u32_state(struct rnd_state *state)
{
	state->x ^= state->x << 13;
	state->x ^= state->x >> 7;
	state->x ^= state->x << 17;
	return state->x >> 32;
}

#endif /* _HOST_PRANDOM_H */
