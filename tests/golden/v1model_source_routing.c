/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from source_routing.p4. */
#include <p4xdp.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int source_routing(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 hdr_ethernet_type, output_port, hdr_ipv4_checksum = 0;
	__u32 ipv4_offset, verdict, hdr_ethernet_bytes8;
	void *ipv4_offset_pointer, *hdr_ipv4_head;
	__u8 hdr_ipv4_ttl, hdr_ipv4_changed1 = 0;
	__u64 hdr_ethernet_bytes0, offset;

	if (data + 36 > data_end)
		return XDP_DROP;
	hdr_ethernet_type = p4xdp_take16(data + 12);
	/* source_routing.p4:29 */
	if (p4xdp_load16(data + 12) != 0x88b5)
		return XDP_DROP;
	/* source_routing.p4:36 */
	if ((p4xdp_load8(data + 14) >> 7) == 1) {
		ipv4_offset = 16;
		ipv4_offset_pointer = data + 16;
	} else {
		if (data + 38 > data_end)
			return XDP_DROP;
		if ((p4xdp_load8(data + 16) >> 7) == 1) {
			ipv4_offset = 18;
			ipv4_offset_pointer = data + 18;
		} else {
			if (data + 40 > data_end)
				return XDP_DROP;
			if ((p4xdp_load8(data + 18) >> 7) == 1) {
				ipv4_offset = 20;
				ipv4_offset_pointer = data + 20;
			} else {
				if (data + 42 > data_end)
					return XDP_DROP;
				if ((p4xdp_load8(data + 20) >> 7) == 1) {
					ipv4_offset = 22;
					ipv4_offset_pointer = data + 22;
				} else {
					if (data + 44 > data_end)
						return XDP_DROP;
					if ((p4xdp_load8(data + 22) >> 7) == 1) {
						ipv4_offset = 24;
						ipv4_offset_pointer = data + 24;
					} else {
						if (data + 46 > data_end)
							return XDP_DROP;
						if ((p4xdp_load8(data + 24) >> 7) == 1) {
							ipv4_offset = 26;
							ipv4_offset_pointer = data + 26;
						} else {
							if (data + 48 > data_end)
								return XDP_DROP;
							if ((p4xdp_load8(data + 26) >> 7) == 1) {
								ipv4_offset = 28;
								ipv4_offset_pointer = data + 28;
							} else {
								if (data + 50 > data_end)
									return XDP_DROP;
								if ((p4xdp_load8(data + 28) >> 7) != 1)
									return XDP_DROP;
								ipv4_offset = 30;
								ipv4_offset_pointer = data + 30;
							}
						}
					}
				}
			}
		}
	}
	/* source_routing.p4:53 */
	if ((p4xdp_load16(data + 14) & 0x7fff) >= 510 || p4xdp_load8(ipv4_offset_pointer + 8) <= 1)
		return XDP_DROP;
	/* source_routing.p4:58 */
	if ((p4xdp_load8(data + 14) >> 7) == 1) {
		/* source_routing.p4:59 */
		hdr_ethernet_type = p4xdp_turn16(0x800);
	}
	/* source_routing.p4:62 */
	hdr_ipv4_ttl = p4xdp_load8(ipv4_offset_pointer + 8) - 1;
	if ((p4xdp_load16(data + 14) & 0x1ff) != 511) {
		output_port = p4xdp_load16(data + 14) & 0x1ff;
		/* source_routing.p4:73 */
		if ((p4xdp_load8(ipv4_offset_pointer) & 0xf) == 5) {
			hdr_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part4(p4xdp_load32(ipv4_offset_pointer)) +
					p4xdp_csum_part4(p4xdp_load32(ipv4_offset_pointer + 4)) +
					p4xdp_csum_part1(hdr_ipv4_ttl) +
					p4xdp_csum_second(p4xdp_load8(ipv4_offset_pointer + 9)) +
					p4xdp_csum_part4(p4xdp_load32(ipv4_offset_pointer + 12)) +
					p4xdp_csum_part4(p4xdp_load32(ipv4_offset_pointer + 16)));
			hdr_ipv4_changed1 = 1;
		}
		verdict = (p4xdp_load16(data + 14) & 0x1ff) == 510 ? XDP_PASS : XDP_REDIRECT;
		offset = ipv4_offset;
		/* clang drops a mask that it can do without; the verifier cannot */
		p4xdp_opaque(offset);
		hdr_ipv4_head = data + (offset & 16383);
		/* one sum for all uses: to the verifier, each sum is another pointer */
		p4xdp_opaque(hdr_ipv4_head);
		if (hdr_ipv4_head + 20 > data_end)
			return XDP_ABORTED;
		if (hdr_ipv4_changed1)
			p4xdp_store16(hdr_ipv4_head + 10, hdr_ipv4_checksum);
		p4xdp_store8(hdr_ipv4_head + 8, hdr_ipv4_ttl);
		hdr_ethernet_bytes0 = p4xdp_take64(data);
		hdr_ethernet_bytes8 = p4xdp_take32(data + 8);
		/* source_routing.p4:85 */
		if (bpf_xdp_adjust_head(ctx, 2))
			return XDP_ABORTED;
		data = p4xdp_data(ctx);
		data_end = p4xdp_data_end(ctx);
		if (data + 14 > data_end)
			return XDP_ABORTED;
		p4xdp_put64(data, hdr_ethernet_bytes0);
		p4xdp_put32(data + 8, hdr_ethernet_bytes8);
		p4xdp_put16(data + 12, hdr_ethernet_type);
		if (verdict == XDP_REDIRECT)
			return p4xdp_redirect_map(ctx, &ports, output_port);
		return verdict;
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
