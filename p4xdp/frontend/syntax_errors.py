"""Says what is wrong where the parser cannot go on, in the words of P4.

In: the tokens, the place of the one that does not fit, and the terminals that would fit there.
Out: diagnostics. Nothing here changes what the parser does next.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from p4xdp.diagnostics import MOST_ERRORS, Diagnostics, Note, Span
from p4xdp.frontend.lexer import (
    ANNOTATION_BODY,
    ANNOTATION_NAME,
    END,
    IDENTIFIER,
    INTEGER,
    KEYWORDS,
    PRAGMA,
    STRING_LITERAL,
    Token,
)
from p4xdp.frontend.names import TYPE
from p4xdp.frontend.source import Source

MOST_EXPECTED = 4

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPERATORS = frozenset("* / % + - |+| |-| << <= >= < == != & ^ | ++ && || > >> ?".split())
_EXPRESSION_STARTS = frozenset("( { {#} ! ~ - + ... true false this . error".split())
_TYPE_STARTS = frozenset("bool error string int match_kind bit varbit list tuple . void".split())
_ANNOTATIONS = frozenset((ANNOTATION_NAME, PRAGMA))
_STATEMENT_STARTS = frozenset("{ ; if else return exit break continue switch for const".split())
_DECLARATION_STARTS = frozenset(
    """const extern action parser control package struct header header_union enum typedef type
    error match_kind table value_set ;""".split()
)
_SUFFIXES = frozenset(". [ ( TYPE_ARGUMENTS".split())


class SyntaxErrors:
    """Reports the errors of one program."""

    def __init__(self, source: Source, tokens: Sequence[Token], diagnostics: Diagnostics) -> None:
        self._source = source
        self._tokens = tokens
        self._diagnostics = diagnostics

    def undeclared_type(self, token: Token, known: dict[str, str]) -> None:
        """Report a name that stands where a type must; `known` are the names in force."""
        from p4xdp.frontend.libraries import library_help
        from p4xdp.frontend.scope import nearest

        name = token.text
        if known.get(name) is not None:
            self._error("undeclared-type", token.span, f"`{name}` is not a type")
            return
        help = library_help(name)
        if help is None and len(self._diagnostics.found) < MOST_ERRORS:
            best = nearest(name, (other for other, kind in known.items() if kind == TYPE))
            help = f"did you mean `{best}`?" if best else None
        self._error("undeclared-type", token.span, f"type `{name}` is not declared", help=help)

    def top_level_variable(self, name: Token) -> None:
        """Report a variable outside of every parser, control and action."""
        self._error(
            "syntax",
            name.span,
            f"the variable `{name.text}` stands at the top level, where only constants can",
            help="put `const` before its type, or declare it in a parser, a control or an action",
        )

    def type_for_value(self, token: Token) -> None:
        """Report a type's name that stands where a value must."""
        self._error("syntax", token.span, f"`{token.text}` is a type, but a value must stand here")

    def missing_semicolon(self, index: int) -> None:
        """Report that a `;` must stand behind the token before `index`."""
        before = self._tokens[index - 1]
        place = _behind(before.span)
        self._error("syntax", place, f"expected `;` after {_shown(before)}")

    def unexpected(self, index: int, fitting: Iterable[str]) -> None:
        """Report that the token at `index` is none of those that fit."""
        token = self._tokens[index]
        expected = _alternatives(set(fitting))
        opening = self._unclosed(index)
        if token.kind == END:
            self._unexpected_end(token, expected, opening)
            return
        notes: tuple[Note, ...] = ()
        if opening is not None and f"`{_CLOSING[opening.kind]}`" in expected:
            notes = (Note(f"the `{opening.text}` is here", opening.span),)
        notes += self._macro_before(index)
        text = f"expected {_joined(expected)}{self._after(index)}, found {_shown(token)}"
        help = None
        if token.kind in KEYWORDS and "a name" in expected:
            help = f"`{token.text}` is a word of the language; choose another name"
        self._error("syntax", token.span, text, notes=notes, help=help)

    def _unexpected_end(self, token: Token, expected: Sequence[str], opening: Token | None) -> None:
        if opening is None:
            text = f"the file ends, but {_joined(expected)} must follow"
            self._error("syntax", token.span, text)
            return
        notes = (Note(f"the `{opening.text}` is here", opening.span),)
        text = f"the file ends before a `{opening.text}` is closed"
        self._error("syntax", token.span, text, notes=notes)

    def _after(self, index: int) -> str:
        if index == 0:
            return ""
        before = self._tokens[index - 1]
        same_file = before.span.file == self._tokens[index].span.file
        return f" after {_shown(before)}" if same_file else ""

    def _macro_before(self, index: int) -> tuple[Note, ...]:
        """Return the note about the macro that the token before `index` comes from, if any."""
        if index == 0 or self._tokens[index - 1].span == self._tokens[index].span:
            return ()
        before = self._tokens[index - 1].span
        return self._source.notes(before) if before in self._source.expanded else ()

    def _unclosed(self, index: int) -> Token | None:
        """Return the innermost bracket that is open at `index`."""
        open_brackets: list[Token] = []
        for token in self._tokens[:index]:
            if token.kind in _CLOSING:
                open_brackets.append(token)
            elif (
                token.kind in (")", "]", "}")
                and open_brackets
                and _CLOSING[open_brackets[-1].kind] == token.kind
            ):
                open_brackets.pop()
        return open_brackets[-1] if open_brackets else None

    def _error(
        self,
        code: str,
        span: Span,
        text: str,
        *,
        notes: tuple[Note, ...] = (),
        help: str | None = None,
    ) -> None:
        notes += self._source.notes(span)
        self._diagnostics.error(code, span, text, notes=notes, help=help)


