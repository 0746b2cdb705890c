// SPDX-License-Identifier: Apache-2.0
// A default action that can be changed and takes 272 bytes of data: the offset of the second of
// its two places does not fit into a byte.

#include <core.p4>
#include <xdp_model.p4>

header Bytes {
    bit<8>   key;
    bit<128> value;
}

struct Headers {
    Bytes bytes;
}

parser Parser(packet_in packet, out Headers hd) {
    state start {
        packet.extract(hd.bytes);
        transition accept;
    }
}

control Ingress(inout Headers hd, in xdp_input input, out xdp_output output) {
    action mix(bit<128> a, bit<128> b, bit<128> c, bit<128> d, bit<128> e, bit<128> f,
               bit<128> g, bit<128> h, bit<128> i, bit<128> j, bit<128> k, bit<128> l,
               bit<128> m, bit<128> n, bit<128> o, bit<128> p, bit<128> q) {
        hd.bytes.value = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l ^ m ^ n ^ o ^ p ^ q;
    }

    action keep() {}

    table mixed {
        key = {
            hd.bytes.key : exact @name("key");
        }
        actions = {
            mix;
            keep;
        }
        default_action = keep();
        size = 16;
    }

    apply {
        output.output_action = xdp_action.XDP_TX;
        output.output_port = 0;
        mixed.apply();
    }
}

control Deparser(in Headers hd, packet_out packet) {
    apply {
        packet.emit(hd.bytes);
    }
}

xdp(Parser(), Ingress(), Deparser()) main;
