/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test Anything Protocol for the host tests of the disk models.
 *
 * A failing check prints claim, expected and measured value, and seed.
 */
#ifndef MODELS_TAP_H
#define MODELS_TAP_H

#include <linux/types.h>

#ifndef __printf
#define __printf(a, b)	__attribute__((__format__(printf, a, b)))
#endif

/**
 * tap_check() - one result
 * @is_ok: whether the claim held
 * @seed: of the random numbers, 0 if there are none
 * @format: printf-like text of the claim
 */
__printf(3, 4)
void tap_check(bool is_ok, u64 seed, const char *format, ...);

/**
 * tap_near() - one result: a measured value is close to the one expected
 * @measured: value
 * @expected: value
 * @percent: largest difference accepted
 * @seed: of the random numbers, 0 if there are none
 * @format: printf-like text of the claim
 */
__printf(5, 6)
void tap_near(double measured, double expected, double percent, u64 seed,
	      const char *format, ...);

/**
 * tap_end() - print the plan
 *
 * Return: exit status.
 */
int tap_end(void);

/** random_next() - next number of the sequence in @state, all values alike */
u64 random_next(u64 *state);

/** random_below() - next number below @limit; the bias is below 2^-20 here */
u64 random_below(u64 *state, u64 limit);

#endif /* MODELS_TAP_H */
