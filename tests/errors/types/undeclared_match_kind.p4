// expect: undeclared @ 20:25: match kind `range` is not declared
// expect-help: declare it: `match_kind { range }`
#include <core.p4>
#include <xdp_model.p4>

header h_t { bit<16> a; }
struct headers { h_t h; }

parser p(packet_in packet, out headers hd) {
    state start {
        packet.extract(hd.h);
        transition accept;
    }
}

control c(inout headers hd, in xdp_input imd, out xdp_output omd) {
    action stop() { omd.output_action = xdp_action.XDP_DROP; }
    action go() { omd.output_action = xdp_action.XDP_PASS; }
    table t {
        key = { hd.h.a: range; }
        actions = { stop; go; }
        default_action = go();
    }
    apply { omd.output_port = 0; omd.output_action = xdp_action.XDP_PASS; t.apply(); }
}

control d(in headers hd, packet_out packet) { apply { packet.emit(hd.h); } }

xdp(p(), c(), d()) main;
