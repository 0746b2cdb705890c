/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from flow_counters.p4. */
#include <p4xdp.h>

/* table Count.flows */
enum flows_actions {
	flows_count = 0,
};

struct flows_key {
	__be32 field0; /* src: bit<32>, exact */
	__be32 field1; /* dst: bit<32>, exact */
	__u8 field2; /* protocol: bit<8>, exact */
	__u8 pad0[1];
	__be16 field3; /* src_port: bit<16>, exact */
	__be16 field4; /* dst_port: bit<16>, exact */
	__u8 pad1[2];
};

struct flows_value {
	enum flows_actions action;
	union {
		struct {
			__be32 flow; /* bit<32> */
		} count;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct flows_defaults {
	__u64 current;
	struct flows_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct flows_key);
	__type(value, struct flows_value);
} flows SEC(".maps");

struct flows_defaults flows_default SEC(".data.flows_default") = {
	.current = 8,
	.slots[0].action = flows_count,
	.slots[0].u.count.flow = 0,
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} by_source SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} packets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} bytes SEC(".maps");

static __always_inline struct flows_value *flows_find(__u64 word0, __u64 word1)
{
	__u64 key[2];

	p4xdp_store_halves(&key[0], word0);
	p4xdp_store_halves(&key[1], word1);
	return bpf_map_lookup_elem(&flows, key);
}

SEC("xdp")
int flow_counters(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 src_port = 0, dst_port = 0;
	__u32 flow;
	struct flows_value *flows_entry;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* flow_counters.p4:21 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_PASS;
	if (data + 34 > data_end)
		return XDP_ABORTED;
	/* flow_counters.p4:29 */
	if ((p4xdp_load8(data + 14) & 0xf) == 5 && (p4xdp_load16(data + 20) & 0x1fff) == 0) {
		switch (p4xdp_load8(data + 23)) {
		case 6:
			if (data + 54 > data_end)
				return XDP_ABORTED;
			/* flow_counters.p4:83 */
			src_port = p4xdp_take16(data + 34);
			/* flow_counters.p4:84 */
			dst_port = p4xdp_take16(data + 36);
			break;
		case 17:
			if (data + 42 > data_end)
				return XDP_ABORTED;
			/* flow_counters.p4:86 */
			src_port = p4xdp_take16(data + 34);
			/* flow_counters.p4:87 */
			dst_port = p4xdp_take16(data + 36);
			break;
		}
	}
	/* flow_counters.p4:91 */
	p4xdp_count_sparse(&by_source, p4xdp_load32(data + 26), 1);
	/* flow_counters.p4:92: Count.flows.apply() */
	flows_entry = flows_find(p4xdp_copy64(data + 26, 0), p4xdp_copy8(data + 23, 0) |
			p4xdp_word(src_port, 2, 2) | p4xdp_word(dst_port, 4, 2));
	if (!flows_entry)
		flows_entry = p4xdp_in_force8(&flows_default);
	switch (flows_entry->action) {
	case flows_count:
	default:
		flow = p4xdp_load32(&flows_entry->u.count.flow);
		/* flow_counters.p4:59 */
		p4xdp_count(&packets, flow, 1);
		/* flow_counters.p4:60 */
		p4xdp_count(&bytes, flow, p4xdp_load16(data + 16));
		return XDP_PASS;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
