// SPDX-License-Identifier: Apache-2.0
// verify(false, e) rejects at once: what follows in the state is not done.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

error {
    BadVersion,
    BadLength
}

header X {
    bit<4> version;
    bit<4> words;
}

header Item {
    bit<8> v;
}

struct Hdr {
    Eth  eth;
    X    x;
    Item item;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.x);
        verify(hd.x.version == 4, error.BadVersion);
        hd.x.version = 5;
        verify(hd.x.words >= 5, error.BadLength);
        verify(true, error.NoError);
        p.extract(hd.item);
        transition accept;
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
