// Extern functions in C with parameters of every direction and of every kind that C takes
#include <core.p4>
#include <xdp_model.p4>

header H {
    bit<8> kind;
    bit<3> low;
    bit<5> high;
    bit<16> a;
    bit<32> b;
    bit<40> c;
}
struct Pair { bit<16> x; bool flag; }
struct Hdr { H h; H second; }

extern bit<12> sum(in bit<12> left, in bit<12> right);
extern void split(in bit<16> from, out bit<8> top, out bit<8> bottom);
extern void double_it(inout bit<40> number);
extern bool exchange(inout Pair pair, in bool wanted);
extern void turn(inout H h);
extern void both(inout Hdr hd, out bit<64> mark);
extern void note();
extern bit<32> noted();

parser P(packet_in p, out Hdr hd) {
    state start { p.extract(hd.h); transition accept; }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    Pair pair;
    bit<64> mark;
    apply {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 0;
        note();
        if (hd.h.kind == 1) {
            hd.h.a = (bit<16>)sum(12w0xfff, (bit<12>)hd.h.a);
        } else if (hd.h.kind == 2) {
            split(hd.h.a, hd.h.b[31:24], hd.h.b[7:0]);
        } else if (hd.h.kind == 3) {
            double_it(hd.h.c);
        } else if (hd.h.kind == 4) {
            pair = { hd.h.a, false };
            if (exchange(pair, true) && pair.flag)
                hd.h.a = pair.x;
        } else if (hd.h.kind == 5) {
            turn(hd.h);
        } else if (hd.h.kind == 6) {
            both(hd, mark);
            hd.h.b = mark[63:32];
        } else if (hd.h.kind == 7) {
            hd.h.b = noted();
        } else {
            sum(1, 2);
        }
    }
}

control D(in Hdr hd, packet_out p) { apply { p.emit(hd.h); p.emit(hd.second); } }

xdp(P(), C(), D()) main;
