/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from mpls.p4. */
#include <p4xdp.h>

/* table Switch.labels */
enum labels_actions {
	labels_swap = 0,
	labels_pop = 1,
	labels_pop_last = 2,
	labels_drop = 3,
};

struct labels_key {
	__be32 field0; /* label: bit<20>, exact */
	__u8 field1; /* bottom: bit<1>, exact */
	__u8 pad0[3];
};

struct labels_value {
	enum labels_actions action;
	union {
		struct {
			__be32 label; /* bit<20> */
			__u8 next_hop[6]; /* bit<48> */
			__u8 own[6]; /* bit<48> */
			__be32 port; /* bit<32> */
		} swap;
		struct {
			__u8 next_hop[6]; /* bit<48> */
			__u8 own[6]; /* bit<48> */
			__be32 port; /* bit<32> */
		} pop;
		struct {
			__be16 type; /* bit<16> */
			__u8 next_hop[6]; /* bit<48> */
			__u8 own[6]; /* bit<48> */
			__u8 pad0[2];
			__be32 port; /* bit<32> */
		} pop_last;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct labels_defaults {
	__u64 current;
	struct labels_value slots[2];
	__u8 room[224]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct labels_key);
	__type(value, struct labels_value);
} labels SEC(".maps");

struct labels_defaults labels_default SEC(".data.labels_default") = {
	.current = 8,
	.slots[0].action = labels_drop,
};

static __always_inline struct labels_value *labels_find(__u64 word0)
{
	__u64 key[1];

	p4xdp_store_halves(&key[0], word0);
	return bpf_map_lookup_elem(&labels, key);
}

SEC("xdp")
int mpls(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 hd_ethernet_type;
	__u8 hd_mpls_1_valid = 0, hd_mpls_0_ttl;
	struct labels_value *labels_entry;
	__u64 hd_ethernet_dst, hd_ethernet_src;
	__u32 output_output_port;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	hd_ethernet_type = p4xdp_take16(data + 12);
	/* mpls.p4:23 */
	if (p4xdp_load16(data + 12) != 0x8847)
		return XDP_PASS;
	if (data + 18 > data_end)
		return XDP_ABORTED;
	/* mpls.p4:32 */
	if ((p4xdp_load8(data + 16) & 0x1) == 0) {
		if (data + 22 > data_end)
			return XDP_ABORTED;
		hd_mpls_1_valid = 1;
		if ((p4xdp_load8(data + 20) & 0x1) == 0) {
			if (data + 26 > data_end)
				return XDP_ABORTED;
			if ((p4xdp_load8(data + 24) & 0x1) == 0) {
				if (data + 30 > data_end)
					return XDP_ABORTED;
				if ((p4xdp_load8(data + 28) & 0x1) == 0)
					return XDP_ABORTED;
			}
		}
	}
	/* mpls.p4:96 */
	if (p4xdp_load8(data + 17) <= 1)
		return XDP_DROP;
	/* mpls.p4:99: Switch.labels.apply() */
	labels_entry = labels_find(p4xdp_bytes32(p4xdp_load24(data + 14) >> 4, 0) |
			p4xdp_bytes8(p4xdp_load8(data + 16) & 0x1, 4));
	if (!labels_entry)
		labels_entry = p4xdp_in_force8(&labels_default);
	switch (labels_entry->action) {
	case labels_swap:
		/* mpls.p4:59 */
		hd_mpls_0_ttl = p4xdp_load8(data + 17) - 1;
		p4xdp_store48(data, p4xdp_load48(labels_entry->u.swap.next_hop));
		p4xdp_store48(data + 6, p4xdp_load48(labels_entry->u.swap.own));
		p4xdp_store24(data + 14,
				((p4xdp_load32(&labels_entry->u.swap.label) & 0xfffff) << 4) |
				(p4xdp_load8(data + 16) & 0xf));
		p4xdp_store8(data + 17, hd_mpls_0_ttl);
		return p4xdp_redirect(ctx, p4xdp_load32(&labels_entry->u.swap.port));
	case labels_pop:
		/* mpls.p4:51 */
		hd_ethernet_dst = p4xdp_take48(labels_entry->u.pop.next_hop);
		/* mpls.p4:52 */
		hd_ethernet_src = p4xdp_take48(labels_entry->u.pop.own);
		/* mpls.p4:54 */
		output_output_port = p4xdp_load32(&labels_entry->u.pop.port);
		if (hd_mpls_1_valid) {
			if (data + 22 > data_end)
				return XDP_ABORTED;
			p4xdp_store8(data + 21, p4xdp_load8(data + 17) - 1);
		}
		break;
	case labels_pop_last:
		/* mpls.p4:72 */
		hd_ethernet_type = p4xdp_take16(&labels_entry->u.pop_last.type);
		/* mpls.p4:51 */
		hd_ethernet_dst = p4xdp_take48(labels_entry->u.pop_last.next_hop);
		/* mpls.p4:52 */
		hd_ethernet_src = p4xdp_take48(labels_entry->u.pop_last.own);
		/* mpls.p4:54 */
		output_output_port = p4xdp_load32(&labels_entry->u.pop_last.port);
		break;
	case labels_drop:
	default:
		return XDP_DROP;
	}
	/* mpls.p4:107 */
	if (bpf_xdp_adjust_head(ctx, 4))
		return XDP_ABORTED;
	data = p4xdp_data(ctx);
	data_end = p4xdp_data_end(ctx);
	if (data + 14 > data_end)
		return XDP_ABORTED;
	p4xdp_put48(data, hd_ethernet_dst);
	p4xdp_put48(data + 6, hd_ethernet_src);
	p4xdp_put16(data + 12, hd_ethernet_type);
	return p4xdp_redirect(ctx, output_output_port);
}

char _license[] SEC("license") = "Dual BSD/GPL";
