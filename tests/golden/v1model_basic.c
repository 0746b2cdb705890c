/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from basic.p4. */
#include <p4xdp.h>

/* table Forward.routes */
enum routes_actions {
	routes_forward = 0,
	routes_drop = 1,
};

struct routes_key {
	__u32 prefixlen; /* in bits */
	__be32 field0; /* hdr.ipv4.dst: bit<32>, lpm */
};

struct routes_value {
	enum routes_actions action;
	union {
		struct {
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
		} forward;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct routes_defaults {
	__u64 current;
	struct routes_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct routes_key);
	__type(value, struct routes_value);
} routes SEC(".maps");

struct routes_defaults routes_default SEC(".data.routes_default") = {
	.current = 8,
	.slots[0].action = routes_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

static __always_inline struct routes_value *routes_find(__u32 field0)
{
	struct routes_key key;

	key.prefixlen = 32;
	p4xdp_store32(&key.field0, field0);
	return bpf_map_lookup_elem(&routes, &key);
}

SEC("xdp")
int basic(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 port, hdr_ipv4_checksum;
	struct routes_value *routes_entry;
	__u64 hdr_ethernet_src;
	__u8 hdr_ipv4_ttl;

	if (data + 34 > data_end)
		return XDP_DROP;
	/* basic.p4:21 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_DROP;
	/* basic.p4:34 */
	if ((p4xdp_load8(data + 14) & 0xf) == 5 &&
			p4xdp_csum_fold(p4xdp_csum_part4(p4xdp_load32(data + 14)) +
			p4xdp_csum_part4(p4xdp_load32(data + 18)) +
			p4xdp_csum_part2(p4xdp_load16(data + 22)) +
			p4xdp_csum_part4(p4xdp_load32(data + 26)) +
			p4xdp_csum_part4(p4xdp_load32(data + 30))) != p4xdp_load16(data + 24))
		return XDP_DROP;
	/* basic.p4:64 */
	if (p4xdp_load8(data + 14) == 69 && p4xdp_load8(data + 22) > 1) {
		/* basic.p4:66: Forward.routes.apply() */
		routes_entry = routes_find(p4xdp_load32(data + 30));
		if (!routes_entry)
			routes_entry = p4xdp_in_force8(&routes_default);
		switch (routes_entry->action) {
		case routes_forward:
			port = p4xdp_load16(&routes_entry->u.forward.port) & 0x1ff;
			/* basic.p4:48 */
			hdr_ethernet_src = p4xdp_take48(data);
			/* basic.p4:50 */
			hdr_ipv4_ttl = p4xdp_load8(data + 22) - 1;
			if (port == 511)
				return XDP_DROP;
			/* basic.p4:79 */
			hdr_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part4(p4xdp_load32(data + 14)) +
					p4xdp_csum_part4(p4xdp_load32(data + 18)) +
					p4xdp_csum_part1(hdr_ipv4_ttl) +
					p4xdp_csum_second(p4xdp_load8(data + 23)) +
					p4xdp_csum_part4(p4xdp_load32(data + 26)) +
					p4xdp_csum_part4(p4xdp_load32(data + 30)));
			p4xdp_store48(data, p4xdp_load48(routes_entry->u.forward.next_hop));
			p4xdp_put48(data + 6, hdr_ethernet_src);
			p4xdp_store8(data + 22, hdr_ipv4_ttl);
			p4xdp_store16(data + 24, hdr_ipv4_checksum);
			if (port == 510)
				return XDP_PASS;
			return p4xdp_redirect_map(ctx, &ports, port);
		case routes_drop:
		default:
			return XDP_DROP;
		}
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
