/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from recirculate.p4. */
#include <p4xdp.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} again SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

int recirculate(struct xdp_md *ctx);

/* the program itself, for packets that go through it once more */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(values, int(struct xdp_md *));
} itself SEC(".maps") = {
	.values = {
		[0] = &recirculate,
	},
};

SEC("xdp")
int recirculate(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 comes_again, passes = 0, kept_, m_kept = 0, kept_1, m_both = 0, hd_h_d, hd_h_c;
	__u32 s_instance_type = 0;
	__u16 recirculate_ = 0;

	comes_again = p4xdp_read8(&again, 0, 0);
	if (comes_again != 0) {
		s_instance_type = comes_again;
		passes = p4xdp_read8(&again, 0, 1);
		p4xdp_write8(&again, 0, 0, 0);
		kept_ = p4xdp_read8(&again, 0, 2);
		m_kept = kept_;
		kept_1 = p4xdp_read8(&again, 0, 3);
		m_both = kept_1;
	}
	if (data + 18 > data_end)
		return p4xdp_redirect_map(ctx, &ports, 1);
	/* recirculate.p4:17 */
	if (p4xdp_load8(data + 14) != 0) {
		/* recirculate.p4:9 */
		hd_h_d = p4xdp_load8(data + 17) + s_instance_type;
		/* recirculate.p4:15 */
		hd_h_c = m_kept;
		/* recirculate.p4:16 */
		m_kept = m_kept + 1;
		/* recirculate.p4:18 */
		recirculate_ = 2;
		/* recirculate.p4:19 */
		if (p4xdp_load8(data + 14) != 255)
			p4xdp_store8(data + 14, p4xdp_load8(data + 14) - 1);
	} else {
		/* recirculate.p4:9 */
		hd_h_d = p4xdp_load8(data + 17) + s_instance_type;
		/* recirculate.p4:15 */
		hd_h_c = m_kept;
		/* recirculate.p4:16 */
		m_kept = m_kept + 1;
	}
	p4xdp_store8(data + 16, hd_h_c);
	p4xdp_store8(data + 17, hd_h_d);
	if (recirculate_ != 0) {
		if (passes < 31) {
			p4xdp_write8(&again, 0, 2, recirculate_ == 2 ? m_kept : 0);
			p4xdp_write8(&again, 0, 3, recirculate_ == 2 ? m_both : 0);
			p4xdp_write8(&again, 0, 1, (__u8)(passes + 1));
			p4xdp_write8(&again, 0, 0, 4);
			bpf_tail_call(ctx, &itself, 0);
			p4xdp_write8(&again, 0, 0, 0);
		}
		return XDP_DROP;
	}
	return p4xdp_redirect_map(ctx, &ports, 1);
}

char _license[] SEC("license") = "Dual BSD/GPL";
