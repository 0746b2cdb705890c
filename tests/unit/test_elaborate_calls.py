"""Calling convention, order of evaluation, side effects (section 6.8, cases A)."""

from __future__ import annotations

import pytest
from flat_machine import run
from p4_case import ETH, check_bytes, fields_of, program

ALIASED = "action t(inout bit<8> x, inout bit<8> y, inout bit<8> z) { y = 2; z = 0; }"
F3 = """
bit<8> f3(in bit<8> x, in bit<8> y, out bit<8> z) { z = x | y; return 4; }
bit<8> g3(out bit<8> w) { w = 3; return 1; }
"""
SET2 = "bit<8> set2(inout bit<8> v) { v = 2; return 7; }"
SIDE = """
bit<8> se(inout bit<8> v) { v = 1; return 7; }
bool sb(inout bit<8> v) { v = 1; return true; }
"""


def test_aliased_inout_arguments_copy_out_left_to_right() -> None:
    check_bytes("a=07", "a=00", "t(hd.h.a, hd.h.a, hd.h.a);", ALIASED)


def test_an_in_argument_is_read_before_a_later_argument_changes_it() -> None:
    check_bytes("a=10", "a=03 b=11", "f3(hd.h.a, g3(hd.h.a), hd.h.b);", functions=F3)


def test_an_inout_argument_is_read_before_a_later_argument_changes_it() -> None:
    functions = F3 + "void k(inout bit<8> x, in bit<8> y) { x = x + y; }"
    check_bytes("a=10", "a=11", "k(hd.h.a, g3(hd.h.a));", functions=functions)


def test_initialiser_lists_evaluate_left_to_right() -> None:
    body = "hd.h = { hd.h.a, set2(hd.h.a), hd.h.a, 1 };"
    check_bytes("a=05", "a=05 b=07 c=02 d=01", body, functions=SET2)


def test_copy_out_undoes_a_direct_write_to_the_same_variable() -> None:
    check_bytes("a=05", "a=05", "t(hd.h.a);", "action t(inout bit<8> v) { hd.h.a = 7; }")


def test_a_slice_passed_inout_beside_a_write_to_the_whole() -> None:
    decl = "action t(inout bit<1> s) { hd.h.a = 2; s = 1; }"
    check_bytes("a=00", "a=03", "t(hd.h.a[0:0]);", decl)


def test_exit_still_copies_out() -> None:
    decl = "action t(inout bit<8> v) { v = 9; exit; }"
    check_bytes("a=00", "a=09", "t(hd.h.a); hd.h.b = 1;", decl)


def test_exit_copies_out_what_was_copied_in() -> None:
    decl = "action t(inout bit<8> v) { hd.h.a = 4; v = 9; exit; }"
    check_bytes("a=00", "a=09", "t(hd.h.a); hd.h.b = 1;", decl)


def test_exit_two_calls_deep_copies_out_at_every_level() -> None:
    decl = """
    action inner(inout bit<8> v) { hd.h.a = 4; v = 1; exit; }
    action outer(inout bit<8> w) { hd.h.c = 5; inner(w); }
    """
    check_bytes("a=00", "a=04 c=01", "outer(hd.h.c); hd.h.b = 1;", decl)


def test_exit_in_an_action_without_parameters() -> None:
    decl = """
    action inner(inout bit<8> v) { v = 1; exit; }
    action outer() { inner(hd.h.a); }
    """
    check_bytes("a=00", "a=01", "outer(); hd.h.a = 7;", decl)


def test_return_in_an_action_ends_the_action_only() -> None:
    decl = "action t(inout bit<8> v) { if (v == 1) { v = 2; return; } v = 3; }"
    check_bytes("a=01 b=05", "a=02 b=03", "t(hd.h.a); t(hd.h.b);", decl)


@pytest.mark.parametrize(
    "expression",
    [
        "0 & se(hd.h.a)",
        "8w0 >> se(hd.h.a)",
        "8w0 * se(hd.h.a)",
        "8w255 |+| se(hd.h.a)",
        "(16w1 ++ se(hd.h.a))[15:8]",
        "se(hd.h.a) == se(hd.h.a) ? 8w0 : 1",
    ],
)
def test_side_effects_survive_algebra(expression: str) -> None:
    check_bytes("a=00", "a=01", f"bit<8> t = {expression};", functions=SIDE)


def test_short_circuit_runs_no_side_effect() -> None:
    body = "bool q = true || sb(hd.h.c); q = false && sb(hd.h.d);"
    check_bytes("", "", body, functions=SIDE)


def test_short_circuit_of_run_time_values() -> None:
    body = (
        "bool q = hd.h.a == 5 || sb(hd.h.c); q = hd.h.a == 5 && sb(hd.h.d); hd.h.b = q ? 8w1 : 2;"
    )
    check_bytes("a=05", "d=01 b=01", body, functions=SIDE)
    check_bytes("a=06", "c=01 b=02", body, functions=SIDE)


