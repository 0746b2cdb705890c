// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * Access list, then station table, then routes. The list is short, so it is walked: two words are
 * compared under a mask without a branch for each field. User space writes one list while the other
 * is in use, and the high word of `acl_state` moves packets over at once; a list ends with a rank of 0.
 */
#include "twin.h"

#define RULES 64

enum { PERMIT, DENY };
enum { SEND, ROUTE, TO_HOST };
enum { FORWARD, ROUTE_TO_HOST, ROUTE_DROP };

struct tuple {
	__be32 saddr;
	__be32 daddr;
	__u8 protocol;
	__u8 pad;
	__be16 sport;
	__be16 dport;
	__u16 pad2;
};

struct rule {
	struct tuple key;
	struct tuple mask;
	__u32 priority;
	__u32 rank;
	__u32 action;
	__u32 pad;
};

struct list {
	struct rule rules[RULES];
};

struct station {
	__u32 action;
	__be32 port;
};

struct prefix {
	__u32 prefixlen;
	__be32 daddr;
};

struct route {
	__u32 action;
	__be16 next_hop[3];
	__be16 own[3];
	__be32 port;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct list);
} acl SEC(".maps");

__u64 acl_state SEC(".data.acl_state");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct station);
} stations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct prefix);
	__type(value, struct route);
} routes SEC(".maps");

static __always_inline int denied(const struct tuple *tuple)
{
	__u32 index = *(volatile __u64 *)&acl_state >> 32;
	struct list *list = bpf_map_lookup_elem(&acl, &index);
	const __u64 *key = (const void *)tuple;
	int i;

	if (!list)
		return 0;
	for (i = 0; i < RULES && list->rules[i].rank; i++) {
		struct rule *rule = &list->rules[i];
		const __u64 *wanted = (const void *)&rule->key;
		const __u64 *mask = (const void *)&rule->mask;

		if (!(((key[0] & mask[0]) ^ wanted[0]) | ((key[1] & mask[1]) ^ wanted[1])))
			return rule->action == DENY;
	}
	return 0;
}

SEC("xdp")
int l2l3_acl(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct ports *ports = (void *)(ip + 1);
	struct station *station;
	struct prefix prefix;
	struct route *route;
	struct tuple tuple;
	__u64 mac;
	int is_ip;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	is_ip = eth->type == bpf_htons(ETH_P_IP);
	if (is_ip) {
		if ((void *)(ip + 1) > data_end)
			return XDP_ABORTED;
		tuple.saddr = ip->saddr;
		tuple.daddr = ip->daddr;
		tuple.protocol = ip->protocol;
		tuple.pad = 0;
		tuple.sport = 0;
		tuple.dport = 0;
		tuple.pad2 = 0;
		/* Only first fragments without options have ports where they are looked for. */
		if ((ip->version_ihl & 0xf) == 5 && !(ip->frag_off & bpf_htons(0x1fff)) &&
		    (ip->protocol == IPPROTO_TCP || ip->protocol == IPPROTO_UDP)) {
			__u32 size = ip->protocol == IPPROTO_TCP ? sizeof(struct tcp) :
								   sizeof(struct udp);

			if ((void *)ports + size > data_end ||
			    (void *)(ports + 1) > data_end)
				return XDP_ABORTED;
			tuple.sport = ports->source;
			tuple.dport = ports->dest;
		}
		if (denied(&tuple))
			return XDP_DROP;
	}

	mac = mac_key(eth->dst);
	station = bpf_map_lookup_elem(&stations, &mac);
	if (!station || station->action == TO_HOST)
		return XDP_PASS;
	if (station->action == SEND)
		return bpf_redirect(bpf_ntohl(station->port), 0);

	if (!is_ip || (void *)(ip + 1) > data_end || ip->ttl <= 1)
		return XDP_PASS;
	prefix.prefixlen = 32;
	prefix.daddr = ip->daddr;
	route = bpf_map_lookup_elem(&routes, &prefix);
	if (!route || route->action == ROUTE_TO_HOST)
		return XDP_PASS;
	if (route->action == ROUTE_DROP)
		return XDP_DROP;

	{
		__be16 *word = (__be16 *)&ip->ttl, old = *word;

		ip->ttl--;
		ip->check = csum_replace2(ip->check, old, *word);
	}
	mac_copy(eth->dst, route->next_hop);
	mac_copy(eth->src, route->own);
	return bpf_redirect(bpf_ntohl(route->port), 0);
}

char _license[] SEC("license") = "GPL";
