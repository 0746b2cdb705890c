/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
#ifndef P4XDP_TERNARY_H
#define P4XDP_TERNARY_H

#include <sys/mman.h>

#define P4XDP_SLOT_DEPTH 7

/*
 * Ternary tables: an array of two halves, and a word that says which half is in force and how many
 * entries it has: half << 32 | count. An entry is key, mask, perhaps ends of ranges, priority,
 * rank, value; the greatest rank wins. With `masks`, a half starts with a record for each mask, the
 * best first, and the slots of all masks: see `struct <table>_mask`.
 */
struct p4xdp_ternary {
	const char *map;
	const char *state_map;
	__u32 size;
	__u32 key_size;
	__u32 entry_size;
	__u32 identity_size; /* key, mask and ranges; priority and rank follow */
	__u32 half_size;
	__u32 entries_offset;
	__u32 masks;
	__u32 slots;
	__u32 slots_offset;
};

/* Behind the mask in its record. */
struct p4xdp_mask_record {
	__u32 best;
	__u32 slots;
	__u32 shift;
	__u32 pad;
};

/* Entries of one mask while a half is filled: `next` links those that wait for a record. */
struct p4xdp_ternary_link {
	__u32 next;
	__u32 slot;
};

struct p4xdp_ternary_group {
	const __u8 *mask;
	__u32 first, last; /* entries, plus one; 0 for none */
	__u32 count;
};

struct p4xdp_ternary_record {
	__u32 group, best, bits, first_slot;
};

/* A table that is being changed: `entries` in order, with room for `room`. */
struct p4xdp_ternary_change {
	const struct p4xdp_ternary *table;
	int lock, map, state;
	volatile __u64 *word;
	__u8 *half;
	__u8 *entries;
	__u32 count;
};

static inline void p4xdp_ternary_close(struct p4xdp_ternary_change *change)
{
	if (change->word)
		munmap((void *)(size_t)change->word, sizeof(*change->word));
	if (change->state >= 0)
		close(change->state);
	if (change->map >= 0)
		close(change->map);
	if (change->lock >= 0)
		close(change->lock);
	free(change->half);
	free(change->entries);
}

static inline __u32 p4xdp_ternary_number(const struct p4xdp_ternary *table, const void *entry,
					 int number)
{
	__u32 value;

	memcpy(&value, (const __u8 *)entry + table->identity_size + (size_t)number * 4, 4);
	return value;
}

#define P4XDP_PRIORITY 0
#define P4XDP_RANK 1

static inline void p4xdp_ternary_set_rank(const struct p4xdp_ternary *table, void *entry,
					  __u32 rank)
{
	memcpy((__u8 *)entry + table->identity_size + 4, &rank, 4);
}

/* Open the maps and read the entries in force, with room for `more`. */
static inline int p4xdp_ternary_open(const struct p4xdp_ternary *table, const char *pin_dir,
				     __u32 more, struct p4xdp_ternary_change *change)
{
	void *word = MAP_FAILED;
	__u32 index, i;
	int error;

	memset(change, 0, sizeof(*change));
	change->table = table;
	change->map = change->state = -1;
	change->lock = p4xdp_lock(pin_dir);
	if (change->lock >= 0) {
		change->map = p4xdp_open(pin_dir, table->map);
		change->state = p4xdp_open(pin_dir, table->state_map);
	}
	if (change->map >= 0 && change->state >= 0)
		word = mmap(NULL, sizeof(*change->word), PROT_READ | PROT_WRITE, MAP_SHARED,
			    change->state, 0);
	if (word == MAP_FAILED)
		goto failed;
	change->word = (volatile __u64 *)word;
	index = (__u32)(*change->word >> 32);
	change->count = (__u32)*change->word;
	change->half = (__u8 *)calloc(1, table->half_size);
	change->entries = (__u8 *)calloc((size_t)change->count + more + 1, table->entry_size);
	if (!change->half || !change->entries) {
		errno = ENOMEM;
		goto failed;
	}
	if (!change->count)
		return 0;
	if (bpf_map_lookup_elem(change->map, &index, change->half))
		goto failed;
	/* the one of rank r stands r entries before the end */
	for (i = 0; i < change->count; i++) {
		const __u8 *entry = change->half + table->entries_offset +
				    (size_t)i * table->entry_size;
		__u32 rank = p4xdp_ternary_number(table, entry, P4XDP_RANK);

		if (rank && rank <= change->count)
			memcpy(change->entries + (size_t)(change->count - rank) * table->entry_size,
			       entry, table->entry_size);
	}
	return 0;
failed:
	error = errno;
	p4xdp_ternary_close(change);
	return p4xdp_error(error);
}

