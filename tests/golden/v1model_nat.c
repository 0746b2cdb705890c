/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from nat.p4. */
#include <p4xdp.h>

/* table Translate.outward */
enum outward_actions {
	outward_leave = 0,
	outward_NoAction = 1,
};

struct outward_key {
	__be32 field0; /* hdr.ipv4.src: bit<32>, exact */
	__u8 field1; /* hdr.ipv4.protocol: bit<8>, exact */
	__u8 pad0[1];
	__be16 field2; /* src_port: bit<16>, exact */
};

struct outward_value {
	enum outward_actions action;
	union {
		struct {
			__be32 address; /* bit<32> */
			__be16 new_port; /* bit<16> */
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
			__u8 pad0[2];
		} leave;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct outward_defaults {
	__u64 current;
	struct outward_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

/* table Translate.inward */
enum inward_actions {
	inward_enter = 0,
	inward_drop = 1,
};

struct inward_key {
	__be32 field0; /* hdr.ipv4.dst: bit<32>, exact */
	__u8 field1; /* hdr.ipv4.protocol: bit<8>, exact */
	__u8 pad0[1];
	__be16 field2; /* dst_port: bit<16>, exact */
};

struct inward_value {
	enum inward_actions action;
	union {
		struct {
			__be32 address; /* bit<32> */
			__be16 new_port; /* bit<16> */
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
			__u8 pad0[2];
		} enter;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct inward_defaults {
	__u64 current;
	struct inward_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct outward_key);
	__type(value, struct outward_value);
} outward SEC(".maps");

struct outward_defaults outward_default SEC(".data.outward_default") = {
	.current = 8,
	.slots[0].action = outward_NoAction,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct inward_key);
	__type(value, struct inward_value);
} inward SEC(".maps");

struct inward_defaults inward_default SEC(".data.inward_default") = {
	.current = 8,
	.slots[0].action = inward_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

static __always_inline struct outward_value *outward_find(__u64 word0)
{
	__u64 key[1];

	p4xdp_store_halves(&key[0], word0);
	return bpf_map_lookup_elem(&outward, key);
}

static __always_inline struct inward_value *inward_find(__u64 word0)
{
	__u64 key[1];

	p4xdp_store_halves(&key[0], word0);
	return bpf_map_lookup_elem(&inward, key);
}

SEC("xdp")
int nat(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct {
		__u64 hdr_ethernet_dst;
		__u32 meta_old_address, meta_new_address;
		__u16 hdr_tcp_src_port, hdr_tcp_dst_port, hdr_tcp_checksum, hdr_udp_src_port,
			hdr_udp_dst_port, hdr_udp_checksum, meta_old_port, meta_new_port,
			standard_egress_spec, meta_old_udp;
		__u8 hdr_tcp_valid, hdr_udp_valid, meta_changed, hdr_ipv4_changed1,
			hdr_ethernet_changed, hdr_ipv4_changed2, hdr_tcp_changed,
			hdr_udp_changed, hdr_ipv4_changed, hdr_tcp_changed1,
			hdr_udp_changed1;
	} kept = { 0 };
	__u16 hdr_ipv4_checksum, src_port, dst_port, new_port, new_port_1;
	__u32 hdr_ipv4_src, hdr_ipv4_dst, address, address_1;
	__u8 outward_hit;
	struct outward_value *outward_entry;
	struct inward_value *inward_entry;

	p4xdp_in_memory(kept);
	if (data + 42 > data_end)
		return XDP_DROP;
	/* nat.p4:33 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_DROP;
	hdr_ipv4_checksum = p4xdp_load16(data + 24);
	hdr_ipv4_src = p4xdp_load32(data + 26);
	hdr_ipv4_dst = p4xdp_load32(data + 30);
	/* nat.p4:40 */
	if (!((p4xdp_load8(data + 14) & 0xf) == 5 && (p4xdp_load16(data + 20) & 0x3fff) == 0))
		return XDP_DROP;
	switch (p4xdp_load8(data + 23)) {
	case 6:
		if (data + 54 > data_end)
			return XDP_DROP;
		kept.hdr_tcp_valid = 1;
		kept.hdr_tcp_src_port = p4xdp_load16(data + 34);
		kept.hdr_tcp_dst_port = p4xdp_load16(data + 36);
		kept.hdr_tcp_checksum = p4xdp_load16(data + 50);
		/* nat.p4:115 */
		src_port = p4xdp_load16(data + 34);
		/* nat.p4:116 */
		dst_port = p4xdp_load16(data + 36);
		break;
	case 17:
		kept.hdr_udp_valid = 1;
		kept.hdr_udp_src_port = p4xdp_load16(data + 34);
		kept.hdr_udp_dst_port = p4xdp_load16(data + 36);
		kept.hdr_udp_checksum = p4xdp_load16(data + 40);
		/* nat.p4:118 */
		src_port = p4xdp_load16(data + 34);
		/* nat.p4:119 */
		dst_port = p4xdp_load16(data + 36);
		break;
	default:
		return XDP_DROP;
	}
	/* nat.p4:125: Translate.outward.apply() */
	outward_entry = outward_find(p4xdp_copy32(data + 26, 0) | p4xdp_copy8(data + 23, 4) |
			p4xdp_copy16(data + 34, 6));
	outward_hit = outward_entry != NULL;
	if (!outward_entry)
		outward_entry = p4xdp_in_force8(&outward_default);
	switch (outward_entry->action) {
	case outward_leave:
		address = p4xdp_load32(&outward_entry->u.leave.address);
		new_port = p4xdp_load16(&outward_entry->u.leave.new_port);
		/* nat.p4:69 */
		kept.meta_changed = 1;
		/* nat.p4:70 */
		kept.meta_old_address = p4xdp_load32(data + 26);
		/* nat.p4:71 */
		kept.meta_new_address = address;
		/* nat.p4:72 */
		kept.meta_old_port = p4xdp_load16(data + 34);
		/* nat.p4:73 */
		kept.meta_new_port = new_port;
		/* nat.p4:77 */
		hdr_ipv4_src = address;
		kept.hdr_ipv4_changed1 = 1;
		/* nat.p4:78 */
		src_port = new_port;
		/* nat.p4:79 */
		kept.hdr_ethernet_dst = p4xdp_take48(outward_entry->u.leave.next_hop);
		kept.hdr_ethernet_changed = 1;
		/* nat.p4:80 */
		kept.standard_egress_spec = (p4xdp_load16(&outward_entry->u.leave.port) & 0x1ff);
		break;
	case outward_NoAction:
	default:
		break;
	}
	/* nat.p4:125 */
	if (!outward_hit) {
		/* nat.p4:126: Translate.inward.apply() */
		inward_entry = inward_find(p4xdp_copy32(data + 30, 0) | p4xdp_copy8(data + 23,
				4) | p4xdp_copy16(data + 36, 6));
		if (!inward_entry)
			inward_entry = p4xdp_in_force8(&inward_default);
		switch (inward_entry->action) {
		case inward_enter:
			address_1 = p4xdp_load32(&inward_entry->u.enter.address);
			new_port_1 = p4xdp_load16(&inward_entry->u.enter.new_port);
			/* nat.p4:69 */
			kept.meta_changed = 1;
			/* nat.p4:70 */
			kept.meta_old_address = p4xdp_load32(data + 30);
			/* nat.p4:71 */
			kept.meta_new_address = address_1;
			/* nat.p4:72 */
			kept.meta_old_port = p4xdp_load16(data + 36);
			/* nat.p4:73 */
			kept.meta_new_port = new_port_1;
			/* nat.p4:84 */
			hdr_ipv4_dst = address_1;
			kept.hdr_ipv4_changed2 = 1;
			/* nat.p4:85 */
			dst_port = new_port_1;
			/* nat.p4:86 */
			kept.hdr_ethernet_dst = p4xdp_take48(inward_entry->u.enter.next_hop);
			kept.hdr_ethernet_changed = 1;
			/* nat.p4:87 */
			kept.standard_egress_spec = (p4xdp_load16(&inward_entry->u.enter.port) & 0x1ff);
			break;
		case inward_drop:
		default:
			/* nat.p4:65 */
			kept.standard_egress_spec = 511;
			break;
		}
	}
	/* nat.p4:128 */
	if (kept.hdr_tcp_valid) {
		/* nat.p4:130 */
		kept.hdr_tcp_src_port = src_port;
		/* nat.p4:131 */
		kept.hdr_tcp_dst_port = dst_port;
		kept.hdr_tcp_changed = 1;
	} else {
		/* nat.p4:133 */
		kept.meta_old_udp = kept.hdr_udp_checksum;
		/* nat.p4:134 */
		kept.hdr_udp_src_port = src_port;
		/* nat.p4:135 */
		kept.hdr_udp_dst_port = dst_port;
		kept.hdr_udp_changed = 1;
	}
	if (kept.standard_egress_spec != 511) {
		/* nat.p4:146 */
		if (kept.meta_changed == 1) {
			hdr_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part2(~p4xdp_load16(data + 24) & 0xffff) +
					p4xdp_csum_part2(~kept.meta_old_address >> 16) +
					p4xdp_csum_part2(~kept.meta_old_address & 0xffff) +
					p4xdp_csum_part4(kept.meta_new_address));
			kept.hdr_ipv4_changed = 1;
		}
		/* nat.p4:149 */
		if (kept.meta_changed == 1 && kept.hdr_tcp_valid) {
			if (data + 54 > data_end)
				return XDP_ABORTED;
			kept.hdr_tcp_checksum = p4xdp_csum_fold(p4xdp_csum_part2(~p4xdp_load16(data + 50) & 0xffff) +
					p4xdp_csum_part2(~kept.meta_old_address >> 16) +
					p4xdp_csum_part2(~kept.meta_old_address & 0xffff) +
					p4xdp_csum_part4(kept.meta_new_address) +
					p4xdp_csum_part2(~kept.meta_old_port & 0xffff) +
					p4xdp_csum_part2(kept.meta_new_port));
			kept.hdr_tcp_changed1 = 1;
		}
		/* nat.p4:153 */
		if (kept.meta_changed == 1 && kept.hdr_udp_valid && kept.meta_old_udp != 0) {
			kept.hdr_udp_checksum = p4xdp_csum_fold(p4xdp_csum_part2(~kept.meta_old_udp & 0xffff) +
					p4xdp_csum_part2(~kept.meta_old_address >> 16) +
					p4xdp_csum_part2(~kept.meta_old_address & 0xffff) +
					p4xdp_csum_part4(kept.meta_new_address) +
					p4xdp_csum_part2(~kept.meta_old_port & 0xffff) +
					p4xdp_csum_part2(kept.meta_new_port));
			kept.hdr_udp_changed1 = 1;
		}
		/* nat.p4:158 */
		if (kept.meta_changed == 1 && kept.hdr_udp_valid && kept.meta_old_udp != 0 &&
				kept.hdr_udp_checksum == 0) {
			kept.hdr_udp_checksum = p4xdp_csum_fold(p4xdp_csum_part2(0));
			kept.hdr_udp_changed1 = 1;
		} else if (!(kept.hdr_udp_valid && (kept.hdr_udp_changed ||
				kept.hdr_udp_changed1))) {
			goto then;
		}
		if (kept.hdr_udp_changed) {
			p4xdp_store16(data + 34, kept.hdr_udp_src_port);
			p4xdp_store16(data + 36, kept.hdr_udp_dst_port);
		}
		if (kept.hdr_udp_changed1)
			p4xdp_store16(data + 40, kept.hdr_udp_checksum);
then:
		if (kept.hdr_tcp_valid && (kept.hdr_tcp_changed || kept.hdr_tcp_changed1)) {
			if (data + 54 > data_end)
				return XDP_ABORTED;
			if (kept.hdr_tcp_changed) {
				p4xdp_store16(data + 34, kept.hdr_tcp_src_port);
				p4xdp_store16(data + 36, kept.hdr_tcp_dst_port);
			}
			if (kept.hdr_tcp_changed1)
				p4xdp_store16(data + 50, kept.hdr_tcp_checksum);
		}
		if (kept.hdr_ipv4_changed || kept.hdr_ipv4_changed1 || kept.hdr_ipv4_changed2) {
			if (kept.hdr_ipv4_changed)
				p4xdp_store16(data + 24, hdr_ipv4_checksum);
			if (kept.hdr_ipv4_changed1)
				p4xdp_store32(data + 26, hdr_ipv4_src);
			if (kept.hdr_ipv4_changed2)
				p4xdp_store32(data + 30, hdr_ipv4_dst);
		}
		if (kept.hdr_ethernet_changed)
			p4xdp_put48(data, kept.hdr_ethernet_dst);
		if (kept.standard_egress_spec == 510)
			return XDP_PASS;
		return p4xdp_redirect_map(ctx, &ports, kept.standard_egress_spec);
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
