const bit<8> main = 1;

// fixed:

control C();
package Top(C c);
control Mine() { apply { } }
Top(Mine()) main;
