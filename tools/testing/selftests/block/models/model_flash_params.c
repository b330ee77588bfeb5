// SPDX-License-Identifier: GPL-2.0
/* Disk models: parameters of the flash disk, their ranges and presets. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "model_flash.h"

#define FLASH_PARAM(field, least, most) {				\
	.name = #field,							\
	.offset = offsetof(struct model_flash_params, field),		\
	.min = (least),							\
	.max = (most),							\
}

/* The upper ends keep every product below 2^63; no single time is above 1 s. */
const struct model_param model_flash_param[] = {
	FLASH_PARAM(capacity_sectors, 8, 1ULL << 40),
	FLASH_PARAM(queues, 1, MODEL_FLASH_MAX_QUEUES),
	FLASH_PARAM(queue_depth, 1, MODEL_FLASH_MAX_COMMANDS),
	FLASH_PARAM(slots, 1, MODEL_FLASH_MAX_SLOTS),
	FLASH_PARAM(command_ns, 0, MODEL_NSEC),
	FLASH_PARAM(latency_ns, 0, MODEL_NSEC),
	FLASH_PARAM(link_bytes_per_s, 0, 100 * MODEL_NSEC),
	FLASH_PARAM(link_duplex, 0, 1),
	FLASH_PARAM(channels, 1, MODEL_FLASH_MAX_CHANNELS),
	FLASH_PARAM(channel_bytes_per_s, 0, 100 * MODEL_NSEC),
	FLASH_PARAM(dies, 1, MODEL_MAX_DIES),
	FLASH_PARAM(striping, 0, 1),
	FLASH_PARAM(page_sectors, 1, 1 << 16),
	FLASH_PARAM(program_sectors, 1, 1 << 16),
	FLASH_PARAM(block_sectors, 1, 1 << 24),
	FLASH_PARAM(read_ns, 0, MODEL_NSEC),
	FLASH_PARAM(program_ns, 0, MODEL_NSEC),
	FLASH_PARAM(erase_ns, 0, MODEL_NSEC),
	FLASH_PARAM(read_run, 0, 1 << 16),
	FLASH_PARAM(suspends, 0, 1 << 16),
	FLASH_PARAM(suspend_ns, 0, MODEL_NSEC),
	FLASH_PARAM(write_buffer_sectors, 0, 1 << 24),
	FLASH_PARAM(volatile_buffer, 0, 1),
	FLASH_PARAM(fua, 0, 1),
	FLASH_PARAM(gc, 0, 1),
	FLASH_PARAM(gc_start_full, 0, 1),
	FLASH_PARAM(utilisation_permille, 0, 1000),
	FLASH_PARAM(spare_permille, 20, 10000),
	FLASH_PARAM(discard, 0, 1),
	FLASH_PARAM(discard_ns, 0, MODEL_NSEC),
	FLASH_PARAM(discard_mib_ns, 0, MODEL_NSEC),
	{ }
};

/*
 * A small NVMe disk.  Dies: Samsung's 512 Gb TLC V-NAND of 64 layers, tR 60 us,
 * tPROG 700 us, 16 KiB pages (AnandTech's review of the 983 ZET, table "Samsung
 * 3D NAND Comparison").  Two planes programmed together make 47 MB/s per die,
 * in line with the 50 MB/s that Samsung gave for its first V-NAND (ISSCC 2014,
 * 19.5).  tBERS 4.5 ms: HP's white paper on SLC, MLC and TLC NAND, table 1.
 * Block of 16 MiB over the planes: our choice; it sets only how seldom erases
 * are.  Channels of 667 MB/s (ONFI 4: 667 MT/s, 8 bits).  Eight dies: so that it
 * is a disk that a virtual CPU can saturate.  The link is PCIe 3.0 x1: 985 MB/s
 * less packet headers, about 800.  The controller takes 40 000 commands/s, for
 * the same reason: real ones take ten times that.  1024 commands in one queue,
 * nearly what NVMe disks offer Linux (1023); 64 at work, our choice.  Buffer 8 MiB,
 * with capacitors: consumer disks have more behind a volatile one, but here writes
 * must fill it in seconds.  Full, and spare 28 %: 256 GiB of flash sold as 200 GB,
 * hence a write amplification of about 2.5.  Suspending off, as the disks on which
 * a scheduler matters are those whose reads wait.  A discard costs 100 us and 10 us
 * per MiB: our choice, makers give no figure.
 */
