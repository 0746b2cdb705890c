/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from icmp_echo.p4. */
#include <p4xdp.h>

/* table Responder.addresses */
enum addresses_actions {
	addresses_answer = 0,
	addresses_pass = 1,
};

struct addresses_key {
	__be32 field0; /* address: bit<32>, exact */
	__u8 pad0[4];
};

struct addresses_value {
	enum addresses_actions action;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct addresses_key);
	__type(value, struct addresses_value);
} addresses SEC(".maps");

struct addresses_value addresses_default SEC(".data.addresses_default") = {
	.action = addresses_pass,
};

static __always_inline struct addresses_value *addresses_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&addresses, key);
}

SEC("xdp")
int icmp_echo(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct addresses_value *addresses_entry;
	__u64 hd_ethernet_dst, hd_ethernet_src;
	__u32 hd_ipv4_dst, hd_ipv4_src;
	__u16 hd_ipv4_checksum, hd_icmp_checksum;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* icmp_echo.p4:23 */
	if (p4xdp_load16(data + 12) == 0x800) {
		if (data + 34 > data_end)
			return XDP_ABORTED;
		/* icmp_echo.p4:31 */
		if (!(p4xdp_load8(data + 14) == 69 && (p4xdp_load32(data + 20) & 0x3fff00ff) == 1))
			return XDP_PASS;
		if (data + 38 > data_end)
			return XDP_ABORTED;
		/* icmp_echo.p4:86 */
		if (p4xdp_load16(data + 34) == 0x800) {
			/* icmp_echo.p4:87: Responder.addresses.apply() */
			addresses_entry = addresses_find(p4xdp_copy32(data + 30, 0));
			if (!addresses_entry)
				addresses_entry = p4xdp_in_force(&addresses_default);
			switch (addresses_entry->action) {
			case addresses_answer:
				/* icmp_echo.p4:52 */
				hd_ethernet_dst = p4xdp_take48(data + 6);
				/* icmp_echo.p4:53 */
				hd_ethernet_src = p4xdp_take48(data);
				/* icmp_echo.p4:57 */
				hd_ipv4_dst = p4xdp_take32(data + 26);
				/* icmp_echo.p4:58 */
				hd_ipv4_src = p4xdp_take32(data + 30);
				/* icmp_echo.p4:61 */
				hd_ipv4_checksum = p4xdp_csum_replace2(p4xdp_load16(data + 24),
						p4xdp_load8(data + 22) << 8, 0x4000);
				/* icmp_echo.p4:65 */
				hd_icmp_checksum = p4xdp_csum_replace2(p4xdp_load16(data + 36),
						0x800, 0);
				p4xdp_put48(data, hd_ethernet_dst);
				p4xdp_put48(data + 6, hd_ethernet_src);
				p4xdp_store8(data + 22, 64);
				p4xdp_store16(data + 24, hd_ipv4_checksum);
				p4xdp_put32(data + 26, hd_ipv4_src);
				p4xdp_put32(data + 30, hd_ipv4_dst);
				p4xdp_store8(data + 34, 0);
				p4xdp_store16(data + 36, hd_icmp_checksum);
				return XDP_TX;
			case addresses_pass:
			default:
				return XDP_PASS;
			}
		}
	}
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
