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

static __always_inline struct outbound_value *outbound_find(__u64 word0, __u64 word1)
{
	__u64 key[2];

	p4xdp_store_halves(&key[0], word0);
	key[1] = word1;
	return bpf_map_lookup_elem(&outbound, key);
}

static __always_inline struct inbound_value *inbound_find(__u64 word0, __u64 word1)
{
	__u64 key[2];

	p4xdp_store_halves(&key[0], word0);
	key[1] = word1;
	return bpf_map_lookup_elem(&inbound, key);
}

SEC("xdp")
int nat(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 hd_ipv4_checksum, src_port, dst_port, checksum, hd_udp_checksum = 0, port, port_1;
	__u32 hd_ipv4_src, hd_ipv4_dst, address, address_1;
	__u8 hd_tcp_valid = 0, hd_udp_valid = 0, outbound_hit, hd_ipv4_changed = 0,
		hd_ipv4_changed1 = 0, hd_ipv4_changed2 = 0, hd_udp_changed1 = 0;
	struct outbound_value *outbound_entry;
	struct inbound_value *inbound_entry;

	if (data + 14 > data_end)
		return XDP_ABORTED;
	/* nat.p4:22 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_PASS;
	if (data + 34 > data_end)
		return XDP_ABORTED;
	hd_ipv4_checksum = p4xdp_load16(data + 24);
	hd_ipv4_src = p4xdp_load32(data + 26);
	hd_ipv4_dst = p4xdp_load32(data + 30);
	/* nat.p4:31 */
	if (!((p4xdp_load8(data + 14) & 0xf) == 5 && (p4xdp_load16(data + 20) & 0x3fff) == 0))
		return XDP_PASS;
	switch (p4xdp_load8(data + 23)) {
	case 6:
		if (data + 54 > data_end)
			return XDP_ABORTED;
		hd_tcp_valid = 1;
		/* nat.p4:108 */
		src_port = p4xdp_load16(data + 34);
		/* nat.p4:109 */
		dst_port = p4xdp_load16(data + 36);
		/* nat.p4:110 */
		checksum = p4xdp_load16(data + 50);
		break;
	case 17:
		if (data + 42 > data_end)
			return XDP_ABORTED;
		hd_udp_valid = 1;
		hd_udp_checksum = p4xdp_load16(data + 40);
		/* nat.p4:112 */
		src_port = p4xdp_load16(data + 34);
		/* nat.p4:113 */
		dst_port = p4xdp_load16(data + 36);
		/* nat.p4:114 */
		checksum = p4xdp_load16(data + 40);
		break;
	default:
		return XDP_PASS;
	}
	/* nat.p4:119: Nat.outbound.apply() */
	outbound_entry = outbound_find(p4xdp_copy8(data + 23, 0) | p4xdp_copy32(data + 26, 4),
			p4xdp_copy16(data + 34, 0));
	outbound_hit = outbound_entry != NULL;
	if (!outbound_entry)
		outbound_entry = p4xdp_in_force8(&outbound_default);
	switch (outbound_entry->action) {
	case outbound_translate_source:
		address = p4xdp_load32(&outbound_entry->u.translate_source.address);
		port = p4xdp_load16(&outbound_entry->u.translate_source.port);
		/* nat.p4:60 */
		hd_ipv4_checksum = p4xdp_csum_replace4(p4xdp_load16(data + 24),
				p4xdp_load32(data + 26), address);
		hd_ipv4_changed = 1;
		/* nat.p4:61 */
		checksum = p4xdp_csum_replace4(checksum, p4xdp_load32(data + 26), address);
		/* nat.p4:62 */
		checksum = p4xdp_csum_replace2(checksum, p4xdp_load16(data + 34), port);
		/* nat.p4:63 */
		hd_ipv4_src = address;
		hd_ipv4_changed1 = 1;
		/* nat.p4:64 */
		src_port = port;
		break;
	case outbound_leave:
	default:
		break;
	}
	/* nat.p4:119 */
	if (!outbound_hit) {
		/* nat.p4:120: Nat.inbound.apply() */
		inbound_entry = inbound_find(p4xdp_copy8(data + 23, 0) | p4xdp_copy32(data + 30,
				4), p4xdp_copy16(data + 36, 0));
		if (!inbound_entry)
			inbound_entry = p4xdp_in_force8(&inbound_default);
		switch (inbound_entry->action) {
		case inbound_translate_destination:
			address_1 = p4xdp_load32(&inbound_entry->u.translate_destination.address);
			port_1 = p4xdp_load16(&inbound_entry->u.translate_destination.port);
			/* nat.p4:68 */
			hd_ipv4_checksum = p4xdp_csum_replace4(hd_ipv4_checksum,
					p4xdp_load32(data + 30), address_1);
			hd_ipv4_changed = 1;
			/* nat.p4:69 */
			checksum = p4xdp_csum_replace4(checksum, p4xdp_load32(data + 30),
					address_1);
			/* nat.p4:70 */
			checksum = p4xdp_csum_replace2(checksum, p4xdp_load16(data + 36), port_1);
			/* nat.p4:71 */
			hd_ipv4_dst = address_1;
			hd_ipv4_changed2 = 1;
			/* nat.p4:72 */
			dst_port = port_1;
			break;
		case inbound_leave:
		default:
			break;
		}
	}
	/* nat.p4:123 */
	if (hd_tcp_valid) {
		if (data + 54 > data_end)
			return XDP_ABORTED;
		p4xdp_store16(data + 34, src_port);
		p4xdp_store16(data + 36, dst_port);
		p4xdp_store16(data + 50, checksum);
	} else {
		/* nat.p4:132 */
		if (hd_udp_checksum != 0) {
			/* nat.p4:133 */
			hd_udp_checksum = checksum == 0 ? 0xffff : checksum;
			hd_udp_changed1 = 1;
		}
		if (hd_udp_valid) {
			if (hd_udp_changed1)
				p4xdp_store16(data + 40, hd_udp_checksum);
			p4xdp_store16(data + 34, src_port);
			p4xdp_store16(data + 36, dst_port);
		}
	}
	if (hd_ipv4_changed || hd_ipv4_changed1 || hd_ipv4_changed2) {
		if (hd_ipv4_changed)
			p4xdp_store16(data + 24, hd_ipv4_checksum);
		if (hd_ipv4_changed1)
			p4xdp_store32(data + 26, hd_ipv4_src);
		if (hd_ipv4_changed2)
			p4xdp_store32(data + 30, hd_ipv4_dst);
	}
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
