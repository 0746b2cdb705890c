/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What stands in front of every message from a program to user space, in its ring buffer: numbers in
 * host order. Fields of a digest are big-endian numbers; a packet is its bytes.
 */
#ifndef P4XDP_MESSAGES_H
#define P4XDP_MESSAGES_H

#define P4XDP_DIGEST 1
#define P4XDP_PACKET 2

/* A message has so many bytes of a packet at most. */
#define P4XDP_PACKET_BYTES 2048

struct p4xdp_message {
	__u16 kind;	/* P4XDP_DIGEST, P4XDP_PACKET */
	__u16 number;	/* which digest of the program */
	__u32 receiver; /* whom the program names; the port by which a packet left */
	__u64 time;	/* nanoseconds of CLOCK_MONOTONIC */
};

struct p4xdp_packet_message {
	struct p4xdp_message head;
	__u32 port;   /* by which the packet came */
	__u32 length; /* of the packet, of which there may be fewer bytes here */
	__u8 bytes[P4XDP_PACKET_BYTES];
};

#endif
