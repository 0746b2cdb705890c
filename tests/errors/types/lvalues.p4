// expect: not-an-lvalue @ 16:9: cannot assign to `stack.last.a`: `last` of a header stack can only be read
// expect: not-an-lvalue @ 17:24: `out` argument `hdr` of `extract` must be something that can be written to: `last` of a header stack can only be read
// expect: not-an-lvalue @ 18:24: `out` argument `hdr` of `extract` must be something that can be written to: `fixed` is an `in` parameter
// expect: not-an-lvalue @ 19:9: cannot assign to `size`: `size` is a parameter without a direction, which is read-only
// expect: not-an-lvalue @ 26:9: cannot assign to `data`: `data` is a parameter without a direction
// `pair[0]` can be written.
// expect: not-an-lvalue @ 30:9: `setValid` needs something that can be written to: `fixed` is an `in` parameter

#include <core.p4>

header H { bit<8> a; }

parser P(packet_in packet, inout H[2] stack, in H fixed)(bit<8> size) {
    state start {
        packet.extract(stack.next);
        stack.last.a = 1;
        packet.extract(stack.last);
        packet.extract(fixed);
        size = 1;
        transition accept;
    }
}

control C(inout tuple<bit<8>, bool> pair, inout H h, in H fixed) {
    action go(bit<8> data) {
        data = 1;
    }
    apply {
        pair[0] = 1;
        fixed.setValid();
        fixed.isValid();
    }
}
