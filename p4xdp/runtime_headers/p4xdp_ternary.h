/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
#ifndef P4XDP_TERNARY_H
#define P4XDP_TERNARY_H

#include <sys/mman.h>

/*
 * Ternary tables: an array of two halves of `size` entries, and a word that names the entries in
 * force: first << 32 | count. An entry is key, mask, priority, value; greater priorities first.
 */
struct p4xdp_ternary {
	const char *map;
	const char *state_map;
	__u32 size;
	__u32 entry_size;
	__u32 priority_offset;
};

struct p4xdp_ternary_maps {
	int lock;
	int entries;
	int state;
	volatile __u64 *word;
};

static inline void p4xdp_ternary_close(struct p4xdp_ternary_maps *maps)
{
	if (maps->word)
		munmap((void *)(size_t)maps->word, sizeof(*maps->word));
	if (maps->state >= 0)
		close(maps->state);
	if (maps->entries >= 0)
		close(maps->entries);
	if (maps->lock >= 0)
		close(maps->lock);
}

/* Open both maps. */
static inline int p4xdp_ternary_open(const struct p4xdp_ternary *table, const char *pin_dir,
				     struct p4xdp_ternary_maps *maps)
{
	void *word = MAP_FAILED;
	int error;

	maps->word = NULL;
	maps->entries = maps->state = -1;
	maps->lock = p4xdp_lock(pin_dir);
	if (maps->lock >= 0) {
		maps->entries = p4xdp_open(pin_dir, table->map);
		maps->state = p4xdp_open(pin_dir, table->state_map);
	}
	if (maps->entries >= 0 && maps->state >= 0)
		word = mmap(NULL, sizeof(*maps->word), PROT_READ | PROT_WRITE, MAP_SHARED,
			    maps->state, 0);
	if (word != MAP_FAILED) {
		maps->word = (volatile __u64 *)word;
		return 0;
	}
	error = errno;
	p4xdp_ternary_close(maps);
	return p4xdp_error(error);
}

/* Read the entries in force; the caller frees them. */
static inline int p4xdp_ternary_read(const struct p4xdp_ternary *table,
				     const struct p4xdp_ternary_maps *maps, __u8 **entries)
{
	__u64 word = *maps->word;
	__u32 count = (__u32)word, first = (__u32)(word >> 32), i;
	/* room for one more entry */
	__u8 *buffer = (__u8 *)calloc((size_t)count + 1, table->entry_size);

	if (!buffer)
		return p4xdp_error(ENOMEM);
	for (i = 0; i < count; i++) {
		__u32 index = first + i;

		if (bpf_map_lookup_elem(maps->entries, &index,
					buffer + (size_t)i * table->entry_size)) {
			free(buffer);
			return p4xdp_error(errno);
		}
	}
	*entries = buffer;
	return (int)count;
}

static inline int p4xdp_ternary_write(const struct p4xdp_ternary *table,
				      const struct p4xdp_ternary_maps *maps,
				      const __u8 *entries, __u32 count)
{
	__u32 first = *maps->word >> 32 ? 0 : table->size, i;

	for (i = 0; i < count; i++) {
		__u32 index = first + i;

		if (bpf_map_update_elem(maps->entries, &index,
					entries + (size_t)i * table->entry_size, BPF_ANY))
			return p4xdp_error(errno);
	}
	__atomic_store_n(maps->word, (__u64)first << 32 | count, __ATOMIC_RELEASE);
	p4xdp_grace_period();
	return 0;
}

static inline __u32 p4xdp_ternary_priority(const struct p4xdp_ternary *table, const __u8 *entry)
{
	__u32 priority;

	memcpy(&priority, entry + table->priority_offset, sizeof(priority));
	return priority;
}

/* The index of the entry with the key, mask and priority of `entry`, or -1. */
static inline int p4xdp_ternary_find(const struct p4xdp_ternary *table, const __u8 *entries,
				     int count, const void *entry)
{
	int i;

	for (i = 0; i < count; i++)
		if (!memcmp(entries + (size_t)i * table->entry_size, entry,
			    table->priority_offset + sizeof(__u32)))
			return i;
	return -1;
}

/* Put `entry` into its place; return the new number of entries. */
static inline int p4xdp_ternary_place(const struct p4xdp_ternary *table, __u8 *entries, int count,
				      const void *entry)
{
	__u32 priority = p4xdp_ternary_priority(table, (const __u8 *)entry);
	int at = p4xdp_ternary_find(table, entries, count, entry);
	size_t size = table->entry_size;

	if (at < 0) {
		if ((__u32)count >= table->size)
			return p4xdp_error(E2BIG);
		at = count;
		while (at && p4xdp_ternary_priority(table, entries + (size_t)(at - 1) * size) <
			     priority)
			at--;
		memmove(entries + (size_t)(at + 1) * size, entries + (size_t)at * size,
			(size_t)(count - at) * size);
		count++;
	}
	memcpy(entries + (size_t)at * size, entry, size);
	return count;
}

static inline int p4xdp_ternary_take(const struct p4xdp_ternary *table, __u8 *entries, int count,
				     const void *entry)
{
	int at = p4xdp_ternary_find(table, entries, count, entry);
	size_t size = table->entry_size;

	if (at < 0)
		return p4xdp_error(ENOENT);
	memmove(entries + (size_t)at * size, entries + (size_t)(at + 1) * size,
		(size_t)(count - at - 1) * size);
	return count - 1;
}

/* Insert or replace an entry, or delete the one with its key, mask and priority. */
static inline int p4xdp_ternary_change(const struct p4xdp_ternary *table, const char *pin_dir,
				       const void *entry, int insert)
{
	struct p4xdp_ternary_maps maps;
	__u8 *entries = NULL;
	int result = p4xdp_ternary_open(table, pin_dir, &maps);

	if (result)
		return result;
	result = p4xdp_ternary_read(table, &maps, &entries);
	if (result >= 0)
		result = insert ? p4xdp_ternary_place(table, entries, result, entry) :
				  p4xdp_ternary_take(table, entries, result, entry);
	if (result >= 0)
		result = p4xdp_ternary_write(table, &maps, entries, (__u32)result);
	free(entries);
	p4xdp_ternary_close(&maps);
	return result;
}

/* Copy up to `most` entries, the first in force first; return how many are in force. */
static inline int p4xdp_ternary_list(const struct p4xdp_ternary *table, const char *pin_dir,
				     void *to, __u32 most)
{
	struct p4xdp_ternary_maps maps;
	__u8 *entries = NULL;
	int result = p4xdp_ternary_open(table, pin_dir, &maps);

	if (result)
		return result;
	result = p4xdp_ternary_read(table, &maps, &entries);
	if (result > 0)
		memcpy(to, entries,
		       ((__u32)result < most ? (__u32)result : most) * (size_t)table->entry_size);
	free(entries);
	p4xdp_ternary_close(&maps);
	return result;
}

#endif
