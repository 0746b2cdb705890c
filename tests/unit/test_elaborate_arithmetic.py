"""Numbers: widths, signs, slices, casts (sections 8.6 to 8.11, cases E)."""

from __future__ import annotations

import pytest
from flat_machine import run
from p4_case import ETH, check_bytes, fields_of, program


def port(expression: str, given: str = "", kind: str = "bit<32>", functions: str = "") -> int:
    """Return the value of an expression over hd.h, sent as the output port."""
    body = f"{kind} v = {expression}; o.output_port = (bit<32>) v;"
    flat = program(body, functions=functions)
    return run(flat, ETH + fields_of(given)).port


@pytest.mark.parametrize("amount", ["08", "1f", "20", "40", "ff"])
def test_shifts_by_the_width_or_more(amount: str) -> None:
    body = "hd.h.b = hd.h.a << hd.h.c; hd.h.d = hd.h.a >> hd.h.c;"
    check_bytes(f"a=81 b=01 c={amount} d=01", "b=00 d=00", body)
    body = "hd.h.b = (bit<8>) ((int<8>) hd.h.a >> hd.h.c);"
    check_bytes(f"a=80 c={amount}", "b=ff", body)


def test_shift_amounts_do_not_add_up() -> None:
    body = "bit<64> v = 0xffff; v = (v >> 8w200) >> 8w100; hd.h.b = v[7:0];"
    check_bytes("b=01", "b=00", body)
    check_bytes("a=81", "b=01", "hd.h.b = hd.h.a >> 7;")
    check_bytes("a=81", "b=00", "hd.h.b = hd.h.a >> 256;")


@pytest.mark.parametrize(
    ("body", "given", "wanted"),
    [
        ("bit<3> x = hd.h.a[2:0]; x = x + 1; hd.h.b = (bit<8>) x;", "a=07", "b=00"),
        ("bit<3> x = hd.h.a[2:0]; if (x + 1 == 0) hd.h.b = 1;", "a=07", "b=01"),
        ("bit<3> x = hd.h.a[2:0]; if (~x == 2) hd.h.b = 1;", "a=05", "b=01"),
        ("bit<3> x = hd.h.a[2:0]; if (-x == 3) hd.h.b = 1;", "a=05", "b=01"),
        ("bit<3> x = hd.h.a[2:0]; if (x * x == 1) hd.h.b = 1;", "a=07", "b=01"),
        ("if (hd.h.a + hd.h.b == 44) hd.h.c = 1;", "a=c8 b=64", "c=01"),
        ("hd.h.d = ((bit<16>) (hd.h.a + hd.h.b))[15:8];", "a=c8 b=64", "d=00"),
        ("hd.h.b = 8w255 == -1 ? 8w1 : 0;", "", "b=01"),
        ("hd.h.b = hd.h.a |+| 100;", "a=c8", "b=ff"),
        ("hd.h.b = hd.h.a |-| 9;", "a=05", "b=00"),
        ("hd.h.b = (bit<8>) ((int<8>) hd.h.a |+| 100);", "a=64", "b=7f"),
        ("hd.h.b = (bit<8>) ((int<8>) hd.h.a |-| 100);", "a=9c", "b=80"),
        ("hd.h.b = (bit<8>) (hd.h.a[3:0] |+| 4w9);", "a=08", "b=0f"),
        ("hd.h.b = (hd.h.a ++ hd.h.c)[11:4];", "a=12 c=34", "b=23"),
        ("hd.h.a[5:2] = hd.h.b[3:0];", "a=ff b=06", "a=db"),
        ("hd.h.a[7:4][1:0] = 2w1;", "a=ff", "a=df"),
        ("hd.h.a[0:0] = hd.h.b[7:7];", "a=00 b=80", "a=01"),
        ("hd.h.a[hd.h.b +: 4] = 4w0;", "a=ff b=02", "a=c3"),
        ("hd.h.a[hd.h.b +: 4] = 4w0;", "a=ff b=06", "a=3f"),
        ("hd.h.c = (bit<8>) hd.h.a[hd.h.b +: 4];", "a=b4 b=02", "c=0d"),
        ("hd.h.a += hd.h.b; hd.h.c |= 3; hd.h.d <<= 1;", "a=ff b=02 c=80 d=81", "a=01 c=83 d=02"),
        ("hd.h.a[3:0] += 1;", "a=1f", "a=10"),
        ("if ((int<8>) hd.h.a < 0) hd.h.b = 1;", "a=80", "b=01"),
        ("if (hd.h.a > 0x7f) hd.h.b = 1;", "a=80", "b=01"),
        ("if ((int<8>) hd.h.a >= -128) hd.h.b = 1;", "a=80", "b=01"),
        ("hd.h.b = (bit<8>) (bit<1>) (hd.h.a == 5);", "a=05", "b=01"),
        ("if ((bool) hd.h.a[1:1]) hd.h.b = 1;", "a=02", "b=01"),
        ("if (hd.h.a & hd.h.b == hd.h.c) hd.h.d = 1;", "a=06 b=03 c=02", "d=01"),
    ],
)
def test_values(body: str, given: str, wanted: str) -> None:
    check_bytes(given, wanted, body)


def test_casts_extend_by_the_sign_of_the_source() -> None:
    assert port("(bit<16>) (int<16>) (int<8>) hd.h.a", "a=ff", "bit<16>") == 0xFFFF
    assert port("(bit<16>) hd.h.a", "a=ff", "bit<16>") == 0xFF
    assert port("(bit<16>) ((int<8>) hd.h.a ++ hd.h.b)", "a=ff b=01", "bit<16>") == 0xFF01


