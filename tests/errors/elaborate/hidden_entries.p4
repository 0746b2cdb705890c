// expect: unreachable-entry @ 24:13: this entry never matches, as an entry before it matches all that it does
// expect: unreachable-entry @ 26:13: this entry never matches, as an entry before it has the same keys
// expect: unreachable-entry @ 27:13: this entry never matches, as an entry before it matches all that it does
// expect: unreachable-entry @ 36:13: this entry never matches, as an entry before it matches all that it does
// expect: unreachable-entry @ 38:13: this entry never matches, as an entry before it matches all that it does
// expect: unreachable-entry @ 47:13: this entry never matches, as an entry before it matches all that it does
#include <core.p4>
#include <xdp_model.p4>
match_kind { range, optional }
header B { bit<8> v; bit<8> w; }
struct Hdr { B b; }
parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.b); transition accept; } }
control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    action a() { }
    table masks {
        key = { hd.b.v: ternary; hd.b.w: ternary; }
        actions = { a; }
        default_action = a();
        const entries = {
            (0x10 &&& 0xf0, _): a();
            (0x20 &&& 0xf0, 1): a();
            (0x21, 2): a();
            (0x21, _): a();
            (0x1f, 7): a();
            (0x30, 1 &&& 3): a();
            (0x10 &&& 0xf0, _): a();
            (0x30, 5): a();
            (0x30 &&& 0xf0, 5): a();
        }
    }
    table ranges {
        key = { hd.b.v: range; hd.b.w: optional; }
        actions = { a; }
        entries = {
            priority = 9: (10 .. 20, _): a();
            priority = 8: (12 .. 20, 1): a();
            priority = 7: (9 .. 12, 1): a();
            priority = 5: (15, 3): a();
            priority = 6: (_, 3): a();
        }
    }
    table smallest {
        key = { hd.b.v: ternary; }
        actions = { a; }
        largest_priority_wins = false;
        entries = {
            priority = 9: 0x11: a();
            priority = 8: 0x12: a();
            priority = 1: 0x10 &&& 0xfe: a();
        }
    }
    apply {
        o = { xdp_action.XDP_PASS, 0 };
        masks.apply();
        ranges.apply();
        smallest.apply();
    }
}
control D(in Hdr hd, packet_out p) { apply { p.emit(hd); } }
xdp(P(), C(), D()) main;
