/* SPDX-License-Identifier: GPL-2.0 */
/* Host build of the disk models: offsetof() comes from the C library. */
#include <stddef.h>
