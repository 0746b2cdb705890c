// SPDX-License-Identifier: Apache-2.0
//
// Watches links: registers count the bytes that leave by each port; a probe gets the count of its
// port in front of those it has, and the count starts again.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

const bit<16> TYPE_PROBE = 0x88B6;
const bit<32> PORTS = 512;

header Probe {
    bit<8> reports;
}

header LinkReport {
    bit<16> port;
    bit<32> bytes;
}

struct Headers {
    Ethernet      ethernet;
    Probe         probe;
    LinkReport[3] links;
}

struct Meta { }

parser Parse(
    packet_in packet, out Headers hdr, inout Meta meta, inout standard_metadata_t standard)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_PROBE: probe;
            default:    accept;
        }
    }
    state probe {
        packet.extract(hdr.probe);
        transition select(hdr.probe.reports) {
            0:       accept;
            1:       one;
            2:       two;
            3:       three;
        }
    }
    state three {
        packet.extract(hdr.links.next);
        transition two;
    }
    state two {
        packet.extract(hdr.links.next);
        transition one;
    }
    state one {
        packet.extract(hdr.links.next);
        transition accept;
    }
}

control NoChecksum(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Forward(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 2;
        if (standard.parser_error != error.NoError) {
            mark_to_drop(standard);
        } else if (hdr.ethernet.dst[7:0] == 3) {
            standard.egress_spec = 3;
        }
    }
}

control Count(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    register<bit<32>>(PORTS) bytes;
    apply {
        bit<32> port = (bit<32>) standard.egress_port;
        bit<32> sent;
        bytes.read(sent, port);
        if (!hdr.probe.isValid()) {
            bytes.write(port, sent + standard.packet_length);
        } else if (hdr.probe.reports < 3) {
            bytes.write(port, 0);
            hdr.links.push_front(1);
            hdr.links[0].setValid();
            hdr.links[0].port = (bit<16>) standard.egress_port;
            hdr.links[0].bytes = sent;
            hdr.probe.reports = hdr.probe.reports + 1;
        }
    }
}

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.probe);
        packet.emit(hdr.links);
    }
}

V1Switch(Parse(), NoChecksum(), Forward(), Count(), NoChecksum(), Deparse()) main;
