#error "this program needs WIDTH"

// fixed:

#define WIDTH 8
#ifndef WIDTH
#error "this program needs WIDTH"
#endif
const bit<WIDTH> N = 1;
