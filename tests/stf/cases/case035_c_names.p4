// SPDX-License-Identifier: Apache-2.0
// Names that mean something in C, in the kernel's headers or in the generated code.

#include <core.p4>
#include <xdp_model.p4>

#define ALL_OF_C int8

header struct_ethhdr {
    bit<48> data;
    bit<48> data_end;
    bit<16> ctx;
}

header u8 {
    bit<8> int8;
    bit<8> register;
    bit<8> volatile;
    bit<8> long;
    bit<8> skb;
    bit<8> htons;
    bit<8> BYTES;
    bit<8> main;
    bit<8> u8;
    bit<8> __u64;
    bit<8> NULL;
    bit<8> end;
}

struct union_ {
    struct_ethhdr double;
    u8            static;
}

parser goto_(packet_in SEC, out union_ xdp_md) {
    bit<8> while;

    state start {
        SEC.extract(xdp_md.double);
        transition continue_;
    }

    state continue_ {
        SEC.extract(xdp_md.static);
        while = xdp_md.static.int8;
        transition select(while) {
            0xff:    reject;
            default: accept;
        }
    }
}

control bpf_map_lookup_elem(inout union_ xdp_md, in xdp_input void_, out xdp_output errno) {
    bit<8> __builtin_memcpy = 1;

    action memset(bit<8> char, bit<8> unsigned) {
        xdp_md.static.ALL_OF_C = char + __builtin_memcpy;
        xdp_md.static.register = unsigned;
    }

    action sizeof() {
        xdp_md.static.main = 5;
    }

    table inline {
        key = {
            xdp_md.static.volatile : exact @name("volatile");
            xdp_md.static.long     : exact @name("long");
        }
        actions = { memset; sizeof; }
        default_action = sizeof();
    }

    table typeof {
        key = { xdp_md.static.u8 : exact @name("struct"); }
        actions = { sizeof; NoAction; }
        default_action = NoAction();
    }

    apply {
        errno.output_port = 0;
        errno.output_action = xdp_action.XDP_TX;
        inline.apply();
        typeof.apply();
        bit<8> asm = xdp_md.static.NULL;
        xdp_md.static.NULL = xdp_md.static.__u64;
        xdp_md.static.__u64 = asm;
    }
}

control printf(in union_ xdp_md, packet_out restrict) {
    apply {
        restrict.emit(xdp_md);
    }
}

xdp(goto_(), bpf_map_lookup_elem(), printf()) main;
