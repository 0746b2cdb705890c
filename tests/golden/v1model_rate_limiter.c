/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from rate_limiter.p4. */
#include <p4xdp.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, struct p4xdp_meter);
} rates SEC(".maps");

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
int rate_limiter(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 hdr_ipv4_valid = 0, hdr_ipv4_diffserv = 0, colour, hdr_ipv4_changed = 0,
		hdr_ipv4_changed1 = 0;
	__u32 colour_1;
	__u16 standard_ingress_port, hdr_ipv4_checksum = 0;

	standard_ingress_port = p4xdp_input_port_in(ctx, &interfaces);
	if (data + 14 > data_end)
		goto accept;
	/* flow.p4:29 */
	if (p4xdp_load16(data + 12) == 0x800) {
		if (data + 34 > data_end)
			goto accept;
		hdr_ipv4_valid = 1;
		hdr_ipv4_diffserv = p4xdp_load8(data + 15);
		/* flow.p4:36 */
		if ((p4xdp_load8(data + 14) & 0xf) == 5 &&
				(p4xdp_load16(data + 20) & 0x1fff) == 0) {
			switch (p4xdp_load8(data + 23)) {
			case 6:
			case 17:
				if (data + 38 > data_end)
					goto accept;
				break;
			}
		}
	}
accept:
	/* rate_limiter.p4:17 */
	colour_1 = p4xdp_meter(&rates, standard_ingress_port, 1);
	colour = colour_1 & 0x3;
	/* rate_limiter.p4:18 */
	if (colour == 2)
		return XDP_DROP;
	/* rate_limiter.p4:20 */
	if (colour == 1 && hdr_ipv4_valid) {
		if (data + 34 > data_end)
			return XDP_ABORTED;
		if ((p4xdp_load8(data + 14) & 0xf) == 5) {
			/* rate_limiter.p4:21 */
			hdr_ipv4_diffserv = p4xdp_load8(data + 15) & 3;
			hdr_ipv4_changed = 1;
		}
	}
	if (hdr_ipv4_valid) {
		if (data + 34 > data_end)
			return XDP_ABORTED;
		/* rate_limiter.p4:28 */
		if ((p4xdp_load8(data + 14) & 0xf) == 5) {
			hdr_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part1(p4xdp_load8(data + 14)) +
					p4xdp_csum_second(hdr_ipv4_diffserv) +
					p4xdp_csum_part4(p4xdp_load32(data + 16)) +
					p4xdp_csum_part4(p4xdp_load32(data + 20)) +
					p4xdp_csum_part4(p4xdp_load32(data + 26)) +
					p4xdp_csum_part4(p4xdp_load32(data + 30)));
			hdr_ipv4_changed1 = 1;
		} else if (!hdr_ipv4_changed) {
			goto end;
		}
		if (hdr_ipv4_changed)
			p4xdp_store8(data + 15, hdr_ipv4_diffserv);
		if (hdr_ipv4_changed1)
			p4xdp_store16(data + 24, hdr_ipv4_checksum);
	}
end:
	if (standard_ingress_port == 2)
		return XDP_TX;
	return p4xdp_redirect_map(ctx, &ports, 2);
}

char _license[] SEC("license") = "Dual BSD/GPL";
