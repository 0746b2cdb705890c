// expect: wrong-architecture @ 19:1: this program is written for `V1Switch` of v1model; p4xdp compiles xdp_model (`xdp`) and ebpf_model (`ebpfFilter`)
// expect-help: write the program for xdp_model
#include <core.p4>
struct Meta {}
parser Parser<M>(packet_in p, out M meta);
control Ingress<M>(inout M meta);
package V1Switch<M>(Parser<M> p, Ingress<M> ig);
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
V1Switch(P(), I()) main;
