/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What every generated program needs and no program changes: packet bytes, arithmetic that C
 * leaves undefined, checksums, counters, verdicts. Values are numbers in host order, whatever
 * the order of the bytes that they come from or go to.
 */
#ifndef P4XDP_H
#define P4XDP_H

/* A P4 program may compare what C knows to be equal; that is no fault of the C. */
#pragma GCC diagnostic ignored "-Wtautological-compare"

#ifdef __bpf__
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>
#else
#include "p4xdp_native.h"
#endif
#include "p4xdp_messages.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define p4xdp_swap16(x) __builtin_bswap16(x)
#define p4xdp_swap32(x) __builtin_bswap32(x)
#define p4xdp_swap64(x) __builtin_bswap64(x)
#define p4xdp_place(at, size) (8 * (at))
#define p4xdp_lowest(parts) 0
#define p4xdp_highest(parts) (parts)
#else
#define p4xdp_swap16(x) ((__u16)(x))
#define p4xdp_swap32(x) ((__u32)(x))
#define p4xdp_swap64(x) ((__u64)(x))
#define p4xdp_place(at, size) (64 - 8 * ((at) + (size)))
#define p4xdp_lowest(parts) ((parts)-1)
#define p4xdp_highest(parts) 0
#endif

#ifndef NULL
#define NULL ((void *)0)
#endif

/*
 * Hide from the compiler what it knows of a scalar or a pointer. Each use says which fact of
 * clang or of the verifier makes it necessary.
 */
#define p4xdp_opaque(x) __asm__ volatile("" : "+r"(x))

/*
 * Keep a variable in memory. Otherwise clang hands all variables that some path has set around at
 * every jump: thousands of instructions in a large program.
 */
#define p4xdp_in_memory(x) __asm__ volatile("" : : "r"(&(x)) : "memory")

/*
 * What a part of a program that was cut into functions returns to have another one go on. Verdicts
 * are not negative.
 */
#define P4XDP_GO_ON(part) (-(part))

/*
 * Memory at any address, of any type. For BPF, clang splits an access that may be unaligned into
 * single bytes; the kernel takes it whole (NET_IP_ALIGN, efficient unaligned access), so there
 * the access claims to be aligned.
 */
#ifdef __bpf__
typedef __u16 __attribute__((may_alias)) p4xdp_any16;
typedef __u32 __attribute__((may_alias)) p4xdp_any32;
typedef __u64 __attribute__((may_alias)) p4xdp_any64;
#else
typedef __u16 __attribute__((may_alias, aligned(1))) p4xdp_any16;
typedef __u32 __attribute__((may_alias, aligned(1))) p4xdp_any32;
typedef __u64 __attribute__((may_alias, aligned(1))) p4xdp_any64;
#endif

/* An unsigned number of N bits, the first byte the highest; exactly N / 8 bytes are read. */

static __always_inline __u8 p4xdp_load8(const void *at)
{
	return *(const __u8 *)at;
}

static __always_inline __u16 p4xdp_load16(const void *at)
{
	return p4xdp_swap16(*(const p4xdp_any16 *)at);
}

static __always_inline __u32 p4xdp_load24(const void *at)
{
	return (__u32)p4xdp_load16(at) << 8 | p4xdp_load8((const __u8 *)at + 2);
}

static __always_inline __u32 p4xdp_load32(const void *at)
{
	return p4xdp_swap32(*(const p4xdp_any32 *)at);
}

static __always_inline __u64 p4xdp_load40(const void *at)
{
	return (__u64)p4xdp_load32(at) << 8 | p4xdp_load8((const __u8 *)at + 4);
}

static __always_inline __u64 p4xdp_load48(const void *at)
{
	return (__u64)p4xdp_load32(at) << 16 | p4xdp_load16((const __u8 *)at + 4);
}

static __always_inline __u64 p4xdp_load56(const void *at)
{
	return (__u64)p4xdp_load32(at) << 24 | p4xdp_load24((const __u8 *)at + 4);
}

static __always_inline __u64 p4xdp_load64(const void *at)
{
	return p4xdp_swap64(*(const p4xdp_any64 *)at);
}

/* The low N bits of `value`, the first byte the highest; exactly N / 8 bytes are written. */

static __always_inline void p4xdp_store8(void *at, __u8 value)
{
	*(__u8 *)at = value;
}

static __always_inline void p4xdp_store16(void *at, __u16 value)
{
	*(p4xdp_any16 *)at = p4xdp_swap16(value);
}

static __always_inline void p4xdp_store24(void *at, __u32 value)
{
	p4xdp_store16(at, value >> 8);
	p4xdp_store8((__u8 *)at + 2, value);
}

static __always_inline void p4xdp_store32(void *at, __u32 value)
{
	*(p4xdp_any32 *)at = p4xdp_swap32(value);
}

static __always_inline void p4xdp_store40(void *at, __u64 value)
{
	p4xdp_store32(at, value >> 8);
	p4xdp_store8((__u8 *)at + 4, value);
}

static __always_inline void p4xdp_store48(void *at, __u64 value)
{
	p4xdp_store32(at, value >> 16);
	p4xdp_store16((__u8 *)at + 4, value);
}

static __always_inline void p4xdp_store56(void *at, __u64 value)
{
	p4xdp_store32(at, value >> 24);
	p4xdp_store24((__u8 *)at + 4, value);
}

static __always_inline void p4xdp_store64(void *at, __u64 value)
{
	*(p4xdp_any64 *)at = p4xdp_swap64(value);
}

/*
 * Words of memory, of which keys are made: N bits from byte `at` on, zeros elsewhere. A key that is
 * stored by whole words is there at once for a helper that reads it by 8 bytes; stored by parts it
 * would have to come from the cache. The bits are the low ones of a number, the first byte the
 * highest (bytes), or stand somewhere in memory in their order (copy), where nothing is swapped.
 */

static __always_inline __u64 p4xdp_bytes8(__u8 value, int at)
{
	return (__u64)value << p4xdp_place(at, 1);
}

static __always_inline __u64 p4xdp_bytes16(__u16 value, int at)
{
	return (__u64)p4xdp_swap16(value) << p4xdp_place(at, 2);
}

static __always_inline __u64 p4xdp_bytes24(__u32 value, int at)
{
	return p4xdp_bytes16(value >> 8, at) | p4xdp_bytes8(value, at + 2);
}

static __always_inline __u64 p4xdp_bytes32(__u32 value, int at)
{
	return (__u64)p4xdp_swap32(value) << p4xdp_place(at, 4);
}

static __always_inline __u64 p4xdp_bytes40(__u64 value, int at)
{
	return p4xdp_bytes32(value >> 8, at) | p4xdp_bytes8(value, at + 4);
}

static __always_inline __u64 p4xdp_bytes48(__u64 value, int at)
{
	return p4xdp_bytes32(value >> 16, at) | p4xdp_bytes16(value, at + 4);
}

static __always_inline __u64 p4xdp_bytes56(__u64 value, int at)
{
	return p4xdp_bytes32(value >> 24, at) | p4xdp_bytes24(value, at + 4);
}

static __always_inline __u64 p4xdp_bytes64(__u64 value, int at)
{
	return p4xdp_swap64(value) << p4xdp_place(at, 8);
}

