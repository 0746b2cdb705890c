// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* Swap the addresses and send the packet back. */
#include "twin.h"

SEC("xdp")
int xdp11(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	__u32 high;
	__u16 low;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;

	/* A copy in registers: six loads and stores, no stack. */
	high = *(twin_u32 *)eth->dst;
	low = eth->dst[2];
	mac_copy(eth->dst, eth->src);
	*(twin_u32 *)eth->src = high;
	eth->src[2] = low;
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
