// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the core's KUnit suites on the host and says in TAP how it went. The
 * exit status tells whether all passed.
 */
#include <kunit/test.h>

static struct kunit_suite *suites;

void kunit_register(struct kunit_suite *suite)
{
	suite->next = suites;
	suites = suite;
}

static bool run_case(struct kunit_suite *suite, struct kunit_case *kcase)
{
	struct kunit test = {};

	if (!setjmp(test.abort)) {
		if (suite->init && suite->init(&test))
			test.has_failed = true;
		else
			kcase->run_case(&test);
	}
	while (test.nr_memory)
		free(test.memory[--test.nr_memory]);
	return !test.has_failed;
}

int main(void)
{
	int nr = 0, failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	for (struct kunit_suite *suite = suites; suite; suite = suite->next) {
		struct kunit_case *kcase;

		for (kcase = suite->test_cases; kcase->run_case; kcase++) {
			bool is_ok = run_case(suite, kcase);

			printf("%sok %d %s.%s\n", is_ok ? "" : "not ", ++nr,
			       suite->name, kcase->name);
			failed += !is_ok;
		}
	}
	printf("1..%d\n", nr);
	return failed || !nr;
}
