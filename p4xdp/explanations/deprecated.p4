@deprecated("use `checksum16`") extern bit<16> checksum(in bit<8> x);
extern bit<16> checksum16(in bit<8> x);
bit<16> f(in bit<8> x) { return checksum(x); }

// fixed:

@deprecated("use `checksum16`") extern bit<16> checksum(in bit<8> x);
extern bit<16> checksum16(in bit<8> x);
bit<16> f(in bit<8> x) { return checksum16(x); }
