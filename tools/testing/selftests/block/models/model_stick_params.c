// SPDX-License-Identifier: GPL-2.0
/* Disk models: parameters of the memory card, their ranges and presets. */
#include <linux/kernel.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "model_stick.h"

#define STICK_PARAM(field, least, most) {				\
	.name = #field,							\
	.offset = offsetof(struct model_stick_params, field),		\
	.min = (least),							\
	.max = (most),							\
}

/* The upper ends keep every product below 2^63; a block is at most 8 GiB. */
const struct model_param model_stick_param[] = {
	STICK_PARAM(capacity_sectors, 8, 1ULL << 40),
	STICK_PARAM(queue_depth, 1, MODEL_STICK_MAX_COMMANDS),
	STICK_PARAM(command_ns, 0, MODEL_NSEC),
	STICK_PARAM(read_ns, 0, MODEL_NSEC),
	STICK_PARAM(read_bytes_per_s, 0, 100 * MODEL_NSEC),
	STICK_PARAM(write_ns, 0, MODEL_NSEC),
	STICK_PARAM(write_bytes_per_s, 0, 100 * MODEL_NSEC),
	STICK_PARAM(block_sectors, 1, 1 << 24),
	STICK_PARAM(open_blocks, 0, MODEL_STICK_MAX_OPEN),
	STICK_PARAM(copy_bytes_per_s, 0, 100 * MODEL_NSEC),
	STICK_PARAM(erase_ns, 0, MODEL_NSEC),
	STICK_PARAM(stall_period, 0, 1ULL << 32),
	STICK_PARAM(stall_ns, 0, 60 * MODEL_NSEC),
	{ }
};

/*
 * A 16 GB microSD card: Lexar 633x as measured with flashbench and dd at
 * pctips.click, "Toshiba TransMemory U301 review", April 2020: 16012804096 bytes,
 * erase blocks of 4 MiB, 5 open; reads 20.4 MB/s, writes 11.2 in order and 12.07 in
 * pieces of 512 KiB.  A read of 1 KiB takes 0.74 to 0.79 ms (README of flashbench):
 * 0.2 and 0.5 ms before the transfer, divided by us.  Copies program as writes do,
 * so they have their rate.  Erase 3 ms: HP's white paper on SLC, MLC and TLC NAND,
 * table 1, MLC.  The same page reports stalls "for minutes"; none of themselves
 * here, as a bench wants to say when, and 2 s long when switched on.
 */
static const struct model_stick_params stick_sdcard = {
	.capacity_sectors = 31275008,
	.queue_depth = 1,
	.command_ns = 200000,
	.read_ns = 500000,
	.read_bytes_per_s = 20400000,
	.write_ns = 300000,
	.write_bytes_per_s = 12070000,
	.block_sectors = 8192,
	.open_blocks = 5,
	.copy_bytes_per_s = 12070000,
	.erase_ns = 3000000,
	.stall_ns = 2000000000,
};

bool model_stick_preset(struct model_stick_params *params, const char *name)
{
	if (strcmp(name, "sdcard"))
		return false;
	*params = stick_sdcard;
	return true;
}

const char *model_stick_check(const struct model_stick_params *params)
{
	return model_params_check(model_stick_param, params);
}