static const struct model_flash_params flash_nvme = {
	.capacity_sectors = 83886080,
	.queues = 1,
	.queue_depth = 1023,
	.slots = 64,
	.command_ns = 25000,
	.latency_ns = 5000,
	.link_bytes_per_s = 800000000,
	.link_duplex = 1,
	.channels = 4,
	.channel_bytes_per_s = 667000000,
	.dies = 8,
	.striping = 1,
	.page_sectors = 32,
	.program_sectors = 64,
	.block_sectors = 32768,
	.read_ns = 60000,
	.program_ns = 700000,
	.erase_ns = 4500000,
	.read_run = 16,
	.suspend_ns = 10000,
	.write_buffer_sectors = 16384,
	.gc = 1,
	.gc_start_full = 1,
	.utilisation_permille = 1000,
	.spare_permille = 280,
	.discard = 1,
	.discard_ns = 100000,
	.discard_mib_ns = 10000,
};

/*
 * A SATA disk for desktops of the same dies, four of them.  550 MB/s is what
 * makers give for reading over 6 Gb/s (600 MB/s after 8b/10b coding), one
 * direction at a time; NCQ of 32.  Volatile buffer of 4 MiB, FUA.  7 % spare
 * (the difference between GiB and GB), 80 % of the capacity in use, as on a desktop,
 * and what is free can be written without cleaning.  Capacity 32 GB: our choice.
 */
static const struct model_flash_params flash_sata_ssd = {
	.capacity_sectors = 62914560,
	.queues = 1,
	.queue_depth = 32,
	.slots = 32,
	.command_ns = 25000,
	.latency_ns = 20000,
	.link_bytes_per_s = 550000000,
	.channels = 2,
	.channel_bytes_per_s = 667000000,
	.dies = 4,
	.striping = 1,
	.page_sectors = 32,
	.program_sectors = 64,
	.block_sectors = 32768,
	.read_ns = 60000,
	.program_ns = 700000,
	.erase_ns = 4500000,
	.read_run = 16,
	.suspend_ns = 10000,
	.write_buffer_sectors = 8192,
	.volatile_buffer = 1,
	.fua = 1,
	.gc = 1,
	.utilisation_permille = 800,
	.spare_permille = 70,
	.discard = 1,
	.discard_ns = 200000,
	.discard_mib_ns = 20000,
};

bool model_flash_preset(struct model_flash_params *params, const char *name)
{
	static const struct {
		const char *name;
		const struct model_flash_params *params;
	} preset[] = {
		{ "nvme", &flash_nvme },
		{ "sata-ssd", &flash_sata_ssd },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(preset); i++) {
		if (strcmp(preset[i].name, name))
			continue;
		*params = *preset[i].params;
		return true;
	}
	return false;
}

const char *model_flash_check(const struct model_flash_params *params)
{
	const char *name = model_params_check(model_flash_param, params);
	u64 rest;

	if (name)
		return name;
	if (params->queues * params->queue_depth > MODEL_FLASH_MAX_COMMANDS)
		return "queues x queue_depth is above 1024";
	div64_u64_rem(params->dies, params->channels, &rest);
	if (rest)
		return "dies is no multiple of channels";
	div64_u64_rem(params->block_sectors, params->program_sectors, &rest);
	if (rest)
		return "block_sectors is no multiple of program_sectors";
	if (params->write_buffer_sectors &&
	    params->write_buffer_sectors < params->program_sectors)
		return "write_buffer_sectors is below program_sectors";
	return NULL;
}

/* -ln(x / 2^30) in 1/2^30, for 0 < x <= 2^30: the bits of log2, then ln 2. */
static u64 flash_minus_ln_q30(u64 x)
{
	u64 log2 = 0, bit;

	while (x < 1ULL << 29) {
		x <<= 1;
		log2 += 1ULL << 30;
	}
	if (x == 1ULL << 30)
		return 0;
	/* x is in [1/2, 1): so -log2(x) is in (0, 1] */
	x <<= 1;
	log2 += 1ULL << 30;
	for (bit = 1ULL << 29; bit; bit >>= 1) {
		x = (x * x) >> 30;
		if (x >= 1ULL << 31) {
			x >>= 1;
			log2 -= bit;
		}
	}
	/* ln 2 in 1/2^30 */
	return (log2 * 744261118ULL) >> 30;
}

/* (1 - v) / -ln v grows with v, so halving the range finds it. */
u64 model_flash_valid_q30(const struct model_flash_params *params)
{
	u64 used = div64_u64(params->utilisation_permille << 30,
			     1000 + params->spare_permille);
	u64 low = 1, high = 1ULL << 30;

	while (high - low > 1) {
		u64 v = low + (high - low) / 2;

		if (((1ULL << 30) - v) << 30 > used * flash_minus_ln_q30(v))
			high = v;
		else
			low = v;
	}
	return low;
}
