"""From the text of a test file to its statements.

One statement a line; `#` starts a comment. Every wrong line is reported, by CompileError, with
code `stf-syntax`; nothing is returned then.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from p4xdp.diagnostics import CompileError, Diagnostics, Span, fail
from p4xdp.runtime.requests import (
    ActionCall,
    AddEntry,
    Argument,
    KeyMatch,
    Name,
    Number,
    RemoveAll,
    SetDefault,
)
from p4xdp.stf import bmv2, simple_switch
from p4xdp.stf.syntax import (
    VERDICTS,
    Case,
    CheckCounter,
    Comparison,
    Expect,
    ExpectDigest,
    ExpectVerdict,
    NoDigest,
    NoPacket,
    Packet,
    Places,
    Statement,
    Unit,
    Verdict,
    Wait,
)
from p4xdp.stf.tokens import Kind, Line

PLACES = ("interp", "native", "kernel", "veth")
MOST_PORT = 0xFFFFFFFF
HEX_DIGITS = "0123456789abcdefABCDEF"


def read_case(path: Path) -> Case:
    """Read and parse a test file; raises CompileError (`stf-file`, `stf-syntax`)."""
    return parse_case(read_text(path), str(path))


def read_text(path: Path) -> str:
    """Return the text of a file; raises CompileError (`stf-file`)."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise fail("stf-file", None, f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise fail("stf-file", None, f"{path} is not UTF-8 text (byte {error.start})") from error


def parse_case(text: str, file: str) -> Case:
    """Parse the text of a test file; raises CompileError with every wrong line."""
    diagnostics = Diagnostics()
    statements: list[Statement] = []
    places: Places | None = None
    handles = simple_switch.Handles()
    for number, row in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        try:
            if not statements:
                places = _places(file, number, row) or places
            if _is_command(row):
                statements += simple_switch.parse_command(file, number, row, handles)
                continue
            statement = _line(Line(file, number, row))
            if statement:
                _check_order(statement, statements)
                statements.append(statement)
        except CompileError as error:
            for diagnostic in error.diagnostics:
                diagnostics.add(diagnostic)
    diagnostics.stop_on_error()
    return Case(file, tuple(statements), places)


def _places(file: str, number: int, row: str) -> Places | None:
    """Parse `# places: native,kernel; reason`; None for any other line."""
    found = re.match(r"\s*#\s*places\s*:\s*([^;]*)(;\s*(.*))?$", row)
    if not found:
        return None
    span = Span(file, number, 1, number, len(row) + 1)
    names = tuple(name.strip() for name in found[1].split(","))
    for name in names:
        if name not in PLACES:
            known = ", ".join(PLACES)
            raise fail("stf-syntax", span, f"`{name}` is not a place", help=f"places: {known}")
    if not found[3]:
        raise fail(
            "stf-syntax", span, "the reason is missing", help="write it behind the places and a `;`"
        )
    return Places(names, found[3].strip())


def _check_order(statement: Statement, before: list[Statement]) -> None:
    if isinstance(statement, ExpectVerdict) and not any(isinstance(s, Packet) for s in before):
        raise fail("stf-syntax", statement.span, "a verdict needs a packet before it")


def is_statement(word: str) -> bool:
    """Whether a line that starts with this word is a statement of STF."""
    return word.lower() in STATEMENTS


def _is_command(row: str) -> bool:
    """Tell whether a line is a command of simple_switch_CLI that STF has no statement for."""
    first = row.split(None, 1)[:1]
    return any(w not in STATEMENTS and simple_switch.is_command(w) for w in first)


def _line(line: Line) -> Statement | None:
    word = line.take()
    if word.kind is Kind.END:
        return None
    keyword = word.text.lower()
    parse = STATEMENTS.get(keyword)
    if word.kind is not Kind.NAME or not parse:
        near = difflib.get_close_matches(keyword, (*STATEMENTS, *simple_switch.EVERY), 1)
        help = f"did you mean `{near[0]}`?" if near else None
        raise line.fail(word, f"{word} does not start a statement", help=help)
    statement = parse(line, word.start)
    line.finish()
    return statement


def _add(line: Line, start: int) -> Statement:
    table = line.name("a table's name")
    priority = line.number_value("a priority") if line.peek().kind is Kind.NUMBER else None
    keys: list[KeyMatch] = []
    while True:
        name = line.name("a key field or an action")
        if not line.take_sign(":"):
            break
        keys.append(_key_match(line, name))
    action = _arguments(line, name)
    label = line.name("a label") if line.take_sign("=") else None
    span = line.span_from(start)
    return AddEntry(table, priority, tuple(keys), action, label, span=span)


def _key_match(line: Line, name: Name) -> KeyMatch:
    value = line.number_value(f"a value for `{name.text}`", wildcards=True)
    length = line.number_value("a prefix length") if line.take_sign("/") else None
    last = line.number_value("the end of a range") if line.take_sign("..") else None
    return KeyMatch(name, value, length, last)


