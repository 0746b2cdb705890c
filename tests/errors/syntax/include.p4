// expect: missing-include @ 4:1: the file `no_such_file.p4` is not found
// expect-help: searched in
// expect: bad-directive @ 5:1: `#include` needs a file name
#include "no_such_file.p4"
#include 5
