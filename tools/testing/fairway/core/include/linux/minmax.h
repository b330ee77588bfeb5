/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FWY_HOST_MINMAX_H
#define _FWY_HOST_MINMAX_H

/* The tools' headers keep min() and max() here. */
#include <linux/kernel.h>

#endif
