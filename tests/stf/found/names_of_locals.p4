// SPDX-License-Identifier: Apache-2.0
// Tables and counters with the names of the locals of the functions that look them up.
#include <core.p4>
#include <xdp_model.p4>
typedef bit<48> mac_t;
header Ethernet { mac_t dst; mac_t src; bit<16> type; }
header H { bit<8> a; bit<8> b; }
struct Hs { Ethernet e; H h; }
parser P(packet_in p, out Hs hs) { state start { p.extract(hs.e); p.extract(hs.h); transition accept; } }
control S(inout Hs hs, in xdp_input imd, out xdp_output o) {
    bit<8> i = 0; bit<8> n = 0; bit<8> count = 0; bit<8> event = 3;
    action one() { hs.h.b = hs.h.b + 1; }
    action add(bit<8> value, bit<8> to) { hs.h.b = hs.h.b + value + to; }
#define TABLE(N, K) table N { key = { hs.h.a : K; } actions = { one; add; NoAction; } size = 4; }
    TABLE(i_, exact) TABLE(state, ternary) TABLE(index, exact) TABLE(count_, exact) TABLE(field0, exact) TABLE(to, exact) TABLE(from, ternary)
    TABLE(key, ternary) TABLE(value, ternary) TABLE(entry, lpm) TABLE(zero, exact) TABLE(scratch, exact) TABLE(data_end, exact) TABLE(fd, exact) TABLE(pin_dir, lpm)
    table data { key = { hs.h.a ++ 24w0 : exact; } actions = { one; add; NoAction; } implementation = array_table(4); }
    table index_ { key = { 24w0 ++ hs.h.a : exact; } actions = { one; add; NoAction; } implementation = array_table(4); }
    @name("i") table i2 { key = { 24w0 ++ hs.h.a : exact; } actions = { one; add; NoAction; } implementation = array_table(4); }
    CounterArray(4, false) ctx; CounterArray(4, true) offset;
    apply {
        o.output_action = xdp_action.XDP_PASS; o.output_port = 0;
        i_.apply(); state.apply(); index.apply(); count_.apply(); field0.apply(); to.apply(); from.apply(); key.apply();
        value.apply(); entry.apply(); zero.apply(); scratch.apply(); data_end.apply(); fd.apply(); pin_dir.apply(); data.apply(); index_.apply(); i2.apply();
        i = hs.h.a + event; n = i; count = n;
        if (count == 4) { ctx.increment((bit<32>)count - 2); offset.increment(1); }
    }
}
control D(in Hs hs, packet_out p) { apply { p.emit(hs.e); p.emit(hs.h); } }
xdp(P(), S(), D()) main;
