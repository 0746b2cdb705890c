// expect: undeclared-type @ 7:15: type `Etherent` is not declared
// expect-help: did you mean `Ethernet`?

#include <core.p4>

header Ethernet { bit<48> dst; bit<48> src; bit<16> type; }
struct Pair { Etherent left; }