static inline __u64 p4xdp_ternary_hash(const __u8 *key, __u32 size)
{
	__u64 hash = 0, word;
	__u32 i;

	for (i = 0; i < size; i += 8) {
		memcpy(&word, key + i, 8);
		hash ^= word;
		hash ^= hash >> 32;
		hash *= 0x9e3779b97f4a7c15ULL;
	}
	return hash;
}

/* What a half is built with: memory for as many records, groups and links as there are entries. */
struct p4xdp_ternary_build {
	struct p4xdp_ternary_change *change;
	struct p4xdp_ternary_link *links;
	struct p4xdp_ternary_group *groups;
	struct p4xdp_ternary_record *records;
	__u32 *heads; /* a hash of masks, then of slots: plus one; 0 for none */
	__u32 group_count, record_count, slot_count;
};

static inline const __u8 *p4xdp_ternary_entry(const struct p4xdp_ternary_build *build, __u32 index)
{
	return build->change->entries + (size_t)index * build->change->table->entry_size;
}

/* Link the entries of each mask, in order. `heads` has at least twice as many cells as entries. */
static inline void p4xdp_ternary_divide(struct p4xdp_ternary_build *build)
{
	const struct p4xdp_ternary *table = build->change->table;
	__u32 i, cell, number;

	for (i = 0; i < build->change->count; i++) {
		const __u8 *mask = p4xdp_ternary_entry(build, i) + table->key_size;
		struct p4xdp_ternary_group *group;

		cell = (__u32)(p4xdp_ternary_hash(mask, table->key_size) >> 32);
		cell &= table->slots - 1;
		while ((number = build->heads[cell]) &&
		       memcmp(build->groups[number - 1].mask, mask, table->key_size))
			cell = (cell + 1) & (table->slots - 1);
		if (!number) {
			number = build->heads[cell] = ++build->group_count;
			build->groups[number - 1].mask = mask;
		}
		group = &build->groups[number - 1];
		if (group->last)
			build->links[group->last - 1].next = i + 1;
		else
			group->first = i + 1;
		group->last = i + 1;
		group->count++;
	}
}

/* Keys that are there several times need but one slot. The entries are in no slot yet. */
static inline __u32 p4xdp_ternary_distinct(const struct p4xdp_ternary_build *build,
					   const struct p4xdp_ternary_group *group)
{
	const struct p4xdp_ternary *table = build->change->table;
	__u32 bits = 1, mask, cell, at, distinct = 0, head;

	while (1U << bits < 2 * group->count)
		bits++;
	mask = (1U << bits) - 1;
	memset(build->heads, 0, sizeof(*build->heads) << bits);
	for (at = group->first; at; at = build->links[at - 1].next) {
		const __u8 *key = p4xdp_ternary_entry(build, at - 1);

		cell = (__u32)(p4xdp_ternary_hash(key, table->key_size) >> (64 - bits));
		while ((head = build->heads[cell]) &&
		       memcmp(p4xdp_ternary_entry(build, head - 1), key, table->key_size))
			cell = (cell + 1) & mask;
		distinct += !head;
		build->heads[cell] = at;
	}
	return distinct;
}

/*
 * Make a record of a group, with at most `room` slots, twice as many as keys. What is more than a
 * slot holds is left in the group.
 */
