"""Tables, actions, switches, counters, architectures (section 14, cases B and F)."""

from __future__ import annotations

import pytest
from flat_machine import Entries, run
from p4_case import ETH, MODEL, check_bytes, compile_text, fields_of, program, sent

from p4xdp.midend import ir

XYZ = """
action x() { hd.h.c = 1; } action y() { hd.h.c = 2; } action z() { hd.h.c = 3; }
"""


def entry(index: int, *keys: int, data: tuple[int, ...] = ()) -> ir.Entry:
    tests = tuple(ir.MaskTest(key, (1 << 64) - 1) for key in keys)
    return ir.Entry(tests, ir.ActionChoice(index, data), 0)


def table_of(decl: str, body: str = "t.apply();") -> ir.Table:
    return program(body, decl).tables[0]


EXACT = XYZ + "table t { key = { hd.h.a: exact; } actions = { x; y; z; } default_action = z(); }"
THREE: Entries = {"C.t": [entry(0, 5), entry(1, 6)]}


def test_hit_and_miss() -> None:
    body = "if (t.apply().hit) hd.h.b = 1; else hd.h.b = 2;"
    check_bytes("a=05", "b=01 c=01", body, EXACT, THREE)
    check_bytes("a=07", "b=02 c=03", body, EXACT, THREE)
    check_bytes("a=06", "b=00 c=02", "if (t.apply().miss) hd.h.b = 1;", EXACT, THREE)


def test_hit_is_evaluated_before_what_follows_it() -> None:
    decl = """
    action s() { hd.h.a = 2; }
    table t { key = { hd.h.a: exact; } actions = { s; NoAction; } }
    """
    body = "if (t.apply().hit && hd.h.a == 2) hd.h.b = 1;"
    check_bytes("a=07", "a=02 b=01", body, decl, {"C.t": [entry(0, 7)]})


SWITCH = "switch (t.apply().action_run) { x: y: { hd.h.b = 1; } z: { hd.h.b = 2; } }"


def test_a_label_without_a_block_falls_through() -> None:
    check_bytes("a=05", "b=01 c=01", SWITCH, EXACT, THREE)
    check_bytes("a=06", "b=01 c=02", SWITCH, EXACT, THREE)
    check_bytes("a=07", "b=02 c=03", SWITCH, EXACT, THREE)


def test_default_means_any_other_action_hit_or_miss() -> None:
    body = "switch (t.apply().action_run) { x: { hd.h.b = 1; } default: { hd.h.b = 9; } }"
    check_bytes("a=06", "b=09 c=02", body, EXACT, THREE)
    check_bytes("a=05", "b=01 c=01", body, EXACT, THREE)


def test_the_label_of_the_default_action_runs_on_a_miss() -> None:
    body = "switch (t.apply().action_run) { z: { hd.h.b = 1; } default: { hd.h.b = 9; } }"
    check_bytes("a=07", "b=01 c=03", body, EXACT, THREE)


def test_return_inside_one_case() -> None:
    body = SWITCH.replace("hd.h.b = 1;", "hd.h.b = 1; return;") + " hd.h.d = 5;"
    check_bytes("a=05", "b=01 c=01", body, EXACT, THREE)
    check_bytes("a=07", "b=02 c=03 d=05", body, EXACT, THREE)


def test_an_action_that_exits_ends_the_switch() -> None:
    decl = "action x() { exit; } table t { actions = { x; } default_action = x(); }"
    body = "switch (t.apply().action_run) { x: { hd.h.b = 1; } }"
    check_bytes("a=05", "", body, decl)


def test_a_switch_over_values() -> None:
    body = """
    switch (hd.h.a) { 1: 2: { hd.h.b = 1; } 3: { hd.h.b = 3; return; } default: { hd.h.b = 9; } }
    hd.h.c = 7;
    """
    check_bytes("a=02", "b=01 c=07", body)
    check_bytes("a=03", "b=03", body)
    check_bytes("a=04", "b=09 c=07", body)
    check_bytes("a=01", "", "switch (hd.h.a) { 8w1: }")
    check_bytes("", "b=05", "switch (8w3) { 1: { hd.h.b = 1; } 3: { hd.h.b = 5; } }")


