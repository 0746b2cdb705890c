// SPDX-License-Identifier: Apache-2.0
// A clone made by ingress has none of the headers that ingress has added and all that it has taken
// away; one made by egress has the headers as egress has left them, whatever the packet came with.
#include <core.p4>
#include <v1model.p4>

header Ethernet {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Shim {
    bit<8>  next;
    bit<8>  wide;
    bit<16> tag;
}

header Large {
    bit<128> x;
    bit<72>  y;
}

struct Headers {
    Ethernet eth;
    Shim     new;
    Shim[2]  shims;
    Large    large;
}

struct Meta {
    @field_list(1)
    bit<128> far;
    @field_list(1)
    bool     flag;
    bit<16>  lost;
}

parser P(packet_in p, out Headers hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            0x0101:  shim;
            default: accept;
        }
    }
    state shim {
        p.extract(hd.shims.next);
        transition select(hd.shims.last.next) {
            1:       shim;
            2:       large;
            default: accept;
        }
    }
    state large {
        p.extract(hd.large);
        transition accept;
    }
}

control C(inout Headers hd, inout Meta m) {
    apply {}
}

control I(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 1;
        m.lost = 7;
        if (hd.large.isValid()) {
            m.far = hd.large.x + 1;
            m.flag = hd.large.y[0:0] == 1;
        }
        if (hd.eth.dst[0:0] == 1) {
            clone_preserving_field_list(CloneType.I2E, 5, 1);
        }
        hd.new.setValid();
        hd.new.next = 0xcc;
        hd.new.wide = 0xdd;
        hd.shims[1].setInvalid();
    }
}

control E(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply {
        if (s.instance_type == 0) {
            if (hd.eth.dst[1:1] == 1) {
                clone_preserving_field_list(CloneType.E2E, 6, 1);
            }
            hd.new.tag = m.lost;
            hd.large.y = 3;
            if (hd.eth.dst[2:2] == 1) {
                hd.shims[0].setInvalid();
                truncate(24);
            }
        } else {
            hd.eth.type = 0xee00 | (bit<16>) m.lost | (bit<16>) s.instance_type;
            if (hd.large.isValid()) {
                hd.large.x = m.far;
            }
            if (m.flag) {
                hd.eth.src = 0xf;
            }
        }
    }
}

control D(packet_out p, in Headers hd) {
    apply {
        p.emit(hd.eth);
        p.emit(hd.new);
        p.emit(hd.shims);
        p.emit(hd.large);
    }
}

V1Switch(P(), C(), I(), E(), C(), D()) main;
