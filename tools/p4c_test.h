/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/* What C externs of p4lang/p4c's test programs take from the test.h of p4c's eBPF back end. */
#ifndef P4C_TEST_H
#define P4C_TEST_H

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#define REGISTER_START()
#define REGISTER_TABLE(NAME, TYPE, KEY, VALUE, SIZE)                                               \
	struct {                                                                                   \
		__uint(type, TYPE);                                                                \
		__uint(max_entries, SIZE);                                                         \
		__type(key, KEY);                                                                  \
		__type(value, VALUE);                                                              \
	} NAME SEC(".maps");
#define REGISTER_END()
#define BPF_MAP_LOOKUP_ELEM(map, key) bpf_map_lookup_elem(&map, key)
#define BPF_MAP_UPDATE_ELEM(map, key, value, flags) bpf_map_update_elem(&map, key, value, flags)
#define BPF_MAP_DELETE_ELEM(map, key) bpf_map_delete_elem(&map, key)

#endif
