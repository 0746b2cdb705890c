// SPDX-License-Identifier: Apache-2.0
// An enum with numbers as the type of a header field: an unknown number stays as it is.

#include <core.p4>
#include <xdp_model.p4>

enum bit<16> EtherType {
    V4   = 0x0800,
    V6   = 0x86DD,
    Loop = 0x9000
}

header Eth {
    bit<48>   dst;
    bit<48>   src;
    EtherType type;
}

header One {
    bit<8> v;
}

struct Hdr {
    Eth eth;
    One one;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            EtherType.V4: v4;
            EtherType.V6: v6;
            default:      accept;
        }
    }

    state v4 {
        hd.one = { 4 };
        transition accept;
    }

    state v6 {
        hd.one = { 6 };
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.eth.type == EtherType.V6) {
            hd.eth.type = EtherType.Loop;
        } else if ((bit<16>)hd.eth.type == 0x1234) {
            hd.eth.type = (EtherType)0x1235;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.one);
    }
}

xdp(P(), C(), D()) main;
