// SPDX-License-Identifier: Apache-2.0
// A list of options, each with a length of its own, in a stack that a loop fills; options are
// taken out and put in, and what lies behind them is found again.

#include <core.p4>
#include <xdp_model.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Tlv {
    bit<8>      kind;
    bit<8>      size;
    varbit<128> data;
}

header End {
    bit<8>  zero;
    bit<8>  what;
}

struct Hdr {
    Eth    eth;
    Tlv[4] tlv;
    End    end;
}

struct Ahead {
    bit<8> kind;
    bit<8> size;
}

parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.eth);
        transition next;
    }

    state next {
        Ahead ahead = p.lookahead<Ahead>();
        transition select(ahead.kind) {
            0: last;
            _: option;
        }
    }

    state option {
        p.extract(hd.tlv.next, (bit<32>)(p.lookahead<Ahead>().size) << 3);
        transition next;
    }

    state last {
        p.extract(hd.end);
        transition accept;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    varbit<128> kept;

    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.end.what == 1) {
            hd.tlv.pop_front(1);
        } else if (hd.end.what == 2) {
            kept = hd.tlv[0].data;
            hd.tlv[0].data = hd.tlv[1].data;
            hd.tlv[1].data = kept;
        } else if (hd.end.what == 3) {
            hd.tlv[1].setInvalid();
        } else if (hd.end.what == 4) {
            hd.tlv[0].kind = 0x77;
            hd.end.what = 0x44;
        } else if (hd.end.what == 5) {
            hd.tlv.push_front(1);
            hd.tlv[0] = hd.tlv[2];
        }
    }
}

control D(in Hdr hd, packet_out p) {
    apply {
        p.emit(hd);
    }
}

xdp(P(), C(), D()) main;
