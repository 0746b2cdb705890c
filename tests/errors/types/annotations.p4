// expect: bad-annotation @ 6:5: `@name` takes one string
// expect: duplicate @ 7:16: annotation `@likely` stands twice
// expect: bad-annotation @ 8:11: `@mine` takes constant numbers, strings and bools only

control D(inout bit<8> x) {
    @name(17) action c() { }
    @likely[1] @likely[2] action d() { }
    @mine[x] action e() { }
    apply { }
}
