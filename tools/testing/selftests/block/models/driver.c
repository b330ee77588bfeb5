// SPDX-License-Identifier: GPL-2.0
/*
 * diskmodel: blk-mq requests in, completions out.
 *
 * Data is copied when a request is issued; the model says when it ends, and an
 * hrtimer ends it there, in hard interrupt context as a host adapter does.
 */
#define pr_fmt(fmt) "diskmodel: " fmt

#include <linux/blkdev.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "diskmodel.h"

/* 1 GiB: what a disk is told at once; NVMe and SATA allow some GiB. */
#define DISKMODEL_DISCARD_SECTORS	(SZ_1G >> SECTOR_SHIFT)

/**
 * struct diskmodel_disk - per device: a disk that is powered on
 * @lock: for @model, @request and @wake_ns; taken in any context
 * @ops: what kind of disk it is
 * @traits: what the block layer is told; constant
 * @model: the disk
 * @request: requests the model holds, by its tags
 * @timer: for the next thing that happens
 * @wake_ns: when @timer goes off, or MODEL_NEVER
 * @has_store: whether content is kept
 * @store: content
 * @set: tags
 * @gendisk: the block device
 */
struct diskmodel_disk {
	spinlock_t lock; /* see above */
	const struct model_ops *ops;
	struct model_traits traits;
	void *model;
	struct request **request;
	struct hrtimer timer;
	u64 wake_ns;
	bool has_store;
	struct diskmodel_store store;
	struct blk_mq_tag_set set;
	struct gendisk *gendisk;
};

static void diskmodel_arm(struct diskmodel_disk *disk)
{
	u64 next_ns = disk->ops->next_ns(disk->model);

	lockdep_assert_held(&disk->lock);

	if (next_ns == disk->wake_ns || next_ns == MODEL_NEVER)
		return;
	disk->wake_ns = next_ns;
	hrtimer_start(&disk->timer, ns_to_ktime(next_ns), HRTIMER_MODE_ABS_HARD);
}

static enum hrtimer_restart diskmodel_timer(struct hrtimer *timer)
{
	struct diskmodel_disk *disk =
		container_of(timer, struct diskmodel_disk, timer);
	struct request *rq, *next;
	unsigned long flags;
	LIST_HEAD(done);
	int tag;

	spin_lock_irqsave(&disk->lock, flags);
	disk->wake_ns = MODEL_NEVER;
	while ((tag = disk->ops->poll(disk->model, ktime_get_ns())) >= 0) {
		list_add_tail(&disk->request[tag]->queuelist, &done);
		disk->request[tag] = NULL;
	}
	diskmodel_arm(disk);
	spin_unlock_irqrestore(&disk->lock, flags);

	list_for_each_entry_safe(rq, next, &done, queuelist) {
		list_del_init(&rq->queuelist);
		blk_mq_end_request(rq, BLK_STS_OK);
	}
	return HRTIMER_NORESTART;
}

static bool diskmodel_submit(struct diskmodel_disk *disk, struct request *rq,
			     const struct model_request *req)
{
	unsigned int tag = rq->mq_hctx->queue_num * disk->traits.queue_depth +
			   rq->tag;
	unsigned long flags;
	bool is_taken;

	spin_lock_irqsave(&disk->lock, flags);
	is_taken = disk->ops->submit(disk->model, tag, req, ktime_get_ns());
	if (is_taken) {
		disk->request[tag] = rq;
		diskmodel_arm(disk);
	}
	spin_unlock_irqrestore(&disk->lock, flags);
	return is_taken;
}

/* The data of a command; BLK_STS_RESOURCE if memory is short just now. */
static blk_status_t diskmodel_data(struct diskmodel_disk *disk,
				   struct request *rq)
{
	struct bio *bio;

	if (req_op(rq) == REQ_OP_DISCARD) {
		if (disk->has_store)
			diskmodel_store_discard(&disk->store,
						blk_rq_pos(rq) << SECTOR_SHIFT,
						blk_rq_bytes(rq));
		return BLK_STS_OK;
	}
	if (!disk->has_store) {
		if (req_op(rq) == REQ_OP_READ)
			__rq_for_each_bio(bio, rq)
				zero_fill_bio(bio);
		return BLK_STS_OK;
	}
	switch (diskmodel_store_transfer(&disk->store, rq)) {
	case 0:
		return BLK_STS_OK;
	case -ENOMEM:
		return BLK_STS_RESOURCE;
	default:
		pr_warn_ratelimited("%s: content passes the limit of the store\n",
				    disk->gendisk->disk_name);
		return BLK_STS_IOERR;
	}
}

