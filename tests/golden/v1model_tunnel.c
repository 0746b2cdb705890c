/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from tunnel.p4. */
#include <p4xdp.h>

/* table Forward.tunnels */
enum tunnels_actions {
	tunnels_leave = 0,
	tunnels_send = 1,
	tunnels_drop = 2,
};

struct tunnels_key {
	__be16 field0; /* hdr.tunnel.id: bit<16>, exact */
	__u8 pad0[6];
};

struct tunnels_value {
	enum tunnels_actions action;
	union {
		struct {
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
		} leave;
		struct {
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
		} send;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct tunnels_defaults {
	__u64 current;
	struct tunnels_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* table Forward.sites */
enum sites_actions {
	sites_enter = 0,
	sites_send = 1,
	sites_drop = 2,
};

struct sites_key {
	__u32 prefixlen; /* in bits */
	__be32 field0; /* hdr.ipv4.dst: bit<32>, lpm */
};

struct sites_value {
	enum sites_actions action;
	union {
		struct {
			__be16 id; /* bit<16> */
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
		} enter;
		struct {
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
		} send;
	} u;
	__u8 pad0[2];
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct sites_defaults {
	__u64 current;
	struct sites_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct tunnels_key);
	__type(value, struct tunnels_value);
} tunnels SEC(".maps");

struct tunnels_defaults tunnels_default SEC(".data.tunnels_default") = {
	.current = 8,
	.slots[0].action = tunnels_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct sites_key);
	__type(value, struct sites_value);
} sites SEC(".maps");

struct sites_defaults sites_default SEC(".data.sites_default") = {
	.current = 8,
	.slots[0].action = sites_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

static __always_inline struct tunnels_value *tunnels_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&tunnels, key);
}

static __always_inline struct sites_value *sites_find(__u32 field0)
{
	struct sites_key key;

	key.prefixlen = 32;
	p4xdp_store32(&key.field0, field0);
	return bpf_map_lookup_elem(&sites, &key);
}

SEC("xdp")
int tunnel(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 hdr_ethernet_type, hdr_tunnel_id = 0, hdr_tunnel_next_type = 0, standard_egress_spec;
	__u8 hdr_tunnel_valid = 0, hdr_tunnel_parsed = 0, hdr_ethernet_changed1 = 0,
		hdr_tunnel_changed = 0;
	struct tunnels_value *tunnels_entry;
	__u64 hdr_ethernet_src, hdr_ethernet_dst;
	struct sites_value *sites_entry;

	if (data + 18 > data_end)
		return XDP_DROP;
	hdr_ethernet_type = p4xdp_take16(data + 12);
	/* tunnel.p4:29 */
	switch (p4xdp_load16(data + 12)) {
	case 0x88b5:
		hdr_tunnel_valid = 1;
		hdr_tunnel_id = p4xdp_take16(data + 14);
		hdr_tunnel_next_type = p4xdp_take16(data + 16);
		hdr_tunnel_parsed = 1;
		/* tunnel.p4:96: Forward.tunnels.apply() */
		tunnels_entry = tunnels_find(p4xdp_copy16(data + 14, 0));
		if (!tunnels_entry)
			tunnels_entry = p4xdp_in_force8(&tunnels_default);
		switch (tunnels_entry->action) {
		case tunnels_leave:
			/* tunnel.p4:79 */
			hdr_ethernet_type = p4xdp_take16(data + 16);
			hdr_ethernet_changed1 = 1;
			/* tunnel.p4:80 */
			hdr_tunnel_valid = 0;
			/* tunnel.p4:54 */
			hdr_ethernet_src = p4xdp_take48(data);
			/* tunnel.p4:55 */
			hdr_ethernet_dst = p4xdp_take48(tunnels_entry->u.leave.next_hop);
			/* tunnel.p4:56 */
			standard_egress_spec = (p4xdp_load16(&tunnels_entry->u.leave.port) & 0x1ff);
			break;
		case tunnels_send:
			/* tunnel.p4:54 */
			hdr_ethernet_src = p4xdp_take48(data);
			/* tunnel.p4:55 */
			hdr_ethernet_dst = p4xdp_take48(tunnels_entry->u.send.next_hop);
			/* tunnel.p4:56 */
			standard_egress_spec = (p4xdp_load16(&tunnels_entry->u.send.port) & 0x1ff);
			break;
		case tunnels_drop:
		default:
			return XDP_DROP;
		}
		break;
	case 0x800:
		if (data + 34 > data_end)
			return XDP_DROP;
		/* tunnel.p4:98: Forward.sites.apply() */
		sites_entry = sites_find(p4xdp_load32(data + 30));
		if (!sites_entry)
			sites_entry = p4xdp_in_force8(&sites_default);
		switch (sites_entry->action) {
		case sites_enter:
			/* tunnel.p4:60 */
			hdr_tunnel_valid = 1;
			/* tunnel.p4:61 */
			hdr_tunnel_id = p4xdp_take16(&sites_entry->u.enter.id);
			/* tunnel.p4:62 */
			hdr_tunnel_next_type = p4xdp_take16(data + 12);
			hdr_tunnel_changed = 1;
			/* tunnel.p4:63 */
			hdr_ethernet_type = p4xdp_turn16(0x88b5);
			hdr_ethernet_changed1 = 1;
			/* tunnel.p4:54 */
			hdr_ethernet_src = p4xdp_take48(data);
			/* tunnel.p4:55 */
			hdr_ethernet_dst = p4xdp_take48(sites_entry->u.enter.next_hop);
			/* tunnel.p4:56 */
			standard_egress_spec = (p4xdp_load16(&sites_entry->u.enter.port) & 0x1ff);
			break;
		case sites_send:
			/* tunnel.p4:54 */
			hdr_ethernet_src = p4xdp_take48(data);
			/* tunnel.p4:55 */
			hdr_ethernet_dst = p4xdp_take48(sites_entry->u.send.next_hop);
			/* tunnel.p4:56 */
			standard_egress_spec = (p4xdp_load16(&sites_entry->u.send.port) & 0x1ff);
			break;
		case sites_drop:
		default:
			return XDP_DROP;
		}
		break;
	default:
		return XDP_DROP;
	}
	if (standard_egress_spec != 511) {
		if (hdr_tunnel_valid == hdr_tunnel_parsed) {
			if (hdr_tunnel_valid && hdr_tunnel_changed) {
				p4xdp_put16(data + 14, hdr_tunnel_id);
				p4xdp_put16(data + 16, hdr_tunnel_next_type);
			}
			if (hdr_ethernet_changed1)
				p4xdp_put16(data + 12, hdr_ethernet_type);
			p4xdp_put48(data, hdr_ethernet_dst);
			p4xdp_put48(data + 6, hdr_ethernet_src);
		} else {
			/* tunnel.p4:112 */
			if (bpf_xdp_adjust_head(ctx, hdr_tunnel_valid ? -4 : 4))
				return XDP_ABORTED;
			data = p4xdp_data(ctx);
			data_end = p4xdp_data_end(ctx);
			if (data + 14 > data_end)
				return XDP_ABORTED;
			if (hdr_tunnel_valid) {
				if (data + 18 > data_end)
					return XDP_ABORTED;
				p4xdp_put16(data + 14, hdr_tunnel_id);
				p4xdp_put16(data + 16, hdr_tunnel_next_type);
			}
			p4xdp_put48(data, hdr_ethernet_dst);
			p4xdp_put48(data + 6, hdr_ethernet_src);
			p4xdp_put16(data + 12, hdr_ethernet_type);
		}
		if (standard_egress_spec == 510)
			return XDP_PASS;
		return p4xdp_redirect_map(ctx, &ports, standard_egress_spec);
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
