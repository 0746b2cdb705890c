// The name by which programs for bmv2 include psa.p4.

#include <psa.p4>
