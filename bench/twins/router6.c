// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* Longest prefix over IPv6 destinations; the address goes from packet to key in two words. */
#include "twin.h"

enum { FORWARD, TO_HOST, DROP };

struct ip6 {
	__be32 flow;
	__be16 payload_len;
	__u8 nexthdr;
	__u8 hop_limit;
	__be32 saddr[4];
	__be32 daddr[4];
};

struct key {
	__u32 prefixlen;
	__be32 daddr[4];
};

struct value {
	__u32 action;
	__be16 next_hop[3];
	__be16 own[3];
	__be32 port;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct value);
} routes SEC(".maps");

SEC("xdp")
int router6(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip6 *ip = (void *)(eth + 1);
	struct value *value;
	struct key key;
	__be16 head;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_IPV6))
		return XDP_PASS;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	if (*(__u8 *)ip >> 4 != 6)
		return XDP_ABORTED;
	if (ip->hop_limit <= 1)
		return XDP_PASS;
	/* Multicast, ff00::/8, and link-local, fe80::/10, are the host's. */
	head = *(__be16 *)ip->daddr;
	if ((head & bpf_htons(0xff00)) == bpf_htons(0xff00) ||
	    (head & bpf_htons(0xffc0)) == bpf_htons(0xfe80))
		return XDP_PASS;

	key.prefixlen = 128;
	key.daddr[0] = ip->daddr[0];
	key.daddr[1] = ip->daddr[1];
	key.daddr[2] = ip->daddr[2];
	key.daddr[3] = ip->daddr[3];
	value = bpf_map_lookup_elem(&routes, &key);
	if (!value || value->action == TO_HOST)
		return XDP_PASS;
	if (value->action == DROP)
		return XDP_DROP;

	ip->hop_limit--;
	mac_copy(eth->dst, value->next_hop);
	mac_copy(eth->src, value->own);
	return bpf_redirect(bpf_ntohl(value->port), 0);
}

char _license[] SEC("license") = "GPL";
