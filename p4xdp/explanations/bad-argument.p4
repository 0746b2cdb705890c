#include <core.p4>
struct S { bit<8> a; }
parser P(packet_in packet, out S s) {
    state start {
        packet.extract(s);
        transition accept;
    }
}

// fixed:

#include <core.p4>
header S { bit<8> a; }
parser P(packet_in packet, out S s) {
    state start {
        packet.extract(s);
        transition accept;
    }
}
