"""Headers, stacks, unions and undefined values in the interpreter (sections 8.18 to 8.27)."""

from __future__ import annotations

import pytest
from interp_case import payload, program, run, send

UNION = "header X { bit<8> x; } header Y { bit<16> y; } header_union U { X x; Y y; }"
STACK = {"fields": "H4[3] st;", "emit": "p.emit(hd.st);"}


def is_undefined(body: str, decl: str = "", sent: str = "00000000", **parts: str) -> bool:
    return send(program(body, decl, **parts), sent).undefined_read


def test_a_header_in_a_struct_starts_invalid_and_a_list_makes_it_valid() -> None:
    assert run("hd.g = { 1, 2, 3, 4 };") == "0000000001020304"
    assert run("hd.g.a = 1;") == "00000000"


def test_a_field_of_an_invalid_header_cannot_be_set() -> None:
    body = "hd.h.setInvalid(); hd.h.a = 7; hd.h.setValid(); hd.h.b = 1; hd.h.c = 2; hd.h.d = 3;"
    assert is_undefined(body)
    assert not is_undefined(body + " hd.h.a = 9;")


def test_set_valid_keeps_the_fields_of_a_valid_header() -> None:
    assert run("hd.h.setValid();", "01020304") == "01020304"


def test_copying_a_header_copies_its_validity() -> None:
    assert run("hd.h = hd.g;", "01020304") == ""
    assert run("hd.g = hd.h;", "01020304") == "0102030401020304"


def test_the_copy_is_a_copy() -> None:
    assert run("H4 x = hd.h; x.a = 9; hd.g = x; x.b = 9;", "01020304") == "0102030409020304"


@pytest.mark.parametrize(
    ("change", "same"),
    [("", True), ("hd.g.d = 9;", False), ("hd.g.setInvalid();", False)],
)
def test_equality_of_headers(change: str, same: bool) -> None:
    body = f"hd.g = hd.h; {change} bool e = hd.g == hd.h; hd.g.setInvalid(); hd.h.a = e ? 8w1 : 0;"
    assert run(body, "05000000") == ("01000000" if same else "00000000")


def test_two_invalid_headers_are_equal_whatever_they_held() -> None:
    body = "H4 x = hd.h; hd.h.setInvalid(); x.setInvalid(); bool e = x == hd.h;"
    assert run(body + "hd.g = { e ? 8w1 : 0, 0, 0, 0 };", "05000000") == "01000000"


def test_one_header_of_a_union_is_valid_at_most() -> None:
    parts = {"types": UNION, "fields": "U u;", "emit": "p.emit(hd.u);"}
    assert run("hd.u.x = { 1 }; hd.u.y.setValid(); hd.u.y.y = 7;", **parts) == "000000000007"
    assert run("hd.u.x = { 1 }; hd.u.y.setInvalid();", **parts) == "00000000"
    assert run("hd.u.x = { 1 }; Y y; y.setInvalid(); hd.u.y = y;", **parts) == "00000000"
    body = "hd.u.x = { 1 }; U v = hd.u; hd.u = (U){#}; hd.h.a = hd.u.isValid() ? 8w1 : 0;"
    assert run(body + "hd.u = v;", **parts) == "0000000001"


def test_a_run_time_index_reads_and_writes_within_bounds_only() -> None:
    fill = "hd.st[0] = { 1, 0, 0, 0 }; hd.st[1] = { 2, 0, 0, 0 };"
    body = fill + "hd.st[hd.h.a].b = 9; hd.h.c = hd.st[hd.h.b].a;"
    assert run(body, "00010000", **STACK) == "00010200" + "01090000" + "02000000"
    assert run(fill + "hd.st[hd.h.a].b = 9;", "07000000", **STACK)[8:] == "0100000002000000"
    assert is_undefined(fill + "hd.h.c = hd.st[hd.h.a].a;", sent="03000000", **STACK)


def test_a_negative_index_is_out_of_bounds() -> None:
    fill = "hd.st[2] = { 3, 0, 0, 0 };"
    body = fill + "hd.st[(int<8>) hd.h.a].b = 9;"
    assert run(body, "ff000000", **STACK) == "ff000000" + "03000000"


