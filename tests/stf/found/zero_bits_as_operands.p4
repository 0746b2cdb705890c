// SPDX-License-Identifier: Apache-2.0
// A `bit<0>` as a shift's amount, a selector, a key, a loop's bound and an operand: it is 0.

#include <core.p4>
#include <xdp_model.p4>

header X {
    bit<32> v;
    bit<0>  n;
    bit<8>  b;
}

struct Hdr {
    X x;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.x);
        transition select(hd.x.n, hd.x.b) {
            (0, 3): more;
            default: accept;
        }
    }
    state more {
        transition select(hd.x.n) {
            0: accept;
            default: reject;
        }
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    bit<0> z = 0;

    action one(bit<0> q) {
        hd.x.v = hd.x.v + ((bit<32>)1 << q);
    }

    table t {
        key = {
            hd.x.n: exact;
            hd.x.b: exact;
        }
        actions = { one; NoAction; }
        const entries = {
            (0, 5): one(0);
        }
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        hd.x.v = hd.x.v << hd.x.n;
        hd.x.v = hd.x.v >> z;
        z = z << hd.x.b;
        z = (bit<0>)hd.x.v;
        z = -(~(z + hd.x.n) * z & hd.x.n);
        if (z == hd.x.n) {
            hd.x.b = (bit<8>)hd.x.v[7:0];
        }
        if (z < hd.x.n || z <= hd.x.n) {
            hd.x.b = hd.x.b + 1;
        }
        hd.x.v = (bit<32>)(z ++ hd.x.b ++ z);
        z = hd.x.b == 0 ? z : hd.x.n;
        switch (z) {
            0: { hd.x.b = 5; }
            default: { hd.x.b = 7; }
        }
        t.apply();
        for (bit<0> j in z .. hd.x.n) {
            hd.x.b = hd.x.b + 1;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
