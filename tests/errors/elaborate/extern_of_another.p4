// expect: unsupported @ 30:9: extern method `Counter.count` is not known to this target
// expect-help: use the externs of xdp_model.p4
#include <core.p4>
#include <xdp_model.p4>

enum Kind { PACKETS }

extern Counter {
    Counter(bit<32> size, Kind kind);
    void count(in bit<32> index, in bit<32> by);
}

header E {
    bit<48> dst;
}

struct H {
    E e;
}

parser P(packet_in p, out H h) {
    state start {
        transition accept;
    }
}

control S(inout H h, in xdp_input i, out xdp_output o) {
    Counter(4, Kind.PACKETS) c;
    apply {
        c.count(1, 2);
        o.output_action = xdp_action.XDP_PASS;
        o.output_port = 0;
    }
}

control D(in H h, packet_out p) {
    apply { }
}

xdp(P(), S(), D()) main;
