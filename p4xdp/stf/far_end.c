/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What the far end of a veth pair runs in a test. A veth takes frames that were redirected or
 * transmitted to it only when its peer has an XDP program. This one puts an Ethernet header of
 * its own in front, so that the stack hands the frame on as it came: it would take a VLAN tag
 * out, and throw a short frame with a tag away.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_endian.h>

char _license[] SEC("license") = "GPL";

SEC("xdp")
int wrap(struct xdp_md *ctx)
{
	struct ethhdr *front;

	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*front)))
		return XDP_ABORTED;
	front = (void *)(long)ctx->data;
	if ((void *)(front + 1) > (void *)(long)ctx->data_end)
		return XDP_ABORTED;
	__builtin_memset(front, 0, sizeof(*front));
	front->h_proto = bpf_htons(ETH_P_802_EX1);
	return XDP_PASS;
}
