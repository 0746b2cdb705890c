// SPDX-License-Identifier: Apache-2.0
// Headers that are not valid are left out of what hashes and checksums of PSA take in.
#include <core.p4>
#include <psa.p4>

header Eth {
    bit<8> which;
    bit<32> check;
    bit<16> sum;
    bit<16> less;
    bit<16> small;
    bit<32> all;
}

header Odd {
    bit<24> a;
}

header Even {
    bit<16> a;
}

struct Hdr {
    Eth eth;
    Odd odd;
    Even even;
}

struct Empty { }

parser IP(
    packet_in p,
    out Hdr hd,
    inout Empty m,
    in psa_ingress_parser_input_metadata_t s,
    in Empty again,
    in Empty round)
{
    state start {
        p.extract(hd.eth);
        transition select(hd.eth.which) {
            0: accept;
            1: odd;
            2: even;
            3: both;
        }
    }
    state odd {
        p.extract(hd.odd);
        transition accept;
    }
    state even {
        p.extract(hd.even);
        transition accept;
    }
    state both {
        p.extract(hd.odd);
        p.extract(hd.even);
        transition accept;
    }
}

control I(
    inout Hdr hd,
    inout Empty m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) crc32;
    Checksum<bit<16>>(PSA_HashAlgorithm_t.ONES_COMPLEMENT16) sum16;
    InternetChecksum() sum;
    InternetChecksum() less;
    Hash<bit<32>>(PSA_HashAlgorithm_t.CRC32) all;
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC16) small;
    apply {
        send_to_port(o, (PortId_t) 1);
        crc32.update(8w0x31);
        crc32.update({ hd.odd, hd.even });
        crc32.update(8w0x32);
        hd.eth.check = crc32.get();
        sum.add({ hd.odd, hd.even });
        sum.add({ 16w5 });
        hd.eth.sum = sum.get();
        less.add({ 32w0x12345678 });
        less.subtract({ hd.even });
        hd.eth.less = less.get();
        hd.eth.all = all.get_hash({ hd.odd, hd.even });
        sum16.update({ hd.even, 16w9 });
        hd.eth.small = sum16.get() ^ small.get_hash({ hd.odd });
    }
}

control ID(
    packet_out p,
    out Empty cloned,
    out Empty again,
    out Empty normal,
    inout Hdr hd,
    in Empty m,
    in psa_ingress_output_metadata_t s)
{
    apply {
        p.emit(hd);
    }
}

parser EP(
    packet_in p,
    out Empty hd,
    inout Empty m,
    in psa_egress_parser_input_metadata_t s,
    in Empty normal,
    in Empty cloned,
    in Empty copied)
{
    state start {
        transition accept;
    }
}

control E(
    inout Empty hd,
    inout Empty m,
    in psa_egress_input_metadata_t s,
    inout psa_egress_output_metadata_t o)
{
    apply { }
}

control ED(
    packet_out p,
    out Empty copied,
    out Empty round,
    inout Empty hd,
    in Empty m,
    in psa_egress_output_metadata_t s,
    in psa_egress_deparser_input_metadata_t e)
{
    apply { }
}

IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), E(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
