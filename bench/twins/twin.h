/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * What the twins share: headers as the wire has them, and the checksum arithmetic of RFC 1624.
 *
 * The structs of <linux/if_ether.h> are packed, which makes clang for BPF load every field byte by
 * byte. These are not: each field lies at a multiple of 2, so 16-bit accesses are whole, and the
 * kernel takes wider ones at such addresses too (NET_IP_ALIGN, efficient unaligned access).
 */
#ifndef TWIN_H
#define TWIN_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/in6.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

typedef __u32 __attribute__((may_alias)) twin_u32;
typedef __u64 __attribute__((may_alias)) twin_u64;

struct eth {
	__be16 dst[3];
	__be16 src[3];
	__be16 type;
};

struct ip4 {
	__u8 version_ihl;
	__u8 tos;
	__be16 tot_len;
	__be16 id;
	__be16 frag_off;
	__u8 ttl;
	__u8 protocol;
	__sum16 check;
	__be32 saddr;
	__be32 daddr;
};

struct ports {
	__be16 source;
	__be16 dest;
};

struct udp {
	__be16 source;
	__be16 dest;
	__be16 len;
	__sum16 check;
};

struct tcp {
	__be16 source;
	__be16 dest;
	__be32 seq;
	__be32 ack_seq;
	__be16 flags;
	__be16 window;
	__sum16 check;
	__be16 urg_ptr;
};

/* As ether_addr_copy() of the kernel does: two accesses instead of six. */
static __always_inline void mac_copy(void *to, const void *from)
{
	*(twin_u32 *)to = *(const twin_u32 *)from;
	*(__u16 *)(to + 4) = *(const __u16 *)(from + 4);
}

/*
 * The 48 bits of an address, then 16 of zero, as a hash key wants them. Reads 8 bytes: one load
 * and two shifts instead of two loads and three stores. Only where 2 bytes follow the address.
 */
static __always_inline __u64 mac_key(const void *mac)
{
	return *(const twin_u64 *)mac << 16 >> 16;
}

/* Sums are of fields as they are in the packet: one's complement has no byte order. */

static __always_inline __sum16 csum_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static __always_inline __sum16 csum_replace2(__sum16 check, __be16 from, __be16 to)
{
	return csum_fold((__u16)~check + (__u16)~from + to);
}

static __always_inline __sum16 csum_replace4(__sum16 check, __be32 from, __be32 to)
{
	return csum_fold((__u16)~check + (~from & 0xffff) + (~from >> 16) +
			 (to & 0xffff) + (to >> 16));
}

#endif
