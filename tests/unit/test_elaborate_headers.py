"""Headers, validity, stacks and unions (sections 8.17 to 8.19, cases C)."""

from __future__ import annotations

import pytest
from flat_machine import Outcome, run
from p4_case import ETH, check_bytes, fields_of, program, sent

STACK = {
    "fields": "H4[3] st;",
    "parse": "p.extract(hd.st.next); p.extract(hd.st.next);",
    "emit": "p.emit(hd.st);",
}
UNION = {
    "types": "header X { bit<8> x; } header Y { bit<16> y; } header_union U { X x; Y y; }",
    "fields": "U u;",
    "emit": "p.emit(hd.u);",
}


def rest(outcome: Outcome) -> str:
    """Return what was sent behind Ethernet and h, in hex."""
    assert outcome.error is None
    return outcome.packet[18:].hex()


def with_stack(body: str, given: str = "", decl: str = "") -> str:
    packet = ETH + fields_of(given) + bytes.fromhex("e0000000e1000000")
    return rest(run(program(body, decl, **STACK), packet))


def test_copying_a_header_copies_validity() -> None:
    body = "H4 x; x = hd.h; x.a = 2; if (x.isValid()) hd.h.b = x.a;"
    check_bytes("a=05", "b=02", body)


def test_an_uninitialised_local_header_is_invalid() -> None:
    body = "H4 x; if (x.isValid()) hd.h.a = 1; else hd.h.a = 2;"
    check_bytes("", "a=02", body)


def test_a_list_makes_valid_and_fields_do_not() -> None:
    assert rest(sent("", "hd.g = { 1, 2, 3, 4 };")) == "01020304" + b"tail".hex()
    assert rest(sent("", "hd.g.a = 1;")) == b"tail".hex()


def test_assigning_an_invalid_header_makes_invalid() -> None:
    assert sent("a=01", "hd.h = hd.g;").packet == ETH + b"tail"
    assert sent("a=01", "hd.h = {#};").packet == ETH + b"tail"


def test_an_out_header_begins_invalid() -> None:
    assert sent("a=01", "t(hd.h);", "action t(out H4 x) { }").packet == ETH + b"tail"


def test_set_valid_in_an_action() -> None:
    decl = "action t(inout H4 x) { x.setValid(); x.a = 7; x.b = 0; x.c = 0; x.d = 0; }"
    assert rest(sent("", "t(hd.g);", decl)) == "07000000" + b"tail".hex()
    assert sent("", "hd.h.setInvalid();").packet == ETH + b"tail"


@pytest.mark.parametrize(
    ("before", "condition", "holds"),
    [
        ("hd.h.setInvalid();", "hd.h == hd.g", True),
        ("", "hd.h == hd.g", False),
        ("", "hd.h != hd.g", True),
        ("hd.g = hd.h;", "hd.h == hd.g", True),
        ("hd.g = hd.h; hd.g.d = 1;", "hd.h == hd.g", False),
        ("", "hd.g == {#}", True),
        ("", "hd.h == {#}", False),
        ("", "hd.h == { 5, 0, 0, 0 }", True),
        ("", "hd.h == (H4){ 5, 0, 0, 1 }", False),
    ],
)
def test_equality_of_headers(before: str, condition: str, holds: bool) -> None:
    body = f"{before} bit<32> v = 6; if ({condition}) v = 7; o.output_port = v;"
    assert sent("a=05", body).port == (7 if holds else 6)


def test_equality_of_structs_and_tuples() -> None:
    functions = "struct S { bit<8> x; H4 h; } "
    body = """
    S s = { hd.h.a, hd.h }; S t = s; t.h.d = 9;
    tuple<bit<8>, bool> u = { hd.h.a, true };
    if (s != t) hd.h.b = 1;
    if (u == { hd.h.a, true }) hd.h.c = 1;
    hd.h.d = u[0];
    """
    check_bytes("a=05", "b=01 c=01 d=05", body, functions=functions)


def test_push_front_and_pop_front() -> None:
    assert with_stack("hd.st.push_front(1);") == "e0000000e1000000"
    assert with_stack("hd.st.push_front(1); hd.st[0] = { 1, 2, 3, 4 };") == (
        "01020304e0000000e1000000"
    )
    assert with_stack("hd.st.push_front(2);") == "e0000000"
    assert with_stack("hd.st.push_front(5);") == ""
    assert with_stack("hd.st.pop_front(1);") == "e1000000"
    assert with_stack("hd.st.pop_front(5);") == ""
    assert with_stack("hd.st.pop_front(1); if (hd.st[0].a == 0xe1) hd.st[0].b = 1;") == "e1010000"


def test_a_run_time_index() -> None:
    assert with_stack("hd.st[hd.h.a].b = hd.h.b;", "a=01 b=77") == "e0000000e1770000"
    assert with_stack("hd.st[hd.h.a].b = hd.h.b;", "a=00 b=77") == "e0770000e1000000"
    assert with_stack("hd.st[0].d = hd.st[hd.h.a].a;", "a=01") == "e00000e1e1000000"