def test_constants_fold_before_they_are_cast() -> None:
    body = "bit<((10 == 1 ? 1 : 10 + 1) * (8 + 1))> f; f = 1; f = f << 98; hd.h.a = f[98:91];"
    check_bytes("", "a=80", body)


def test_wide_values() -> None:
    body = "bit<128> v = 1; v = v << 127; v = v | 1; hd.h.a = v[127:120]; hd.h.b = v[7:0];"
    check_bytes("", "a=80 b=01", body)
    body = "bit<100> v = 7; v = v |-| 9; bit<100> w = 0; w = w - 1; hd.h.a = (bit<8>) (v |+| w);"
    check_bytes("", "a=ff", body)


def test_a_serialisable_enum_keeps_an_unknown_value() -> None:
    parts = {
        "types": "enum bit<8> K { One = 1, Two = 2 } header E8 { K k; }",
        "fields": "E8 e;",
        "parse": "p.extract(hd.e);",
        "emit": "p.emit(hd.e);",
    }
    body = """
    if (hd.e.k == K.Two) hd.h.a = 1;
    hd.h.b = (bit<8>) hd.e.k;
    if (hd.e.k == (K) 9) hd.h.c = 1;
    """
    flat = program(body, **parts)
    packet = ETH + fields_of("")
    assert run(flat, packet + b"\x02").packet[14:].hex() == "0102000002"
    assert run(flat, packet + b"\x09").packet[14:].hex() == "0009010009"


def test_a_type_of_its_own_and_bit_0() -> None:
    functions = "type bit<8> Id; "
    body = """
    Id x = (Id) hd.h.a; bit<8> y = (bit<8>) x; hd.h.b = y;
    bit<0> z = 0; if (z == 0) hd.h.c = 1;
    """
    check_bytes("a=05", "b=05 c=01", body, functions=functions)


def test_externs_of_the_model() -> None:
    body = """
    hd.h.a = csum_replace2(0xfffe, 0, 1)[15:8];
    bit<16> sum = csum_replace4(16w0, 32w0x00010002, 32w0x00010003);
    hd.h.b = sum[15:8]; hd.h.c = sum[7:0];
    bit<16> whole = ebpf_ipv4_checksum(4, 5, 0, 0x73, 0, 2, 0, 0x40, 0x11, 0xc0a80001, 0xc0a800c7);
    hd.h.d = whole[15:8];
    """
    # RFC 1624: HC' = ~(~HC + ~m + m'); the header is the usual worked example, checksum b861.
    check_bytes("", "a=ff b=ff c=fe d=b8", body)


def test_ktime_is_the_low_half() -> None:
    assert port("BPF_KTIME_GET_NS()") == 0x23456789


def test_loops_are_unrolled() -> None:
    check_bytes("a=01", "a=0b", "for (bit<8> i = 0; i < 5; i += 1) { hd.h.a += i; }")
    check_bytes("a=00", "a=06", "for (bit<8> i in 1 .. 3) { hd.h.a += i; }")
    body = "for (bit<8> i in 1 .. 9) { if (i == hd.h.b) break; if (i == 2) continue; hd.h.a += i; }"
    check_bytes("a=00 b=04", "a=04", body)
    check_bytes("a=00 b=0a", "a=2b", body)


@pytest.mark.parametrize("count", [0, 1, 7, 255])
def test_loops_to_a_run_time_end(count: int) -> None:
    given, wanted = f"a=00 b={count:02x}", f"a={count & 0xFF:02x}"
    check_bytes(given, wanted, "for (bit<8> i = 0; i < hd.h.b; i += 1) { hd.h.a += 1; }")
    body = "for (bit<8> i in 1 .. hd.h.b) { hd.h.a += 1; hd.h.b = 0; }"
    check_bytes(given, wanted + " b=00" if count else wanted, body)


def test_loops_with_signed_bounds() -> None:
    body = "int<8> n = 0; for (int<8> i in -2 .. (int<8>) hd.h.b) { n += i; } hd.h.a = (bit<8>) n;"
    check_bytes("b=ff", "a=fd", body)
    check_bytes("b=03", "a=03", body)
    check_bytes("b=80", "a=00", body)


def test_a_loop_over_a_variable_that_lives_on() -> None:
    body = "bit<8> i = 9; for (i = 0; i < 7; i = i + 3) { hd.h.b += i; } hd.h.a = i;"
    check_bytes("", "a=09 b=09", body)
    body = "bit<8> i = 9; for (i = 0; i < 7; i = i + 3) { if (i == hd.h.c) break; } hd.h.a = i;"
    check_bytes("c=03", "a=03", body)


def test_a_loop_inside_a_loop() -> None:
    body = "for (bit<8> i in 0 .. 2) { for (bit<8> j in i .. 2) { hd.h.a += 1; } }"
    check_bytes("", "a=06", body)


def test_a_loop_over_a_list_or_stack_is_over_its_first_values() -> None:
    body = "for (bit<8> v in (list<bit<8>>) { 1, 2, 3 }) { hd.h.a += v; }"
    check_bytes("", "a=06", body)
    body = """
    H4[2] st; st[0] = { 1, 0, 0, 0 }; st[1] = { 2, 0, 0, 0 };
    for (H4 v in st) { st[1].a = 9; v.a = v.a + 1; hd.h.a += v.a; }
    """
    check_bytes("", "a=05", body)
