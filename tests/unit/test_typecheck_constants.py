"""Compile-time evaluation: the values are those of section 8 of the P4 specification."""

from __future__ import annotations

import pytest
from typed_text import constant, errors_of, value

from p4xdp.frontend import typed
from p4xdp.frontend.types import Basic, Bit, Int, SerializableEnum


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("bit<8> x = 10", 10),
        ("bit<8> x = 256", 0),
        ("bit<8> x = -1", 255),
        ("int<8> x = 128", -128),
        ("int<2> x = 2s3", -1),
        ("bit<1> x = 1w10", 0),
        ("int x = 2 + 3 * 4 - 1", 13),
        ("int x = 7 / 2 * 2 + 7 % 2", 7),
        ("int x = -5 >> 1", -3),
        ("int x = 1 << 100", 1 << 100),
        ("int x = (1 << 100) >> 99", 2),
        ("bit<8> x = 8w200 + 100", 44),
        ("bit<8> x = 8w200 |+| 100", 255),
        ("bit<8> x = 8w5 |-| 9", 0),
        ("int<8> x = 8s100 |+| 100", 127),
        ("int<8> x = -8s100 |-| 100", -128),
        ("bit<3> x = 3w7 + 3w2", 1),
        ("bit<7> x = 7w100 |+| 7w100", 127),
        ("bit<8> x = 8w16 * 17", 16),
        ("bit<8> x = -8w1", 255),
        ("bit<8> x = ~8w0xF0", 0x0F),
        ("int<8> x = -8s128", -128),
        ("bit<8> x = 8w1 << 16w256", 0),
        ("bit<8> x = 8w0x81 >> 1", 0x40),
        ("int<8> x = -8s127 >> 1", -64),
        ("int<8> x = -8s128 >> 200", -1),
        ("int<8> x = 8s64 << 1", -128),
        ("bit<8> x = (bit<8>) 16w0x1234", 0x34),
        ("bit<16> x = (bit<16>) 8w0xFF", 0xFF),
        ("int<16> x = (int<16>) (int<8>) 8w255", -1),
        ("bit<8> x = (bit<8>) -8s1", 255),
        ("int x = (int) -8s1", -1),
        ("bit<12> x = 4w1 ++ 8w0x23", 0x123),
        ("int<12> x = -4s1 ++ 8w0x23", -221),
        ("bit<12> x = 4w1 ++ -8s1", 0x1FF),
        ("bit<3> x = 8w0x36[2:0]", 6),
        ("bit<2> x = 8w0x36[2:1]", 3),
        ("bit<4> x = (-1)[3:0]", 15),
        ("bit<3> x = 8w0x36[1+:3]", 3),
        ("bit<8> x = 8w0xF0 & 8w0x3C | 8w1 ^ 8w3", 0x32),
        ("bit<8> x = true ? 8w1 : 8w2", 1),
        ("int x = 3 > 2 ? 5 : 6", 5),
    ],
)
def test_numbers(text: str, wanted: int) -> None:
    found = constant(text)
    assert isinstance(found, typed.Literal)
    assert found.value == wanted
    assert type(found.value) is int


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("8w255 == -1", True),
        ("8w0 < 8w255", True),
        ("8s0 < -8s1", False),
        ("1 == 1 && !(2 >= 3)", True),
        ("false || 1 != 1", False),
        ("error.NoError == error.PacketTooShort", False),
        ("exact != ternary", True),
        ("(bool) 1w1", True),
        ("(bool) 0", False),
    ],
)
def test_truth(text: str, wanted: bool) -> None:
    found = constant(f"bool x = {text}")
    assert isinstance(found, typed.Literal)
    assert found.value is wanted


def test_widths_are_computed() -> None:
    found = constant("bit<((10 == 1 ? 1 : 10 + 1) * (8 + 1))> x = 1")
    assert found.type == Bit(99)


def test_constants_of_constants() -> None:
    prelude = """
const bit<8> A = 5;
struct S { bit<8> x; tuple<bit<8>, bool> t; }
const S s = { t = { A + 1, true }, x = A };
const bit<8> B = s.t[0] + s.x;
"""
    found = constant("bit<(B)> x = 0", prelude)
    assert found.type == Bit(11)