static blk_status_t diskmodel_queue_rq(struct blk_mq_hw_ctx *hctx,
				       const struct blk_mq_queue_data *bd)
{
	struct diskmodel_disk *disk = hctx->queue->queuedata;
	struct request *rq = bd->rq;
	struct model_request req = { };
	blk_status_t status;

	switch (req_op(rq)) {
	case REQ_OP_READ:
		req.op = MODEL_READ;
		break;
	case REQ_OP_WRITE:
		req.op = MODEL_WRITE;
		req.is_fua = rq->cmd_flags & REQ_FUA;
		break;
	case REQ_OP_FLUSH:
		req.op = MODEL_FLUSH;
		break;
	case REQ_OP_DISCARD:
		req.op = MODEL_DISCARD;
		break;
	default:
		return BLK_STS_NOTSUPP;
	}
	if (req.op != MODEL_FLUSH) {
		req.lba = blk_rq_pos(rq);
		req.sectors = blk_rq_sectors(rq);
		req.queued_ns = rq->start_time_ns;
		status = diskmodel_data(disk, rq);
		if (status != BLK_STS_OK)
			return status;
	}
	blk_mq_start_request(rq);
	return diskmodel_submit(disk, rq, &req) ? BLK_STS_OK : BLK_STS_IOERR;
}

static const struct blk_mq_ops diskmodel_mq_ops = {
	.queue_rq = diskmodel_queue_rq,
};

static const struct block_device_operations diskmodel_fops = {
	.owner = THIS_MODULE,
};

static int diskmodel_add_disk(struct diskmodel_disk *disk, const char *name,
			      const struct diskmodel_config *config)
{
	const struct model_traits *traits = &disk->traits;
	struct queue_limits lim = {
		.logical_block_size = config->block_bytes,
		.physical_block_size = config->block_bytes,
		.max_hw_sectors = config->request_sectors_max,
	};
	int error;

	if (traits->is_rotational)
		lim.features |= BLK_FEAT_ROTATIONAL;
	if (traits->has_write_cache)
		lim.features |= BLK_FEAT_WRITE_CACHE;
	if (traits->has_fua)
		lim.features |= BLK_FEAT_FUA;
	if (traits->has_discard) {
		lim.max_hw_discard_sectors = DISKMODEL_DISCARD_SECTORS;
		lim.discard_granularity = config->block_bytes;
	}

	disk->gendisk = blk_mq_alloc_disk(&disk->set, &lim, disk);
	if (IS_ERR(disk->gendisk))
		return PTR_ERR(disk->gendisk);
	disk->gendisk->fops = &diskmodel_fops;
	disk->gendisk->private_data = disk;
	strscpy(disk->gendisk->disk_name, name, DISK_NAME_LEN);
	set_capacity(disk->gendisk, traits->capacity_sectors);
	error = add_disk(disk->gendisk);
	if (error)
		put_disk(disk->gendisk);
	return error;
}

/* What the parameters say that is no disk, or NULL. */
static const char *diskmodel_check(struct diskmodel_config *config)
{
	const void *params = diskmodel_params(config);
	const char *why = config->ops->check(params);
	u64 capacity_sectors;

	if (why)
		return why;
	if (!is_power_of_2(config->block_bytes))
		return "block_bytes is no power of two";
	capacity_sectors = config->ops->traits(params).capacity_sectors;
	if (capacity_sectors % (config->block_bytes >> SECTOR_SHIFT))
		return "capacity_sectors is no multiple of block_bytes";
	if (!PAGE_ALIGNED(config->store_region_start))
		return "store_region_start is no multiple of a page";
	return NULL;
}

static void diskmodel_free(struct diskmodel_disk *disk)
{
	diskmodel_store_free(&disk->store);
	kvfree(disk->request);
	kvfree(disk->model);
	kvfree(disk);
}

