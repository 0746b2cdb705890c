"""Statements, calls and order of evaluation in the interpreter (sections 6.8, 8.1 and 12)."""

from __future__ import annotations

import pytest
from interp_case import program, run, send

from p4xdp.interp import Stuck

INC = "bit<8> inc(inout bit<8> v) { v = v + 1; return v; }"


def test_operands_are_evaluated_from_left_to_right() -> None:
    body = "hd.h.b = hd.h.a - inc(hd.h.a) - hd.h.a;"
    assert run(body, "05000000", functions=INC) == "06" + "f9" + "0000"


def test_short_circuit_leaves_the_right_operand_out() -> None:
    body = "bool x = true || inc(hd.h.a) == 0; x = hd.h.a == 9 && inc(hd.h.b) == 0;"
    assert run(body, functions=INC) == "00000000"


def test_one_branch_of_a_conditional_is_evaluated() -> None:
    assert run("hd.h.c = hd.h.a == 0 ? inc(hd.h.a) : inc(hd.h.b);", functions=INC) == "01000100"


def test_arguments_are_saved_before_the_call_and_written_back_in_order() -> None:
    decl = "action t(inout bit<8> x, in bit<8> y, out bit<8> z) { x = x + y; z = hd.h.a; }"
    assert run("t(hd.h.a, inc(hd.h.a), hd.h.a);", "05000000", decl, functions=INC)[:2] == "06"


def test_an_lvalue_is_resolved_before_later_arguments_change_its_index() -> None:
    parts = {"fields": "H4[2] st;", "emit": "p.emit(hd.st);"}
    decl = "action t(out bit<8> x, in bit<8> y) { x = 7; }"
    body = "hd.st[0] = {0,0,0,0}; hd.st[1] = {0,0,0,0}; t(hd.st[hd.h.a].a, inc(hd.h.a));"
    found = run(body, "00000000", decl, functions=INC, **parts)
    assert found == "01000000" + "07000000" + "00000000"


def test_compound_assignment_evaluates_its_target_once() -> None:
    parts = {"fields": "H4[3] st;", "emit": "p.emit(hd.st);"}
    body = "hd.st[1] = {5,0,0,0}; hd.st[inc(hd.h.a)].a += 3; hd.st[1].b |+|= 255;"
    assert run(body, functions=INC, **parts) == "01000000" + "08ff0000"


def test_return_and_exit_copy_out_and_skip_the_rest() -> None:
    decl = """
    action leave(inout bit<8> x) { x = 1; if (hd.h.d == 0) { return; } x = 2; exit; }
    """
    body = "leave(hd.h.a); hd.h.b = 9;"
    assert run(body, "00000000", decl) == "01090000"
    assert run(body, "00000001", decl) == "02000001"


def test_an_exit_in_a_key_or_operand_interrupts_the_statement() -> None:
    decl = """
    action stop() { exit; }
    table t { actions = { stop; } default_action = stop(); }
    """
    assert run("hd.h.a = t.apply().hit ? 8w1 : 2;", decl=decl) == "00000000"


def test_value_switch_and_fall_through() -> None:
    body = """switch (hd.h.a) { 1: 2: { hd.h.b = 1; } 3: { hd.h.b = 2; } default: { hd.h.b = 3; } }
    switch (hd.h.a) { 2: { hd.h.c = 1; } 3: }"""
    assert run(body, "02000000") == "02010100"
    assert run(body, "03000000") == "03020000"
    assert run(body, "07000000") == "07030000"


def test_for_loops_count_at_run_time() -> None:
    body = """
    for (bit<8> i = 0; i < hd.h.a; i += 1) {
        if (i == 2) { continue; }
        if (i == 5) { break; }
        hd.h.b = hd.h.b + i;
    }
    """
    assert run(body, "04000000") == "04040000"
    assert run(body, "09000000") == "09080000"


def test_for_in_evaluates_its_range_once() -> None:
    body = "for (bit<8> i in hd.h.a .. hd.h.b) { hd.h.b = 9; hd.h.c = hd.h.c + i; }"
    assert run(body, "02040000") == "02090900"
    assert run(body, "05040000") == "05040000"


def test_for_in_runs_over_a_copy_of_a_stack() -> None:
    parts = {"fields": "H4[2] st;", "emit": "p.emit(hd.st);"}
    body = """hd.st[0] = {1,0,0,0}; hd.st[1] = {2,0,0,0};
    for (H4 x in hd.st) { hd.st[1].a = 9; hd.h.a = hd.h.a + x.a; }"""
    assert run(body, **parts) == "03000000" + "01000000" + "09000000"


def test_for_in_over_a_list() -> None:
    assert run("for (bit<8> x in { 1, 2, 4 }) { hd.h.a = hd.h.a + x; }") == "07000000"


def test_a_loop_without_end_is_given_up() -> None:
    body = "for (bit<8> i = 0; hd.h.a == 0; i += 1) { hd.h.b = i; }"
    with pytest.raises(Stuck, match="without coming to an end"):
        send(program(body), "00000000")


def test_a_dynamic_slice_reads_and_writes_where_it_is_told() -> None:
    assert run("hd.h.c = (bit<8>) hd.h.b[hd.h.a+:4];", "04ab0000") == "04ab0a00"
    assert run("hd.h.b[hd.h.a+:4] = 0xf;", "06000000") == "06c00000"


def test_structs_and_tuples_are_copied_and_compared() -> None:
    types = "struct S { bit<8> x; tuple<bit<8>, bool> t; }"
    body = """S s = { 1, { 2, true } }; S r = s; r.x = 3; hd.h.a = s.x; hd.h.b = r.t[0];
    hd.h.c = s == r ? 8w1 : 2; r.x = 1; hd.h.d = s == r ? 8w1 : 2;"""
    assert run(body, types=types) == "01020201"


def test_functions_see_no_variables_of_their_caller() -> None:
    functions = "bit<8> f(in bit<8> x) { bit<8> y = x; y = y + 1; return y; }"
    assert run("bit<8> y = 5; hd.h.a = f(1) + y;", functions=functions) == "07000000"


def test_two_instances_and_one_called_twice() -> None:
    functions = """
    control Sub(inout bit<8> v) {
        bit<8> n = 0;
        apply { n = n + 1; v = v + n; if (v == 3) { exit; } }
    }
    """
    assert (
        run(
            "s.apply(hd.h.a); s.apply(hd.h.a); r.apply(hd.h.b); hd.h.c = 1;",
            "00000000",
            "Sub() s; Sub() r;",
            functions=functions,
        )
        == "02010100"
    )
    assert run("s.apply(hd.h.a); hd.h.c = 1;", "02000000", "Sub() s;", functions=functions) == (
        "03000000"
    )


def test_a_block_as_a_constructor_argument_and_a_direct_application() -> None:
    functions = """
    control T(inout bit<8> v);
    control Inner(inout bit<8> v)(bit<8> n) { apply { v = v + n; } }
    control Outer(inout bit<8> v)(T c) { apply { c.apply(v); } }
    control Plain(inout bit<8> v) { apply { v = v << 1; } }
    """
    decl = "Inner(3) three; Outer(three) a; Outer(three) b;"
    assert (
        run(
            "a.apply(hd.h.a); b.apply(hd.h.a); Plain.apply(hd.h.a);",
            "00000000",
            decl,
            functions=functions,
        )
        == "0c000000"
    )
