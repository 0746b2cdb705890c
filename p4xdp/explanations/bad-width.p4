const bit<-4> N = 1;

// fixed:

const bit<4> N = 1;
