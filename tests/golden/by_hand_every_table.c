/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from demo.p4. */
#include <p4xdp.h>

/* table Switch.macs */
enum macs_actions {
	macs_forward = 0,
	macs_Drop_action = 1,
	macs_NoAction = 2,
};

struct macs_key {
	__u8 field0[6]; /* hd.eth.dst: bit<48>, exact */
	__u8 pad0[2];
};

struct macs_value {
	enum macs_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
			__u8 dst[6]; /* bit<48> */
			__u8 pad0[2];
		} forward;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct macs_defaults {
	__u64 current;
	struct macs_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

/* table Switch.pairs */
enum pairs_actions {
	pairs_forward = 0,
	pairs_Drop_action = 1,
	pairs_NoAction = 2,
};

struct pairs_key {
	__u8 field0[6]; /* hd.eth.src: bit<48>, exact */
	__be16 field1; /* hd.eth.type: bit<16>, exact */
};

struct pairs_value {
	enum pairs_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
			__u8 dst[6]; /* bit<48> */
			__u8 pad0[2];
		} forward;
	} u;
};

/* table Switch.routes */
enum routes_actions {
	routes_forward = 0,
	routes_Drop_action = 1,
	routes_NoAction = 2,
};

struct routes_key {
	__u32 prefixlen; /* in bits */
	__be16 field1; /* vrf: bit<12>, exact */
	__u8 pad0[2];
	__be32 field0; /* hd.ipv4.dst: bit<32>, lpm */
};

struct routes_value {
	enum routes_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
			__u8 dst[6]; /* bit<48> */
			__u8 pad0[2];
		} forward;
	} u;
};

/* table Switch.acl */
enum acl_actions {
	acl_forward = 0,
	acl_Drop_action = 1,
	acl_NoAction = 2,
};

struct acl_key {
	__u8 field0[16]; /* src: bit<128>, ternary */
	__be32 field1; /* dst: bit<32>, lpm */
	__u8 field2; /* port: bit<7>, exact */
	__u8 pad0[3];
};

struct acl_value {
	enum acl_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
			__u8 dst[6]; /* bit<48> */
			__u8 pad0[2];
		} forward;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct acl_defaults {
	__u64 current;
	struct acl_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

/* Keys are stored masked. The greatest rank wins: of the greatest priority, the first. */
struct acl_entry {
	struct acl_key key;
	struct acl_key mask;
	__u32 priority;
	__u32 rank;
	struct acl_value value;
};

/* A mask that entries have, with the greatest rank of these (0: there is no mask), and slots. */
struct acl_mask {
	struct acl_key bits;
	__u32 best;
	__u32 slots;
	__u32 shift;
	__u8 pad0[4];
};

/* Masks with the best first; for each slot the first of its entries, which go up to the next's. */
struct acl_half {
	struct acl_mask masks[1008];
	__u32 slots[8194];
	struct acl_entry entries[1007];
};

/* table Switch.slots */
enum slots_actions {
	slots_mark = 0,
	slots_Drop_action = 1,
	slots_NoAction = 2,
};

struct slots_value {
	enum slots_actions action;
	__u32 in_use; /* 1: there is an entry */
};

/* table Switch.ranges */
enum ranges_actions {
	ranges_forward = 0,
	ranges_Drop_action = 1,
	ranges_NoAction = 2,
};

struct ranges_value {
	enum ranges_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
			__u8 dst[6]; /* bit<48> */
			__u8 pad0[2];
		} forward;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct ranges_defaults {
	__u64 current;
	struct ranges_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

/* table Switch.always */
enum always_actions {
	always_forward = 0,
	always_Drop_action = 1,
	always_NoAction = 2,
};

struct always_value {
	enum always_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
			__u8 dst[6]; /* bit<48> */
			__u8 pad0[2];
		} forward;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct always_defaults {
	__u64 current;
	struct always_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct macs_key);
	__type(value, struct macs_value);
} macs SEC(".maps");

struct macs_defaults macs_default SEC(".data.macs_default") = {
	.current = 8,
	.slots[0].action = macs_Drop_action,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct pairs_key);
	__type(value, struct pairs_value);
} pairs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 64);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct routes_key);
	__type(value, struct routes_value);
} routes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct acl_half);
} acl SEC(".maps");

