"""One line of a test file as words with their places.

A line goes in; a `Line` comes out that the parser takes words from. Every refusal is a
CompileError (`stf-syntax`) at the word that does not fit.
"""

from __future__ import annotations

import re
from enum import Enum

from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.records import dataclass
from p4xdp.runtime.requests import Name, Number
from p4xdp.stf.numbers import is_too_long, shortened


class Kind(Enum):
    NAME = "a name"
    NUMBER = "a number"
    SIGN = "a sign"
    END = "the end of the line"


_SEGMENT = r'(?:"[^"\n]+"|[A-Za-z_$][A-Za-z_0-9$]*)(?:\[[0-9]+\])?'
_WORD = re.compile(
    rf"(?P<NAME>{_SEGMENT}(?:\.{_SEGMENT})*)"
    r"|(?P<NUMBER>0[xX][0-9a-fA-F*]+|0[bB][01*]+|[0-9]+)"
    r"|(?P<SIGN>==|!=|<=|>=|\.\.|[<>=:,()/.])"
)
_BLANK = re.compile(r"[ \t\r\f\v]*")


@dataclass(frozen=True, slots=True)
class Word:
    """A word and where it starts; columns count from 0 here."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def __str__(self) -> str:
        return self.kind.value if self.kind is Kind.END else f"`{shortened(self.text)}`"


class Line:
    """The words of a line without its comment, taken from left to right."""

    def __init__(self, file: str, number: int, text: str) -> None:
        self.file = file
        self.number = number
        self.text = _without_comment(text)
        self.at = 0

    def span(self, start: int, end: int) -> Span:
        """Return the place of the columns `start` up to `end`, counted from 0."""
        return Span(self.file, self.number, start + 1, self.number, max(end, start + 1) + 1)

    def span_of(self, word: Word) -> Span:
        return self.span(word.start, word.end)

    def span_from(self, start: int) -> Span:
        """Return the place from column `start` to the last word taken."""
        return self.span(start, len(self.text[: self.at].rstrip()))

    def fail(self, word: Word, text: str, *, help: str | None = None) -> CompileError:
        return fail("stf-syntax", self.span_of(word), text, help=help)

    def peek(self) -> Word:
        start = self._skip_blank()
        if start == len(self.text):
            return Word(Kind.END, "", start)
        found = _WORD.match(self.text, start)
        if not found or not found.lastgroup:
            word = Word(Kind.SIGN, self.text[start], start)
            raise self.fail(word, f"{word} has no meaning here")
        return Word(Kind[found.lastgroup], found[0], start)

    def take(self) -> Word:
        word = self.peek()
        self.at = word.end
        return word

    def take_sign(self, sign: str) -> bool:
        """Take `sign` if it is next; return whether it was."""
        word = self.peek()
        if word.kind is Kind.SIGN and word.text == sign:
            self.at = word.end
            return True
        return False

    def expect_sign(self, sign: str, where: str) -> None:
        if not self.take_sign(sign):
            word = self.peek()
            raise self.fail(word, f"expected `{sign}` {where}, found {word}")

    def name(self, what: str) -> Name:
        word = self.peek()
        if word.kind is not Kind.NAME:
            raise self.fail(word, f"expected {what}, found {word}")
        self.at = word.end
        return Name(word.text.replace('"', ""), self.span_of(word))

    def number_value(self, what: str, *, wildcards: bool = False) -> Number:
        word = self.peek()
        if word.kind is not Kind.NUMBER:
            raise self.fail(word, f"expected {what}, found {word}")
        self.at = word.end
        self._check_joined(word)
        if is_too_long(word.text):
            raise self.fail(word, f"{word} is too long for {what}")
        if "*" in word.text and not wildcards:
            raise self.fail(word, f"{word} has wildcards; {what} has none")
        return Number(*_value(word.text), text=shortened(word.text), span=self.span_of(word))

    def _check_joined(self, word: Word) -> None:
        rest = re.match(r"[A-Za-z0-9_*]+", self.text[word.end :])
        if rest:
            whole = Word(Kind.NUMBER, word.text + rest[0], word.start)
            raise self.fail(whole, f"{whole} is not a number")

    def finish(self) -> None:
        word = self.peek()
        if word.kind is not Kind.END:
            raise self.fail(word, f"expected the end of the line, found {word}")

    def digits(self, allowed: str, what: str) -> tuple[str, int]:
        """Take the rest of the line, blanks left out; return it with the column it starts at."""
        start = self._skip_blank()
        kept = []
        for column in range(start, len(self.text)):
            c = self.text[column]
            if c in allowed:
                kept.append(c.lower())
            elif not c.isspace():
                word = Word(Kind.SIGN, c, column)
                raise self.fail(word, f"{word} cannot stand in {what}")
        self.at = len(self.text)
        return "".join(kept), start

    def _skip_blank(self) -> int:
        blank = _BLANK.match(self.text, self.at)
        return blank.end() if blank else self.at


def _without_comment(text: str) -> str:
    """Cut a comment off; a `#` in a quoted name starts none."""
    kept = re.match(r'(?:"[^"\n]*"|[^#"]|"(?![^"\n]*"))*', text)
    return (kept[0] if kept else text).rstrip()


def _value(text: str) -> tuple[int, int]:
    """Return value and wildcard bits of a number's text."""
    base, digits = 10, text
    if text[:2].lower() in ("0x", "0b"):
        base, digits = (16 if text[1] in "xX" else 2), text[2:]
    top = "f" if base == 16 else "1"
    value = int(digits.replace("*", "0"), base)
    wildcard = int("".join(top if c == "*" else "0" for c in digits), base)
    return value, wildcard
