// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * A label switching router. Only the outermost label decides, so the others are checked (up to
 * four, the last with the bottom bit) and otherwise left alone. A pop moves nothing but the 12
 * bytes of the addresses, which are written anew anyway.
 */
#include "twin.h"

#define BOTTOM bpf_htonl(0x100)
#define LABELS 4

enum { SWAP, POP, POP_LAST, DROP };

struct key {
	__be32 label;
	__u32 bottom; /* the first byte; the rest is zero */
};

struct value {
	__u32 action;
	union {
		struct {
			__be32 label;
			__be16 next_hop[3];
			__be16 own[3];
			__be32 port;
		} swap;
		struct {
			__be16 next_hop[3];
			__be16 own[3];
			__be32 port;
		} pop;
		struct {
			__be16 type;
			__be16 next_hop[3];
			__be16 own[3];
			__u16 pad;
			__be32 port;
		} pop_last;
	};
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct key);
	__type(value, struct value);
} labels SEC(".maps");

SEC("xdp")
int mpls(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	twin_u32 *label = (void *)(eth + 1);
	struct value *value;
	struct key key;
	__u8 *bytes = (void *)label;
	__u8 ttl;
	int i;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_MPLS_UC))
		return XDP_PASS;
#pragma unroll
	for (i = 0; i < LABELS; i++) {
		if ((void *)(label + i + 1) > data_end)
			return XDP_ABORTED;
		if (label[i] & BOTTOM)
			break;
	}
	if (i == LABELS)
		return XDP_ABORTED;

	ttl = bytes[3];
	if (ttl <= 1)
		return XDP_DROP;
	key.label = bpf_htonl(bpf_ntohl(label[0]) >> 12);
	key.bottom = 0;
	*(__u8 *)&key.bottom = bytes[2] & 1;
	value = bpf_map_lookup_elem(&labels, &key);
	if (!value)
		return XDP_DROP;

	switch (value->action) {
	case SWAP:
		/* Traffic class and bottom bit stay. */
		label[0] = (label[0] & bpf_htonl(0xf00)) | bpf_htonl(bpf_ntohl(value->swap.label) << 12);
		bytes[3] = ttl - 1;
		mac_copy(eth->dst, value->swap.next_hop);
		mac_copy(eth->src, value->swap.own);
		return bpf_redirect(bpf_ntohl(value->swap.port), 0);
	case POP:
		if (bpf_xdp_adjust_head(ctx, sizeof(*label)))
			return XDP_ABORTED;
		data_end = (void *)(long)ctx->data_end;
		eth = (void *)(long)ctx->data;
		bytes = (void *)(eth + 1);
		if ((void *)(eth + 1) > data_end)
			return XDP_ABORTED;
		mac_copy(eth->dst, value->pop.next_hop);
		mac_copy(eth->src, value->pop.own);
		eth->type = bpf_htons(ETH_P_MPLS_UC);
		/* The entry is meant for packets with a label below, where the TTL goes on. */
		if (!(key.bottom & 1)) {
			if ((void *)(bytes + 4) > data_end)
				return XDP_ABORTED;
			bytes[3] = ttl - 1;
		}
		return bpf_redirect(bpf_ntohl(value->pop.port), 0);
	case POP_LAST:
		if (bpf_xdp_adjust_head(ctx, sizeof(*label)))
			return XDP_ABORTED;
		data_end = (void *)(long)ctx->data_end;
		eth = (void *)(long)ctx->data;
		if ((void *)(eth + 1) > data_end)
			return XDP_ABORTED;
		mac_copy(eth->dst, value->pop_last.next_hop);
		mac_copy(eth->src, value->pop_last.own);
		eth->type = value->pop_last.type;
		return bpf_redirect(bpf_ntohl(value->pop_last.port), 0);
	default:
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "GPL";
