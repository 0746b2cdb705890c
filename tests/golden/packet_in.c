/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from packet_in.p4. */
#include <p4xdp.h>

/* table Punt.protocols */
enum protocols_actions {
	protocols_pass = 0,
	protocols_copy = 1,
	protocols_divert = 2,
};

struct protocols_key {
	__be16 field0; /* type: bit<16>, exact */
	__u8 pad0[6];
};

struct protocols_value {
	enum protocols_actions action;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct protocols_key);
	__type(value, struct protocols_value);
} protocols SEC(".maps");

struct protocols_value protocols_default SEC(".data.protocols_default") = {
	.action = protocols_pass,
};

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} packets SEC(".maps");

static __always_inline struct protocols_value *protocols_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&protocols, key);
}

SEC("xdp")
int packet_in(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct protocols_value *protocols_entry;
	struct p4xdp_event event;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* packet_in.p4:53: Punt.protocols.apply() */
	protocols_entry = protocols_find(p4xdp_copy16(data + 12, 0));
	if (!protocols_entry)
		protocols_entry = p4xdp_in_force(&protocols_default);
	switch (protocols_entry->action) {
	case protocols_pass:
	default:
		return XDP_PASS;
	case protocols_copy:
		/* packet_in.p4:29 */
		event.input_port = p4xdp_input_port(ctx);
		event.length = data_end - data;
		bpf_perf_event_output(ctx, &packets,
				(__u64)event.length << 32 | BPF_F_CURRENT_CPU, &event,
				sizeof(event));
		return XDP_PASS;
	case protocols_divert:
		/* packet_in.p4:34 */
		event.input_port = p4xdp_input_port(ctx);
		event.length = data_end - data;
		bpf_perf_event_output(ctx, &packets,
				(__u64)event.length << 32 | BPF_F_CURRENT_CPU, &event,
				sizeof(event));
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
