/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much of KUnit as the core's tests use, for the host. A failed ASSERT ends
 * its case, as in the kernel.
 */
#ifndef _HOST_KUNIT_TEST_H
#define _HOST_KUNIT_TEST_H

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define GFP_KERNEL	0
#define U32_MAX		(~0U)
#define U64_MAX		(~0ULL)

struct kunit {
	void *priv;
	bool has_failed;
	jmp_buf abort;
	void *memory[8];
	int nr_memory;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	int (*init)(struct kunit *test);
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

void kunit_register(struct kunit_suite *suite);

#define KUNIT_CASE(function)	{ .run_case = function, .name = #function }

#define kunit_test_suite(suite)						\
	static void __attribute__((constructor)) register_##suite(void)	\
	{								\
		kunit_register(&(suite));				\
	}

#define kunit_info(test, fmt, ...) \
	((void)(test), printf("    # " fmt "\n", ##__VA_ARGS__))

static inline void *kunit_kzalloc(struct kunit *test, size_t size, int gfp)
{
	void *memory = calloc(1, size);

	if (test->nr_memory == ARRAY_SIZE(test->memory))
		abort();
	test->memory[test->nr_memory++] = memory;
	return memory;
}

#define KUNIT_FAIL_AT(test, claim, must_end, ...) do {			\
	(test)->has_failed = true;					\
	printf("    # %s:%d: %s ", __FILE__, __LINE__, claim);		\
	printf(" " __VA_ARGS__);					\
	putchar('\n');							\
	if (must_end)							\
		longjmp((test)->abort, 1);				\
} while (0)

#define KUNIT_CHECK(test, condition, must_end, ...) do {		\
	if (!(condition))						\
		KUNIT_FAIL_AT(test, #condition, must_end, __VA_ARGS__);	\
} while (0)

/* Of two numbers a failure shows both, as in the kernel. */
#define KUNIT_COMPARE(test, left, op, right, must_end, ...) do {	\
	__typeof__((left) + 0) __left = (left);				\
	__typeof__((right) + 0) __right = (right);			\
									\
	if (!(__left op __right)) {					\
		printf("    # %lld against %lld\n", (long long)__left,	\
		       (long long)__right);				\
		KUNIT_FAIL_AT(test, #left " " #op " " #right, must_end,	\
			      __VA_ARGS__);				\
	}								\
} while (0)

#define KUNIT_EXPECT_TRUE(t, a)		KUNIT_CHECK(t, a, false)
#define KUNIT_EXPECT_TRUE_MSG(t, a, ...) KUNIT_CHECK(t, a, false, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE(t, a)	KUNIT_CHECK(t, !(a), false)
#define KUNIT_EXPECT_NULL(t, a)		KUNIT_CHECK(t, !(a), false)
#define KUNIT_EXPECT_EQ(t, a, b)	KUNIT_COMPARE(t, a, ==, b, false)
#define KUNIT_EXPECT_GE(t, a, b)	KUNIT_COMPARE(t, a, >=, b, false)
#define KUNIT_EXPECT_LE(t, a, b)	KUNIT_COMPARE(t, a, <=, b, false)
#define KUNIT_EXPECT_PTR_EQ(t, a, b)	KUNIT_CHECK(t, (a) == (b), false)
#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) \
	KUNIT_COMPARE(t, a, ==, b, false, __VA_ARGS__)
#define KUNIT_EXPECT_GE_MSG(t, a, b, ...) \
	KUNIT_COMPARE(t, a, >=, b, false, __VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(t, a, b, ...) \
	KUNIT_COMPARE(t, a, <=, b, false, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE(t, a)		KUNIT_CHECK(t, a, true)
#define KUNIT_ASSERT_NOT_NULL(t, a)	KUNIT_CHECK(t, a, true)
#define KUNIT_ASSERT_PTR_EQ(t, a, b)	KUNIT_CHECK(t, (a) == (b), true)
#define KUNIT_ASSERT_EQ(t, a, b)	KUNIT_COMPARE(t, a, ==, b, true)
#define KUNIT_ASSERT_GE(t, a, b)	KUNIT_COMPARE(t, a, >=, b, true)
#define KUNIT_ASSERT_TRUE_MSG(t, a, ...) KUNIT_CHECK(t, a, true, __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...) \
	KUNIT_COMPARE(t, a, ==, b, true, __VA_ARGS__)
#define KUNIT_ASSERT_NE_MSG(t, a, b, ...) \
	KUNIT_COMPARE(t, a, !=, b, true, __VA_ARGS__)
#define KUNIT_ASSERT_LE_MSG(t, a, b, ...) \
	KUNIT_COMPARE(t, a, <=, b, true, __VA_ARGS__)

#endif /* _HOST_KUNIT_TEST_H */
