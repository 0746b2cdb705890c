/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from clone.p4. */
#include <p4xdp.h>

/* table Forward.watched */
enum watched_actions {
	watched_watch = 0,
	watched_ignore = 1,
};

struct watched_key {
	__be32 field0; /* hdr.ipv4.src: bit<32>, ternary */
	__be32 field1; /* hdr.ipv4.dst: bit<32>, ternary */
};

struct watched_value {
	enum watched_actions action;
	union {
		struct {
			__be32 session; /* bit<32> */
		} watch;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct watched_defaults {
	__u64 current;
	struct watched_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* Keys are stored masked. The greatest rank wins: of the greatest priority, the first. */
struct watched_entry {
	struct watched_key key;
	struct watched_key mask;
	__u32 priority;
	__u32 rank;
	struct watched_value value;
};

/* A mask that entries have, with the greatest rank of these (0: there is no mask), and slots. */
struct watched_mask {
	struct watched_key bits;
	__u32 best;
	__u32 slots;
	__u32 shift;
	__u8 pad0[4];
};

/* Masks with the best first; for each slot the first of its entries, which go up to the next's. */
struct watched_half {
	struct watched_mask masks[1024];
	__u32 slots[8194];
	struct watched_entry entries[1031];
};

/* table Forward.routes */
enum routes_actions {
	routes_forward = 0,
	routes_drop = 1,
};

struct routes_key {
	__u32 prefixlen; /* in bits */
	__be32 field0; /* hdr.ipv4.dst: bit<32>, lpm */
};

struct routes_value {
	enum routes_actions action;
	union {
		struct {
			__u8 next_hop[6]; /* bit<48> */
			__be16 port; /* bit<9> */
		} forward;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct routes_defaults {
	__u64 current;
	struct routes_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* table Reports.collectors */
enum collectors_actions {
	collectors_send_to = 0,
	collectors_drop = 1,
};

struct collectors_key {
	__be16 field0; /* standard.egress_port: bit<9>, exact */
	__u8 pad0[6];
};

struct collectors_value {
	enum collectors_actions action;
	union {
		struct {
			__u8 own_mac[6]; /* bit<48> */
			__u8 pad0[2];
			__be32 own_address; /* bit<32> */
			__u8 mac[6]; /* bit<48> */
			__u8 pad1[2];
			__be32 address; /* bit<32> */
			__be16 port; /* bit<16> */
			__u8 pad2[2];
		} send_to;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct collectors_defaults {
	__u64 current;
	struct collectors_value slots[2];
	__u8 room[216]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct watched_half);
} watched SEC(".maps");

__u64 watched_state SEC(".data.watched_state");

struct watched_defaults watched_default SEC(".data.watched_default") = {
	.current = 8,
	.slots[0].action = watched_ignore,
};

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, 1024);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct routes_key);
	__type(value, struct routes_value);
} routes SEC(".maps");

struct routes_defaults routes_default SEC(".data.routes_default") = {
	.current = 8,
	.slots[0].action = routes_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct collectors_key);
	__type(value, struct collectors_value);
} collectors SEC(".maps");

struct collectors_defaults collectors_default SEC(".data.collectors_default") = {
	.current = 8,
	.slots[0].action = collectors_drop,
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} reports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} ports SEC(".maps");

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
} groups SEC(".maps");
#endif

static __always_inline int watched_try(const struct watched_mask *mask, struct p4xdp_search *search)
{
	const struct watched_half *half = search->half;
	const struct watched_entry *entry;
	const __u32 *slot;
	__u32 first, count, i;
	__u64 masked[1];

	if (mask->best <= search->best)
		return 1;
	p4xdp_under_mask(masked, search->key, &mask->bits, sizeof(masked));
	slot = &half->slots[p4xdp_slot(masked, sizeof(masked), mask->slots, mask->shift) & 8191];
	first = slot[0];
	/* as if it might be more: the loop needs an end that the verifier sees */
	count = (slot[1] - first) & P4XDP_SLOT_DEPTH;
	if (!count || first >= 1024)
		return 0;
	entry = &half->entries[first];
	for (i = 0; i < count; i++, entry++) {
		if (p4xdp_is_key(masked, &entry->key, sizeof(masked))) {
			p4xdp_take_better(search, &entry->rank, first + i);
			return 0;
		}
	}
	return 0;
}

static long watched_round(__u32 round, void *context)
{
	struct p4xdp_search *outer = context, search = *outer;
	const struct watched_half *half = search.half;
	__u32 first = round * 16, i;
	int done = 0;

	if (first >= 1024)
		return 1;
	for (i = 0; i < 16 && !done; i++)
		done = watched_try(&half->masks[first + i], &search);
	outer->best = search.best;
	outer->found = search.found;
	return done;
}

static __always_inline struct watched_value *watched_find(__u64 word0)
{
	__u32 index = p4xdp_read_once(&watched_state) >> 32;
	struct watched_half *half = bpf_map_lookup_elem(&watched, &index);
	struct p4xdp_search search;
	__u64 key[] = { word0 };

	if (!half)
		return NULL;
	search.half = half;
	search.key = key;
	search.best = search.found = 0;
	bpf_loop(64, watched_round, &search, 0);
	if (!search.best || search.found >= 1024)
		return NULL;
	return &half->entries[search.found].value;
}

static __always_inline struct routes_value *routes_find(__u32 field0)
{
	struct routes_key key;

	key.prefixlen = 32;
	p4xdp_store32(&key.field0, field0);
	return bpf_map_lookup_elem(&routes, &key);
}

static __always_inline struct collectors_value *collectors_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&collectors, key);
}

