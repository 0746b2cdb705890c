// expect: undeclared-type @ 5:17: type `port_t` is not declared
// expect: syntax @ 8:15: expected an expression after `=`, found `;`
control c(inout bit<9> port) {
    apply {
        port = (port_t) port;
    }
}
const int a = ;
