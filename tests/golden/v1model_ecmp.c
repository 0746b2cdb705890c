/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from ecmp.p4. */
#include <p4xdp.h>

/* table Balance.destinations */
enum destinations_actions {
	destinations_to_group = 0,
	destinations_drop = 1,
};

struct destinations_key {
	__u32 prefixlen; /* in bits */
	__be32 field0; /* hdr.ipv4.dst: bit<32>, lpm */
};

struct destinations_value {
	enum destinations_actions action;
	union {
		struct {
			__be16 group; /* bit<16> */
			__be16 size; /* bit<16> */
		} to_group;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct destinations_defaults {
	__u64 current;
	struct destinations_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* table Balance.members */
enum members_actions {
	members_forward = 0,
	members_drop = 1,
};

struct members_key {
	__be16 field0; /* meta.group: bit<16>, exact */
	__be16 field1; /* meta.member: bit<16>, exact */
	__u8 pad0[4];
};

struct members_value {
	enum members_actions action;
	union {
		struct {
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
		} forward;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct members_defaults {
	__u64 current;
	struct members_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct destinations_key);
	__type(value, struct destinations_value);
} destinations SEC(".maps");

struct destinations_defaults destinations_default SEC(".data.destinations_default") = {
	.current = 8,
	.slots[0].action = destinations_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct members_key);
	__type(value, struct members_value);
} members SEC(".maps");

struct members_defaults members_default SEC(".data.members_default") = {
	.current = 8,
	.slots[0].action = members_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

static __always_inline struct destinations_value *destinations_find(__u32 field0)
{
	struct destinations_key key;

	key.prefixlen = 32;
	p4xdp_store32(&key.field0, field0);
	return bpf_map_lookup_elem(&destinations, &key);
}

static __always_inline struct members_value *members_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&members, key);
}

SEC("xdp")
int ecmp(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 destinations_hit, hdr_ethernet_changed = 0;
	struct destinations_value *destinations_entry;
	__u16 meta_group = 0, meta_member = 0, standard_egress_spec = 0;
	struct members_value *members_entry;
	__u64 hdr_ethernet_dst = 0;

	if (data + 38 > data_end)
		return XDP_DROP;
	/* flow.p4:29 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_DROP;
	/* flow.p4:36 */
	if (!((p4xdp_load8(data + 14) & 0xf) == 5 && (p4xdp_load16(data + 20) & 0x1fff) == 0))
		return XDP_DROP;
	switch (p4xdp_load8(data + 23)) {
	case 6:
	case 17:
		/* ecmp.p4:50: Balance.destinations.apply() */
		destinations_entry = destinations_find(p4xdp_load32(data + 30));
		destinations_hit = destinations_entry != NULL;
		if (!destinations_entry)
			destinations_entry = p4xdp_in_force8(&destinations_default);
		switch (destinations_entry->action) {
		case destinations_to_group:
			/* ecmp.p4:17 */
			meta_group = p4xdp_take16(&destinations_entry->u.to_group.group);
			/* ecmp.p4:18 */
			meta_member = p4xdp_mod(p4xdp_crc16_end(p4xdp_crc16(p4xdp_crc16(P4XDP_CRC16_START,
					p4xdp_load64(data + 26), 8),
					((__u64)p4xdp_load8(data + 23) << 32) |
					p4xdp_load32(data + 34), 5)),
					p4xdp_load16(&destinations_entry->u.to_group.size));
			break;
		case destinations_drop:
		default:
			/* ecmp.p4:14 */
			standard_egress_spec = 511;
			break;
		}
		/* ecmp.p4:50 */
		if (destinations_hit) {
			/* ecmp.p4:51: Balance.members.apply() */
			members_entry = members_find(p4xdp_word(meta_group, 0, 2) |
					p4xdp_bytes16(meta_member, 2));
			if (!members_entry)
				members_entry = p4xdp_in_force8(&members_default);
			switch (members_entry->action) {
			case members_forward:
				/* ecmp.p4:23 */
				hdr_ethernet_dst = p4xdp_take48(members_entry->u.forward.next_hop);
				hdr_ethernet_changed = 1;
				/* ecmp.p4:24 */
				standard_egress_spec = (p4xdp_load16(&members_entry->u.forward.port) & 0x1ff);
				break;
			case members_drop:
			default:
				return XDP_DROP;
			}
		}
		if (standard_egress_spec != 511) {
			if (hdr_ethernet_changed)
				p4xdp_put48(data, hdr_ethernet_dst);
			if (standard_egress_spec == 510)
				return XDP_PASS;
			return p4xdp_redirect_map(ctx, &ports, standard_egress_spec);
		}
		return XDP_DROP;
	default:
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
