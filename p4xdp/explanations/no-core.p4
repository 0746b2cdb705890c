enum xdp_action { XDP_ABORTED, XDP_DROP, XDP_PASS, XDP_TX, XDP_REDIRECT }
struct xdp_input { bit<32> input_port; }
struct xdp_output { xdp_action output_action; bit<32> output_port; }
extern packet_in { void extract<T>(out T hdr); }
extern packet_out { void emit<T>(in T hdr); }
parser xdp_parse<H>(packet_in packet, out H headers);
control xdp_switch<H>(inout H headers, in xdp_input imd, out xdp_output omd);
control xdp_deparse<H>(in H headers, packet_out packet);
package xdp<H>(xdp_parse<H> p, xdp_switch<H> s, xdp_deparse<H> d);
header B { bit<8> v; }
struct Hdr { B[1] st; }
parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.st.next);
        transition select(hd.st.last.v, hd.st.next.v) {
            (_, _): accept;
        }
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o.output_action = xdp_action.XDP_PASS; o.output_port = 0; }
}
control D(in Hdr hd, packet_out p) { apply { } }
xdp(P(), C(), D()) main;

// fixed:

#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B[1] st; }
parser P(packet_in p, out Hdr hd) {
    state start {
        p.extract(hd.st.next);
        transition select(hd.st.last.v, hd.st.next.v) {
            (_, _): accept;
        }
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o.output_action = xdp_action.XDP_PASS; o.output_port = 0; }
}
control D(in Hdr hd, packet_out p) { apply { } }
xdp(P(), C(), D()) main;
