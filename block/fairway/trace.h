/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trace events: what was decided and why (dispatch), what it took (done), who
 * was kept waiting before (refuse), and what changed (adjust).
 *
 * Here and not in include/trace/events, so that it goes where the scheduler
 * goes, a module outside the tree too.  pid is the task that the I/O is
 * accounted to, 0 for what has none: kernel threads and writeback.  A submitter
 * that is refused or waits has no request yet: there it is the task itself.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM fairway

#if !defined(_FAIRWAY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _FAIRWAY_TRACE_H

#include <linux/tracepoint.h>

#include "fairway.h"

TRACE_DEFINE_ENUM(FWY_READ);
TRACE_DEFINE_ENUM(FWY_WRITE);
TRACE_DEFINE_ENUM(FWY_ASYNC);

#define fairway_show_class(class)				\
	__print_symbolic(class,					\
			    { FWY_READ, "read" },			\
			    { FWY_WRITE, "write" },		\
			    { FWY_ASYNC, "async" })

TRACE_DEFINE_ENUM(FWY_OWN);
TRACE_DEFINE_ENUM(FWY_CROWD);
TRACE_DEFINE_ENUM(FWY_WRITEBACK);
TRACE_DEFINE_ENUM(FWY_BACKGROUND);

/* What was at the front had left its queue, or was in none. */
#define FAIRWAY_NO_KIND	-1

#define fairway_show_kind(kind)					\
	__print_symbolic(kind,					\
			    { FWY_OWN, "own" },			\
			    { FWY_CROWD, "crowd" },		\
			    { FWY_WRITEBACK, "writeback" },	\
			    { FWY_BACKGROUND, "background" },	\
			    { FAIRWAY_NO_KIND, "front" })

TRACE_DEFINE_ENUM(FWY_REASON_FRONT);
TRACE_DEFINE_ENUM(FWY_REASON_DUE);
TRACE_DEFINE_ENUM(FWY_REASON_FAIR);
TRACE_DEFINE_ENUM(FWY_REASON_TURN);

#define fairway_show_reason(reason)				\
	__print_symbolic(reason,				\
			    { FWY_REASON_FRONT, "front" },		\
			    { FWY_REASON_DUE, "due" },		\
			    { FWY_REASON_FAIR, "fair" },		\
			    { FWY_REASON_TURN, "turn" })

/* A request goes to the device.  wait_ns: since it was queued. */
TRACE_EVENT_FN(fairway_dispatch,
	       TP_PROTO(const struct fairway_queue *fq,
			const struct fairway_item *item,
			enum fwy_reason reason, u64 wait_ns),
	       TP_ARGS(fq, item, reason, wait_ns),
	       TP_STRUCT__entry(__field(dev_t, dev)
				__field(pid_t, pid)
				__field(u64, sector)
				__field(u32, sectors)
				__field(int, class)
				__field(int, queue)
				__field(int, reason)
				__field(u32, turn)
				__field(u64, wait_ns)
	       ),
	       TP_fast_assign(__entry->dev = fairway_dev(fq);
			      __entry->pid = item->flow->pid;
			      __entry->sector = item->core.sector;
			      __entry->sectors = item->core.sectors;
			      __entry->class = item->core.class;
			      __entry->queue = item->core.queue ?
				   item->core.queue->kind : FAIRWAY_NO_KIND;
			      __entry->reason = reason;
			      __entry->turn = fq->sched.turn.number;
			      __entry->wait_ns = wait_ns;
	       ),
	       TP_printk("%d,%d pid=%d class=%s sector=%llu sectors=%u queue=%s reason=%s turn=%u wait_ns=%llu",
			 MAJOR(__entry->dev), MINOR(__entry->dev), __entry->pid,
			 fairway_show_class(__entry->class), __entry->sector,
			 __entry->sectors, fairway_show_kind(__entry->queue),
			 fairway_show_reason(__entry->reason), __entry->turn,
			 __entry->wait_ns),
	       fairway_observe_get, fairway_observe_put
);

