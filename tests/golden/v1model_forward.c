/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from v1_forward.p4. */
#include <p4xdp.h>

/* table Route.routes */
enum routes_actions {
	routes_forward = 0,
	routes_drop = 1,
};

struct routes_key {
	__u32 prefixlen; /* in bits */
	__be32 field0; /* hd.ipv4.dst: bit<32>, lpm */
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

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct routes_key);
	__type(value, struct routes_value);
} routes SEC(".maps");

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
int v1_forward(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 port, hd_ipv4_checksum;
	struct routes_value *routes_entry;
	__u64 hd_eth_src;
	__u8 hd_ipv4_ttl;

	if (data + 34 > data_end)
		return XDP_DROP;
	/* v1_forward.p4:37 */
	if (p4xdp_load16(data + 12) == 0x800) {
		/* v1_forward.p4:79: Route.routes.apply() */
		routes_entry = routes_find(p4xdp_load32(data + 30));
		if (!routes_entry)
			return XDP_DROP;
		switch (routes_entry->action) {
		case routes_forward:
			port = p4xdp_load16(&routes_entry->u.forward.port) & 0x1ff;
			/* v1_forward.p4:60 */
			hd_eth_src = p4xdp_take48(data);
			/* v1_forward.p4:62 */
			hd_ipv4_ttl = p4xdp_load8(data + 22) - 1;
			if (port == 511)
				return XDP_DROP;
			/* v1_forward.p4:92 */
			hd_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part4(p4xdp_load32(data + 14)) +
					p4xdp_csum_part4(p4xdp_load32(data + 18)) +
					p4xdp_csum_part1(hd_ipv4_ttl) +
					p4xdp_csum_second(p4xdp_load8(data + 23)) +
					p4xdp_csum_part4(p4xdp_load32(data + 26)) +
					p4xdp_csum_part4(p4xdp_load32(data + 30)));
			p4xdp_store48(data, p4xdp_load48(routes_entry->u.forward.next_hop));
			p4xdp_put48(data + 6, hd_eth_src);
			p4xdp_store8(data + 22, hd_ipv4_ttl);
			p4xdp_store16(data + 24, hd_ipv4_checksum);
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
