// expect: undeclared-type @ 13:5: type `ipv4_h` is not declared
// expect-help: did you mean `Ipv4_h`?
// expect: undeclared-type @ 14:5: type `far_from_all` is not declared
// expect: undeclared-type @ 17:11: type `packet_in` is not declared
// expect-help: add `#include <core.p4>`
// expect: undeclared-type @ 20:9: type `local_t` is not declared
// expect: undeclared-type @ 25:1: type `Top` is not declared
header Ipv4_h {
    bit<32> dst;
}

struct headers_t {
    ipv4_h ipv4;
    far_from_all other;
    far_from_all again;
}
control c(packet_in p, inout headers_t hdr) {
    action a() {}
    apply {
        local_t x;
        x = 1;
    }
}

Top(c()) main;
