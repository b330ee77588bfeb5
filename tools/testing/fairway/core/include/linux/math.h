/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FWY_HOST_MATH_H
#define _FWY_HOST_MATH_H

#include_next <linux/math.h>

/* The kernel's own, from lib/math. */
unsigned long int_sqrt(unsigned long x);

#endif
