// A header that ends inside its varbit, or behind it, is not extracted at all.
#include <core.p4>
#include <v1model.p4>

header mark_t {
    bit<8> error_code;
    bit<8> valid;
    bit<8> first;
    bit<8> last;
}

header record_t {
    bit<8> size;
    bit<8> first;
    varbit<64> middle;
    bit<8> last;
}

struct headers_t {
    mark_t mark;
    record_t record;
}

struct meta_t {
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        hdr.record.setValid();
        hdr.record.first = 0x11;
        hdr.record.last = 0x22;
        hdr.record.setInvalid();
        transition again;
    }
    state again {
        bit<8> size = packet.lookahead<bit<8>>();
        packet.extract(hdr.record, (bit<32>) size * 8);
        transition select(hdr.record.last) {
            0xff: again2;
            default: accept;
        }
    }
    state again2 {
        bit<8> size = packet.lookahead<bit<8>>();
        packet.extract(hdr.record, (bit<32>) size * 8);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {
    }
}

control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        hdr.mark.setValid();
        if (std.parser_error == error.PacketTooShort) {
            hdr.mark.error_code = 1;
        } else if (std.parser_error == error.NoError) {
            hdr.mark.error_code = 0;
        } else {
            hdr.mark.error_code = 2;
        }
        if (hdr.record.isValid()) {
            hdr.mark.valid = 1;
            hdr.mark.first = hdr.record.first;
            hdr.mark.last = hdr.record.last;
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
        packet.emit(hdr.mark);
        packet.emit(hdr.record);
    }
}

V1Switch(Parse(), Verify(), Enter(), Leave(), Compute(), Deparse()) main;
