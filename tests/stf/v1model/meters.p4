// SPDX-License-Identifier: Apache-2.0
// Two rates, three colours; a meter without rates lets everything pass. Time stands still in a
// case, so that the bursts are all there is.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    meter(4, MeterType.packets) packets;
    meter(4, MeterType.bytes) volume;
    direct_meter<bit<2>>(MeterType.packets) direct;
    bit<2> colour = 3;
    action metered() {
        direct.read(colour);
    }
    table t {
        key = {
            hd.h.b: exact;
        }
        actions = {
            metered;
            NoAction;
        }
        default_action = NoAction();
        meters = direct;
    }
    apply {
        s.egress_spec = 1;
        packets.execute_meter((bit<32>) hd.h.a, hd.h.c);
        volume.execute_meter((bit<32>) hd.h.a, hd.h.d);
        if (hd.h.b != 0) {
            t.apply();
            hd.h.b = (bit<8>) colour;
        }
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
