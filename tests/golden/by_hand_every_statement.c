/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from demo.p4. */
#include <p4xdp.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} packets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u64);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} tx_ports SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__type(key, __u32);
	__type(value, __u32);
} packets_ SEC(".maps");

SEC("xdp")
int every_statement(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u32 length, sent, output_output_port = 0;
	__u64 time, offset;
	void *options;
	struct p4xdp_event event;

	/* demo.p4:20 */
	if (data + 54 > data_end)
		return XDP_ABORTED;
	/* demo.p4:21 */
	length = data_end - data;
	/* demo.p4:22 */
	p4xdp_count(&packets, p4xdp_load8(data + 1), 1);
	/* demo.p4:23 */
	p4xdp_count_sparse(&flows, p4xdp_load32(data + 4), length);
	/* demo.p4:24 */
	time = bpf_ktime_get_ns();
	/* demo.p4:25 */
	event.input_port = p4xdp_input_port(ctx);
	event.length = data_end - data;
	sent = bpf_perf_event_output(ctx, &packets_,
			(__u64)event.length << 32 | BPF_F_CURRENT_CPU, &event, sizeof(event));
	if ((time & 0x1) == 1) {
		/* demo.p4:40 */
		if (bpf_xdp_adjust_head(ctx, -4))
			return XDP_ABORTED;
		data = p4xdp_data(ctx);
		data_end = p4xdp_data_end(ctx);
		/* demo.p4:20 */
		if (data + 20 > data_end)
			return XDP_ABORTED;
		/* demo.p4:41 */
		p4xdp_store16(data + 12, 0x8100);
		/* demo.p4:42 */
		p4xdp_store24(data + 14, p4xdp_load24(data + 14) + 1);
	}
	/* demo.p4:30 */
	offset = (p4xdp_load8(data) & 0xf) << 2;
	/* clang drops a mask that it can do without; the verifier cannot */
	p4xdp_opaque(offset);
	options = data + 14 + (offset & 63);
	/* one sum for all uses: to the verifier, each sum is another pointer */
	p4xdp_opaque(options);
	/* demo.p4:20 */
	if (options + 20 > data_end)
		return XDP_ABORTED;
	/* demo.p4:31 */
	p4xdp_store16(options + 1, 5);
	/* demo.p4:49 */
	switch (p4xdp_load8(data + 1)) {
	case 1:
	case 2:
		/* demo.p4:50 */
		output_output_port = 9;
		break;
	case 3:
		/* demo.p4:53 */
		goto done;
	default:
		goto done;
	}
done:
	if (sent == 0) {
		/* demo.p4:61 */
		return p4xdp_redirect_map(ctx, &tx_ports, output_output_port);
	}
	/* demo.p4:62 */
	return XDP_TX;
}

char _license[] SEC("license") = "Dual BSD/GPL";