static __always_inline __u64 p4xdp_copy8(const void *from, int at)
{
	return (__u64)*(const __u8 *)from << p4xdp_place(at, 1);
}

static __always_inline __u64 p4xdp_copy16(const void *from, int at)
{
	return (__u64)*(const p4xdp_any16 *)from << p4xdp_place(at, 2);
}

static __always_inline __u64 p4xdp_copy24(const void *from, int at)
{
	return p4xdp_copy16(from, at) | p4xdp_copy8((const __u8 *)from + 2, at + 2);
}

static __always_inline __u64 p4xdp_copy32(const void *from, int at)
{
	return (__u64)*(const p4xdp_any32 *)from << p4xdp_place(at, 4);
}

static __always_inline __u64 p4xdp_copy40(const void *from, int at)
{
	return p4xdp_copy32(from, at) | p4xdp_copy8((const __u8 *)from + 4, at + 4);
}

static __always_inline __u64 p4xdp_copy48(const void *from, int at)
{
	return p4xdp_copy32(from, at) | p4xdp_copy16((const __u8 *)from + 4, at + 4);
}

static __always_inline __u64 p4xdp_copy56(const void *from, int at)
{
	return p4xdp_copy32(from, at) | p4xdp_copy24((const __u8 *)from + 4, at + 4);
}

static __always_inline __u64 p4xdp_copy64(const void *from, int at)
{
	return *(const p4xdp_any64 *)from << p4xdp_place(at, 8);
}

/*
 * The same where more bytes follow, as many as make one load of all. Of 8 bytes two shifts leave
 * the first; clang would make of them a mask, which is a constant of 8 bytes more.
 */

static __always_inline __u64 p4xdp_head24(const void *from, int at)
{
	__u32 word = *(const p4xdp_any32 *)from;

	return (__u64)(p4xdp_swap32(p4xdp_swap32(word) & 0xffffff00) >> 8 * p4xdp_lowest(2))
	       << p4xdp_place(at, 3);
}

static __always_inline __u64 p4xdp_head(const void *from, int bits)
{
	__u64 word = *(const p4xdp_any64 *)from << (64 - bits) * p4xdp_highest(1);

	p4xdp_opaque(word);
	return word >> (64 - bits);
}

static __always_inline __u64 p4xdp_head40(const void *from, int at)
{
	return p4xdp_head(from, 40) << p4xdp_place(at, 5);
}

static __always_inline __u64 p4xdp_head48(const void *from, int at)
{
	return p4xdp_head(from, 48) << p4xdp_place(at, 6);
}

static __always_inline __u64 p4xdp_head56(const void *from, int at)
{
	return p4xdp_head(from, 56) << p4xdp_place(at, 7);
}

/* A word of a key, as what reads it by 4 bytes finds it soonest. */
static __always_inline void p4xdp_store_halves(__u64 *at, __u64 word)
{
	p4xdp_any32 *half = (p4xdp_any32 *)at;

	half[p4xdp_lowest(2)] = (__u32)word;
	half[p4xdp_highest(1)] = (__u32)(word >> 32);
}

/*
 * Bytes that only move are never swapped: taken from memory as they stand, put back as they stand.
 * N / 8 of them make up the low N bits of a number; `turn` makes such a number of one that counts,
 * and `word` puts it into a word of a key.
 */

#define p4xdp_word(bytes, at, size) ((__u64)(bytes) << p4xdp_place(at, size))

static __always_inline __u16 p4xdp_turn16(__u16 value)
{
	return p4xdp_swap16(value);
}

static __always_inline __u32 p4xdp_turn24(__u32 value)
{
	return p4xdp_swap32(value << 8 * p4xdp_highest(1)) & 0xffffff;
}

static __always_inline __u32 p4xdp_turn32(__u32 value)
{
	return p4xdp_swap32(value);
}

static __always_inline __u64 p4xdp_turn48(__u64 value)
{
	return p4xdp_swap64(value << 8 * p4xdp_highest(2)) & 0xffffffffffffULL;
}

static __always_inline __u64 p4xdp_turn64(__u64 value)
{
	return p4xdp_swap64(value);
}

static __always_inline __u16 p4xdp_take16(const void *at)
{
	return *(const p4xdp_any16 *)at;
}

static __always_inline __u32 p4xdp_take24(const void *at)
{
	return p4xdp_copy24(at, 5 * p4xdp_lowest(2));
}

static __always_inline __u32 p4xdp_take32(const void *at)
{
	return *(const p4xdp_any32 *)at;
}

static __always_inline __u64 p4xdp_take48(const void *at)
{
	return p4xdp_copy48(at, 2 * p4xdp_lowest(2));
}

static __always_inline __u64 p4xdp_take64(const void *at)
{
	return *(const p4xdp_any64 *)at;
}

static __always_inline void p4xdp_put16(void *at, __u16 bytes)
{
	*(p4xdp_any16 *)at = bytes;
}

static __always_inline void p4xdp_put24(void *at, __u32 bytes)
{
	*(p4xdp_any16 *)at = bytes >> 8 * p4xdp_lowest(2);
	*((__u8 *)at + 2) = bytes >> 16 * p4xdp_highest(1);
}

static __always_inline void p4xdp_put32(void *at, __u32 bytes)
{
	*(p4xdp_any32 *)at = bytes;
}

static __always_inline void p4xdp_put48(void *at, __u64 bytes)
{
	*(p4xdp_any32 *)at = bytes >> 16 * p4xdp_lowest(2);
	*(p4xdp_any16 *)((__u8 *)at + 4) = bytes >> 32 * p4xdp_highest(1);
}

static __always_inline void p4xdp_put64(void *at, __u64 bytes)
{
	*(p4xdp_any64 *)at = bytes;
}

/* Arithmetic on numbers of `width` bits where C has no operator, or one with gaps. */

static __always_inline __u64 p4xdp_mask(int width)
{
	return ~0ULL >> (64 - width);
}

/* The number that the bits stand for in two's complement. */
static __always_inline __s64 p4xdp_signed(__u64 value, int width)
{
	return (__s64)(value << (64 - width)) >> (64 - width);
}

static __always_inline __u64 p4xdp_shl(__u64 value, __u64 amount, int width)
{
	return amount < (__u64)width ? value << amount & p4xdp_mask(width) : 0;
}

static __always_inline __u64 p4xdp_shr(__u64 value, __u64 amount, int width)
{
	return amount < (__u64)width ? value >> amount : 0;
}

static __always_inline __u64 p4xdp_sar(__u64 value, __u64 amount, int width)
{
	__u64 by = amount < (__u64)width ? amount : (__u64)width - 1;

	return (__u64)(p4xdp_signed(value, width) >> by) & p4xdp_mask(width);
}

static __always_inline __u64 p4xdp_div(__u64 value, __u64 by)
{
	return by ? value / by : 0;
}

static __always_inline __u64 p4xdp_mod(__u64 value, __u64 by)
{
	return by ? value % by : 0;
}

static __always_inline __u64 p4xdp_sat_add(__u64 left, __u64 right, int width)
{
	__u64 most = p4xdp_mask(width);

	return right > most - left ? most : left + right;
}

static __always_inline __u64 p4xdp_sat_sub(__u64 left, __u64 right)
{
	return left > right ? left - right : 0;
}

