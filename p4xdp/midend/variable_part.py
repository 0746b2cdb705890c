"""The bytes of a header part of variable length, word by word.

A part's words are its fields: 64 bits each, the last perhaps fewer, the first byte of the packet
highest, zeros behind the `size` bytes that are there. Out: statements that load or store as many
of them as the size says. Each access stands behind a check of its own, since the kernel's verifier
does not connect the size with the end of the packet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Concat,
    Const,
    Expr,
    Header,
    HeaderField,
    If,
    Load,
    Slice,
    Stmt,
    Store,
    Var,
)

SIZE_WIDTH = 32
"""Bits of a variable that holds a number of bytes."""


def load_words(
    header: Header, into: Sequence[Var], size: Expr, pointer: str, offset: int, fail: Body
) -> Body:
    """Return the loads of a part that starts `offset` bytes behind `pointer`; `into` holds 0
    where nothing is."""

    def load(item: HeaderField, count: int) -> Stmt:
        var = into[header.fields.index(item)]
        width = count * 8
        value: Expr = Load(pointer, offset * 8 + item.offset, width)
        if width < var.width:
            value = Concat(value, Const(0, var.width - width))
        return Assign(var, value)

    def more(item: HeaderField, at: int) -> Stmt:
        var = into[header.fields.index(item)]
        byte = Load(pointer, offset * 8 + item.offset + at * 8, 8)
        return Assign(var, fold(Binary(BinaryOp.OR, var, _shifted(byte, var.width, at))))

    cleared = tuple(Assign(var, Const(0, var.width)) for var in into)
    reach = _Reach(size, pointer, offset, fail)
    return (*cleared, *(s for item in header.fields for s in _word(item, reach, load, more)))


def store_words(
    header: Header, values: Sequence[Expr], size: Expr, pointer: str, offset: int, fail: Body
) -> Body:
    """Return the stores of a part that starts `offset` bytes behind `pointer`."""

    def part(item: HeaderField, first: int, count: int) -> Stmt:
        value, width = values[header.fields.index(item)], item.var.width
        high = width - first * 8 - 1
        sliced = fold(Slice(value, high, high - count * 8 + 1))
        return Store(pointer, offset * 8 + item.offset + first * 8, count * 8, sliced)

    reach = _Reach(size, pointer, offset, fail)
    return tuple(
        stmt
        for item in header.fields
        for stmt in _word(
            item, reach, lambda i, count: part(i, 0, count), lambda i, at: part(i, at, 1)
        )
    )


def _shifted(byte: Expr, width: int, at: int) -> Expr:
    """Return a byte in its place in a word, byte `at` from the highest on."""
    below = width - at * 8 - 8
    value = byte if below == 0 else Concat(byte, Const(0, below))
    return Concat(Const(0, at * 8), value) if at else value


class _Reach:
    """How far the bytes of a part go."""

    def __init__(self, size: Expr, pointer: str, offset: int, fail: Body) -> None:
        self.size = size
        self.pointer = pointer
        self.offset = offset
        self.fail = fail

    def check(self, end: int) -> Check:
        return Check(self.pointer, self.offset + end, self.fail)

    def holds(self, end: int) -> Expr:
        """Return whether the part has `end` bytes at least."""
        return fold(Binary(BinaryOp.LE, Const(end, SIZE_WIDTH), self.size))


def _word(
    item: HeaderField,
    reach: _Reach,
    whole: Callable[[HeaderField, int], Stmt],
    more: Callable[[HeaderField, int], Stmt],
) -> Body:
    """Return the access to a word: as a whole, or byte by byte as far as the part goes."""
    first, count = item.offset // 8, item.var.width // 8
    bytes_: Body = ()
    for at in reversed(range(count - 1)):
        end = first + at + 1
        access = whole(item, 1) if at == 0 else more(item, at)
        bytes_ = (If(reach.holds(end), (reach.check(end), access, *bytes_)),)
    end = first + count
    return (If(reach.holds(end), (reach.check(end), whole(item, count)), bytes_),)