def test_a_switch_over_an_enum() -> None:
    functions = "enum E { P, Q }"
    body = """
    E e = E.P; if (hd.h.a == 1) e = E.Q;
    switch (e) { E.P: { hd.h.b = 1; } E.Q: { hd.h.b = 2; } }
    """
    check_bytes("a=01", "b=02", body, functions=functions)


def test_the_key_is_read_when_the_table_is_applied() -> None:
    decl = "bit<8> k = 0;" + EXACT.replace("hd.h.a: exact", "k: exact")
    check_bytes("a=05", "c=01", "k = hd.h.a; t.apply();", decl, THREE)


def test_keys_are_expressions_evaluated_in_order() -> None:
    functions = "bit<8> bump(inout bit<8> v) { v = v + 1; return v; }"
    decl = (
        XYZ
        + """table t {
        key = { hd.h.a[3:0] : exact @name("low"); hd.h.isValid() : exact; 8w1 : exact @name("one");
                hd.h.b : exact; bump(hd.h.b) : exact @name("bumped"); hd.h.b : exact @name("b2"); }
        actions = { x; y; z; } default_action = z(); }"""
    )
    flat = program("t.apply();", decl, functions=functions)
    (table,) = flat.tables
    names = [(key.name, key.width) for key in table.keys]
    assert names == [
        ("low", 4),
        ("hd.h.isValid()", 1),
        ("one", 8),
        ("hd.h.b", 8),
        ("bumped", 8),
        ("b2", 8),
    ]
    entries = {"C.t": [entry(0, 5, 1, 1, 2, 3, 3)]}
    outcome = run(flat, ETH + fields_of("a=f5 b=02"), entries)
    assert outcome.packet[14:].hex() == "f5030100"


def test_a_table_without_keys_runs_its_default() -> None:
    decl = XYZ + "table t { actions = { x; y; } default_action = y(); }"
    check_bytes("", "b=02 c=02", "if (t.apply().hit) hd.h.b = 1; else hd.h.b = 2;", decl)


def test_a_missing_default_is_no_action() -> None:
    decl = XYZ + "table t { key = { hd.h.a: exact; } actions = { x; } }"
    check_bytes("a=05", "", "t.apply();", decl)
    table = table_of(decl)
    assert [action.name for action in table.actions] == ["C.x", "NoAction"]
    assert (table.default, table.default_const) == (ir.ActionChoice(1, ()), False)
    assert (table.size, table.implementation) == (1024, None)


def test_action_data_and_bound_arguments() -> None:
    decl = """
    action set(inout bit<8> to, in bit<8> plus, bit<8> value, bool twice) {
        to = value + plus; if (twice) { to = to + value; }
    }
    table t { key = { hd.h.a: exact; } actions = { set(hd.h.b, hd.h.c); }
              default_action = set(hd.h.b, hd.h.c, 4, true); }
    """
    table = table_of(decl)
    assert table.actions == (
        ir.TableAction("C.set", (ir.ActionData("value", 8), ir.ActionData("twice", 1))),
    )
    assert table.default == ir.ActionChoice(0, (4, 1))
    check_bytes("c=03", "b=0b", "t.apply();", decl)
    check_bytes("c=03", "b=08", "t.apply();", decl, {"C.t": [entry(0, 0, data=(5, 0))]})


def test_a_structure_as_action_data() -> None:
    functions = "struct S { bit<8> x; bit<16> y; }"
    decl = """
    action set(S s) { hd.h.b = s.x; hd.h.c = s.y[15:8]; }
    table t { key = { hd.h.a: exact; } actions = { set; } default_action = set({ 1, 0x200 }); }
    """
    flat = program("t.apply();", decl, functions=functions)
    data = flat.tables[0].actions[0].data
    assert data == (ir.ActionData("s.x", 8), ir.ActionData("s.y", 16))
    check_bytes("", "b=01 c=02", "t.apply();", decl, functions=functions)


