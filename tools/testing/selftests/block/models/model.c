// SPDX-License-Identifier: GPL-2.0
/* Disk models: what all kinds count and check alike. */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "model.h"

const char *model_params_check(const struct model_param *param,
			       const void *params)
{
	for (; param->name; param++) {
		u64 value = *(const u64 *)((const char *)params + param->offset);

		if (value < param->min || value > param->max)
			return param->name;
	}
	return NULL;
}

u64 model_bytes_ns(u64 sectors, u64 bytes_per_s)
{
	if (!bytes_per_s)
		return 0;
	return div64_u64(sectors * MODEL_SECTOR_BYTES * MODEL_NSEC, bytes_per_s);
}

void model_count(struct model_counters *counters,
		 const struct model_request *req)
{
	switch (req->op) {
	case MODEL_READ:
		counters->reads++;
		counters->read_sectors += req->sectors;
		break;
	case MODEL_WRITE:
		counters->writes++;
		counters->write_sectors += req->sectors;
		break;
	case MODEL_FLUSH:
		counters->flushes++;
		break;
	case MODEL_DISCARD:
		counters->discards++;
		counters->discard_sectors += req->sectors;
		break;
	}
}

void model_count_idle(struct model_counters *counters,
		      const struct model_request *req, u64 since_ns, u64 now_ns)
{
	counters->idle_ns += now_ns - since_ns;
	if (req->queued_ns)
		counters->starved_ns += now_ns -
			clamp(req->queued_ns, since_ns, now_ns);
}
