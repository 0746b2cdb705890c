#warning "the default WIDTH is used"
#define WIDTH 8
const bit<WIDTH> N = 1;

// fixed:

#define WIDTH 8
const bit<WIDTH> N = 1;
