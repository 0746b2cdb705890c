// expect: unknown-directive @ 9:1: there is no directive `#defnie`: the line is left out
// expect: bad-directive @ 10:1: `#else` without an `#if` before it
// expect: bad-directive @ 11:1: `#define` needs the name of a macro
// expect: error-directive @ 13:2: set WIDTH
// expect: bad-directive @ 16:1: `#else` behind the `#else` of the same `#if`
// expect: bad-macro @ 19:18: macro `TWO`
// expect: warning-directive @ 20:1: careful
// expect: bad-directive @ 21:1: this `#if` has no `#endif`
#defnie X
#else
#define 5
#ifndef WIDTH
 #error set WIDTH
#else
#error not here
#else
#endif
#define TWO(a, b) a
const bit<8> x = TWO(1);
#warning careful
#ifdef NOTHING