/* the program for a packet that arrives, its second half for a copy on its way out */
static __always_inline int carry(struct xdp_md *ctx, enum p4xdp_replica replica)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	struct {
		__u64 hdr_ethernet_dst, hdr_ethernet_src, hdr_outer_ethernet_dst,
			hdr_outer_ethernet_src;
		__u32 copy_port, hdr_ipv4_dst, hdr_ipv4_src, cloned_meta_sequence, copy_point,
			truncated_to, hdr_report_sequence, hdr_outer_ipv4_src,
			hdr_outer_ipv4_dst, meta_sequence, clone_session, _growth;
		__u16 hdr_ipv4_frag_offset, hdr_ipv4_identification, hdr_ipv4_total_len,
			cloned_meta_came_by, hdr_report_port, hdr_report_length,
			hdr_outer_udp_src_port, hdr_outer_udp_dst_port,
			hdr_outer_udp_length, hdr_outer_ipv4_total_len,
			hdr_outer_ethernet_type, meta_came_by, clone_,
			hdr_outer_ipv4_checksum, hdr_ipv4_checksum;
		__u8 hdr_ethernet_changed, hdr_ethernet_valid, hdr_ipv4_changed, hdr_ipv4_diffserv,
			hdr_ipv4_flags, hdr_ipv4_ihl, hdr_ipv4_protocol, hdr_ipv4_ttl,
			hdr_ipv4_valid, hdr_ipv4_version, truncated, hdr_report_valid,
			hdr_outer_udp_valid, hdr_outer_ipv4_valid, hdr_outer_ipv4_version,
			hdr_outer_ipv4_ihl, hdr_outer_ipv4_ttl, hdr_outer_ipv4_protocol,
			hdr_outer_ethernet_valid, hdr_ipv4_changed1;
	} kept = { 0 };
	__u8 is_copy;
	__u64 copy_found, copy_random;
	__u32 copy_what, standard_packet_length, length, cell, copy_found_copies, replicated,
		verdict;
	__u16 output_port, port_1, total, standard_ingress_port, standard_egress_spec;
	struct collectors_value *collectors_entry;
	struct watched_value *watched_entry;
	struct routes_value *routes_entry;
	void *_out;

	p4xdp_in_memory(kept);
	is_copy = replica != P4XDP_NO_REPLICA;
	standard_ingress_port = p4xdp_input_port_in(ctx, &interfaces);
	if (is_copy) {
		if (data + 14 > data_end)
			return XDP_ABORTED;
		kept.copy_port = p4xdp_copy_port(ctx, &interfaces);
		copy_found = p4xdp_copy(&copies, &counted, p4xdp_load32(data + 5),
				p4xdp_load8(data + 9), p4xdp_load32(data + 10), kept.copy_port,
				p4xdp_load32(data));
		copy_what = copy_found >> 32;
		if (p4xdp_load8(data + 4) != 0)
			return XDP_DROP;
		if (data + 66 > data_end)
			return XDP_ABORTED;
		if (copy_what == 1) {
			kept.hdr_ethernet_changed = (p4xdp_load8(data + 20) & 0x1) != 0;
			kept.hdr_ethernet_dst = p4xdp_take48(data + 21);
			kept.hdr_ethernet_src = p4xdp_take48(data + 27);
			kept.hdr_ethernet_valid = (p4xdp_load8(data + 33) & 0x1) != 0;
			kept.hdr_ipv4_changed = (p4xdp_load8(data + 34) & 0x1) != 0;
			kept.hdr_ipv4_diffserv = p4xdp_load8(data + 35);
			kept.hdr_ipv4_dst = p4xdp_load32(data + 36);
			kept.hdr_ipv4_flags = p4xdp_load8(data + 40) & 0x7;
			kept.hdr_ipv4_frag_offset = p4xdp_load16(data + 41) & 0x1fff;
			kept.hdr_ipv4_identification = p4xdp_load16(data + 43);
			kept.hdr_ipv4_ihl = p4xdp_load8(data + 45) & 0xf;
			kept.hdr_ipv4_protocol = p4xdp_load8(data + 46);
			kept.hdr_ipv4_src = p4xdp_load32(data + 47);
			kept.hdr_ipv4_total_len = p4xdp_load16(data + 51);
			kept.hdr_ipv4_ttl = p4xdp_load8(data + 53);
			kept.hdr_ipv4_valid = (p4xdp_load8(data + 54) & 0x1) != 0;
			kept.hdr_ipv4_version = p4xdp_load8(data + 55) & 0xf;
			if (bpf_xdp_adjust_head(ctx, 66))
				return XDP_ABORTED;
			data = p4xdp_data(ctx);
			data_end = p4xdp_data_end(ctx);
			output_port = kept.copy_port & 0x1ff;
			goto then;
		}
		if (copy_what != 3)
			return XDP_DROP;
		kept.cloned_meta_came_by = p4xdp_load16(data + 14) & 0x1ff;
		kept.cloned_meta_sequence = p4xdp_take32(data + 16);
		if (bpf_xdp_adjust_head(ctx, 66))
			return XDP_ABORTED;
		data = p4xdp_data(ctx);
		data_end = p4xdp_data_end(ctx);
		kept.copy_point = 3;
	}
	standard_packet_length = data_end - data;
	if (data + 14 > data_end)
		goto then_2;
	kept.hdr_ethernet_valid = 1;
	kept.hdr_ethernet_dst = p4xdp_take48(data);
	/* clone.p4:42 */
	if (p4xdp_load16(data + 12) == 0x800) {
		if (data + 34 > data_end)
			goto then_2;
		kept.hdr_ipv4_valid = 1;
		kept.hdr_ipv4_version = p4xdp_load8(data + 14) >> 4;
		kept.hdr_ipv4_ihl = p4xdp_load8(data + 14) & 0xf;
		kept.hdr_ipv4_diffserv = p4xdp_load8(data + 15);
		kept.hdr_ipv4_total_len = p4xdp_load16(data + 16);
		kept.hdr_ipv4_identification = p4xdp_load16(data + 18);
		kept.hdr_ipv4_flags = p4xdp_load8(data + 20) >> 5;
		kept.hdr_ipv4_frag_offset = p4xdp_load16(data + 20) & 0x1fff;
		kept.hdr_ipv4_ttl = p4xdp_load8(data + 22);
		kept.hdr_ipv4_protocol = p4xdp_load8(data + 23);
		kept.hdr_ipv4_src = p4xdp_load32(data + 26);
		kept.hdr_ipv4_dst = p4xdp_load32(data + 30);
	}
