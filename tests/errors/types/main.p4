// expect: bad-main @ 6:9: `main` must be an instance of a package, not of `Plain`

#include <core.p4>

extern Plain { Plain(); }
Plain() main;
