// Tables with idle timeouts: each entry has the time of its last hit.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
    bit<8> b;
    bit<96> rest;
}

struct headers_t {
    data_t data;
}

struct meta_t {
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.data);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {
    }
}

control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    direct_counter(CounterType.packets) hits;
    action set(bit<8> value) {
        hdr.data.b = value;
    }
    table timed {
        key = {
            hdr.data.a: ternary;
        }
        actions = {
            set;
            NoAction;
        }
        counters = hits;
        support_timeout = true;
        size = 8;
    }
    table other {
        key = {
            hdr.data.b: exact;
        }
        actions = {
            set;
            NoAction;
        }
        support_timeout = true;
        size = 8;
    }
    table never {
        key = {
            hdr.data.b: exact;
        }
        actions = {
            NoAction;
        }
        support_timeout = false;
    }

    apply {
        std.egress_spec = 1;
        timed.apply();
        other.apply();
        never.apply();
    }
}

control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
    }
}

control Compute(inout headers_t hdr, inout meta_t meta) {
    apply {
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.data);
    }
}

V1Switch(Parse(), Verify(), Enter(), Leave(), Compute(), Deparse()) main;
