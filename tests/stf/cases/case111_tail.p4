// SPDX-License-Identifier: Apache-2.0
// The payload comes through when the headers in front change their size.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Vlan {
    bit<3>  pcp;
    bit<1>  dei;
    bit<12> vid;
    bit<16> type;
}

struct Hdr {
    Eth  eth;
    Vlan vlan;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            0x8100:  vlan;
            default: accept;
        }
    }

    state vlan {
        p.extract(hd.vlan);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.vlan.isValid()) {
            hd.eth.type = hd.vlan.type;
            hd.vlan.setInvalid();
        } else {
            hd.vlan = { 5, 0, 0x123, hd.eth.type };
            hd.eth.type = 0x8100;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
