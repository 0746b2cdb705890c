/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from link_monitor.p4. */
#include <p4xdp.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} bytes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int link_monitor(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u32 standard_packet_length, hdr_links_0_bytes = 0, port, cell, hdr_ethernet_bytes8,
		_growth = 0;
	__u8 hdr_probe_valid = 0, hdr_links_0_valid = 0, hdr_links_1_valid = 0,
		hdr_links_2_valid = 0, hdr_probe_reports;
	__u16 hdr_links_0_port = 0, standard_egress_spec, hdr_ethernet_bytes12;
	__u64 hdr_links_1_all = 0, hdr_ethernet_bytes0;
	void *_out;

	standard_packet_length = data_end - data;
	if (data + 14 > data_end)
		return XDP_DROP;
	/* link_monitor.p4:34 */
	if (p4xdp_load16(data + 12) == 0x88b6) {
		if (data + 15 > data_end)
			return XDP_DROP;
		hdr_probe_valid = 1;
		/* link_monitor.p4:41 */
		switch (p4xdp_load8(data + 14)) {
		case 0:
			break;
		case 1:
			if (data + 21 > data_end)
				return XDP_DROP;
			hdr_links_0_valid = 1;
			hdr_links_0_port = p4xdp_load16(data + 15);
			hdr_links_0_bytes = p4xdp_load32(data + 17);
			break;
		case 2:
			if (data + 27 > data_end)
				return XDP_DROP;
			hdr_links_0_valid = 1;
			hdr_links_0_port = p4xdp_load16(data + 15);
			hdr_links_0_bytes = p4xdp_load32(data + 17);
			hdr_links_1_valid = 1;
			hdr_links_1_all = p4xdp_take48(data + 21);
			break;
		case 3:
			if (data + 33 > data_end)
				return XDP_DROP;
			hdr_links_0_valid = 1;
			hdr_links_0_port = p4xdp_load16(data + 15);
			hdr_links_0_bytes = p4xdp_load32(data + 17);
			hdr_links_1_valid = 1;
			hdr_links_1_all = p4xdp_take48(data + 21);
			hdr_links_2_valid = 1;
			break;
		default:
			return XDP_DROP;
		}
	}
	/* link_monitor.p4:68 */
	standard_egress_spec = 2;
	/* link_monitor.p4:71 */
	if (p4xdp_load8(data + 5) == 3) {
		/* link_monitor.p4:72 */
		standard_egress_spec = 3;
	}
	/* link_monitor.p4:80 */
	port = standard_egress_spec;
	/* link_monitor.p4:82 */
	cell = p4xdp_read32(&bytes, port, 0);
	/* link_monitor.p4:83 */
	if (!hdr_probe_valid) {
		/* link_monitor.p4:84 */
		p4xdp_write32(&bytes, port, 0, cell + standard_packet_length);
	} else {
		if (data + 15 > data_end)
			return XDP_ABORTED;
		/* link_monitor.p4:85 */
		if (p4xdp_load8(data + 14) < 3) {
			/* link_monitor.p4:86 */
			p4xdp_write32(&bytes, port, 0, 0);
			/* link_monitor.p4:91 */
			hdr_probe_reports = p4xdp_load8(data + 14) + 1;
			if (hdr_links_0_valid && hdr_links_1_valid && hdr_links_2_valid) {
				if (data + 33 > data_end)
					return XDP_ABORTED;
				p4xdp_store48(data + 27, p4xdp_load48(data + 21));
				p4xdp_store48(data + 21, ((__u64)hdr_links_0_port << 32) |
						hdr_links_0_bytes);
				p4xdp_store16(data + 15, standard_egress_spec);
				p4xdp_store32(data + 17, cell);
				p4xdp_store8(data + 14, hdr_probe_reports);
			} else {
				hdr_ethernet_bytes0 = p4xdp_take64(data);
				hdr_ethernet_bytes8 = p4xdp_take32(data + 8);
				hdr_ethernet_bytes12 = p4xdp_take16(data + 12);
				if (!hdr_links_0_valid)
					_growth = 6;
				if (hdr_links_0_valid != hdr_links_1_valid)
					_growth = _growth + (hdr_links_0_valid ? 6 : 0xfffffffa);
				if (hdr_links_1_valid != hdr_links_2_valid)
					_growth = _growth + (hdr_links_1_valid ? 6 : 0xfffffffa);
				if (_growth != 0) {
					/* link_monitor.p4:100 */
					if (bpf_xdp_adjust_head(ctx, -_growth))
						return XDP_ABORTED;
					data = p4xdp_data(ctx);
					data_end = p4xdp_data_end(ctx);
				}
				if (data + 21 > data_end)
					return XDP_ABORTED;
				p4xdp_put64(data, hdr_ethernet_bytes0);
				p4xdp_put32(data + 8, hdr_ethernet_bytes8);
				p4xdp_put16(data + 12, hdr_ethernet_bytes12);
				p4xdp_store8(data + 14, hdr_probe_reports);
				p4xdp_store16(data + 15, standard_egress_spec);
				p4xdp_store32(data + 17, cell);
				_out = data + 21;
				if (hdr_links_0_valid) {
					if (data + 27 > data_end)
						return XDP_ABORTED;
					p4xdp_store48(data + 21,
							((__u64)hdr_links_0_port << 32) |
							hdr_links_0_bytes);
					_out = data + 27;
				}
				if (hdr_links_1_valid) {
					if (_out + 6 > data_end)
						return XDP_ABORTED;
					p4xdp_put48(_out, hdr_links_1_all);
				}
			}
		}
	}
	if (standard_egress_spec == 510)
		return XDP_PASS;
	return p4xdp_redirect_map(ctx, &ports, standard_egress_spec);
}

char _license[] SEC("license") = "Dual BSD/GPL";
