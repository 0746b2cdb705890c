// expect: wrong-architecture @ 19:1: the `V1Switch` of this program is not the one of v1model
// expect-help: take its declaration from our file: `#include <v1model.p4>`
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
