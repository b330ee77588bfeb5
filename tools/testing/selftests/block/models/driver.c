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

#include "diskmodel.h"

/**
 * struct diskmodel_disk - per device: a disk that is powered on
 * @lock: for @model, @request and @wake_ns; taken in any context
 * @model: the disk
 * @request: requests the model holds, by tag
 * @timer: for the next thing that happens
 * @wake_ns: when @timer goes off, or MODEL_NEVER
 * @has_store: whether content is kept
 * @store: content
 * @set: one hardware queue
 * @gendisk: the block device
 */
struct diskmodel_disk {
	spinlock_t lock; /* see above */
	struct model_rot model;
	struct request *request[MODEL_MAX_TAGS];
	struct hrtimer timer;
	u64 wake_ns;
	bool has_store;
	struct diskmodel_store store;
	struct blk_mq_tag_set set;
	struct gendisk *gendisk;
};

static void diskmodel_arm(struct diskmodel_disk *disk)
{
	u64 next_ns = model_rot_next_ns(&disk->model);

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
	struct request *done[MODEL_MAX_TAGS];
	unsigned int i, count = 0;
	unsigned long flags;
	int tag;

	spin_lock_irqsave(&disk->lock, flags);
	disk->wake_ns = MODEL_NEVER;
	while ((tag = model_rot_poll(&disk->model, ktime_get_ns())) >= 0) {
		done[count++] = disk->request[tag];
		disk->request[tag] = NULL;
	}
	diskmodel_arm(disk);
	spin_unlock_irqrestore(&disk->lock, flags);

	for (i = 0; i < count; i++)
		blk_mq_end_request(done[i], BLK_STS_OK);
	return HRTIMER_NORESTART;
}

static bool diskmodel_submit(struct diskmodel_disk *disk, struct request *rq,
			     const struct model_request *req)
{
	unsigned long flags;
	bool is_taken;

	spin_lock_irqsave(&disk->lock, flags);
	is_taken = model_rot_submit(&disk->model, rq->tag, req, ktime_get_ns());
	if (is_taken) {
		disk->request[rq->tag] = rq;
		diskmodel_arm(disk);
	}
	spin_unlock_irqrestore(&disk->lock, flags);
	return is_taken;
}

/* The data of a read or write; BLK_STS_RESOURCE if memory is short just now. */
static blk_status_t diskmodel_data(struct diskmodel_disk *disk,
				   struct request *rq)
{
	struct bio *bio;

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
	struct queue_limits lim = {
		.features = BLK_FEAT_ROTATIONAL,
		.logical_block_size = config->block_bytes,
		.physical_block_size = config->block_bytes,
		.max_hw_sectors = config->request_sectors_max,
	};
	int error;

	if (config->rot.write_cache_sectors)
		lim.features |= BLK_FEAT_WRITE_CACHE;
	if (config->rot.write_cache_sectors && config->rot.fua)
		lim.features |= BLK_FEAT_FUA;

	disk->gendisk = blk_mq_alloc_disk(&disk->set, &lim, disk);
	if (IS_ERR(disk->gendisk))
		return PTR_ERR(disk->gendisk);
	disk->gendisk->fops = &diskmodel_fops;
	disk->gendisk->private_data = disk;
	strscpy(disk->gendisk->disk_name, name, DISK_NAME_LEN);
	set_capacity(disk->gendisk, config->rot.capacity_sectors);
	error = add_disk(disk->gendisk);
	if (error)
		put_disk(disk->gendisk);
	return error;
}

struct diskmodel_disk *diskmodel_power_on(const char *name,
					  const struct diskmodel_config *config)
{
	const char *why = model_rot_check(&config->rot);
	struct diskmodel_disk *disk;
	int error;

	if (!why && !is_power_of_2(config->block_bytes))
		why = "block_bytes is no power of two";
	if (!why && config->rot.capacity_sectors % (config->block_bytes >> 9))
		why = "capacity_sectors is no multiple of block_bytes";
	if (why) {
		pr_err("%s: bad parameters: %s\n", name, why);
		return ERR_PTR(-EINVAL);
	}
	disk = kvzalloc(sizeof(*disk), GFP_KERNEL);
	if (!disk)
		return ERR_PTR(-ENOMEM);

	spin_lock_init(&disk->lock);
	hrtimer_init(&disk->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	disk->timer.function = diskmodel_timer;
	disk->wake_ns = MODEL_NEVER;
	disk->has_store = config->store;
	diskmodel_store_init(&disk->store, config->store_max_mb << 20);
	model_rot_init(&disk->model, &config->rot, ktime_get_ns());

	disk->set.ops = &diskmodel_mq_ops;
	disk->set.nr_hw_queues = 1;
	disk->set.queue_depth = config->rot.queue_depth;
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
	diskmodel_store_free(&disk->store);
free_disk:
	kvfree(disk);
	return ERR_PTR(error);
}

void diskmodel_power_off(struct diskmodel_disk *disk)
{
	/* waits for the requests under way, which the timer goes on ending */
	del_gendisk(disk->gendisk);
	put_disk(disk->gendisk);
	/* it may still be armed for the write cache, which dies with the disk */
	hrtimer_cancel(&disk->timer);
	blk_mq_free_tag_set(&disk->set);
	diskmodel_store_free(&disk->store);
	kvfree(disk);
}

void diskmodel_books_read(struct diskmodel_disk *disk,
			  struct diskmodel_books *books)
{
	unsigned long flags;

	spin_lock_irqsave(&disk->lock, flags);
	books->model = disk->model.counters;
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
