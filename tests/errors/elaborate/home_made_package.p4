// expect: wrong-architecture @ 9:1: this program is written for `Mine`; p4xdp compiles
#include <core.p4>
control Only();
package Mine(Only o);
control C() {
    apply {
    }
}
Mine(C()) main;
