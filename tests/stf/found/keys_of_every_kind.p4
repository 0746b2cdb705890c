// SPDX-License-Identifier: Apache-2.0
// Tables of every kind over keys of every width, and an action with many data.
#include <core.p4>
#include <xdp_model.p4>
typedef bit<48> mac_t;
header Ethernet { mac_t dst; mac_t src; bit<16> type; }
enum bit<4> Nib { ZERO = 0, ONE = 1, TWO = 2 }
header H { bit<1> one; bit<3> three; Nib nib; bit<8> a; bit<16> b; bit<32> c; bit<48> d; bit<128> w; bit<20> odd; bit<12> r; int<8> sg; bool bo; bit<7> pad; }
struct Hs { Ethernet e; H h; }
parser P(packet_in p, out Hs hs) { state start { p.extract(hs.e); p.extract(hs.h); transition accept; } }
control S(inout Hs hs, in xdp_input i, out xdp_output o) {
    action mark(bit<4> bitno) { hs.h.r = hs.h.r | (12w1 << bitno); }
    action big(bit<1> p0, bit<2> p1, bit<7> p2, bit<8> p3, bit<9> p4, bit<16> p5, bit<17> p6, bit<32> p7, bit<33> p8, bit<48> p9, bit<63> p10, bit<64> p11, bit<65> p12, bit<128> p13, bool p14, int<8> p15) {
        if (p0 == 1 && p1 == 2 && p2 == 0x55 && p3 == 0xaa && p4 == 0x1fe && p5 == 0x1234 && p6 == 0x1abcd && p7 == 0xdeadbeef && p8 == 0x1deadbeef && p9 == 0x112233445566 && p10 == 0x7234567890abcdef && p11 == 0xf234567890abcdef && p12 == 0x1f234567890abcdef && p13 == 0xffeeddccbbaa99887766554433221100 && p14 && p15 == -3) hs.h.r = 0xabc;
    }
    table t_one { key = { hs.h.one : exact; hs.h.three : exact; } actions = { mark; NoAction; } size = 16; }
    table t_nib { key = { hs.h.nib : exact; } actions = { mark; NoAction; } const default_action = NoAction(); const entries = { Nib.ONE : mark(1); Nib.TWO : mark(2); } }
    table t_w { key = { hs.h.w : exact; } actions = { mark; NoAction; } size = 1; }
    table t_wl { key = { hs.h.w : lpm; } actions = { mark; NoAction; } size = 8; }
    table t_wt { key = { hs.h.w : ternary; hs.h.a : exact; } actions = { mark; NoAction; } size = 8; }
    table t_mix { key = { hs.h.c : lpm; hs.h.b : exact; hs.h.odd : exact; } actions = { mark; NoAction; } size = 8; }
    table t_mix3 { key = { hs.h.b : ternary; hs.h.c : lpm; hs.h.one : exact; } actions = { mark; NoAction; } size = 8; }
    table t_arr { key = { (bit<32>)hs.h.a : exact; } actions = { mark; NoAction; } implementation = array_table(256); }
    table t_arr8 { key = { hs.h.a : exact; } actions = { mark; NoAction; } implementation = array_table(4); }
    table t_sg { key = { hs.h.sg : exact; hs.h.bo : exact; } actions = { mark; big; NoAction; } }
    table t_ce { key = { hs.h.c : lpm; } actions = { mark; NoAction; } const entries = { 0x0a000000 &&& 0xff000000 : mark(3); 0x0a010000 &&& 0xffff0000 : mark(4); 0x0a010203 : mark(5); _ : mark(6); } }
    table t_ct { key = { hs.h.b : ternary; hs.h.a : exact; } actions = { mark; NoAction; } const entries = { (0x1200 &&& 0xff00, 1) : mark(7); (_, 1) : mark(8); (0x34, 2) : mark(9); (0x1234 &&& 0x00ff, 2) : mark(9); } }
    table t_def { actions = { mark; NoAction; } default_action = mark(0); }
    apply {
        o.output_action = xdp_action.XDP_PASS; o.output_port = 0; hs.h.r = 0;
        switch (hs.h.three) {
            0: { t_one.apply(); t_nib.apply(); }
            1: { t_w.apply(); t_wl.apply(); t_wt.apply(); }
            2: { t_mix.apply(); t_mix3.apply(); }
            3: { t_arr.apply(); t_arr8.apply(); }
            4: { t_sg.apply(); }
            5: { t_ce.apply(); t_ct.apply(); }
            6: { t_def.apply(); }
        }
    }
}
control D(in Hs hs, packet_out p) { apply { p.emit(hs.e); p.emit(hs.h); } }
xdp(P(), S(), D()) main;