/* The sum or difference overflowed when its sign is not the one that its operands call for. */

static __always_inline __u64 p4xdp_sat_signed(__u64 left, __u64 result, int overflow, int width)
{
	__u64 top = 1ULL << (width - 1);

	if (!overflow)
		return result & p4xdp_mask(width);
	return left & top ? top : top - 1;
}

static __always_inline __u64 p4xdp_sat_add_signed(__u64 left, __u64 right, int width)
{
	__u64 sum = left + right;
	int overflow = (~(left ^ right) & (left ^ sum)) >> (width - 1) & 1;

	return p4xdp_sat_signed(left, sum, overflow, width);
}

static __always_inline __u64 p4xdp_sat_sub_signed(__u64 left, __u64 right, int width)
{
	__u64 difference = left - right;
	int overflow = ((left ^ right) & (left ^ difference)) >> (width - 1) & 1;

	return p4xdp_sat_signed(left, difference, overflow, width);
}

/*
 * One's complement sums (RFC 1071, RFC 1624). They have no byte order, so they are computed in that
 * of the packet: what is loaded from there or stored there is then not swapped at all. Numbers of 32
 * bits are added as they are, and all carries folded at the end.
 *
 * Folding is the remainder modulo 65535, but 65535 for multiples of it that are not 0. The factor is
 * (2**64 - 1) / 65535: of a sum q * 65535 + r below 2**48 the product is r in each of four 16 bits,
 * less q, modulo 2**64. As q is below 2**32, it leaves the upper 16 bits alone unless r is 0.
 */

static __always_inline __u16 p4xdp_csum_fold(__u64 sum)
{
	return p4xdp_swap16((__u16)(~(sum * 0x0001000100010001ULL) >> 48));
}

static __always_inline __u32 p4xdp_csum_part2(__u16 value)
{
	return p4xdp_swap16(value);
}

static __always_inline __u64 p4xdp_csum_part4(__u32 value)
{
	return p4xdp_swap32(value);
}

/* The first byte of two, as TTL or hop limit. */
static __always_inline __u32 p4xdp_csum_part1(__u8 value)
{
	return (__u32)value << 8 * p4xdp_lowest(2);
}

/* The second byte of two. */
static __always_inline __u32 p4xdp_csum_second(__u8 value)
{
	return (__u32)value << 8 * p4xdp_highest(1);
}

/* What has to be added to a sum when a number in it changes. */
static __always_inline __u32 p4xdp_csum_change1(__u8 from, __u8 to)
{
	return (p4xdp_csum_part1(from) ^ 0xffff) + p4xdp_csum_part1(to);
}

static __always_inline __u32 p4xdp_csum_change2(__u16 from, __u16 to)
{
	return (p4xdp_csum_part2(from) ^ 0xffff) + p4xdp_csum_part2(to);
}

static __always_inline __u64 p4xdp_csum_change4(__u32 from, __u32 to)
{
	return p4xdp_csum_part4(~from) + p4xdp_csum_part4(to);
}

static __always_inline __u16 p4xdp_csum_replace1(__u16 csum, __u8 from, __u8 to)
{
	return p4xdp_csum_fold(p4xdp_csum_part2(~csum) + p4xdp_csum_change1(from, to));
}

static __always_inline __u16 p4xdp_csum_replace2(__u16 csum, __u16 from, __u16 to)
{
	return p4xdp_csum_fold(p4xdp_csum_part2(~csum) + p4xdp_csum_change2(from, to));
}

static __always_inline __u16 p4xdp_csum_replace4(__u16 csum, __u32 from, __u32 to)
{
	return p4xdp_csum_fold(p4xdp_csum_part2(~csum) + p4xdp_csum_change4(from, to));
}

static __always_inline __u16 p4xdp_ipv4_checksum(__u8 version, __u8 ihl, __u8 diffserv,
						 __u16 total_length, __u16 identification,
						 __u8 flags, __u16 fragment_offset, __u8 ttl,
						 __u8 protocol, __u32 source, __u32 destination)
{
	__u64 sum = p4xdp_csum_part2((__u16)(version << 12 | ihl << 8 | diffserv));

	sum += p4xdp_csum_part2(total_length);
	sum += p4xdp_csum_part2(identification);
	sum += p4xdp_csum_part2((__u16)(flags << 13 | fragment_offset));
	sum += p4xdp_csum_part2((__u16)(ttl << 8 | protocol));
	sum += p4xdp_csum_part4(source);
	sum += p4xdp_csum_part4(destination);
	return p4xdp_csum_fold(sum);
}

/*
 * Cyclic redundancy checks, the lowest bit first: CRC-16/ARC and CRC-32/ISO-HDLC, the checks of
 * zip files and of Ethernet. Half a byte at a time: the tables stay small enough for the cache.
 */

/* Of 64 bytes: smaller constants go to sections that libbpf does not load. */
/* clang-format off */
#define P4XDP_CRC16_TABLE { \
	0x0000, 0xcc01, 0xd801, 0x1400, 0xf001, 0x3c00, 0x2800, 0xe401, \
	0xa001, 0x6c00, 0x7800, 0xb401, 0x5000, 0x9c01, 0x8801, 0x4400, \
}

#define P4XDP_CRC32_TABLE { \
	0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, \
	0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, \
	0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, \
	0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c, \
}
/* clang-format on */

static const __u32 p4xdp_crc16_table[16] __attribute__((unused)) = P4XDP_CRC16_TABLE;

static const __u32 p4xdp_crc32_table[16] __attribute__((unused)) = P4XDP_CRC32_TABLE;

#define P4XDP_CRC16_START 0
#define P4XDP_CRC32_START 0xffffffff

static __noinline __attribute__((unused)) __u32 p4xdp_crc16(__u32 crc, __u64 bytes, __u32 size)
{
	__u32 i;

	for (i = 0; i < 8; i++) {
		if (i >= 8 - size)
			crc ^= bytes >> (8 * (7 - i)) & 0xff;
		else
			continue;
		crc = crc >> 4 ^ p4xdp_crc16_table[crc & 15];
		crc = crc >> 4 ^ p4xdp_crc16_table[crc & 15];
	}
	return crc;
}

static __noinline __attribute__((unused)) __u32 p4xdp_crc32(__u32 crc, __u64 bytes, __u32 size)
{
	__u32 i;

	for (i = 0; i < 8; i++) {
		if (i >= 8 - size)
			crc ^= bytes >> (8 * (7 - i)) & 0xff;
		else
			continue;
		crc = crc >> 4 ^ p4xdp_crc32_table[crc & 15];
		crc = crc >> 4 ^ p4xdp_crc32_table[crc & 15];
	}
	return crc;
}

static __always_inline __u16 p4xdp_crc16_end(__u32 crc)
{
	return (__u16)crc;
}

static __always_inline __u32 p4xdp_crc32_end(__u32 crc)
{
	return ~crc;
}

/*
 * Checks whose parameters the control plane says: those of crc16 and crc32 at first. `start` and
 * `table` are for the order in which the bits of a byte come, `is_turned` tells whether those of
 * the result come in the other one. `current` is the number of the slot in force; the other one is
 * there to be changed.
 */