/*
 * A request completed.  device_ns: since it was dispatched; took_ns: of that, how
 * long after the one before it, which is what it cost the others.
 */
TRACE_EVENT_FN(fairway_done,
	       TP_PROTO(const struct fairway_queue *fq,
			const struct fairway_item *item, u64 device_ns,
			u64 took_ns),
	       TP_ARGS(fq, item, device_ns, took_ns),
	       TP_STRUCT__entry(__field(dev_t, dev)
				__field(pid_t, pid)
				__field(u64, sector)
				__field(u32, sectors)
				__field(int, class)
				__field(u64, device_ns)
				__field(u64, took_ns)
	       ),
	       TP_fast_assign(__entry->dev = fairway_dev(fq);
			      __entry->pid = item->flow->pid;
			      __entry->sector = item->core.sector;
			      __entry->sectors = item->core.sectors;
			      __entry->class = item->core.class;
			      __entry->device_ns = device_ns;
			      __entry->took_ns = took_ns;
	       ),
	       TP_printk("%d,%d pid=%d class=%s sector=%llu sectors=%u device_ns=%llu took_ns=%llu",
			 MAJOR(__entry->dev), MINOR(__entry->dev), __entry->pid,
			 fairway_show_class(__entry->class), __entry->sector,
			 __entry->sectors, __entry->device_ns, __entry->took_ns),
	       fairway_observe_get, fairway_observe_put
);

/*
 * A submitter was refused since it may not wait (is_refused), or has stood in
 * line for wait_ns.  held and limit: of the pool, now.
 */
TRACE_EVENT_FN(fairway_refuse,
	       TP_PROTO(const struct fairway_pool *pool, pid_t pid,
			bool is_refused, u64 wait_ns),
	       TP_ARGS(pool, pid, is_refused, wait_ns),
	       TP_STRUCT__entry(__field(dev_t, dev)
				__field(pid_t, pid)
				__field(bool, is_refused)
				__field(u64, wait_ns)
				__field(int, held)
				__field(unsigned int, limit)
	       ),
	       TP_fast_assign(__entry->dev = fairway_dev(pool->fq);
			      __entry->pid = pid;
			      __entry->is_refused = is_refused;
			      __entry->wait_ns = wait_ns;
			      __entry->held = atomic_read(&pool->held);
			      __entry->limit = fairway_pool_limit(pool);
	       ),
	       TP_printk("%d,%d pid=%d %s wait_ns=%llu held=%d limit=%u",
			 MAJOR(__entry->dev), MINOR(__entry->dev), __entry->pid,
			 __entry->is_refused ? "refused" : "waited",
			 __entry->wait_ns, __entry->held, __entry->limit),
	       fairway_observe_get, fairway_observe_put
);

/*
 * Something that decisions rest on has changed: a knob, by its name and in its
 * unit; or what is learned or derived, which is told when it has moved by an
 * eighth since it was told last.
 */
TRACE_EVENT_FN(fairway_adjust,
	       TP_PROTO(const struct fairway_queue *fq, const char *what,
			u64 was, u64 is),
	       TP_ARGS(fq, what, was, is),
	       TP_STRUCT__entry(__field(dev_t, dev)
				__string(what, what)
				__field(u64, was)
				__field(u64, is)
	       ),
	       TP_fast_assign(__entry->dev = fairway_dev(fq);
			      __assign_str(what);
			      __entry->was = was;
			      __entry->is = is;
	       ),
	       TP_printk("%d,%d what=%s was=%llu is=%llu",
			 MAJOR(__entry->dev), MINOR(__entry->dev),
			 __get_str(what), __entry->was, __entry->is),
	       fairway_observe_get, fairway_observe_put
);

#endif /* _FAIRWAY_TRACE_H */

/* This part must be outside protection */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
