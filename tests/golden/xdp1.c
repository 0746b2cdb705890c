/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from xdp1.p4. */
#include <p4xdp.h>

SEC("xdp")
int xdp1(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* xdp1.p4:40 */
	if (p4xdp_load16(data + 12) == 0x800) {
		if (data + 34 > data_end)
			return XDP_ABORTED;
		return XDP_PASS;
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
