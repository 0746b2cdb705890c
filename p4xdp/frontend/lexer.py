"""Preprocessed text to tokens.

In: the chunks of a `Source`. Out: a list of `Token`s that ends in `$END`. Keywords and punctuation
are their own kind; names are all IDENTIFIER here, and the parser finds out which of them are types.
An annotation's name, its body in parentheses and a `@pragma` line are one token each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from p4xdp.diagnostics import MOST_ERRORS, Diagnostics, Span
from p4xdp.frontend.source import Chunk, Source
from p4xdp.records import dataclass

IDENTIFIER = "IDENTIFIER"
INTEGER = "INTEGER"
STRING_LITERAL = "STRING_LITERAL"
ANNOTATION_NAME = "ANNOTATION_NAME"
ANNOTATION_BODY = "ANNOTATION_BODY"
PRAGMA = "PRAGMA"
ILLEGAL = "ILLEGAL"
END = "$END"

WIDEST = 65_536
"""Bits in the widest number that is worth reading."""

KEYWORDS = frozenset(
    """abstract action actions apply bit bool break const continue control default else entries
    enum error exit extern false for header header_union if in inout int key list match_kind out
    package parser priority return select state string struct switch table this transition true
    tuple type typedef value_set varbit void _""".split()
)

_PATTERN = re.compile(
    r"""(?P<word>[^\W\d]\w*)
    |(?P<blank>[ \t\f\v]+|\\\n)
    |(?P<newline>\n)
    |(?P<number>[0-9][A-Za-z0-9_]*)
    |(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
    |(?P<string>"(?:\\.|[^"\\])*")
    |(?P<open_comment>/\*)
    |(?P<punctuation>\{\#\}|\|\+\|=?|\|-\|=?|<<=|>>=|&&&|\.\.\.|\.\.|<<|>>|&&|\|\||\+\+|\+:
        |[-+*/%&|^=!<>]=|[-+*/%&|^~()\[\]{}<>!:,?.=;@])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(
    r"(?:(?P<width>[0-9]+)(?P<sign>[ws]))?"
    r"(?:0[xX](?P<hex>[0-9a-fA-F_]+)|0[dD](?P<dec>[0-9_]+)|0[oO](?P<oct>[0-7_]+)"
    r"|0[bB](?P<bin>[01_]+)|(?P<plain>[0-9][0-9_]*))"
)
_BASES = {"hex": 16, "dec": 10, "oct": 8, "bin": 2, "plain": 10}


@dataclass(frozen=True, slots=True)
class Number:
    """What an INTEGER token stands for; `width` None when unsized."""

    value: int
    width: int | None = None
    signed: bool = False


class Token:
    """One token: `kind` as in the grammar, `text` as written, `value` what a literal stands for."""

    __slots__ = ("kind", "span", "text", "value")

    def __init__(
        self, kind: str, text: str, span: Span, value: Number | tuple[str, ...] | None = None
    ) -> None:
        self.kind = kind
        self.text = text
        self.span = span
        self.value = value

    def __repr__(self) -> str:
        return f"{self.kind} {self.text!r} at {self.span}"


def tokenize(source: Source, diagnostics: Diagnostics) -> list[Token]:
    """Return the tokens of the whole program.

    Raises CompileError when text is lost: a character that begins no token, an open comment.
    """
    tokens: list[Token] = []
    for chunk in source.chunks:
        tokens += _chunk_tokens(chunk, diagnostics)
    tokens.append(Token(END, "", source.end))
    _stop_where_text_is_lost(diagnostics)
    whole = list(_with_annotations(tokens, diagnostics))
    _stop_where_text_is_lost(diagnostics)
    return whole


def _stop_where_text_is_lost(diagnostics: Diagnostics) -> None:
    if any(error.code != "bad-number" for error in diagnostics.errors):
        diagnostics.stop_on_error()


def _chunk_tokens(chunk: Chunk, diagnostics: Diagnostics) -> Iterator[Token]:
    file, line = chunk.file, chunk.line
    base = -chunk.column
    keywords = KEYWORDS
    for match in _PATTERN.finditer(chunk.text):
        group = match.lastgroup
        if group == "blank":
            continue
        if group == "newline":
            line += 1
            base = match.end() - 1
            continue
        start, stop = match.span()
        text = match.group()
        if group == "comment" or group == "string":
            first, first_base = line, base
            breaks = text.count("\n")
            if breaks:
                line += breaks
                base = start + text.rindex("\n")
            if group == "comment":
                continue
            place = chunk.pinned or Span(file, first, start - first_base, line, stop - base)
            yield Token(STRING_LITERAL, text, place)
            continue
        place = chunk.pinned or Span(file, line, start - base, line, stop - base)
        if group == "word":
            yield Token(text if text in keywords else IDENTIFIER, text, place)
        elif group == "punctuation":
            yield Token(text, text, place)
        elif group == "number":
            yield Token(INTEGER, text, place, number(text, place, diagnostics))
        elif group == "open_comment":
            diagnostics.error("unterminated-comment", place, "this comment is never closed")
            return
        elif text == '"':
            diagnostics.error("unterminated-string", place, "this string is never closed")
            return
        else:
            yield Token(ILLEGAL, text, place)


def _not_ascii(token: Token, diagnostics: Diagnostics) -> None:
    """Report the first letter of a name that is none of P4's."""
    text, place = token.text, token.span
    before = next(index for index, letter in enumerate(text) if not letter.isascii())
    column = place.column + before
    letter = Span(place.file, place.line, column, place.line, column + 1)
    diagnostics.error(
        "illegal-character",
        letter,
        f"the character {_named(text[before])} cannot stand in a name",
        help="names are made of the letters A to Z, digits and `_`",
    )


def _illegal(token: Token, diagnostics: Diagnostics) -> None:
    text = f"the character {_named(token.text)} cannot stand here"
    diagnostics.error("illegal-character", token.span, text, help=_way(token.text))


def _way(character: str) -> str:
    """Return what to do about a character that P4 has no use for."""
    if character in "\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb":
        return 'P4 knows the straight quote `"` only'
    if character in "\u2010\u2011\u2012\u2013\u2014\u2212":
        return "P4 knows the hyphen `-` of ASCII only"
    if character.isspace() or not character.isprintable():
        return "take it out: blanks, tabs and line ends are the only white space of P4"
    return "take it out, or put it in a comment or a string"


def _named(character: str) -> str:
    code = f"U+{ord(character):04X}"
    return f"`{character}` ({code})" if character.isprintable() else code


def number(text: str, place: Span, diagnostics: Diagnostics) -> Number:
    """Return the value of a number as written; report a malformed one and count it as 0."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        _malformed(text, place, diagnostics)
        return Number(0)
    base_name = next(name for name in _BASES if match[name] is not None)
    digits = match[base_name].replace("_", "")
    if not digits:
        diagnostics.error("bad-number", place, f"the number `{text}` has no digits")
        return Number(0)
    try:
        value = int(digits, _BASES[base_name])
        width = int(match["width"]) if match["width"] else None
    except ValueError:
        diagnostics.error("bad-number", place, "this number has too many digits")
        return Number(0)
    if width is None:
        return Number(value)
    if width > WIDEST:
        diagnostics.error("bad-number", place, f"`{text}` is wider than {WIDEST} bits")
        return Number(0)
    if width == 0 and match["sign"] == "s":
        text = f"the width of the signed number `{text}` is 0; it must be at least 1"
        diagnostics.error("bad-number", place, text)
        return Number(0)
    return _sized(value, width, match["sign"] == "s", text, place, diagnostics)


def _sized(
    value: int, width: int, signed: bool, text: str, place: Span, diagnostics: Diagnostics
) -> Number:
    kept = value & ((1 << width) - 1)
    if signed and kept >= 1 << (width - 1):
        kept -= 1 << width
    if kept != value:
        kind = "int" if signed else "bit"
        diagnostics.warning(
            "overflow", place, f"`{text}` does not fit in `{kind}<{width}>`; its value is {kept}"
        )
    return Number(kept, width, signed)


def _malformed(text: str, place: Span, diagnostics: Diagnostics) -> None:
    sized = re.fullmatch(r"[0-9]+[ws]", text)
    hint = (
        f"write the digits right behind the width, and a sign in front of it: `-{text}1`"
        if sized
        else "numbers look like 10, 0x1F, 0b101, 8w255 (8 bits wide) or 8s0x7F (signed)"
    )
    diagnostics.error("bad-number", place, f"`{text}` is not a number", help=hint)


def _with_annotations(tokens: list[Token], diagnostics: Diagnostics) -> Iterator[Token]:
    """Put every annotation's name, body and pragma line into one token each."""
    index = 0
    last = len(tokens) - 1
    while index <= last:
        token = tokens[index]
        index += 1
        if token.kind == ILLEGAL:
            if len(diagnostics.errors) <= MOST_ERRORS:
                _illegal(token, diagnostics)
            continue
        if not token.text.isascii() and token.kind == IDENTIFIER:
            _not_ascii(token, diagnostics)
        if token.kind != "@" or index > last or not _is_word(tokens[index]):
            yield token
            continue
        name = tokens[index]
        index += 1
        if name.text == "pragma":
            end = _line_end(tokens, index, name.span.line)
            body = tuple(t.text for t in tokens[index:end])
            yield Token(PRAGMA, name.text, token.span.to(tokens[end - 1].span), body)
            index = end
            continue
        yield Token(ANNOTATION_NAME, name.text, token.span.to(name.span))
        if tokens[index].kind == "(":
            closing = _closing(tokens, index)
            if closing is None:
                place = tokens[index].span
                diagnostics.error("syntax", place, f"the `(` of `@{name.text}` is never closed")
                return
            body = tuple(t.text for t in tokens[index + 1 : closing])
            place = tokens[index].span.to(tokens[closing].span)
            yield Token(ANNOTATION_BODY, "(", place, body)
            index = closing + 1


def _is_word(token: Token) -> bool:
    return token.kind == IDENTIFIER or token.kind in KEYWORDS


def _line_end(tokens: list[Token], index: int, line: int) -> int:
    while tokens[index].kind != END and tokens[index].span.line == line:
        index += 1
    return index


def _closing(tokens: list[Token], index: int) -> int | None:
    depth = 0
    for place in range(index, len(tokens)):
        kind = tokens[place].kind
        if kind == "(":
            depth += 1
        elif kind == ")":
            depth -= 1
            if depth == 0:
                return place
    return None