static inline void p4xdp_ternary_add_record(struct p4xdp_ternary_build *build, __u32 number,
					    __u32 room)
{
	const struct p4xdp_ternary *table = build->change->table;
	struct p4xdp_ternary_group *group = &build->groups[number];
	struct p4xdp_ternary_record *record = &build->records[build->record_count++];
	__u32 distinct = p4xdp_ternary_distinct(build, group), at, next, slot;

	record->group = number;
	record->best = build->change->count - (group->first - 1);
	record->bits = 1;
	while (1U << record->bits < 2 * distinct && 2U << record->bits <= room)
		record->bits++;
	record->first_slot = build->slot_count;
	build->slot_count += 1U << record->bits;
	memset(build->heads, 0, sizeof(*build->heads) << record->bits);
	at = group->first;
	group->first = group->last = group->count = 0;
	for (; at; at = next) {
		next = build->links[at - 1].next;
		slot = (__u32)(p4xdp_ternary_hash(p4xdp_ternary_entry(build, at - 1),
						  table->key_size) >> (64 - record->bits));
		build->links[at - 1].next = 0;
		if (build->heads[slot]++ < P4XDP_SLOT_DEPTH) {
			build->links[at - 1].slot = record->first_slot + slot;
			continue;
		}
		if (group->last)
			build->links[group->last - 1].next = at;
		else
			group->first = at;
		group->last = at;
		group->count++;
	}
}

/*
 * Every mask has a record first, with less than four slots for each entry; what is left over then
 * shares the rest, of which there are two for each entry.
 */
static inline void p4xdp_ternary_records(struct p4xdp_ternary_build *build)
{
	__u32 i, left = 0, slots = build->change->table->slots;

	for (i = 0; i < build->group_count; i++) {
		p4xdp_ternary_add_record(build, i, slots - build->slot_count);
		left += build->groups[i].count;
	}
	for (i = 0; i < build->group_count; i++) {
		struct p4xdp_ternary_group *group = &build->groups[i];

		while (group->count) {
			__u32 before = group->count;

			p4xdp_ternary_add_record(build, i,
					     slots - build->slot_count - 2 * (left - 1));
			left -= before - group->count;
		}
	}
}

static inline int p4xdp_ternary_better(const void *one, const void *other)
{
	__u32 a = ((const struct p4xdp_ternary_record *)one)->best;
	__u32 b = ((const struct p4xdp_ternary_record *)other)->best;

	return a < b ? 1 : -(a > b);
}

/* Write masks and slots in the order of the records, and the entries in the order of the slots. */
static inline void p4xdp_ternary_lay(struct p4xdp_ternary_build *build, __u8 *half)
{
	const struct p4xdp_ternary *table = build->change->table;
	__u32 *slots = (__u32 *)(void *)(half + table->slots_offset);
	__u32 *starts = build->heads, r, i, at = 0, count = build->change->count;
	__u32 record_size = table->key_size + (__u32)sizeof(struct p4xdp_mask_record);

	/* entries in each slot, by its number so far */
	memset(starts, 0, sizeof(*starts) * (build->slot_count + 1));
	for (i = 0; i < count; i++)
		starts[build->links[i].slot]++;
	qsort(build->records, build->record_count, sizeof(*build->records), p4xdp_ternary_better);
	for (r = 0; r < build->record_count; r++) {
		const struct p4xdp_ternary_record *record = &build->records[r];
		struct p4xdp_mask_record tail = { record->best, 0, 64 - record->bits, 0 };
		__u8 *to = half + (size_t)r * record_size;

		tail.slots = (__u32)(slots - (__u32 *)(void *)(half + table->slots_offset));
		memcpy(to, build->groups[record->group].mask, table->key_size);
		memcpy(to + table->key_size, &tail, sizeof(tail));
		for (i = 0; i < 1U << record->bits; i++) {
			__u32 *start = &starts[record->first_slot + i], inside = *start;

			*slots++ = *start = at;
			at += inside;
		}
	}
	*slots = at;
	for (i = 0; i < count; i++)
		memcpy(half + table->entries_offset +
			       (size_t)starts[build->links[i].slot]++ * table->entry_size,
		       p4xdp_ternary_entry(build, i), table->entry_size);
}

