"""pack_headers: which headers become one variable, and what becomes of their fields."""

from __future__ import annotations

from dataclasses import replace

from make import BOOL, EMPTY, expected, header, num, op, put, state, text, var

from p4xdp.midend.ir import Assign, Body, Emit, Expr, Extract, Header, Program, Stmt, Trace, Var
from p4xdp.midend.passes.pack_headers import pack_headers
from p4xdp.midend.verify import verify

FIELDS = ("label", 20), ("bottom", 1), ("truth", BOOL), ("rest", 2), ("ttl", 8)
A, B, C = (header(f"hd.s[{i}]", *FIELDS) for i in range(3))
WIDE = header("hd.w", ("a", 64), ("b", 8))
X = var("x")


def f(of: Header, name: str) -> Var:
    return next(item.var for item in of.fields if item.name == name)


def copy(target: Header, source: Header) -> tuple[Stmt, ...]:
    pairs = zip(target.fields, source.fields, strict=True)
    fields = tuple(Assign(to.var, value.var) for to, value in pairs)
    return (put(target.valid, source.valid), *fields)


def packed(*control: Stmt) -> Program:
    flat = replace(
        EMPTY,
        headers=(A, B, C, WIDE),
        parser=(state("start", Extract("hd.s[0]"), Extract("hd.s[1]")),),
        control=control,
        deparser=(Emit("hd.s[0]"),),
    )
    verify(flat)
    after = pack_headers(flat)
    verify(after)
    return after


def whole(program: Program) -> list[str]:
    return [h.name for h in program.headers if h.fields[0].name == "$all"]


def test_headers_that_shift_are_copied_as_a_whole() -> None:
    after = packed(*copy(A, B), *copy(B, C))
    assert whole(after) == ["hd.s[0]", "hd.s[1]", "hd.s[2]"]
    assert text(after.control) == expected("""
        hd.s[0].$valid = hd.s[1].$valid;
        hd.s[0].$all = hd.s[1].$all;
        hd.s[1].$valid = hd.s[2].$valid;
        hd.s[1].$all = hd.s[2].$all;
    """)


def test_a_field_that_is_read_is_a_slice() -> None:
    after = packed(*copy(A, B), put(X, f(A, "ttl")), put(var("t", BOOL), f(A, "truth")))
    assert text(after.control[-2:]) == expected("""
        x = hd.s[0].$all[7:0];
        t = bool(hd.s[0].$all[10:10]);
    """)


def test_a_header_with_a_field_set_alone_keeps_its_fields() -> None:
    after = packed(*copy(A, B), *copy(B, C), put(f(A, "ttl"), num(1)))
    assert whole(after) == ["hd.s[1]", "hd.s[2]"]
    rows = text(after.control).splitlines()
    assert rows[1] == "hd.s[0].label = hd.s[1].$all[31:12];"
    assert rows[-1] == "hd.s[0].ttl = 8w1;"


def set_to(target: Header, *values: Expr) -> tuple[Stmt, ...]:
    return tuple(put(item.var, v) for item, v in zip(target.fields, values, strict=True))


def test_a_header_that_is_computed_keeps_its_fields() -> None:
    values = num(5, 20), num(1, 1), num(1, BOOL), num(0, 2), X
    assert whole(packed(*copy(A, B), Trace("."), *set_to(A, *values))) == []


def test_a_copied_header_may_be_set_to_constants() -> None:
    values = num(5, 20), num(1, 1), num(1, BOOL), num(0, 2), num(7)
    after = packed(*copy(A, B), Trace("."), *set_to(A, *values))
    assert whole(after) == ["hd.s[0]", "hd.s[1]"]
    assert text(after.control[-1:]) == "hd.s[0].$all = 32w0x5c07;\n"


def test_nothing_happens_without_a_copy_as_a_whole() -> None:
    flat = packed(put(X, f(A, "ttl")))
    assert whole(flat) == []
    assert flat.control == (put(X, f(A, "ttl")),)


def test_wide_headers_keep_their_fields() -> None:
    other = replace(WIDE, name="hd.v")
    body: Body = tuple(Assign(i.var, i.var) for i in other.fields)
    assert whole(packed(*body)) == []


def test_what_stands_between_the_fields_may_not_matter() -> None:
    first, *others = copy(A, B)[1:]
    beside = put(X, op(X, "+", num(1)))
    assert "hd.s[0]" in whole(packed(first, beside, *others))
    reads = put(X, f(A, "ttl"))
    assert "hd.s[0]" not in whole(packed(first, reads, *others))
    changes = put(f(B, "label"), num(1, 20))
    assert "hd.s[0]" not in whole(packed(first, *others[:-1], changes, others[-1]))
