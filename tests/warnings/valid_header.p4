// No header here is invalid on every path to a read.

extern packet_in { void extract<T>(out T hdr); }

header H { bit<8> a; }
struct Headers { H eth; H other; H[2] stack; }

void make(out H h) { h.setValid(); h.a = 1; }

parser P(packet_in packet, out Headers h) {
    state start {
        packet.extract(h.stack.next);
        transition select(h.stack.last.a) {
            0: next;
            default: more;
        }
    }
    state more {
        packet.extract(h.other);
        transition next;
    }
    state next {
        transition select(h.other.a) {
            0: accept;
            default: reject;
        }
    }
}

control C(inout Headers h) {
    H x;
    H y;
    H z = { 1 };
    apply {
        make(x);
        h.eth.a = x.a + z.a;
        if (h.other.isValid() && h.other.a == 1) { h.eth = y; } else { h.eth.a = 3; }
        y.setValid();
        y.a = 1;
        h.eth.a = y.a;
        h.other.setInvalid();
        h.other = { 4 };
        h.eth.a = h.other.a;
        h.stack[0].a = h.stack[1].a;
    }
}