__u64 acl_state SEC(".data.acl_state");

struct acl_defaults acl_default SEC(".data.acl_default") = {
	.current = 8,
	.slots[0].action = acl_Drop_action,
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, struct slots_value);
} slots SEC(".maps");

struct slots_value slots_default SEC(".data.slots_default") = {
	.action = slots_Drop_action,
};

struct ranges_defaults ranges_default SEC(".data.ranges_default") = {
	.current = 8,
	.slots[0].action = ranges_Drop_action,
};

struct always_defaults always_default SEC(".data.always_default") = {
	.current = 8,
	.slots[0].action = always_forward,
	.slots[0].u.forward.port = p4xdp_swap32(7),
	.slots[0].u.forward.dst = { 0x02, 0x00, 0x00, 0x00, 0x00, 0x01 },
};

static __always_inline struct macs_value *macs_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&macs, key);
}

static __always_inline struct pairs_value *pairs_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&pairs, key);
}

static __always_inline struct routes_value *routes_find(__u32 field0, __u16 field1)
{
	struct routes_key key;

	key.prefixlen = 64;
	p4xdp_store32(&key.field0, field0);
	p4xdp_store16(&key.field1, field1);
	__builtin_memset(key.pad0, 0, sizeof(key.pad0));
	return bpf_map_lookup_elem(&routes, &key);
}

