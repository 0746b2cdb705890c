#include "no_such_file.p4"

// fixed:

#include <core.p4>
