// Tables with different actions share an action selector: a member can be used by each table that
// lists its action, with the arguments that are bound there.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> first;
    bit<8> second;
    bit<16> flow;
    bit<8> a;
    bit<8> b;
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

action put(inout bit<8> where, bit<8> value) {
    where = where + value;
}

control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    action_selector(HashAlgorithm.identity, 4, 16) ways;

    action only_first(bit<8> value) {
        hdr.data.a = value;
    }
    action only_second(bit<32> value, bit<8> more) {
        hdr.data.b = value[31:24] ^ more;
    }
    action outside() {
        hdr.data.b = 0xff;
    }
    table first {
        key = {
            hdr.data.first: exact;
            hdr.data.flow: selector;
        }
        actions = {
            only_first;
            put(hdr.data.a);
            @defaultonly NoAction;
        }
        implementation = ways;
        size = 8;
    }
    table second {
        key = {
            hdr.data.second: ternary;
            hdr.data.flow: selector;
        }
        actions = {
            @defaultonly only_first;
            put(hdr.data.b);
            only_second;
            NoAction;
        }
        default_action = only_first(0xdd);
        implementation = ways;
        size = 8;
    }
    table unreached {
        key = {
            hdr.data.first: exact;
            hdr.data.flow: selector;
        }
        actions = {
            outside;
            put(hdr.data.b);
            NoAction;
        }
        implementation = ways;
    }

    apply {
        std.egress_spec = 2;
        first.apply();
        second.apply();
        exit;
        unreached.apply();
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