def _arguments(line: Line, name: Name) -> ActionCall:
    line.expect_sign("(", f"behind the action `{name.text}`")
    arguments: list[Argument] = []
    while not line.take_sign(")"):
        if arguments:
            line.expect_sign(",", "or `)`")
        argument = line.name("an argument's name")
        line.expect_sign(":", f"behind `{argument.text}`")
        value = line.number_value(f"a value for `{argument.text}`")
        arguments.append(Argument(argument, value))
    return ActionCall(name, tuple(arguments))


def _remove(line: Line, start: int) -> Statement:
    word = line.take()
    if word.text.lower() != "all":
        raise line.fail(word, f"expected `all`, found {word}")
    return RemoveAll(line.span_from(start))


def _set_default(line: Line, start: int) -> Statement:
    table = line.name("a table's name")
    action = _arguments(line, line.name("an action"))
    return SetDefault(table, action, line.span_from(start))


def _port(line: Line) -> int:
    port = line.number_value("a port number")
    if port.value > MOST_PORT or port.text[:2].lower() in ("0x", "0b"):
        raise fail("stf-syntax", port.span, f"`{port.text}` is not a port number")
    return port.value


def _packet(line: Line, start: int) -> Statement:
    port = _port(line)
    digits, at = line.digits(HEX_DIGITS, "packet data")
    span = line.span(at, len(line.text))
    if not digits:
        raise fail("stf-syntax", span, "expected the packet's bytes, found the end of the line")
    if len(digits) % 2:
        raise fail("stf-syntax", span, f"{len(digits)} digits are no whole number of bytes")
    return Packet(port, bytes.fromhex(digits), line.span_from(start))


def _expect(line: Line, start: int) -> Statement:
    port = _port(line)
    digits, at = line.digits(HEX_DIGITS + "*$", "expected data")
    nibbles, dollar, rest = digits.partition("$")
    span = line.span(at, len(line.text))
    if rest:
        raise fail("stf-syntax", span, "`$` stands at the end of the data or nowhere")
    if dollar and len(nibbles) % 2:
        raise fail("stf-syntax", span, f"{len(nibbles)} digits are no whole number of bytes")
    return Expect(port, nibbles, bool(dollar), line.span_from(start))


def _no_packet(line: Line, start: int) -> Statement:
    return NoPacket(line.span_from(start))


def _wait(line: Line, start: int) -> Statement:
    return Wait(line.span_from(start))


def _verdict(line: Line, start: int) -> Statement:
    word = line.take()
    found: list[Verdict] = [verdict for verdict in VERDICTS if verdict == word.text.lower()]
    if not found:
        raise line.fail(word, f"{word} is not a verdict", help=f"verdicts: {', '.join(VERDICTS)}")
    return ExpectVerdict(found[0], line.span_from(start))


def _expect_digest(line: Line, start: int) -> Statement:
    name = line.name("a digest's name")
    fields: list[tuple[Name, Number]] = []
    receiver = None
    if line.peek().kind is Kind.SIGN:
        given = _arguments(line, name).arguments
        fields = [(one.name, one.value) for one in given if one.name is not None]
    word = line.peek()
    if word.kind is Kind.NAME and word.text.lower() == "to":
        line.take()
        receiver = line.number_value("a receiver")
    return ExpectDigest(name, tuple(fields), receiver, line.span_from(start))


def _no_digest(line: Line, start: int) -> Statement:
    return NoDigest(line.span_from(start))


def _check_counter(line: Line, start: int) -> Statement:
    counter = line.name("a counter's name")
    line.expect_sign("(", f"behind `{counter.text}`")
    index = _counter_index(line)
    line.expect_sign(")", "behind the index")
    if line.peek().kind is Kind.END:
        return CheckCounter(counter, index, span=line.span_from(start))
    unit = _unit(line) if line.peek().kind is Kind.NAME else None
    comparison = _comparison(line)
    bound = line.number_value("a number")
    return CheckCounter(counter, index, unit, comparison, bound, line.span_from(start))


def _counter_index(line: Line) -> Number | Name:
    if line.peek().kind is Kind.NUMBER:
        return line.number_value("an index")
    label = line.name("an index or a label")
    return Name(label.text.removeprefix("$"), label.span)


def _unit(line: Line) -> Unit:
    word = line.take()
    for unit in get_args(Unit):
        if word.text.lower() == unit:
            found: Unit = unit
            return found
    raise line.fail(word, f"expected `packets` or `bytes`, found {word}")


def _comparison(line: Line) -> Comparison:
    word = line.take()
    for comparison in get_args(Comparison):
        if word.text == comparison:
            found: Comparison = comparison
            return found
    raise line.fail(word, f"expected a comparison, found {word}")


STATEMENTS: dict[str, Callable[[Line, int], Statement | None]] = {
    "add": _add,
    "remove": _remove,
    "setdefault": _set_default,
    "wait": _wait,
    "packet": _packet,
    "expect": _expect,
    "no_packet": _no_packet,
    "verdict": _verdict,
    "expect_digest": _expect_digest,
    "no_digest": _no_digest,
    "check_counter": _check_counter,
    **bmv2.STATEMENTS,
}
