header Inner { bit<8> a; }
header Outer { Inner inner; }

// fixed:

header Inner { bit<8> a; }
struct Outer { Inner inner; }
