/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from learning_switch.p4. */
#include <p4xdp.h>

/* table Switch.sources */
enum sources_actions {
	sources_known = 0,
	sources_learn = 1,
};

struct sources_key {
	__u8 field0[6]; /* hdr.ethernet.src: bit<48>, exact */
	__be16 field1; /* standard.ingress_port: bit<9>, exact */
};

struct sources_value {
	enum sources_actions action;
	union {
		struct {
			__be32 _cell; /* bit<32> */
		} known;
		struct {
			__be32 _cell; /* bit<32> */
		} learn;
	} u;
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct sources_defaults {
	__u64 current;
	struct sources_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* table Switch.destinations */
enum destinations_actions {
	destinations_forward = 0,
	destinations_flood = 1,
};

struct destinations_key {
	__u8 field0[6]; /* hdr.ethernet.dst: bit<48>, exact */
	__u8 pad0[2];
};

struct destinations_value {
	enum destinations_actions action;
	union {
		struct {
			__be16 port; /* bit<9> */
		} forward;
	} u;
	__u8 pad0[2];
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct destinations_defaults {
	__u64 current;
	struct destinations_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct learn_message {
	struct p4xdp_message head;
	__u8 source[6]; /* source: bit<48> */
	__be16 port; /* port: bit<9> */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct sources_key);
	__type(value, struct sources_value);
} sources SEC(".maps");

struct sources_defaults sources_default SEC(".data.sources_default") = {
	.current = 8,
	.slots[0].action = sources_learn,
	.slots[0].u.learn._cell = p4xdp_swap32(0xffffffff),
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, struct destinations_key);
	__type(value, struct destinations_value);
} destinations SEC(".maps");

struct destinations_defaults destinations_default SEC(".data.destinations_default") = {
	.current = 8,
	.slots[0].action = destinations_flood,
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct p4xdp_last_hit);
} sources_last_hit SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1048576);
} messages SEC(".maps");

__u64 messages_lost SEC(".data.messages_lost");

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

static __always_inline struct sources_value *sources_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&sources, key);
}

static __always_inline struct destinations_value *destinations_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&destinations, key);
}

/* digest learn_t */
static __always_inline void learn_send(__u32 receiver, __u64 source, __u16 port)
{
	struct learn_message *to = bpf_ringbuf_reserve(&messages, sizeof(*to), 0);

	if (!to) {
		p4xdp_lost(&messages_lost);
		return;
	}
	p4xdp_message(&to->head, P4XDP_DIGEST, 0, receiver);
	p4xdp_store48(to->source, source);
	p4xdp_store16(&to->port, port);
	bpf_ringbuf_submit(to, 0);
}

/* the program for a packet that arrives, its second half for a copy on its way out */
static __always_inline int carry(struct xdp_md *ctx, enum p4xdp_replica replica)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 is_copy;
	__u32 copy_port, copy_found_copies, replicated, verdict;
	__u64 copy_found, now, now_1, copy_random;
	__u16 output_port, standard_egress_port, standard_ingress_port, port;
	struct sources_value *sources_entry;
	struct destinations_value *destinations_entry;

	is_copy = replica != P4XDP_NO_REPLICA;
	standard_ingress_port = p4xdp_input_port_in(ctx, &interfaces);
	if (is_copy) {
		if (data + 14 > data_end)
			return XDP_ABORTED;
		copy_port = p4xdp_copy_port(ctx, &interfaces);
		copy_found = p4xdp_copy(&copies, &counted, p4xdp_load32(data + 5),
				p4xdp_load8(data + 9), p4xdp_load32(data + 10), copy_port,
				p4xdp_load32(data));
		if (p4xdp_load8(data + 4) == 0) {
			if ((copy_found >> 32) == 2) {
				if (bpf_xdp_adjust_head(ctx, 14))
					return XDP_ABORTED;
				output_port = copy_port & 0x1ff;
				standard_egress_port = copy_port & 0x1ff;
				goto then;
			}
		}
		return XDP_DROP;
	}
	if (data + 14 > data_end)
		return XDP_DROP;
	/* learning_switch.p4:80: Switch.sources.apply() */
	sources_entry = sources_find(p4xdp_head48(data + 6, 0) |
			p4xdp_bytes16(standard_ingress_port, 6));
	if (!sources_entry)
		sources_entry = p4xdp_in_force8(&sources_default);
	switch (sources_entry->action) {
	case sources_known:
		now = bpf_ktime_get_ns();
		p4xdp_hit(&sources_last_hit, p4xdp_load32(&sources_entry->u.known._cell), now);
		break;
	case sources_learn:
	default:
		now_1 = bpf_ktime_get_ns();
		p4xdp_hit(&sources_last_hit, p4xdp_load32(&sources_entry->u.learn._cell), now_1);
		/* learning_switch.p4:40 */
		learn_send(1, p4xdp_load48(data + 6), standard_ingress_port);
		break;
	}
	/* learning_switch.p4:81: Switch.destinations.apply() */
	destinations_entry = destinations_find(p4xdp_head48(data, 0));
	if (!destinations_entry)
		destinations_entry = p4xdp_in_force8(&destinations_default);
	switch (destinations_entry->action) {
	case destinations_forward:
		port = p4xdp_load16(&destinations_entry->u.forward.port) & 0x1ff;
		/* learning_switch.p4:82 */
		if (port == standard_ingress_port)
			return XDP_DROP;
		if (port == 511)
			return XDP_DROP;
		output_port = port;
		standard_egress_port = port;
		break;
	case destinations_flood:
	default:
		copy_found_copies = p4xdp_find_copies(ctx, &copies, 0xffffffff, 3, 1);
		if (copy_found_copies != 0) {
			copy_random = p4xdp_random();
			if (bpf_xdp_adjust_head(ctx, -14))
				return XDP_ABORTED;
			data = p4xdp_data(ctx);
			data_end = p4xdp_data_end(ctx);
			if (data + 14 > data_end)
				return XDP_ABORTED;
			p4xdp_store32(data, copy_random);
			p4xdp_store8(data + 4, 0);
			p4xdp_store32(data + 5, 0xffffffff);
			p4xdp_store8(data + 9, copy_found_copies == 3 ? 1 : 3);
			p4xdp_store32(data + 10, 1);
			replicated = p4xdp_send_copies(ctx, &groups, 0xffffffff,
					copy_found_copies == 3 ? 1 : 3, 1);
			return replicated;
		}
		return XDP_DROP;
	}
then:
	/* learning_switch.p4:91 */
	if (standard_egress_port == standard_ingress_port)
		return XDP_DROP;
	verdict = (is_copy ||
			output_port == 510) ? XDP_PASS : output_port == standard_ingress_port ? XDP_TX : XDP_REDIRECT;
	if (verdict == XDP_REDIRECT)
		return p4xdp_redirect_map(ctx, &ports, output_port);
	return verdict;
}

SEC("xdp")
int learning_switch(struct xdp_md *ctx)
{
	return carry(ctx, P4XDP_NO_REPLICA);
}

SEC(P4XDP_COPIES)
int learning_switch_copies(struct xdp_md *ctx)
{
	if (p4xdp_is_copy(ctx))
		return carry(ctx, P4XDP_LEAVING);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
