// SPDX-License-Identifier: Apache-2.0
// Counters, meters, registers, hashes and checksums of PSA. Its direct counter counts where the
// action says so. Bits that fill no byte are filled up in front for a hash.
#include "include/psa_case.p4"

const bit<72> DIGITS = 0x313233343536373839;

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    Counter<bit<8>, bit<4>>(4, PSA_CounterType_t.PACKETS_AND_BYTES) seen;
    DirectCounter<bit<32>>(PSA_CounterType_t.PACKETS) hits;
    Meter<bit<4>>(4, PSA_MeterType_t.PACKETS) rates;
    Register<bit<8>, bit<4>>(4, 5) last;
    Hash<bit<16>>(PSA_HashAlgorithm_t.CRC16) crc;
    Hash<bit<16>>(PSA_HashAlgorithm_t.IDENTITY) same;
    InternetChecksum() sum;
    Checksum<bit<32>>(PSA_HashAlgorithm_t.CRC32) check;
    bit<16> found = 0;
    action counted() {
        hits.count();
    }
    action silent() { }
    table t {
        key = {
            hd.h.b: exact;
        }
        actions = {
            counted;
            silent;
            NoAction;
        }
        psa_direct_counter = hits;
    }
    apply {
        send_to_port(o, (PortId_t) 1);
        if (hd.h.a == 0) {
            seen.count(2);
            seen.count(9);
            t.apply();
        } else if (hd.h.a == 1) {
            PSA_MeterColor_t first = rates.execute(1);
            PSA_MeterColor_t second = rates.execute(1, PSA_MeterColor_t.YELLOW);
            hd.h.b = first == PSA_MeterColor_t.GREEN ? 8w1 : 0;
            hd.h.c = second == PSA_MeterColor_t.YELLOW ? 8w2 : 0;
            hd.h.d = second == PSA_MeterColor_t.RED ? 8w3 : 0;
        } else if (hd.h.a == 2) {
            hd.h.c = last.read((bit<4>) hd.h.b);
            last.write((bit<4>) hd.h.b, hd.h.d);
        } else if (hd.h.a == 3) {
            found = crc.get_hash({ DIGITS });
        } else if (hd.h.a == 4) {
            found = crc.get_hash(16w0x1000, { DIGITS }, 16w10);
        } else if (hd.h.a == 5) {
            found = same.get_hash({ 4w1, 4w2, 4w3 });
        } else if (hd.h.a == 6) {
            sum.clear();
            sum.add({ 16w0x4500, 16w0xff00, 16w0x1234 });
            sum.subtract({ 16w0x1234 });
            found = sum.get();
        } else if (hd.h.a == 7) {
            check.clear();
            check.update({ DIGITS[71:32] });
            check.update({ DIGITS[31:0] });
            found = check.get()[31:16];
        }
        if (hd.h.a > 2) {
            hd.h.c = found[15:8];
            hd.h.d = found[7:0];
        }
    }
}

control ID(
    packet_out p,
    out Carried cloned,
    out Carried again,
    out Carried normal,
    inout Hdr hd,
    in Meta m,
    in psa_ingress_output_metadata_t s)
{
    apply {
        normal.byte = 0;
        p.emit(hd);
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
    out Carried copied,
    out Carried round,
    inout Hdr hd,
    in Meta m,
    in psa_egress_output_metadata_t s,
    in psa_egress_deparser_input_metadata_t e)
{
    apply {
        p.emit(hd);
    }
}

IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
