#ifdef
const bit<8> N = 1;
#endif

// fixed:

#ifdef WITH_N
const bit<8> N = 1;
#endif
