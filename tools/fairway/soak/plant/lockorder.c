// SPDX-License-Identifier: GPL-2.0
/*
 * Takes two mutexes in one order and then in the other. Nobody else takes them,
 * so nothing hangs, but lockdep has to report it. lkdtm plants the other errors;
 * of locks it only has one that is left held, which is reported in one of several
 * ways, as chance has it.
 */
#include <linux/module.h>
#include <linux/mutex.h>

static DEFINE_MUTEX(lockorder_a);
static DEFINE_MUTEX(lockorder_b);

static void lockorder_take(struct mutex *first, struct mutex *second)
{
	mutex_lock(first);
	mutex_lock(second);
	mutex_unlock(second);
	mutex_unlock(first);
}

static int __init lockorder_init(void)
{
	lockorder_take(&lockorder_a, &lockorder_b);
	lockorder_take(&lockorder_b, &lockorder_a);
	return 0;
}

static void __exit lockorder_exit(void)
{
}

module_init(lockorder_init);
module_exit(lockorder_exit);

MODULE_DESCRIPTION("A lock order that lockdep has to report");
MODULE_LICENSE("GPL");
