// expect: table-too-large @ 20:5: the key of table `C.long_key` takes 768 bytes; a hash table takes at most 512
// expect-help: match on fewer
// expect: table-too-large @ 25:5: table `C.many` is to hold 100000000 entries; a ternary table holds at most 1048576
// A table with more entries, and a key with more bytes, than a BPF map can hold.
#include <core.p4>
#include <xdp_model.p4>

header Wide { bit<2048> a; bit<2048> b; }
struct Headers { Wide wide; }

parser P(packet_in p, out Headers hd) {
    state start {
        p.extract(hd.wide);
        transition accept;
    }
}

control C(inout Headers hd, in xdp_input i, out xdp_output o) {
    action none() { }
    table long_key {
        key = { hd.wide.a: exact; hd.wide.b: exact; hd.wide.a: exact @name("again"); }
        actions = { none; }
        default_action = none();
    }
    table many {
        key = { hd.wide.a[7:0]: ternary @name("part"); }
        actions = { none; }
        default_action = none();
        size = 100000000;
    }
    apply {
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 0;
        long_key.apply();
        many.apply();
    }
}

control D(in Headers hd, packet_out p) { apply { p.emit(hd.wide); } }

xdp(P(), C(), D()) main;
