/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * Put in front of both sides where they are compared: a test run of the kernel tells only that a
 * packet was redirected, so the port is kept in a data map of its own.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

volatile __u32 recorded_port SEC(".data.recorded_port");

static __attribute__((always_inline, unused)) inline long record_port(__u32 port)
{
	recorded_port = port;
	return XDP_REDIRECT;
}

#define bpf_redirect(port, flags) record_port(port)
#define bpf_redirect_map(map, port, flags) record_port(port)
