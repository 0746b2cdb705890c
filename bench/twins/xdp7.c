// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * Destination NAT: a new address and port, checksums kept up to date. Only what changes is
 * written; the transport header is bounds-checked once, where the protocol is known.
 */
#include "twin.h"

enum { REDIRECT, PASS };

struct key {
	__be32 daddr;
	__u32 protocol; /* the first byte; the rest is zero */
};

struct value {
	__u32 action;
	__be32 address;
	__be16 port;
	__u16 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct key);
	__type(value, struct value);
} services SEC(".maps");

/* The sum of what replaces what, ready to be added to any checksum. */
static __always_inline __u32 difference(const struct value *value, __be32 daddr)
{
	return (~daddr & 0xffff) + (~daddr >> 16) + (value->address & 0xffff) +
	       (value->address >> 16);
}

SEC("xdp")
int xdp7(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct tcp *tcp = (void *)(ip + 1);
	struct udp *udp = (void *)(ip + 1);
	struct value *value;
	struct key key;
	__u32 sum;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_IP))
		return XDP_ABORTED;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	switch (ip->protocol) {
	case IPPROTO_TCP:
		if ((void *)(tcp + 1) > data_end)
			return XDP_ABORTED;
		break;
	case IPPROTO_UDP:
		if ((void *)(udp + 1) > data_end)
			return XDP_ABORTED;
		break;
	case IPPROTO_ICMP:
		if ((void *)(ip + 1) + 4 > data_end)
			return XDP_ABORTED;
		break;
	default:
		return XDP_ABORTED;
	}

	key.daddr = ip->daddr;
	key.protocol = 0;
	*(__u8 *)&key.protocol = ip->protocol;
	value = bpf_map_lookup_elem(&services, &key);
	if (!value || value->action == PASS)
		return XDP_PASS;

	sum = difference(value, ip->daddr);
	ip->daddr = value->address;
	ip->check = csum_fold((__u16)~ip->check + sum);

	if (ip->protocol == IPPROTO_TCP) {
		if ((void *)(tcp + 1) > data_end)
			return XDP_ABORTED;
		sum += (__u16)~tcp->dest + value->port;
		tcp->dest = value->port;
		tcp->check = csum_fold((__u16)~tcp->check + sum);
	} else if (ip->protocol == IPPROTO_UDP) {
		if ((void *)(udp + 1) > data_end)
			return XDP_ABORTED;
		sum += (__u16)~udp->dest + value->port;
		udp->dest = value->port;
		/* 0 says that there is no checksum, so a sum of 0 is sent as 0xffff. */
		if (udp->check) {
			udp->check = csum_fold((__u16)~udp->check + sum);
			if (!udp->check)
				udp->check = 0xffff;
		}
	}
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