def test_a_conditional_evaluates_one_branch() -> None:
    body = "hd.h.b = hd.h.a == 5 ? se(hd.h.c) : se(hd.h.d);"
    check_bytes("a=05", "b=07 c=01", body, functions=SIDE)
    check_bytes("a=06", "b=07 d=01", body, functions=SIDE)


def test_an_index_with_a_call_is_evaluated_once() -> None:
    functions = "bit<8> nxt(inout bit<8> v) { v = v + 1; return v & 1; }"
    parts = {
        "functions": functions,
        "fields": "H4[2] st;",
        "parse": "p.extract(hd.st.next); p.extract(hd.st.next);",
        "emit": "p.emit(hd.st);",
    }
    flat = program("hd.st[nxt(hd.h.a)].a = 1;", **parts)
    packet = ETH + fields_of("a=04") + bytes(8)
    assert run(flat, packet).packet[14:].hex() == "05000000" + "00000000" + "01000000"
    flat = program("hd.st[nxt(hd.h.a)].a += 3;", **parts)
    assert run(flat, packet).packet[14:].hex() == "05000000" + "00000000" + "03000000"


def test_a_function_called_twice_keeps_two_return_values() -> None:
    functions = "bit<8> pick(in bit<8> v) { if (v > 3) return 1; return 2; }"
    body = "hd.h.c = pick(hd.h.a) * 16 + pick(hd.h.b);"
    check_bytes("a=05 b=00", "c=12", body, functions=functions)


def test_shadowing() -> None:
    body = "bit<8> x = 4; { bit<8> x = x + 1; hd.h.a = x; } hd.h.b = x;"
    check_bytes("", "a=05 b=04", body)


def test_an_instance_passed_to_two_callers() -> None:
    functions = """
    control A(inout bit<16> x) { apply { x = x + 1; } }
    control T(inout bit<16> x);
    control B(inout bit<16> x)(T c) { apply { x = x << 1; c.apply(x); } }
    control E(inout bit<16> x)(T c) { apply { x = x << 3; c.apply(x); } }
    """
    decl = "A() a; B(a) b; E(a) e;"
    body = "bit<16> v = 1; b.apply(v); e.apply(v); hd.h.a = v[7:0];"
    check_bytes("", "a=19", body, decl, functions=functions)


def test_a_sub_control_gets_its_own_variables_each_time() -> None:
    functions = """
    control A(inout bit<8> x) { bit<8> n = 3; apply { n = n + x; x = n; } }
    """
    check_bytes("a=01", "a=07", "s.apply(hd.h.a); s.apply(hd.h.a);", "A() s;", functions=functions)


def test_return_in_a_sub_control_returns_to_its_caller() -> None:
    functions = """
    control A(inout bit<8> x) { apply { if (x == 1) { return; } x = 9; } }
    """
    body = "A.apply(hd.h.a); A.apply(hd.h.b); hd.h.c = 1;"
    check_bytes("a=01 b=02", "b=09 c=01", body, functions=functions)


def test_exit_in_a_sub_control_ends_all() -> None:
    functions = "control A(inout bit<8> x) { apply { x = 9; exit; } }"
    check_bytes("a=01", "a=09", "A.apply(hd.h.a); hd.h.c = 1;", functions=functions)


def test_an_interrupted_assignment_does_not_happen() -> None:
    decl = """
    action s() { exit; }
    table t { actions = { s; } default_action = s(); }
    """
    check_bytes("a=01", "", "hd.h.a = t.apply().hit ? 8w5 : 8w6;", decl)


def test_a_function_that_returns_a_struct() -> None:
    functions = """
    struct Pair { bit<8> x; bit<8> y; }
    Pair swap(in Pair p) { return { p.y, p.x }; }
    """
    body = "Pair q = swap(swap(swap({ hd.h.a, hd.h.b }))); hd.h.a = q.x; hd.h.b = q.y;"
    check_bytes("a=01 b=02", "a=02 b=01", body, functions=functions)


def test_a_value_that_reads_its_own_target() -> None:
    check_bytes(
        "a=01 b=02 c=03 d=04", "a=04 b=03 c=02 d=01", "hd.h = { hd.h.d, hd.h.c, hd.h.b, hd.h.a };"
    )


def test_default_arguments_and_named_arguments() -> None:
    functions = "bit<8> f(in bit<8> a, in bit<8> b = 2) { return a * 16 + b; }"
    check_bytes(
        "a=03", "b=32 c=12", "hd.h.b = f(hd.h.a); hd.h.c = f(b = 2, a = 1);", functions=functions
    )
