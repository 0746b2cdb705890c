/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from demo.p4. */
#include <p4xdp.h>

SEC("xdp")
int parse_only(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 hd_ipv4_valid = 0;

	/* demo.p4:20 */
	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* demo.p4:25 */
	if (p4xdp_load16(data + 12) == 0x800) {
		/* demo.p4:20 */
		if (data + 34 > data_end)
			return XDP_ABORTED;
		/* demo.p4:31 */
		hd_ipv4_valid = 1;
	}
	/* demo.p4:40 */
	return hd_ipv4_valid ? XDP_PASS : XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
