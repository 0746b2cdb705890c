/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from router4.p4. */
#include <p4xdp.h>

/* table Router.routes */
enum routes_actions {
	routes_forward = 0,
	routes_to_host = 1,
	routes_drop = 2,
};

struct routes_key {
	__u32 prefixlen; /* in bits */
	__be32 field0; /* dst: bit<32>, lpm */
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

static __always_inline struct routes_value *routes_find(__u32 field0)
{
	struct routes_key key;

	key.prefixlen = 32;
	p4xdp_store32(&key.field0, field0);
	return bpf_map_lookup_elem(&routes, &key);
}

SEC("xdp")
int router4(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct routes_value *routes_entry;
	__u8 hd_ipv4_ttl;
	__u16 hd_ipv4_checksum;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* router4.p4:20 */
	if (p4xdp_load16(data + 12) == 0x800) {
		if (data + 34 > data_end)
			return XDP_ABORTED;
		/* router4.p4:74 */
		if ((p4xdp_load8(data + 14) >> 4) != 4 || (p4xdp_load8(data + 14) & 0xf) < 5)
			return XDP_DROP;
		/* router4.p4:76 */
		if ((p4xdp_load8(data + 14) & 0xf) == 5 &&
				p4xdp_load16(data + 24) != p4xdp_ipv4_checksum(4, 5,
				p4xdp_load8(data + 15), p4xdp_load16(data + 16),
				p4xdp_load16(data + 18), p4xdp_load8(data + 20) >> 5,
				p4xdp_load16(data + 20) & 0x1fff, p4xdp_load8(data + 22),
				p4xdp_load8(data + 23), p4xdp_load32(data + 26),
				p4xdp_load32(data + 30)))
			return XDP_DROP;
		/* router4.p4:82 */
		if (p4xdp_load8(data + 22) > 1) {
			/* router4.p4:85: Router.routes.apply() */
			routes_entry = routes_find(p4xdp_load32(data + 30));
			if (!routes_entry)
				routes_entry = p4xdp_in_force8(&routes_default);
			switch (routes_entry->action) {
			case routes_forward:
				/* router4.p4:49 */
				hd_ipv4_ttl = p4xdp_load8(data + 22) - 1;
				/* router4.p4:51 */
				hd_ipv4_checksum = p4xdp_csum_replace1(p4xdp_load16(data + 24),
						p4xdp_load8(data + 22), hd_ipv4_ttl);
				p4xdp_store48(data, p4xdp_load48(routes_entry->u.forward.next_hop));
				p4xdp_store48(data + 6, p4xdp_load48(routes_entry->u.forward.own));
				p4xdp_store8(data + 22, hd_ipv4_ttl);
				p4xdp_store16(data + 24, hd_ipv4_checksum);
				return p4xdp_redirect(ctx,
						p4xdp_load32(&routes_entry->u.forward.port));
			case routes_to_host:
			default:
				return XDP_PASS;
			case routes_drop:
				return XDP_DROP;
			}
		}
	}
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
