// SPDX-License-Identifier: Apache-2.0
// Names that are words of C, macros, kernel types and BPF helpers.
#include <core.p4>
#include <xdp_model.p4>
// names that are C keywords, macros, helpers, kernel types
header long { bit<48> register; bit<48> short; bit<16> signed; }
header unsigned { bit<8> data; bit<8> ctx; bit<8> key; bit<8> value; bit<8> NULL; bit<8> linux; bit<8> unix; bit<8> data_end; }
struct float { long char; unsigned volatile; }
parser Prs(packet_in data, out float ctx) {
    state goto { data.extract(ctx.volatile); transition accept; }
    state start {
        data.extract(ctx.char);
        transition select(ctx.char.signed) { 0x88b5: goto; default: accept; }
    }
}
control while(inout bit<8> do, in bit<8> sizeof) {
    action inline(bit<8> static) { do = static; }
    table memcpy {
        key = { sizeof : exact @name("restrict"); }
        actions = { inline; NoAction; }
        size = 4;
    }
    apply { memcpy.apply(); }
}
control Sw(inout float auto, in xdp_input __u32, out xdp_output xdp_md) {
    CounterArray(4, false) bpf_map_lookup_elem;
    while() if_;
    while() htons;
    action XDP_PASS(bit<8> __builtin_memcpy, bit<16> long_) { auto.volatile.NULL = __builtin_memcpy; auto.volatile.linux = (bit<8>)long_; }
    action SEC() { auto.volatile.unix = 1; }
    action errno(bit<8> BPF_ANY) { auto.volatile.data = BPF_ANY; }
    table key {
        key = { auto.volatile.key : exact @name("key"); auto.volatile.value : exact @name("value"); }
        actions = { XDP_PASS; SEC; errno; }
        default_action = SEC();
    }
    table value {
        key = { auto.volatile.value : ternary @name("main"); auto.volatile.ctx : exact @name("int"); }
        actions = { XDP_PASS; errno; NoAction; }
        size = 8;
    }
    table entry {
        key = { auto.char.register : lpm @name("switch"); }
        actions = { XDP_PASS; errno; NoAction; }
        default_action = errno(9);
    }
    table hash {
        actions = { errno; }
        default_action = errno(77);
    }
    apply {
        xdp_md.output_action = xdp_action.XDP_PASS;
        xdp_md.output_port = 0;
        bit<8> struct_ = 3; bit<8> union = 4; bit<8> i = 5; bit<8> __u8 = 6; bit<8> offset = 1; bit<8> size = 2; bit<8> at = 3;
        if (auto.volatile.isValid()) {
            struct_ = auto.volatile.data + union + i + __u8 + offset + size + at;
            key.apply();
            value.apply();
            if (entry.apply().miss) { auto.volatile.data_end = struct_; }
            if_.apply(auto.volatile.ctx, auto.volatile.key);
            htons.apply(auto.volatile.value, auto.volatile.key);
            bpf_map_lookup_elem.increment(1);
        } else { hash.apply(); xdp_md.output_action = xdp_action.XDP_DROP; }
    }
}
control Dep(in float union, packet_out typeof) { apply { typeof.emit(union); } }
xdp(Prs(), Sw(), Dep()) main;
