// SPDX-License-Identifier: GPL-2.0
/*
 * diskmodel: content.  A page of zeros is no page, so a bench that writes zeros
 * to a disk of any size needs no memory; what is not zero is kept up to a limit.
 */
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/mm.h>

#include "diskmodel.h"

void diskmodel_store_init(struct diskmodel_store *store, u64 bytes_max)
{
	xa_init(&store->pages);
	spin_lock_init(&store->lock);
	store->bytes = 0;
	store->bytes_max = bytes_max;
	store->refused = 0;
}

/* A new page of zeros; called with the store's lock held. */
static struct page *store_page_add(struct diskmodel_store *store, u64 index,
				   int *error)
{
	struct page *page;

	lockdep_assert_held(&store->lock);

	*error = -ENOSPC;
	if (store->bytes + PAGE_SIZE > store->bytes_max) {
		store->refused++;
		return NULL;
	}
	*error = -ENOMEM;
	page = alloc_page(GFP_NOWAIT | __GFP_NOWARN | __GFP_ZERO);
	if (!page)
		return NULL;
	if (xa_err(xa_store(&store->pages, index, page,
			    GFP_NOWAIT | __GFP_NOWARN))) {
		__free_page(page);
		return NULL;
	}
	store->bytes += PAGE_SIZE;
	return page;
}

static bool store_page_is_zero(struct page *page)
{
	void *data = kmap_local_page(page);
	bool is_zero = !memchr_inv(data, 0, PAGE_SIZE);

	kunmap_local(data);
	return is_zero;
}

/* Called with the store's lock held. */
static int store_write(struct diskmodel_store *store, u64 index,
		       unsigned int offset, const void *data, unsigned int len)
{
	struct page *page = xa_load(&store->pages, index);
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
	memcpy_to_page(page, offset, data, len);
	if (is_zero && store_page_is_zero(page)) {
		xa_erase(&store->pages, index);
		__free_page(page);
		store->bytes -= PAGE_SIZE;
	}
	return 0;
}

/* Called with the store's lock held. */
static void store_read(struct diskmodel_store *store, u64 index,
		       unsigned int offset, void *data, unsigned int len)
{
	struct page *page = xa_load(&store->pages, index);

	lockdep_assert_held(&store->lock);

	if (page)
		memcpy_from_page(data, page, offset, len);
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

void diskmodel_store_free(struct diskmodel_store *store)
{
	unsigned long index;
	struct page *page;

	xa_for_each(&store->pages, index, page)
		__free_page(page);
	xa_destroy(&store->pages);
	store->bytes = 0;
}
