// SPDX-License-Identifier: Apache-2.0
//
// A calculator in the network: a UDP datagram to port 5000 asks for the result of an operation,
// and the switch itself answers it. tools/calculate.py asks.
#include <core.p4>
#include <v1model.p4>
#include "../include/headers.p4"

const bit<16> CALCULATOR = 5000;

enum bit<8> Operation {
    ADD      = 0x2B,  // the ASCII characters + - * & | ^
    SUBTRACT = 0x2D,
    MULTIPLY = 0x2A,
    AND      = 0x26,
    OR       = 0x7C,
    XOR      = 0x5E
}

enum bit<8> Status {
    REQUEST  = 0,
    DONE     = 1,
    UNKNOWN  = 2
}

header Calculation {
    Status    status;
    Operation operation;
    bit<32>   left;
    bit<32>   right;
    bit<32>   result;
}

struct Headers {
    Ethernet    ethernet;
    IPv4        ipv4;
    Udp         udp;
    Calculation calculation;
}

struct Meta { }

parser Parse(
    packet_in packet, out Headers hdr, inout Meta meta, inout standard_metadata_t standard)
{
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: ipv4;
            default:   accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.flags & 1, hdr.ipv4.frag_offset,
                          hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_UDP): udp;
            default:                 accept;
        }
    }
    state udp {
        packet.extract(hdr.udp);
        transition select(hdr.udp.dst_port) {
            CALCULATOR: calculation;
            default:    accept;
        }
    }
    state calculation {
        packet.extract(hdr.calculation);
        transition accept;
    }
}

control NoChecksum(inout Headers hdr, inout Meta meta) {
    apply { }
}

control Calculate(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    action answer(bit<32> result) {
        hdr.calculation.result = result;
        hdr.calculation.status = Status.DONE;
    }
    action add() {
        answer(hdr.calculation.left + hdr.calculation.right);
    }
    action subtract() {
        answer(hdr.calculation.left - hdr.calculation.right);
    }
    action multiply() {
        answer(hdr.calculation.left * hdr.calculation.right);
    }
    action bit_and() {
        answer(hdr.calculation.left & hdr.calculation.right);
    }
    action bit_or() {
        answer(hdr.calculation.left | hdr.calculation.right);
    }
    action bit_xor() {
        answer(hdr.calculation.left ^ hdr.calculation.right);
    }
    action unknown() {
        hdr.calculation.status = Status.UNKNOWN;
    }
    table operations {
        key = {
            hdr.calculation.operation: exact;
        }
        actions = {
            add;
            subtract;
            multiply;
            bit_and;
            bit_or;
            bit_xor;
            unknown;
        }
        const default_action = unknown();
        const entries = {
            Operation.ADD:      add();
            Operation.SUBTRACT: subtract();
            Operation.MULTIPLY: multiply();
            Operation.AND:      bit_and();
            Operation.OR:       bit_or();
            Operation.XOR:      bit_xor();
        }
    }
    // back to the sender; sums of swapped numbers are the same, so IPv4's checksum stays
    action send_back() {
        MacAddress mac = hdr.ethernet.dst;
        hdr.ethernet.dst = hdr.ethernet.src;
        hdr.ethernet.src = mac;
        IPv4Address address = hdr.ipv4.dst;
        hdr.ipv4.dst = hdr.ipv4.src;
        hdr.ipv4.src = address;
        hdr.udp.dst_port = hdr.udp.src_port;
        hdr.udp.src_port = CALCULATOR;
        hdr.udp.checksum = 0;  // none
        standard.egress_spec = standard.ingress_port;
    }
    apply {
        if (hdr.calculation.isValid() && hdr.calculation.status == Status.REQUEST) {
            operations.apply();
            send_back();
        } else {
            mark_to_drop(standard);
        }
    }
}

control NoEgress(inout Headers hdr, inout Meta meta, inout standard_metadata_t standard) {
    apply { }
}

control Deparse(packet_out packet, in Headers hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.calculation);
    }
}

V1Switch(Parse(), NoChecksum(), Calculate(), NoEgress(), NoChecksum(), Deparse()) main;
