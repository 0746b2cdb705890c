// @atomic over several cells of registers: no other packet comes between, in whatever way the
// block is left.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<8> how;
    bit<8> first;
    bit<16> second;
    bit<32> third;
    bit<64> rest;
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
    register<bit<8>>(1) ones;
    register<bit<16>>(4) twos;
    register<bit<128>>(1) wide;

    action both() {
        @atomic {
            ones.read(hdr.data.first, 0);
            hdr.data.first = hdr.data.first + 1;
            ones.write(0, hdr.data.first);
            if (hdr.data.how == 1) {
                return;
            }
            if (hdr.data.how == 2) {
                exit;
            }
            twos.read(hdr.data.second, 1);
            @atomic {
                hdr.data.second = hdr.data.second + (bit<16>) hdr.data.first;
                twos.write(1, hdr.data.second);
            }
        }
        hdr.data.third = 1;
    }
    action watch() {
        twos.read(hdr.data.second, 1);
        ones.write(0, 0x40);
    }
    @atomic
    action large() {
        bit<128> value;
        wide.read(value, 0);
        value = value + 0x1_0000_0000_0000_0001;
        wide.write(0, value);
        hdr.data.third = value[95:64];
    }
    table what {
        key = {
            hdr.data.how: exact;
        }
        actions = {
            watch;
            large;
            both;
        }
        default_action = both;
        const entries = {
            7: watch();
            8: large();
        }
    }
    apply {
        std.egress_spec = 1;
        what.apply();
        if (hdr.data.how == 1) {
            hdr.data.third = 3;
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
