/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from clone_egress.p4. */
#include <p4xdp.h>

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

/* the program for a packet that arrives, its second half for a copy on its way out */
static __always_inline int carry(struct xdp_md *ctx, enum p4xdp_replica replica)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 is_copy, hd_h_changed, hd_h_changed1 = 0, hd_h_b, hd_h_c = 0, hd_h_d = 0,
		hd_h_valid = 0, cloned_hd_h_b = 0, cloned_m_kept = 0, cloned_passes,
		passes = 0, hd_h_a = 0, is_leaving;
	__u32 copy_port = 0, copy_what, copy_point = 0, copy_found_copies, replicated;
	__u64 copy_found, copy_random;
	__u16 output_port, s_egress_spec = 0;

	is_copy = replica != P4XDP_NO_REPLICA;
	is_leaving = replica == P4XDP_LEAVING;
	if (is_copy) {
		if (data + 16 > data_end)
			return XDP_ABORTED;
		copy_port = replica == P4XDP_LEAVING ? p4xdp_copy_port(ctx,
				&interfaces) : p4xdp_looped_port(&copies, p4xdp_load32(data + 7),
				p4xdp_load8(data + 11), p4xdp_load32(data + 12),
				p4xdp_load16(data));
		copy_found = replica == P4XDP_LEAVING ? p4xdp_copy(&copies, &counted,
				p4xdp_load32(data + 7), p4xdp_load8(data + 11),
				p4xdp_load32(data + 12), copy_port,
				p4xdp_load32(data + 2)) : p4xdp_looped_copy(&copies,
				p4xdp_load32(data + 7), p4xdp_load8(data + 11),
				p4xdp_load32(data + 12), p4xdp_load16(data));
		copy_what = copy_found >> 32;
		if (p4xdp_load8(data + 6) == 0)
			return XDP_DROP;
		if (p4xdp_load8(data + 6) != 1)
			return XDP_DROP;
		if (data + 30 > data_end)
			return XDP_ABORTED;
		if (copy_what == 1) {
			hd_h_changed = (p4xdp_load8(data + 22) & 0x1) != 0;
			hd_h_changed1 = (p4xdp_load8(data + 23) & 0x1) != 0;
			hd_h_b = p4xdp_load8(data + 24);
			hd_h_c = p4xdp_load8(data + 25);
			hd_h_d = p4xdp_load8(data + 26);
			hd_h_valid = (p4xdp_load8(data + 27) & 0x1) != 0;
			output_port = p4xdp_load16(data + 28) & 0x1ff;
			if (bpf_xdp_adjust_head(ctx, 30))
				return XDP_ABORTED;
			data = p4xdp_data(ctx);
			data_end = p4xdp_data_end(ctx);
			goto then;
		}
		if (copy_what != 3)
			return XDP_DROP;
		cloned_hd_h_b = p4xdp_load8(data + 16);
		cloned_m_kept = p4xdp_load8(data + 20);
		cloned_passes = p4xdp_load8(data + 21);
		if (bpf_xdp_adjust_head(ctx, 30))
			return XDP_ABORTED;
		data = p4xdp_data(ctx);
		data_end = p4xdp_data_end(ctx);
		copy_point = 6;
		passes = cloned_passes;
	}
	if (data + 14 > data_end)
		goto then_2;
	if (data + 18 > data_end)
		goto then_2;
	hd_h_valid = 1;
	hd_h_a = p4xdp_load8(data + 14);
	hd_h_c = p4xdp_load8(data + 16);
	hd_h_d = p4xdp_load8(data + 17);
then_2:
	if (copy_point == 6) {
		hd_h_b = cloned_hd_h_b;
		hd_h_changed = 1;
		hd_h_changed1 = 1;
		output_port = copy_port & 0x1ff;
		/* clone_egress.p4:15 */
		hd_h_c = cloned_m_kept;
		/* clone_egress.p4:16 */
		hd_h_d = copy_port;
	} else {
		output_port = 1;
		/* clone_egress.p4:18 */
		hd_h_b = 119;
		hd_h_changed = 1;
		/* clone_egress.p4:22 */
		if (hd_h_a == 1) {
			/* clone_egress.p4:23 */
			s_egress_spec = 511;
		}
		if (!is_leaving && passes < 31) {
			copy_found_copies = p4xdp_find_copies(ctx, &copies, 5,
					s_egress_spec == 511 ? 1 : 2, 1);
			if (copy_found_copies != 0) {
				copy_random = p4xdp_random();
				if (bpf_xdp_adjust_head(ctx, -30))
					return XDP_ABORTED;
				data = p4xdp_data(ctx);
				data_end = p4xdp_data_end(ctx);
				if (data + 30 > data_end)
					return XDP_ABORTED;
				p4xdp_store16(data, 0);
				p4xdp_store32(data + 2, copy_random);
				p4xdp_store8(data + 6, 1);
				p4xdp_store32(data + 7, copy_found_copies == 2 ? 0xffffffff : 5);
				p4xdp_store8(data + 11,
						copy_found_copies == 3 ? 1 : (s_egress_spec == 511 ? 1 : 2));
				p4xdp_store32(data + 12, 1);
				p4xdp_store8(data + 16, 119);
				p4xdp_store8(data + 17, hd_h_c);
				p4xdp_store8(data + 18, hd_h_d);
				p4xdp_store16(data + 19, 17);
				p4xdp_store8(data + 21, passes + 1);
				p4xdp_store16(data + 22, 256);
				p4xdp_store8(data + 24, 119);
				p4xdp_store8(data + 25, hd_h_c);
				p4xdp_store8(data + 26, hd_h_d);
				p4xdp_store8(data + 27, hd_h_valid);
				p4xdp_store16(data + 28, 1);
				replicated = p4xdp_send_copies(ctx, &groups,
						copy_found_copies == 2 ? 0xffffffff : 5,
						copy_found_copies == 3 ? 1 : (s_egress_spec == 511 ? 1 : 2),
						1);
				return replicated;
			}
		}
		if (s_egress_spec == 511)
			return XDP_DROP;
	}
then:
	if (hd_h_valid && (hd_h_changed || hd_h_changed1)) {
		if (data + 18 > data_end)
			return XDP_ABORTED;
		if (hd_h_changed)
			p4xdp_store8(data + 15, hd_h_b);
		if (hd_h_changed1) {
			p4xdp_store8(data + 16, hd_h_c);
			p4xdp_store8(data + 17, hd_h_d);
		}
	}
	if (is_leaving || output_port == 510)
		return XDP_PASS;
	return p4xdp_redirect_map(ctx, &ports, output_port);
}

SEC("xdp")
int clone_egress(struct xdp_md *ctx)
{
	if (p4xdp_is_looped(ctx))
		return carry(ctx, P4XDP_LOOPED);
	return carry(ctx, P4XDP_NO_REPLICA);
}

SEC(P4XDP_COPIES)
int clone_egress_copies(struct xdp_md *ctx)
{
	if (p4xdp_is_copy(ctx))
		return carry(ctx, P4XDP_LEAVING);
	return XDP_PASS;
}

#ifdef __bpf__
SEC(P4XDP_COPIES)
int clone_egress_looped(struct xdp_md *ctx)
{
	return p4xdp_number_copy(ctx, &counted);
}
#endif

char _license[] SEC("license") = "Dual BSD/GPL";