then_2:
	if (kept.copy_point == 3) {
		output_port = kept.copy_port & 0x1ff;
		/* clone.p4:147: Reports.collectors.apply() */
		collectors_entry = collectors_find(p4xdp_bytes16(kept.copy_port & 0x1ff, 0));
		if (!collectors_entry)
			collectors_entry = p4xdp_in_force8(&collectors_default);
		switch (collectors_entry->action) {
		case collectors_send_to:
			port_1 = p4xdp_take16(&collectors_entry->u.send_to.port);
			/* clone.p4:119 */
			length = standard_packet_length;
			/* clone.p4:120 */
			if (standard_packet_length > 96) {
				/* clone.p4:121 */
				length = 96;
				/* clone.p4:122 */
				kept.truncated = 1;
				kept.truncated_to = 146;
			}
			/* clone.p4:124 */
			kept.hdr_report_valid = 1;
			/* clone.p4:125 */
			kept.hdr_report_port = kept.cloned_meta_came_by;
			kept.hdr_report_length = standard_packet_length;
			kept.hdr_report_sequence = kept.cloned_meta_sequence;
			/* clone.p4:126 */
			total = length + 16;
			/* clone.p4:127 */
			kept.hdr_outer_udp_valid = 1;
			/* clone.p4:128 */
			kept.hdr_outer_udp_src_port = port_1;
			kept.hdr_outer_udp_dst_port = port_1;
			kept.hdr_outer_udp_length = total;
			/* clone.p4:129 */
			kept.hdr_outer_ipv4_valid = 1;
			/* clone.p4:130 */
			kept.hdr_outer_ipv4_version = 4;
			kept.hdr_outer_ipv4_ihl = 5;
			kept.hdr_outer_ipv4_total_len = total + 20;
			kept.hdr_outer_ipv4_ttl = 64;
			kept.hdr_outer_ipv4_protocol = 17;
			kept.hdr_outer_ipv4_src = p4xdp_load32(&collectors_entry->u.send_to.own_address);
			kept.hdr_outer_ipv4_dst = p4xdp_load32(&collectors_entry->u.send_to.address);
			/* clone.p4:132 */
			kept.hdr_outer_ethernet_valid = 1;
			/* clone.p4:133 */
			kept.hdr_outer_ethernet_dst = p4xdp_take48(collectors_entry->u.send_to.mac);
			kept.hdr_outer_ethernet_src = p4xdp_take48(collectors_entry->u.send_to.own_mac);
			kept.hdr_outer_ethernet_type = 0x800;
			goto then;
		case collectors_drop:
		default:
			return XDP_DROP;
		}
	}
	if (!kept.hdr_ipv4_valid)
		return XDP_DROP;
	if (data + 15 > data_end)
		return XDP_ABORTED;
	if ((p4xdp_load8(data + 14) >> 4) != 4)
		return XDP_DROP;
	if ((p4xdp_load8(data + 14) & 0xf) != 5)
		return XDP_DROP;
	if (data + 23 > data_end)
		return XDP_ABORTED;
	/* clone.p4:101 */
	if (p4xdp_load8(data + 22) <= 1)
		return XDP_DROP;
	if (data + 34 > data_end)
		return XDP_ABORTED;
	/* clone.p4:103: Forward.watched.apply() */
	watched_entry = watched_find(p4xdp_copy64(data + 26, 0));
	if (!watched_entry)
		watched_entry = p4xdp_in_force8(&watched_default);
	switch (watched_entry->action) {
	case watched_watch:
		/* clone.p4:81 */
		kept.meta_came_by = standard_ingress_port;
		/* clone.p4:82 */
		cell = p4xdp_read32(&reports, 0, 0);
		/* clone.p4:83 */
		kept.meta_sequence = cell + 1;
		/* clone.p4:84 */
		p4xdp_write32(&reports, 0, 0, cell + 1);
		/* clone.p4:85 */
		kept.clone_session = p4xdp_load32(&watched_entry->u.watch.session);
		kept.clone_ = 2;
		break;
	case watched_ignore:
	default:
		break;
	}
	/* clone.p4:104: Forward.routes.apply() */
	routes_entry = routes_find(p4xdp_load32(data + 30));
	if (!routes_entry)
		routes_entry = p4xdp_in_force8(&routes_default);
	switch (routes_entry->action) {
	case routes_forward:
		/* clone.p4:64 */
		kept.hdr_ethernet_src = p4xdp_take48(data);
		/* clone.p4:65 */
		kept.hdr_ethernet_dst = p4xdp_take48(routes_entry->u.forward.next_hop);
		kept.hdr_ethernet_changed = 1;
		/* clone.p4:66 */
		kept.hdr_ipv4_ttl = p4xdp_load8(data + 22) - 1;
		kept.hdr_ipv4_changed = 1;
		/* clone.p4:67 */
		standard_egress_spec = (p4xdp_load16(&routes_entry->u.forward.port) & 0x1ff);
		break;
	case routes_drop:
	default:
		/* clone.p4:61 */
		standard_egress_spec = 511;
		break;
	}
	if (kept.clone_ != 0) {
		copy_found_copies = p4xdp_find_copies(ctx, &copies,
				kept.clone_ != 0 ? kept.clone_session : 0xffffffff,
				standard_egress_spec == 511 ? 1 : 2, standard_egress_spec);
		if (copy_found_copies != 0) {
			copy_random = p4xdp_random();
			if (bpf_xdp_adjust_head(ctx, -66))
				return XDP_ABORTED;
			data = p4xdp_data(ctx);
			data_end = p4xdp_data_end(ctx);
			if (data + 66 > data_end)
				return XDP_ABORTED;
			p4xdp_store32(data, copy_random);
			p4xdp_store8(data + 4, 0);
			p4xdp_store32(data + 5,
					copy_found_copies == 2 ? 0xffffffff : (kept.clone_ != 0 ? kept.clone_session : 0xffffffff));
			p4xdp_store8(data + 9,
					copy_found_copies == 3 ? 1 : (standard_egress_spec == 511 ? 1 : 2));
			p4xdp_store32(data + 10, standard_egress_spec);
			p4xdp_store16(data + 14, kept.meta_came_by);
			p4xdp_store32(data + 16, kept.meta_sequence);
			p4xdp_store8(data + 20, kept.hdr_ethernet_changed);
			p4xdp_put48(data + 21, kept.hdr_ethernet_dst);
			p4xdp_put48(data + 27, kept.hdr_ethernet_src);
			p4xdp_store8(data + 33, kept.hdr_ethernet_valid);
			p4xdp_store8(data + 34, kept.hdr_ipv4_changed);
			p4xdp_store8(data + 35, kept.hdr_ipv4_diffserv);
			p4xdp_store32(data + 36, kept.hdr_ipv4_dst);
			p4xdp_store8(data + 40, kept.hdr_ipv4_flags);
			p4xdp_store16(data + 41, kept.hdr_ipv4_frag_offset);
			p4xdp_store16(data + 43, kept.hdr_ipv4_identification);
			p4xdp_store8(data + 45, kept.hdr_ipv4_ihl);
			p4xdp_store8(data + 46, kept.hdr_ipv4_protocol);
			p4xdp_store32(data + 47, kept.hdr_ipv4_src);
			p4xdp_store16(data + 51, kept.hdr_ipv4_total_len);
			p4xdp_store8(data + 53, kept.hdr_ipv4_ttl);
			p4xdp_store8(data + 54, 1);
			p4xdp_store8(data + 55, kept.hdr_ipv4_version);
			p4xdp_store16(data + 56, kept.meta_came_by);
			p4xdp_store32(data + 58, kept.meta_sequence);
			p4xdp_store32(data + 62, standard_packet_length);
			replicated = p4xdp_send_copies(ctx, &groups,
					copy_found_copies == 2 ? 0xffffffff : (kept.clone_ != 0 ? kept.clone_session : 0xffffffff),
					copy_found_copies == 3 ? 1 : (standard_egress_spec == 511 ? 1 : 2),
					standard_egress_spec);
			return replicated;
		}
	}
	if (standard_egress_spec == 511)
		return XDP_DROP;
	output_port = standard_egress_spec;
