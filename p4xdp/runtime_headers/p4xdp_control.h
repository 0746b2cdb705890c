/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The control plane's side of every program: pinned maps, numbers in network order.
 * Functions return 0 or more, or a negative errno value, with errno set.
 */
#ifndef P4XDP_CONTROL_H
#define P4XDP_CONTROL_H

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <linux/types.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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

/*
 * Insert entries with few system calls; keys and values stand one behind the other. Where the
 * kernel has no batches for the map, one by one.
 */
static inline int p4xdp_insert_many(int fd, const void *keys, size_t key_size, const void *values,
				    size_t value_size, __u32 count)
{
	__u32 done = count, i;

	if (!count || !bpf_map_update_batch(fd, keys, values, &done, NULL))
		return 0;
	if (errno != ENOTSUP && errno != 524 && errno != EINVAL)
		return p4xdp_error(errno);
	for (i = 0; i < count; i++)
		if (bpf_map_update_elem(fd, (const __u8 *)keys + i * key_size,
					(const __u8 *)values + i * value_size, BPF_ANY))
			return p4xdp_error(errno);
	return 0;
}

/* One writer at a time: a descriptor to close when done. */
static inline int p4xdp_lock(const char *pin_dir)
{
	int fd = open(pin_dir, O_RDONLY);

	if (fd < 0)
		return p4xdp_error(errno);
	if (!fcntl(fd, F_SETFD, FD_CLOEXEC) && !flock(fd, LOCK_EX))
		return fd;
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

#if !defined(__cplusplus) && !defined(_DEFAULT_SOURCE)
/* Strict ISO C hides it. */
extern long syscall(long number, ...);
#endif

/* Wait until every packet has left that may have seen what was in force before. */
static inline void p4xdp_grace_period(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		poll(NULL, 0, 50);
}

/*
 * A default action of which a packet must see all or nothing: two values of `size` bytes, and in
 * front of them the offset of the one in force. `both` is memory for all of them.
 */

static inline int p4xdp_slots_read(const char *pin_dir, const char *map, void *value, size_t size,
				   void *both)
{
	int result = p4xdp_data_read(pin_dir, map, both);
	__u64 offset;

	if (result)
		return result;
	memcpy(&offset, both, sizeof(offset));
	memcpy(value, (__u8 *)both + offset, size);
	return 0;
}

static inline int p4xdp_slots_change(const char *pin_dir, const char *map, const void *value,
				     size_t size, void *both)
{
	int result = p4xdp_data_read(pin_dir, map, both);
	__u64 offset;

	if (result)
		return result;
	memcpy(&offset, both, sizeof(offset));
	offset = sizeof(offset) + (offset == sizeof(offset) ? size : 0);
	memcpy((__u8 *)both + offset, value, size);
	result = p4xdp_data_write(pin_dir, map, both);
	if (result)
		return result;
	memcpy(both, &offset, sizeof(offset));
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

#endif
