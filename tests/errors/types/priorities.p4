// expect: bad-entry @ 15:24: entries of a table with `exact` and `lpm` keys only have no priorities
// expect: bad-entry @ 26:13: this entry has the priority -8; the smallest one possible is 0
// expect-help: give the first entry a larger priority

match_kind { exact, lpm, ternary }

action NoAction() { }

control C(in bit<8> x) {
    table exact_only {
        key = { x : exact; }
        actions = { NoAction; }
        entries = {
            1 : NoAction();
            priority = 10 : 2 : NoAction();
        }
    }
    table below_zero {
        key = { x : ternary; }
        actions = { NoAction; }
        priority_delta = 10;
        largest_priority_wins = true;
        entries = {
            priority = 12 : 1 &&& 3 : NoAction();
            2 : NoAction();
            3 : NoAction();
        }
    }
    table counted_up {
        key = { x : ternary; }
        actions = { NoAction; }
        largest_priority_wins = false;
        entries = {
            priority = 12 : 1 &&& 3 : NoAction();
            3 : NoAction();
        }
    }
    apply { exact_only.apply(); below_zero.apply(); counted_up.apply(); }
}
