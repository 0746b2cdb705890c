/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* Written by p4xdp from telemetry.p4. */
#include <p4xdp.h>

/* table Forward.switching */
enum switching_actions {
	switching_forward = 0,
	switching_drop = 1,
};

struct switching_key {
	__u8 field0[6]; /* hdr.ethernet.dst: bit<48>, exact */
	__u8 pad0[2];
};

struct switching_value {
	enum switching_actions action;
	union {
		struct {
			__be16 port; /* bit<9> */
		} forward;
	} u;
	__u8 pad0[2];
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct switching_defaults {
	__u64 current;
	struct switching_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

/* table Report.identity */
enum identity_actions {
	identity_report = 0,
	identity_NoAction = 1,
};

struct identity_value {
	enum identity_actions action;
	union {
		struct {
			__be16 switch_id; /* bit<16> */
		} report;
	} u;
	__u8 pad0[2];
};

/* `current` is the offset of the one in force; the other one is there to be changed. */
struct identity_defaults {
	__u64 current;
	struct identity_value slots[2];
	__u8 room[240]; /* any offset of 8 bits is inside */
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, struct switching_key);
	__type(value, struct switching_value);
} switching SEC(".maps");

struct switching_defaults switching_default SEC(".data.switching_default") = {
	.current = 8,
	.slots[0].action = switching_drop,
};

struct identity_defaults identity_default SEC(".data.identity_default") = {
	.current = 8,
	.slots[0].action = identity_NoAction,
};

struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP);
	__uint(max_entries, 512);
	__type(key, __u32);
	__type(value, __u32);
} ports SEC(".maps");

static __always_inline struct switching_value *switching_find(__u64 word0)
{
	__u64 key[] = { word0 };

	return bpf_map_lookup_elem(&switching, key);
}

