// Tables whose entries lead to members of an action selector, which is shared, and to groups of
// them; and one with an action profile that stands in its properties.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> first;
    bit<8> second;
    bit<16> flow;
    bit<8> which;
    bit<8> result;
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
    action_selector(HashAlgorithm.crc16, 16, 14) paths;
    direct_counter(CounterType.packets) hits;

    action set(bit<8> value) {
        hdr.data.which = value;
    }
    action add(bit<8> value, bit<8> more) {
        hdr.data.which = value + more;
    }
    action miss() {
        hdr.data.which = 0xee;
    }
    table first {
        key = {
            hdr.data.first: exact;
            hdr.data.flow: selector;
            hdr.data.second: selector;
        }
        actions = {
            set;
            add;
            @defaultonly miss;
        }
        default_action = miss;
        implementation = paths;
        counters = hits;
        size = 8;
    }
    table second {
        key = {
            hdr.data.second: ternary;
            hdr.data.flow: selector;
            hdr.data.second: selector;
        }
        actions = {
            set;
            add;
            @defaultonly miss;
        }
        const default_action = miss;
        implementation = paths;
        size = 4;
    }

    action result(bit<8> value) {
        hdr.data.result = value;
    }
    table third {
        key = {
            hdr.data.which: exact;
        }
        actions = {
            result;
            NoAction;
        }
        implementation = action_profile(4);
        size = 8;
    }

    apply {
        std.egress_spec = 2;
        if (hdr.data.first == 0xff) {
            switch (second.apply().action_run) {
                add: {
                    hdr.data.result = 0xaa;
                }
            }
        } else {
            if (first.apply().hit) {
                hdr.data.result = 1;
            }
            third.apply();
        }
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
