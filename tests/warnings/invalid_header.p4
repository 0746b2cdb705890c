// expect: invalid-header @ 22:16: `h.other.a` is read, but the header `h.other` is invalid here
// expect: invalid-header @ 33:13: `x.a` is read, but the header `x` is invalid here
// expect: invalid-header @ 38:23: `h.other.a` is read, but the header `h.other` is invalid here
// expect: invalid-header @ 42:13: `h.eth.a` is read, but the header `h.eth` is invalid here
// expect-help: extract it, or call `setValid()`

extern packet_in { void extract<T>(out T hdr); }

header H { bit<8> a; }
struct Headers { H eth; H other; H[2] stack; }

parser P(packet_in packet, out Headers h) {
    state start {
        packet.extract(h.eth);
        transition select(h.eth.a) {
            0: next;
            default: accept;
        }
    }
    state next {
        transition select(
               h.other.a) {
            0: accept;
            default: reject;
        }
    }
}

control C(inout Headers h) {
    H x;
    action read_x() {
        h.eth.a =
            x.a;
    }
    apply {
        read_x();
        if (!h.other.isValid()) {
            h.eth.a = h.other.a;
        }
        h.eth.setInvalid();
        h.other.a =
            h.eth.a;
    }
}
