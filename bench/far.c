// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* The far end of every pair: count and drop. One CPU runs it, so the count needs no atomic. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__u64 arrived SEC(".data.arrived");

SEC("xdp")
int far(struct xdp_md *ctx)
{
	arrived++;
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