def test_a_run_time_index_out_of_range_writes_nothing() -> None:
    for index in ("03", "ff"):
        given = f"a={index} b=77"
        assert with_stack("hd.st[hd.h.a].b = hd.h.b;", given) == "e0000000e1000000"
        assert with_stack("hd.st[hd.h.a].setInvalid();", given) == "e0000000e1000000"
        assert with_stack("hd.st[hd.h.a] = { 1, 2, 3, 4 };", given) == "e0000000e1000000"


def test_set_valid_with_a_run_time_index() -> None:
    assert with_stack("hd.st[hd.h.a].setInvalid();", "a=00") == "e1000000"


def test_an_indexed_element_passed_inout_keeps_its_place() -> None:
    functions = "void f(inout bit<8> x, inout bit<8> y) { x = x + 1; y = y + 1; }"
    stack = {**STACK, "functions": functions}
    packet = ETH + fields_of("a=00") + bytes.fromhex("e0000000e1000000")
    outcome = run(program("f(hd.st[hd.h.a].a, hd.h.a);", **stack), packet)
    assert outcome.packet[14:].hex() == "01000000e1000000e1000000"


def test_assigning_a_stack_copies_its_elements() -> None:
    body = "H4[3] other; other = hd.st; hd.st.pop_front(2); if (hd.st != other) hd.st = other;"
    assert with_stack(body) == "e0000000e1000000"


def test_setting_one_member_of_a_union_invalidates_the_others() -> None:
    body = "hd.u.x.setValid(); hd.u.x.x = 5; hd.u.y.setValid(); hd.u.y.y = 0x1234;"
    assert rest(sent("", body, **UNION)) == "1234" + b"tail".hex()


def test_set_invalid_of_one_member_invalidates_the_union() -> None:
    body = "hd.u.x = { 5 }; hd.u.y.setInvalid();"
    assert rest(sent("", body, **UNION)) == b"tail".hex()


def test_assigning_a_member_of_a_union() -> None:
    body = "hd.u.x = { 5 }; hd.u.y = { 0x1234 }; if (hd.u.isValid()) hd.h.a = 1;"
    assert rest(sent("", body, **UNION)) == "1234" + b"tail".hex()
    body = "hd.u.x = { 5 }; X v; hd.u.x = v; if (!hd.u.isValid()) hd.h.a = 1;"
    check_bytes("", "a=01", body, **UNION)


def test_assigning_a_union_copies_all_of_it() -> None:
    body = "U v; hd.u.x = { 5 }; v = hd.u; hd.u.y = { 0x1234 }; if (v != hd.u) hd.u = v;"
    assert rest(sent("", body, **UNION)) == "05" + b"tail".hex()


def test_a_union_member_passed_inout_is_assigned() -> None:
    decl = "action t(inout X v) { v.setValid(); v.x = 6; }"
    body = "hd.u.y = { 0x1234 }; t(hd.u.x);"
    assert rest(sent("", body, decl, **UNION)) == "06" + b"tail".hex()


def test_writing_a_field_of_an_invalid_header_changes_nothing_else() -> None:
    body = "hd.g.a = 9; if (hd.g.isValid()) hd.h.b = 1;"
    check_bytes("a=05", "", body)


def test_a_struct_inside_a_header_and_a_nested_struct_of_headers() -> None:
    types = """
    struct In { bit<4> p; bit<4> q; }
    header N { In i; bool b; bit<7> r; }
    struct Deep { N n; }
    """
    parts = {
        "types": types,
        "fields": "Deep deep;",
        "parse": "p.extract(hd.deep.n);",
        "emit": "p.emit(hd.deep);",
    }
    body = "hd.deep.n.i.p = hd.deep.n.i.q; if (hd.deep.n.b) hd.deep.n.r = 1;"
    outcome = run(program(body, **parts), ETH + fields_of("") + bytes.fromhex("5a80"))
    assert rest(outcome) == "aa81"
    outcome = run(program(body, **parts), ETH + fields_of("") + bytes.fromhex("5a05"))
    assert rest(outcome) == "aa05"


def test_emit_of_a_tuple_a_local_and_the_same_header_twice() -> None:
    emit = "p.emit(hd.h); H4 x = { 1, 2, 3, 4 }; p.emit(x); if (hd.h.a == 5) { p.emit(hd.h); }"
    assert rest(sent("a=05", "", emit=emit)) == "05000000" + "01020304" + "05000000" + b"tail".hex()


def test_the_default_value() -> None:
    body = "hd.h = { a = 7, ... }; H4 x = ...; if (!x.isValid()) hd.h.b = 3;"
    check_bytes("a=01 b=02 c=03 d=04", "a=07 b=03 c=00 d=00", body)


def test_a_field_named_valid() -> None:
    parts = {"types": "header V { bit<8> valid; }", "fields": "V v;", "emit": "p.emit(hd.v);"}
    assert rest(sent("", "hd.v.valid = 1;", **parts)) == b"tail".hex()
    assert rest(sent("", "hd.v.setValid(); hd.v.valid = 0;", **parts)) == "00" + b"tail".hex()
