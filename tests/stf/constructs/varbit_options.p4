// SPDX-License-Identifier: Apache-2.0
// IPv4 with its options in the middle of other headers: skipped and kept, while what lies behind
// them changes, while a tag is pushed in front of everything, while they are taken out.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Tag {
    bit<16> v;
    bit<16> type;
}

header Ipv4 {
    bit<4>       version;
    bit<4>       ihl;
    bit<8>       tos;
    bit<16>      len;
    bit<64>      middle;
    bit<32>      src;
    bit<32>      dst;
    varbit<320>  options;
}

header Udp {
    bit<16> sport;
    bit<16> dport;
}

struct Hdr {
    Eth  eth;
    Tag  tag;
    Ipv4 ipv4;
    Udp  udp;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            0x8100: tag;
            default: ipv4;
        }
    }

    state tag {
        p.extract(hd.tag);
        transition ipv4;
    }

    state ipv4 {
        bit<8> first = p.lookahead<bit<8>>();
        p.extract(hd.ipv4, ((bit<32>)first[3:0] - 5) * 32);
        p.extract(hd.udp);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.udp.dport == 1) {
            hd.udp.sport = 0xbeef;
        } else if (hd.udp.dport == 2) {
            hd.tag = { 7, hd.eth.type };
            hd.eth.type = 0x8100;
        } else if (hd.udp.dport == 3) {
            hd.eth.type = hd.tag.type;
            hd.tag.setInvalid();
            hd.ipv4.tos = 0x55;
        } else if (hd.udp.dport == 4) {
            hd.ipv4.setInvalid();
        } else if (hd.udp.dport == 5) {
            hd.udp.setInvalid();
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
