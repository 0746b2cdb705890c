// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * A stateless load balancer: service, slot by the flow's hash, server, IPIP. Only the Ethernet
 * header moves when the packet grows, and it is written anew but for its type; the outer
 * checksum is a constant plus length and addresses.
 */
#include "twin.h"

#define MTU 1500

enum { BALANCE, TO_HOST };
enum { SEND, DROP };

struct service_key {
	__be32 address;
	__u8 protocol;
	__u8 pad;
	__be16 port;
};

struct service {
	__u32 action;
	__be16 number;
	__u16 pad;
};

struct server_key {
	__be16 service;
	__u8 slot;
	__u8 pad[5];
};

struct server {
	__u32 action;
	__be32 own;
	__be32 server;
	__be16 own_mac[3];
	__be16 next_hop[3];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, struct service_key);
	__type(value, struct service);
} services SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2048);
	__type(key, struct server_key);
	__type(value, struct server);
} servers SEC(".maps");

SEC("xdp")
int lb(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct ports *ports = (void *)(ip + 1);
	union {
		struct service_key service;
		struct server_key server;
		__u64 word;
	} key;
	struct service *service;
	struct server *server;
	__u32 hash, sum;
	__u16 length;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	if ((ip->version_ihl & 0xf) != 5 || ip->frag_off & bpf_htons(0x1fff))
		return XDP_PASS;
	if (ip->protocol == IPPROTO_TCP) {
		if ((void *)ports + sizeof(struct tcp) > data_end)
			return XDP_ABORTED;
	} else if (ip->protocol == IPPROTO_UDP) {
		if ((void *)ports + sizeof(struct udp) > data_end)
			return XDP_ABORTED;
	} else {
		return XDP_PASS;
	}
	length = bpf_ntohs(ip->tot_len);
	if (length > MTU - sizeof(*ip))
		return XDP_PASS;

	key.service.address = ip->daddr;
	key.service.protocol = ip->protocol;
	key.service.pad = 0;
	key.service.port = ports->dest;
	service = bpf_map_lookup_elem(&services, &key);
	if (!service || service->action == TO_HOST)
		return XDP_PASS;

	/* Addresses and both ports as one word; three bits of all of it choose the slot. */
	hash = bpf_ntohl(ip->saddr ^ ip->daddr ^ *(twin_u32 *)ports);
	hash ^= hash >> 16;
	hash ^= hash >> 8;
	key.word = 0;
	key.server.service = service->number;
	key.server.slot = (hash ^ hash >> 3) & 7;
	server = bpf_map_lookup_elem(&servers, &key);
	if (!server || server->action == DROP)
		return XDP_DROP;

	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*ip)))
		return XDP_ABORTED;
	data_end = (void *)(long)ctx->data_end;
	eth = (void *)(long)ctx->data;
	ip = (void *)(eth + 1);
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	mac_copy(eth->dst, server->next_hop);
	mac_copy(eth->src, server->own_mac);
	eth->type = bpf_htons(ETH_P_IP);

	*(__be16 *)ip = bpf_htons(0x4500);
	ip->tot_len = bpf_htons(length + sizeof(*ip));
	*(twin_u32 *)&ip->id = bpf_htonl(0x4000); /* do not fragment */
	*(__be16 *)&ip->ttl = bpf_htons(64 << 8 | IPPROTO_IPIP);
	ip->saddr = server->own;
	ip->daddr = server->server;
	sum = bpf_htons(0x4500) + bpf_htons(0x4000) + bpf_htons(64 << 8 | IPPROTO_IPIP);
	sum += ip->tot_len;
	sum += (server->own & 0xffff) + (server->own >> 16);
	sum += (server->server & 0xffff) + (server->server >> 16);
	ip->check = csum_fold(sum);
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
