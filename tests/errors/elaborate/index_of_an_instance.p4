// expect: out-of-range @ 9:9: index 2 is past the end of a stack of 2
#include <core.p4>
#include <xdp_model.p4>
header B { bit<8> v; }
struct Hdr { B[2] st; }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.st.next); transition accept; } }
control Set(inout Hdr hd)(bit<8> place) {
    apply {
        hd.st[place].v = 1;
    }
}
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    Set(1) good;
    Set(2) bad;
    apply {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 0;
        good.apply(hd);
        bad.apply(hd);
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
