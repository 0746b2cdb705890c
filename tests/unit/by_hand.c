/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What the compiler might write for a small switch, by hand: one table of each kind, so that
 * the places and the table operations are tested without the compiler. by_hand.py describes it.
 */
#include <p4xdp.h>

char _license[] SEC("license") = "GPL";

enum { NO_ACTION, DROP, TO_PORT, TAG };

struct hand_value {
	__u32 action;
	__u8 vlan[2];
	__u8 pad_[2];
	__u8 port[4];
};

struct ports_key {
	__u8 port[4];
};

struct ports_value {
	__u32 action;
	__u8 vlan[2];
	__u8 pad_[2];
	__u8 port[4];
	__u32 in_use;
};

struct macs_key {
	__u8 dst[6];
	__u8 pad_[2];
};

struct routes_key {
	__u32 prefixlen;
	__u8 type[2];
	__u8 dst[6];
};

struct acl_key {
	__u8 src[6];
	__u8 type[2];
};

struct acl_entry {
	struct acl_key key;
	struct acl_key mask;
	__u32 priority;
	__u32 rank;
	struct hand_value value;
};

struct acl_half {
	struct acl_entry entries[5];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, struct ports_value);
} ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2);
	__type(key, struct macs_key);
	__type(value, struct hand_value);
} macs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 8);
	__type(key, struct routes_key);
	__type(value, struct hand_value);
} routes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct acl_half);
} acl SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4);
	__type(key, __u32);
	__type(value, __u64);
} seen SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 16);
	__type(key, __u32);
	__type(value, __u64);
} bytes SEC(".maps");

struct hand_value macs_default SEC(".data.macs_default") = { .action = NO_ACTION };
__u64 acl_state SEC(".data.acl_state") = 0;

static __always_inline int acl_matches(const struct acl_entry *entry, const __u8 *src_type)
{
	const __u8 *key = (const __u8 *)&entry->key, *mask = (const __u8 *)&entry->mask;
	int i;

	for (i = 0; i < 8; i++)
		if ((src_type[i] & mask[i]) != key[i])
			return 0;
	return 1;
}

static __always_inline int push_tag(struct xdp_md *ctx, const __u8 *vlan)
{
	__u8 *data, *data_end;

	if (bpf_xdp_adjust_head(ctx, -4))
		return XDP_ABORTED;
	data = p4xdp_data(ctx);
	data_end = p4xdp_data_end(ctx);
	if (data + 18 > data_end)
		return XDP_ABORTED;
	__builtin_memmove(data, data + 4, 12);
	data[12] = 0x81;
	data[13] = 0x00;
	data[14] = vlan[0];
	data[15] = vlan[1];
	return XDP_TX;
}

static __always_inline int run(struct xdp_md *ctx, const struct hand_value *value)
{
	switch (value->action) {
	case DROP:
		return XDP_DROP;
	case TO_PORT:
		return p4xdp_redirect(ctx, p4xdp_load32(value->port));
	case TAG:
		return push_tag(ctx, value->vlan);
	default:
		return XDP_PASS;
	}
}

SEC("xdp")
int by_hand(struct xdp_md *ctx)
{
	__u8 *data = p4xdp_data(ctx), *data_end = p4xdp_data_end(ctx);
	__u32 port = p4xdp_input_port(ctx);
	__u32 index = p4xdp_read_once(&acl_state) >> 32;
	struct acl_half *half = bpf_map_lookup_elem(&acl, &index);
	struct ports_value *of_port;
	struct macs_key key = {};
	struct routes_key route = {};
	struct acl_entry *entry;
	struct hand_value *value;
	int i;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	p4xdp_count(&seen, port, 1);
	p4xdp_count_sparse(&bytes, port, 14);
	of_port = bpf_map_lookup_elem(&ports, &port);
	if (of_port && of_port->in_use)
		return run(ctx, (struct hand_value *)of_port);
	for (i = 0; half && i < 4 && half->entries[i].rank; i++) {
		entry = &half->entries[i];
		if (acl_matches(entry, data + 6))
			return run(ctx, &entry->value);
	}
	route.prefixlen = 64;
	__builtin_memcpy(route.type, data + 12, 2);
	__builtin_memcpy(route.dst, data, 6);
	value = bpf_map_lookup_elem(&routes, &route);
	if (value)
		return run(ctx, value);
	__builtin_memcpy(key.dst, data, 6);
	value = bpf_map_lookup_elem(&macs, &key);
	return run(ctx, value ? value : &macs_default);
}

#ifndef __bpf__
static const struct p4xdp_native_map p4xdp_native_maps[] = {
	{ "ports", &ports, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct ports_value), 4, 0 },
	{ "macs", &macs, BPF_MAP_TYPE_HASH, 8, sizeof(struct hand_value), 2, 0 },
	{ "routes", &routes, BPF_MAP_TYPE_LPM_TRIE, 12, sizeof(struct hand_value), 8, 1 },
	{ "acl", &acl, BPF_MAP_TYPE_ARRAY, 4, sizeof(struct acl_half), 2, 0 },
	{ "seen", &seen, BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 4, 0 },
	{ "bytes", &bytes, BPF_MAP_TYPE_PERCPU_HASH, 4, 8, 16, 0 },
	{ "macs_default", &macs_default, P4XDP_NATIVE_DATA, 4, sizeof(macs_default), 1, 0 },
	{ "acl_state", &acl_state, P4XDP_NATIVE_DATA, 4, sizeof(acl_state), 1, 0 },
	{ 0 },
};

#define P4XDP_NATIVE_ENTRY by_hand
#include <p4xdp_native_main.h>
#endif
