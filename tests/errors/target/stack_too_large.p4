// expect: stack-too-large @ -: the variables of stack_too_large take
// expect-help: keep fewer values
// Seventeen headers of 2,048 bytes, all of them changed, so all of them variables.
#include <core.p4>
#include <xdp_model.p4>
header Wide { bit<16384> a; }
struct Headers { Wide[17] w; }
parser P(packet_in p, out Headers hd) {
    state start {
        p.extract(hd.w.next);
        transition select(hd.w.last.a[7:0]) { 0: start; default: accept; }
    }
}
control C(inout Headers hd, in xdp_input i, out xdp_output o) {
    apply {
        o.output_action = xdp_action.XDP_TX;
        o.output_port = 0;
        if (i.input_port == 7) {
            hd.w[0].a = hd.w[0].a + 1;
            hd.w[1].a = hd.w[1].a + 1;
            hd.w[2].a = hd.w[2].a + 1;
            hd.w[3].a = hd.w[3].a + 1;
            hd.w[4].a = hd.w[4].a + 1;
            hd.w[5].a = hd.w[5].a + 1;
            hd.w[6].a = hd.w[6].a + 1;
            hd.w[7].a = hd.w[7].a + 1;
            hd.w[8].a = hd.w[8].a + 1;
            hd.w[9].a = hd.w[9].a + 1;
            hd.w[10].a = hd.w[10].a + 1;
            hd.w[11].a = hd.w[11].a + 1;
            hd.w[12].a = hd.w[12].a + 1;
            hd.w[13].a = hd.w[13].a + 1;
            hd.w[14].a = hd.w[14].a + 1;
            hd.w[15].a = hd.w[15].a + 1;
            hd.w[16].a = hd.w[16].a + 1;
        }
    }
}
control D(in Headers hd, packet_out p) { apply { p.emit(hd.w); } }
xdp(P(), C(), D()) main;
