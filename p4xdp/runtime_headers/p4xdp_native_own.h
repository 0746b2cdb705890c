/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Around C that the user wrote, in a native build: maps declared there, with `__uint(type, ...)`,
 * `__uint(max_entries, ...)`, `__type(key, ...)` and `__type(value, ...)`, are known once they are
 * used. Included in front, and once more with P4XDP_NATIVE_OWN_END behind.
 */
#ifndef P4XDP_NATIVE_OWN_END
#define P4XDP_NATIVE_OWN(map)                                                                      \
	p4xdp_native_own(map, sizeof(*(map)->type) / sizeof(int), sizeof(*(map)->key),             \
			 sizeof(*(map)->value), sizeof(*(map)->max_entries) / sizeof(int))
#define bpf_map_lookup_elem(map, key) (bpf_map_lookup_elem)(P4XDP_NATIVE_OWN(map), key)
#define bpf_map_update_elem(map, key, value, flags)                                                \
	(bpf_map_update_elem)(P4XDP_NATIVE_OWN(map), key, value, flags)
#define bpf_map_delete_elem(map, key) (bpf_map_delete_elem)(P4XDP_NATIVE_OWN(map), key)
#else
#undef bpf_map_lookup_elem
#undef bpf_map_update_elem
#undef bpf_map_delete_elem
#endif
