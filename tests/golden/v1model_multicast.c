/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from multicast.p4. */
#include <p4xdp.h>

/* table Groups.groups */
enum groups_actions {
	groups_replicate = 0,
	groups_drop = 1,
};

struct groups_key {
	__be32 field0; /* hdr.ipv4.dst: bit<32>, exact */
	__u8 pad0[4];
};

struct groups_value {
	enum groups_actions action;
	union {
		struct {
			__be16 group; /* bit<16> */
		} replicate;
	} u;
	__u8 pad0[2];
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct groups_defaults {
	__u64 current;
	struct groups_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* table Subscribers.subscribers */
enum subscribers_actions {
	subscribers_send_to = 0,
	subscribers_drop = 1,
};

struct subscribers_key {
	__be16 field0; /* standard.egress_rid: bit<16>, exact */
	__u8 pad0[6];
};

struct subscribers_value {
	enum subscribers_actions action;
	union {
		struct {
			__u8 mac[6]; /* bit<48> */
			__u8 pad0[2];
			__be32 address; /* bit<32> */
			__be16 port; /* bit<16> */
			__u8 pad1[2];
		} send_to;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct subscribers_defaults {
	__u64 current;
	struct subscribers_value slots[2];
	__u8 room[232]; /* any offset of 8 bits is inside */
};

/* table Subscribers.ports */
enum ports_actions {
	ports_send_from = 0,
	ports_drop = 1,
};

struct ports_key {
	__be16 field0; /* standard.egress_port: bit<9>, exact */
	__u8 pad0[6];
};

struct ports_value {
	enum ports_actions action;
	union {
		struct {
			__u8 mac[6]; /* bit<48> */
		} send_from;
	} u;
	__u8 pad0[2];
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct ports_defaults {
	__u64 current;
	struct ports_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct groups_key);
	__type(value, struct groups_value);
} groups SEC(".maps");

struct groups_defaults groups_default SEC(".data.groups_default") = {
	.current = 8,
	.slots[0].action = groups_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct subscribers_key);
	__type(value, struct subscribers_value);
} subscribers SEC(".maps");

struct subscribers_defaults subscribers_default SEC(".data.subscribers_default") = {
	.current = 8,
	.slots[0].action = subscribers_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct ports_key);
	__type(value, struct ports_value);
} ports SEC(".maps");

struct ports_defaults ports_default SEC(".data.ports_default") = {
	.current = 8,
	.slots[0].action = ports_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} ports_ SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, struct p4xdp_copy_key);
	__type(value, struct p4xdp_copy);
} copies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, struct p4xdp_counted);
} counted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u32);
} interfaces SEC(".maps");

#ifdef __bpf__
/* the devices of copies, each with the function that they meet there */
struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, 16384);
	__type(key, struct p4xdp_copies);
	__array(values, struct {
		__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
		__uint(max_entries, 512);
		__uint(key_size, sizeof(__u32));
		__uint(value_size, sizeof(struct bpf_devmap_val));
	});
} groups_ SEC(".maps");
#endif

static __always_inline struct groups_value *groups_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&groups, key);
}

static __always_inline struct subscribers_value *subscribers_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&subscribers, key);
}

static __always_inline struct ports_value *ports_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&ports, key);
}