then:
	/* clone.p4:154 */
	if (kept.hdr_outer_ipv4_valid) {
		kept.hdr_outer_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part2((((__u32)((kept.hdr_outer_ipv4_version << 4) |
				kept.hdr_outer_ipv4_ihl) << 24) |
				kept.hdr_outer_ipv4_total_len) >> 16) +
				p4xdp_csum_part2(kept.hdr_outer_ipv4_total_len) +
				p4xdp_csum_part4(0) + p4xdp_csum_part1(kept.hdr_outer_ipv4_ttl) +
				p4xdp_csum_second(kept.hdr_outer_ipv4_protocol) +
				p4xdp_csum_part4(kept.hdr_outer_ipv4_src) +
				p4xdp_csum_part4(kept.hdr_outer_ipv4_dst));
	} else if (kept.hdr_ipv4_valid && kept.hdr_ipv4_ihl == 5) {
		/* clone.p4:161 */
		kept.hdr_ipv4_checksum = p4xdp_csum_fold(p4xdp_csum_part1((kept.hdr_ipv4_version << 4) |
				kept.hdr_ipv4_ihl) + p4xdp_csum_second(kept.hdr_ipv4_diffserv) +
				p4xdp_csum_part2(kept.hdr_ipv4_total_len) +
				p4xdp_csum_part2(kept.hdr_ipv4_identification) +
				p4xdp_csum_part2((__u16)(((__u32)((kept.hdr_ipv4_identification << 3) |
				kept.hdr_ipv4_flags) << 13) | kept.hdr_ipv4_frag_offset)) +
				p4xdp_csum_part1(kept.hdr_ipv4_ttl) +
				p4xdp_csum_second(kept.hdr_ipv4_protocol) +
				p4xdp_csum_part4(kept.hdr_ipv4_src) +
				p4xdp_csum_part4(kept.hdr_ipv4_dst));
		kept.hdr_ipv4_changed1 = 1;
		goto then_4;
	}
	if (!(kept.hdr_ipv4_valid && kept.hdr_ipv4_changed)) {
		verdict = (is_copy ||
				output_port == 510) ? XDP_PASS : output_port == standard_ingress_port ? XDP_TX : XDP_REDIRECT;
		goto then_3;
	}
