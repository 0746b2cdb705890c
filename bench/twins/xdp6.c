// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* The TTL and the port come from a table of two addresses; the checksum follows the TTL. */
#include "twin.h"

enum { PASS, DROP, SET_TTL };

struct key {
	__u64 mac;
	__be32 daddr;
	__u32 pad;
};

struct value {
	__u32 action;
	__u8 ttl;
	__u8 pad[3];
	__be32 port;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct key);
	__type(value, struct value);
} dstmactable SEC(".maps");

SEC("xdp")
int xdp6(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct value *value;
	struct key key;
	__be16 *word, old;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;

	key.mac = mac_key(eth->dst);
	key.daddr = ip->daddr;
	key.pad = 0;
	value = bpf_map_lookup_elem(&dstmactable, &key);
	if (!value || value->action == DROP)
		return XDP_DROP;
	if (value->action == PASS)
		return XDP_PASS;

	/* TTL and protocol are one word of the checksum. */
	word = (__be16 *)&ip->ttl;
	old = *word;
	ip->ttl = value->ttl;
	ip->check = csum_replace2(ip->check, old, *word);
	return bpf_redirect(bpf_ntohl(value->port), 0);
}

char _license[] SEC("license") = "GPL";
