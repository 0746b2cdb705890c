// expect: no-main @ 6:1: the program has no `main`
// expect-help: end it with an instance of the architecture's package
#include <core.p4>
#include <xdp_model.p4>
struct Hdr {}
parser P(packet_in p, out Hdr hd) {
    state start {
        transition accept;
    }
}
