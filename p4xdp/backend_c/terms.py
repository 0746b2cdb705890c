"""C expressions as texts that know how strongly they bind, their type, and bounds of their value.

What is here knows C alone: where parentheses are wanted, which type C computes in, and when a mask
or a cast is needed to hold a value to a width.
"""

from __future__ import annotations

from enum import IntEnum

from p4xdp.records import dataclass


class Level(IntEnum):
    """Binding strengths of C operators, weakest first."""

    CONDITIONAL = 1
    LOR = 2
    LAND = 3
    OR = 4
    XOR = 5
    AND = 6
    EQUALITY = 7
    RELATION = 8
    SHIFT = 9
    SUM = 10
    PRODUCT = 11
    UNARY = 12
    POSTFIX = 13


class CType(IntEnum):
    """The types that C computes in, by rank."""

    INT = 0
    U32 = 1
    U64 = 2


LIMITS = {
    CType.INT: (-(2**31), 2**31 - 1),
    CType.U32: (0, 2**32 - 1),
    CType.U64: (0, 2**64 - 1),
}


CASTS = {CType.U32: "__u32", CType.U64: "__u64"}


@dataclass(frozen=True, slots=True)
class Term:
    """C text with its binding strength, its type, and bounds of its value."""

    text: str
    level: Level
    type: CType
    low: int
    high: int


def literal(value: int) -> str:
    """Return a number as people write it: small ones decimal, patterns hexadecimal."""
    return f"{value}" if value < 1000 else hexadecimal(value)


def hexadecimal(value: int) -> str:
    return f"0x{value:x}" if value < 2**32 else f"0x{value:x}ULL"


def at(term: Term, level: Level) -> str:
    return term.text if term.level >= level else f"({term.text})"


def constant_of(term: Term) -> int | None:
    return term.low if term.low == term.high else None


def type_of(width: int) -> CType:
    """Return the type in which C computes with a variable of `width` bits."""
    return CType.INT if width <= 16 else CType.U32 if width <= 32 else CType.U64


def leaf(text: str, width: int) -> Term:
    return Term(text, Level.POSTFIX, type_of(width), 0, 2 ** (width or 1) - 1)


def constant(value: int, width: int) -> Term:
    kind = CType.INT if value < 2**31 else CType.U32 if value < 2**32 else CType.U64
    return Term(literal(value), Level.POSTFIX, kind, value, value)


def call(function: str, width: int, arguments: list[str]) -> Term:
    """Return a call of a function that returns the C type for `width` bits."""
    return leaf(f"{function}({', '.join(arguments)})", width)


def fits(term: Term, width: int) -> bool:
    return term.low >= 0 and term.high < 2**width


def masked(term: Term, width: int) -> Term:
    """Return the low `width` bits of `term`."""
    if fits(term, width):
        return term
    most = 2**width - 1
    if width in (8, 16, 32, 64) and not (width < 32 and term.text.startswith("~")):
        # (gcc takes a comparison with `(__u16)~x` for a mistake)
        text = f"(__u{width}){at(term, Level.UNARY)}"
        return Term(text, Level.UNARY, type_of(width), 0, most)
    mask = constant(most, width)
    text = f"{operand(term, Level.AND)} & {hexadecimal(most)}"
    return Term(text, Level.AND, max(term.type, mask.type), 0, most)


def cast(term: Term, kind: CType) -> Term:
    low, high = bounded(term.low, term.high, kind)
    return Term(f"({CASTS[kind]}){at(term, Level.UNARY)}", Level.UNARY, kind, low, high)


def at_least(term: Term, kind: CType) -> Term:
    return term if term.type >= kind else cast(term, kind)


def paired(left: Term, right: Term, width: int) -> tuple[Term, Term]:
    """Return operands of which one at least has a type that holds `width` bits."""
    if right.type >= needed(width):
        return left, right
    return at_least(left, needed(width)), right


def bounded(low: int, high: int, kind: CType) -> tuple[int, int]:
    """Return bounds after the type's wrap-around."""
    least, most = LIMITS[kind]
    return (low, high) if least <= low and high <= most else (least, most)


def needed(width: int) -> CType:
    return CType.U64 if width > 32 else CType.INT


BESIDE_A_NOT = (Level.AND, Level.OR, Level.XOR, Level.EQUALITY, Level.RELATION)
"""Operators that clang and gcc take for ones that the `!` before them should cover."""


def operand(term: Term, level: Level) -> str:
    """Return an operand of `level`: parentheses wherever a reader or clang might ask for them."""
    if term.text.startswith("!") and level in BESIDE_A_NOT:
        return f"({term.text})"
    if term.level >= Level.UNARY or term.level == level:
        return term.text
    if level in (Level.EQUALITY, Level.RELATION) and term.level >= Level.SUM:
        return term.text
    if level in (Level.LAND, Level.LOR, Level.CONDITIONAL) and term.level in (
        Level.EQUALITY,
        Level.RELATION,
    ):
        return term.text
    if level is Level.SUM and term.level is Level.PRODUCT:
        return term.text
    return f"({term.text})"


def right_operand(term: Term, level: Level) -> str:
    """The same on the right, where an equal level binds wrongly."""
    return f"({term.text})" if term.level == level else operand(term, level)
