/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from router6.p4. */
#include <p4xdp.h>

/* table Router.routes */
enum routes_actions {
	routes_forward = 0,
	routes_to_host = 1,
	routes_drop = 2,
};

struct routes_key {
	__u32 prefixlen; /* in bits */
	__u8 field0[16]; /* dst: bit<128>, lpm */
};

struct routes_value {
	enum routes_actions action;
	union {
		struct {
			__u8 next_hop[6]; /* bit<48> */
			__u8 own[6]; /* bit<48> */
			__be32 port; /* bit<32> */
		} forward;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct routes_defaults {
	__u64 current;
	struct routes_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct routes_key);
	__type(value, struct routes_value);
} routes SEC(".maps");

struct routes_defaults routes_default SEC(".data.routes_default") = {
	.current = 8,
	.slots[0].action = routes_to_host,
};

static __always_inline struct routes_value *routes_find(__u32 field0_0, __u32 field0_1,
							__u32 field0_2, __u32 field0_3)
{
	struct routes_key key;

	key.prefixlen = 128;
	p4xdp_store32(key.field0, field0_0);
	p4xdp_store32(key.field0 + 4, field0_1);
	p4xdp_store32(key.field0 + 8, field0_2);
	p4xdp_store32(key.field0 + 12, field0_3);
	return bpf_map_lookup_elem(&routes, &key);
}

SEC("xdp")
int router6(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct routes_value *routes_entry;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* router6.p4:20 */
	if (p4xdp_load16(data + 12) != 0x86dd)
		return XDP_PASS;
	if (data + 54 > data_end)
		return XDP_ABORTED;
	/* router6.p4:28 */
	if ((p4xdp_load8(data + 14) >> 4) != 6)
		return XDP_ABORTED;
	/* router6.p4:68 */
	if (p4xdp_load8(data + 21) > 1 && !(p4xdp_load8(data + 38) == 255 ||
			(p4xdp_load16(data + 38) >> 6) == 0x3fa)) {
		/* router6.p4:74: Router.routes.apply() */
		routes_entry = routes_find(p4xdp_load32(data + 38), p4xdp_load32(data + 42),
				p4xdp_load32(data + 46), p4xdp_load32(data + 50));
		if (!routes_entry)
			routes_entry = p4xdp_in_force8(&routes_default);
		switch (routes_entry->action) {
		case routes_forward:
			p4xdp_store48(data, p4xdp_load48(routes_entry->u.forward.next_hop));
			p4xdp_store48(data + 6, p4xdp_load48(routes_entry->u.forward.own));
			p4xdp_store8(data + 21, p4xdp_load8(data + 21) - 1);
			return p4xdp_redirect(ctx, p4xdp_load32(&routes_entry->u.forward.port));
		case routes_to_host:
		default:
			return XDP_PASS;
		case routes_drop:
			return XDP_DROP;
		}
	}
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
