// SPDX-License-Identifier: Apache-2.0
// Clones: by ingress the packet as it came, by egress as it left, each parsed by egress on its own
// with what its path carries along. The packet itself goes where it would have gone, or nowhere.
#include "include/psa_case.p4"

control I(
    inout Hdr hd,
    inout Meta m,
    in psa_ingress_input_metadata_t s,
    inout psa_ingress_output_metadata_t o)
{
    apply {
        if (hd.h.a < 4 || hd.h.a > 6) {
            send_to_port(o, (PortId_t) 2);
        } else if (hd.h.a == 4) {
            multicast(o, (MulticastGroup_t) 7);
        }
        if (hd.h.a != 2 && hd.h.a < 7) {
            o.clone = hd.h.a != 0;
            o.clone_session_id = (CloneSessionId_t) (CloneSessionIdUint_t) (bit<16>) hd.h.d;
        }
        if (hd.h.a == 3) {
            hd.eth.setInvalid();
        }
        if (hd.h.a == 6) {
            ingress_drop(o);
            o.resubmit = true;
        }
        hd.h.b = hd.h.b + 1;
        o.class_of_service = (ClassOfService_t) 5;
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
        if (psa_clone_i2e(s)) {
            cloned.byte = 0x11 + hd.h.b;
        }
        if (psa_normal(s)) {
            normal.byte = 0x33;
        }
        p.emit(hd);
    }
}

parser EP2(
    packet_in p,
    out Hdr hd,
    inout Meta m,
    in psa_egress_parser_input_metadata_t s,
    in Carried normal,
    in Carried cloned,
    in Carried copied)
{
    state start {
        m.normal = normal.byte;
        transition select(s.packet_path, p.lookahead<bit<8>>()) {
            (PSA_PacketPath_t.CLONE_I2E, _): clone;
            (PSA_PacketPath_t.CLONE_E2E, _): copy;
            (_, 3): short;
            default: headers;
        }
    }
    state clone {
        m.cloned = cloned.byte;
        m.normal = 0;
        transition headers;
    }
    state copy {
        m.copied = copied.byte;
        m.normal = 0;
        transition headers;
    }
    state short {
        p.extract(hd.h);
        transition accept;
    }
    state headers {
        p.extract(hd.eth);
        p.extract(hd.h);
        transition accept;
    }
}

control E(
    inout Hdr hd,
    inout Meta m,
    in psa_egress_input_metadata_t s,
    inout psa_egress_output_metadata_t o)
{
    apply {
        // 0 when egress starts, whatever became of the packet before
        m.resubmitted = m.resubmitted + 1;
        hd.h.c = hd.h.c + m.normal + m.cloned + m.copied;
        hd.h.d = hd.h.d + (bit<8>) (EgressInstanceUint_t) s.instance + (m.resubmitted << 7);
        if (s.class_of_service == (ClassOfService_t) 5) {
            hd.h.d = hd.h.d + 0x40;
        }
        if (hd.h.a == 7 || hd.h.a == 8) {
            o.clone = true;
            o.clone_session_id = (CloneSessionId_t) 9;
            hd.h.b = hd.h.b + 1;
            egress_drop(o);
            if (hd.h.a == 8 && hd.h.b == 5) {
                o.drop = false;
                o.clone = false;
            }
        }
        if (s.packet_path == PSA_PacketPath_t.NORMAL_UNICAST && hd.h.a == 2) {
            o.clone = true;
            o.clone_session_id = (CloneSessionId_t) 9;
            hd.eth.src = 7;
            if (hd.h.b != 1) {
                egress_drop(o);
            }
        }
        if (s.egress_port == (PortId_t) 6) {
            egress_drop(o);
        }
    }
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
        if (psa_clone_e2e(s)) {
            copied.byte = 0x44;
        }
        p.emit(hd);
    }
}

IngressPipeline(IP(), I(), ID()) ingress;
EgressPipeline(EP2(), E(), ED()) egress;
PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
