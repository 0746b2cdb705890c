/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The kernel's side of a program, for a build by the host's compiler: types, constants and
 * helpers with the names and results that BPF programs know. The helpers that need state are
 * defined in p4xdp_native_main.h, which the generated C includes at its end.
 */
#ifndef P4XDP_NATIVE_H
#define P4XDP_NATIVE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u64 __be64;
typedef __u32 __wsum;

#ifdef __TINYC__
#define __builtin_bswap16(x) ((__u16)((__u16)(x) >> 8 | (__u16)(x) << 8))
#define __builtin_bswap32(x) \
	((__u32)__builtin_bswap16(x) << 16 | __builtin_bswap16((__u32)(x) >> 16))
#define __builtin_bswap64(x) \
	((__u64)__builtin_bswap32(x) << 32 | __builtin_bswap32((__u64)(x) >> 32))

/* One thread runs the program here. */
static inline __u64 p4xdp_compare_and_swap(__u64 *at, __u64 old, __u64 new)
{
	__u64 found = *at;

	if (found == old)
		*at = new;
	return found;
}
#define __sync_val_compare_and_swap p4xdp_compare_and_swap
#endif

#define SEC(name)
#define __uint(name, value) int(*name)[value]
#define __type(name, value) __typeof__(value) *name
#define __array(name, value) __typeof__(value) *name[]
#define bpf_tail_call(ctx, parts, number) return (parts)->values[number](ctx)
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#ifndef __noinline
#define __noinline __attribute__((noinline))
#endif
#ifndef __weak
#define __weak __attribute__((weak))
#endif
#define P4XDP_NATIVE_STATIC static __attribute__((unused))

enum xdp_action {
	XDP_ABORTED = 0,
	XDP_DROP,
	XDP_PASS,
	XDP_TX,
	XDP_REDIRECT,
};

/* Addresses are whole here; in the kernel's struct they are 32 bits and rewritten on load. */
struct xdp_md {
	uintptr_t data;
	uintptr_t data_end;
	uintptr_t data_meta;
	__u32 ingress_ifindex;
	__u32 rx_queue_index;
	__u32 egress_ifindex;
};

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PROG_ARRAY = 3,
	BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_LPM_TRIE = 11,
	BPF_MAP_TYPE_DEVMAP = 14,
	BPF_MAP_TYPE_DEVMAP_HASH = 25,
	BPF_MAP_TYPE_RINGBUF = 27,
	/* A global variable that is read and written like the one value of an array map. */
	P4XDP_NATIVE_DATA = 1000,
};

#define BPF_ANY 0
#define BPF_NOEXIST 1
#define BPF_EXIST 2
#define BPF_F_NO_PREALLOC 1
#define BPF_F_RDONLY_PROG (1U << 7)
#define BPF_F_INDEX_MASK 0xffffffffULL
#define BPF_F_CURRENT_CPU BPF_F_INDEX_MASK
#define BPF_F_CTXLEN_MASK (0xfffffULL << 32)

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define bpf_htons(x) ((__be16)__builtin_bswap16((__u16)(x)))
#define bpf_ntohs(x) ((__u16)__builtin_bswap16((__u16)(x)))
#define bpf_htonl(x) ((__be32)__builtin_bswap32((__u32)(x)))
#define bpf_ntohl(x) ((__u32)__builtin_bswap32((__u32)(x)))
#define bpf_cpu_to_be64(x) ((__be64)__builtin_bswap64((__u64)(x)))
#define bpf_be64_to_cpu(x) ((__u64)__builtin_bswap64((__u64)(x)))
#else
#define bpf_htons(x) ((__be16)(x))
#define bpf_ntohs(x) ((__u16)(x))
#define bpf_htonl(x) ((__be32)(x))
#define bpf_ntohl(x) ((__u32)(x))
#define bpf_cpu_to_be64(x) ((__be64)(x))
#define bpf_be64_to_cpu(x) ((__u64)(x))
#endif
/* bpf/bpf_endian.h has nothing to add, should C of the user include it */
#define __BPF_ENDIAN__
#define bpf_cpu_to_be16(x) bpf_htons(x)
#define bpf_be16_to_cpu(x) bpf_ntohs(x)
#define bpf_cpu_to_be32(x) bpf_htonl(x)
#define bpf_be32_to_cpu(x) bpf_ntohl(x)

/* A map of the program; `map` is the address of the map's variable, which names it in helpers. */
struct p4xdp_native_map {
	const char *name;
	const volatile void *map;
	int type;
	__u32 key_size;
	__u32 value_size;
	__u32 max_entries;
	__u32 flags;
};

/* Return `map`, which the user's C declared, as one that helpers know. */
P4XDP_NATIVE_STATIC void *p4xdp_native_own(void *map, int type, __u32 key_size, __u32 value_size,
					   __u32 max_entries);
P4XDP_NATIVE_STATIC void *bpf_map_lookup_elem(void *map, const void *key);
P4XDP_NATIVE_STATIC long bpf_map_update_elem(void *map, const void *key, const void *value,
					     __u64 flags);
P4XDP_NATIVE_STATIC long bpf_map_delete_elem(void *map, const void *key);
P4XDP_NATIVE_STATIC long bpf_redirect(__u32 ifindex, __u64 flags);
P4XDP_NATIVE_STATIC long bpf_redirect_map(void *map, __u64 key, __u64 flags);
P4XDP_NATIVE_STATIC long bpf_xdp_adjust_head(struct xdp_md *ctx, int delta);
P4XDP_NATIVE_STATIC long bpf_xdp_adjust_tail(struct xdp_md *ctx, int delta);
P4XDP_NATIVE_STATIC long bpf_perf_event_output(void *ctx, void *map, __u64 flags, void *data,
					       __u64 size);
P4XDP_NATIVE_STATIC void *bpf_ringbuf_reserve(void *map, __u64 size, __u64 flags);
P4XDP_NATIVE_STATIC void bpf_ringbuf_submit(void *data, __u64 flags);
P4XDP_NATIVE_STATIC long bpf_ringbuf_output(void *map, void *data, __u64 size, __u64 flags);
P4XDP_NATIVE_STATIC long bpf_xdp_load_bytes(struct xdp_md *ctx, __u32 offset, void *to, __u32 size);
P4XDP_NATIVE_STATIC __u64 bpf_ktime_get_ns(void);
P4XDP_NATIVE_STATIC __u32 bpf_get_smp_processor_id(void);
P4XDP_NATIVE_STATIC __u32 bpf_get_prandom_u32(void);
P4XDP_NATIVE_STATIC __attribute__((format(printf, 1, 2))) int bpf_printk(const char *format, ...);

#endif