static inline int p4xdp_ternary_by_masks(struct p4xdp_ternary_change *change, __u8 *half)
{
	size_t most = (size_t)change->count + 1;
	struct p4xdp_ternary_build build;
	int result = 0;

	memset(&build, 0, sizeof(build));
	build.change = change;
	build.links = (struct p4xdp_ternary_link *)calloc(most, sizeof(*build.links));
	build.groups = (struct p4xdp_ternary_group *)calloc(most, sizeof(*build.groups));
	build.records = (struct p4xdp_ternary_record *)calloc(most, sizeof(*build.records));
	build.heads = (__u32 *)calloc((size_t)change->table->slots + 2, sizeof(*build.heads));
	if (build.links && build.groups && build.records && build.heads) {
		p4xdp_ternary_divide(&build);
		p4xdp_ternary_records(&build);
		if (build.record_count > change->table->masks)
			result = p4xdp_error(E2BIG);
		else
			p4xdp_ternary_lay(&build, half);
	} else {
		result = p4xdp_error(ENOMEM);
	}
	free(build.links);
	free(build.groups);
	free(build.records);
	free(build.heads);
	return result;
}

/* Write the half that is not in force, switch over, and wait for the last readers. */
static inline int p4xdp_ternary_write(struct p4xdp_ternary_change *change)
{
	const struct p4xdp_ternary *table = change->table;
	__u32 index = !(*change->word >> 32), i;
	int result = 0;

	for (i = 0; i < change->count; i++)
		p4xdp_ternary_set_rank(table, change->entries + (size_t)i * table->entry_size,
				       change->count - i);
	memset(change->half, 0, table->half_size);
	if (table->masks)
		result = p4xdp_ternary_by_masks(change, change->half);
	else
		memcpy(change->half + table->entries_offset, change->entries,
		       (size_t)change->count * table->entry_size);
	if (result)
		return result;
	if (bpf_map_update_elem(change->map, &index, change->half, BPF_ANY))
		return p4xdp_error(errno);
	__atomic_store_n(change->word, (__u64)index << 32 | change->count, __ATOMIC_RELEASE);
	p4xdp_grace_period();
	return 0;
}

/* The index of the entry with the key, mask, ranges and priority of `entry`, or -1. */
static inline int p4xdp_ternary_find(const struct p4xdp_ternary_change *change, const void *entry)
{
	const struct p4xdp_ternary *table = change->table;
	__u32 i;

	for (i = 0; i < change->count; i++)
		if (!memcmp(change->entries + (size_t)i * table->entry_size, entry,
			    table->identity_size + sizeof(__u32)))
			return (int)i;
	return -1;
}

/* The cell of a hash of `mask + 1` cells where the number, plus one, of such an entry belongs. */
static inline __u32 *p4xdp_ternary_cell(const struct p4xdp_ternary_change *change, __u32 *cells,
					__u32 mask, const __u8 *entry)
{
	const struct p4xdp_ternary *table = change->table;
	__u64 hash = p4xdp_ternary_hash(entry, table->identity_size);
	__u32 cell = (__u32)((hash + p4xdp_ternary_number(table, entry, P4XDP_PRIORITY)) *
			     0x9e3779b97f4a7c15ULL >> 32) & mask;

	while (cells[cell] &&
	       memcmp(change->entries + (size_t)(cells[cell] - 1) * table->entry_size, entry,
		      table->identity_size + sizeof(__u32)))
		cell = (cell + 1) & mask;
	return &cells[cell];
}

