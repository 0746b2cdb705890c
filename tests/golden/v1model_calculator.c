/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from calculator.p4. */
#include <p4xdp.h>

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u32);
} interfaces SEC(".maps");

SEC("xdp")
int calculator(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u32 hdr_calculation_result = 0, hdr_ipv4_dst, hdr_ipv4_src;
	__u8 hdr_calculation_changed1 = 0, hdr_calculation_status;
	__u64 hdr_ethernet_dst, hdr_ethernet_src;
	__u16 hdr_udp_dst_port, standard_ingress_port;

	standard_ingress_port = p4xdp_input_port_in(ctx, &interfaces);
	if (data + 56 > data_end)
		return XDP_DROP;
	/* calculator.p4:48 */
	if (p4xdp_load16(data + 12) == 0x800) {
		/* calculator.p4:55 */
		if ((p4xdp_load8(data + 14) & 0xf) == 5 &&
				(p4xdp_load32(data + 20) & 0x3fff00ff) == 17) {
			/* calculator.p4:63 */
			if (p4xdp_load16(data + 36) == 0x1388) {
				/* calculator.p4:141 */
				if (p4xdp_load8(data + 42) == 0) {
					/* calculator.p4:142 */
					switch (p4xdp_load8(data + 43)) {
					case 43:
						/* calculator.p4:80 */
						hdr_calculation_result = p4xdp_load32(data + 44) +
								p4xdp_load32(data + 48);
						hdr_calculation_changed1 = 1;
						/* calculator.p4:81 */
						hdr_calculation_status = 1;
						break;
					case 45:
						/* calculator.p4:80 */
						hdr_calculation_result = p4xdp_load32(data + 44) - p4xdp_load32(data + 48);
						hdr_calculation_changed1 = 1;
						/* calculator.p4:81 */
						hdr_calculation_status = 1;
						break;
					case 42:
						/* calculator.p4:80 */
						hdr_calculation_result = p4xdp_load32(data + 44) * p4xdp_load32(data + 48);
						hdr_calculation_changed1 = 1;
						/* calculator.p4:81 */
						hdr_calculation_status = 1;
						break;
					case 38:
						/* calculator.p4:80 */
						hdr_calculation_result = p4xdp_load32(data + 44) & p4xdp_load32(data + 48);
						hdr_calculation_changed1 = 1;
						/* calculator.p4:81 */
						hdr_calculation_status = 1;
						break;
					case 124:
						/* calculator.p4:80 */
						hdr_calculation_result = p4xdp_load32(data + 44) |
								p4xdp_load32(data + 48);
						hdr_calculation_changed1 = 1;
						/* calculator.p4:81 */
						hdr_calculation_status = 1;
						break;
					case 94:
						/* calculator.p4:80 */
						hdr_calculation_result = p4xdp_load32(data + 44) ^ p4xdp_load32(data + 48);
						hdr_calculation_changed1 = 1;
						/* calculator.p4:81 */
						hdr_calculation_status = 1;
						break;
					default:
						/* calculator.p4:102 */
						hdr_calculation_status = 2;
						break;
					}
					/* calculator.p4:130 */
					hdr_ethernet_dst = p4xdp_take48(data + 6);
					/* calculator.p4:131 */
					hdr_ethernet_src = p4xdp_take48(data);
					/* calculator.p4:133 */
					hdr_ipv4_dst = p4xdp_take32(data + 26);
					/* calculator.p4:134 */
					hdr_ipv4_src = p4xdp_take32(data + 30);
					/* calculator.p4:135 */
					hdr_udp_dst_port = p4xdp_take16(data + 34);
					if (standard_ingress_port == 511)
						return XDP_DROP;
					if (hdr_calculation_changed1)
						p4xdp_store32(data + 52, hdr_calculation_result);
					p4xdp_put48(data, hdr_ethernet_dst);
					p4xdp_put48(data + 6, hdr_ethernet_src);
					p4xdp_put32(data + 26, hdr_ipv4_src);
					p4xdp_put32(data + 30, hdr_ipv4_dst);
					p4xdp_store16(data + 34, 0x1388);
					p4xdp_put16(data + 36, hdr_udp_dst_port);
					p4xdp_store16(data + 40, 0);
					p4xdp_store8(data + 42, hdr_calculation_status);
					return standard_ingress_port == 510 ? XDP_PASS : XDP_TX;
				}
			}
		}
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
