// Tables and objects that no packet can reach take requests and keep nothing.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> a;
}

struct headers_t {
    data_t data;
}

struct meta_t {
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    value_set<bit<8>>(4) unasked;
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
    counter(4, CounterType.packets_and_bytes) uncounted;
    register<bit<16>>(4) unread;
    meter(4, MeterType.bytes) unmetered;
    direct_counter(CounterType.packets) unhit;
    action_selector(HashAlgorithm.crc32, 8, 8) unpicked;

    action set(bit<8> value) {
        hdr.data.a = value;
        uncounted.count(0);
    }
    table never {
        key = {
            hdr.data.a: ternary;
        }
        actions = {
            set;
            NoAction;
        }
        counters = unhit;
    }
    table spread {
        key = {
            hdr.data.a: exact;
            std.ingress_port: selector;
        }
        actions = {
            set;
        }
        implementation = unpicked;
    }
    table done {
        key = {
            hdr.data.a: exact;
        }
        actions = {
            set;
            NoAction;
        }
        const entries = {
            1: set(2);
        }
    }

    apply {
        std.egress_spec = 1;
        exit;
        never.apply();
        spread.apply();
        done.apply();
        unread.write(0, 1);
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
