// SPDX-License-Identifier: Apache-2.0
// A prefix counts from the most significant bit of the value: keys of 48, 20 and 12 bits.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header X {
    bit<48> mac;
    bit<20> label;
    bit<12> vid;
    bit<8>  m;
    bit<8>  l;
    bit<8>  v;
}

struct Hdr {
    Eth eth;
    X   x;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.x);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action mac(bit<8> n) {
        hd.x.m = n;
    }

    action label(bit<8> n) {
        hd.x.l = n;
    }

    action vid(bit<8> n) {
        hd.x.v = n;
    }

    table macs {
        key = { hd.x.mac : lpm @name("mac"); }
        actions = { mac; NoAction; }
        default_action = NoAction();
    }

    table labels {
        key = { hd.x.label : lpm @name("label"); }
        actions = { label; NoAction; }
        default_action = NoAction();
    }

    table vids {
        key = { hd.x.vid : lpm @name("vid"); }
        actions = { vid; NoAction; }
        default_action = NoAction();
        const entries = {
            0x800 &&& 0x800: vid(1);
            0xA00 &&& 0xF00: vid(2);
            0xABC:           vid(3);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        macs.apply();
        labels.apply();
        vids.apply();
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