/* Replace entries that are there, put the others behind the last. */
static inline int p4xdp_ternary_add(struct p4xdp_ternary_change *change, const __u8 *entries,
				    __u32 more)
{
	size_t entry_size = change->table->entry_size;
	__u32 size = 2, i, *cells, *cell;

	while (size < 2 * (change->count + more))
		size *= 2;
	cells = (__u32 *)calloc(size, sizeof(*cells));
	if (!cells)
		return p4xdp_error(ENOMEM);
	for (i = 0; i < change->count; i++)
		*p4xdp_ternary_cell(change, cells, size - 1,
				    change->entries + i * entry_size) = i + 1;
	for (i = 0; i < more; i++) {
		const __u8 *entry = entries + i * entry_size;

		cell = p4xdp_ternary_cell(change, cells, size - 1, entry);
		if (!*cell && change->count == change->table->size)
			break;
		if (!*cell)
			*cell = ++change->count;
		memcpy(change->entries + (*cell - 1) * entry_size, entry, entry_size);
	}
	free(cells);
	return i < more ? p4xdp_error(E2BIG) : 0;
}

struct p4xdp_ternary_place {
	__u32 priority, index;
};

static inline int p4xdp_ternary_before(const void *one, const void *other)
{
	const struct p4xdp_ternary_place *a = (const struct p4xdp_ternary_place *)one;
	const struct p4xdp_ternary_place *b = (const struct p4xdp_ternary_place *)other;

	if (a->priority != b->priority)
		return a->priority < b->priority ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Sort by priority; those of the same priority stay in order. */
static inline int p4xdp_ternary_sort(struct p4xdp_ternary_change *change)
{
	const struct p4xdp_ternary *table = change->table;
	size_t size = table->entry_size, count = change->count;
	struct p4xdp_ternary_place *places =
		(struct p4xdp_ternary_place *)calloc(count + 1, sizeof(*places));
	__u8 *sorted = (__u8 *)calloc(count + 1, size);
	__u32 i;

	if (!places || !sorted) {
		free(places);
		free(sorted);
		return p4xdp_error(ENOMEM);
	}
	for (i = 0; i < count; i++) {
		places[i].priority = p4xdp_ternary_number(table, change->entries + i * size,
							  P4XDP_PRIORITY);
		places[i].index = i;
	}
	qsort(places, count, sizeof(*places), p4xdp_ternary_before);
	for (i = 0; i < count; i++)
		memcpy(sorted + i * size, change->entries + places[i].index * size, size);
	free(places);
	free(change->entries);
	change->entries = sorted;
	return 0;
}

/* Insert or replace entries, all at once for a packet. */
static inline int p4xdp_ternary_insert(const struct p4xdp_ternary *table, const char *pin_dir,
				       const void *entries, __u32 count)
{
	struct p4xdp_ternary_change change;
	int result = p4xdp_ternary_open(table, pin_dir, count, &change);

	if (result)
		return result;
	result = p4xdp_ternary_add(&change, (const __u8 *)entries, count);
	if (!result)
		result = p4xdp_ternary_sort(&change);
	if (!result)
		result = p4xdp_ternary_write(&change);
	p4xdp_ternary_close(&change);
	return result;
}

/* Delete the entry with the key, mask, ranges and priority of `entry`. */
static inline int p4xdp_ternary_delete(const struct p4xdp_ternary *table, const char *pin_dir,
				       const void *entry)
{
	struct p4xdp_ternary_change change;
	int result = p4xdp_ternary_open(table, pin_dir, 0, &change), at;
	size_t size = table->entry_size;

	if (result)
		return result;
	at = p4xdp_ternary_find(&change, entry);
	if (at < 0) {
		result = p4xdp_error(ENOENT);
	} else {
		change.count--;
		memmove(change.entries + (size_t)at * size,
			change.entries + (size_t)(at + 1) * size,
			(size_t)(change.count - (__u32)at) * size);
		result = p4xdp_ternary_write(&change);
	}
	p4xdp_ternary_close(&change);
	return result;
}

/* Copy up to `most` entries, the first in force first; return how many are in force. */
static inline int p4xdp_ternary_list(const struct p4xdp_ternary *table, const char *pin_dir,
				     void *to, __u32 most)
{
	struct p4xdp_ternary_change change;
	int result = p4xdp_ternary_open(table, pin_dir, 0, &change);

	if (result)
		return result;
	memcpy(to, change.entries,
	       (change.count < most ? change.count : most) * (size_t)table->entry_size);
	result = (int)change.count;
	p4xdp_ternary_close(&change);
	return result;
}

#endif
