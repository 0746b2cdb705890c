// SPDX-License-Identifier: Apache-2.0
// A switch with a controller behind a port of its own, as P4Runtime has it: packets to it get a
// header in front that says where they came by, packets from it have one that says where to. It gets
// clones as well.
#include <core.p4>
#include <v1model.p4>

const bit<9> CPU_PORT = 255;

@controller_header("packet_in")
header packet_in_t {
    bit<9>  ingress_port;
    bit<7>  reason;
}

@controller_header("packet_out")
header packet_out_t {
    bit<9>  egress_port;
    bit<7>  padding;
}

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

struct Hdr {
    packet_in_t  packet_in;
    packet_out_t packet_out;
    Eth          eth;
}

struct Meta {
    @field_list(1)
    bit<7> reason;
}

parser P(packet_in p, out Hdr hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        transition select(s.ingress_port) {
            CPU_PORT: from_controller;
            default:  ethernet;
        }
    }
    state from_controller {
        p.extract(hd.packet_out);
        transition ethernet;
    }
    state ethernet {
        p.extract(hd.eth);
        transition accept;
    }
}

control C(inout Hdr hd, inout Meta m) {
    apply { }
}

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (hd.packet_out.isValid()) {
            s.egress_spec = hd.packet_out.egress_port;
            hd.packet_out.setInvalid();
        } else if (hd.eth.type == 0x806) {
            m.reason = 5;
            s.egress_spec = CPU_PORT;
        } else if (hd.eth.type == 0x88cc) {
            m.reason = 9;
            s.egress_spec = 2;
            clone_preserving_field_list(CloneType.I2E, 7, 1);
        } else {
            s.egress_spec = 2;
        }
    }
}

control E(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (s.egress_port == CPU_PORT) {
            hd.packet_in.setValid();
            hd.packet_in.ingress_port = s.ingress_port;
            hd.packet_in.reason = m.reason;
        }
    }
}

control D(packet_out p, in Hdr hd) {
    apply {
        p.emit(hd.packet_in);
        p.emit(hd.eth);
    }
}

V1Switch(P(), C(), I(), E(), C(), D()) main;