def _behind(span: Span) -> Span:
    column = span.end_column
    return Span(span.file, span.end_line, column, span.end_line, column + 1)


def _shown(token: Token) -> str:
    match token.kind:
        case "$END":
            return "the end of the file"
        case "INTEGER":
            return f"the number `{token.text}`"
        case "STRING_LITERAL":
            return "a string"
        case "ANNOTATION_NAME":
            return f"the annotation `@{token.text}`"
        case "ANNOTATION_BODY":
            return "the annotation"
        case "PRAGMA":
            return "`@pragma`"
        case kind if kind in KEYWORDS and kind != "_":
            return f"the keyword `{token.text}`"
        case _:
            return f"`{token.text}`"


def _alternatives(fitting: set[str]) -> list[str]:
    """Return what can follow, in P4's words: single tokens first, then what begins there."""
    larger, covered = _larger(fitting)
    left = fitting - covered - _ANNOTATIONS - {ANNOTATION_BODY}
    if "*" in fitting:
        left -= _OPERATORS if ">>" in fitting else _OPERATORS - {">"}
        if not left - _SUFFIXES:
            larger = "an operator"
    if larger is not None or "*" in fitting:
        left -= _SUFFIXES
    tokens = [f"`{token}`" for token in sorted(left - {END}, key=_rank)]
    if END in left and not tokens and larger is None:
        tokens = ["the end of the file"]
    return [*tokens[:MOST_EXPECTED], *([larger] if larger else [])]


def _larger(fitting: set[str]) -> tuple[str | None, frozenset[str]]:
    """Return the name of the largest part of a program that can begin, and all its beginnings."""
    names = _NAME_KEYWORDS | {IDENTIFIER, TYPE}
    values = names | _EXPRESSION_STARTS | {INTEGER, STRING_LITERAL}
    if "if" in fitting:
        return "a statement", values | _TYPE_STARTS | _STATEMENT_STARTS
    if INTEGER in fitting:
        return "an expression", values | _TYPE_STARTS
    if fitting & {"struct", "table", "value_set"}:
        return "a declaration", _DECLARATION_STARTS | _TYPE_STARTS | {IDENTIFIER, TYPE}
    if "bit" in fitting:
        return "a type", names | _TYPE_STARTS
    if IDENTIFIER in fitting:
        return "a name", names | {"."}
    return None, frozenset()


_NAME_KEYWORDS = frozenset("actions apply entries key priority state type list".split())


def _rank(token: str) -> tuple[int, str]:
    order = ("{", "}", ";", ")", "]", ",", ":", "=", "(", "[")
    return (order.index(token) if token in order else len(order), token)


def _joined(words: Sequence[str]) -> str:
    if not words:
        return "something else"
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} or {words[-1]}"
