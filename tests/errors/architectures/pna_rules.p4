// expect: bad-key @ 47:27: table `learn` adds entries on a miss, so its keys must all be `exact`
// expect: not-allowed-here @ 31:9: `restart_expire_timer` in an action of table `fixed`, whose entries have n
// expect-help: give the table the property `idle_timeout_with_auto_delete = true`
// expect: not-allowed-here @ 37:31: `add_entry` in an action of table `fixed`, which adds no entries
// expect-help: give the table the property `add_on_miss = true`
// expect: not-allowed-here @ 40:14: table `learn` has no action `other` for an added entry
// expect-help: name an action of the table that hits run
// expect: not-allowed-here @ 41:14: `missed` runs on a miss and cannot be the action of an added entry
// expect: not-allowed-here @ 44:24: `add_entry` in `hit_too`, which is not the default action of its table
// expect-help: add entries where a packet misses: in the default action
// expect: not-constant @ 65:23: an argument of `mirror_packet` must be a constant or action data
// expect: bad-argument @ 66:9: mirror session 0 belongs to the architecture
// expect-help: choose a session from 1 on
// expect: not-allowed-here @ 71:30: `mirror_packet` cannot be called in `D`
// expect-help: call it in the main control
match_kind { exact, ternary }
extern bool add_entry<T>(string action_name, in T action_params, in bit<8> profile);
extern void restart_expire_timer();
extern void mirror_packet(bit<8> slot, bit<16> session);
control Main(inout bit<8> h);
control Pre(inout bit<8> h);
control Deparse(in bit<8> h);
parser Parse(out bit<8> h);
package PNA_NIC(Parse p, Pre c, Main m, Deparse d);
parser P(out bit<8> h) { state start { h = 0; transition accept; } }
control C(inout bit<8> h) { apply { h = 1; } }

control M(inout bit<8> h) {
    bit<8> slot = 1;
    action hit(bit<8> n) {
        restart_expire_timer();
        h = n;
    }
    action other(bit<16> session) { mirror_packet(3, session); }
    action wrong() {

        h = (bit<8>) (bit<1>) add_entry("hit", (bit<8>) 3, 0); }
    action missed() {
        bool ok;
        ok = add_entry("other", (bit<8>) 3, 0);
        ok = add_entry("missed", (bit<8>) 3, 0);
        ok = add_entry("hit", (bit<8>) 3, 0);
    }
    action hit_too() { add_entry("hit", (bit<8>) 3, 0); }

    table learn {
        key = { h: exact; slot: ternary; }
        actions = { hit; hit_too; missed; }
        default_action = missed();
        add_on_miss = true;
        idle_timeout_with_auto_delete = true;
    }
    table fixed {
        key = { h: exact; }
        actions = { hit; other; wrong; }
        default_action = other(5);
    }

    apply {
        learn.apply();
        fixed.apply();


        slot = h;
        mirror_packet(slot, 1);
        mirror_packet(2, 0);
        mirror_packet(2, 1);
    }
}
control D(in bit<8> h) {
    apply {                  mirror_packet(1, 2); }
}
PNA_NIC(P(), C(), M(), D()) main;
