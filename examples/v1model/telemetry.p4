// SPDX-License-Identifier: Apache-2.0
//
// In-band telemetry: each switch pushes an element with its id and the port that the packet
// leaves by, the newest first. A packet that has no room left goes on as it is.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

const bit<16> TYPE_TELEMETRY = 0x88B5;

header Telemetry {
    bit<8>  hops;
    bit<16> next_type;
}

header Hop {
    bit<16> switch_id;
    bit<16> port;
}

struct Headers {
    Ethernet  ethernet;
    Telemetry telemetry;
    Hop[4]    hops;
}

struct Meta {
    bit<8> remaining;
}

parser Parse(
    packet_in packet, out Headers hdr, inout Meta meta, inout standard_metadata_t standard)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_TELEMETRY: telemetry;
            default:        accept;
        }
    }
    state telemetry {
        packet.extract(hdr.telemetry);
        meta.remaining = hdr.telemetry.hops;
        transition select(meta.remaining) {
            0:       accept;
            default: hop;
        }
    }
    state hop {
        packet.extract(hdr.hops.next);
        meta.remaining = meta.remaining - 1;
        transition select(meta.remaining) {
            0:       accept;
            default: hop;
        }
    }
}

control NoVerify(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Forward(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }
    action forward(bit<9> port) {
        standard.egress_spec = port;
    }
    table switching {
        key = {
            hdr.ethernet.dst: exact;
        }
        actions = {
            forward;
            drop;
        }
        default_action = drop();
    }
    apply {
        if (standard.parser_error == error.NoError) {
            switching.apply();
        } else {
            drop();
        }
    }
}

control Report(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action report(bit<16> switch_id) {
        hdr.hops.push_front(1);
        hdr.hops[0].setValid();
        hdr.hops[0].switch_id = switch_id;
        hdr.hops[0].port = (bit<16>) standard.egress_port;
        hdr.telemetry.hops = hdr.telemetry.hops + 1;
    }
    table identity {
        actions = {
            report;
            NoAction;
        }
        default_action = NoAction();
    }
    apply {
        if (hdr.telemetry.isValid() && hdr.telemetry.hops < 4) {
            identity.apply();
        }
    }
}

control NoUpdate(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.telemetry);
        packet.emit(hdr.hops);
    }
}

V1Switch(Parse(), NoVerify(), Forward(), Report(), NoUpdate(), Deparse()) main;
