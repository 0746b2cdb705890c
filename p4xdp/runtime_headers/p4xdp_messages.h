/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What stands in front of every message from a program to user space, in its ring buffer: numbers in
 * host order. Fields of a digest are big-endian numbers; a packet is its bytes.
 */
#ifndef P4XDP_MESSAGES_H
#define P4XDP_MESSAGES_H

#define P4XDP_DIGEST 1

struct p4xdp_message {
	__u16 kind;	/* P4XDP_DIGEST */
	__u16 number;	/* which digest of the program */
	__u32 receiver; /* whom the program names */
	__u64 time;	/* nanoseconds of CLOCK_MONOTONIC */
};

#endif
