// SPDX-License-Identifier: GPL-2.0
/* Test Anything Protocol and random numbers for the host tests. */
#include <stdarg.h>
#include <stdio.h>

#include "tap.h"

static int tests, failures;

static void tap_line(bool is_ok, u64 seed, const char *format, va_list args)
{
	tests++;
	failures += !is_ok;
	printf("%sok %d ", is_ok ? "" : "not ", tests);
	vprintf(format, args);
	if (seed)
		printf(", seed %llu", seed);
	printf("\n");
	fflush(stdout);
}

void tap_check(bool is_ok, u64 seed, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tap_line(is_ok, seed, format, args);
	va_end(args);
}

void tap_near(double measured, double expected, double percent, u64 seed,
	      const char *format, ...)
{
	double off = expected ? 100 * (measured - expected) / expected :
		     (measured ? 1e9 : 0);
	bool is_ok = off <= percent && off >= -percent;
	va_list args;

	va_start(args, format);
	tap_line(is_ok, seed, format, args);
	va_end(args);
	printf("# expected %.6g, measured %.6g, off by %.2f %% of at most %g %%\n",
	       expected, measured, off, percent);
}

int tap_end(void)
{
	printf("1..%d\n# %d passed, %d failed\n", tests, tests - failures,
	       failures);
	return failures || !tests;
}

/* splitmix64: its whole state is one word, so a seed is a sequence */
u64 random_next(u64 *state)
{
	u64 x = *state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

u64 random_below(u64 *state, u64 limit)
{
	return limit ? random_next(state) % limit : 0;
}
