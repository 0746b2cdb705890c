// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* Longest prefix over IPv4 destinations; MAC addresses and TTL change, the checksum follows. */
#include "twin.h"

enum { FORWARD, DROP };

struct key {
	__u32 prefixlen;
	__be32 daddr;
};

struct value {
	__u32 action;
	__be16 next_hop[3];
	__be16 port;
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct key);
	__type(value, struct value);
} routes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int v1_forward(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct value *value;
	struct key key;
	__be16 *word, old;

	if ((void *)(ip + 1) > data_end || eth->type != bpf_htons(ETH_P_IP))
		return XDP_DROP;

	key.prefixlen = 32;
	key.daddr = ip->daddr;
	value = bpf_map_lookup_elem(&routes, &key);
	if (!value || value->action == DROP)
		return XDP_DROP;

	mac_copy(eth->src, eth->dst);
	mac_copy(eth->dst, value->next_hop);
	/* TTL and protocol are one word of the checksum. */
	word = (__be16 *)&ip->ttl;
	old = *word;
	ip->ttl--;
	ip->check = csum_replace2(ip->check, old, *word);
	return bpf_redirect_map(&ports, bpf_ntohs(value->port), 0);
}

char _license[] SEC("license") = "GPL";
