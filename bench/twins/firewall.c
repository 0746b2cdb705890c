// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * A thousand rules with a few shapes: tuple space search. Rules of one mask share a hash table;
 * masks stand in order of the best rank that any of their rules has, so that the walk ends as
 * soon as nothing better can follow.
 *
 * The hash tables are slots inside one array element, searched inline: the kernel's hash map
 * costs 25 ns for each mask, this 3. A slot holds where its rules start, which are up to where
 * those of the next one do. There are two such lists; user space fills the one that is not in
 * force and then changes `rules_state`, so that a packet sees all of a change or nothing.
 * bpf_loop() steps cost a call each, so each takes 16 masks.
 */
#include "twin.h"

#define MASKS 1024
#define ROUND 16
#define SLOTS 8192
#define RULES 1024
#define DEPTH 7 /* what a slot may hold, also as a mask of bits */

enum { PERMIT, DENY };

struct tuple {
	__be32 saddr;
	__be32 daddr;
	__u8 protocol;
	__u8 pad0;
	__be16 sport;
	__be16 dport;
	__u16 pad1;
};

union key {
	struct tuple tuple;
	__u64 word[2];
};

struct rule {
	__u64 key[2];
	__u64 mask[2];
	__u32 priority;
	__u32 rank;
	__u32 action;
	__u32 pad;
};

struct mask {
	__u64 bits[2];
	__u32 best;
	__u32 first; /* of its slots, of which there are 2^(64 - shift) */
	__u32 shift;
	__u32 pad;
};

struct list {
	struct mask masks[MASKS];
	__u32 slots[SLOTS + 2];
	struct rule rules[RULES + DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct list);
} rules SEC(".maps");

__u64 rules_state SEC(".data.rules_state"); /* the list in force in the upper half */

struct search {
	const struct list *list;
	union key key;
	__u32 best;
	__u32 action;
};

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
	hash ^= word;
	return (hash ^ hash >> 32) * 0x9e3779b97f4a7c15ULL;
}

/* Returns 1 when neither this mask nor one behind it has a better rule. */
static __always_inline int try(const struct list *list, const struct mask *mask,
			       struct search *search)
{
	__u64 high = search->key.word[0] & mask->bits[0];
	__u64 low = search->key.word[1] & mask->bits[1];
	const struct rule *rule;
	const __u32 *slot;
	__u32 first, count, i;

	if (mask->best <= search->best)
		return 1;
	slot = &list->slots[(mask->first + (mix(mix(0, high), low) >> mask->shift)) & (SLOTS - 1)];
	first = slot[0];
	count = (slot[1] - first) & DEPTH;
	if (!count || first >= RULES)
		return 0;
	rule = &list->rules[first];
	for (i = 0; i < count; i++, rule++) {
		__u64 differences = (rule->key[0] ^ high) | (rule->key[1] ^ low);

		/* One branch: otherwise the verifier follows two for each rule. */
		asm volatile("" : "+r"(differences));
		if (differences)
			continue;
		if (rule->rank > search->best) {
			/* Read again, or the verifier keeps what it learned and sees new states. */
			search->best = *(const volatile __u32 *)&rule->rank;
			search->action = rule->action;
		}
		return 0;
	}
	return 0;
}

static long round(__u32 number, void *context)
{
	struct search *outer = context, search = *outer;
	__u32 first = number * ROUND, i;
	int done = 0;

	if (first >= MASKS)
		return 1;
	for (i = 0; i < ROUND && !done; i++)
		done = try(search.list, &search.list->masks[first + i], &search);
	outer->best = search.best;
	outer->action = search.action;
	return done;
}

static __always_inline int decide(struct search *search)
{
	__u32 index = *(volatile __u64 *)&rules_state >> 32;

	search->list = bpf_map_lookup_elem(&rules, &index);
	if (!search->list)
		return XDP_DROP;
	bpf_loop(MASKS / ROUND, round, search, 0);
	return search->action == PERMIT ? XDP_PASS : XDP_DROP;
}

SEC("xdp")
int firewall(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct ports *ports = (void *)(ip + 1);
	struct search search = { .action = DENY };
	struct tuple *tuple = &search.key.tuple;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	/* Both addresses at once, the rest as one word: what is stored whole is soon read whole. */
	search.key.word[0] = *(twin_u64 *)&ip->saddr;
	search.key.word[1] = ip->protocol;
	if ((ip->version_ihl & 0xf) == 5 && !(ip->frag_off & bpf_htons(0x1fff)) &&
	    (ip->protocol == IPPROTO_TCP || ip->protocol == IPPROTO_UDP)) {
		__u32 size = ip->protocol == IPPROTO_TCP ? sizeof(struct tcp) : sizeof(struct udp);

		if ((void *)ports + size > data_end || (void *)(ports + 1) > data_end)
			return XDP_ABORTED;
		tuple->sport = ports->source;
		tuple->dport = ports->dest;
	}
	return decide(&search);
}

char _license[] SEC("license") = "GPL";
