// SPDX-License-Identifier: Apache-2.0
// One port: drop by default, and what egress is given of a packet. Egress parses what the ingress
// deparser made, which may be longer or shorter; headers ride along with a packet as well.
#include <core.p4>
#include <psa.p4>

header Eth {
    bit<48> dst;
    bit<48> src;
    bit<16> type;
}

header Tag {
    bit<4> kind;
    bit<12> id;
    bit<16> type;
}

struct Hdr {
    Eth eth;
    Tag tag;
    Tag inner;
}

struct Empty { }

struct Normal {
    bit<128> wide;
    bool known;
    Tag tag;
    int<7> odd;
}

struct Meta {
    bit<16> seen;
}

parser IP(
    packet_in p,
    out Hdr hd,
    inout Meta m,
    in psa_ingress_parser_input_metadata_t s,
    in Empty again,
    in Empty round)
{
    state start {
        p.extract(hd.eth);
        m.seen = (bit<16>) (PortIdUint_t) s.ingress_port;
        transition select(hd.eth.type) {
            0x8100: tag;
            default: accept;
        }
    }
    state tag {
        p.extract(hd.tag);
        transition accept;
    }
}

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    apply {
        bit<16> id = hd.tag.isValid() ? (bit<16>) hd.tag.id : 0;
        if (s.parser_error != error.NoError) {
            send_to_port(o, (PortId_t) 5);
            return;
        }
        switch (id) {
            1: { send_to_port(o, (PortId_t) 1); }
            2: { send_to_port(o, (PortId_t) 2); hd.tag.setInvalid(); hd.eth.type = 0x0800; }
            3: {
                send_to_port(o, (PortId_t) 3);
                hd.inner = hd.tag;
                hd.tag.id = 0xabc;
                hd.tag.type = 0x8100;
            }
            4: { send_to_port(o, PSA_PORT_CPU); }
            5: { send_to_port(o, (PortId_t) 4); ingress_drop(o); }
            6: { send_to_port(o, (PortId_t) 6); }
            7: { send_to_port(o, s.ingress_port); }
            8: { send_to_port(o, (PortId_t) 510); }
            default: { }
        }
        o.class_of_service = (ClassOfService_t) (bit<8>) id;
        m.seen = m.seen + 1;
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
        normal.wide = hd.eth.src ++ hd.eth.dst ++ 32w7;
        normal.known = m.seen == 1;
        normal.odd = -3;
        normal.tag = hd.tag;
        p.emit(hd.eth);
        p.emit(hd.tag);
        p.emit(hd.inner);
    }
}

struct EHdr {
    Eth eth;
    Tag[2] tags;
}

struct EMeta {
    bit<16> from_ingress;
    bit<16> tag;
    bit<16> count;
}

parser EP(
    packet_in p,
    out EHdr hd,
    inout EMeta m,
    in psa_egress_parser_input_metadata_t s,
    in Normal normal,
    in Empty cloned,
    in Empty copied)
{
    state start {
        m.from_ingress = normal.wide[31:16] + normal.wide[15:0];
        if (normal.known) {
            m.from_ingress = m.from_ingress + 0x100 + (bit<16>) (bit<7>) normal.odd;
        }
        m.tag = normal.tag.isValid() ? (bit<16>) normal.tag.id : 0xffff;
        p.extract(hd.eth);
        transition select(hd.eth.type) {
            0x8100: tag;
            default: accept;
        }
    }
    state tag {
        p.extract(hd.tags.next);
        m.count = m.count + 1;
        transition select(hd.tags.last.type) {
            0x8100: tag;
            0xdead: more;
            default: accept;
        }
    }
    state more {
        p.advance(8000);
        transition accept;
    }
}

control E(
    inout EHdr hd,
    inout EMeta m,
    in psa_egress_input_metadata_t s,
    inout psa_egress_output_metadata_t o)
{
    apply {
        hd.eth.dst = m.from_ingress ++ m.tag ++ m.count;
        hd.eth.src = (bit<48>) (ClassOfServiceUint_t) s.class_of_service;
        if (s.parser_error == error.PacketTooShort) {
            hd.eth.src = 0xbad;
        }
        if (s.packet_path == PSA_PacketPath_t.NORMAL_UNICAST) {
            hd.eth.src[47:40] = 1;
        }
        if (s.instance != (EgressInstance_t) 0) {
            hd.eth.src[39:32] = 1;
        }
        if (s.egress_port == (PortId_t) 6) {
            o.drop = true;
        }
        if (m.count == 2) {
            hd.tags.pop_front(1);
        }
    }
}

control ED(
    packet_out p,
    out Empty copied,
    out Empty round,
    inout EHdr hd,
    in EMeta m,
    in psa_egress_output_metadata_t s,
    in psa_egress_deparser_input_metadata_t e)
{
    apply {
        p.emit(hd);
    }
}

IngressPipeline(IP(), I(), ID()) ip;
EgressPipeline(EP(), E(), ED()) ep;
PSA_Switch(ip, PacketReplicationEngine(), ep, BufferingQueueingEngine()) main;
