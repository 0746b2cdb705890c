/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from vlan.p4. */
#include <p4xdp.h>

/* table Switch.tagged */
enum tagged_actions {
	tagged_pop = 0,
	tagged_rewrite = 1,
	tagged_send = 2,
	tagged_drop = 3,
};

struct tagged_key {
	__be32 field0; /* port: bit<32>, exact */
	__be16 field1; /* vid: bit<12>, exact */
	__u8 pad0[2];
};

struct tagged_value {
	enum tagged_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
		} pop;
		struct {
			__be16 new_vid; /* bit<12> */
			__u8 pad0[2];
			__be32 port; /* bit<32> */
		} rewrite;
		struct {
			__be32 port; /* bit<32> */
		} send;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct tagged_defaults {
	__u64 current;
	struct tagged_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* table Switch.untagged */
enum untagged_actions {
	untagged_push = 0,
	untagged_send = 1,
	untagged_drop = 2,
};

struct untagged_key {
	__be32 field0; /* port: bit<32>, exact */
	__u8 pad0[4];
};

struct untagged_value {
	enum untagged_actions action;
	union {
		struct {
			__be16 new_vid; /* bit<12> */
			__u8 pad0[2];
			__be32 port; /* bit<32> */
		} push;
		struct {
			__be32 port; /* bit<32> */
		} send;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct untagged_defaults {
	__u64 current;
	struct untagged_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct tagged_key);
	__type(value, struct tagged_value);
} tagged SEC(".maps");

struct tagged_defaults tagged_default SEC(".data.tagged_default") = {
	.current = 8,
	.slots[0].action = tagged_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct untagged_key);
	__type(value, struct untagged_value);
} untagged SEC(".maps");

struct untagged_defaults untagged_default SEC(".data.untagged_default") = {
	.current = 8,
	.slots[0].action = untagged_drop,
};

static __always_inline struct tagged_value *tagged_find(__u64 word0)
{
	__u64 key[1];

	p4xdp_store_halves(&key[0], word0);
	return bpf_map_lookup_elem(&tagged, key);
}

static __always_inline struct untagged_value *untagged_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&untagged, key);
}