SEC("xdp")
int telemetry(struct xdp_md *ctx)
{
	void *data = p4xdp_data(ctx);
	void *data_end = p4xdp_data_end(ctx);
	__u8 hdr_telemetry_valid = 0, hdr_hops_0_valid = 0, meta_remaining, hdr_hops_1_valid = 0,
		hdr_hops_2_valid = 0, hdr_hops_3_valid = 0, hdr_telemetry_hops;
	__u16 hdr_hops_0_switch_id = 0, hdr_hops_0_port = 0, port, switch_id, hdr_ethernet_bytes12,
		hdr_telemetry_bytes1;
	__u32 hdr_hops_1_all = 0, hdr_hops_2_all = 0, hdr_ethernet_bytes8, _growth = 0;
	struct switching_value *switching_entry;
	struct identity_value *identity_entry;
	__u64 hdr_ethernet_bytes0;
	void *_out;

	if (data + 14 > data_end)
		return XDP_DROP;
	/* telemetry.p4:36 */
	if (p4xdp_load16(data + 12) == 0x88b5) {
		if (data + 17 > data_end)
			return XDP_DROP;
		hdr_telemetry_valid = 1;
		/* telemetry.p4:44 */
		if (p4xdp_load8(data + 14) != 0) {
			if (data + 21 > data_end)
				return XDP_DROP;
			hdr_hops_0_valid = 1;
			hdr_hops_0_switch_id = p4xdp_load16(data + 17);
			hdr_hops_0_port = p4xdp_load16(data + 19);
			/* telemetry.p4:51 */
			meta_remaining = p4xdp_load8(data + 14) - 1;
			/* telemetry.p4:52 */
			if (meta_remaining != 0) {
				if (data + 25 > data_end)
					return XDP_DROP;
				hdr_hops_1_valid = 1;
				hdr_hops_1_all = p4xdp_take32(data + 21);
				/* telemetry.p4:51 */
				meta_remaining = meta_remaining - 1;
				/* telemetry.p4:52 */
				if (meta_remaining != 0) {
					if (data + 29 > data_end)
						return XDP_DROP;
					hdr_hops_2_valid = 1;
					hdr_hops_2_all = p4xdp_take32(data + 25);
					/* telemetry.p4:51 */
					meta_remaining = meta_remaining - 1;
					/* telemetry.p4:52 */
					if (meta_remaining != 0) {
						if (data + 33 > data_end)
							return XDP_DROP;
						hdr_hops_3_valid = 1;
						/* telemetry.p4:51 */
						meta_remaining = meta_remaining - 1;
						/* telemetry.p4:52 */
						if (meta_remaining != 0)
							return XDP_DROP;
					}
				}
			}
		}
	}
	/* telemetry.p4:82: Forward.switching.apply() */
	switching_entry = switching_find(p4xdp_head48(data, 0));
	if (!switching_entry)
		switching_entry = p4xdp_in_force8(&switching_default);
	switch (switching_entry->action) {
	case switching_forward:
		port = p4xdp_load16(&switching_entry->u.forward.port) & 0x1ff;
		if (port != 511) {
			/* telemetry.p4:105 */
			if (hdr_telemetry_valid) {
				if (data + 17 > data_end)
					return XDP_ABORTED;
				if (p4xdp_load8(data + 14) < 4) {
					/* telemetry.p4:106: Report.identity.apply() */
					identity_entry = p4xdp_in_force8(&identity_default);
					switch (identity_entry->action) {
					case identity_report:
						switch_id = p4xdp_take16(&identity_entry->u.report.switch_id);
						/* telemetry.p4:95 */
						hdr_telemetry_hops = p4xdp_load8(data + 14) + 1;
						if (hdr_hops_0_valid && hdr_hops_1_valid &&
								hdr_hops_2_valid &&
								hdr_hops_3_valid) {
							if (data + 25 > data_end)
								return XDP_ABORTED;
							if (data + 29 > data_end)
								return XDP_ABORTED;
							if (data + 33 > data_end)
								return XDP_ABORTED;
							p4xdp_store32(data + 29,
									p4xdp_load32(data + 25));
							p4xdp_put32(data + 25, hdr_hops_1_all);
							p4xdp_store32(data + 21,
									((__u32)hdr_hops_0_switch_id << 16) |
									hdr_hops_0_port);
							p4xdp_put16(data + 17, switch_id);
							p4xdp_store16(data + 19, port);
							p4xdp_store8(data + 14, hdr_telemetry_hops);
						} else {
							hdr_ethernet_bytes0 = p4xdp_take64(data);
							hdr_ethernet_bytes8 = p4xdp_take32(data + 8);
							hdr_ethernet_bytes12 = p4xdp_take16(data + 12);
							hdr_telemetry_bytes1 = p4xdp_take16(data + 15);
							if (!hdr_hops_0_valid)
								_growth = 4;
							if (hdr_hops_0_valid != hdr_hops_1_valid)
								_growth = _growth + (hdr_hops_0_valid ? 4 : 0xfffffffc);
							if (hdr_hops_1_valid != hdr_hops_2_valid)
								_growth = _growth + (hdr_hops_1_valid ? 4 : 0xfffffffc);
							if (hdr_hops_2_valid != hdr_hops_3_valid)
								_growth = _growth + (hdr_hops_2_valid ? 4 : 0xfffffffc);
							if (_growth != 0) {
								/* telemetry.p4:119 */
								if (bpf_xdp_adjust_head(ctx, -_growth))
									return XDP_ABORTED;
								data = p4xdp_data(ctx);
								data_end = p4xdp_data_end(ctx);
							}
							if (data + 21 > data_end)
								return XDP_ABORTED;
							p4xdp_put64(data, hdr_ethernet_bytes0);
							p4xdp_put32(data + 8, hdr_ethernet_bytes8);
							p4xdp_put16(data + 12,
									hdr_ethernet_bytes12);
							p4xdp_store8(data + 14, hdr_telemetry_hops);
							p4xdp_put16(data + 15,
									hdr_telemetry_bytes1);
							p4xdp_put16(data + 17, switch_id);
							p4xdp_store16(data + 19, port);
							_out = data + 21;
							if (hdr_hops_0_valid) {
								if (data + 25 > data_end)
									return XDP_ABORTED;
								p4xdp_store32(data + 21,
										((__u32)hdr_hops_0_switch_id << 16) |
										hdr_hops_0_port);
								_out = data + 25;
							}
							if (hdr_hops_1_valid) {
								if (_out + 4 > data_end)
									return XDP_ABORTED;
								p4xdp_put32(_out, hdr_hops_1_all);
								_out = _out + 4;
							}
							if (hdr_hops_2_valid) {
								if (_out + 4 > data_end)
									return XDP_ABORTED;
								p4xdp_put32(_out, hdr_hops_2_all);
							}
						}
						break;
					case identity_NoAction:
					default:
						break;
					}
				}
			}
			if (port == 510)
				return XDP_PASS;
			return p4xdp_redirect_map(ctx, &ports, port);
		}
		return XDP_DROP;
	case switching_drop:
	default:
		return XDP_DROP;
	}
}

char _license[] SEC("license") = "Dual BSD/GPL";
