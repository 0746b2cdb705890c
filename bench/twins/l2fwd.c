// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/* A switch that does not learn: one lookup, then out through the device map. */
#include "twin.h"

enum { SEND, TO_HOST, DROP };

struct value {
	__u32 action;
	__be32 port;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, struct value);
} forward SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} tx_ports SEC(".maps");

SEC("xdp")
int l2fwd(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	struct eth *eth = data;
	struct value *value;
	__u64 key;
	__u32 port;

	if ((void *)(eth + 1) > data_end)
		return XDP_ABORTED;

	key = mac_key(eth->dst);
	value = bpf_map_lookup_elem(&forward, &key);
	if (!value || value->action == TO_HOST)
		return XDP_PASS;
	if (value->action == DROP)
		return XDP_DROP;
	port = bpf_ntohl(value->port);
	/* A station behind the port that the frame came from has it already. */
	if (port == ctx->ingress_ifindex)
		return XDP_DROP;
	return bpf_redirect_map(&tx_ports, port, XDP_ABORTED);
}

char _license[] SEC("license") = "GPL";