def test_an_action_called_directly_takes_run_time_data() -> None:
    decl = "action set(bit<8> value) { hd.h.a = 9; hd.h.b = value; }"
    check_bytes("a=03", "a=09 b=03", "set(hd.h.a);", decl)


def test_one_table_applied_twice() -> None:
    decl = XYZ + "table t { key = { hd.h.c: exact; } actions = { x; y; NoAction; } }"
    entries = {"C.t": [entry(0, 0), entry(1, 1)]}
    check_bytes("", "c=02", "t.apply(); t.apply();", decl, entries)
    assert len(program("t.apply(); t.apply();", decl).tables) == 1


def test_names_of_tables_and_actions_in_sub_controls() -> None:
    functions = """
    action everywhere() { }
    control Sub(inout bit<8> v)() {
        action set(bit<8> n) { v = n; }
        @name("other") action plain() { }
        table t { key = { v: exact; } actions = { set; plain; everywhere; } }
        @name(".top") table u { actions = { set; } default_action = set(1); }
        apply { t.apply(); u.apply(); }
    }
    """
    flat = program("s.apply(hd.h.a);", "Sub() s;", functions=functions)
    assert [table.name for table in flat.tables] == ["C.s.t", "top"]
    names = [action.name for action in flat.tables[0].actions]
    assert names == ["C.s.set", "C.s.other", "everywhere", "NoAction"]


def test_two_instances_have_two_tables_and_one_has_one() -> None:
    functions = """
    control Sub(inout bit<8> v) {
        action set(bit<8> n) { v = n; }
        table t { key = { v: exact; } actions = { set; } }
        apply { t.apply(); }
    }
    """
    body = "s.apply(hd.h.a); u.apply(hd.h.b); s.apply(hd.h.c);"
    flat = program(body, "Sub() s; Sub() u;", functions=functions)
    assert [table.name for table in flat.tables] == ["C.s.t", "C.u.t"]


def test_counters() -> None:
    decl = "CounterArray(16, true) few; CounterArray(8, false) all;"
    body = "few.increment((bit<32>) hd.h.a); few.add(3, 10); few.add(3, 5); all.increment(9);"
    outcome = sent("a=05", body, decl)
    assert outcome.counts == {("C.few", 5): 1, ("C.few", 3): 15, ("C.all", 9): 1}
    assert program(body, decl).counters == (
        ir.Counter("C.few", 16, True),
        ir.Counter("C.all", 8, False),
    )


def test_the_size_and_the_implementation() -> None:
    decl = XYZ + "table t { key = { hd.h.a: exact; } actions = { x; } %s }"
    assert table_of(decl % "size = 16;").size == 16
    table = table_of(decl % "implementation = hash_table(64);")
    assert (table.size, table.implementation) == (64, "hash_table")


# Const entries

TERNARY = (
    XYZ
    + """
    table t {
        key = { hd.h.a: ternary; } actions = { x; y; z; } default_action = z();
        const entries = { 0x10 &&& 0xf0 : x(); 0x11 : y(); _ : z(); }
    }
    """
)


def test_the_first_ternary_entry_wins() -> None:
    check_bytes("a=11", "c=01", "t.apply();", TERNARY)
    check_bytes("a=21", "c=03", "t.apply();", TERNARY)
    table = table_of(TERNARY)
    assert [e.priority for e in table.entries] == [3, 1], "the second one is hidden"
    assert (table.const_entries, table.entries[0].tests) == (True, (ir.MaskTest(0x10, 0xF0),))


def test_mask_bits_outside_count_for_nothing() -> None:
    decl = TERNARY.replace("0x10 &&& 0xf0", "0x1f &&& 0xf0")
    check_bytes("a=11", "c=01", "t.apply();", decl)


def test_the_longest_prefix_wins() -> None:
    decl = (
        XYZ
        + """
    table t {
        key = { hd.h.a: lpm; hd.h.b: exact; } actions = { x; y; z; } default_action = z();
        const entries = { (_, 0) : x(); (0x80 &&& 0xc0, 0) : y(); (0x81, 0) : z(); }
    }
    """
    )
    table = table_of(decl)
    assert [e.priority for e in table.entries] == [8, 2, 0]
    for given, wanted in (("a=81", "c=03"), ("a=82", "c=02"), ("a=01", "c=01"), ("b=01", "c=03")):
        check_bytes(given, wanted, "t.apply();", decl)


