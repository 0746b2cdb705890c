// The calls of before there were field lists: they name what the next pass is to know. It has the
// values of the end of the control; what is not named starts anew, headers are parsed anew.
#include <core.p4>
#include <v1model.p4>

header H { bit<8> way; bit<8> a; bit<8> b; bit<8> c; bit<8> port; }
struct Inner { bit<8> b; bool c; }
struct Hdr { H h; }
struct Meta { bit<8> a; Inner inner; bit<70> wide; }

parser P(packet_in p, out Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control I(inout Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    apply {
        s.egress_spec = 3;
        if (s.instance_type != 0) {
            hdr.h.a = meta.a;
            hdr.h.b = meta.inner.b;
            hdr.h.c = meta.inner.c ? 8w0xcc : (bit<8>)meta.wide[69:62];
            hdr.h.port = (bit<8>)s.egress_rid[7:0];
        } else {
            meta = { 1, { 2, true }, 0 };
            s.egress_rid = 7;
            if (hdr.h.way == 1) {
                resubmit({ meta.a, meta.inner.c });
            } else if (hdr.h.way == 2) {
                resubmit(meta);
            } else if (hdr.h.way == 3) {
                resubmit({ s.egress_rid, meta.inner });
            } else if (hdr.h.way == 4) {
                resubmit({ meta.a });
                resubmit({ meta.wide, hdr.h.b });
                meta.inner.c = false;
            }
            meta.a = 5;
            meta.wide[69:62] = 0x99;
            hdr.h.a = 0xff;
        }
    }
}
control E(inout Hdr hdr, inout Meta meta, inout standard_metadata_t s) {
    apply {
        if (hdr.h.way == 5 && hdr.h.a == 0xff) {
            meta.a = 6;
            recirculate(meta.inner);
        } else if (hdr.h.way == 6 && hdr.h.a == 0xff) {
            meta.a = 6;
            recirculate(meta.a);
        } else if (hdr.h.way == 7 && hdr.h.a == 0xff) {
            recirculate(hdr);
        }
    }
}
control V(inout Hdr hdr, inout Meta meta) { apply { } }
control D(packet_out p, in Hdr hdr) { apply { p.emit(hdr.h); } }

V1Switch(P(), V(), I(), E(), V(), D()) main;
