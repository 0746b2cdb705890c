// SPDX-License-Identifier: Apache-2.0
// Checksums of PSA in parsers, controls and deparsers: one is verified in the parser, its state goes
// to egress with the packet, and what changes is taken out of it and added to it. A register holds
// several fields in each cell. Checks over several pieces are those over all of the data.
#include <core.p4>
#include <psa.p4>

error { BadChecksum }

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Small {
    bit<8> ttl;
    bit<8> kind;
    bit<16> checksum;
    bit<32> address;
}

struct Hdr {
    Eth eth;
    Small small;
}

struct Empty { }

struct Normal {
    bit<16> state;
}

struct Meta {
    bit<16> state;
}

struct Cell {
    bit<48> last;
    bit<9> count;
    bool known;
}

parser IP(
    packet_in p,
    out Hdr hd,
    inout Meta m,
    in psa_ingress_parser_input_metadata_t s,
    in Empty again,
    in Empty round)
{
    InternetChecksum() sum;
    state start {
        p.extract(hd.eth);
        p.extract(hd.small);
        sum.clear();
        sum.add({ hd.small.ttl, hd.small.kind, hd.small.address });
        verify(sum.get() == hd.small.checksum, error.BadChecksum);
        m.state = sum.get_state();
        transition accept;
    }
}

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    Register<Cell, bit<8>>(16, { 7, 1, true }) seen;
    Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc32;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.CRC16) crc16;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) sum16;
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) all;
    Random<bit<8>>(3, 6) some;
    apply {
        send_to_port(o, (PortId_t) 1);
        if (s.parser_error == error.BadChecksum) {
            send_to_port(o, (PortId_t) 2);
        }
        switch (hd.small.kind) {
            1: {
                Cell cell = seen.read(hd.small.ttl);
                hd.eth.dst = cell.last;
                hd.eth.type = (bit<16>) cell.count + (cell.known ? 16w0x1000 : 0);
                seen.write(hd.small.ttl, { hd.eth.src, cell.count + 1, !cell.known });
            }
            2: {
                crc32.update(8w0x31);
                crc32.update(16w0x3233);
                crc32.update(48w0x343536373839);
                crc16.update({ 8w0x31, 56w0x32333435363738 });
                crc16.update({ 4w0, 4w9, 24w1 });
                hd.eth.dst = crc32.get() ++ crc16.get();
                hd.eth.src = all.get_hash({ 72w0x313233343536373839 }) ++ 16w0;
            }
            3: {
                sum16.update({ hd.eth.dst, hd.eth.type });
                sum16.update(hd.small.address);
                hd.eth.type = sum16.get();
                sum16.clear();
                hd.eth.src = (bit<48>) sum16.get();
            }
            4: {
                bit<8> number = some.read();
                hd.eth.type = number >= 3 && number <= 6 ? 16w1 : 0;
            }
            default: { }
        }
    }
}

control ID(
    packet_out p,
    out Empty cloned,
    out Empty again,
    out Normal normal,
    inout Hdr hd,
    in Meta m,
    in psa_ingress_output_metadata_t s)
{
    apply {
        normal.state = m.state;
        p.emit(hd);
    }
}

parser EP(
    packet_in p,
    out Hdr hd,
    inout Meta m,
    in psa_egress_parser_input_metadata_t s,
    in Normal normal,
    in Empty cloned,
    in Empty copied)
{
    state start {
        m.state = normal.state;
        p.extract(hd.eth);
        p.extract(hd.small);
        transition accept;
    }
}

control E(
    inout Hdr hd,
    inout Meta m,
    in psa_egress_input_metadata_t s,
    inout psa_egress_output_metadata_t o)
{
    apply { }
}

control ED(
    packet_out p,
    out Empty copied,
    out Empty round,
    inout Hdr hd,
    in Meta m,
    in psa_egress_output_metadata_t s,
    in psa_egress_deparser_input_metadata_t e)
{
    InternetChecksum() sum;
    apply {
        sum.set_state(m.state);
        sum.subtract({ hd.small.ttl, hd.small.kind });
        hd.small.ttl = hd.small.ttl - 1;
        sum.add({ hd.small.ttl, hd.small.kind });
        hd.small.checksum = sum.get();
        p.emit(hd);
    }
}

IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), E(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
