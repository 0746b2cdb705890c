// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
/*
 * In front of a table's program: writes the key of one of `count` entries into the packet, each time
 * another at random or always the same, and calls the program behind it.
 */
#include <linux/bpf.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

struct wanted {
	__u64 state; /* of the random numbers, never 0 */
	__u32 count;
	__u32 random;
};

struct wanted wanted SEC(".data.wanted");

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} following SEC(".maps");

SEC("xdp")
int keys(struct xdp_md *ctx)
{
	void *data_end = (void *)(long)ctx->data_end;
	void *data = (void *)(long)ctx->data;
	__u64 state = wanted.state, number;

	if (data + 64 > data_end)
		return XDP_ABORTED;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	wanted.state = state;
	number = wanted.random ? (state >> 32) * wanted.count >> 32 : 0;
	*(__u64 *)(data + 16) = bpf_cpu_to_be64((number + 1) * 0x9e3779b97f4a7c15ULL);
	bpf_tail_call(ctx, &following, 0);
	return XDP_ABORTED;
}

SEC("xdp")
int bare(struct xdp_md *ctx)
{
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";
