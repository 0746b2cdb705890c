/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from directions.p4. */
#include <p4xdp.h>

/* Pair, as functions in C get it */
struct Pair {
	__u16 x; /* 16 bits */
	__u8 flag;
};

/* H, as functions in C get it */
struct H {
	__u8 ebpf_valid;
	__u8 kind; /* 8 bits */
	__u8 low; /* 3 bits */
	__u8 high; /* 5 bits */
	__u16 a; /* 16 bits */
	__u32 b; /* 32 bits */
	__u64 c; /* 40 bits */
};

/* Hdr, as functions in C get it */
struct Hdr {
	struct H h;
	struct H second;
};

#include <bpf/bpf_endian.h>
/* version b7c76c5e733c1a4c */
#include "/p4xdp/tests/stf/c_externs/directions.c"
/* a function that no file has would be found out by the loader only */
#pragma GCC diagnostic error "-Wimplicit-function-declaration"

SEC("xdp")
int directions(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u32 hd_h_b, h_b, noted_, hd_1_second_b, hd_second_b = 0, _growth = 0;
	__u64 hd_h_c, h_c, hd_1_h_c, hd_1_second_c, mark_1, hd_second_c = 0, number;
	__u8 top, bottom, hd_h_changed2 = 0, exchange_, pair_1_flag, h_valid, h_kind, h_low, h_high,
		hd_h_valid, hd_h_kind, hd_h_low, hd_h_high, hd_h_changed3 = 0, hd_1_h_valid,
		hd_1_h_kind, hd_1_h_low, hd_1_h_high, hd_1_second_valid, hd_1_second_kind,
		hd_1_second_low, hd_1_second_high, hd_second_valid = 0, hd_second_kind = 0,
		hd_second_low = 0, hd_second_high = 0;
	__u16 pair_1_x, hd_h_a, h_a, hd_1_h_a, hd_1_second_a, hd_second_a = 0, sum_;
	void *_out;

	if (data + 13 > data_end)
		return XDP_ABORTED;
	hd_h_b = p4xdp_load32(data + 4);
	hd_h_c = p4xdp_load40(data + 8);
	/* directions.p4:35 */
	note();
	/* directions.p4:36 */
	if (p4xdp_load8(data) != 1) {
		/* directions.p4:38 */
		if (p4xdp_load8(data) == 2) {
			/* directions.p4:39 */
			{
				__u16 p4xdp_from = 0;
				__u8 p4xdp_top = 0;
				__u8 p4xdp_bottom = 0;

				p4xdp_from = p4xdp_load16(data + 2);
				split(p4xdp_from, &p4xdp_top, &p4xdp_bottom);
				top = p4xdp_top;
				bottom = p4xdp_bottom;
			}
			hd_h_b = ((((__u32)top << 24) | p4xdp_load24(data + 5)) >> 8 << 8) | bottom;
			hd_h_changed2 = 1;
		} else {
			/* directions.p4:40 */
			if (p4xdp_load8(data) != 3) {
				/* directions.p4:42 */
				if (p4xdp_load8(data) == 4) {
					/* directions.p4:44 */
					{
						struct Pair p4xdp_pair = {};
						__u8 p4xdp_wanted = 0;

						p4xdp_pair.x = p4xdp_load16(data + 2);
						p4xdp_pair.flag = 0;
						p4xdp_wanted = 1;
						exchange_ = exchange(&p4xdp_pair,
								p4xdp_wanted) != 0;
						pair_1_x = p4xdp_pair.x;
						pair_1_flag = p4xdp_pair.flag != 0;
					}
					if (exchange_ && pair_1_flag) {
						/* directions.p4:45 */
						hd_h_a = pair_1_x;
						goto then_4;
					}
					return XDP_PASS;
				}
				/* directions.p4:46 */
				if (p4xdp_load8(data) == 5) {
					/* directions.p4:47 */
					{
						struct H p4xdp_h = {};

						p4xdp_h.ebpf_valid = 1;
						p4xdp_h.kind = 5;
						p4xdp_h.low = p4xdp_load8(data + 1) >> 5;
						p4xdp_h.high = p4xdp_load8(data + 1) & 0x1f;
						p4xdp_h.a = p4xdp_load16(data + 2);
						p4xdp_h.b = p4xdp_load32(data + 4);
						p4xdp_h.c = p4xdp_load40(data + 8);
						turn(&p4xdp_h);
						h_valid = p4xdp_h.ebpf_valid != 0;
						h_kind = p4xdp_h.kind;
						h_low = p4xdp_h.low & 0x7;
						h_high = p4xdp_h.high & 0x1f;
						h_a = p4xdp_h.a;
						h_b = p4xdp_h.b;
						h_c = p4xdp_h.c & 0xffffffffffULL;
					}
					hd_h_valid = h_valid;
					hd_h_kind = h_kind;
					hd_h_low = h_low;
					hd_h_high = h_high;
					hd_h_a = h_a;
					hd_h_b = h_b;
					hd_h_changed2 = 1;
					hd_h_c = h_c;
					hd_h_changed3 = 1;
				} else {
					/* directions.p4:48 */
					if (p4xdp_load8(data) != 6) {
						/* directions.p4:51 */
						if (p4xdp_load8(data) == 7) {
							/* directions.p4:52 */
							noted_ = noted();
							hd_h_b = noted_;
							goto then_2;
						}
						/* directions.p4:54 */
						{
							__u16 p4xdp_left = 0;
							__u16 p4xdp_right = 0;

							p4xdp_left = 1;
							p4xdp_right = 2;
							sum(p4xdp_left, p4xdp_right);
						}
						return XDP_PASS;
					}
					/* directions.p4:49 */
					{
						struct Hdr p4xdp_hd = {};
						__u64 p4xdp_mark = 0;

						p4xdp_hd.h.ebpf_valid = 1;
						p4xdp_hd.h.kind = 6;
						p4xdp_hd.h.low = p4xdp_load8(data + 1) >> 5;
						p4xdp_hd.h.high = p4xdp_load8(data + 1) & 0x1f;
						p4xdp_hd.h.a = p4xdp_load16(data + 2);
						p4xdp_hd.h.b = p4xdp_load32(data + 4);
						p4xdp_hd.h.c = p4xdp_load40(data + 8);
						p4xdp_hd.second.ebpf_valid = 0;
						p4xdp_hd.second.kind = 0;
						p4xdp_hd.second.low = 0;
						p4xdp_hd.second.high = 0;
						p4xdp_hd.second.a = 0;
						p4xdp_hd.second.b = 0;
						p4xdp_hd.second.c = 0;
						both(&p4xdp_hd, &p4xdp_mark);
						hd_1_h_valid = p4xdp_hd.h.ebpf_valid != 0;
						hd_1_h_kind = p4xdp_hd.h.kind;
						hd_1_h_low = p4xdp_hd.h.low & 0x7;
						hd_1_h_high = p4xdp_hd.h.high & 0x1f;
						hd_1_h_a = p4xdp_hd.h.a;
						hd_1_h_c = p4xdp_hd.h.c & 0xffffffffffULL;
						hd_1_second_valid = p4xdp_hd.second.ebpf_valid != 0;
						hd_1_second_kind = p4xdp_hd.second.kind;
						hd_1_second_low = p4xdp_hd.second.low & 0x7;
						hd_1_second_high = p4xdp_hd.second.high & 0x1f;
						hd_1_second_a = p4xdp_hd.second.a;
						hd_1_second_b = p4xdp_hd.second.b;
						hd_1_second_c = p4xdp_hd.second.c & 0xffffffffffULL;
						mark_1 = p4xdp_mark;
					}
					hd_h_valid = hd_1_h_valid;
					hd_h_kind = hd_1_h_kind;
					hd_h_low = hd_1_h_low;
					hd_h_high = hd_1_h_high;
					hd_h_a = hd_1_h_a;
					hd_h_c = hd_1_h_c;
					hd_h_changed3 = 1;
					hd_second_valid = hd_1_second_valid;
					hd_second_kind = hd_1_second_kind;
					hd_second_low = hd_1_second_low;
					hd_second_high = hd_1_second_high;
					hd_second_a = hd_1_second_a;
					hd_second_b = hd_1_second_b;
					hd_second_c = hd_1_second_c;
					/* directions.p4:50 */
					hd_h_b = mark_1 >> 32;
					hd_h_changed2 = 1;
				}
				if (!(hd_h_valid && !hd_second_valid)) {
					if (!hd_h_valid)
						_growth = 0xfffffff3;
					if (hd_second_valid)
						_growth = _growth + 13;
					if (_growth != 0) {
						/* directions.p4:59 */
						if (bpf_xdp_adjust_head(ctx, -_growth))
							return XDP_ABORTED;
						data = p4xdp_data(ctx);
						data_end = p4xdp_data_end(ctx);
					}
					_out = data;
					if (hd_h_valid) {
						if (data + 13 > data_end)
							return XDP_ABORTED;
						p4xdp_store8(data, hd_h_kind);
						p4xdp_store8(data + 1, (hd_h_low << 5) | hd_h_high);
						p4xdp_store16(data + 2, hd_h_a);
						p4xdp_store32(data + 4, hd_h_b);
						p4xdp_store40(data + 8, hd_h_c);
						_out = data + 13;
					}
					if (hd_second_valid) {
						if (_out + 13 > data_end)
							return XDP_ABORTED;
						p4xdp_store8(_out, hd_second_kind);
						p4xdp_store8(_out + 1, (hd_second_low << 5) |
								hd_second_high);
						p4xdp_store16(_out + 2, hd_second_a);
						p4xdp_store32(_out + 4, hd_second_b);
						p4xdp_store40(_out + 8, hd_second_c);
					}
					return XDP_PASS;
				}
				p4xdp_store8(data, hd_h_kind);
				p4xdp_store8(data + 1, (hd_h_low << 5) | hd_h_high);
				goto then_4;
			}
			/* directions.p4:41 */
			{
				__u64 p4xdp_number = 0;

				p4xdp_number = p4xdp_load40(data + 8);
				double_it(&p4xdp_number);
				number = p4xdp_number & 0xffffffffffULL;
			}
			hd_h_c = number;
			hd_h_changed3 = 1;
		}
		goto then_3;
	}
	/* directions.p4:37 */
	{
		__u16 p4xdp_left = 0;
		__u16 p4xdp_right = 0;

		p4xdp_left = 0xfff;
		p4xdp_right = p4xdp_load16(data + 2) & 0xfff;
		sum_ = sum(p4xdp_left, p4xdp_right) & 0xfff;
	}
	hd_h_a = sum_;
then_4:
	p4xdp_store16(data + 2, hd_h_a);
then_3:
	if (!hd_h_changed2)
		goto then;
then_2:
	p4xdp_store32(data + 4, hd_h_b);
then:
	if (hd_h_changed3)
		p4xdp_store40(data + 8, hd_h_c);
	return XDP_PASS;
}

char _license[] SEC("license") = "Dual BSD/GPL";
