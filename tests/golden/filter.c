/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from filter.p4. */
#include <p4xdp.h>

/* table Filter.blocked */
enum blocked_actions {
	blocked_refuse = 0,
	blocked_NoAction = 1,
};

struct blocked_key {
	__be32 field0; /* src: bit<32>, exact */
	__u8 pad0[4];
};

struct blocked_value {
	enum blocked_actions action;
};

/* table Filter.services */
enum services_actions {
	services_allow = 0,
	services_refuse = 1,
};

struct services_key {
	__u8 field0; /* protocol: bit<8>, exact */
	__u8 pad0[1];
	__be16 field1; /* port: bit<16>, exact */
	__u8 pad1[4];
};

struct services_value {
	enum services_actions action;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct blocked_key);
	__type(value, struct blocked_value);
} blocked SEC(".maps");

struct blocked_value blocked_default SEC(".data.blocked_default") = {
	.action = blocked_NoAction,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct services_key);
	__type(value, struct services_value);
} services SEC(".maps");

struct services_value services_default SEC(".data.services_default") = {
	.action = services_refuse,
};

static __always_inline struct blocked_value *blocked_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&blocked, key);
}

static __always_inline struct services_value *services_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&services, key);
}

SEC("xdp")
int filter(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 blocked_hit;
	struct services_value *services_entry;

	if (data + 14 > data_end)
		return XDP_DROP;
	/* filter.p4:23 */
	if (p4xdp_load16(data + 12) == 0x800) {
		if (data + 42 > data_end)
			return XDP_DROP;
		/* filter.p4:31 */
		if ((p4xdp_load8(data + 14) & 0xf) == 5 &&
				(p4xdp_load16(data + 20) & 0x1fff) == 0) {
			switch (p4xdp_load8(data + 23)) {
			case 6:
				if (data + 54 > data_end)
					return XDP_DROP;
				goto end;
			case 17:
				goto end;
			default:
				return XDP_DROP;
			}
		}
		return XDP_DROP;
	}
	return (p4xdp_load16(data + 12) == 0x806) ? XDP_PASS : XDP_DROP;
end:
	/* filter.p4:97: Filter.blocked.apply() */
	blocked_hit = blocked_find(p4xdp_copy32(data + 26, 0)) != NULL;
	if (!blocked_hit) {
		/* filter.p4:98: Filter.services.apply() */
		services_entry = services_find(p4xdp_copy8(data + 23, 0) |
				p4xdp_copy16(data + 36, 2));
		if (!services_entry)
			services_entry = p4xdp_in_force(&services_default);
		switch (services_entry->action) {
		case services_allow:
			return XDP_PASS;
		case services_refuse:
		default:
			return XDP_DROP;
		}
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
