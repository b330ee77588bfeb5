// SPDX-License-Identifier: GPL-2.0
/*
 * The core at the mercy of a fuzzer: its bytes are the numbers that decide what
 * is done to a scheduler.  block/fairway/tests/chaos.c says what must hold.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/chaos.h"

/* Two bytes for a number: enough for any choice, and short inputs do much. */
struct input {
	const unsigned char *data;
	size_t left;
};

static u32 fuzz_draw(struct chaos *chaos)
{
	struct input *input = chaos->draw_arg;
	u32 number;

	if (input->left < 2) {
		chaos->is_over = true;
		return 0;
	}
	number = input->data[0] | input->data[1] << 8;
	input->data += 2;
	input->left -= 2;
	return number;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct input input = { data, size };
	static struct chaos chaos;
	const char *complaint;

	chaos_init(&chaos, fuzz_draw, &input);
	complaint = chaos_run(&chaos, ~0U);
	if (!complaint)
		complaint = chaos_drain(&chaos);
	if (complaint) {
		fprintf(stderr, "%s\n", complaint);
		abort();
	}
	return 0;
}
