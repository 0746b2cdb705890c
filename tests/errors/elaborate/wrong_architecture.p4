// expect: wrong-architecture @ 19:1: this program is written for `PNA_NIC` of pna; p4xdp compiles xdp_model (`xdp`), ebpf_model (`ebpfFilter`), v1model (`V1Switch`) and psa
// expect-help: write the program for xdp_model
#include <core.p4>
struct Meta {}
parser Parser<M>(packet_in p, out M meta);
control Ingress<M>(inout M meta);
package PNA_NIC<M>(Parser<M> p, Ingress<M> ig);
parser P(packet_in p, out Meta meta) {
    state start {
        transition accept;
    }
}
extern void not_ours();
control I(inout Meta meta) {
    apply {
        not_ours();
    }
}
PNA_NIC(P(), I()) main;
