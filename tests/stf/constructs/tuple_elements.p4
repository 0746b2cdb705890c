// SPDX-License-Identifier: Apache-2.0
// Elements of a tuple are written one by one.

#include <core.p4>
#include <xdp_model.p4>
header Eth { bit<48> dst; bit<48> src; bit<16> type; }
header H4  { bit<8> a; bit<8> b; bit<8> c; bit<8> d; }
struct Hdr { Eth eth; H4 h; }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.eth); p.extract(hd.h); transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o.output_port = 0; o.output_action = xdp_action.XDP_TX;
     tuple<bit<8>, bit<8>> t = { 1, 2};
     t[0] = hd.h.a; t[1] = t[0] + 1; hd.h.b = t[1]; }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd.eth); p.emit(hd.h); } }
xdp(P(), C(), D()) main;
