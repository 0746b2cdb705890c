// SPDX-License-Identifier: Apache-2.0
// What the cases of PSA share: 14 bytes of Ethernet, then 4 bytes `h`; each path carries one byte.
// A case brings the controls and deparsers.

#ifndef STF_PSA_P4
#define STF_PSA_P4

#include <core.p4>
#include <psa.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header H4 {
    bit<8> a;
    bit<8> b;
    bit<8> c;
    bit<8> d;
}

struct Hdr {
    Eth eth;
    H4  h;
}

struct Carried {
    bit<8> byte;
}

struct Meta {
    bit<8> resubmitted;
    bit<8> recirculated;
    bit<8> normal;
    bit<8> cloned;
    bit<8> copied;
}

parser IP(
    packet_in p,
    out Hdr hd,
    inout Meta m,
    in psa_ingress_parser_input_metadata_t s,
    in Carried again,
    in Carried round)
{
    state start {
        m.resubmitted = s.packet_path == PSA_PacketPath_t.RESUBMIT ? again.byte : 0;
        m.recirculated = s.packet_path == PSA_PacketPath_t.RECIRCULATE ? round.byte : 0;
        p.extract(hd.eth);
        p.extract(hd.h);
        transition accept;
    }
}

parser EP(
    packet_in p,
    out Hdr hd,
    inout Meta m,
    in psa_egress_parser_input_metadata_t s,
    in Carried normal,
    in Carried cloned,
    in Carried copied)
{
    state start {
        transition select(s.packet_path) {
            PSA_PacketPath_t.CLONE_I2E: clone;
            PSA_PacketPath_t.CLONE_E2E: copy;
            default: plain;
        }
    }
    state clone {
        m.cloned = cloned.byte;
        transition headers;
    }
    state copy {
        m.copied = copied.byte;
        transition headers;
    }
    state plain {
        m.normal = normal.byte;
        transition headers;
    }
    state headers {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition accept;
    }
}

#endif  // STF_PSA_P4