static __always_inline int acl_try(const struct acl_mask *mask, struct p4xdp_search *search)
{
	const struct acl_half *half = search->half;
	const struct acl_entry *entry;
	const __u32 *slot;
	__u32 first, count, i;
	__u64 masked[3];

	if (mask->best <= search->best)
		return 1;
	p4xdp_under_mask(masked, search->key, &mask->bits, sizeof(masked));
	slot = &half->slots[p4xdp_slot(masked, sizeof(masked), mask->slots, mask->shift) & 8191];
	first = slot[0];
	/* as if it might be more: the loop needs an end that the verifier sees */
	count = (slot[1] - first) & P4XDP_SLOT_DEPTH;
	if (!count || first >= 1000)
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

static long acl_round(__u32 round, void *context)
{
	struct p4xdp_search *outer = context, search = *outer;
	const struct acl_half *half = search.half;
	__u32 first = round * 16, i;
	int done = 0;

	if (first >= 1008)
		return 1;
	for (i = 0; i < 16 && !done; i++)
		done = acl_try(&half->masks[first + i], &search);
	outer->best = search.best;
	outer->found = search.found;
	return done;
}

static __always_inline struct acl_value *acl_find(__u64 word0, __u64 word1, __u64 word2)
{
	__u32 index = p4xdp_read_once(&acl_state) >> 32;
	struct acl_half *half = bpf_map_lookup_elem(&acl, &index);
	struct p4xdp_search search;
	__u64 key[] = { word0, word1, word2 };

	if (!half)
		return NULL;
	search.half = half;
	search.key = key;
	search.best = search.found = 0;
	bpf_loop(63, acl_round, &search, 0);
	if (!search.best || search.found >= 1000)
		return NULL;
	return &half->entries[search.found].value;
}

static __always_inline struct slots_value *slots_find(__u16 field0)
{
	__u32 index = field0;
	struct slots_value *value = bpf_map_lookup_elem(&slots, &index);

	return value && value->in_use ? value : NULL;
}

SEC("xdp")
int every_table(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u32 output_output_action, forward_port, output_output_port = 0;
	__u8 hit, ranges_key2;
	__u64 forward_dst, ranges_key0, ranges_key1;
	struct macs_value *macs_entry;
	struct pairs_value *pairs_entry;
	struct routes_value *routes_entry;
	struct acl_value *acl_entry;
	struct slots_value *slots_entry;
	struct ranges_value *ranges_entry;
	struct always_value *always_entry;

	/* demo.p4:20 */
	if (data + 54 > data_end)
		return XDP_ABORTED;
	/* demo.p4:69 */
	output_output_action = XDP_PASS;
	/* demo.p4:70: Switch.macs.apply() */
	macs_entry = macs_find(p4xdp_copy48(data, 0));
	hit = macs_entry != NULL;
	if (!macs_entry)
		macs_entry = p4xdp_in_force8(&macs_default);
	switch (macs_entry->action) {
	case macs_forward:
		forward_port = p4xdp_load32(&macs_entry->u.forward.port);
		forward_dst = p4xdp_take48(macs_entry->u.forward.dst);
		/* demo.p4:60 */
		output_output_port = forward_port;
		/* demo.p4:61 */
		p4xdp_put48(data, forward_dst);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
		break;
	case macs_Drop_action:
	default:
		/* demo.p4:65 */
		output_output_action = XDP_DROP;
		break;
	case macs_NoAction:
		break;
	}
	/* demo.p4:70: Switch.pairs.apply() */
	pairs_entry = pairs_find(p4xdp_copy64(data + 6, 0));
	hit = pairs_entry != NULL;
	if (!pairs_entry) {
		/* demo.p4:65 */
		output_output_action = XDP_DROP;
	} else {
		switch (pairs_entry->action) {
		case pairs_forward:
			forward_port = p4xdp_load32(&pairs_entry->u.forward.port);
			forward_dst = p4xdp_take48(pairs_entry->u.forward.dst);
			/* demo.p4:60 */
			output_output_port = forward_port;
			/* demo.p4:61 */
			p4xdp_put48(data, forward_dst);
			/* demo.p4:62 */
			output_output_action = XDP_REDIRECT;
			break;
		case pairs_Drop_action:
		default:
			/* demo.p4:65 */
			output_output_action = XDP_DROP;
			break;
		case pairs_NoAction:
			break;
		}
	}
	/* demo.p4:70: Switch.routes.apply() */
	routes_entry = routes_find(p4xdp_load32(data + 16), p4xdp_load16(data) & 0xfff);
	hit = routes_entry != NULL;
	if (!routes_entry) {
		forward_port = 7;
		forward_dst = p4xdp_turn48(0x20000000001ULL);
		/* demo.p4:60 */
		output_output_port = forward_port;
		/* demo.p4:61 */
		p4xdp_put48(data, forward_dst);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
	} else {
		switch (routes_entry->action) {
		case routes_forward:
			forward_port = p4xdp_load32(&routes_entry->u.forward.port);
			forward_dst = p4xdp_take48(routes_entry->u.forward.dst);
			/* demo.p4:60 */
			output_output_port = forward_port;
			/* demo.p4:61 */
			p4xdp_put48(data, forward_dst);
			/* demo.p4:62 */
			output_output_action = XDP_REDIRECT;
			break;
		case routes_Drop_action:
			/* demo.p4:65 */
			output_output_action = XDP_DROP;
			break;
		case routes_NoAction:
		default:
			break;
		}
	}
	/* demo.p4:70: Switch.acl.apply() */
	acl_entry = acl_find(p4xdp_copy64(data + 16, 0), p4xdp_copy64(data + 24, 0),
			p4xdp_copy32(data + 16, 0) | p4xdp_bytes8(p4xdp_load8(data) & 0x7f, 4));
	hit = acl_entry != NULL;
	if (!acl_entry)
		acl_entry = p4xdp_in_force8(&acl_default);
	switch (acl_entry->action) {
	case acl_forward:
		forward_port = p4xdp_load32(&acl_entry->u.forward.port);
		forward_dst = p4xdp_take48(acl_entry->u.forward.dst);
		/* demo.p4:60 */
		output_output_port = forward_port;
		/* demo.p4:61 */
		p4xdp_put48(data, forward_dst);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
		break;
	case acl_Drop_action:
	default:
		/* demo.p4:65 */
		output_output_action = XDP_DROP;
		break;
	case acl_NoAction:
		break;
	}
	/* demo.p4:70: Switch.slots.apply() */
	slots_entry = slots_find((p4xdp_load16(data) >> 6) & 0x1ff);
	hit = slots_entry != NULL;
	if (!slots_entry)
		slots_entry = p4xdp_in_force(&slots_default);
	switch (slots_entry->action) {
	case slots_mark:
		/* demo.p4:60 */
		output_output_port = 4;
		/* demo.p4:61 */
		p4xdp_store48(data, 6);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
		break;
	case slots_Drop_action:
	default:
		/* demo.p4:65 */
		output_output_action = XDP_DROP;
		break;
	case slots_NoAction:
		break;
	}
	/* demo.p4:70: Switch.types.apply() */
	switch (p4xdp_load16(data + 12)) {
	case 0x800:
		hit = 1;
		forward_port = 7;
		forward_dst = p4xdp_turn48(0x20000000001ULL);
		/* demo.p4:60 */
		output_output_port = forward_port;
		/* demo.p4:61 */
		p4xdp_put48(data, forward_dst);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
		break;
	case 0x86dd:
		hit = 1;
		/* demo.p4:65 */
		output_output_action = XDP_DROP;
		break;
	case 0x806:
		hit = 1;
		forward_port = 7;
		forward_dst = p4xdp_turn48(0x20000000001ULL);
		/* demo.p4:60 */
		output_output_port = forward_port;
		/* demo.p4:61 */
		p4xdp_put48(data, forward_dst);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
		break;
	default:
		hit = 0;
		/* demo.p4:65 */
		output_output_action = XDP_DROP;
		break;
	}
	/* demo.p4:70: Switch.ranges.apply() */
	ranges_key0 = p4xdp_load64(data + 16);
	ranges_key1 = p4xdp_load64(data + 24);
	ranges_key2 = p4xdp_load8(data) & 0x7f;
	if (ranges_key0 == 0 && (ranges_key1 & 0xfffffffff0000000ULL) == 0x4000000000000000ULL &&
			ranges_key2 >= 3 && ranges_key2 <= 4) {
		hit = 1;
		forward_port = 7;
		forward_dst = p4xdp_turn48(0x20000000001ULL);
		/* demo.p4:60 */
		output_output_port = forward_port;
		/* demo.p4:61 */
		p4xdp_put48(data, forward_dst);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
	} else if (ranges_key0 == 0 &&
			(ranges_key1 & 0xfffffffff0000000ULL) == 0x5000000000000000ULL &&
			ranges_key2 >= 3 && ranges_key2 <= 5) {
		hit = 1;
		/* demo.p4:65 */
		output_output_action = XDP_DROP;
	} else if (ranges_key0 == 0 &&
			(ranges_key1 & 0xfffffffff0000000ULL) == 0x6000000000000000ULL &&
			ranges_key2 >= 3 && ranges_key2 <= 6) {
		hit = 1;
		forward_port = 7;
		forward_dst = p4xdp_turn48(0x20000000001ULL);
		/* demo.p4:60 */
		output_output_port = forward_port;
		/* demo.p4:61 */
		p4xdp_put48(data, forward_dst);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
	} else {
		hit = 0;
		ranges_entry = p4xdp_in_force8(&ranges_default);
		switch (ranges_entry->action) {
		case ranges_forward:
			forward_port = p4xdp_load32(&ranges_entry->u.forward.port);
			forward_dst = p4xdp_take48(ranges_entry->u.forward.dst);
			/* demo.p4:60 */
			output_output_port = forward_port;
			/* demo.p4:61 */
			p4xdp_put48(data, forward_dst);
			/* demo.p4:62 */
			output_output_action = XDP_REDIRECT;
			break;
		case ranges_Drop_action:
		default:
			/* demo.p4:65 */
			output_output_action = XDP_DROP;
			break;
		case ranges_NoAction:
			break;
		}
	}
	/* demo.p4:70: Switch.always.apply() */
	hit = 0;
	always_entry = p4xdp_in_force8(&always_default);
	switch (always_entry->action) {
	case always_forward:
		forward_port = p4xdp_load32(&always_entry->u.forward.port);
		forward_dst = p4xdp_take48(always_entry->u.forward.dst);
		/* demo.p4:60 */
		output_output_port = forward_port;
		/* demo.p4:61 */
		p4xdp_put48(data, forward_dst);
		/* demo.p4:62 */
		output_output_action = XDP_REDIRECT;
		break;
	case always_Drop_action:
		/* demo.p4:65 */
		output_output_action = XDP_DROP;
		break;
	case always_NoAction:
	default:
		break;
	}
	if (hit) {
		if (output_output_action == XDP_REDIRECT)
			return p4xdp_redirect(ctx, output_output_port);
		return output_output_action;
	}
	/* demo.p4:80 */
	if (output_output_action == XDP_REDIRECT)
		return p4xdp_redirect(ctx, output_output_port);
	return output_output_action;
}

char _license[] SEC("license") = "Dual BSD/GPL";