struct p4xdp_crc {
	__u32 table[16];
	__u32 start;
	__u32 final;
	__u32 is_reflected;
	__u32 is_turned;
};

struct p4xdp_crcs {
	__u64 current;
	struct p4xdp_crc slots[2];
};

#define P4XDP_CRC16_CUSTOM                                                                         \
	{                                                                                          \
		.slots[0] = { P4XDP_CRC16_TABLE, 0, 0, 1, 0 }                                      \
	}
#define P4XDP_CRC32_CUSTOM                                                                         \
	{                                                                                          \
		.slots[0] = { P4XDP_CRC32_TABLE, 0xffffffff, 0xffffffff, 1, 0 }                    \
	}

static __always_inline const struct p4xdp_crc *p4xdp_crc_in_force(const struct p4xdp_crcs *both)
{
	return &both->slots[*(const volatile __u64 *)&both->current & 1];
}

static __always_inline __u32 p4xdp_crc_start(const struct p4xdp_crcs *both)
{
	return p4xdp_crc_in_force(both)->start;
}

static __always_inline __u32 p4xdp_crc_add(const struct p4xdp_crc *with, __u32 crc, __u64 bytes,
					   __u32 size, int width)
{
	__u32 i;

	for (i = 0; i < 8; i++) {
		__u32 byte = bytes >> (8 * (7 - i)) & 0xff;

		if (i < 8 - size)
			continue;
		if (with->is_reflected) {
			crc ^= byte;
			crc = crc >> 4 ^ with->table[crc & 15];
			crc = crc >> 4 ^ with->table[crc & 15];
		} else {
			crc ^= byte << (width - 8);
			crc = crc << 4 ^ with->table[crc >> (width - 4) & 15];
			crc = crc << 4 ^ with->table[crc >> (width - 4) & 15];
		}
		crc &= 0xffffffff >> (32 - width);
	}
	return crc;
}

static __always_inline __u32 p4xdp_crc_end(const struct p4xdp_crc *with, __u32 crc, int width)
{
	if (with->is_turned) {
		crc = (crc & 0x55555555) << 1 | (crc >> 1 & 0x55555555);
		crc = (crc & 0x33333333) << 2 | (crc >> 2 & 0x33333333);
		crc = (crc & 0x0f0f0f0f) << 4 | (crc >> 4 & 0x0f0f0f0f);
		crc = __builtin_bswap32(crc) >> (32 - width);
	}
	return crc ^ with->final;
}

static __noinline __attribute__((unused)) __u32 p4xdp_crc_add16(const struct p4xdp_crcs *both,
								__u32 crc, __u64 bytes, __u32 size)
{
	return p4xdp_crc_add(p4xdp_crc_in_force(both), crc, bytes, size, 16);
}

static __noinline __attribute__((unused)) __u32 p4xdp_crc_add32(const struct p4xdp_crcs *both,
								__u32 crc, __u64 bytes, __u32 size)
{
	return p4xdp_crc_add(p4xdp_crc_in_force(both), crc, bytes, size, 32);
}

static __always_inline __u16 p4xdp_crc_end16(const struct p4xdp_crcs *both, __u32 crc)
{
	return (__u16)p4xdp_crc_end(p4xdp_crc_in_force(both), crc, 16);
}

static __always_inline __u32 p4xdp_crc_end32(const struct p4xdp_crcs *both, __u32 crc)
{
	return p4xdp_crc_end(p4xdp_crc_in_force(both), crc, 32);
}

/* Counters: this CPU's cell of a per-CPU map; a cell outside the map is left alone. */

static __always_inline void p4xdp_count(void *map, __u32 index, __u64 amount)
{
	__u64 *cell = bpf_map_lookup_elem(map, &index);

	if (cell)
		*cell += amount;
}

/* A counter of packets and their bytes. */
struct p4xdp_counter {
	__u64 packets;
	__u64 bytes;
};

static __always_inline void p4xdp_count_packet(void *map, __u32 index, __u32 length)
{
	struct p4xdp_counter *cell = bpf_map_lookup_elem(map, &index);

	if (cell) {
		cell->packets++;
		cell->bytes += length;
	}
}

/* When an entry was hit last, in nanoseconds; `timeout` is the control plane's. */
struct p4xdp_last_hit {
	__u64 time;
	__u64 timeout;
};

static __always_inline void p4xdp_hit(void *map, __u32 index, __u64 now)
{
	struct p4xdp_last_hit *cell = bpf_map_lookup_elem(map, &index);

	if (cell)
		cell->time = now;
}

/* A sparse counter comes into being when it is first counted, perhaps by two CPUs at once. */
static __always_inline void p4xdp_count_sparse(void *map, __u32 index, __u64 amount)
{
	__u64 *cell = bpf_map_lookup_elem(map, &index);

	if (!cell && bpf_map_update_elem(map, &index, &amount, BPF_NOEXIST))
		cell = bpf_map_lookup_elem(map, &index);
	if (cell)
		*cell += amount;
}

/*
 * Registers: N bits of a cell, `offset` bytes into it. A cell outside the register reads 0. Other
 * CPUs may read and write at the same time.
 */
#define P4XDP_REGISTER(N, type)                                                                    \
	static __always_inline type p4xdp_read##N(void *map, __u32 index, int offset)              \
	{                                                                                          \
		const __u8 *cell = bpf_map_lookup_elem(map, &index);                               \
                                                                                                   \
		return cell ? p4xdp_load##N(cell + offset) : 0;                                    \
	}                                                                                          \
                                                                                                   \
	static __always_inline void p4xdp_write##N(void *map, __u32 index, int offset, type value) \
	{                                                                                          \
		__u8 *cell = bpf_map_lookup_elem(map, &index);                                     \
                                                                                                   \
		if (cell)                                                                          \
			p4xdp_store##N(cell + offset, value);                                      \
	}

P4XDP_REGISTER(8, __u8)
P4XDP_REGISTER(16, __u16)
P4XDP_REGISTER(24, __u32)
P4XDP_REGISTER(32, __u32)
P4XDP_REGISTER(40, __u64)
P4XDP_REGISTER(48, __u64)
P4XDP_REGISTER(56, __u64)
P4XDP_REGISTER(64, __u64)

/*
 * Meters of two rates and three colours (RFC 2698). A bucket holds `tokens`, of which each
 * nanosecond brings `rate` up to `burst`; a packet or byte takes 10^9 of them. `full` is how many
 * nanoseconds fill it.
 */

#ifndef __bpf__
struct bpf_spin_lock {
	__u32 val;
};

#define bpf_spin_lock(lock) ((void)(lock))
#define bpf_spin_unlock(lock) ((void)(lock))
#endif

struct p4xdp_bucket {
	__u64 rate;
	__u64 burst;
	__u64 full;
	__u64 tokens;
	__u64 last;
};

struct p4xdp_meter {
	struct bpf_spin_lock lock;
	__u32 configured;
	struct p4xdp_bucket peak;
	struct p4xdp_bucket committed;
};

static __always_inline int p4xdp_take(struct p4xdp_bucket *bucket, __u64 now, __u64 wanted)
{
	__u64 passed = now > bucket->last ? now - bucket->last : 0;
	__u64 tokens = bucket->burst;

	if (passed < bucket->full)
		tokens = bucket->tokens + passed * bucket->rate;
	if (tokens > bucket->burst)
		tokens = bucket->burst;
	bucket->last = now;
	bucket->tokens = tokens < wanted ? tokens : tokens - wanted;
	return tokens >= wanted;
}