then_4:
	verdict = (is_copy ||
			output_port == 510) ? XDP_PASS : output_port == standard_ingress_port ? XDP_TX : XDP_REDIRECT;
	if (data + 34 > data_end)
		return XDP_ABORTED;
	if (kept.hdr_ipv4_changed)
		p4xdp_store8(data + 22, kept.hdr_ipv4_ttl);
	if (kept.hdr_ipv4_changed1)
		p4xdp_store16(data + 24, kept.hdr_ipv4_checksum);
then_3:
	if (kept.hdr_ethernet_valid && kept.hdr_ethernet_changed) {
		if (data + 14 > data_end)
			return XDP_ABORTED;
		p4xdp_put48(data, kept.hdr_ethernet_dst);
		p4xdp_put48(data + 6, kept.hdr_ethernet_src);
	}
	if (!(!kept.hdr_outer_ethernet_valid && !kept.hdr_outer_ipv4_valid &&
			!kept.hdr_outer_udp_valid && !kept.hdr_report_valid)) {
		if (kept.hdr_outer_ethernet_valid)
			kept._growth = 14;
		if (kept.hdr_outer_ipv4_valid)
			kept._growth = kept._growth + 20;
		if (kept.hdr_outer_udp_valid)
			kept._growth = kept._growth + 8;
		if (kept.hdr_report_valid)
			kept._growth = kept._growth + 8;
		if (kept._growth != 0) {
			/* clone.p4:172 */
			if (bpf_xdp_adjust_head(ctx, -kept._growth))
				return XDP_ABORTED;
			data = p4xdp_data(ctx);
			data_end = p4xdp_data_end(ctx);
		}
		_out = data;
		if (kept.hdr_outer_ethernet_valid) {
			if (data + 14 > data_end)
				return XDP_ABORTED;
			p4xdp_put48(data, kept.hdr_outer_ethernet_dst);
			p4xdp_put48(data + 6, kept.hdr_outer_ethernet_src);
			p4xdp_store16(data + 12, kept.hdr_outer_ethernet_type);
			_out = data + 14;
		}
		if (kept.hdr_outer_ipv4_valid) {
			if (_out + 20 > data_end)
				return XDP_ABORTED;
			p4xdp_store8(_out, (kept.hdr_outer_ipv4_version << 4) |
					kept.hdr_outer_ipv4_ihl);
			p4xdp_store8(_out + 1, 0);
			p4xdp_store16(_out + 2, kept.hdr_outer_ipv4_total_len);
			p4xdp_store32(_out + 4, 0);
			p4xdp_store8(_out + 8, kept.hdr_outer_ipv4_ttl);
			p4xdp_store8(_out + 9, kept.hdr_outer_ipv4_protocol);
			p4xdp_store16(_out + 10, kept.hdr_outer_ipv4_checksum);
			p4xdp_store32(_out + 12, kept.hdr_outer_ipv4_src);
			p4xdp_store32(_out + 16, kept.hdr_outer_ipv4_dst);
			_out = _out + 20;
		}
		if (kept.hdr_outer_udp_valid) {
			if (_out + 8 > data_end)
				return XDP_ABORTED;
			p4xdp_put16(_out, kept.hdr_outer_udp_src_port);
			p4xdp_put16(_out + 2, kept.hdr_outer_udp_dst_port);
			p4xdp_store16(_out + 4, kept.hdr_outer_udp_length);
			p4xdp_store16(_out + 6, 0);
			_out = _out + 8;
		}
		if (kept.hdr_report_valid) {
			if (_out + 8 > data_end)
				return XDP_ABORTED;
			p4xdp_store16(_out, kept.hdr_report_port);
			p4xdp_store16(_out + 2, kept.hdr_report_length);
			p4xdp_put32(_out + 4, kept.hdr_report_sequence);
		}
	}
	if (kept.truncated)
		p4xdp_truncate(ctx, kept.truncated_to);
	if (verdict == XDP_REDIRECT)
		return p4xdp_redirect_map(ctx, &ports, output_port);
	return verdict;
}

SEC("xdp")
int clone(struct xdp_md *ctx)
{
	return carry(ctx, P4XDP_NO_REPLICA);
}

SEC(P4XDP_COPIES)
int clone_copies(struct xdp_md *ctx)
{
	if (p4xdp_is_copy(ctx))
		return carry(ctx, P4XDP_LEAVING);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
