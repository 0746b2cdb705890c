// SPDX-License-Identifier: Apache-2.0
// Control-plane names with characters that end comments, strings and identifiers.
#include <core.p4>
#include <xdp_model.p4>
typedef bit<48> mac_t;
header Ethernet { mac_t dst; mac_t src; bit<16> type; }
header H { bit<8> a; bit<8> b; bit<16> c; }
struct Hs { Ethernet e; H h; }
parser P(packet_in p, out Hs hs) { state start { p.extract(hs.e); p.extract(hs.h); transition accept; } }
control S(inout Hs hs, in xdp_input i, out xdp_output o) {
    @name("set */ it") action set(@name("va/*lue") bit<8> v) { hs.h.b = v; }
    @name(".absolute.action") action abs(bit<8> v) { hs.h.c[7:0] = v; }
    @name("my-table.x y") table t1 {
        key = { hs.h.a : exact @name("a*/b"); }
        actions = { set; abs; @defaultonly NoAction; }
    }
    @name(".über") table t2 {
        key = { hs.h.a : exact @name("k%s\\n"); hs.h.b */* comment */ 1 : exact @name("\"q\""); }
        actions = { @name("x") set; abs; NoAction; }
        size = 16;
    }
    @name("9lives") table t3 {
        key = { hs.h.c & 0xff00 : ternary; (hs.h.a ++ hs.h.b) : lpm @name("a b c"); }
        actions = { set; abs; NoAction; }
        size = 16;
    }
    @name("cnt-1") CounterArray(8, true) c;
    apply { o.output_action = xdp_action.XDP_TX; o.output_port = 0; t1.apply(); t2.apply(); t3.apply(); c.add((bit<32>)hs.h.a, 5); }
}
control D(in Hs hs, packet_out p) { apply { p.emit(hs.e); p.emit(hs.h); } }
xdp(P(), S(), D()) main;