/* 0 for green, 1 for yellow, 2 for red. */
static __always_inline __u32 p4xdp_meter(void *map, __u32 index, __u64 amount)
{
	struct p4xdp_meter *meter = bpf_map_lookup_elem(map, &index);
	__u64 now = bpf_ktime_get_ns();
	__u32 colour = 0;

	if (!meter || !meter->configured)
		return 0;
	bpf_spin_lock(&meter->lock);
	if (!p4xdp_take(&meter->peak, now, amount * 1000000000))
		colour = 2;
	else if (!p4xdp_take(&meter->committed, now, amount * 1000000000))
		colour = 1;
	bpf_spin_unlock(&meter->lock);
	return colour;
}

/*
 * Action profiles: a group is the count of its members and their numbers, at most `most`. Which of
 * them it is, the hash says.
 */
#define P4XDP_NO_MEMBER 0xffffffff

static __always_inline __u32 p4xdp_pick_member(void *groups, __u32 group, __u64 hash, __u32 most)
{
	const __u32 *found = bpf_map_lookup_elem(groups, &group);
	__u64 index;

	if (!found || !found[0])
		return P4XDP_NO_MEMBER;
	index = hash % found[0];
	/* it is less, as the group is no larger: the verifier does not know how large groups are */
	p4xdp_opaque(index);
	return index < most ? found[1 + index] : P4XDP_NO_MEMBER;
}

