// SPDX-License-Identifier: Apache-2.0
// Tests in a row, of which the first decide the later ones.
#include <core.p4>
#include <xdp_model.p4>
typedef bit<48> mac_t;
header Ethernet { mac_t dst; mac_t src; bit<16> type; }
header A { bit<8> k; bit<8> v; }
struct Hs { Ethernet e; A a; }
parser P(packet_in p, out Hs hs) {
    state start { p.extract(hs.e); p.extract(hs.a); transition accept; }
}
control S(inout Hs hs, in xdp_input i, out xdp_output o) {
    apply { o.output_action = xdp_action.XDP_TX; o.output_port = 0; 
    bit<8> k = hs.a.k;
    if (k == 6) { hs.a.v = hs.a.v + 1; }
    else if (k == 0x10) { hs.a.v = hs.a.v + 2; }
    else if (k == 0x11) { hs.a.v = 1; }
    if (k == 0x10) { hs.a.v = hs.a.v + 0x20; }
    if (k == 6) { hs.a.v = hs.a.v + 0x40; }
}
}
control D(in Hs hs, packet_out p) {
    apply {
        p.emit(hs.e);
        p.emit(hs.a);
    }
}
xdp(P(), S(), D()) main;
