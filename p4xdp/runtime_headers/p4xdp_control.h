/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The control plane's side of every program: pinned maps, numbers in network order, ternary
 * entries. Functions return 0 or more, or a negative errno value, with errno set.
 */
#ifndef P4XDP_CONTROL_H
#define P4XDP_CONTROL_H

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#ifdef __cplusplus
#define P4XDP_STATIC_ASSERT static_assert
#else
#define P4XDP_STATIC_ASSERT _Static_assert
#endif

#define P4XDP_PIN_ROOT "/sys/fs/bpf/p4xdp"

static inline int p4xdp_error(int error)
{
	errno = error;
	return -error;
}

/*
 * Where the maps of a program on a device are pinned; -ENAMETOOLONG if that does not fit. A BPF
 * file system has no dots in names: one in the device's name is a colon there.
 */
static inline int p4xdp_pin_dir(char *buffer, size_t size, const char *device,
				const char *program)
{
	int length = snprintf(buffer, size, P4XDP_PIN_ROOT "/%s/%s", device, program);
	char *dot;

	if (length < 0 || (size_t)length >= size)
		return p4xdp_error(ENAMETOOLONG);
	while ((dot = strchr(buffer, '.')))
		*dot = ':';
	return 0;
}

/* The low `size` bytes of a number, the first byte the highest. */
static inline void p4xdp_put(void *to, int size, __u64 value)
{
	__u8 *bytes = (__u8 *)to;

	for (; size > 0; value >>= 8)
		bytes[--size] = (__u8)value;
}

static inline __u64 p4xdp_get(const void *from, int size)
{
	const __u8 *bytes = (const __u8 *)from;
	__u64 value = 0;
	int i;

	for (i = 0; i < size; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* `length` ones, from the highest of `width` bits on, in the last bits of `size` bytes. */
static inline void p4xdp_put_prefix(void *to, int size, int width, int length)
{
	__u8 *bytes = (__u8 *)to;
	int first = size * 8 - width, i;

	memset(to, 0, (size_t)size);
	for (i = first; i < first + length; i++)
		bytes[i / 8] |= (__u8)(0x80 >> i % 8);
}

/* A file descriptor of a pinned map. */
static inline int p4xdp_open(const char *pin_dir, const char *map)
{
	char path[4096];
	int length = snprintf(path, sizeof(path), "%s/%s", pin_dir, map);
	int fd;

	if (length < 0 || (size_t)length >= sizeof(path))
		return p4xdp_error(ENAMETOOLONG);
	fd = bpf_obj_get(path);
	return fd < 0 ? p4xdp_error(errno) : fd;
}

/* One writer at a time: a descriptor to close when done. */
static inline int p4xdp_lock(const char *pin_dir)
{
	int fd = open(pin_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || !flock(fd, LOCK_EX))
		return fd < 0 ? p4xdp_error(errno) : fd;
	close(fd);
	return p4xdp_error(EAGAIN);
}

/* The one value of a map that is a variable of the program. */

static inline int p4xdp_data_write(const char *pin_dir, const char *map, const void *value)
{
	const __u32 zero = 0;
	int fd = p4xdp_open(pin_dir, map), result;

	if (fd < 0)
		return fd;
	result = bpf_map_update_elem(fd, &zero, value, BPF_ANY) ? -errno : 0;
	close(fd);
	return result;
}

static inline int p4xdp_data_read(const char *pin_dir, const char *map, void *value)
{
	const __u32 zero = 0;
	int fd = p4xdp_open(pin_dir, map), result;

	if (fd < 0)
		return fd;
	result = bpf_map_lookup_elem(fd, &zero, value) ? -errno : 0;
	close(fd);
	return result;
}

/* Wait until every packet has left that may have seen what was in force before. */
static inline void p4xdp_grace_period(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(50000);
}

/*
 * A default action of which a packet must see all or nothing: a number, 0 or 1, and two values of
 * `size` bytes, of which it says the one in force. `both` is memory for all of them.
 */

static inline int p4xdp_slots_read(const char *pin_dir, const char *map, void *value, size_t size,
				   void *both)
{
	int result = p4xdp_data_read(pin_dir, map, both);
	__u64 current;

	if (result)
		return result;
	memcpy(&current, both, sizeof(current));
	memcpy(value, (__u8 *)both + sizeof(current) + (current & 1) * size, size);
	return 0;
}

static inline int p4xdp_slots_change(const char *pin_dir, const char *map, const void *value,
				     size_t size, void *both)
{
	int result = p4xdp_data_read(pin_dir, map, both);
	__u64 other;

	if (result)
		return result;
	memcpy(&other, both, sizeof(other));
	other = !(other & 1);
	memcpy((__u8 *)both + sizeof(other) + other * size, value, size);
	result = p4xdp_data_write(pin_dir, map, both);
	if (result)
		return result;
	memcpy(both, &other, sizeof(other));
	result = p4xdp_data_write(pin_dir, map, both);
	p4xdp_grace_period();
	return result;
}

static inline int p4xdp_slots_write(const char *pin_dir, const char *map, const void *value,
				    size_t size, void *both)
{
	int lock = p4xdp_lock(pin_dir), result;

	if (lock < 0)
		return lock;
	result = p4xdp_slots_change(pin_dir, map, value, size, both);
	close(lock);
	return result;
}

/* The sum over all CPUs of a counter's cell; 0 for a sparse cell that was never counted. */
static inline int p4xdp_counter_read(int fd, __u32 index, __u64 *total)
{
	int cpus = libbpf_num_possible_cpus(), i, result = 0;
	__u64 *cells;

	*total = 0;
	if (cpus < 0)
		return p4xdp_error(-cpus);
	cells = (__u64 *)calloc((size_t)cpus, sizeof(*cells));
	if (!cells)
		return p4xdp_error(ENOMEM);
	if (bpf_map_lookup_elem(fd, &index, cells))
		result = errno == ENOENT ? 0 : -errno;
	for (i = 0; i < cpus; i++)
		*total += cells[i];
	free(cells);
	return result;
}

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
