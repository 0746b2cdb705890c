"""The expressions of the intermediate representation: scalar values without a side effect.

Values are unsigned bit patterns, always in range of their width; where signedness matters the
operator says so. Widths and bit offsets are in bits.
"""

from __future__ import annotations

from enum import Enum

from p4xdp.records import dataclass

BOOL = 0
"""The width that stands for a truth value in `Var.width` and `Expr` widths."""

LIMB = 64
"""Bits of the widest value in a narrow program."""


# Expressions


class UnaryOp(Enum):
    """NOT and NEG wrap; LNOT is for BOOL; TO_BITS and TO_BOOL turn BOOL to width 1 and back."""

    NOT = "~"
    NEG = "-"
    LNOT = "!"
    TO_BITS = "bit"
    TO_BOOL = "bool"


class BinaryOp(Enum):
    """Both operands have one width, except for shifts, whose amount has a width of its own.

    A shift by the width or more gives 0 (ASHR: copies of the sign). Comparisons, LAND and LOR
    give BOOL. DIV and MOD by zero give 0.
    """

    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    MOD = "%"
    AND = "&"
    OR = "|"
    XOR = "^"
    SHL = "<<"
    LSHR = ">>"
    ASHR = ">>s"
    SAT_ADD = "|+|"
    SAT_SUB = "|-|"
    SAT_ADD_SIGNED = "|+|s"
    SAT_SUB_SIGNED = "|-|s"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    LT_SIGNED = "<s"
    LE_SIGNED = "<=s"
    LAND = "&&"
    LOR = "||"


@dataclass(frozen=True, slots=True)
class Const:
    """`value` in 0 .. 2**width - 1; 0 or 1 for BOOL."""

    value: int
    width: int


@dataclass(frozen=True, slots=True)
class Var:
    """A scalar variable; the name is unique in the program and reads like P4: `hd.ipv4.ttl`.

    It holds 0 (false) until it is assigned.
    """

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class Unary:
    op: UnaryOp
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    op: BinaryOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Slice:
    """`base[high:low]`, width high - low + 1; also truncation."""

    base: Expr
    high: int
    low: int


@dataclass(frozen=True, slots=True)
class Concat:
    """`left` holds the high bits."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Extend:
    """To a greater `width`, with zeros or, when `signed`, copies of the sign."""

    base: Expr
    width: int
    signed: bool = False


@dataclass(frozen=True, slots=True)
class Mux:
    """`condition ? then : otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Pure:
    """A call of a target function without effect; `name` in PURE_FUNCTIONS."""

    name: str
    arguments: tuple[Expr, ...]
    width: int


@dataclass(frozen=True, slots=True)
class Load:
    """`width` bits of the packet, network order, `offset` bits behind `pointer`.

    Only in linear programs, and only where a `Check` covers the bytes.
    """

    pointer: str
    offset: int
    width: int


Expr = Const | Var | Unary | Binary | Slice | Concat | Extend | Mux | Pure | Load

CUSTOM_CRCS = ("crc16_custom", "crc32_custom")
"""The checks whose parameters the control plane says."""

PURE_FUNCTIONS = (
    "ipv4_checksum",
    "csum_replace2",
    "csum_replace4",
    "csum16",
    "crc16",
    "crc32",
    *CUSTOM_CRCS,
    "element",
)
"""Their arguments and results are host-order numbers. `csum16` and the checks are over the bytes of
all arguments in a row: whole bytes each, for csum16 of 16 or 32 bits. `element` (which of the
program's arrays, a constant; index) is a number of an array that has one for each index."""


def width_of(expr: Expr) -> int:
    """Return the width of an expression in bits, BOOL for a truth value."""
    match expr:
        case Const(width=width) | Var(width=width) | Extend(width=width):
            return width
        case Pure(width=width) | Load(width=width):
            return width
        case Unary(op=op, operand=operand):
            return _unary_width(op, operand)
        case Binary(op=op, left=left):
            return BOOL if op in COMPARISONS else width_of(left)
        case Slice(high=high, low=low):
            return high - low + 1
        case Concat(left=left, right=right):
            return width_of(left) + width_of(right)
        case Mux(then=then):
            return width_of(then)


def stored_width(width: int) -> int:
    """Return the bits that a value of `width` takes in a packet: a truth value takes one."""
    return width or 1


def limbs_of(key: Expr) -> tuple[Expr, ...]:
    """Return the limbs of a table key in a narrow program, the highest first."""
    low: list[Expr] = []
    while isinstance(key, Concat) and width_of(key) > LIMB:
        low.append(key.right)
        key = key.left
    return (key, *reversed(low))


def _unary_width(op: UnaryOp, operand: Expr) -> int:
    match op:
        case UnaryOp.TO_BITS:
            return 1
        case UnaryOp.TO_BOOL | UnaryOp.LNOT:
            return BOOL
        case UnaryOp.NOT | UnaryOp.NEG:
            return width_of(operand)


COMPARISONS = frozenset(
    {
        BinaryOp.EQ,
        BinaryOp.NE,
        BinaryOp.LT,
        BinaryOp.LE,
        BinaryOp.LT_SIGNED,
        BinaryOp.LE_SIGNED,
        BinaryOp.LAND,
        BinaryOp.LOR,
    }
)
"""Operators whose result is BOOL."""

TRUE = Const(1, BOOL)
FALSE = Const(0, BOOL)
