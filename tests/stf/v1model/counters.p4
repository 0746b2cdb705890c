// SPDX-License-Identifier: Apache-2.0
// Counters of packets, of bytes and of both; one outside of its array counts nothing. A direct
// counter counts each hit of an entry, whether its action says so or not, and no miss.
#include "include/v1.p4"

control I(inout Hdr hd, inout Meta m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) seen;
    counter(4, CounterType.bytes) volume;
    counter(4, CounterType.packets_and_bytes) both;
    direct_counter(CounterType.packets_and_bytes) hits;
    action to(bit<9> port) {
        s.egress_spec = port;
    }
    action to_counted(bit<9> port) {
        hits.count();
        hits.count();
        s.egress_spec = port;
    }
    table t {
        key = {
            hd.h.b: exact;
        }
        actions = {
            to;
            to_counted;
        }
        default_action = to(1);
        counters = hits;
    }
    apply {
        seen.count((bit<32>) hd.h.a);
        volume.count((bit<32>) hd.h.a);
        both.count((bit<32>) hd.h.a);
        t.apply();
    }
}

V1Switch(P(), V(), I(), NoEgress(), C(), D()) main;
