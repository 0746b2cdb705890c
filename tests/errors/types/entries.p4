// expect: duplicate @ 30:13: two entries have the same key
// expect: bad-entry @ 32:13: key `h.a` is matched by `exact`, which takes no masks
// expect-help: match the key by `ternary`
// expect: type-mismatch @ 33:13: cannot match `bit<16>` with key `h.a` (`bit<8>`)
// expect: not-constant @ 34:20: argument `value` of `go` must be known at compile time
// expect: bad-action @ 35:17: action `NoAction` is `@defaultonly`, so an entry cannot use it
// expect: not-constant @ 36:13: the key of an entry must be known at compile time
// expect: wrong-count @ 37:13: 2 values for the one key of table `exact_key`
// expect: bad-entry @ 44:17: key `h.b` is matched by `exact`, which needs a value
// expect: bad-entry @ 53:13: the mask of the lpm key `h.src` is not a prefix
// expect: bad-entry @ 54:13: key `h.src` is matched by `lpm`, which takes no ranges
// expect: bad-entry @ 61:24: entries of `const entries` have no priorities
// expect: bad-entry @ 68:13: the first entry needs a priority, since another entry has one
// expect: bad-entry @ 74:9: table `keyless` has no key, so it can have no entries
// expect: bad-annotation @ 82:24: `@priority` takes one number

#include <core.p4>

match_kind { range, optional }
header H { bit<8> a; bit<8> b; bit<32> src; }

control C(inout H h) {
    action go(bit<8> value) { h.a = value; }
    action stop() { }
    table exact_key {
        key = { h.a : exact; }
        actions = { go; stop; @defaultonly NoAction; }
        const entries = {
            1 : stop();
            1 : go(2);

            1 &&& 3 : stop();
            16w3 : stop();
            4 : go(h.a);
            5 : NoAction();
            h.a : stop();
            (1, 2) : stop();
        }
    }
    table two_exact {
        key = { h.a : exact; h.b : exact; }
        actions = { stop; }
        const entries = {
            (1, _) : stop();
            _ : stop();
        }
    }
    table prefixes {
        key = { h.src : lpm; }
        actions = { stop; }
        const entries = {
            0x0a000000 &&& 0xff000000 : stop();
            0x0a000000 &&& 0x00ffffff : stop();
            1 .. 2 : stop();
        }
    }
    table priorities {
        key = { h.a : ternary; h.b : range; }
        actions = { stop; }
        const entries = {
            priority = 10 : (1, 2 .. 3) : stop();
        }
    }
    table first_priority {
        key = { h.a : ternary; h.b : optional; }
        actions = { stop; }
        entries = {
            (1, 2) : stop();
            priority = 10 : (3, _) : stop();
        }
    }
    table keyless {
        actions = { stop; }
        const entries = {
            1 : stop();
        }
    }
    table annotated {
        key = { h.a : ternary; }
        actions = { stop; }
        const entries = {
            1 : stop() @priority(high);
        }
    }
    apply { }
}
