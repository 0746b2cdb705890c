// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* Drop everything: the verdict is all there is. */
#include "twin.h"

SEC("xdp")
int drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