/* the program for a packet that arrives, its second half for a copy on its way out */
static __always_inline int carry(struct xdp_md *ctx, enum p4xdp_replica replica)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 is_copy, hdr_ethernet_valid, hdr_ipv4_diffserv, hdr_ipv4_flags, hdr_ipv4_ihl,
		hdr_ipv4_protocol, hdr_ipv4_ttl, hdr_ipv4_valid, hdr_ipv4_version,
		hdr_udp_valid, subscribers_hit, hdr_ethernet_changed = 0,
		hdr_ipv4_changed = 0, hdr_udp_changed = 0, hdr_ethernet_changed1 = 0,
		hdr_ipv4_changed1 = 0;
	__u32 copy_port, hdr_ipv4_dst, hdr_ipv4_src, copy_found_copies, replicated;
	__u64 copy_found, copy_random, hdr_ethernet_dst = 0, hdr_ethernet_src = 0;
	__u16 hdr_ipv4_frag_offset, hdr_ipv4_identification, hdr_ipv4_total_len, output_port = 0,
		standard_egress_port = 0, standard_egress_rid = 0, group,
		hdr_udp_dst_port = 0, standard_egress_spec = 0, hdr_ipv4_checksum = 0;
	struct groups_value *groups_entry;
	struct subscribers_value *subscribers_entry;
	struct ports_value *ports_entry;

	is_copy = replica != P4XDP_NO_REPLICA;
	if (is_copy) {
		if (data + 14 > data_end)
			return XDP_ABORTED;
		copy_port = p4xdp_copy_port(ctx, &interfaces);
		copy_found = p4xdp_copy(&copies, &counted, p4xdp_load32(data + 5),
				p4xdp_load8(data + 9), p4xdp_load32(data + 10), copy_port,
				p4xdp_load32(data));
		if (p4xdp_load8(data + 4) == 0) {
			if (data + 37 > data_end)
				return XDP_ABORTED;
			if ((copy_found >> 32) == 2) {
				hdr_ethernet_valid = (p4xdp_load8(data + 14) & 0x1) != 0;
				hdr_ipv4_diffserv = p4xdp_load8(data + 15);
				hdr_ipv4_dst = p4xdp_load32(data + 16);
				hdr_ipv4_flags = p4xdp_load8(data + 20) & 0x7;
				hdr_ipv4_frag_offset = p4xdp_load16(data + 21) & 0x1fff;
				hdr_ipv4_identification = p4xdp_load16(data + 23);
				hdr_ipv4_ihl = p4xdp_load8(data + 25) & 0xf;
				hdr_ipv4_protocol = p4xdp_load8(data + 26);
				hdr_ipv4_src = p4xdp_load32(data + 27);
				hdr_ipv4_total_len = p4xdp_load16(data + 31);
				hdr_ipv4_ttl = p4xdp_load8(data + 33);
				hdr_ipv4_valid = (p4xdp_load8(data + 34) & 0x1) != 0;
				hdr_ipv4_version = p4xdp_load8(data + 35) & 0xf;
				hdr_udp_valid = (p4xdp_load8(data + 36) & 0x1) != 0;
				if (bpf_xdp_adjust_head(ctx, 37))
					return XDP_ABORTED;
				data = p4xdp_data(ctx);
				data_end = p4xdp_data_end(ctx);
				output_port = copy_port & 0x1ff;
				standard_egress_port = copy_port & 0x1ff;
				standard_egress_rid = copy_found;
				goto copies1;
			}
		}
		return XDP_DROP;
	}
	if (data + 42 > data_end)
		return XDP_DROP;
	hdr_ethernet_valid = 1;
	/* multicast.p4:23 */
	if (p4xdp_load16(data + 12) != 0x800)
		return XDP_DROP;
	hdr_ipv4_valid = 1;
	hdr_ipv4_version = p4xdp_load8(data + 14) >> 4;
	hdr_ipv4_ihl = p4xdp_load8(data + 14) & 0xf;
	hdr_ipv4_diffserv = p4xdp_load8(data + 15);
	hdr_ipv4_total_len = p4xdp_load16(data + 16);
	hdr_ipv4_identification = p4xdp_load16(data + 18);
	hdr_ipv4_flags = p4xdp_load8(data + 20) >> 5;
	hdr_ipv4_frag_offset = p4xdp_load16(data + 20) & 0x1fff;
	hdr_ipv4_ttl = p4xdp_load8(data + 22);
	hdr_ipv4_protocol = p4xdp_load8(data + 23);
	hdr_ipv4_src = p4xdp_load32(data + 26);
	hdr_ipv4_dst = p4xdp_load32(data + 30);
	/* multicast.p4:30 */
	if (!((p4xdp_load8(data + 14) & 0xf) == 5 && (p4xdp_load32(data + 20) & 0x1fff00ff) == 17))
		return XDP_DROP;
	hdr_udp_valid = 1;
	/* multicast.p4:63 */
	if (p4xdp_load8(data + 22) <= 1)
		return XDP_DROP;
	/* multicast.p4:64: Groups.groups.apply() */
	groups_entry = groups_find(p4xdp_copy32(data + 30, 0));
	if (!groups_entry)
		groups_entry = p4xdp_in_force8(&groups_default);
	switch (groups_entry->action) {
	case groups_replicate:
		group = p4xdp_load16(&groups_entry->u.replicate.group);
		if (group != 0) {
			copy_found_copies = p4xdp_find_copies(ctx, &copies, 0xffffffff, 3, group);
			if (copy_found_copies != 0) {
				copy_random = p4xdp_random();
				if (bpf_xdp_adjust_head(ctx, -37))
					return XDP_ABORTED;
				data = p4xdp_data(ctx);
				data_end = p4xdp_data_end(ctx);
				if (data + 37 > data_end)
					return XDP_ABORTED;
				p4xdp_store32(data, copy_random);
				p4xdp_store8(data + 4, 0);
				p4xdp_store32(data + 5, 0xffffffff);
				p4xdp_store8(data + 9, copy_found_copies == 3 ? 1 : 3);
				p4xdp_store32(data + 10, group);
				p4xdp_store8(data + 14, 1);
				p4xdp_store8(data + 15, hdr_ipv4_diffserv);
				p4xdp_store32(data + 16, hdr_ipv4_dst);
				p4xdp_store8(data + 20, hdr_ipv4_flags);
				p4xdp_store16(data + 21, hdr_ipv4_frag_offset);
				p4xdp_store16(data + 23, hdr_ipv4_identification);
				p4xdp_store8(data + 25, hdr_ipv4_ihl);
				p4xdp_store8(data + 26, hdr_ipv4_protocol);
				p4xdp_store32(data + 27, hdr_ipv4_src);
				p4xdp_store16(data + 31, hdr_ipv4_total_len);
				p4xdp_store8(data + 33, hdr_ipv4_ttl);
				p4xdp_store8(data + 34, 1);
				p4xdp_store8(data + 35, hdr_ipv4_version);
				p4xdp_store8(data + 36, 1);
				replicated = p4xdp_send_copies(ctx, &groups_, 0xffffffff,
						copy_found_copies == 3 ? 1 : 3, group);
				return replicated;
			}
			if (group != 0)
				return XDP_DROP;
		}
		break;
	case groups_drop:
	default:
		return XDP_DROP;
	}
