// SPDX-License-Identifier: Apache-2.0
// An action that calls the direct counter and meter of one table and is run by two, and by the
// control: each hit of their own table is counted and metered once, however often the action asks;
// elsewhere nothing is counted and the colour stays what it was.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    direct_counter(CounterType.packets) hits;
    direct_meter<bit<8>>(MeterType.packets) rates;
    action to(bit<9> port) {
        hits.count();
        rates.read(hd.h.c);
        rates.read(hd.h.d);
        s.egress_spec = port;
    }
    table own {
        key = {
            hd.h.a: exact;
        }
        actions = {
            to;
            NoAction;
        }
        counters = hits;
        meters = rates;
    }
    table other {
        key = {
            hd.h.b: exact;
        }
        actions = {
            to;
            NoAction;
        }
    }
    apply {
        s.egress_spec = 1;
        own.apply();
        other.apply();
        if (hd.h.a == 9) {
            hits.count();
            to(5);
        }
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
