// Checksums over the payload: of UDP over IPv4 with options, of data with an odd number of bytes,
// of a packet whose parser stopped.
#include <core.p4>
#include <v1model.p4>

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<72> middle;
    bit<16> checksum;
    bit<32> source;
    bit<32> destination;
    varbit<320> options;
}

header udp_t {
    bit<16> source;
    bit<16> destination;
    bit<16> size;
    bit<16> checksum;
}

header odd_t {
    bit<8> data;
    bit<16> checksum;
}

struct headers_t {
    ipv4_t ipv4;
    udp_t udp;
    odd_t odd;
}

struct meta_t {
}

parser Parse(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    state start {
        transition select(packet.lookahead<bit<4>>()) {
            4: ipv4;
            5: odd;
            default: stopped;
        }
    }
    state ipv4 {
        bit<8> first = packet.lookahead<bit<8>>();
        packet.extract(hdr.ipv4, ((bit<32>) first[3:0] - 5) * 32);
        packet.extract(hdr.udp);
        transition accept;
    }
    state odd {
        packet.extract(hdr.odd);
        transition accept;
    }
    state stopped {
        packet.extract(hdr.odd);
        verify(false, error.NoMatch);
        packet.extract(hdr.udp);
        transition accept;
    }
}

control Verify(inout headers_t hdr, inout meta_t meta) {
    apply {
        verify_checksum_with_payload(hdr.udp.isValid() && hdr.udp.checksum != 0,
            { hdr.ipv4.source, hdr.ipv4.destination, 8w0, 8w17, hdr.udp.size,
              hdr.udp.source, hdr.udp.destination, hdr.udp.size },
            hdr.udp.checksum, HashAlgorithm.csum16);
        verify_checksum_with_payload(hdr.odd.isValid(), { hdr.odd.data }, hdr.odd.checksum,
            HashAlgorithm.csum16);
    }
}

control Enter(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
        std.egress_spec = 1;
        if (std.checksum_error == 1) {
            std.egress_spec = 2;
        }
        if (hdr.udp.isValid()) {
            hdr.udp.destination = hdr.udp.destination + 1;
        }
    }
}

control Leave(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t std) {
    apply {
    }
}

control Compute(inout headers_t hdr, inout meta_t meta) {
    apply {
        update_checksum_with_payload(hdr.udp.isValid(),
            { hdr.ipv4.source, hdr.ipv4.destination, 8w0, 8w17, hdr.udp.size,
              hdr.udp.source, hdr.udp.destination, hdr.udp.size },
            hdr.udp.checksum, HashAlgorithm.csum16);
        update_checksum_with_payload(hdr.odd.isValid(), { 8w0, hdr.odd.data, 4w1 },
            hdr.odd.checksum, HashAlgorithm.csum16);
    }
}

control Deparse(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
        packet.emit(hdr.odd);
    }
}

V1Switch(Parse(), Verify(), Enter(), Leave(), Compute(), Deparse()) main;
