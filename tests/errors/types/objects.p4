// expect: type-mismatch @ 31:5: parser `Short` does not fit `p` (`P`): it has 1 parameters instead of 2
// expect: type-mismatch @ 32:17: control `Reads` does not fit `c` (`C`): parameter 1, `hd`, is `in` instead of `inout`
// expect: type-mismatch @ 33:17: control `Differs` does not fit `c` (`C`): parameter 1, `hd`, has type `Other` instead of `Headers`
// expect: type-mismatch @ 34:17: parser `MyParser` does not fit `c` (`C`): it is a parser, not a control
// expect: wrong-arguments @ 35:1: package `Top` takes 2 arguments, not 1
// expect: not-constructible @ 36:1: extern `Plain` has no constructor
// expect: not-constructible @ 37:1: `Headers` is a type, which cannot be instantiated
// expect: missing-method @ 38:1: `hook1` does not implement the abstract method `decide` of `Hook`
// expect: type-mismatch @ 40:12: `decide` differs from the abstract method that it implements
// expect: no-such-member @ 44:12: `Hook` has no abstract method `other`
// expect: bad-type-argument @ 46:1: an extern object cannot be a type argument of `Of`

#include <core.p4>

struct Headers { }
parser P<H>(packet_in packet, out H headers);
control C<H>(inout H headers);
package Top<H>(P<H> p, C<H> c);

parser MyParser(packet_in packet, out Headers hd) { state start { transition accept; } }
parser Short(packet_in packet) { state start { transition accept; } }
control MyControl(inout Headers hd) { apply { } }
control Reads(in Headers hd) { apply { } }
struct Other { bit<8> x; }
control Differs(inout Other hd) { apply { } }
extern Plain { }
extern Hook { Hook(); abstract bit<8> decide(in bit<8> x); }
extern Of<T> { Of(); T get(); }
struct Box<T> { T content; }

Top(Short(), MyControl()) t1;
Top(MyParser(), Reads()) t2;
Top(MyParser(), Differs()) t3;
Top(MyParser(), MyParser()) t4;
Top(MyParser()) t5;
Plain() plain;
Headers() headers;
Hook() hook1;
Hook() hook2 = {
    bit<8> decide(in bit<16> x) { return 1; }
};
Hook() hook3 = {
    bit<8> decide(in bit<8> x) { return x; }
    bit<8> other(in bit<8> x) { return x; }
};
Of<Plain>() of_plain;
