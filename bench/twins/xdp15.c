// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* An 8-byte header in front of Ethernet; what is copied is read before the head moves. */
#include "twin.h"

struct cookie {
	__be32 magic;
	__be16 length;
	__be16 port;
};

SEC("xdp")
int xdp15(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	struct cookie *cookie;
	__be16 length;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	if ((void *)(ip + 1) > data_end)
		return XDP_ABORTED;
	length = ip->tot_len;

	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*cookie)))
		return XDP_ABORTED;
	/* The packet has moved: pointers and what was known of its length are void. */
	data_end = (void *)(long)ctx->data_end;
	cookie = (void *)(long)ctx->data;
	if ((void *)(cookie + 1) > data_end)
		return XDP_ABORTED;
	cookie->magic = bpf_htonl(0xfeedface);
	cookie->length = length;
	cookie->port = bpf_htons(ctx->ingress_ifindex);
	return XDP_TX;
}

char _license[] SEC("license") = "GPL";
