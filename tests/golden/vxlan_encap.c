/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from vxlan_encap.p4. */
#include <p4xdp.h>

/* table Encap.tunnels */
enum tunnels_actions {
	tunnels_encap = 0,
	tunnels_to_host = 1,
	tunnels_drop = 2,
};

struct tunnels_key {
	__be32 field0; /* port: bit<32>, exact */
	__u8 field1[6]; /* dst: bit<48>, exact */
	__u8 pad0[6];
};

struct tunnels_value {
	enum tunnels_actions action;
	union {
		struct {
			__u8 vni[3]; /* bit<24> */
			__u8 pad0[1];
			__be32 local_ip; /* bit<32> */
			__be32 remote_ip; /* bit<32> */
			__u8 own[6]; /* bit<48> */
			__u8 next_hop[6]; /* bit<48> */
			__be32 port; /* bit<32> */
		} encap;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct tunnels_defaults {
	__u64 current;
	struct tunnels_value slots[2];
	__u8 room[216]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct tunnels_key);
	__type(value, struct tunnels_value);
} tunnels SEC(".maps");

struct tunnels_defaults tunnels_default SEC(".data.tunnels_default") = {
	.current = 8,
	.slots[0].action = tunnels_to_host,
};

static __always_inline struct tunnels_value *tunnels_find(__u64 word0, __u64 word1)
{
	__u64 key[2];

	p4xdp_store_halves(&key[0], word0);
	key[1] = word1;
	return bpf_map_lookup_elem(&tunnels, key);
}

SEC("xdp")
int vxlan_encap(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u32 length, input_input_port;
	struct tunnels_value *tunnels_entry;
	__u16 hd_udp_src_port;

	input_input_port = p4xdp_input_port(ctx);
	/* vxlan_encap.p4:27 */
	length = data_end - data;
	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* vxlan_encap.p4:94 */
	if ((__u16)length > 0x5b8)
		return XDP_DROP;
	/* vxlan_encap.p4:97: Encap.tunnels.apply() */
	tunnels_entry = tunnels_find(p4xdp_bytes32(input_input_port, 0) | p4xdp_copy32(data, 4),
			p4xdp_copy16(data + 4, 0));
	if (!tunnels_entry)
		tunnels_entry = p4xdp_in_force8(&tunnels_default);
	switch (tunnels_entry->action) {
	case tunnels_encap:
		/* vxlan_encap.p4:68 */
		hd_udp_src_port = (p4xdp_take16(data + 10) ^ p4xdp_take16(data + 4)) |
				p4xdp_turn16(0xc000);
		/* vxlan_encap.p4:104 */
		if (bpf_xdp_adjust_head(ctx, -50))
			return XDP_ABORTED;
		data = p4xdp_data(ctx);
		data_end = p4xdp_data_end(ctx);
		if (data + 50 > data_end)
			return XDP_ABORTED;
		p4xdp_store48(data, p4xdp_load48(tunnels_entry->u.encap.next_hop));
		p4xdp_store48(data + 6, p4xdp_load48(tunnels_entry->u.encap.own));
		p4xdp_store32(data + 12, 0x8004500);
		p4xdp_store16(data + 16, length + 36);
		p4xdp_store32(data + 18, 0x4000);
		p4xdp_store16(data + 22, 0x4011);
		p4xdp_store16(data + 24, p4xdp_ipv4_checksum(4, 5, 0, (__u16)(length + 36), 0, 2,
				0, 64, 17, p4xdp_load32(&tunnels_entry->u.encap.local_ip),
				p4xdp_load32(&tunnels_entry->u.encap.remote_ip)));
		p4xdp_store32(data + 26, p4xdp_load32(&tunnels_entry->u.encap.local_ip));
		p4xdp_store32(data + 30, p4xdp_load32(&tunnels_entry->u.encap.remote_ip));
		p4xdp_put16(data + 34, hd_udp_src_port);
		p4xdp_store16(data + 36, 0x12b5);
		p4xdp_store16(data + 38, length + 16);
		p4xdp_store16(data + 40, 0);
		p4xdp_store32(data + 42, 0x8000000);
		p4xdp_store32(data + 46, p4xdp_load24(tunnels_entry->u.encap.vni) << 8);
		return p4xdp_redirect(ctx, p4xdp_load32(&tunnels_entry->u.encap.port));
	case tunnels_to_host:
	default:
		return XDP_PASS;
	case tunnels_drop:
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
