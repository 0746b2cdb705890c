// SPDX-License-Identifier: Apache-2.0
// A sub-parser called twice; what it assigns is there afterwards.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Pair {
    bit<8> x;
    bit<8> y;
}

struct Hdr {
    Eth  eth;
    Pair one;
    Pair two;
}

parser Sub(packet_in p, out Pair pair, inout bit<8> sum) {
    bit<8> twice = 1;

    state start {
        p.extract(pair);
        transition select(pair.x) {
            1:       add;
            default: done;
        }
    }

    state add {
        twice = twice + 1;
        sum = sum + pair.y;
        transition done;
    }

    state done {
        pair.x = twice;
        transition accept;
    }
}

parser P(packet_in p, out Hdr hd) {
    Sub() sub;

    state start {
        bit<8> sum = 0;
        p.extract(hd.eth);
        sub.apply(p, hd.one, sum);
        sub.apply(p, hd.two, sum);
        hd.two.y = sum;
        transition select(sum) {
            0xff:    reject;
            default: accept;
        }
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
