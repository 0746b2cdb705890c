// expect: uninitialized @ 15:24: `x` may be read before it has a value
// expect: uninitialized @ 26:16: `y` may be read before it has a value
// expect: uninitialized @ 32:17: `result` may be read before it has a value
// expect: uninitialized @ 41:16: `pair.b` may be read before it has a value
// expect: uninitialized @ 53:16: `total` may be read before it has a value

struct Pair {
    bit<8> a;
    bit<8> b;
}

control C(inout bit<8> v) {
    bit<8> x;
    action read_x() {
        v = v + 1; v = x;
    }
    apply {
        read_x();
    }
}

bit<8> one_branch(in bit<8> v) {
    bit<8> y;
    if (v > 3) {
        y = 2; }
        return y;
}

void out_parameter(in bit<8> v, out bit<8> result) {
    bit<8> copy;
    copy = v + 1;
    if (copy == result) {
        result = copy;
    }
}

bit<8> part(in bit<8> v) {
    Pair pair;
    pair.a = v;
    if (v > pair.a) {
        return pair.b;
    }
    return pair.a;
}

bit<8> loop(in bit<8> v) {
    bit<8> total;
    for (bit<8> i in 0 .. 3) {
        if (i == v) {
            total = i;
        }
    }
        return total;
}
