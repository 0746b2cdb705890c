// expect: wrong-architecture @ 26:1: the `xdp` of this program is not the one of xdp_model
// expect-help: take its declaration from our file: `#include <xdp_model.p4>`
#include <core.p4>
enum xdp_action { XDP_ABORTED, XDP_DROP, XDP_PASS, XDP_TX, XDP_REDIRECT }
struct xdp_input { bit<32> port; }
struct xdp_output { xdp_action output_action; bit<32> output_port; }
parser xdp_parse<H>(packet_in packet, out H headers);
control xdp_switch<H>(inout H headers, in xdp_input imd, out xdp_output omd);
control xdp_deparse<H>(in H headers, packet_out packet);
package xdp<H>(xdp_parse<H> p, xdp_switch<H> s, xdp_deparse<H> d);
header B { bit<8> v; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.b);
        transition accept;
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = i.port;
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
