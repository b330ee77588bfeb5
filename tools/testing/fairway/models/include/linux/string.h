/* SPDX-License-Identifier: GPL-2.0 */
/* Host build of the disk models: string functions come from the C library. */
#include <string.h>
