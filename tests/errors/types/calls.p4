// expect: bad-argument @ 55:24: `V` has a `varbit` field: its size is needed as a second argument
// expect: bad-argument @ 56:24: `extract` with a size needs a header with one `varbit` field; `H` has 0
// expect: bad-argument @ 57:24: only a header can be extracted, not a struct
// expect-help: name one header of it
// expect: bad-argument @ 58:17: `lookahead` needs a type of fixed size, not `V`
// expect: type-mismatch @ 59:24: cannot pass `bit<8>` as `sizeInBits` (`bit<32>`) of `advance`
// expect-help: cast: `(bit<32>)local`
// expect: type-mismatch @ 66:13: cannot pass `bool` as `size` (`bit<32>`) of `Counter`
// expect: wrong-arguments @ 68:18: function `twice` takes 1 argument, not 0
// expect: wrong-arguments @ 69:27: function `twice` takes 1 argument, not 2
// expect: type-mismatch @ 70:24: cannot pass `bit<16>` as `x` (`bit<8>`) of `twice`
// expect-help: cast: `(bit<8>)hd.h.b`
// expect: wrong-arguments @ 71:24: function `twice` has no parameter `y`
// expect: not-an-lvalue @ 72:22: `inout` argument `right` of `swap` must be something that can be written to: `fixed` is an `in` parameter
// expect: wrong-arguments @ 73:29: either all arguments of a call have names or none has
// expect: wrong-arguments @ 74:29: argument `left` is given twice
// expect: wrong-arguments @ 75:9: no argument for `right` of function `swap`
// expect: wrong-arguments @ 76:22: `_` can only stand for an `out` argument
// expect: type-mismatch @ 77:22: cannot pass `bit<16>` as `right` (`bit<8>`) of `swap`
// expect: cannot-infer @ 78:13: the type `T` of `mix` cannot be inferred from `int`
// expect-help: write its width
// expect: type-mismatch @ 79:21: cannot pass `bit<16>` as `right` (`bit<8>`) of `mix`
// expect: cannot-infer @ 80:18: the type arguments of `make<T>` cannot be inferred
// expect-help: write them: `make<...>(...)`
// expect: wrong-type-arguments @ 81:18: extern function `make` takes 1 type arguments, not 2
// expect: ambiguous @ 82:9: more than one `over` takes these arguments
// expect: wrong-arguments @ 83:9: no `count` takes 0 arguments
// expect: no-such-member @ 84:17: extern `Counter` has no method `cuont`
// expect-help: did you mean `count`?
// expect: not-constant @ 85:29: the count of `push_front` must be known at compile time
// expect: bad-argument @ 86:21: only headers and what holds headers can be emitted, not `bit<8>`
// expect: wrong-arguments @ 87:23: `setValid` takes no arguments

#include <core.p4>

header H { bit<8> a; bit<16> b; }
header V { bit<8> a; varbit<32> rest; }
struct Headers { H h; V v; H[2] stack; }

bit<8> twice(in bit<8> x) { return x + x; }
void swap(inout bit<8> left, inout bit<8> right) { }
extern void mix<T>(in T left, in T right);
extern T make<T>();
extern void over(in bit<8> x);
extern void over(in bit<8> y);
extern Counter {
    Counter(bit<32> size);
    void count(in bit<32> index);
    void count(in bit<32> index, in bit<32> by);
}

parser P(packet_in packet, out Headers hd) {
    bit<8> local;
    state start {
        packet.extract(hd.v);
        packet.extract(hd.h, 8);
        packet.extract(hd);
        local = packet.lookahead<V>().a;
        packet.advance(local);
        transition accept;
    }
}

control C(inout Headers hd, in bit<8> fixed, packet_out packet) {
    Counter(16) counter;
    Counter(true) broken;
    apply {
        hd.h.a = twice();
        hd.h.a = twice(1, 2);
        hd.h.a = twice(hd.h.b);
        hd.h.a = twice(y = 1);
        swap(hd.h.a, fixed);
        swap(left = hd.h.a, hd.h.a);
        swap(left = hd.h.a, left = hd.h.a);
        swap(left = hd.h.a);
        swap(hd.h.a, _);
        swap(hd.h.a, hd.h.b);
        mix(1, 2);
        mix(hd.h.a, hd.h.b);
        hd.h.a = make();
        hd.h.a = make<bit<8>, bool>();
        over(1);
        counter.count();
        counter.cuont(1);
        hd.stack.push_front(hd.h.a);
        packet.emit(hd.h.a);
        hd.h.setValid(1);
    }
}
