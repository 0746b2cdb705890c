// expect: bad-tie @ 28:9: property `psa_implementation` of table `t` takes one instance: `ActionProfile` or `
// expect: bad-tie @ 23:9: `one` is used in action `count`, which table `u` runs, but it belongs to table `t`
// expect-help: use a direct object in actions of its own table only
#include <core.p4>

extern DirectCounter<W> {
    DirectCounter();
    void count();
}

extern ActionProfile {
    ActionProfile(bit<32> size);
}

control Ingress(inout bit<8> h);
package PSA_Switch(Ingress i);

control I(inout bit<8> h) {
    DirectCounter<bit<32>>() one;
    ActionProfile(4) profile;
    ActionProfile(4) another;
    action count() {
        one.count();
    }
    table t {
        key = { h: exact; }
        actions = { count; NoAction; }
        psa_implementation = { profile, another };
        psa_direct_counter = one;
    }
    table u {
        key = { h: exact; }
        actions = { count; NoAction; }
        psa_implementation = profile;
    }
    apply {
        t.apply();
        u.apply();
    }
}

PSA_Switch(I()) main;
