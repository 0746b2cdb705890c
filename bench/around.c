// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * What is measured beside the programs, and around them.
 *
 * A repeated test run uses one buffer over and over. For a program that changes its packet,
 * `restore` puts length and head back and calls the program behind it; `bare` and `moved` in the
 * program's place calibrate what that costs, without and with a head that was moved.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define HEAD 64

struct saved {
	__u64 head[HEAD / 8];
	__u32 length;
	__s32 move; /* what `moved` does to the head */
};

volatile struct saved saved SEC(".data.saved");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} following SEC(".maps");

SEC("xdp")
int restore(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	int grown = (int)(data_end - data) - (int)saved.length;
	__u64 *word;
	int i;

	if (grown) {
		if (bpf_xdp_adjust_head(ctx, grown))
			return XDP_ABORTED;
		data_end = (void *)(long)ctx->data_end;
		data = (void *)(long)ctx->data;
	}
	if (data + HEAD > data_end)
		return XDP_ABORTED;
	word = data;
#pragma unroll
	for (i = 0; i < HEAD / 8; i++)
		word[i] = saved.head[i];
	bpf_tail_call(ctx, &following, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int bare(struct xdp_md *ctx)
{
	return XDP_DROP;
}

SEC("xdp")
int moved(struct xdp_md *ctx)
{
	if (bpf_xdp_adjust_head(ctx, saved.move))
		return XDP_ABORTED;
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