def test_set_valid_outside_of_a_stack_changes_nothing() -> None:
    assert run("hd.st[hd.h.a].setValid();", "05000000", **STACK) == "05000000"


def test_push_and_pop_shift_and_invalidate() -> None:
    fill = "hd.st[0] = { 1, 0, 0, 0 }; hd.st[1] = { 2, 0, 0, 0 };"
    assert run(fill + "hd.st.push_front(1); hd.st[0] = hd.h;", "09000000", **STACK) == (
        "09000000" + "09000000" + "01000000" + "02000000"
    )
    assert run(fill + "hd.st.push_front(2);", **STACK) == "00000000" + "01000000"
    assert run(fill + "hd.st.pop_front(1);", **STACK) == "00000000" + "02000000"
    assert run(fill + "hd.st.pop_front(9);", **STACK) == "00000000"


@pytest.mark.parametrize(
    "body",
    [
        "bit<8> x; hd.h.a = x;",
        "bit<8> x; if (x == 0) { hd.h.a = 1; }",
        "bit<8> x; hd.h.a = x + 1;",
        "hd.h.a = hd.g.a;",
        "hd.g.setValid();",
        "bit<8> x; x[3:0] = 1; hd.h.a = x;",
        "bit<8> x; switch (x) { 1: { hd.h.a = 1; } }",
    ],
)
def test_an_undefined_value_that_matters_is_marked(body: str) -> None:
    assert is_undefined(body)


@pytest.mark.parametrize(
    "body",
    [
        "bit<8> x; bit<8> y = x;",
        "bit<8> x; x = 1; hd.h.a = x;",
        "hd.g.setValid(); hd.g = hd.h;",
        "H4 x = hd.g; hd.g = x;",
        "bit<8> x; x[3:0] = 1; hd.h.a[3:0] = x[7:0][3:0]; hd.h.a = 1;",
        "bit<8> x; bool b = false && x == 0; if (b) { hd.h.a = 1; }",
    ],
)
def test_an_undefined_value_that_does_not_matter_is_not_marked(body: str) -> None:
    assert not is_undefined(body)


def test_an_undefined_key_matters_where_an_entry_asks_for_it() -> None:
    assert is_undefined("t.apply();", _table("ternary", "5 &&& 5"))
    assert not is_undefined("t.apply();", _table("ternary", "_"))
    assert not is_undefined("t.apply();", _table("lpm", "0 &&& 0"))
    outcome = send(program("t.apply();", _table("ternary", "_")), "00000000")
    assert payload(outcome) == "01000000"


def _table(kind: str, entry: str) -> str:
    return (
        "action a() { hd.h.a = 1; }"
        f"table t {{ key = {{ hd.g.a : {kind}; }} actions = {{ a; NoAction; }}"
        f" const entries = {{ {entry} : a(); }} }}"
    )


def test_out_parameters_start_undefined_and_their_headers_invalid() -> None:
    functions = "void f(out H4 x, out bit<8> y) { }"
    assert run("bit<8> y; f(hd.h, y);", functions=functions) == ""
    assert is_undefined("f(hd.g, hd.h.a);", functions=functions)


def test_wide_and_odd_fields() -> None:
    types = "header Wide { bit<7> a; int<130> b; bool c; bit<6> d; }"
    body = "hd.w = { 0x55, -2, true, 0x2a };"
    found = run(body, types=types, fields="Wide w;", emit="p.emit(hd.w);")
    bits = (0x55 << 137) | (((1 << 130) - 2) << 7) | (1 << 6) | 0x2A
    assert found == "00000000" + bits.to_bytes(18, "big").hex()


def test_default_values() -> None:
    types = "enum bit<8> E { one = 1, two = 2 } struct S { bit<8> x; E e; bool b; H4 h; }"
    body = """S s = { 5, ... }; hd.h.a = s.x; hd.h.b = (bit<8>) s.e;
    hd.h.c = s.b ? 8w1 : 2; hd.h.d = s.h.isValid() ? 8w1 : 2;"""
    assert run(body, types=types) == "05000202"
