/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from nat.p4. */
#include <p4xdp.h>

/* table Nat.outbound */
enum outbound_actions {
	outbound_translate_source = 0,
	outbound_leave = 1,
};

struct outbound_key {
	__u8 field0; /* protocol: bit<8>, exact */
	__u8 pad0[3];
	__be32 field1; /* address: bit<32>, exact */
	__be16 field2; /* port: bit<16>, exact */
	__u8 pad1[6];
};

struct outbound_value {
	enum outbound_actions action;
	union {
		struct {
			__be32 address; /* bit<32> */
			__be16 port; /* bit<16> */
			__u8 pad0[2];
		} translate_source;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct outbound_defaults {
	__u64 current;
	struct outbound_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* table Nat.inbound */
enum inbound_actions {
	inbound_translate_destination = 0,
	inbound_leave = 1,
};

struct inbound_key {
	__u8 field0; /* protocol: bit<8>, exact */
	__u8 pad0[3];
	__be32 field1; /* address: bit<32>, exact */
	__be16 field2; /* port: bit<16>, exact */
	__u8 pad1[6];
};

struct inbound_value {
	enum inbound_actions action;
	union {
		struct {
			__be32 address; /* bit<32> */
			__be16 port; /* bit<16> */
			__u8 pad0[2];
		} translate_destination;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct inbound_defaults {
	__u64 current;
	struct inbound_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* the program's variables, more than the stack holds */
struct scratch {
	__u32 hd_ipv4_src;
	__u32 hd_ipv4_dst;
	__u32 address;
	__u32 _entry;
	__u32 address_1;
	__u16 hd_ipv4_checksum;
	__u16 src_port;
	__u16 dst_port;
	__u16 checksum;
	__u16 hd_udp_checksum;
	__u16 port;
	__u16 port_1;
	__u8 hd_tcp_valid;
	__u8 hd_udp_valid;
	__u8 outbound_hit;
	__u8 hd_ipv4_changed;
	__u8 hd_ipv4_changed1;
	__u8 hd_ipv4_changed2;
	__u8 hd_udp_changed1;
	struct outbound_key outbound_key;
	struct inbound_key inbound_key;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct outbound_key);
	__type(value, struct outbound_value);
} outbound SEC(".maps");

struct outbound_defaults outbound_default SEC(".data.outbound_default") = {
	.current = 8,
	.slots[0].action = outbound_leave,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, struct inbound_key);
	__type(value, struct inbound_value);
} inbound SEC(".maps");

struct inbound_defaults inbound_default SEC(".data.inbound_default") = {
	.current = 8,
	.slots[0].action = inbound_leave,
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch_map SEC(".maps");

static __always_inline struct outbound_value *outbound_find(struct outbound_key *key, __u64 word0,
							    __u64 word1)
{
	p4xdp_any64 *words = (void *)key;

	words[0] = word0;
	words[1] = word1;
	return bpf_map_lookup_elem(&outbound, key);
}

static __always_inline struct inbound_value *inbound_find(struct inbound_key *key, __u64 word0,
							  __u64 word1)
{
	p4xdp_any64 *words = (void *)key;

	words[0] = word0;
	words[1] = word1;
	return bpf_map_lookup_elem(&inbound, key);
}

/*
 * Functions with a name for the linker are verified one by one, whatever they are called with.
 * Every argument must be in use: clang (14 to 19) passes no other, and the verifier looks at all.
 */
__noinline int nat_part0(struct xdp_md *ctx, struct scratch *scratch)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct outbound_value *outbound_entry;
	struct inbound_value *inbound_entry;

	if (!scratch)
		return XDP_ABORTED;
	p4xdp_opaque(ctx);
	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* nat.p4:22 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_PASS;
	if (data + 34 > data_end)
		return XDP_ABORTED;
	scratch->hd_ipv4_checksum = p4xdp_load16(data + 24);
	scratch->hd_ipv4_src = p4xdp_load32(data + 26);
	scratch->hd_ipv4_dst = p4xdp_load32(data + 30);
	/* nat.p4:31 */
	if (!((p4xdp_load8(data + 14) & 0xf) == 5 && (p4xdp_load16(data + 20) & 0x3fff) == 0))
		return XDP_PASS;
	switch (p4xdp_load8(data + 23)) {
	case 6:
		if (data + 54 > data_end)
			return XDP_ABORTED;
		scratch->hd_tcp_valid = 1;
		/* nat.p4:108 */
		scratch->src_port = p4xdp_load16(data + 34);
		/* nat.p4:109 */
		scratch->dst_port = p4xdp_load16(data + 36);
		/* nat.p4:110 */
		scratch->checksum = p4xdp_load16(data + 50);
		break;
	case 17:
		if (data + 42 > data_end)
			return XDP_ABORTED;
		scratch->hd_udp_valid = 1;
		scratch->hd_udp_checksum = p4xdp_load16(data + 40);
		/* nat.p4:112 */
		scratch->src_port = p4xdp_load16(data + 34);
		/* nat.p4:113 */
		scratch->dst_port = p4xdp_load16(data + 36);
		/* nat.p4:114 */
		scratch->checksum = p4xdp_load16(data + 40);
		break;
	default:
		return XDP_PASS;
	}
	/* nat.p4:119: Nat.outbound.apply() */
	outbound_entry = outbound_find(&scratch->outbound_key, p4xdp_copy8(data + 23, 0) |
			p4xdp_copy32(data + 26, 4), p4xdp_copy16(data + 34, 0));
	scratch->outbound_hit = outbound_entry != NULL;
	if (!outbound_entry)
		outbound_entry = p4xdp_in_force8(&outbound_default);
	switch (outbound_entry->action) {
	case outbound_translate_source:
		scratch->address = p4xdp_load32(&outbound_entry->u.translate_source.address);
		scratch->port = p4xdp_load16(&outbound_entry->u.translate_source.port);
		goto branch;
	case outbound_leave:
	default:
		goto joined;
	}
branch:
	/* nat.p4:60 */
	scratch->hd_ipv4_checksum = p4xdp_csum_replace4(p4xdp_load16(data + 24),
			p4xdp_load32(data + 26), scratch->address);
	scratch->hd_ipv4_changed = 1;
	/* nat.p4:61 */
	scratch->checksum = p4xdp_csum_replace4(scratch->checksum, p4xdp_load32(data + 26),
			scratch->address);
	/* nat.p4:62 */
	scratch->checksum = p4xdp_csum_replace2(scratch->checksum, p4xdp_load16(data + 34),
			scratch->port);
	/* nat.p4:63 */
	scratch->hd_ipv4_src = scratch->address;
	scratch->hd_ipv4_changed1 = 1;
	/* nat.p4:64 */
	scratch->src_port = scratch->port;
joined:
	/* nat.p4:119 */
	if (scratch->outbound_hit) {
		scratch->_entry = 1;
		return P4XDP_GO_ON(1);
	}
	/* nat.p4:120: Nat.inbound.apply() */
	inbound_entry = inbound_find(&scratch->inbound_key, p4xdp_copy8(data + 23, 0) |
			p4xdp_copy32(data + 30, 4), p4xdp_copy16(data + 36, 0));
	if (!inbound_entry)
		inbound_entry = p4xdp_in_force8(&inbound_default);
	switch (inbound_entry->action) {
	case inbound_translate_destination:
		scratch->address_1 = p4xdp_load32(&inbound_entry->u.translate_destination.address);
		scratch->port_1 = p4xdp_load16(&inbound_entry->u.translate_destination.port);
		goto branch_2;
	case inbound_leave:
	default:
		scratch->_entry = 2;
		return P4XDP_GO_ON(1);
	}
branch_2:
	scratch->_entry = 0;
	return P4XDP_GO_ON(1);
}

__noinline int nat_part1(struct xdp_md *ctx, struct scratch *scratch)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);

	if (!scratch)
		return XDP_ABORTED;
	p4xdp_opaque(ctx);
	if (scratch->_entry == 1)
		goto joined_2;
	if (scratch->_entry == 2)
		goto joined_3;
	if (data + 34 > data_end)
		return XDP_ABORTED;
	/* nat.p4:68 */
	scratch->hd_ipv4_checksum = p4xdp_csum_replace4(scratch->hd_ipv4_checksum,
			p4xdp_load32(data + 30), scratch->address_1);
	scratch->hd_ipv4_changed = 1;
	/* nat.p4:69 */
	scratch->checksum = p4xdp_csum_replace4(scratch->checksum, p4xdp_load32(data + 30),
			scratch->address_1);
	if (data + 42 > data_end)
		return XDP_ABORTED;
	/* nat.p4:70 */
	scratch->checksum = p4xdp_csum_replace2(scratch->checksum, p4xdp_load16(data + 36),
			scratch->port_1);
	/* nat.p4:71 */
	scratch->hd_ipv4_dst = scratch->address_1;
	scratch->hd_ipv4_changed2 = 1;
	/* nat.p4:72 */
	scratch->dst_port = scratch->port_1;
joined_3:
joined_2:
	/* nat.p4:123 */
	if (scratch->hd_tcp_valid) {
		if (data + 54 > data_end)
			return XDP_ABORTED;
		p4xdp_store16(data + 34, scratch->src_port);
		p4xdp_store16(data + 36, scratch->dst_port);
		p4xdp_store16(data + 50, scratch->checksum);
	} else {
		/* nat.p4:132 */
		if (scratch->hd_udp_checksum != 0) {
			/* nat.p4:133 */
			scratch->hd_udp_checksum = scratch->checksum == 0 ? 0xffff : scratch->checksum;
			scratch->hd_udp_changed1 = 1;
		}
		if (scratch->hd_udp_valid) {
			if (scratch->hd_udp_changed1) {
				if (data + 42 > data_end)
					return XDP_ABORTED;
				p4xdp_store16(data + 40, scratch->hd_udp_checksum);
			}
			if (data + 42 > data_end)
				return XDP_ABORTED;
			p4xdp_store16(data + 34, scratch->src_port);
			p4xdp_store16(data + 36, scratch->dst_port);
		}
	}
	if (scratch->hd_ipv4_changed || scratch->hd_ipv4_changed1 || scratch->hd_ipv4_changed2) {
		if (scratch->hd_ipv4_changed) {
			if (data + 34 > data_end)
				return XDP_ABORTED;
			p4xdp_store16(data + 24, scratch->hd_ipv4_checksum);
		}
		if (scratch->hd_ipv4_changed1) {
			if (data + 34 > data_end)
				return XDP_ABORTED;
			p4xdp_store32(data + 26, scratch->hd_ipv4_src);
		}
		if (scratch->hd_ipv4_changed2) {
			if (data + 34 > data_end)
				return XDP_ABORTED;
			p4xdp_store32(data + 30, scratch->hd_ipv4_dst);
		}
	}
	return XDP_PASS;
}

SEC("xdp")
int nat(struct xdp_md *ctx)
{
	const __u32 zero = 0;
	struct scratch *scratch = bpf_map_lookup_elem(&scratch_map, &zero);
	int verdict;

	if (!scratch)
		return XDP_ABORTED;
	scratch->hd_tcp_valid = 0;
	scratch->hd_udp_valid = 0;
	scratch->hd_udp_checksum = 0;
	scratch->hd_ipv4_changed = 0;
	scratch->hd_ipv4_changed1 = 0;
	scratch->hd_ipv4_changed2 = 0;
	scratch->hd_udp_changed1 = 0;
	verdict = nat_part0(ctx, scratch);
	if (verdict == P4XDP_GO_ON(1))
		verdict = nat_part1(ctx, scratch);
	return verdict;
}

char _license[] SEC("license") = "Dual BSD/GPL";
