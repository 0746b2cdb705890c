/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from heavy_hitter.p4. */
#include <p4xdp.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u32);
} row0 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u32);
} row1 SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

SEC("xdp")
int heavy_hitter(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u32 column0, column1, cell, cell_1;

	if (data + 14 > data_end)
		return p4xdp_redirect_map(ctx, &ports, 2);
	/* flow.p4:29 */
	if (p4xdp_load16(data + 12) == 0x800) {
		if (data + 34 > data_end)
			return p4xdp_redirect_map(ctx, &ports, 2);
		/* flow.p4:36 */
		if ((p4xdp_load8(data + 14) & 0xf) == 5 &&
				(p4xdp_load16(data + 20) & 0x1fff) == 0) {
			switch (p4xdp_load8(data + 23)) {
			case 6:
			case 17:
				if (data + 38 > data_end)
					return p4xdp_redirect_map(ctx, &ports, 2);
				/* heavy_hitter.p4:22 */
				column0 = p4xdp_crc16_end(p4xdp_crc16(p4xdp_crc16(P4XDP_CRC16_START,
						p4xdp_load64(data + 26), 8),
						((__u64)p4xdp_load8(data + 23) << 32) |
						p4xdp_load32(data + 34), 5)) % 0x400;
				/* heavy_hitter.p4:25 */
				column1 = p4xdp_crc32_end(p4xdp_crc32(p4xdp_crc32(P4XDP_CRC32_START,
						p4xdp_load64(data + 26), 8),
						((__u64)p4xdp_load8(data + 23) << 32) |
						p4xdp_load32(data + 34), 5)) % 0x400;
				/* heavy_hitter.p4:28 */
				cell = p4xdp_read32(&row0, column0, 0);
				/* heavy_hitter.p4:29 */
				cell_1 = p4xdp_read32(&row1, column1, 0);
				/* heavy_hitter.p4:30 */
				p4xdp_write32(&row0, column0, 0, p4xdp_sat_add(cell, 1, 32));
				/* heavy_hitter.p4:31 */
				p4xdp_write32(&row1, column1, 0, p4xdp_sat_add(cell_1, 1, 32));
				/* heavy_hitter.p4:32 */
				if (cell >= 3 && cell_1 >= 3)
					return p4xdp_redirect_map(ctx, &ports, 3);
				return p4xdp_redirect_map(ctx, &ports, 2);
			default:
				return p4xdp_redirect_map(ctx, &ports, 2);
			}
		}
	}
	return p4xdp_redirect_map(ctx, &ports, 2);
}

char _license[] SEC("license") = "Dual BSD/GPL";
