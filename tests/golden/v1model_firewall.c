/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from firewall.p4. */
#include <p4xdp.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u8);
} first_ SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u8);
} second SEC(".maps");

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
int firewall(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 standard_ingress_port;
	__u8 cell, cell_1;

	standard_ingress_port = p4xdp_input_port_in(ctx, &interfaces);
	if (data + 38 > data_end)
		return XDP_DROP;
	/* flow.p4:29 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_DROP;
	/* flow.p4:36 */
	if (!((p4xdp_load8(data + 14) & 0xf) == 5 && (p4xdp_load16(data + 20) & 0x1fff) == 0))
		return XDP_DROP;
	switch (p4xdp_load8(data + 23)) {
	case 6:
	case 17:
		/* firewall.p4:30 */
		if (standard_ingress_port == 1) {
			/* firewall.p4:32 */
			p4xdp_write8(&first_,
					p4xdp_crc16_end(p4xdp_crc16(p4xdp_crc16(P4XDP_CRC16_START,
					p4xdp_load64(data + 26), 8),
					((__u64)p4xdp_load8(data + 23) << 32) |
					p4xdp_load32(data + 34), 5)) % 0x1000, 0, 1);
			/* firewall.p4:33 */
			p4xdp_write8(&second,
					p4xdp_crc32_end(p4xdp_crc32(p4xdp_crc32(P4XDP_CRC32_START,
					p4xdp_load64(data + 26), 8),
					((__u64)p4xdp_load8(data + 23) << 32) |
					p4xdp_load32(data + 34), 5)) % 0x1000, 0, 1);
			return p4xdp_redirect_map(ctx, &ports, 2);
		}
		/* firewall.p4:37 */
		cell = p4xdp_read8(&first_,
				p4xdp_crc16_end(p4xdp_crc16(p4xdp_crc16(P4XDP_CRC16_START,
				((__u64)p4xdp_load32(data + 30) << 32) | p4xdp_load32(data + 26),
				8), ((__u64)((p4xdp_load8(data + 23) << 16) |
				p4xdp_load16(data + 36)) << 16) | p4xdp_load16(data + 34),
				5)) % 0x1000, 0);
		/* firewall.p4:38 */
		cell_1 = p4xdp_read8(&second,
				p4xdp_crc32_end(p4xdp_crc32(p4xdp_crc32(P4XDP_CRC32_START,
				((__u64)p4xdp_load32(data + 30) << 32) | p4xdp_load32(data + 26),
				8), ((__u64)((p4xdp_load8(data + 23) << 16) |
				p4xdp_load16(data + 36)) << 16) | p4xdp_load16(data + 34),
				5)) % 0x1000, 0);
		/* firewall.p4:40 */
		if ((cell & cell_1) == 0)
			return XDP_DROP;
		if (standard_ingress_port == 1)
			return XDP_TX;
		return p4xdp_redirect_map(ctx, &ports, 1);
	default:
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
