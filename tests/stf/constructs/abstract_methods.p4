// SPDX-License-Identifier: Apache-2.0
// Abstract methods that the program implements: at the top level and in two instances of a control,
// calling each other by `this`, an instance of their own, and with an optional parameter left out.

#include "../include/skeleton.p4"

extern Mixer {
    Mixer(bit<8> seed);
    abstract bit<8> mix(in bit<8> x);
    abstract void swap(inout bit<8> x, inout bit<8> y);
    abstract bit<8> more(in bit<8> x, @optional in bit<8> y);
    @optional abstract bit<8> unused_one();
}

const bit<8> STEP = 16;

Mixer(3) outside = {
    bit<8> mix(in bit<8> x) {
        return x + STEP;
    }
    void swap(inout bit<8> x, inout bit<8> y) {
        bit<8> old = x;
        x = y;
        y = this.mix(old);
    }
    bit<8> more(in bit<8> x) {
        if (x > 100) {
            return 100;
        }
        return this.mix(x);
    }
};

bit<8> mix_all(in bit<8> x, in bit<8> by) {
    return x - by;
}

control Step(inout bit<8> left, inout bit<8> right)(bit<8> by) {
    bit<8> uses = 0;
    Mixer(by) inside = {
        CounterArray(4, false) calls;
        bit<8> mix(in bit<8> x) {
            calls.increment((bit<32>) x & 3);
            return x ^ by;
        }
        void swap(inout bit<8> x, inout bit<8> y) {
            x = mix_all(x, by);
            y = this.mix(y);
        }
        bit<8> more(in bit<8> x) {
            uses = uses + 1;
            return outside.mix(x + uses - uses);
        }
    };
    apply {
        inside.swap(left, right);
        left = inside.more(left);
        left = left + uses - 1;
    }
}

control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
    Step(1) one;
    Step(0x80) two;
    CounterArray(4, false) all;
    apply {
        o.output_port = 0;
        o.output_action = xdp_action.XDP_TX;
        all.increment(0);
        // aliased arguments: y is copied out last
        outside.swap(hd.h.a, hd.h.a);
        outside.swap(hd.h.b, hd.h.c);
        one.apply(hd.h.b, hd.h.c);
        two.apply(hd.h.b, hd.h.c);
        hd.h.d = outside.more(hd.h.d);
    }
}

xdp(P(), C(), D()) main;
