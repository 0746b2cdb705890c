#include <core.p4>
#include <xdp_model.p4>

header Ethernet {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct Headers {
    Ethernet eth;
}

parser P(packet_in packet, out Headers h) {
    state start {
        packet.extract(h.eth);
        transition accept;
    }
}

control S(inout Headers h, in xdp_input i, out xdp_output o) {
    CounterArray(8, false) seen;
    action drop() {
        o.output_action = xdp_action.XDP_DROP;
    }
    action forward(bit<32> port) {
        o = { xdp_action.XDP_REDIRECT, port };
        seen.increment(port);
    }
    @tableonly action mirror() {
        o.output_action = xdp_action.XDP_TX;
    }
    table hosts {
        key = { h.eth.dst: exact @name("dst"); }
        actions = { drop; forward; mirror; }
        default_action = drop();
        size = 2;
    }
    table types {
        key = { h.eth.type: exact; }
        actions = { drop; NoAction; }
        const default_action = NoAction();
        const entries = {
            0x88cc: drop();
        }
    }
    apply {
        o = { xdp_action.XDP_PASS, 0 };
        hosts.apply();
        types.apply();
    }
}

control D(in Headers h, packet_out packet) {
    apply {
        packet.emit(h.eth);
    }
}

xdp(P(), S(), D()) main;
