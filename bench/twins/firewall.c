// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * A thousand rules with a few shapes: tuple space search. Rules of one mask share a hash lookup;
 * masks stand in order of the best priority that any of their rules has, so that the walk ends
 * as soon as nothing better can follow. User space fills `rules` (a rule for each masked tuple and
 * mask) and `masks`, which ends with a best priority of 0.
 */
#include "twin.h"

#define MASKS 16

enum { PERMIT, DENY };

struct tuple {
	__be32 saddr;
	__be32 daddr;
	__u8 protocol;
	__u8 mask; /* of a key: the number of its mask */
	__be16 sport;
	__be16 dport;
	__u16 pad;
};

struct rule {
	__u32 priority;
	__u32 action;
};

struct mask {
	struct tuple bits;
	__u32 best;
	__u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct tuple);
	__type(value, struct rule);
} rules SEC(".maps");

struct mask masks[MASKS] SEC(".data.masks");

static __always_inline int decide(const struct tuple *tuple)
{
	const __u64 *whole = (const void *)tuple;
	__u32 priority = 0, action = DENY;
	int i;

	for (i = 0; i < MASKS; i++) {
		struct mask *mask = &masks[i];
		const __u64 *bits = (const void *)&mask->bits;
		struct tuple key;
		struct rule *rule;

		if (mask->best <= priority)
			break;
		((__u64 *)&key)[0] = whole[0] & bits[0];
		((__u64 *)&key)[1] = whole[1] & bits[1];
		key.mask = i;
		rule = bpf_map_lookup_elem(&rules, &key);
		if (rule && rule->priority > priority) {
			priority = rule->priority;
			action = rule->action;
		}
	}
	return action == PERMIT ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int firewall(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct ports *ports = (void *)(ip + 1);
	struct tuple tuple = {};

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	tuple.saddr = ip->saddr;
	tuple.daddr = ip->daddr;
	tuple.protocol = ip->protocol;
	if ((ip->version_ihl & 0xf) == 5 && !(ip->frag_off & bpf_htons(0x1fff)) &&
	    (ip->protocol == IPPROTO_TCP || ip->protocol == IPPROTO_UDP)) {
		__u32 size = ip->protocol == IPPROTO_TCP ? sizeof(struct tcp) : sizeof(struct udp);

		if ((void *)ports + size > data_end || (void *)(ports + 1) > data_end)
			return XDP_ABORTED;
		tuple.sport = ports->source;
		tuple.dport = ports->dest;
	}
	return decide(&tuple);
}

char _license[] SEC("license") = "GPL";
