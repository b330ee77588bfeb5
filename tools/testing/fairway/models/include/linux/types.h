/* SPDX-License-Identifier: GPL-2.0 */
/* Host build of the disk models: the kernel's types. */
#ifndef HOST_LINUX_TYPES_H
#define HOST_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#endif /* HOST_LINUX_TYPES_H */
