// SPDX-License-Identifier: Apache-2.0
// A field list keeps fields of any width, truth values among them.
#include <core.p4>
#include <v1model.p4>

header Wide {
    bit<8> turn;
    bit<128> address;
    bit<72> odd;
    bit<8> flag;
}

struct Headers {
    Wide wide;
}

struct Metadata {
    @field_list(1)
    bit<128> address;
    @field_list(1)
    bit<72> odd;
    @field_list(1)
    bool flag;
}

parser P(packet_in packet, out Headers hd, inout Metadata m, inout standard_metadata_t s) {
    state start {
        packet.extract(hd.wide);
        transition accept;
    }
}

control V(inout Headers hd, inout Metadata m) {
    apply { }
}

control I(inout Headers hd, inout Metadata m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        if (s.instance_type == 0) {
            m.address = hd.wide.address + 1;
            m.odd = hd.wide.odd ^ 72w0xff;
            m.flag = hd.wide.flag == 7;
            resubmit_preserving_field_list(1);
        } else {
            hd.wide.turn = 2;
            hd.wide.address = m.address;
            hd.wide.odd = m.odd;
            hd.wide.flag = m.flag ? 8w1 : 0;
        }
    }
}

control E(inout Headers hd, inout Metadata m, inout standard_metadata_t s) {
    apply { }
}

control C(inout Headers hd, inout Metadata m) {
    apply { }
}

control D(packet_out packet, in Headers hd) {
    apply {
        packet.emit(hd.wide);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
