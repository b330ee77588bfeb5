// SPDX-License-Identifier: GPL-2.0
/*
 * The whole core, with whatever may be done to it in random order.  chaos.c says
 * what must hold after each step.
 */
#include <kunit/test.h>
#include <linux/prandom.h>

#include "chaos.h"

/* How many times longer than in the kernel; a host's build says so. */
#ifndef FWY_TEST_SCALE
#define FWY_TEST_SCALE	1
#endif

#define ROUNDS		(40 * FWY_TEST_SCALE)
#define STEPS		2000

static u32 random_draw(struct chaos *chaos)
{
	return prandom_u32_state(chaos->draw_arg);
}

static void whatever_comes_nothing_is_lost_or_comes_twice(struct kunit *test)
{
	struct chaos *chaos = kunit_kzalloc(test, sizeof(*chaos), GFP_KERNEL);
	u64 dispatched = 0;
	u32 seed;

	KUNIT_ASSERT_NOT_NULL(test, chaos);
	kunit_info(test, "seeds 1 to %d", ROUNDS);
	for (seed = 1; seed <= ROUNDS; seed++) {
		struct rnd_state rnd;
		const char *complaint;

		prandom_seed_state(&rnd, seed);
		chaos_init(chaos, random_draw, &rnd);
		complaint = chaos_run(chaos, STEPS);
		if (!complaint)
			complaint = chaos_drain(chaos);
		KUNIT_ASSERT_TRUE_MSG(test, !complaint, "seed %u: %s", seed,
				      complaint);
		dispatched += chaos->dispatched;
	}
	kunit_info(test, "%llu requests", (unsigned long long)dispatched);
	KUNIT_EXPECT_GE_MSG(test, dispatched, ROUNDS * STEPS / 20,
			    "too little came of it");
}

static struct kunit_case random_cases[] = {
	KUNIT_CASE(whatever_comes_nothing_is_lost_or_comes_twice),
	{}
};

static struct kunit_suite random_suite = {
	.name = "fairway_random",
	.test_cases = random_cases,
};

kunit_test_suite(random_suite);
