// SPDX-License-Identifier: Apache-2.0
// A header emitted twice whose field may have changed: both copies have the field as it is then.
#include <core.p4>
#include <xdp_model.p4>
header Eth { bit<48> dst; bit<48> src; bit<16> type; }
header H { bit<8> a; bit<8> b; }
struct Hdr { Eth eth; H h; }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.eth); p.extract(hd.h); transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        if (hd.h.b == 1) { hd.h.a = 5; }
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd.eth); p.emit(hd.h); p.emit(hd.h); } }
xdp(P(), C(), D()) main;
