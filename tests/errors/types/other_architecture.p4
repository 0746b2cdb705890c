// expect: undeclared-type @ 10:38: type `ingress_intrinsic_metadata_t` is not declared
// expect-help: this name belongs to tna; p4xdp compiles xdp_model
// expect: undeclared-type @ 14:40: type `standard_metadata_t` is not declared
// expect-help: add `#include <v1model.p4>`

#include <core.p4>

struct Headers { }

control Ingress(inout Headers hd, in ingress_intrinsic_metadata_t intrinsic) {
    apply { }
}

control Switch(inout Headers hd, inout standard_metadata_t standard) {
    apply { }
}
