// SPDX-License-Identifier: Apache-2.0
// Headers that are not valid are left out of the data of hashes and checksums, those of unions and
// stacks too, so that what lies behind them takes their place.
#include <core.p4>
#include <v1model.p4>

header Which {
    bit<8> which;
    bit<16> sum;
    bit<16> sixteen;
    bit<16> xor;
    bit<32> check;
    bit<40> same;
}

header Odd {
    bit<24> a;
}

header Even {
    bit<4> a;
    bit<12> b;
}

header_union Either {
    Odd odd;
    Even even;
}

struct Headers {
    Which which;
    Odd odd;
    Either either;
    Even[2] stack;
}

struct Meta {
    bit<16> sum;
}

parser P(packet_in p, out Headers hd, inout Meta m, inout standard_metadata_t s) {
    state start {
        p.extract(hd.which);
        transition select(hd.which.which[0:0]) {
            1: odd;
            _: choice;
        }
    }
    state odd {
        p.extract(hd.odd);
        transition choice;
    }
    state choice {
        transition select(hd.which.which[2:1]) {
            1: union_odd;
            2: union_even;
            _: first;
        }
    }
    state union_odd {
        p.extract(hd.either.odd);
        transition first;
    }
    state union_even {
        p.extract(hd.either.even);
        transition first;
    }
    state first {
        transition select(hd.which.which[3:3]) {
            1: extract_first;
            _: second;
        }
    }
    state extract_first {
        p.extract(hd.stack.next);
        transition second;
    }
    state second {
        transition select(hd.which.which[4:4]) {
            1: extract_second;
            _: accept;
        }
    }
    state extract_second {
        p.extract(hd.stack.next);
        transition accept;
    }
}

control V(inout Headers hd, inout Meta m) {
    apply { }
}

control I(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    Checksum16() old;
    apply {
        s.egress_spec = 1;
        hash(hd.which.sixteen, HashAlgorithm.crc16, 16w0, { hd.odd, hd.either, hd.stack }, 32w0x10000);
        hash(hd.which.xor, HashAlgorithm.xor16, 16w0, { hd.odd, hd.either, hd.stack }, 32w0x10000);
        hash(hd.which.check, HashAlgorithm.crc32, 32w0,
            { 8w7, hd.odd, hd.either, hd.stack, 8w9 }, 64w0x100000000);
        hash(hd.which.same, HashAlgorithm.identity, 40w0, { hd.stack[0], hd.odd }, 64w0x10000000000);
        m.sum = old.get({ hd.odd, hd.either });
    }
}

control E(inout Headers hd, inout Meta m, inout standard_metadata_t s) {
    apply { }
}

control C(inout Headers hd, inout Meta m) {
    apply {
        update_checksum(m.sum != 0xffff, { hd.odd, hd.either, hd.stack, 16w1 }, hd.which.sum,
            HashAlgorithm.csum16);
    }
}

control D(packet_out p, in Headers hd) {
    apply {
        p.emit(hd.which);
        p.emit(hd.odd);
        p.emit(hd.either);
        p.emit(hd.stack);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
