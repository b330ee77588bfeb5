/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FWY_HOST_CONTAINER_OF_H
#define _FWY_HOST_CONTAINER_OF_H

/* The tools' headers keep container_of() here. */
#include <linux/kernel.h>

#endif
