/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from vxlan_decap.p4. */
#include <p4xdp.h>

/* table Decap.networks */
enum networks_actions {
	networks_decap = 0,
	networks_to_host = 1,
	networks_drop = 2,
};

struct networks_key {
	__be32 field0; /* local: bit<32>, exact */
	__u8 field1[3]; /* vni: bit<24>, exact */
	__u8 pad0[1];
};

struct networks_value {
	enum networks_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
		} decap;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct networks_defaults {
	__u64 current;
	struct networks_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct networks_key);
	__type(value, struct networks_value);
} networks SEC(".maps");

struct networks_defaults networks_default SEC(".data.networks_default") = {
	.current = 8,
	.slots[0].action = networks_to_host,
};

static __always_inline struct networks_value *networks_find(__u64 word0)
{
	__u64 key[1];

	p4xdp_store_halves(&key[0], word0);
	return bpf_map_lookup_elem(&networks, key);
}

SEC("xdp")
int vxlan_decap(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct networks_value *networks_entry;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* vxlan_decap.p4:24 */
	if (p4xdp_load16(data + 12) == 0x800) {
		if (data + 34 > data_end)
			return XDP_ABORTED;
		/* vxlan_decap.p4:33 */
		if (p4xdp_load8(data + 14) == 69 && (p4xdp_load32(data + 20) & 0x3fff00ff) == 17) {
			if (data + 42 > data_end)
				return XDP_ABORTED;
			/* vxlan_decap.p4:42 */
			if (p4xdp_load16(data + 36) == 0x12b5) {
				if (data + 64 > data_end)
					return XDP_ABORTED;
				/* vxlan_decap.p4:94 */
				if (((p4xdp_load8(data + 42) >> 3) & 0x1) == 0)
					return XDP_DROP;
				/* vxlan_decap.p4:97: Decap.networks.apply() */
				networks_entry = networks_find(p4xdp_copy32(data + 30, 0) |
						p4xdp_head24(data + 46, 4));
				if (!networks_entry)
					networks_entry = p4xdp_in_force8(&networks_default);
				switch (networks_entry->action) {
				case networks_decap:
					/* vxlan_decap.p4:104 */
					if (bpf_xdp_adjust_head(ctx, 50))
						return XDP_ABORTED;
					return p4xdp_redirect(ctx,
							p4xdp_load32(&networks_entry->u.decap.port));
				case networks_to_host:
				default:
					return XDP_PASS;
				case networks_drop:
					return XDP_DROP;
				}
			}
		}
	}
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
