/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from nat.p4. */
#include <p4xdp.h>

/* table Translate.sources */
enum sources_actions {
	sources_translate = 0,
	sources_drop = 1,
};

struct sources_key {
	__be32 field0; /* hdr.ipv4.src: bit<32>, exact */
	__u8 field1; /* hdr.ipv4.protocol: bit<8>, exact */
	__u8 pad0[1];
	__be16 field2; /* port: bit<16>, exact */
};

struct sources_value {
	enum sources_actions action;
	union {
		struct {
			__be32 address; /* bit<32> */
			__be16 new_port; /* bit<16> */
			__u8 pad0[2];
		} translate;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct sources_defaults {
	__u64 current;
	struct sources_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct sources_key);
	__type(value, struct sources_value);
} sources SEC(".maps");

struct sources_defaults sources_default SEC(".data.sources_default") = {
	.current = 8,
	.slots[0].action = sources_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

static __always_inline struct sources_value *sources_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&sources, key);
}

SEC("xdp")
int nat(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u16 hdr_ipv4_checksum, hdr_tcp_checksum = 0, port, new_port, meta_old_port = 0,
		meta_old_ip = 0, standard_egress_spec, hdr_tcp_src_port = 0,
		hdr_udp_checksum = 0, new_port_1, hdr_udp_src_port = 0;
	__u32 hdr_ipv4_src, address, meta_old_src = 0, address_1;
	__u8 hdr_tcp_valid = 0, meta_changed = 0, hdr_ipv4_changed1 = 0, hdr_tcp_changed = 0,
		hdr_udp_valid = 0, hdr_udp_changed = 0, hdr_ipv4_changed = 0,
		hdr_tcp_changed1 = 0, hdr_udp_changed1 = 0;
	struct sources_value *sources_entry;

	if (data + 42 > data_end)
		return XDP_DROP;
	/* nat.p4:30 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_DROP;
	hdr_ipv4_checksum = p4xdp_load16(data + 24);
	hdr_ipv4_src = p4xdp_load32(data + 26);
	/* nat.p4:37 */
	if (!((p4xdp_load8(data + 14) & 0xf) == 5 && ((p4xdp_load8(data + 20) >> 5) & 1) == 0 &&
			(p4xdp_load16(data + 20) & 0x1fff) == 0))
		return XDP_DROP;
	switch (p4xdp_load8(data + 23)) {
	case 6:
		if (data + 54 > data_end)
			return XDP_DROP;
		hdr_tcp_valid = 1;
		hdr_tcp_checksum = p4xdp_load16(data + 50);
		/* nat.p4:86 */
		port = p4xdp_load16(data + 34);
		/* nat.p4:88: Translate.sources.apply() */
		sources_entry = sources_find(p4xdp_copy32(data + 26, 0) | p4xdp_copy8(data + 23,
				4) | p4xdp_copy16(data + 34, 6));
		if (!sources_entry)
			sources_entry = p4xdp_in_force8(&sources_default);
		switch (sources_entry->action) {
		case sources_translate:
			address = p4xdp_load32(&sources_entry->u.translate.address);
			new_port = p4xdp_load16(&sources_entry->u.translate.new_port);
			/* nat.p4:64 */
			meta_changed = 1;
			/* nat.p4:65 */
			meta_old_src = p4xdp_load32(data + 26);
			/* nat.p4:66 */
			meta_old_port = p4xdp_load16(data + 34);
			/* nat.p4:67 */
			meta_old_ip = p4xdp_load16(data + 24);
			/* nat.p4:68 */
			hdr_ipv4_src = address;
			hdr_ipv4_changed1 = 1;
			/* nat.p4:69 */
			port = new_port;
			/* nat.p4:70 */
			standard_egress_spec = 2;
			break;
		case sources_drop:
		default:
			/* nat.p4:61 */
			standard_egress_spec = 511;
			break;
		}
		/* nat.p4:89 */
		hdr_tcp_src_port = port;
		hdr_tcp_changed = 1;
		break;
	case 17:
		hdr_udp_valid = 1;
		hdr_udp_checksum = p4xdp_load16(data + 40);
		/* nat.p4:91 */
		port = p4xdp_load16(data + 34);
		/* nat.p4:93: Translate.sources.apply() */
		sources_entry = sources_find(p4xdp_copy32(data + 26, 0) | p4xdp_copy8(data + 23,
				4) | p4xdp_copy16(data + 34, 6));
		if (!sources_entry)
			sources_entry = p4xdp_in_force8(&sources_default);
		switch (sources_entry->action) {
		case sources_translate:
			address_1 = p4xdp_load32(&sources_entry->u.translate.address);
			new_port_1 = p4xdp_load16(&sources_entry->u.translate.new_port);
			/* nat.p4:64 */
			meta_changed = 1;
			/* nat.p4:65 */
			meta_old_src = p4xdp_load32(data + 26);
			/* nat.p4:66 */
			meta_old_port = p4xdp_load16(data + 34);
			/* nat.p4:67 */
			meta_old_ip = p4xdp_load16(data + 24);
			/* nat.p4:68 */
			hdr_ipv4_src = address_1;
			hdr_ipv4_changed1 = 1;
			/* nat.p4:69 */
			port = new_port_1;
			/* nat.p4:70 */
			standard_egress_spec = 2;
			break;
		case sources_drop:
		default:
			/* nat.p4:61 */
			standard_egress_spec = 511;
			break;
		}
		/* nat.p4:94 */
		hdr_udp_src_port = port;
		hdr_udp_changed = 1;
		break;
	default:
		return XDP_DROP;
	}
	if (standard_egress_spec != 511) {
		/* nat.p4:107 */
		if (meta_changed == 1) {
			hdr_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part4(((__u32)~meta_old_ip << 16) |
					(~meta_old_src >> 16)) +
					p4xdp_csum_part4((~meta_old_src << 16) |
					(hdr_ipv4_src >> 16)) +
					p4xdp_csum_part2((__u16)hdr_ipv4_src));
			hdr_ipv4_changed = 1;
		}
		/* nat.p4:109 */
		if (meta_changed == 1 && hdr_tcp_valid) {
			if (data + 52 > data_end)
				return XDP_ABORTED;
			hdr_tcp_checksum = p4xdp_csum_fold(p4xdp_csum_part4(((__u32)~p4xdp_load16(data + 50) << 16) |
					(~meta_old_src >> 16)) +
					p4xdp_csum_part4((~meta_old_src << 16) |
					(hdr_ipv4_src >> 16)) +
					p4xdp_csum_part4((hdr_ipv4_src << 16) |
					(~meta_old_port & 0xffff)) +
					p4xdp_csum_part2(hdr_tcp_src_port));
			hdr_tcp_changed1 = 1;
		}
		/* nat.p4:113 */
		if (meta_changed == 1 && hdr_udp_valid && p4xdp_load16(data + 40) != 0) {
			hdr_udp_checksum = p4xdp_csum_fold(p4xdp_csum_part4(((__u32)~p4xdp_load16(data + 40) << 16) |
					(~meta_old_src >> 16)) +
					p4xdp_csum_part4((~meta_old_src << 16) |
					(hdr_ipv4_src >> 16)) +
					p4xdp_csum_part4((hdr_ipv4_src << 16) |
					(~meta_old_port & 0xffff)) +
					p4xdp_csum_part2(hdr_udp_src_port));
			hdr_udp_changed1 = 1;
		}
		/* nat.p4:118 */
		if (meta_changed == 1 && hdr_udp_valid && p4xdp_load16(data + 40) != 0 &&
				hdr_udp_checksum == 0) {
			hdr_udp_checksum = p4xdp_csum_fold(p4xdp_csum_part2(0));
			hdr_udp_changed1 = 1;
		} else if (!(hdr_udp_valid && (hdr_udp_changed || hdr_udp_changed1))) {
			goto then;
		}
		if (hdr_udp_changed)
			p4xdp_store16(data + 34, hdr_udp_src_port);
		if (hdr_udp_changed1)
			p4xdp_store16(data + 40, hdr_udp_checksum);
then:
		if (hdr_tcp_valid && (hdr_tcp_changed || hdr_tcp_changed1)) {
			if (data + 54 > data_end)
				return XDP_ABORTED;
			if (hdr_tcp_changed)
				p4xdp_store16(data + 34, hdr_tcp_src_port);
			if (hdr_tcp_changed1)
				p4xdp_store16(data + 50, hdr_tcp_checksum);
		}
		if (hdr_ipv4_changed || hdr_ipv4_changed1) {
			if (hdr_ipv4_changed)
				p4xdp_store16(data + 24, hdr_ipv4_checksum);
			if (hdr_ipv4_changed1)
				p4xdp_store32(data + 26, hdr_ipv4_src);
		}
		if (standard_egress_spec == 510)
			return XDP_PASS;
		return p4xdp_redirect_map(ctx, &ports, standard_egress_spec);
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "Dual BSD/GPL";
