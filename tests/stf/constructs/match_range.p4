// SPDX-License-Identifier: Apache-2.0
// Keys matched by ranges and by optional values, of several sizes, with const entries and with
// those of the control plane. `range` and `optional` are declared here, as v1model does.

#include "../include/skeleton.p4"

match_kind {
    range,
    optional
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    bit<128> wide = hd.h.a ++ 112w5 ++ hd.h.b;

    action first(bit<8> v) {
        hd.h.c = v;
    }

    action second(bit<8> v) {
        hd.h.d = v;
    }

    table constant {
        key = { hd.h.a : range; hd.h.b : optional; }
        actions = { first; }
        const entries = {
            (0x10 .. 0x1f, 1): first(1);
            (0x10 .. 0x1f, _): first(2);
            (7, 0):            first(3);
            (0x90 .. 0x80, _): first(4);
            (_, 0x55):         first(5);
        }
        const default_action = first(0);
    }

    table changing {
        key = {
            hd.h.a ++ hd.h.b                : range @name("both");
            wide                            : range @name("wide");
            (bit<24>)(hd.h.a ++ hd.h.b)     : range @name("odd");
            hd.h.b                          : optional @name("b");
            (int<8>)hd.h.b                  : range @name("signed");
        }
        actions = { second; }
        entries = {
            (0x2000 .. 0x20ff, _, _, _, -1 .. 1):         second(1);
            (0x2000 .. 0x21ff, _, 0x2102 .. 0x2104, _, _): second(2);
            (_, _, _, 0x77, _):                            second(3);
        }
        const default_action = second(0);
        size = 8;
    }

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        constant.apply();
        changing.apply();
    }
}

xdp(P(), C(), D()) main;
