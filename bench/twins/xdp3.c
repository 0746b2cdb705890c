// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* One lookup of the destination address. The key is 8 bytes: the kernel hashes those faster than 6. */
#include "twin.h"

enum { PASS, DROP };

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u64);
	__type(value, __u32);
} dstmactable SEC(".maps");

SEC("xdp")
int xdp3(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct ip4 *ip = (void *)(eth + 1);
	__u32 *action;
	__u64 key;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;
	if (eth->type == bpf_htons(ETH_P_IP) && (void *)(ip + 1) > data_end)
		return XDP_ABORTED;

	key = mac_key(eth->dst);
	action = bpf_map_lookup_elem(&dstmactable, &key);
	if (action && *action == DROP)
		return XDP_DROP;
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";