static __always_inline __u64 p4xdp_random(void)
{
	return (__u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32();
}

/*
 * Whether `size` bytes, a multiple of 8, are those wanted wherever the mask has a one. The first
 * word parts most entries; the others take one branch: the verifier follows 8192 in a row, and
 * clang would make several if it knew where `differences` comes from.
 */
static __always_inline int p4xdp_matches(const void *key, const void *wanted, const void *mask,
					 int size)
{
	const p4xdp_any64 *k = key, *w = wanted, *m = mask;
	__u64 differences = 0;
	int i;

	if ((k[0] & m[0]) != w[0])
		return 0;
	for (i = 1; i < size / 8; i++)
		differences |= (k[i] & m[i]) ^ w[i];
	p4xdp_opaque(differences);
	return !differences;
}

/* Whether a big-endian number of `size` bytes lies between two others. */
static __always_inline int p4xdp_in_range(const void *number, const void *least,
					  const void *most, int size)
{
	const __u8 *n = number, *l = least, *m = most;
	__u64 below = 0, above = 0;
	int i;

	/* The borrows of n - l and m - n. clang would make a branch of each if it knew what they are. */
	for (i = size - 1; i >= 0; i--) {
		below = n[i] - l[i] - below;
		above = m[i] - n[i] - above;
		p4xdp_opaque(below);
		p4xdp_opaque(above);
		below >>= 63;
		above >>= 63;
	}
	p4xdp_opaque(below);
	p4xdp_opaque(above);
	return !(below | above);
}

/*
 * A search through a ternary table: half of its array, the key, and the best entry so far, by its
 * rank (0: none yet) and its index.
 */
struct p4xdp_search {
	const void *half;
	const void *key;
	__u32 best;
	__u32 found;
};

/* What one slot may hold, also as a mask of bits. */
#define P4XDP_SLOT_DEPTH 7

/* The key under a mask. */
static __always_inline void p4xdp_under_mask(__u64 *masked, const void *key, const void *mask,
					     int size)
{
	const p4xdp_any64 *k = key, *m = mask;
	int i;

	for (i = 0; i < size / 8; i++)
		masked[i] = k[i] & m[i];
}

/* Where the key under a mask belongs, in 2^(64 - shift) slots of which `first` is the first. */
static __always_inline __u32 p4xdp_slot(const __u64 *masked, int size, __u32 first, __u32 shift)
{
	__u64 hash = 0;
	int i;

	for (i = 0; i < size / 8; i++) {
		hash ^= masked[i];
		hash ^= hash >> 32;
		hash *= 0x9e3779b97f4a7c15ULL;
	}
	return first + (__u32)(hash >> shift);
}

/* Whether a masked key is that of an entry; with one branch, as p4xdp_matches(). */
static __always_inline int p4xdp_is_key(const __u64 *masked, const void *wanted, int size)
{
	const p4xdp_any64 *w = wanted;
	__u64 differences = 0;
	int i;

	for (i = 0; i < size / 8; i++)
		differences |= masked[i] ^ w[i];
	p4xdp_opaque(differences);
	return !differences;
}

static __always_inline void p4xdp_take_better(struct p4xdp_search *search, const __u32 *rank,
					      __u32 index)
{
	if (*rank <= search->best)
		return;
	/* again: the verifier would keep what it learned of the rank, and see ever new states */
	search->best = *(const volatile __u32 *)rank;
	search->found = index;
}

#ifndef __bpf__
static __always_inline long bpf_loop(__u32 times, long (*step)(__u32, void *), void *context,
				     __u64 flags)
{
	__u32 i;

	for (i = 0; i < times && !step(i, context); i++)
		;
	return flags ? -1 : (long)i;
}
#endif

/* Messages to user space, in a ring buffer; those that find no room are counted. */

static __always_inline void p4xdp_message(struct p4xdp_message *head, __u16 kind, __u16 number,
					  __u32 receiver)
{
	head->kind = kind;
	head->number = number;
	head->receiver = receiver;
	head->time = bpf_ktime_get_ns();
}

static __always_inline void p4xdp_lost(__u64 *count)
{
	__sync_fetch_and_add(count, 1);
}

/*
 * A lock of the program's own: helpers and tail calls, which bpf_spin_lock() forbids, may be made
 * while it is held. Who holds it is on another CPU and comes to an end soon. It holds the number of
 * that CPU, from 1 on: only that one can release it, so that a part whose tail call fails need not
 * know whether it is held.
 */
#define P4XDP_LOCK_TRIES (1 << 20)

struct p4xdp_locking {
	__u64 *lock;
	__u64 owner;
	__u64 is_taken;
};

static __always_inline __u64 p4xdp_lock_owner(void)
{
	return (__u64)bpf_get_smp_processor_id() + 1;
}

static __attribute__((unused)) long p4xdp_lock_once(__u32 i, void *context)
{
	struct p4xdp_locking *locking = context;

	(void)i;
	locking->is_taken = !__sync_val_compare_and_swap(locking->lock, 0, locking->owner);
	return locking->is_taken;
}

static __always_inline int p4xdp_lock(__u64 *lock)
{
	struct p4xdp_locking locking = { lock, p4xdp_lock_owner(), 0 };

	if (p4xdp_lock_once(0, &locking))
		return 1;
	bpf_loop(P4XDP_LOCK_TRIES, p4xdp_lock_once, &locking, 0);
	return locking.is_taken;
}

static __always_inline void p4xdp_unlock(__u64 *lock)
{
	__sync_val_compare_and_swap(lock, p4xdp_lock_owner(), 0);
}

/* What user space finds in front of a packet in a perf event. */
struct p4xdp_event {
	__u32 input_port;
	__u32 length;
};

static __always_inline __u64 p4xdp_read_once(const __u64 *at)
{
	return *(const volatile __u64 *)at;
}

/*
 * The value in force of a default action that can be changed. It is asked for on a miss only: unless
 * the address is hidden, clang computes it in front of every lookup.
 */
static __always_inline void *p4xdp_in_force(void *only)
{
#ifdef __bpf__
	p4xdp_opaque(only);
#endif
	return only;
}

/*
 * The same where there are two, and a number in front that is the offset of one of them. Its low 8
 * or 16 bits are read: that the sum stays inside is then plain to the verifier without a mask.
 */
static __always_inline void *p4xdp_in_force8(void *both)
{
	const volatile __u8 *current = both;

	return (__u8 *)both + current[p4xdp_lowest(8)];
}

static __always_inline void *p4xdp_in_force16(void *both)
{
	const volatile __u16 *current = both;

	return (__u8 *)both + current[p4xdp_lowest(4)];
}

/*
 * The places where a test looks in. Recorded: ports are what the test says and what it reads
 * back. Not recorded: ports are interfaces, counted from `port_base`. The kernel runs no frame of
 * less than 14 bytes and leaves none: with P4XDP_TEST_SHORT, `hidden` bytes at the start of a frame
 * are no part of the packet.
 */
#ifdef P4XDP_TEST
struct p4xdp_test {
	__u32 recorded;
	__u32 input_port;
	__u32 output_port;
	__u32 port_base;
	__u32 hidden;
	__u32 replicated; /* the copies that are asked for */
	__u32 session;
	__u32 where;
	__u32 to;
	__u32 number; /* of a copy among those for one port */
	__u32 looped; /* the packet is a copy that comes in again */
};

volatile struct p4xdp_test p4xdp_test SEC(".data.p4xdp_test");
#endif

/*
 * A pointer into the packet. The context shows 32 bits, of which the kernel makes a pointer: from
 * here on it must be 64, or clang may copy it as 32 bits, which makes it a number again.
 */
static __always_inline void *p4xdp_pointer(unsigned long field)
{
#ifdef __bpf__
	asm volatile("" : "+r"(field));
#endif
	return (void *)field;
}

static __always_inline void *p4xdp_data(const struct xdp_md *ctx)
{
#ifdef P4XDP_TEST_SHORT
	void *at = p4xdp_pointer(ctx->data) + (p4xdp_test.hidden & 15);

	p4xdp_opaque(at);
	return at;
#else
	return p4xdp_pointer(ctx->data);
#endif
}

static __always_inline void *p4xdp_data_end(const struct xdp_md *ctx)
{
	return p4xdp_pointer(ctx->data_end);
}

#ifdef P4XDP_PAYLOAD
#define P4XDP_PAYLOAD_STEP 16

/*
 * The sum of the 16-bit words, carries added in, of up to P4XDP_PAYLOAD bytes from byte `offset` of
 * the packet on. A function with a name for the linker: the verifier follows the loop once, however
 * many paths lead to the call.
 */
__noinline __u32 p4xdp_payload_sum(struct xdp_md *ctx, __u32 offset)
{
	const void *at = p4xdp_data(ctx), *end = p4xdp_data_end(ctx);
	__u64 sum = 0;
	int i;

	if (offset > 0x3fff)
		return 0;
	at += offset;
	for (i = 0; i < P4XDP_PAYLOAD; i += P4XDP_PAYLOAD_STEP) {
		const p4xdp_any32 *words = at;

		if (at + P4XDP_PAYLOAD_STEP > end)
			break;
		sum += (__u64)words[0] + words[1] + words[2] + words[3];
		at += P4XDP_PAYLOAD_STEP;
	}
	if (i < P4XDP_PAYLOAD) {
		/* less than a step is left, which the verifier does not know */
		for (i = 0; i < P4XDP_PAYLOAD_STEP / 2; i++) {
			if (at + 2 > end)
				break;
			sum += *(const p4xdp_any16 *)at;
			at += 2;
		}
		if (at + 1 <= end)
			sum += p4xdp_csum_part1(*(const __u8 *)at);
	}
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return p4xdp_swap16((__u16)sum);
}
#endif

#define P4XDP_NO_PORT 511

/*
 * Copies of a packet: the clones of a session, and the packet itself, which goes nowhere, to a port
 * or to a multicast group. One broadcast sends them to their devices; there each meets the function
 * that the devmap names. A device takes one function for all that it sends at a time, so that the
 * devmap of single packets names it as well, and copies bear a mark in their metadata. In a test the
 * copies are made by who asks for them.
 */
#ifdef P4XDP_TEST
#define P4XDP_COPIES "xdp"
#else
#define P4XDP_COPIES "xdp/devmap"
#endif

#define P4XDP_NO_SESSION 0xffffffff
#define P4XDP_ANY_PORT 0xffffffff
#define P4XDP_ITS_PORT 0xfffffffe
#define P4XDP_MARK 0x50345844

enum p4xdp_where { P4XDP_NOWHERE = 1, P4XDP_TO_PORT, P4XDP_TO_GROUP, P4XDP_TO_ITSELF };
enum p4xdp_kind { P4XDP_NO_COPY, P4XDP_ORIGINAL, P4XDP_REPLICA, P4XDP_CLONE, P4XDP_ITSELF };
enum p4xdp_found { P4XDP_NOT_FOUND, P4XDP_ALL_FOUND, P4XDP_NO_SUCH_SESSION, P4XDP_NO_SUCH_GROUP };

/* Whether the program runs for a copy, which leaves by a device or has come in again by a loop. */
enum p4xdp_replica { P4XDP_NO_REPLICA, P4XDP_LEAVING, P4XDP_LOOPED };

struct p4xdp_copies {
	__u32 session;
	__u32 where;
	__u32 to;
};

/*
 * A copy for a port by its number there. For P4XDP_ANY_PORT number 0 tells that there is such a
 * group, of so many copies, and number n + 1 the id and in `count` the port of its copy n.
 */
struct p4xdp_copy_key {
	__u32 kind; /* P4XDP_REPLICA of a group, P4XDP_CLONE of a session */
	__u32 of;
	__u32 port;
	__u32 number;
};

/* `count` is how many there are for the port. */
struct p4xdp_copy {
	__u32 id;
	__u32 count;
};

/* How many copies of the last packet that was copied have left by a port. */
struct p4xdp_counted {
	__u32 sequence;
	__u32 count;
};

static __always_inline struct p4xdp_copy *p4xdp_one_copy(void *copies, __u32 kind, __u32 of,
							 __u32 port, __u32 number)
{
	struct p4xdp_copy_key key = { kind, of, port, number };

	return bpf_map_lookup_elem(copies, &key);
}

static __always_inline __u32 p4xdp_find_copies(const struct xdp_md *ctx, void *copies,
					       __u32 session, __u32 where, __u32 to)
{
	int has_session = session != P4XDP_NO_SESSION &&
			  p4xdp_one_copy(copies, P4XDP_CLONE, session, P4XDP_ANY_PORT, 0);
	int has_group = where == P4XDP_TO_GROUP &&
			p4xdp_one_copy(copies, P4XDP_REPLICA, to, P4XDP_ANY_PORT, 0);

	(void)ctx;
	if (where == P4XDP_TO_ITSELF &&
	    !p4xdp_one_copy(copies, P4XDP_ITSELF, 0, P4XDP_ANY_PORT, 0))
		return P4XDP_NOT_FOUND;
	if (!has_session)
		return has_group ? P4XDP_NO_SUCH_SESSION : P4XDP_NOT_FOUND;
	return where == P4XDP_TO_GROUP && !has_group ? P4XDP_NO_SUCH_GROUP : P4XDP_ALL_FOUND;
}

#ifdef P4XDP_TEST
static __always_inline int p4xdp_is_copy(const struct xdp_md *ctx)
{
	(void)ctx;
	return 1;
}

#define p4xdp_send_copies(ctx, groups, session, where, to) \
	p4xdp_send_in_test(session, where, to)

static __always_inline int p4xdp_send_in_test(__u32 session, __u32 where, __u32 to)
{
	p4xdp_test.session = session;
	p4xdp_test.where = where;
	p4xdp_test.to = to;
	p4xdp_test.replicated = 1;
	return XDP_REDIRECT;
}
#elif defined(__bpf__)
/* Say whether this is a copy, and take the mark off. */
static __always_inline int p4xdp_is_copy(struct xdp_md *ctx)
{
	__u32 *mark = p4xdp_pointer(ctx->data_meta);

	if ((void *)(mark + 1) > p4xdp_pointer(ctx->data) || *mark != P4XDP_MARK)
		return 0;
	return !bpf_xdp_adjust_meta(ctx, sizeof(*mark));
}

static __always_inline int p4xdp_mark(struct xdp_md *ctx)
{
	int others = (int)(ctx->data - ctx->data_meta);
	__u32 *mark;

	/* what somebody else has left in front of the packet */
	if (others && bpf_xdp_adjust_meta(ctx, others))
		return -1;
	if (bpf_xdp_adjust_meta(ctx, -(int)sizeof(*mark)))
		return -1;
	mark = p4xdp_pointer(ctx->data_meta);
	if ((void *)(mark + 1) > p4xdp_pointer(ctx->data))
		return -1;
	*mark = P4XDP_MARK;
	return 0;
}

/* The packet itself is lost if it goes to a port that is no device. */
static __always_inline int p4xdp_send_copies(struct xdp_md *ctx, void *groups, __u32 session,
					     __u32 where, __u32 to)
{
	struct p4xdp_copies which = { session, where, 0 };
	void *devices;

	if (where == P4XDP_TO_PORT || where == P4XDP_TO_GROUP)
		which.to = to;
	devices = bpf_map_lookup_elem(groups, &which);
	if (!devices) {
		which.where = P4XDP_NOWHERE;
		which.to = 0;
		devices = bpf_map_lookup_elem(groups, &which);
	}
	if (!devices)
		return XDP_DROP;
	if (p4xdp_mark(ctx))
		return XDP_ABORTED;
	return bpf_redirect_map(devices, 0, BPF_F_BROADCAST);
}
#endif

static __always_inline __u32 p4xdp_copy_port(const struct xdp_md *ctx, void *interfaces)
{
#ifdef P4XDP_TEST
	(void)ctx;
	(void)interfaces;
	return p4xdp_test.output_port;
#else
	__u32 interface = ctx->egress_ifindex;
	__u32 *port = bpf_map_lookup_elem(interfaces, &interface);

	return port && *port ? *port - 1 : P4XDP_NO_PORT;
#endif
}

/*
 * The number of a copy among those of its packet that leave by one port. They come one after the
 * other: a device's queue is one of a CPU, which sends it before it looks at further packets.
 */
static __always_inline __u32 p4xdp_copy_number(void *counted, __u32 port, __u32 sequence)
{
#ifdef P4XDP_TEST
	(void)counted;
	(void)port;
	(void)sequence;
	return p4xdp_test.number;
#else
	struct p4xdp_counted *last = bpf_map_lookup_elem(counted, &port);

	if (!last)
		return 0;
	if (last->sequence != sequence) {
		last->sequence = sequence;
		last->count = 0;
	}
	return last->count++;
#endif
}

/*
 * What a copy is, in the upper half, and its replication id. Of several for one port the clones
 * come first; they differ in nothing else.
 */
static __always_inline __u64 p4xdp_copy(void *copies, void *counted, __u32 session, __u32 where,
					__u32 to, __u32 port, __u32 sequence)
{
	struct p4xdp_copy *clone, *replica = NULL;
	__u32 clones, others, number = 0;

	clone = p4xdp_one_copy(copies, P4XDP_CLONE, session, port, 0);
	clones = clone ? clone->count : 0;
	others = (where == P4XDP_TO_PORT && to == port) ||
		 (where == P4XDP_TO_ITSELF && port == P4XDP_ITS_PORT);
	if (where == P4XDP_TO_GROUP) {
		replica = p4xdp_one_copy(copies, P4XDP_REPLICA, to, port, 0);
		others = replica ? replica->count : 0;
	}
	if (clones + others > 1)
		number = p4xdp_copy_number(counted, port, sequence);
	if (number < clones) {
		if (number)
			clone = p4xdp_one_copy(copies, P4XDP_CLONE, session, port, number);
		return (__u64)P4XDP_CLONE << 32 | (clone ? clone->id : 0);
	}
	number -= clones;
	if (number >= others)
		return P4XDP_NO_COPY;
	if (where == P4XDP_TO_PORT)
		return (__u64)P4XDP_ORIGINAL << 32;
	if (where == P4XDP_TO_ITSELF)
		return (__u64)P4XDP_ITSELF << 32;
	if (number)
		replica = p4xdp_one_copy(copies, P4XDP_REPLICA, to, port, number);
	return (__u64)P4XDP_REPLICA << 32 | (replica ? replica->id : 0);
}

/*
 * Copies that come in again: a loop of two devices leads them back to the program, where they can do
 * all that a packet can. On the way into it they are numbered.
 */
#ifdef P4XDP_TEST
static __always_inline int p4xdp_is_looped(const struct xdp_md *ctx)
{
	__u32 looped = p4xdp_test.looped;

	(void)ctx;
	p4xdp_test.looped = 0;
	return looped;
}

static __always_inline __u32 p4xdp_looped_port(void *copies, __u32 session, __u32 where, __u32 to,
					       __u32 number)
{
	(void)copies;
	(void)session;
	(void)where;
	(void)to;
	(void)number;
	return p4xdp_test.output_port;
}

static __always_inline __u64 p4xdp_looped_copy(void *copies, __u32 session, __u32 where, __u32 to,
					       __u32 number)
{
	(void)number;
	return p4xdp_copy(copies, NULL, session, where, to, p4xdp_test.output_port, 0);
}
#else
#define p4xdp_is_looped(ctx) p4xdp_is_copy(ctx)

/* The copy of this number, the clones first; NULL for the packet itself and where there is none. */
static __always_inline struct p4xdp_copy *p4xdp_looped(void *copies, __u32 session, __u32 where,
						       __u32 to, __u32 number, __u32 *kind)
{
	struct p4xdp_copy *all = p4xdp_one_copy(copies, P4XDP_CLONE, session, P4XDP_ANY_PORT, 0);
	__u32 clones = all ? all->count : 0;

	*kind = P4XDP_CLONE;
	if (number < clones)
		return p4xdp_one_copy(copies, P4XDP_CLONE, session, P4XDP_ANY_PORT, number + 1);
	*kind = P4XDP_REPLICA;
	number -= clones;
	if (where == P4XDP_TO_GROUP)
		return p4xdp_one_copy(copies, P4XDP_REPLICA, to, P4XDP_ANY_PORT, number + 1);
	*kind = where == P4XDP_TO_PORT ? P4XDP_ORIGINAL : P4XDP_ITSELF;
	return NULL;
}

static __always_inline __u32 p4xdp_looped_port(void *copies, __u32 session, __u32 where, __u32 to,
					       __u32 number)
{
	__u32 kind;
	struct p4xdp_copy *copy = p4xdp_looped(copies, session, where, to, number, &kind);

	return copy ? copy->count : to;
}

static __always_inline __u64 p4xdp_looped_copy(void *copies, __u32 session, __u32 where, __u32 to,
					       __u32 number)
{
	__u32 kind;
	struct p4xdp_copy *copy = p4xdp_looped(copies, session, where, to, number, &kind);

	return (__u64)kind << 32 | (copy ? copy->id : 0);
}
#endif

#if defined(__bpf__)
/* Behind the number, of two bytes, a copy has its sequence. */
static __always_inline int p4xdp_number_copy(const struct xdp_md *ctx, void *counted)
{
	void *data = p4xdp_pointer(ctx->data), *end = p4xdp_pointer(ctx->data_end);

	if (data + 6 > end)
		return XDP_DROP;
	p4xdp_store16(data, p4xdp_copy_number(counted, P4XDP_NO_PORT, p4xdp_load32(data + 2)));
	return XDP_PASS;
}
#endif

/* Leave at most `length` bytes of the packet, as far as the kernel allows it. */
static __always_inline void p4xdp_truncate(struct xdp_md *ctx, __u32 length)
{
	__u64 now = p4xdp_data_end(ctx) - p4xdp_data(ctx);

	/* clang would subtract the pointers as 32 bits, which makes them numbers */
	p4xdp_opaque(now);
	if (length < now)
		bpf_xdp_adjust_tail(ctx, (int)(length - (__u32)now));
}

/* Tell user space a packet that leaves by `port`, as it is; `room` is where the message is made. */
static __always_inline void p4xdp_send_packet(struct xdp_md *ctx, void *messages, __u64 *lost,
					      void *room, __u32 port, __u32 arrival)
{
	__u64 start = p4xdp_data(ctx) - p4xdp_pointer(ctx->data);
	__u64 length = p4xdp_data_end(ctx) - p4xdp_data(ctx), size;
	struct p4xdp_packet_message *message;
	__u32 zero = 0;

	message = bpf_map_lookup_elem(room, &zero);
	if (!message)
		return;
	p4xdp_message(&message->head, P4XDP_PACKET, 0, port);
	message->port = arrival;
	message->length = length;
	size = length < P4XDP_PACKET_BYTES ? length : P4XDP_PACKET_BYTES;
	/* the verifier knows nothing of a difference between pointers that clang has moved */
	p4xdp_opaque(size);
	if (!size || size > P4XDP_PACKET_BYTES ||
	    bpf_xdp_load_bytes(ctx, start, message->bytes, size) ||
	    bpf_ringbuf_output(messages, message, sizeof(*message) - P4XDP_PACKET_BYTES + size, 0))
		p4xdp_lost(lost);
}

static __always_inline __u32 p4xdp_input_port(const struct xdp_md *ctx)
{
#ifdef P4XDP_TEST
	if (p4xdp_test.recorded)
		return p4xdp_test.input_port;
	return ctx->ingress_ifindex - p4xdp_test.port_base;
#else
	return ctx->ingress_ifindex;
#endif
}

/*
 * The port of the interface, which `interfaces` holds plus 1. An interface that is no port is as
 * good as one past all of them.
 */
static __always_inline __u32 p4xdp_input_port_in(const struct xdp_md *ctx, void *interfaces)
{
	__u32 interface = ctx->ingress_ifindex;
	__u32 *port;

#ifdef P4XDP_TEST
	if (p4xdp_test.recorded)
		return p4xdp_test.input_port;
#endif
	port = bpf_map_lookup_elem(interfaces, &interface);
	return port && *port ? *port - 1 : P4XDP_NO_PORT;
}

static __always_inline int p4xdp_redirect(const struct xdp_md *ctx, __u32 port)
{
	(void)ctx;
#ifdef P4XDP_TEST
	if (p4xdp_test.recorded) {
		p4xdp_test.output_port = port;
		return XDP_REDIRECT;
	}
	port += p4xdp_test.port_base;
#endif
	return bpf_redirect(port, 0);
}

/* A port that is not in the map makes XDP_ABORTED. */
static __always_inline int p4xdp_redirect_map(const struct xdp_md *ctx, void *map, __u32 port)
{
	(void)ctx;
#ifdef P4XDP_TEST
	if (p4xdp_test.recorded) {
		p4xdp_test.output_port = port;
		return XDP_REDIRECT;
	}
	if (!bpf_map_lookup_elem(map, &port))
		p4xdp_test.output_port = port + 1; /* for the test to say which one leads nowhere */
#endif
	return bpf_redirect_map(map, port, XDP_ABORTED);
}

#ifdef __bpf__

/* The tc hook: the same packet program over a socket buffer. */

static __always_inline void *p4xdp_skb_data(const struct __sk_buff *skb)
{
	return p4xdp_pointer(skb->data);
}

static __always_inline void *p4xdp_skb_data_end(const struct __sk_buff *skb)
{
	return p4xdp_pointer(skb->data_end);
}

/* Headers may lie in fragments: bring up to `size` bytes, as far as there are any, to the front. */
static __always_inline void p4xdp_skb_pull(struct __sk_buff *skb, __u32 size)
{
	if (p4xdp_skb_data(skb) + size > p4xdp_skb_data_end(skb))
		bpf_skb_pull_data(skb, skb->len < size ? skb->len : size);
}

static __always_inline __u32 p4xdp_skb_input_port(const struct __sk_buff *skb)
{
#ifdef P4XDP_TEST
	if (p4xdp_test.recorded)
		return p4xdp_test.input_port;
	return skb->ingress_ifindex - p4xdp_test.port_base;
#else
	return skb->ingress_ifindex;
#endif
}

static __always_inline int p4xdp_skb_redirect(const struct __sk_buff *skb, __u32 port)
{
	(void)skb;
#ifdef P4XDP_TEST
	if (p4xdp_test.recorded) {
		p4xdp_test.output_port = port;
		return TC_ACT_REDIRECT;
	}
	port += p4xdp_test.port_base;
#endif
	return bpf_redirect(port, 0);
}

/* Send the packet out where it came in. */
static __always_inline int p4xdp_skb_transmit(const struct __sk_buff *skb)
{
#ifdef P4XDP_TEST
	if (p4xdp_test.recorded) {
		p4xdp_test.output_port = p4xdp_test.input_port;
		return TC_ACT_REDIRECT;
	}
#endif
	return bpf_redirect(skb->ifindex, 0);
}

#endif

#endif
