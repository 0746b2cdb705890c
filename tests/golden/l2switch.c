/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from l2switch.p4. */
#include <p4xdp.h>

/* table Switch.forward */
enum forward_actions {
	forward_send = 0,
	forward_to_host = 1,
	forward_drop = 2,
};

struct forward_key {
	__u8 field0[6]; /* dst: bit<48>, exact */
	__u8 pad0[2];
};

struct forward_value {
	enum forward_actions action;
	union {
		struct {
			__be32 port; /* bit<32> */
		} send;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct forward_defaults {
	__u64 current;
	struct forward_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct forward_key);
	__type(value, struct forward_value);
} forward SEC(".maps");

struct forward_defaults forward_default SEC(".data.forward_default") = {
	.current = 8,
	.slots[0].action = forward_to_host,
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} tx_ports SEC(".maps");

static __always_inline struct forward_value *forward_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&forward, key);
}

SEC("xdp")
int l2switch(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u32 port, input_input_port;
	struct forward_value *forward_entry;

	input_input_port = p4xdp_input_port(ctx);
	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* l2switch.p4:56: Switch.forward.apply() */
	forward_entry = forward_find(p4xdp_head48(data, 0));
	if (!forward_entry)
		forward_entry = p4xdp_in_force8(&forward_default);
	switch (forward_entry->action) {
	case forward_send:
		port = p4xdp_load32(&forward_entry->u.send.port);
		/* l2switch.p4:58 */
		if (port == input_input_port)
			return XDP_DROP;
		return p4xdp_redirect_map(ctx, &tx_ports, port);
	case forward_to_host:
	default:
		return XDP_PASS;
	case forward_drop:
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
