// The custom checks have the parameters that the control plane says.
#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<72> text;
    bit<16> crc16;
    bit<32> crc32;
    bit<32> any;
    bit<8> index;
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
    apply {
        std.egress_spec = 1;
        hash(hdr.data.crc16, HashAlgorithm.crc16_custom, 16w0, { hdr.data.text }, 32w0x10000);
        hash(hdr.data.crc32, HashAlgorithm.crc32_custom, 32w0, { hdr.data.text }, 64w0x100000000);
        bit<32> again;
        hash(hdr.data.any, HashAlgorithm.random, 32w0, { hdr.data.text }, 64w0x100000000);
        hash(again, HashAlgorithm.random, 32w0, { hdr.data.text }, 64w0x100000000);
        hdr.data.any = hdr.data.any ^ again;
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
