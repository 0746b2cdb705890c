"""Test files: every statement, and what is said of a wrong line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from p4xdp.diagnostics import CompileError
from p4xdp.runtime.requests import (
    ActionCall,
    AddEntry,
    AddSession,
    Argument,
    AssociateNode,
    CreateGroup,
    CreateNode,
    DeleteSession,
    Inspect,
    KeyMatch,
    MeterRate,
    Name,
    Number,
    RemoveAll,
    SetDefault,
    SetRates,
    UpdateNode,
    WriteCounter,
    WriteRegister,
)
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.parser import parse_case, read_case
from p4xdp.stf.syntax import (
    CheckCounter,
    Expect,
    ExpectVerdict,
    NoPacket,
    Packet,
    Places,
    Statement,
    Wait,
)


def number(text: str, wildcard: int = 0) -> Number:
    return Number(int(text.replace("*", "0"), 0), wildcard, text)


def parse(line: str) -> Statement:
    (statement,) = parse_case(line, "t.stf").statements
    return statement


def call(name: str, **arguments: str) -> ActionCall:
    pairs = (Argument(Name(key), number(value)) for key, value in arguments.items())
    return ActionCall(Name(name), tuple(pairs))


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ("packet 0 0102 aB", Packet(0, b"\x01\x02\xab")),
        ("PACKET 510 01\t02  # a comment", Packet(510, b"\x01\x02")),
        ("expect 3", Expect(3)),
        ("expect 3 01 * 2", Expect(3, "01*2")),
        ("Expect 3 0a0B $", Expect(3, "0a0b", True)),
        ("expect 3 $", Expect(3, "", True)),
        ("expect 3 012", Expect(3, "012")),
        ("no_packet", NoPacket()),
        ("wait", Wait()),
        ("remove all", RemoveAll()),
        ("setdefault c.t a()", SetDefault(Name("c.t"), call("a"))),
        (
            "check_counter c.n(3) packets >= 0x10",
            CheckCounter(Name("c.n"), number("3"), "packets", ">=", number("0x10")),
        ),
        (
            "check_counter n(3) < 7",
            CheckCounter(Name("n"), number("3"), None, "<", number("7")),
        ),
        ("check_counter n($A)", CheckCounter(Name("n"), Name("A"))),
        (
            "check_counter n(1) bytes == 25",
            CheckCounter(Name("n"), number("1"), "bytes", "==", number("25")),
        ),
        ("mc_mgrp_create 7", CreateGroup(number("7"))),
        ("mc_node_create 400 6 7", CreateNode(number("400"), (number("6"), number("7")))),
        ("mc_node_update 2 8", UpdateNode(number("2"), (number("8"),))),
        ("mc_node_associate 7 2", AssociateNode(number("7"), number("2"))),
        ("mirroring_add 8 3", AddSession(number("8"), port=number("3"))),
        ("mirroring_add_mc 8 3", AddSession(number("8"), group=number("3"))),
        ("mirroring_delete 8", DeleteSession(number("8"))),
        ("counter_read c.n 5", Inspect("counter", Name("c.n"), number("5"))),
        (
            "counter_write c 0 1 2",
            WriteCounter(Name("c"), number("0"), number("1"), number("2")),
        ),
        ("register_write c.r 5 100", WriteRegister(Name("c.r"), number("5"), number("100"))),
        ("register_reset c.r", WriteRegister(Name("c.r"), None, number("0"))),
        ("meter_get_rates c.m 0", Inspect("meter", Name("c.m"), number("0"))),
        (
            "meter_set_rates c.m 0 0.05:1 1:2",
            SetRates(
                Name("c.m"), number("0"), (MeterRate(Fraction(1, 20), 1), MeterRate(Fraction(1), 2))
            ),
        ),
        (
            "meter_array_set_rates c.m 0.5:1",
            SetRates(Name("c.m"), None, (MeterRate(Fraction(1, 2), 1),)),
        ),
    ],
)
def test_statement(line: str, statement: Statement) -> None:
    assert parse(line) == statement


def test_add_with_everything() -> None:
    line = "add c.t 100 h[1].f:0x1* $valid$:0b1*0 lp:0x0a000000/8 d:7 c.a(x:1, y:0xff) = $E"
    keys = (
        KeyMatch(Name("h[1].f"), Number(0x10, 0x0F, "0x1*")),
        KeyMatch(Name("$valid$"), Number(0b100, 0b010, "0b1*0")),
        KeyMatch(Name("lp"), number("0x0a000000"), number("8")),
        KeyMatch(Name("d"), number("7")),
    )
    action = call("c.a", x="1", y="0xff")
    assert parse(line) == AddEntry(Name("c.t"), number("100"), keys, action, Name("$E"))


def test_add_without_keys_and_with_a_quoted_name() -> None:
    assert parse("add t a()") == AddEntry(Name("t"), None, (), call("a"))
    quoted = parse('add t "h.isValid()":1 a()  # "')
    assert isinstance(quoted, AddEntry)
    assert quoted.keys[0].name == Name("h.isValid()")


def test_a_verdict_follows_a_packet() -> None:
    case = parse_case("packet 0 01\n\nverdict redirect\n", "t.stf")
    assert case.statements[1] == ExpectVerdict("redirect")
    assert case.statements[1].span.line == 3


def test_places_stand_at_the_head() -> None:
    case = parse_case("# about it\n# places: native, veth; 13 bytes are too few\nwait\n", "t")
    assert case.places == Places(("native", "veth"), "13 bytes are too few")
    assert parse_case("wait\n# places: native; too late\n", "t").places is None


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("pakcet 0 01", 1, "`pakcet` does not start a statement"),
        ("add t k:1", 10, "expected a key field or an action, found the end of the line"),
        ("add t k:1 a", 12, "expected `(` behind the action `a`, found the end of the line"),
        ("add t k:0x1g a()", 9, "`0x1g` is not a number"),
        ("add t k: a()", 10, "expected a value for `k`, found `a`"),
        ("add t k:1/0x* a()", 11, "`0x*` has wildcards; a prefix length has none"),
        ("add t k:1 a(x:1 y:2)", 17, "expected `,` or `)`, found `y`"),
        ("add t k:1 a(x:0x*)", 15, "`0x*` has wildcards; a value for `x` has none"),
        ("add t k:1 a() b", 15, "expected the end of the line, found `b`"),
        ("add t ? a()", 7, "`?` has no meaning here"),
        ("setdefault t", 13, "expected an action, found the end of the line"),
        ("packet 0", 9, "expected the packet's bytes, found the end of the line"),
        ("packet 0 012", 10, "3 digits are no whole number of bytes"),
        ("packet 0 01zz", 12, "`z` cannot stand in packet data"),
        ("packet 0 01*1", 12, "`*` cannot stand in packet data"),
        ("packet eth0 01", 8, "expected a port number, found `eth0`"),
        ("packet 4294967296 01", 8, "`4294967296` is not a port number"),
        ("expect 0 01$ 02", 10, "`$` stands at the end of the data or nowhere"),
        ("expect 0 1 $", 10, "1 digits are no whole number of bytes"),
        ("verdict drop", 1, "a verdict needs a packet before it"),
        ("packet 0 01\nverdict punt", 9, "`punt` is not a verdict"),
        ("remove t", 8, "expected `all`, found `t`"),
        ("check_counter c(1) packets = 2", 28, "expected a comparison, found `=`"),
        ("check_counter c(1) flows == 2", 20, "expected `packets` or `bytes`, found `flows`"),
        ("# places: native", 1, "the reason is missing"),
        ("# places: moon; far", 1, "`moon` is not a place"),
        ("mirroring_add 1", 16, "expected a port, found the end of the line"),
    ],
)
def test_a_wrong_line_is_named(text: str, column: int, message: str) -> None:
    with pytest.raises(CompileError) as error:
        parse_case(text, "t.stf")
    (found,) = error.value.diagnostics
    assert found.text == message
    assert found.code == "stf-syntax"
    assert found.span is not None
    last = text.count("\n") + 1
    assert (found.span.file, found.span.line, found.span.column) == ("t.stf", last, column)


def test_every_wrong_line_is_reported() -> None:
    with pytest.raises(CompileError) as error:
        parse_case("ad t a()\nwait\npacket 0 0\n", "t.stf")
    first, second = error.value.diagnostics
    assert first.help == "did you mean `add`?"
    assert second.span is not None
    assert second.span.line == 3


def test_lines_of_windows_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "t.stf"
    path.write_bytes(b"\xef\xbb\xbfwait\r\npacket 0 01\r\n")
    assert read_case(path).statements == (Wait(), Packet(0, b"\x01"))


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot read"), (b"\xff\xfe", "is not UTF-8 text (byte 0)")],
)
def test_an_unreadable_file(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "t.stf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CompileError) as error:
        read_case(path)
    (found,) = error.value.diagnostics
    assert found.code == "stf-file"
    assert str(path) in found.text
    assert message in found.text


def test_a_file_of_entries_holds_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "entries"
    path.write_text("add t a()\nremove all\nsetdefault t a()\n")
    assert [type(r) for r in read_requests(path)] == [AddEntry, RemoveAll, SetDefault]
    path.write_text("add t a()\npacket 0 01\n")
    with pytest.raises(CompileError) as error:
        read_requests(path)
    (found,) = error.value.diagnostics
    assert found.span is not None
    assert (found.code, found.span.line) == ("stf-syntax", 2)


def test_the_examples_of_the_documentation_parse() -> None:
    page = Path(__file__).parents[2] / "docs" / "test-files.md"
    blocks = page.read_text().split("```stf\n")[1:]
    cases = [parse_case(block.partition("```")[0], "docs") for block in blocks]
    assert [len(case.statements) for case in cases] == [6, 3]
