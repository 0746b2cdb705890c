// SPDX-License-Identifier: Apache-2.0
// A loop of two states that fills a stack of 63 headers; what stands behind it is reached from
// every round, by one of the states or by both.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Item {
    bit<8> next;
    bit<8> value;
}

header Middle {
    bit<8> next;
    bit<8> value;
}

header Last {
    bit<8> value;
}

struct Hdr {
    Eth      eth;
    Item[63] items;
    Middle   middle;
    Last     last;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition one;
    }

    state one {
        p.extract(hd.items.next);
        transition select(hd.items.last.next) {
            1: one;
            2: two;
            3: middle;
            4: last;
            default: accept;
        }
    }

    state two {
        p.extract(hd.items.next);
        transition select(hd.items.last.next) {
            1: one;
            2: two;
            4: last;
            default: accept;
        }
    }

    state middle {
        p.extract(hd.middle);
        transition select(hd.middle.next) {
            4: last;
            default: accept;
        }
    }

    state last {
        p.extract(hd.last);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.last.isValid()) {
            hd.last.value = hd.last.value + hd.items[0].value;
        }
        if (hd.middle.isValid()) {
            hd.middle.value = hd.middle.value + 1;
        }
        if (hd.items[40].isValid()) {
            hd.items[40].value = hd.items[1].value;
        }
        if (hd.items[62].isValid()) {
            hd.items[62].value = 0xff;
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.items);
        p.emit(hd.middle);
        p.emit(hd.last);
    }
}

xdp(P(), C(), D()) main;
