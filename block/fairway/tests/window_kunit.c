// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of core/window.c: how much a device without a head holds.
 *
 * The device is some dies, each of which serves what lies on it: more in the
 * device keeps more of them busy.  With n requests for d dies n / (n + d - 1) of
 * them are, were their times random; as they are not, it is more.
 */
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "fakeload.h"

#define MS		((u64)NSEC_PER_MSEC)
#define WARM_NS		(1000 * MS)
#define RUN_NS		(1000 * MS)

/* What one request of the flood below takes of the device's time. */
#define FLOOD_SECTORS	128
#define FLOOD_NS	((FAKEDISK_REQUEST_US + FLOOD_SECTORS) * \
			 (u64)NSEC_PER_USEC)

static const u32 seeds[] = { 1, 20261130, 4294967295U };

static const struct fakekind flood = {
	.count = 8, .is_random = true, .sectors = FLOOD_SECTORS, .depth = 32,
	.weight = FWY_WEIGHT, .think_us = 20,
};

static const struct fakekind one_by_one = {
	.count = 1, .is_random = true, .sectors = 8, .depth = 1,
	.weight = FWY_WEIGHT, .think_us = 20,
};

static int window_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct fakeload), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	return 0;
}

static struct fakeload *window_start(struct kunit *test, unsigned int dies,
				     u32 seed)
{
	struct fakeload *load = test->priv;

	kunit_info(test, "seed %u, %u dies", seed, dies);
	fakeload_init(load, false, FAKEDISK_DEPTH, seed);
	load->params.value[FWY_WINDOW_US] = 0;
	load->disk.dies = dies;
	return load;
}

static void window_pass(struct kunit *test, u64 ns)
{
	const char *complaint = fakeload_run(test->priv, ns);

	KUNIT_ASSERT_TRUE_MSG(test, !complaint, "%s", complaint);
}

static void window_run(struct kunit *test)
{
	window_pass(test, WARM_NS);
	fakeload_clear(test->priv);
	window_pass(test, RUN_NS);
}

/* How busy the device was with processes @from to before @to, in percent. */
static u64 busy_pct(const struct fakeload *load, unsigned int from,
		    unsigned int to, u64 ns)
{
	u64 us = 0;

	for (; from < to; from++)
		us += load->proc[from].done * FAKEDISK_REQUEST_US +
		      load->proc[from].done_sectors;
	return div64_u64(us * load->disk.slowness * NSEC_PER_USEC * 100, ns);
}

/* What the window lets in of the flood, in requests. */
static u64 window_requests(const struct fakeload *load)
{
	struct fwy_item item = { .sectors = FLOOD_SECTORS };

	return div64_u64(load->sched.window.limit_ns,
			 fwy_cost_ns(&load->sched.cost, &item));
}

static void device_is_kept_busy_with_little(struct kunit *test)
{
	static const struct {
		unsigned int dies;
		u64 least, most;
	} table[] = { { 1, 1, 3 }, { 4, 8, 36 }, { 8, 16, 48 } };
	int i, j;

	for (i = 0; i < ARRAY_SIZE(table); i++)
		for (j = 0; j < ARRAY_SIZE(seeds); j++) {
			struct fakeload *load = window_start(test,
							     table[i].dies,
							     seeds[j]);
			u64 pct, requests;

			fakeload_add(load, &flood);
			window_run(test);
			pct = busy_pct(load, 0, 8, RUN_NS);
			requests = window_requests(load);
			kunit_info(test, "busy %llu pct, %llu requests",
				   (unsigned long long)pct,
				   (unsigned long long)requests);
			KUNIT_EXPECT_GE(test, pct, 85);
			KUNIT_EXPECT_GE(test, requests, table[i].least);
			KUNIT_EXPECT_LE(test, requests, table[i].most);
		}
}

/*
 * Each of these serves what nobody else does, so a device with less than there are
 * loses as much as it has less: that is not tried again and again.
 */
static void full_device_is_hardly_ever_given_less(struct kunit *test)
{
	static const unsigned int dies[] = { 8, 16, 32 };
	int i, j;

	for (i = 0; i < ARRAY_SIZE(dies); i++)
		for (j = 0; j < ARRAY_SIZE(seeds); j++) {
			struct fakeload *load = window_start(test, dies[i],
							     seeds[j]);
			u64 pct;

			load->disk.is_even = true;
			fakeload_add(load, &flood);
			window_run(test);
			pct = busy_pct(load, 0, 8, RUN_NS);
			kunit_info(test, "busy %llu pct, %llu requests",
				   (unsigned long long)pct,
				   (unsigned long long)window_requests(load));
			KUNIT_EXPECT_GE(test, pct, 95);
		}
}

/* Beside 256 requests: it waits for those in the device, and others lose little. */
static void one_by_one_waits_for_little(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct fakeload *load = window_start(test, 4, seeds[i]);
		const struct fakeproc *proc = &load->proc[8];
		u64 pct;

		fakeload_add(load, &flood);
		fakeload_add(load, &one_by_one);
		window_run(test);
		pct = busy_pct(load, 0, 8, RUN_NS);
		KUNIT_ASSERT_GE(test, proc->done, 50);
		kunit_info(test, "others %llu pct, mean %llu us, most %llu us",
			   (unsigned long long)pct,
			   (unsigned long long)
			   div64_u64(proc->wait_ns, proc->done * 1000),
			   (unsigned long long)proc->most_ns / 1000);
		KUNIT_EXPECT_GE(test, pct, 80);
		KUNIT_EXPECT_LE(test, div64_u64(proc->wait_ns, proc->done),
				36 * FLOOD_NS);
		KUNIT_EXPECT_LE(test, proc->most_ns, 144 * FLOOD_NS);
	}
}

