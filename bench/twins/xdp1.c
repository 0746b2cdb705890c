// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* IPv4 packets pass, all others are dropped; nothing is stored, so there is nothing but checks. */
#include "twin.h"

SEC("xdp")
int xdp1(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	/* The constant is swapped, not the packet. */
	if (eth->type != bpf_htons(ETH_P_IP))
		return XDP_DROP;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
