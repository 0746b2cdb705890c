// Extern functions in C in a v1model program
#include <core.p4>
#include <v1model.p4>

header ethernet_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers { ethernet_t ethernet; }
struct metadata { bit<9> port; }

extern void choose_port(in ethernet_t eth, inout bit<9> port);
extern bit<16> seal(in bit<48> address);

parser P(packet_in p, out headers hdr, inout metadata meta, inout standard_metadata_t s) {
    state start { p.extract(hdr.ethernet); transition accept; }
}
control V(inout headers hdr, inout metadata meta) { apply {} }
control In(inout headers hdr, inout metadata meta, inout standard_metadata_t s) {
    apply {
        meta.port = s.ingress_port;
        choose_port(hdr.ethernet, meta.port);
        s.egress_spec = meta.port;
    }
}
control Eg(inout headers hdr, inout metadata meta, inout standard_metadata_t s) {
    apply { hdr.ethernet.type = seal(hdr.ethernet.src); }
}
control Cm(inout headers hdr, inout metadata meta) { apply {} }
control D(packet_out p, in headers hdr) { apply { p.emit(hdr.ethernet); } }

V1Switch(P(), V(), In(), Eg(), Cm(), D()) main;
