// SPDX-License-Identifier: GPL-2.0
/*
 * diskmodel: content.  A page of zeros is no page, so a bench that writes zeros
 * to a disk of any size needs no memory; what is not zero is kept up to a limit:
 * in ordinary memory, or in a region that the kernel was told to leave alone
 * (memmap=), so that a run that verifies its data has the same free memory as one
 * that does not.
 */
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mm.h>

#include "diskmodel.h"

static int store_map_region(struct diskmodel_store *store, u64 start, u64 bytes)
{
	if (region_intersects(start, bytes, IORESOURCE_SYSTEM_RAM,
			      IORES_DESC_NONE) != REGION_DISJOINT)
		return -EINVAL;
	/* no other store may have it */
	if (!request_mem_region(start, bytes, "diskmodel"))
		return -EBUSY;
	store->region = memremap(start, bytes, MEMREMAP_WB);
	if (!store->region) {
		release_mem_region(start, bytes);
		return -ENOMEM;
	}
	store->region_start = start;
	store->bytes_max = bytes;
	return 0;
}

int diskmodel_store_init(struct diskmodel_store *store,
			 const struct diskmodel_config *config)
{
	memset(store, 0, sizeof(*store));
	xa_init(&store->pages);
	spin_lock_init(&store->lock);
	store->bytes_max = config->store_max_mb << 20;
	if (!config->store || !config->store_region_mb)
		return 0;
	return store_map_region(store, config->store_region_start,
				config->store_region_mb << 20);
}

/* In a region: the page freed last, else the next that was never used. */
static void *store_page_alloc(struct diskmodel_store *store)
{
	void *page;

	if (!store->region)
		return (void *)get_zeroed_page(GFP_NOWAIT | __GFP_NOWARN);
	page = store->free;
	if (page) {
		store->free = *(void **)page;
	} else {
		page = store->region + store->region_used;
		store->region_used += PAGE_SIZE;
	}
	clear_page(page);
	return page;
}

static void store_page_free(struct diskmodel_store *store, void *page)
{
	if (!store->region) {
		free_page((unsigned long)page);
		return;
	}
	*(void **)page = store->free;
	store->free = page;
}

/* A new page of zeros; called with the store's lock held. */
static void *store_page_add(struct diskmodel_store *store, u64 index,
			    int *error)
{
	void *page;

	lockdep_assert_held(&store->lock);

	*error = -ENOSPC;
	if (store->bytes + PAGE_SIZE > store->bytes_max) {
		store->refused++;
		return NULL;
	}
	*error = -ENOMEM;
	page = store_page_alloc(store);
	if (!page)
		return NULL;
	if (xa_err(xa_store(&store->pages, index, page,
			    GFP_NOWAIT | __GFP_NOWARN))) {
		store_page_free(store, page);
		return NULL;
	}
	store->bytes += PAGE_SIZE;
	return page;
}

/* Called with the store's lock held. */
static void store_page_drop(struct diskmodel_store *store, u64 index)
{
	void *page = xa_erase(&store->pages, index);

	lockdep_assert_held(&store->lock);

	if (!page)
		return;
	store_page_free(store, page);
	store->bytes -= PAGE_SIZE;
}

/* Called with the store's lock held. */
static int store_write(struct diskmodel_store *store, u64 index,
		       unsigned int offset, const void *data, unsigned int len)
{
	void *page = xa_load(&store->pages, index);
	bool is_zero = !memchr_inv(data, 0, len);
	int error;

	lockdep_assert_held(&store->lock);

	if (is_zero && !page)
		return 0;
	if (!page) {
		page = store_page_add(store, index, &error);
		if (!page)
			return error;
	}
	memcpy(page + offset, data, len);
	if (is_zero && !memchr_inv(page, 0, PAGE_SIZE))
		store_page_drop(store, index);
	return 0;
}

/* Called with the store's lock held. */
static void store_read(struct diskmodel_store *store, u64 index,
		       unsigned int offset, void *data, unsigned int len)
{
	void *page = xa_load(&store->pages, index);

	lockdep_assert_held(&store->lock);

	if (page)
		memcpy(data, page + offset, len);
	else
		memset(data, 0, len);
}

static int store_segment(struct diskmodel_store *store, u64 byte, void *data,
			 unsigned int len, bool is_write)
{
	int error = 0;

	while (len && !error) {
		unsigned int offset = offset_in_page(byte);
		unsigned int part = min_t(unsigned int, len, PAGE_SIZE - offset);
		unsigned long flags;

		spin_lock_irqsave(&store->lock, flags);
		if (is_write)
			error = store_write(store, byte >> PAGE_SHIFT, offset,
					    data, part);
		else
			store_read(store, byte >> PAGE_SHIFT, offset, data,
				   part);
		spin_unlock_irqrestore(&store->lock, flags);
		byte += part;
		data += part;
		len -= part;
	}
	return error;
}

int diskmodel_store_transfer(struct diskmodel_store *store, struct request *rq)
{
	bool is_write = op_is_write(req_op(rq));
	u64 byte = blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iter;
	struct bio_vec bvec;
	int error = 0;

	rq_for_each_segment(bvec, rq, iter) {
		void *data = bvec_kmap_local(&bvec);

		error = store_segment(store, byte, data, bvec.bv_len, is_write);
		kunmap_local(data);
		if (error)
			break;
		if (!is_write)
			flush_dcache_page(bvec.bv_page);
		byte += bvec.bv_len;
	}
	return error;
}

void diskmodel_store_discard(struct diskmodel_store *store, u64 byte, u64 len)
{
	u64 end = byte + len;
	unsigned long index = byte >> PAGE_SHIFT;
	unsigned long flags;
	void *page;

	spin_lock_irqsave(&store->lock, flags);
	/* only pages that exist are looked at, and those only once */
	xa_for_each_range(&store->pages, index, page, index,
			  (end - 1) >> PAGE_SHIFT) {
		u64 start = (u64)index << PAGE_SHIFT;
		u64 from = max(byte, start) - start;
		u64 to = min(end - start, (u64)PAGE_SIZE);

		memset(page + from, 0, to - from);
		if (!memchr_inv(page, 0, PAGE_SIZE))
			store_page_drop(store, index);
	}
	spin_unlock_irqrestore(&store->lock, flags);
}

void diskmodel_store_free(struct diskmodel_store *store)
{
	unsigned long index;
	void *page;

	xa_for_each(&store->pages, index, page)
		store_page_free(store, page);
	xa_destroy(&store->pages);
	if (store->region) {
		memunmap(store->region);
		release_mem_region(store->region_start, store->bytes_max);
	}
	store->region = NULL;
	store->bytes = 0;
}