def test_struct_equality() -> None:
    prelude = "struct S { bit<8> x; bit<8> y; } const S s = { 1, 2 };"
    assert constant("bool x = s == (S) { y = 2, x = 1 }", prelude) == typed.Literal(
        True, Basic.BOOL
    )
    assert constant("bool x = s != { 1, 3 }", prelude) == typed.Literal(True, Basic.BOOL)


def test_strings_are_joined() -> None:
    assert constant('string x = "a" ++ "b" ++ "c"') == typed.Literal("abc", Basic.STRING)


def test_serialisable_enums_are_numbers() -> None:
    prelude = "enum bit<16> Kind { low = 1, high = low_value + 1 }"
    prelude = f"const bit<16> low_value = 0x8000; {prelude}"
    kind = SerializableEnum("Kind", Bit(16), (("low", 1), ("high", 0x8001)))
    assert constant("Kind x = Kind.high", prelude) == typed.Literal(0x8001, kind)
    assert constant("bit<16> x = Kind.high + 1", prelude) == typed.Literal(0x8002, Bit(16))
    assert constant("bit<24> x = Kind.low ++ 8w1", prelude) == typed.Literal(0x101, Bit(24))
    assert constant("Kind x = (Kind) 16w7", prelude) == typed.Literal(7, kind)


def test_sizes_of_types_and_values() -> None:
    prelude = """
header V { bit<4> a; varbit<20> v; int<4> i; }
header_union U { V v; }
struct S { V[2] stack; bool b; }
"""
    assert constant("int x = V.minSizeInBits()", prelude) == typed.Literal(8, Basic.INT)
    assert constant("int x = V.maxSizeInBits()", prelude) == typed.Literal(28, Basic.INT)
    assert constant("int x = V.maxSizeInBytes()", prelude) == typed.Literal(4, Basic.INT)
    assert constant("int x = S.maxSizeInBits()", prelude) == typed.Literal(57, Basic.INT)
    found = value("(bit<8>) h.minSizeInBytes()")
    assert found == typed.Literal(6, Bit(8))


def test_stack_size_is_known() -> None:
    prelude = "header V { bit<8> a; } const int N = 3;"
    local = "V[N] stack; const bit<32> last = stack.size - 1;"
    text = f"{prelude} control C() {{ {local} bit<(last)> x; apply {{ }} }}"
    assert errors_of(text) == ()


def test_short_circuit_keeps_what_runs() -> None:
    prelude = "extern bool f();"
    assert value("false && f() ? 8w1 : 2", prelude=prelude) == typed.Literal(2, Bit(8))
    kept = value("f() && false", "bool", prelude)
    assert isinstance(kept, typed.Binary)


def test_default_values() -> None:
    prelude = "struct S { bit<8> x; bool b; }"
    found = constant("S x = { b = true, ... }", prelude)
    assert isinstance(found, typed.StructLiteral)
    assert found.fields == (
        ("b", typed.Literal(True, Basic.BOOL)),
        ("x", typed.DefaultValue(Bit(8))),
    )


def test_static_assert_is_a_constant() -> None:
    assert constant("bool x = static_assert(Bits == 8)", "const int Bits = 8;") == typed.Literal(
        True, Basic.BOOL
    )


def test_new_types_keep_their_name() -> None:
    found = constant("Port x = (Port) 511", "type bit<9> Port;")
    assert str(found.type) == "Port"
    assert isinstance(found, typed.Literal)
    assert found.value == 511


def test_int_has_no_run_time() -> None:
    (error,) = errors_of("control C() { apply { int x = 5; } }")
    assert error.code == "bad-type"
    assert constant("int<9> x = -256").type == Int(9)


@pytest.mark.parametrize(
    ("text", "wanted"), [("Port x = 5", 5), ("Inner x = 300", 44), ("Port x = (Port)8w7", 7)]
)
def test_number_of_a_type_that_type_makes(text: str, wanted: int) -> None:
    prelude = "type bit<8> Port; type Port Inner;"
    found = constant(text, prelude)
    assert isinstance(found, typed.Literal)
    assert found.value == wanted


def test_only_an_int_becomes_a_type_unasked() -> None:
    (error,) = errors_of("type bit<8> Port; const Port x = 8w5;")
    assert error.code == "type-mismatch"
