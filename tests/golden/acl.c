/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from acl.p4. */
#include <p4xdp.h>

/* table AccessList.rules */
enum rules_actions {
	rules_permit = 0,
	rules_deny = 1,
};

struct rules_key {
	__be32 field0; /* src: bit<32>, ternary */
	__be32 field1; /* dst: bit<32>, ternary */
	__u8 field2; /* protocol: bit<8>, ternary */
	__u8 pad0[1];
	__be16 field3; /* src_port: bit<16>, ternary */
	__be16 field4; /* dst_port: bit<16>, ternary */
	__u8 pad1[2];
};

struct rules_value {
	enum rules_actions action;
	union {
		struct {
			__be32 rule; /* bit<32> */
		} permit;
		struct {
			__be32 rule; /* bit<32> */
		} deny;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct rules_defaults {
	__u64 current;
	struct rules_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* Keys are stored masked. The greatest rank wins: of the greatest priority, the first. */
struct rules_entry {
	struct rules_key key;
	struct rules_key mask;
	__u32 priority;
	__u32 rank;
	struct rules_value value;
};

/* A mask that entries have, with the greatest rank of these (0: there is no mask), and slots. */
struct rules_mask {
	struct rules_key bits;
	__u32 best;
	__u32 slots;
	__u32 shift;
	__u8 pad0[4];
};

/* Masks with the best first; for each slot the first of its entries, which go up to the next's. */
struct rules_half {
	struct rules_mask masks[256];
	__u32 slots[2050];
	struct rules_entry entries[263];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct rules_half);
} rules SEC(".maps");

__u64 rules_state SEC(".data.rules_state");

struct rules_defaults rules_default SEC(".data.rules_default") = {
	.current = 8,
	.slots[0].action = rules_deny,
	.slots[0].u.deny.rule = 0,
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} hits SEC(".maps");

static __always_inline int rules_try(const struct rules_mask *mask, struct p4xdp_search *search)
{
	const struct rules_half *half = search->half;
	const struct rules_entry *entry;
	const __u32 *slot;
	__u32 first, count, i;
	__u64 masked[2];

	if (mask->best <= search->best)
		return 1;
	p4xdp_under_mask(masked, search->key, &mask->bits, sizeof(masked));
	slot = &half->slots[p4xdp_slot(masked, sizeof(masked), mask->slots, mask->shift) & 2047];
	first = slot[0];
	/* as if it might be more: the loop needs an end that the verifier sees */
	count = (slot[1] - first) & P4XDP_SLOT_DEPTH;
	if (!count || first >= 256)
		return 0;
	entry = &half->entries[first];
	for (i = 0; i < count; i++, entry++) {
		if (p4xdp_is_key(masked, &entry->key, sizeof(masked))) {
			p4xdp_take_better(search, &entry->rank, first + i);
			return 0;
		}
	}
	return 0;
}

static long rules_round(__u32 round, void *context)
{
	struct p4xdp_search *outer = context, search = *outer;
	const struct rules_half *half = search.half;
	__u32 first = round * 16, i;
	int done = 0;

	if (first >= 256)
		return 1;
	for (i = 0; i < 16 && !done; i++)
		done = rules_try(&half->masks[first + i], &search);
	outer->best = search.best;
	outer->found = search.found;
	return done;
}

static __always_inline struct rules_value *rules_find(__u64 word0, __u64 word1)
{
	__u32 index = p4xdp_read_once(&rules_state) >> 32;
	struct rules_half *half = bpf_map_lookup_elem(&rules, &index);
	struct p4xdp_search search;
	__u64 key[] = { word0, word1 };

	if (!half)
		return NULL;
	search.half = half;
	search.key = key;
	search.best = search.found = 0;
	bpf_loop(16, rules_round, &search, 0);
	if (!search.best || search.found >= 256)
		return NULL;
	return &half->entries[search.found].value;
}

SEC("xdp")
int acl(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 src_port = 0, dst_port = 0;
	struct rules_value *rules_entry;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* acl.p4:21 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_PASS;
	if (data + 34 > data_end)
		return XDP_ABORTED;
	/* acl.p4:30 */
	if ((p4xdp_load8(data + 14) & 0xf) == 5 && (p4xdp_load16(data + 20) & 0x1fff) == 0) {
		switch (p4xdp_load8(data + 23)) {
		case 6:
			if (data + 54 > data_end)
				return XDP_ABORTED;
			/* acl.p4:92 */
			src_port = p4xdp_take16(data + 34);
			/* acl.p4:93 */
			dst_port = p4xdp_take16(data + 36);
			goto end;
		case 17:
			if (data + 42 > data_end)
				return XDP_ABORTED;
			/* acl.p4:95 */
			src_port = p4xdp_take16(data + 34);
			/* acl.p4:96 */
			dst_port = p4xdp_take16(data + 36);
			goto end;
		default:
			goto end;
		}
	}
	/* acl.p4:101 */
	if ((p4xdp_load8(data + 14) & 0xf) != 5)
		return XDP_DROP;
end:
	/* acl.p4:104: AccessList.rules.apply() */
	rules_entry = rules_find(p4xdp_copy64(data + 26, 0), p4xdp_copy8(data + 23, 0) |
			p4xdp_word(src_port, 2, 2) | p4xdp_word(dst_port, 4, 2));
	if (!rules_entry)
		rules_entry = p4xdp_in_force8(&rules_default);
	switch (rules_entry->action) {
	case rules_permit:
		/* acl.p4:65 */
		p4xdp_count(&hits, p4xdp_load32(&rules_entry->u.permit.rule), 1);
		return XDP_PASS;
	case rules_deny:
	default:
		/* acl.p4:70 */
		p4xdp_count(&hits, p4xdp_load32(&rules_entry->u.deny.rule), 1);
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
