// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/param.c: the knobs.
 */
#include <kunit/test.h>
#include <linux/string.h>

#include "core/core.h"

static void every_default_is_in_its_range_and_named(struct kunit *test)
{
	struct fwy_params params;
	int i;

	fwy_params_init(&params);
	for (i = 0; i < FWY_NR_PARAMS; i++) {
		const struct fwy_param_info *info = &fwy_param_info[i];

		KUNIT_ASSERT_NOT_NULL(test, info->name);
		KUNIT_EXPECT_EQ(test, params.value[i], info->def);
		KUNIT_EXPECT_GE_MSG(test, info->def, info->min, "%s", info->name);
		KUNIT_EXPECT_LE_MSG(test, info->def, info->max, "%s", info->name);
	}
}

static void both_ends_of_the_range_are_taken(struct kunit *test)
{
	struct fwy_params params;
	int i;

	fwy_params_init(&params);
	for (i = 0; i < FWY_NR_PARAMS; i++) {
		const struct fwy_param_info *info = &fwy_param_info[i];

		KUNIT_EXPECT_EQ(test, fwy_param_set(&params, i, info->min), 0);
		KUNIT_EXPECT_EQ(test, params.value[i], info->min);
		KUNIT_EXPECT_EQ(test, fwy_param_set(&params, i, info->max), 0);
		KUNIT_EXPECT_EQ(test, params.value[i], info->max);
	}
}

static void what_is_out_of_range_changes_nothing(struct kunit *test)
{
	struct fwy_params params;
	int i;

	fwy_params_init(&params);
	for (i = 0; i < FWY_NR_PARAMS; i++) {
		const struct fwy_param_info *info = &fwy_param_info[i];

		KUNIT_EXPECT_EQ(test, fwy_param_set(&params, i, info->max + 1ULL),
				-EINVAL);
		KUNIT_EXPECT_EQ(test, fwy_param_set(&params, i, U64_MAX),
				-EINVAL);
		/* 2^32 + a good value must not be cut to it. */
		KUNIT_EXPECT_EQ(test, fwy_param_set(&params, i,
						    (1ULL << 32) + info->def),
				-EINVAL);
		if (info->min)
			KUNIT_EXPECT_EQ(test, fwy_param_set(&params, i,
							    info->min - 1),
					-EINVAL);
		KUNIT_EXPECT_EQ_MSG(test, params.value[i], info->def, "%s",
				    info->name);
	}
}

/* Users and documentation know them by these, and in these units. */
static void knobs_keep_their_names(struct kunit *test)
{
	static const char * const name[FWY_NR_PARAMS] = {
		[FWY_READ_EXPIRE_MS] = "read_expire_ms",
		[FWY_WRITE_EXPIRE_MS] = "write_expire_ms",
		[FWY_ASYNC_EXPIRE_MS] = "async_expire_ms",
		[FWY_PASS_SECTORS] = "pass_sectors",
		[FWY_PASS_REQUESTS] = "pass_requests",
		[FWY_ROUND_MS] = "round_ms",
		[FWY_TURN_MIN_MS] = "turn_min_ms",
		[FWY_TURN_MAX_MS] = "turn_max_ms",
		[FWY_ANTIC_US] = "antic_us",
		[FWY_ASYNC_WEIGHT_PCT] = "async_weight_pct",
		[FWY_WINDOW_US] = "window_us",
	};
	int i;

	for (i = 0; i < FWY_NR_PARAMS; i++)
		KUNIT_EXPECT_EQ_MSG(test, strcmp(fwy_param_info[i].name,
						 name[i]), 0, "knob %d", i);
}

/* Where 0 has no meaning of its own it is refused. */
static void zero_is_taken_only_where_it_turns_something_off(struct kunit *test)
{
	struct fwy_params params;
	int i;

	fwy_params_init(&params);
	for (i = 0; i < FWY_NR_PARAMS; i++) {
		bool is_off = i == FWY_PASS_SECTORS ||
			      i == FWY_PASS_REQUESTS || i == FWY_ANTIC_US ||
			      i == FWY_WINDOW_US;

		KUNIT_EXPECT_EQ_MSG(test, fwy_param_set(&params, i, 0),
				    is_off ? 0 : -EINVAL, "%s",
				    fwy_param_info[i].name);
	}
}

static struct kunit_case param_cases[] = {
	KUNIT_CASE(every_default_is_in_its_range_and_named),
	KUNIT_CASE(both_ends_of_the_range_are_taken),
	KUNIT_CASE(what_is_out_of_range_changes_nothing),
	KUNIT_CASE(knobs_keep_their_names),
	KUNIT_CASE(zero_is_taken_only_where_it_turns_something_off),
	{}
};

static struct kunit_suite param_suite = {
	.name = "fairway_param",
	.test_cases = param_cases,
};

kunit_test_suite(param_suite);
