// expect: bad-action @ 14:34: action `other` is not in the `actions` of table `t`
// expect: bad-action @ 20:34: the action for empty groups must name an action
// expect: wrong-arguments @ 26:34: action `set` takes 1 argument, not 0
#include <core.p4>
#include <psa.p4>
control I(inout bit<8> a) {
    ActionSelector(PSA_HashAlgorithm_t.CRC16, 16, 16) paths;
    action set(bit<8> value) { a = value; }
    action other() { a = 1; }
    table t {
        key = { a: selector; }
        actions = { set; }
        psa_implementation = paths;
        psa_empty_group_action = other;
    }
    table u {
        key = { a: selector; }
        actions = { set; }
        psa_implementation = paths;
        psa_empty_group_action = 5;
    }
    table v {
        key = { a: selector; }
        actions = { set; }
        psa_implementation = paths;
        psa_empty_group_action = set;
    }
    apply { t.apply(); u.apply(); v.apply(); }
}
