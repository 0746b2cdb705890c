// expect: recursion @ 40:15: `Self` cannot contain itself
// expect: bad-field @ 41:13: a header cannot have the field `inner` of type `Inner`
// expect-help: headers cannot be nested
// expect: bad-field @ 42:13: a header cannot have the field `kind` of type `Plain`
// expect-help: give the enum a representation
// expect: bad-field @ 43:13: a struct cannot have the field `number` of type `int`
// expect-help: give it a width
// expect: bad-field @ 44:18: a header union cannot have the field `a` of type `bit<8>`
// expect-help: a header union holds headers only
// expect: bad-width @ 45:17: the width of `int<>` must be at least 1, not 0
// expect: bad-width @ 46:17: the width of `bit<>` must be at least 0, not -1
// expect: bad-element @ 47:15: a tuple cannot hold `void`
// expect: bad-size @ 48:15: the size of an array must not be negative
// expect: bad-type @ 49:6: `type` can only be made from `bit<W>`, `int<W>` or `bool`, not `Inner`
// expect-help: use `typedef`
// expect: bad-type @ 50:9: `typedef` of `match_kind` is not possible
// expect: bad-type @ 51:6: the representation of an enum must be `bit<W>` or `int<W>`, not `bool`
// expect: out-of-range @ 52:26: 256 does not fit `bit<8>`
// expect: wrong-type-arguments @ 54:15: `Box` needs type arguments: `Box<T>`
// expect: wrong-type-arguments @ 55:15: `Box<T>` needs 1 type arguments, not 2
// expect: wrong-type-arguments @ 56:15: `Inner` takes no type arguments
// expect: bad-field @ 58:15: a header cannot hold `Plain`, the type of field `content`
// expect: bad-constructor @ 59:44: a method cannot have the name of its extern, `Store`
// expect: bad-parameter @ 60:10: an extern object cannot be a parameter of a function: `s`
// expect: bad-parameter @ 61:11: `in` parameter `x` cannot have the type `int`
// expect: bad-type @ 62:1: a function cannot return `int`
// expect: bad-parameter @ 63:15: `out` parameter `x` cannot have a default value
// expect: bad-parameter @ 64:11: `x` cannot have a direction: it is a parameter of a constructor
// expect: bad-parameter @ 65:10: an action cannot have an optional parameter: `x`
// expect: bad-parameter @ 66:20: `y` has a direction and must stand before the action data `x`
// expect: bad-type @ 69:5: an extern object is not a variable; it is instantiated
// expect-help: write `Store(...) s;`
// expect: bad-type @ 70:5: a variable cannot have the type `int`
// expect-help: give it a width, or declare it with `const`

#include <core.p4>

header Inner { bit<8> a; }
enum Plain { one }
struct Self { Self next; }
header H1 { Inner inner; }
header H2 { Plain kind; }
struct S1 { int number; }
header_union U { bit<8> a; }
header H3 { int<0> a; }
header H4 { bit<(1 - 2)> a; }
typedef tuple<void> T1;
typedef Inner[-1] T2;
type Inner New;
typedef match_kind T3;
enum bool Flags { off = 0 }
enum bit<8> Big { huge = 256 }
struct Box<T> { T content; }
struct Use1 { Box box; }
struct Use2 { Box<bit<8>, bool> box; }
struct Use3 { Inner<bool> box; }
header Cell<T> { T content; }
struct Use4 { Cell<Plain> cell; }
extern Store { Store(); bit<8> get(); void Store(bit<8> x); }
bit<8> f(Store s) { return 1; }
void g(in int x) { }
int h() { return 1; }
extern void k(out bit<8> x = 1);
package P(in bit<8> x);
action a(@optional bit<8> x) { }
action b(bit<8> x, in bit<8> y) { }

control C() {
    Store s;
    int n;
    apply { }
}