/* However many they are, what is kept for them is an eighth. */
static void those_who_want_little_are_favoured_for_an_eighth(struct kunit *test)
{
	struct fakekind many = one_by_one, few = flood;
	int i;

	many.count = 8;
	few.count = 2;
	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct fakeload *load = window_start(test, 1, seeds[i]);
		u64 deep, shallow;

		fakeload_add(load, &few);
		fakeload_add(load, &many);
		window_run(test);
		deep = busy_pct(load, 0, 2, RUN_NS);
		shallow = busy_pct(load, 2, 10, RUN_NS);
		kunit_info(test, "deep %llu pct, one by one %llu pct",
			   (unsigned long long)deep,
			   (unsigned long long)shallow);
		/* By shares alone the two have 20 %. */
		KUNIT_EXPECT_GE(test, deep, 100 * 2 / 10 * 7 / 8);
		KUNIT_EXPECT_GE(test, deep + shallow, 95);
	}
}

static void set_window_is_kept(struct kunit *test)
{
	struct fakeload *load = window_start(test, 8, seeds[0]);
	u64 most_ns = 0;
	int i;

	load->params.value[FWY_WINDOW_US] = 2000;
	fwy_window_open(&load->sched);
	fakeload_add(load, &flood);
	window_pass(test, WARM_NS);
	for (i = 0; i < 1000; i++) {
		window_pass(test, MS / 10);
		most_ns = max(most_ns, load->sched.in_flight_ns);
	}
	/* With the request that fills it. */
	KUNIT_EXPECT_GE(test, most_ns, 2 * MS);
	KUNIT_EXPECT_LE(test, most_ns, 2 * MS + 2 * FLOOD_NS);
}

/* The number of requests is found anew, and it is their time that is limited. */
static void changed_device_is_followed(struct kunit *test)
{
	static const struct {
		unsigned int dies, slowness;
	} table[] = { { 8, 1 }, { 8, 10 }, { 1, 10 }, { 8, 1 } };
	struct fakeload *load = window_start(test, table[0].dies, seeds[0]);
	int i;

	fakeload_add(load, &flood);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		const u64 run_ns = RUN_NS * table[i].slowness;
		u64 pct;

		load->disk.dies = table[i].dies;
		load->disk.slowness = table[i].slowness;
		window_pass(test, 16 * run_ns);
		fakeload_clear(load);
		window_pass(test, run_ns);
		pct = busy_pct(load, 0, 8, run_ns);
		kunit_info(test, "%u dies, %u times: busy %llu pct, %llu requests",
			   table[i].dies, table[i].slowness,
			   (unsigned long long)pct,
			   (unsigned long long)window_requests(load));
		KUNIT_EXPECT_GE(test, pct, 85);
		KUNIT_EXPECT_LE(test, window_requests(load),
				table[i].dies == 1 ? 6U : 48U);
	}
}

/* Who asks one by one shows what it waits for, and not what the device can do. */
static void idle_device_teaches_nothing(struct kunit *test)
{
	struct fakeload *load = window_start(test, 4, seeds[0]);
	struct fwy_cost was = load->sched.cost;
	u64 limit_ns = load->sched.window.limit_ns;

	fakeload_add(load, &one_by_one);
	window_run(test);
	KUNIT_EXPECT_GE(test, load->proc[0].done, 1000);
	KUNIT_EXPECT_EQ(test, memcmp(&load->sched.cost, &was, sizeof(was)), 0);
	KUNIT_EXPECT_EQ(test, load->sched.window.limit_ns, limit_ns);
}

/* Nothing is done for five seconds, once. */
static void stall_does_not_open_the_window(struct kunit *test)
{
	struct fakeload *load = window_start(test, 4, seeds[0]);
	u64 requests;
	int i;

	fakeload_add(load, &flood);
	window_run(test);
	requests = window_requests(load);
	for (i = 0; i < load->disk.dies; i++)
		load->disk.free_ns[i] += 5000 * MS;
	for (i = 0; i < load->disk.nr; i++)
		load->disk.end_ns[i] += 5000 * MS;
	load->disk.done_ns += 5000 * MS;
	window_pass(test, 5000 * MS + RUN_NS);
	kunit_info(test, "%llu requests, before %llu",
		   (unsigned long long)window_requests(load),
		   (unsigned long long)requests);
	KUNIT_EXPECT_LE(test, window_requests(load), 2 * requests);
	KUNIT_EXPECT_GE(test, 2 * window_requests(load), requests);
}

static struct kunit_case window_cases[] = {
	KUNIT_CASE(device_is_kept_busy_with_little),
	KUNIT_CASE(full_device_is_hardly_ever_given_less),
	KUNIT_CASE(one_by_one_waits_for_little),
	KUNIT_CASE(those_who_want_little_are_favoured_for_an_eighth),
	KUNIT_CASE(set_window_is_kept),
	KUNIT_CASE(changed_device_is_followed),
	KUNIT_CASE(idle_device_teaches_nothing),
	KUNIT_CASE(stall_does_not_open_the_window),
	{}
};

static struct kunit_suite window_suite = {
	.name = "fairway_window",
	.init = window_init,
	.test_cases = window_cases,
};

kunit_test_suite(window_suite);
