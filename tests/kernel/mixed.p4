// SPDX-License-Identifier: Apache-2.0
// Packets that are copied and packets that are not, in turn; egress writes down what each is.
#include <core.p4>
#include <v1model.p4>

header Ethernet {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Noted {
    bit<8> turn;
    bit<8> instance;
    bit<8> port;
    bit<8> copy;
}

struct Headers {
    Ethernet eth;
    Noted    noted;
}

struct Meta {
    @field_list(1)
    bit<8> turn;
}

parser P(packet_in p, out Headers hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.eth);
        p.extract(hd.noted);
        transition accept;
    }
}

control C(inout Headers hd, inout Meta m) {
    apply {}
}

control I(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    register<bit<8>>(1) turns;
    apply {
        bit<8> turn;
        turns.read(turn, 0);
        turns.write(0, turn + 1);
        turn = turn + 1; // the first is not copied
        m.turn = turn & 3;
        s.egress_spec = 1 + (bit<9>) (turn & 1);
        if (m.turn == 0) {
            s.mcast_grp = 1;
        } else if (m.turn == 2) {
            clone_preserving_field_list(CloneType.I2E, 1, 1);
        }
    }
}

control E(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        hd.noted.turn = m.turn;
        hd.noted.instance = (bit<8>) s.instance_type;
        hd.noted.port = (bit<8>) s.egress_port;
        hd.noted.copy = (bit<8>) s.egress_rid;
    }
}

control D(packet_out p, in Headers hd) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.noted);
    }
}

V1Switch(P(), C(), I(), E(), C(), D()) main;