copies1:
	/* multicast.p4:108: Subscribers.subscribers.apply() */
	subscribers_entry = subscribers_find(p4xdp_bytes16(standard_egress_rid, 0));
	subscribers_hit = subscribers_entry != NULL;
	if (!subscribers_entry)
		subscribers_entry = p4xdp_in_force8(&subscribers_default);
	switch (subscribers_entry->action) {
	case subscribers_send_to:
		/* multicast.p4:76 */
		hdr_ethernet_dst = p4xdp_take48(subscribers_entry->u.send_to.mac);
		hdr_ethernet_changed = 1;
		/* multicast.p4:77 */
		hdr_ipv4_dst = p4xdp_load32(&subscribers_entry->u.send_to.address);
		/* multicast.p4:78 */
		hdr_ipv4_ttl = hdr_ipv4_ttl - 1;
		hdr_ipv4_changed = 1;
		/* multicast.p4:79 */
		hdr_udp_dst_port = p4xdp_take16(&subscribers_entry->u.send_to.port);
		hdr_udp_changed = 1;
		break;
	case subscribers_drop:
	default:
		/* multicast.p4:73 */
		standard_egress_spec = 511;
		break;
	}
	/* multicast.p4:108 */
	if (subscribers_hit) {
		/* multicast.p4:109: Subscribers.ports.apply() */
		ports_entry = ports_find(p4xdp_bytes16(standard_egress_port, 0));
		if (!ports_entry)
			ports_entry = p4xdp_in_force8(&ports_default);
		switch (ports_entry->action) {
		case ports_send_from:
			/* multicast.p4:94 */
			hdr_ethernet_src = p4xdp_take48(ports_entry->u.send_from.mac);
			hdr_ethernet_changed1 = 1;
			break;
		case ports_drop:
		default:
			return XDP_DROP;
		}
	}
	if (standard_egress_spec != 511) {
		/* multicast.p4:116 */
		if (hdr_ipv4_valid && hdr_ipv4_ihl == 5) {
			hdr_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part1((hdr_ipv4_version << 4) |
					hdr_ipv4_ihl) + p4xdp_csum_second(hdr_ipv4_diffserv) +
					p4xdp_csum_part2(hdr_ipv4_total_len) +
					p4xdp_csum_part2(hdr_ipv4_identification) +
					p4xdp_csum_part2((__u16)(((__u32)((hdr_ipv4_identification << 3) |
					hdr_ipv4_flags) << 13) | hdr_ipv4_frag_offset)) +
					p4xdp_csum_part1(hdr_ipv4_ttl) +
					p4xdp_csum_second(hdr_ipv4_protocol) +
					p4xdp_csum_part4(hdr_ipv4_src) +
					p4xdp_csum_part4(hdr_ipv4_dst));
			hdr_ipv4_changed1 = 1;
		}
		if (hdr_udp_valid && hdr_udp_changed) {
			if (data + 42 > data_end)
				return XDP_ABORTED;
			p4xdp_put16(data + 36, hdr_udp_dst_port);
			p4xdp_store16(data + 40, 0);
		}
		if (hdr_ipv4_valid && (hdr_ipv4_changed || hdr_ipv4_changed1)) {
			if (data + 34 > data_end)
				return XDP_ABORTED;
			if (hdr_ipv4_changed) {
				p4xdp_store8(data + 22, hdr_ipv4_ttl);
				p4xdp_store32(data + 30, hdr_ipv4_dst);
			}
			if (hdr_ipv4_changed1)
				p4xdp_store16(data + 24, hdr_ipv4_checksum);
		}
		if (hdr_ethernet_valid && (hdr_ethernet_changed || hdr_ethernet_changed1)) {
			if (data + 14 > data_end)
				return XDP_ABORTED;
			if (hdr_ethernet_changed)
				p4xdp_put48(data, hdr_ethernet_dst);
			if (hdr_ethernet_changed1)
				p4xdp_put48(data + 6, hdr_ethernet_src);
		}
		if (is_copy || output_port == 510)
			return XDP_PASS;
		return p4xdp_redirect_map(ctx, &ports_, output_port);
	}
	return XDP_DROP;
}

SEC("xdp")
int multicast(struct xdp_md *ctx)
{
	return carry(ctx, P4XDP_NO_REPLICA);
}

SEC(P4XDP_COPIES)
int multicast_copies(struct xdp_md *ctx)
{
	if (p4xdp_is_copy(ctx))
		return carry(ctx, P4XDP_LEAVING);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
