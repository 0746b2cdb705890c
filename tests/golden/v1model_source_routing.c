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
	__u16 hdr_ethernet_type, hdr_ipv4_total_len, hdr_ipv4_identification, hdr_ipv4_frag_offset,
		output_port, hdr_ipv4_checksum = 0;
	__u8 hdr_ipv4_version, hdr_ipv4_ihl, hdr_ipv4_diffserv, hdr_ipv4_flags, hdr_ipv4_ttl,
		hdr_ipv4_protocol, hdr_ipv4_changed1 = 0;
	__u32 hdr_ipv4_src, hdr_ipv4_dst, hdr_ipv4_place, verdict, hdr_ethernet_bytes8;
	void *hdr_ipv4_head;
	__u64 hdr_ethernet_bytes0, offset;

	if (data + 36 > data_end)
		return XDP_DROP;
	hdr_ethernet_type = p4xdp_take16(data + 12);
	/* source_routing.p4:29 */
	if (p4xdp_load16(data + 12) != 0x88b5)
		return XDP_DROP;
	/* source_routing.p4:36 */
	if ((p4xdp_load8(data + 14) >> 7) == 1) {
		hdr_ipv4_version = p4xdp_load8(data + 16) >> 4;
		hdr_ipv4_ihl = p4xdp_load8(data + 16) & 0xf;
		hdr_ipv4_diffserv = p4xdp_load8(data + 17);
		hdr_ipv4_total_len = p4xdp_load16(data + 18);
		hdr_ipv4_identification = p4xdp_load16(data + 20);
		hdr_ipv4_flags = p4xdp_load8(data + 22) >> 5;
		hdr_ipv4_frag_offset = p4xdp_load16(data + 22) & 0x1fff;
		hdr_ipv4_ttl = p4xdp_load8(data + 24);
		hdr_ipv4_protocol = p4xdp_load8(data + 25);
		hdr_ipv4_src = p4xdp_load32(data + 28);
		hdr_ipv4_dst = p4xdp_load32(data + 32);
		hdr_ipv4_place = 16;
	} else {
		if (data + 38 > data_end)
			return XDP_DROP;
		if ((p4xdp_load8(data + 16) >> 7) == 1) {
			hdr_ipv4_version = p4xdp_load8(data + 18) >> 4;
			hdr_ipv4_ihl = p4xdp_load8(data + 18) & 0xf;
			hdr_ipv4_diffserv = p4xdp_load8(data + 19);
			hdr_ipv4_total_len = p4xdp_load16(data + 20);
			hdr_ipv4_identification = p4xdp_load16(data + 22);
			hdr_ipv4_flags = p4xdp_load8(data + 24) >> 5;
			hdr_ipv4_frag_offset = p4xdp_load16(data + 24) & 0x1fff;
			hdr_ipv4_ttl = p4xdp_load8(data + 26);
			hdr_ipv4_protocol = p4xdp_load8(data + 27);
			hdr_ipv4_src = p4xdp_load32(data + 30);
			hdr_ipv4_dst = p4xdp_load32(data + 34);
			hdr_ipv4_place = 18;
		} else {
			if (data + 40 > data_end)
				return XDP_DROP;
			if ((p4xdp_load8(data + 18) >> 7) == 1) {
				hdr_ipv4_version = p4xdp_load8(data + 20) >> 4;
				hdr_ipv4_ihl = p4xdp_load8(data + 20) & 0xf;
				hdr_ipv4_diffserv = p4xdp_load8(data + 21);
				hdr_ipv4_total_len = p4xdp_load16(data + 22);
				hdr_ipv4_identification = p4xdp_load16(data + 24);
				hdr_ipv4_flags = p4xdp_load8(data + 26) >> 5;
				hdr_ipv4_frag_offset = p4xdp_load16(data + 26) & 0x1fff;
				hdr_ipv4_ttl = p4xdp_load8(data + 28);
				hdr_ipv4_protocol = p4xdp_load8(data + 29);
				hdr_ipv4_src = p4xdp_load32(data + 32);
				hdr_ipv4_dst = p4xdp_load32(data + 36);
				hdr_ipv4_place = 20;
			} else {
				if (data + 42 > data_end)
					return XDP_DROP;
				if ((p4xdp_load8(data + 20) >> 7) == 1) {
					hdr_ipv4_version = p4xdp_load8(data + 22) >> 4;
					hdr_ipv4_ihl = p4xdp_load8(data + 22) & 0xf;
					hdr_ipv4_diffserv = p4xdp_load8(data + 23);
					hdr_ipv4_total_len = p4xdp_load16(data + 24);
					hdr_ipv4_identification = p4xdp_load16(data + 26);
					hdr_ipv4_flags = p4xdp_load8(data + 28) >> 5;
					hdr_ipv4_frag_offset = p4xdp_load16(data + 28) & 0x1fff;
					hdr_ipv4_ttl = p4xdp_load8(data + 30);
					hdr_ipv4_protocol = p4xdp_load8(data + 31);
					hdr_ipv4_src = p4xdp_load32(data + 34);
					hdr_ipv4_dst = p4xdp_load32(data + 38);
					hdr_ipv4_place = 22;
				} else {
					if (data + 44 > data_end)
						return XDP_DROP;
					if ((p4xdp_load8(data + 22) >> 7) == 1) {
						hdr_ipv4_version = p4xdp_load8(data + 24) >> 4;
						hdr_ipv4_ihl = p4xdp_load8(data + 24) & 0xf;
						hdr_ipv4_diffserv = p4xdp_load8(data + 25);
						hdr_ipv4_total_len = p4xdp_load16(data + 26);
						hdr_ipv4_identification = p4xdp_load16(data + 28);
						hdr_ipv4_flags = p4xdp_load8(data + 30) >> 5;
						hdr_ipv4_frag_offset = p4xdp_load16(data + 30) & 0x1fff;
						hdr_ipv4_ttl = p4xdp_load8(data + 32);
						hdr_ipv4_protocol = p4xdp_load8(data + 33);
						hdr_ipv4_src = p4xdp_load32(data + 36);
						hdr_ipv4_dst = p4xdp_load32(data + 40);
						hdr_ipv4_place = 24;
					} else {
						if (data + 46 > data_end)
							return XDP_DROP;
						if ((p4xdp_load8(data + 24) >> 7) == 1) {
							hdr_ipv4_version = p4xdp_load8(data + 26) >> 4;
							hdr_ipv4_ihl = p4xdp_load8(data + 26) & 0xf;
							hdr_ipv4_diffserv = p4xdp_load8(data + 27);
							hdr_ipv4_total_len = p4xdp_load16(data + 28);
							hdr_ipv4_identification = p4xdp_load16(data + 30);
							hdr_ipv4_flags = p4xdp_load8(data + 32) >> 5;
							hdr_ipv4_frag_offset = p4xdp_load16(data + 32) & 0x1fff;
							hdr_ipv4_ttl = p4xdp_load8(data + 34);
							hdr_ipv4_protocol = p4xdp_load8(data + 35);
							hdr_ipv4_src = p4xdp_load32(data + 38);
							hdr_ipv4_dst = p4xdp_load32(data + 42);
							hdr_ipv4_place = 26;
						} else {
							if (data + 48 > data_end)
								return XDP_DROP;
							if ((p4xdp_load8(data + 26) >> 7) == 1) {
								hdr_ipv4_version = p4xdp_load8(data + 28) >> 4;
								hdr_ipv4_ihl = p4xdp_load8(data + 28) & 0xf;
								hdr_ipv4_diffserv = p4xdp_load8(data + 29);
								hdr_ipv4_total_len = p4xdp_load16(data + 30);
								hdr_ipv4_identification = p4xdp_load16(data + 32);
								hdr_ipv4_flags = p4xdp_load8(data + 34) >> 5;
								hdr_ipv4_frag_offset = p4xdp_load16(data + 34) & 0x1fff;
								hdr_ipv4_ttl = p4xdp_load8(data + 36);
								hdr_ipv4_protocol = p4xdp_load8(data + 37);
								hdr_ipv4_src = p4xdp_load32(data + 40);
								hdr_ipv4_dst = p4xdp_load32(data + 44);
								hdr_ipv4_place = 28;
							} else {
								if (data + 50 > data_end)
									return XDP_DROP;
								if ((p4xdp_load8(data + 28) >> 7) != 1)
									return XDP_DROP;
								hdr_ipv4_version = p4xdp_load8(data + 30) >> 4;
								hdr_ipv4_ihl = p4xdp_load8(data + 30) & 0xf;
								hdr_ipv4_diffserv = p4xdp_load8(data + 31);
								hdr_ipv4_total_len = p4xdp_load16(data + 32);
								hdr_ipv4_identification = p4xdp_load16(data + 34);
								hdr_ipv4_flags = p4xdp_load8(data + 36) >> 5;
								hdr_ipv4_frag_offset = p4xdp_load16(data + 36) & 0x1fff;
								hdr_ipv4_ttl = p4xdp_load8(data + 38);
								hdr_ipv4_protocol = p4xdp_load8(data + 39);
								hdr_ipv4_src = p4xdp_load32(data + 42);
								hdr_ipv4_dst = p4xdp_load32(data + 46);
								hdr_ipv4_place = 30;
							}
						}
					}
				}
			}
		}
	}
	/* source_routing.p4:53 */
	if ((p4xdp_load16(data + 14) & 0x7fff) >= 510 || hdr_ipv4_ttl <= 1)
		return XDP_DROP;
	/* source_routing.p4:58 */
	if ((p4xdp_load8(data + 14) >> 7) == 1) {
		/* source_routing.p4:59 */
		hdr_ethernet_type = p4xdp_turn16(0x800);
	}
	/* source_routing.p4:62 */
	hdr_ipv4_ttl = hdr_ipv4_ttl - 1;
	if ((p4xdp_load16(data + 14) & 0x1ff) != 511) {
		output_port = p4xdp_load16(data + 14) & 0x1ff;
		/* source_routing.p4:73 */
		if (hdr_ipv4_ihl == 5) {
			hdr_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part1((hdr_ipv4_version << 4) |
					5) + p4xdp_csum_second(hdr_ipv4_diffserv) +
					p4xdp_csum_part2(hdr_ipv4_total_len) +
					p4xdp_csum_part2(hdr_ipv4_identification) +
					p4xdp_csum_part2((__u16)(((__u32)((hdr_ipv4_identification << 3) |
					hdr_ipv4_flags) << 13) | hdr_ipv4_frag_offset)) +
					p4xdp_csum_part1(hdr_ipv4_ttl) +
					p4xdp_csum_second(hdr_ipv4_protocol) +
					p4xdp_csum_part4(hdr_ipv4_src) +
					p4xdp_csum_part4(hdr_ipv4_dst));
			hdr_ipv4_changed1 = 1;
		}
		verdict = (p4xdp_load16(data + 14) & 0x1ff) == 510 ? XDP_PASS : XDP_REDIRECT;
		offset = hdr_ipv4_place;
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
