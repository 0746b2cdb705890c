// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* The exit of VXLAN tunnels: check, look up, cut 50 bytes off; nothing is copied or written. */
#include "twin.h"

#define VXLAN_PORT 4789

enum { DECAP, TO_HOST, DROP };

struct key {
	__be32 local;
	__be32 vni; /* 24 bits, then zero */
};

struct value {
	__u32 action;
	__be32 port;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct key);
	__type(value, struct value);
} networks SEC(".maps");

SEC("xdp")
int vxlan_decap(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct udp *udp = (void *)(ip + 1);
	__be32 *vxlan = (void *)(udp + 1);
	struct eth *inner = (void *)(vxlan + 2);
	struct value *value;
	struct key key;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	/* No options, no fragments: the low flag and the offset are zero. */
	if (ip->version_ihl != 0x45 || ip->frag_off & bpf_htons(0x3fff) ||
	    ip->protocol != IPPROTO_UDP)
		return XDP_PASS;
	if ((void *)(udp + 1) > data_end)
		return XDP_ABORTED;
	if (udp->dest != bpf_htons(VXLAN_PORT))
		return XDP_PASS;
	if ((void *)(inner + 1) > data_end)
		return XDP_ABORTED;
	/* The I flag says that the network number is valid. */
	if (!(*(__u8 *)vxlan & 0x08))
		return XDP_DROP;

	key.local = ip->daddr;
	key.vni = vxlan[1] & bpf_htonl(0xffffff00);
	value = bpf_map_lookup_elem(&networks, &key);
	if (!value || value->action == TO_HOST)
		return XDP_PASS;
	if (value->action == DROP)
		return XDP_DROP;

	if (bpf_xdp_adjust_head(ctx, (void *)inner - (void *)eth))
		return XDP_ABORTED;
	return bpf_redirect(bpf_ntohl(value->port), 0);
}

char _license[] SEC("license") = "GPL";
