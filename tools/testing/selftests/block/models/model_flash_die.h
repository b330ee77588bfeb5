/* SPDX-License-Identifier: GPL-2.0 */
/* Disk models: dies of the flash disk, for its own files only. */
#ifndef DISKMODEL_MODEL_FLASH_DIE_H
#define DISKMODEL_MODEL_FLASH_DIE_H

#include "model_flash.h"

/** model_flash_die_init() - set up all dies from @flash's parameters */
void model_flash_die_init(struct model_flash *flash);

/** model_flash_die_read() - put a read that has a slot in line at its dies */
void model_flash_die_read(struct model_flash *flash, u16 tag);

/**
 * model_flash_die_stop() - end the work of a die whose time has come
 * @flash: the disk
 * @index: of the die
 *
 * Return: the read of which a page is out of the die, or MODEL_FLASH_NONE; then
 * @flash->die[index].out_sectors of it go to the link.
 */
u16 model_flash_die_stop(struct model_flash *flash, unsigned int index);

/**
 * model_flash_die_start() - give a die its next work, if it may have some
 * @flash: the disk
 * @index: of the die
 *
 * Suspends a program if it may.
 */
void model_flash_die_start(struct model_flash *flash, unsigned int index);

/** model_flash_safe() - data of the buffer before this are programmed */
u64 model_flash_safe(const struct model_flash *flash);

#endif /* DISKMODEL_MODEL_FLASH_DIE_H */
