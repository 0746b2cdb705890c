"""JSON with the place of every value, so that what is wrong in a file can be pointed at."""

from __future__ import annotations

import json
import re
from functools import cache

from lark import Lark, Token, Transformer, UnexpectedInput, v_args
from lark.tree import Meta

from p4xdp.diagnostics import Span, fail
from p4xdp.records import dataclass
from p4xdp.stf.numbers import MOST_DIGITS

MOST_DEPTH = 50
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]')

_GRAMMAR = r"""
start: value
?value: object | array | STRING -> string | NUMBER -> number | WORD -> word
object: "{" [pair ("," pair)*] "}"
array: "[" [value ("," value)*] "]"
pair: STRING ":" value
STRING: /"(?:[^"\\\x00-\x1f]|\\(?:["\\\/bfnrt]|u[0-9a-fA-F]{4}))*"/
NUMBER: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/
WORD: "true" | "false" | "null"
%ignore /[ \t\r\n]+/
"""


@dataclass(frozen=True, slots=True)
class Member:
    """`name` stands at `span`."""

    name: str
    value: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Value:
    """`content` is a tuple of members for an object, a tuple of values for an array."""

    content: Object | Array | str | int | float | bool | None
    span: Span


@dataclass(frozen=True, slots=True)
class Object:
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Array:
    values: tuple[Value, ...]


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", propagate_positions=True)


def parse_json(text: str, file: str) -> Value:
    """Return the value that a text holds; raises CompileError (`entries-syntax`)."""
    _check_depth(text, file)
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        line, column = max(1, error.line), max(1, error.column)
        place = Span(file, line, column, line, column + 1)
        raise fail("entries-syntax", place, "this is not JSON") from error
    made: Value = _Values(file).transform(tree)
    return made


def _check_depth(text: str, file: str) -> None:
    """Raise CompileError where arrays and objects are nested deeper than any file of entries."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > MOST_DEPTH:
            line = text.count("\n", 0, found.start()) + 1
            column = found.start() - text.rfind("\n", 0, found.start())
            place = Span(file, line, column, line, column + 1)
            raise fail("entries-syntax", place, f"this is nested more than {MOST_DEPTH} deep")


class _Values(Transformer[Token, Value]):
    def __init__(self, file: str) -> None:
        super().__init__()
        self._file = file

    def _span(self, meta: Meta | Token) -> Span:
        ends = meta.end_line, meta.end_column
        return Span(self._file, meta.line or 1, meta.column or 1, ends[0] or 1, ends[1] or 1)

    def start(self, children: list[Value]) -> Value:
        return children[0]

    @v_args(meta=True)
    def object(self, meta: Meta, children: list[Member | None]) -> Value:
        return Value(Object(tuple([one for one in children if one])), self._span(meta))

    @v_args(meta=True)
    def array(self, meta: Meta, children: list[Value | None]) -> Value:
        return Value(Array(tuple([one for one in children if one])), self._span(meta))

    @v_args(inline=True)
    def pair(self, name: Token, value: Value) -> Member:
        return Member(_text(name), value, self._span(name))

    @v_args(inline=True)
    def string(self, token: Token) -> Value:
        return Value(_text(token), self._span(token))

    @v_args(inline=True)
    def number(self, token: Token) -> Value:
        whole = token.lstrip("-").isdigit() and len(token) <= MOST_DIGITS
        return Value(int(token) if whole else float(token), self._span(token))

    @v_args(inline=True)
    def word(self, token: Token) -> Value:
        content = {"true": True, "false": False, "null": None}[str(token)]
        return Value(content, self._span(token))


def _text(token: Token) -> str:
    """Return what a string says; half a surrogate pair, which is no character, as U+FFFD."""
    text: str = json.loads(str(token))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