SEC("xdp")
int vlan(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 hd_ethernet_type, hd_vlan_vid = 0, hd_vlan_type = 0;
	__u8 hd_vlan_priority_code = 0, hd_vlan_drop_eligible = 0, hd_vlan_parsed = 0,
		hd_vlan_changed1 = 0, hd_ethernet_changed = 0, hd_vlan_valid = 0,
		hd_vlan_changed = 0;
	__u32 input_input_port, output_output_port, hd_ethernet_bytes8;
	struct tagged_value *tagged_entry;
	struct untagged_value *untagged_entry;
	__u64 hd_ethernet_bytes0;

	input_input_port = p4xdp_input_port(ctx);
	if (data + 14 > data_end)
		return XDP_ABORTED;
	hd_ethernet_type = p4xdp_take16(data + 12);
	/* vlan.p4:23 */
	if (p4xdp_load16(data + 12) == 0x8100) {
		if (data + 18 > data_end)
			return XDP_ABORTED;
		hd_vlan_priority_code = p4xdp_load8(data + 14) >> 5;
		hd_vlan_drop_eligible = (p4xdp_load8(data + 14) >> 4) & 0x1;
		hd_vlan_vid = p4xdp_load16(data + 14) & 0xfff;
		hd_vlan_type = p4xdp_take16(data + 16);
		hd_vlan_parsed = 1;
		/* vlan.p4:103 */
		if ((p4xdp_load16(data + 14) & 0xfff) != 0) {
			/* vlan.p4:104: Switch.tagged.apply() */
			tagged_entry = tagged_find(p4xdp_bytes32(input_input_port, 0) |
					p4xdp_bytes16(p4xdp_load16(data + 14) & 0xfff, 4));
			if (!tagged_entry)
				tagged_entry = p4xdp_in_force8(&tagged_default);
			switch (tagged_entry->action) {
			case tagged_pop:
				/* vlan.p4:59 */
				hd_ethernet_type = p4xdp_take16(data + 16);
				/* vlan.p4:40 */
				output_output_port = p4xdp_load32(&tagged_entry->u.pop.port);
				goto then;
			case tagged_rewrite:
				/* vlan.p4:65 */
				hd_vlan_vid = (p4xdp_load16(&tagged_entry->u.rewrite.new_vid) & 0xfff);
				hd_vlan_changed1 = 1;
				/* vlan.p4:40 */
				output_output_port = p4xdp_load32(&tagged_entry->u.rewrite.port);
				goto then_3;
			case tagged_send:
				return p4xdp_redirect(ctx,
						p4xdp_load32(&tagged_entry->u.send.port));
			case tagged_drop:
			default:
				return XDP_DROP;
			}
		}
		/* vlan.p4:107 */
		hd_ethernet_type = p4xdp_take16(data + 16);
		hd_ethernet_changed = 1;
	}
	/* vlan.p4:110: Switch.untagged.apply() */
	untagged_entry = untagged_find(p4xdp_bytes32(input_input_port, 0));
	if (!untagged_entry)
		untagged_entry = p4xdp_in_force8(&untagged_default);
	switch (untagged_entry->action) {
	case untagged_push:
		/* vlan.p4:49 */
		hd_vlan_valid = 1;
		/* vlan.p4:50 */
		hd_vlan_priority_code = 0;
		/* vlan.p4:51 */
		hd_vlan_drop_eligible = 0;
		/* vlan.p4:52 */
		hd_vlan_vid = (p4xdp_load16(&untagged_entry->u.push.new_vid) & 0xfff);
		hd_vlan_changed1 = 1;
		/* vlan.p4:53 */
		hd_vlan_type = hd_ethernet_type;
		hd_vlan_changed = 1;
		/* vlan.p4:54 */
		hd_ethernet_type = p4xdp_turn16(0x8100);
		hd_ethernet_changed = 1;
		/* vlan.p4:40 */
		output_output_port = p4xdp_load32(&untagged_entry->u.push.port);
		break;
	case untagged_send:
		output_output_port = p4xdp_load32(&untagged_entry->u.send.port);
		break;
	case untagged_drop:
	default:
		return XDP_DROP;
	}
	if (hd_vlan_valid != hd_vlan_parsed)
		goto then;
	if (!(hd_vlan_valid && (hd_vlan_changed || hd_vlan_changed1)))
		goto then_2;
then_3:
	if (data + 18 > data_end)
		return XDP_ABORTED;
	if (hd_vlan_changed || hd_vlan_changed1) {
		if (hd_vlan_changed)
			p4xdp_put16(data + 16, hd_vlan_type);
		p4xdp_store16(data + 14, (((hd_vlan_priority_code << 1) |
				hd_vlan_drop_eligible) << 12) | hd_vlan_vid);
	}
then_2:
	if (hd_ethernet_changed)
		p4xdp_put16(data + 12, hd_ethernet_type);
	return p4xdp_redirect(ctx, output_output_port);
then:
	hd_ethernet_bytes0 = p4xdp_take64(data);
	hd_ethernet_bytes8 = p4xdp_take32(data + 8);
	/* vlan.p4:118 */
	if (bpf_xdp_adjust_head(ctx, hd_vlan_valid ? -4 : 4))
		return XDP_ABORTED;
	data = p4xdp_data(ctx);
	data_end = p4xdp_data_end(ctx);
	if (data + 14 > data_end)
		return XDP_ABORTED;
	if (hd_vlan_valid) {
		if (data + 18 > data_end)
			return XDP_ABORTED;
		p4xdp_store16(data + 14, (((hd_vlan_priority_code << 1) |
				hd_vlan_drop_eligible) << 12) | hd_vlan_vid);
		p4xdp_put16(data + 16, hd_vlan_type);
	}
	p4xdp_put64(data, hd_ethernet_bytes0);
	p4xdp_put32(data + 8, hd_ethernet_bytes8);
	p4xdp_put16(data + 12, hd_ethernet_type);
	return p4xdp_redirect(ctx, output_output_port);
}

char _license[] SEC("license") = "Dual BSD/GPL";