def test_an_entry_for_all_keys_of_an_exact_table() -> None:
    decl = (
        XYZ
        + """
    table t {
        key = { hd.h.a: exact; hd.h.b: exact; } actions = { x; y; z; } default_action = z();
        const entries = { (1, 1) : x(); _ : y(); }
    }
    """
    )
    check_bytes("a=01 b=01", "c=01", "t.apply();", decl)
    check_bytes("a=02 b=02", "c=02", "t.apply();", decl)
    assert [key.kind for key in table_of(decl).keys] == ["ternary", "ternary"]


def test_entries_with_data_and_keys_of_several_types() -> None:
    functions = "enum E { P, Q }"
    decl = """
    E e = E.Q;
    action set(bit<8> v) { hd.h.c = v; }
    table t {
        key = { e: exact; hd.h.isValid(): exact; } actions = { set; NoAction; }
        const entries = { (E.Q, true) : set(7); (E.P, false) : set(8); }
    }
    """
    check_bytes("", "c=07", "t.apply();", decl, functions=functions)


# Architectures


def test_the_filter_model() -> None:
    text = """
    #include <core.p4>
    #include <ebpf_model.p4>
    header H { bit<8> a; }
    struct Hdr { H h; }
    parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.h); transition accept; } }
    control F(inout Hdr hd, out bool ok) { apply { if (hd.h.a == 1) ok = true; } }
    ebpfFilter(P(), F()) main;
    """
    flat = compile_text(text)
    assert (flat.model, flat.port, flat.verdict.width, flat.deparser) == ("filter", None, 0, ())
    assert (run(flat, b"\x01").verdict, run(flat, b"\x02").verdict) == (1, 0)


def test_the_verdict_starts_as_aborted_and_the_port_as_0() -> None:
    text = (
        MODEL
        + """
    struct Hdr { }
    parser P(packet_in p, out Hdr hd) { state start { transition accept; } }
    control C(inout Hdr hd, in xdp_input i, out xdp_output o) {
        apply { if (i.input_port == 3) o.output_action = xdp_action.XDP_REDIRECT; }
    }
    control D(in Hdr hd, packet_out p) { apply { } }
    @devmap(8) xdp(P(), C(), D()) main;
    """
    )
    flat = compile_text(text)
    assert flat.devmap_size == 8
    assert run(flat, b"x").verdict == ir.XDP_ABORTED
    assert run(flat, b"x", port=3).verdict == ir.XDP_REDIRECT
    assert run(flat, b"x", port=3).port == 0


def test_the_deparser_may_call_a_control() -> None:
    text = (
        MODEL
        + """
    header H { bit<8> a; }
    struct Hdr { H h; H g; }
    parser P(packet_in p, out Hdr hd) { state start { p.extract(hd.h); transition accept; } }
    control C(inout Hdr hd, in xdp_input i, out xdp_output o) { apply { hd.g = hd.h; } }
    control E(in Hdr hd, packet_out q) {
        apply { q.emit(hd.g); if (hd.h.a == 1) return; q.emit(hd.h); }
    }
    control D(in Hdr hd, packet_out p) { E() e; apply { e.apply(hd, p); } }
    xdp(P(), C(), D()) main;
    """
    )
    flat = compile_text(text)
    assert run(flat, b"\x01z").packet == b"\x01z"
    assert run(flat, b"\x02z").packet == b"\x02\x02z"


@pytest.mark.parametrize(
    "block", ["@atomic { c.increment(1); }", "@atomic { hd.h.a = 1; hd.h.b = 2; }"]
)
def test_an_atomic_block_with_one_operation(block: str) -> None:
    assert sent("", block, "CounterArray(4, true) c;").error is None


def test_empty_const_entries_stay_empty() -> None:
    decl = XYZ + "table t { key = { hd.h.a: exact; } actions = { x; } const entries = { } }"
    table = table_of(decl)
    assert (table.const_entries, table.entries) == (True, ())
