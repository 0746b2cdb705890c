// expect: loop-too-long @ 9:63: the loops of this program may run more than 2048 times together
// expect-help: give them smaller bounds
#include <core.p4>
#include <xdp_model.p4>
struct Hdr {}
parser P(packet_in p, out Hdr hd) { state start { transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    apply { o = { xdp_action.XDP_PASS, 0 };
        for (bit<8> x in 0 .. 99) { for (bit<8> y in 0 .. 99) { o.output_port += 1; } }
    }
}
control D(in Hdr hd, packet_out p) { apply { } }
xdp(P(), C(), D()) main;
