// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * The entry of VXLAN tunnels. The outer headers are checked once and written in place; of the IPv4
 * checksum only length and addresses are summed, the rest is a constant.
 */
#include "twin.h"

#define MTU 1500
#define VXLAN_PORT 4789

enum { ENCAP, TO_HOST, DROP };

struct key {
	__u32 port;
	__be16 dst[3];
	__u16 pad[3];
};

struct value {
	__u32 action;
	__u8 vni[3];
	__u8 pad;
	__be32 local;
	__be32 remote;
	__be16 own[3];
	__be16 next_hop[3];
	__be32 port;
};

/* What goes in front: behind its 14 bytes of Ethernet everything lies at multiples of 2. */
#define OUTER (sizeof(struct eth) + sizeof(struct ip4) + sizeof(struct udp) + 8)

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct key);
	__type(value, struct value);
} tunnels SEC(".maps");

SEC("xdp")
int vxlan_encap(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *inner = data, *eth;
	struct value *value;
	struct udp *udp;
	struct ip4 *ip;
	struct key key;
	__be16 flow, *vxlan;
	__u32 sum;
	__u16 length = data_end - data;

	if ((void *)(inner + 1) > data_end)
		return XDP_ABORTED;
	if (length > MTU - (OUTER - sizeof(*eth)))
		return XDP_DROP;

	key.port = bpf_htonl(ctx->ingress_ifindex);
	mac_copy(key.dst, inner->dst);
	key.pad[0] = 0;
	*(twin_u32 *)&key.pad[1] = 0;
	value = bpf_map_lookup_elem(&tunnels, &key);
	if (!value || value->action == TO_HOST)
		return XDP_PASS;
	if (value->action == DROP)
		return XDP_DROP;

	/* Flows spread by their source port, within 49152 to 65535. */
	flow = inner->src[2] ^ inner->dst[2];

	if (bpf_xdp_adjust_head(ctx, -(int)OUTER))
		return XDP_ABORTED;
	data_end = (void *)(long)ctx->data_end;
	eth = (void *)(long)ctx->data;
	if ((void *)eth + OUTER > data_end)
		return XDP_ABORTED;
	ip = (void *)(eth + 1);
	udp = (void *)(ip + 1);
	vxlan = (void *)(udp + 1);

	mac_copy(eth->dst, value->next_hop);
	mac_copy(eth->src, value->own);
	eth->type = bpf_htons(ETH_P_IP);

	*(__be16 *)ip = bpf_htons(0x4500);
	ip->tot_len = bpf_htons(length + OUTER - sizeof(*eth));
	*(twin_u32 *)&ip->id = bpf_htonl(0x4000); /* do not fragment */
	*(__be16 *)&ip->ttl = bpf_htons(64 << 8 | IPPROTO_UDP);
	ip->saddr = value->local;
	ip->daddr = value->remote;
	sum = bpf_htons(0x4500) + bpf_htons(0x4000) + bpf_htons(64 << 8 | IPPROTO_UDP);
	sum += ip->tot_len;
	sum += (value->local & 0xffff) + (value->local >> 16);
	sum += (value->remote & 0xffff) + (value->remote >> 16);
	ip->check = csum_fold(sum);

	udp->source = flow | bpf_htons(0xc000);
	udp->dest = bpf_htons(VXLAN_PORT);
	/* The length, and no checksum. */
	*(twin_u32 *)&udp->len = bpf_htons(length + sizeof(*udp) + 8);

	*(twin_u32 *)vxlan = bpf_htonl(0x08000000);
	/* vni and the zero behind it, as they stand in the value. */
	*(twin_u32 *)&vxlan[2] = *(twin_u32 *)value->vni;
	return bpf_redirect(bpf_ntohl(value->port), 0);
}

char _license[] SEC("license") = "GPL";
