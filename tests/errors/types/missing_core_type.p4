// expect: undeclared-type @ 6:10: type `packet_in` is not declared
// expect-help: add `#include <core.p4>`

header Ethernet { bit<48> dst; bit<48> src; bit<16> type; }

parser P(packet_in packet, out Ethernet eth) {
    state start {
        packet.extract(eth);
        transition accept;
    }
}

