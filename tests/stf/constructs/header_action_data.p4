// SPDX-License-Identifier: Apache-2.0
// Headers, structs and unions of headers as action data, from entries of the program, a default
// action and the control plane; as `in` arguments in the list of a table's actions, too.

#include <core.p4>
#include <xdp_model.p4>
#include "../include/skeleton.p4"

header Pair {
    bit<8> valid;
    bit<8> low;
}

header_union Either {
    H4   four;
    Pair two;
}

struct Stacked {
    bit<8> mark;
    Pair   first;
    Pair   second;
}

struct Out {
    Eth  eth;
    H4   h;
    H4   g;
    Pair p;
    Pair q;
}

parser POut(packet_in p, out Out hd) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition accept;
    }
}

control C(inout Out hd, in xdp_input i, out xdp_output o) {
    action give(H4 new) {
        hd.g = new;
    }
    action both(Stacked s) {
        hd.h.c = s.mark;
        hd.p = s.first;
        hd.q = s.second;
    }
    action one_of(Either e) {
        hd.g = e.four;
        hd.p = e.two;
        hd.h.d = e.isValid() ? 8w1 : 8w2;
    }
    action fill(in H4 from, bit<8> with) {
        hd.g = from;
        hd.g.d = with;
    }
    table t {
        key = { hd.h.a: exact; }
        actions = { give; both; one_of; fill(hd.h); }
        entries = {
            1: give({ 1, 2, 3, 4 });
            2: give({#});
            3: both({ 7, { 5, 6 }, {#} });
            4: fill(hd.h, 9);
        }
        default_action = give({ 9, 8, 7, 6 });
    }
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        t.apply();
    }
}

control DOut(in Out hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(POut(), C(), DOut()) main;