static struct diskmodel_disk *
diskmodel_alloc(struct diskmodel_config *config)
{
	const void *params = diskmodel_params(config);
	struct diskmodel_disk *disk = kvzalloc(sizeof(*disk), GFP_KERNEL);
	int error;

	if (!disk)
		return ERR_PTR(-ENOMEM);
	disk->ops = config->ops;
	disk->traits = config->ops->traits(params);
	disk->has_store = config->store;
	error = diskmodel_store_init(&disk->store, config);
	if (error)
		goto free_disk;
	error = -ENOMEM;
	disk->model = kvzalloc(config->ops->state_bytes, GFP_KERNEL);
	disk->request = kvcalloc(disk->traits.queues * disk->traits.queue_depth,
				 sizeof(*disk->request), GFP_KERNEL);
	if (!disk->model || !disk->request)
		goto free_disk;
	spin_lock_init(&disk->lock);
	hrtimer_init(&disk->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	disk->timer.function = diskmodel_timer;
	disk->wake_ns = MODEL_NEVER;
	config->ops->init(disk->model, params, ktime_get_ns());
	return disk;

free_disk:
	diskmodel_free(disk);
	return ERR_PTR(error);
}

struct diskmodel_disk *diskmodel_power_on(const char *name,
					  struct diskmodel_config *config)
{
	const char *why = diskmodel_check(config);
	struct diskmodel_disk *disk;
	int error;

	if (why) {
		pr_err("%s: bad parameters: %s\n", name, why);
		return ERR_PTR(-EINVAL);
	}
	disk = diskmodel_alloc(config);
	if (IS_ERR(disk)) {
		pr_err("%s: no memory, or the store's region is not free: %ld\n",
		       name, PTR_ERR(disk));
		return disk;
	}

	disk->set.ops = &diskmodel_mq_ops;
	disk->set.nr_hw_queues = disk->traits.queues;
	disk->set.queue_depth = disk->traits.queue_depth;
	disk->set.numa_node = NUMA_NO_NODE;
	disk->set.flags = BLK_MQ_F_SHOULD_MERGE;
	error = blk_mq_alloc_tag_set(&disk->set);
	if (error)
		goto free_disk;
	error = diskmodel_add_disk(disk, name, config);
	if (error)
		goto free_set;
	return disk;

free_set:
	hrtimer_cancel(&disk->timer);
	blk_mq_free_tag_set(&disk->set);
free_disk:
	diskmodel_free(disk);
	return ERR_PTR(error);
}

int diskmodel_stall(struct diskmodel_disk *disk, u64 stall_ns)
{
	unsigned long flags;

	if (!disk->ops->stall)
		return -EOPNOTSUPP;
	spin_lock_irqsave(&disk->lock, flags);
	disk->ops->stall(disk->model, stall_ns, ktime_get_ns());
	spin_unlock_irqrestore(&disk->lock, flags);
	return 0;
}

void diskmodel_power_off(struct diskmodel_disk *disk)
{
	/* waits for the requests under way, which the timer goes on ending */
	del_gendisk(disk->gendisk);
	put_disk(disk->gendisk);
	/* it may still be armed for the write cache, which dies with the disk */
	hrtimer_cancel(&disk->timer);
	blk_mq_free_tag_set(&disk->set);
	diskmodel_free(disk);
}

void diskmodel_books_read(struct diskmodel_disk *disk,
			  struct diskmodel_books *books)
{
	unsigned long flags;

	spin_lock_irqsave(&disk->lock, flags);
	disk->ops->replay(disk->model, ktime_get_ns());
	books->model = *disk->ops->counters(disk->model);
	books->dies = disk->traits.dies;
	spin_unlock_irqrestore(&disk->lock, flags);
	spin_lock_irqsave(&disk->store.lock, flags);
	books->store_bytes = disk->store.bytes;
	books->store_refused = disk->store.refused;
	spin_unlock_irqrestore(&disk->store.lock, flags);
}

static int __init diskmodel_init(void)
{
	return diskmodel_configfs_init();
}

static void __exit diskmodel_exit(void)
{
	diskmodel_configfs_exit();
}

module_init(diskmodel_init);
module_exit(diskmodel_exit);
MODULE_DESCRIPTION("Block devices that take the time a modelled disk takes");
MODULE_LICENSE("GPL");
