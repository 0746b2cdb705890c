// SPDX-License-Identifier: Apache-2.0
//
// The packet headers that the examples share. Field names are lower case with
// underscores; all numbers are the ones on the wire.

#ifndef EXAMPLES_HEADERS_P4
#define EXAMPLES_HEADERS_P4

typedef bit<48>  MacAddress;
typedef bit<32>  IPv4Address;
typedef bit<128> IPv6Address;

const bit<16> TYPE_IPV4 = 0x0800;
const bit<16> TYPE_VLAN = 0x8100;
const bit<16> TYPE_IPV6 = 0x86DD;
const bit<16> TYPE_MPLS = 0x8847;

const bit<8> PROTOCOL_ICMP = 1;
const bit<8> PROTOCOL_TCP  = 6;
const bit<8> PROTOCOL_UDP  = 17;

header Ethernet {
    MacAddress dst;
    MacAddress src;
    bit<16>    type;
}

header VlanTag {
    bit<3>  priority_code;
    bit<1>  drop_eligible;
    bit<12> vid;
    bit<16> type;
}

header MplsLabel {
    bit<20> label;
    bit<3>  traffic_class;
    bit<1>  bottom;
    bit<8>  ttl;
}

header IPv4 {
    bit<4>      version;
    bit<4>      ihl;
    bit<8>      diffserv;
    bit<16>     total_len;
    bit<16>     identification;
    bit<3>      flags;
    bit<13>     frag_offset;
    bit<8>      ttl;
    bit<8>      protocol;
    bit<16>     checksum;
    IPv4Address src;
    IPv4Address dst;
}

header IPv6 {
    bit<4>      version;
    bit<8>      traffic_class;
    bit<20>     flow_label;
    bit<16>     payload_len;
    bit<8>      next_header;
    bit<8>      hop_limit;
    IPv6Address src;
    IPv6Address dst;
}

header Icmp {
    bit<8>  type;
    bit<8>  code;
    bit<16> checksum;
}

header Tcp {
    bit<16> src_port;
    bit<16> dst_port;
    bit<32> sequence;
    bit<32> acknowledgment;
    bit<4>  data_offset;
    bit<4>  reserved;
    bit<8>  flags;
    bit<16> window;
    bit<16> checksum;
    bit<16> urgent;
}

header Udp {
    bit<16> src_port;
    bit<16> dst_port;
    bit<16> length;
    bit<16> checksum;
}

header Vxlan {
    bit<8>  flags;
    bit<24> reserved;
    bit<24> vni;
    bit<8>  reserved2;
}

#endif  // EXAMPLES_HEADERS_P4
