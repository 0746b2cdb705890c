"""What does not fit in front of the copies of a packet waits in a cell of each CPU's ring.

In: the variables that a kind of copies has to know. Out: those that ride along, and the words of 64
bits that hold the others, with the statements that save and restore them. The kernel runs the
program of a copy on the CPU that made it, when that is done with its batch of packets; what comes
by another CPU, or later than the ring goes round, finds the number of another packet in its cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce

from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    BOOL,
    LIMB,
    Assign,
    Binary,
    BinaryOp,
    Body,
    CellField,
    Concat,
    Const,
    Effect,
    Expr,
    Extend,
    If,
    Register,
    Slice,
    Stmt,
    Unary,
    UnaryOp,
    Var,
    stored_width,
    width_of,
)
from p4xdp.records import dataclass

RING, NEXT = "copies_known", "copies_next"
SLOTS = 512
"""Cells of a CPU; a CPU makes at most some 64 packets into copies before it sends these."""

SLOT = Var("copy.$slot", 16)
"""The number of the cell, which rides along."""

WORD = LIMB // 8


@dataclass(frozen=True, slots=True)
class Piece:
    """`width` bits of a variable, 64 at most, from bit `low` on."""

    var: Var
    low: int
    width: int


Word = tuple[Piece, ...]


def packed(variables: Iterable[Var]) -> tuple[Word, ...]:
    """Return words that hold the variables, with as little as possible between them."""
    words: list[list[Piece]] = []
    pieces = [piece for var in variables for piece in _pieces(var)]
    for piece in sorted(pieces, key=lambda one: -one.width):
        room = (word for word in words if sum(p.width for p in word) + piece.width <= LIMB)
        word = next(room, None)
        if word is None:
            words.append([piece])
        else:
            word.append(piece)
    return tuple(map(tuple, words))


def _pieces(var: Var) -> Iterator[Piece]:
    width = stored_width(var.width)
    for low in range(0, width, LIMB):
        yield Piece(var, low, min(LIMB, width - low))


def registers(words: int) -> tuple[Register, ...]:
    """Return the rings, whose cells have so many words behind the number of the packet."""
    fields = [CellField("sequence", 0, LIMB)]
    fields += [CellField(f"word{i}", WORD * (1 + i), LIMB) for i in range(words)]
    ring = Register(RING, SLOTS, tuple(fields), is_per_cpu=True)
    return (ring, Register(NEXT, 1, (CellField("slot", 0, 32),), is_per_cpu=True))


def save(sequence: Var, words: Iterable[Word], value_of: Callable[[Var], Expr]) -> Iterator[Stmt]:
    """Yield what takes the next cell and fills it for the packet with the number `sequence`."""
    last = Var("copy.$last", 32)
    at, size = Const(0, 32), Const(4, 32)
    yield Effect("register_read", NEXT, (at, at, size), last)
    following = fold(Binary(BinaryOp.ADD, last, Const(1, 32)))
    yield Assign(last, fold(Binary(BinaryOp.AND, following, Const(SLOTS - 1, 32))))
    yield Effect("register_write", NEXT, (at, at, size, last), None)
    yield Assign(SLOT, fold(Slice(last, SLOT.width - 1, 0)))
    yield _write(0, fold(Extend(sequence, LIMB)))
    for i, word in enumerate(words, 1):
        yield _write(i, _joined(word, value_of))


def restore(
    sequence: Var, words: Iterable[Word], needed: Iterable[Var], otherwise: Body
) -> Iterator[Stmt]:
    """Yield what takes the variables that are needed from the cell; it does `otherwise` if the
    cell holds another packet by now."""
    wanted = set(needed)
    found = Var("copy.$found_sequence", LIMB)
    yield _read(0, found)
    yield If(
        Unary(UnaryOp.LNOT, Binary(BinaryOp.EQ, found, fold(Extend(sequence, LIMB)))), otherwise
    )
    parts: dict[Var, dict[int, Expr]] = {}
    for i, word in enumerate(words):
        if any(piece.var in wanted for piece in word):
            read = Var(f"copy.$word{i}", LIMB)
            yield _read(1 + i, read)
            for piece, low in _placed(word):
                part = fold(Slice(read, low + piece.width - 1, low))
                parts.setdefault(piece.var, {})[piece.low] = part
    for var, found_parts in parts.items():
        if var in wanted:
            yield Assign(var, _whole(var, found_parts))


def _whole(var: Var, parts: dict[int, Expr]) -> Expr:
    value = reduce(_concat, [parts[low] for low in sorted(parts, reverse=True)])
    return fold(Unary(UnaryOp.TO_BOOL, value)) if var.width == BOOL else value


def _joined(word: Word, value_of: Callable[[Var], Expr]) -> Expr:
    """Return the pieces of a word, the first one lowest."""
    values = []
    for piece in word:
        value = value_of(piece.var)
        value = fold(Unary(UnaryOp.TO_BITS, value)) if piece.var.width == BOOL else value
        values.append(fold(Slice(value, piece.low + piece.width - 1, piece.low)))
    joined = reduce(_concat, reversed(values))
    return joined if width_of(joined) == LIMB else fold(Extend(joined, LIMB))


def _placed(word: Word) -> Iterator[tuple[Piece, int]]:
    """Yield the pieces of a word with their lowest bits in it."""
    low = 0
    for piece in word:
        yield piece, low
        low += piece.width


def _concat(high: Expr, low: Expr) -> Expr:
    return fold(Concat(high, low))


def _read(word: int, result: Var) -> Stmt:
    return Effect("register_read", RING, (*_place(word),), result)


def _write(word: int, value: Expr) -> Stmt:
    return Effect("register_write", RING, (*_place(word), value), None)


def _place(word: int) -> tuple[Expr, Expr, Expr]:
    return fold(Extend(SLOT, 32)), Const(WORD * word, 32), Const(WORD, 32)
