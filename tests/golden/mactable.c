/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from mactable.p4. */
#include <p4xdp.h>

/* table Switch.mactable */
enum mactable_actions {
	mactable_Fallback_action = 0,
	mactable_Drop_action = 1,
};

struct mactable_key {
	__u8 field0[6]; /* hd.eth.dst: bit<48>, exact */
	__u8 pad0[2];
};

struct mactable_value {
	enum mactable_actions action;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct mactable_key);
	__type(value, struct mactable_value);
} mactable SEC(".maps");

struct mactable_value mactable_default SEC(".data.mactable_default") = {
	.action = mactable_Fallback_action,
};

static __always_inline struct mactable_value *mactable_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&mactable, key);
}

SEC("xdp")
int mactable_program(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct mactable_value *mactable_entry;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* mactable.p4:52: Switch.mactable.apply() */
	mactable_entry = mactable_find(p4xdp_head48(data, 0));
	if (!mactable_entry)
		mactable_entry = p4xdp_in_force(&mactable_default);
	switch (mactable_entry->action) {
	case mactable_Fallback_action:
	default:
		return XDP_PASS;
	case mactable_Drop_action:
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
