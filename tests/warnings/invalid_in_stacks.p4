// expect: invalid-header @ 30:19: `h.stack[1].a` is read, but the header `h.stack[1]` is invalid here
// expect: invalid-header @ 42:19: `mine[0].a` is read, but the header `mine[0]` is invalid here
// expect: invalid-header @ 45:13: `mine[2].a` is read, but the header `mine[2]` is invalid here
// expect: invalid-header @ 48:19: `yours[...].a` is read, but no element of `yours` is valid here
// expect: invalid-header @ 54:19: `u.second.a` is read, but the header `u.second` is invalid here
// expect: invalid-header @ 56:23: `u.first.a` is read, but the header `u.first` is invalid here
// expect: invalid-header @ 60:23: `u.second.a` is read, but the header `u.second` is invalid here
// expect: invalid-header @ 63:23: `us[1].first.a` is read, but the header `us[1].first` is invalid here
// expect: invalid-header @ 66:19: `u.second.a` is read, but the header `u.second` is invalid here
// expect-help: extract it, or call `setValid()`
// Headers in stacks and unions that are invalid on every path to a read.

extern packet_in {
    void extract<T>(out T hdr);
}

header H { bit<8> a; }
header_union U { H first; H second; H third; }
struct Headers {
    H    eth;
    H[2] stack;
    U    u;
}

parser P(packet_in packet, out Headers h) {
    state start {
        packet.extract(h.stack[0]);
        packet.extract(h.eth);
        h.eth.a = h.stack[0].a;
        h.eth.a = h.stack[1].a;
        packet.extract(h.u.first);
        transition select(h.u.first.a) { default: accept; }
    }
}

control C(inout Headers h, inout U u, inout U[2] us) {
    apply {
        H[3] mine;
        H[2] yours;
        mine[1] = { 1 };
        h.eth.a = mine[1].a;
        h.eth.a = mine[0].a;
        mine[2].setValid();
        mine[2].setInvalid();
        if (mine[2].a == 1) {
            h.eth.a = mine[h.eth.a].a;
        }
        h.eth.a = yours[h.eth.a].a;
        yours[h.eth.a].setValid();
        h.eth.a = yours[0].a + yours[1].a;

        u.first.setValid();
        u.first.a = 1;
        h.eth.a = u.second.a;
        u.second = { 3 };
        h.eth.a = 1 + u.first.a;
        if (u.isValid()) {
            h.eth.a = u.second.a;
        } else {
            h.eth.a = u.second.a;
        }
        if (us[1].second.isValid()) {
            h.eth.a = us[1].first.a;
        }
        u.third.setInvalid();
        h.eth.a = u.second.a;
    }
}
