// expect: bad-annotation @ 9:5: `@name` takes one string
// expect: duplicate @ 10:16: annotation `@likely` stands twice
// expect: bad-annotation @ 11:11: `@mine` takes constant numbers, strings and bools only
// expect: duplicate @ 16:5: annotation `@number` stands twice
// expect: bad-annotation @ 21:18: `@deprecated` takes one string
// expect: bad-annotation @ 24:20: `@match` takes the name of a match kind

control D(inout bit<8> x) {
    @name(17) action c() { }
    @likely[1] @likely[2] action d() { }
    @mine[x] action e() { }
    apply { }
}

@number(3)
    @number[4]
const bit<8> N = 0;

match_kind { exact }

                 @deprecated("old" | "older") bit<8> f() { return 1; }

struct Set {
    @match(exact)  @match(1 + 1) bit<8> x;
}
