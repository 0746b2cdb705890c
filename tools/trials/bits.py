"""Where in a packet a program looks: the bits behind an expression, and constants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from p4xdp.frontend import typed, types as t
from p4xdp.interp.events import Extracted
from p4xdp.interp.values import plain

Layout = tuple[tuple[str, int], ...]
"""The fields of a header with their widths in bits; a varbit counts as none."""


@dataclass(frozen=True)
class Bits:
    """`width` bits of a packet from `offset` on."""

    offset: int
    width: int

    def set(self, packet: bytes, value: int) -> bytes:
        """Return the packet with a value in these bits; one that is too short stays as it is."""
        size = len(packet) * 8
        if not self.width or self.offset + self.width > size:
            return packet
        shift = size - self.offset - self.width
        mask = ((1 << self.width) - 1) << shift
        changed = int.from_bytes(packet, "big") & ~mask | value << shift & mask
        return changed.to_bytes(len(packet), "big")

    def part(self, high: int, low: int) -> Bits:
        return Bits(self.offset + self.width - 1 - high, high - low + 1)


def width_of(kind: t.Type) -> int:
    match plain(kind):
        case t.Bit(width=width) | t.Int(width=width):
            return width
        case t.Basic.BOOL:
            return 1
        case t.Struct() | t.Header() as record:
            return sum(width for _, width in layout_of(record))
        case _:
            return 0


def layout_of(kind: t.Struct | t.Header) -> Layout:
    return tuple((field.name, width_of(field.type)) for field in kind.fields)


def fields(layout: Layout, offset: int) -> Iterator[tuple[str, Bits]]:
    """Yield the fields of a header that stands at an offset."""
    for name, width in layout:
        yield name, Bits(offset, width)
        offset += width


def bits_of(
    expression: typed.Expression, extracted: Sequence[Extracted], cursor: int
) -> Bits | None:
    """Return the bits of the packet whose value an expression is, None for any other value.

    `extracted` are the headers that were read so far, `cursor` is behind the last.
    """
    match expression:
        case typed.Cast(operand=operand):
            return bits_of(operand, extracted, cursor)
        case typed.Slice(base=base, high=high, low=low):
            whole = bits_of(base, extracted, cursor)
            return whole and whole.part(high, low)
        case typed.Binary(op="&" | "|" | "-" | "+", left=left):
            return bits_of(left, extracted, cursor)
        case typed.Call(callee=typed.MethodCallee(method=method), type=kind):
            return Bits(cursor, width_of(kind)) if method.name == "lookahead" else None
        case typed.Field(base=base, name=name):
            return _field(base, name, extracted, cursor)
        case _:
            return None


def _field(
    base: typed.Expression, name: str, extracted: Sequence[Extracted], cursor: int
) -> Bits | None:
    kind = plain(base.type)
    if not isinstance(kind, t.Header | t.Struct):
        return None
    layout = layout_of(kind)
    if isinstance(base, typed.Call):
        found = bits_of(base, extracted, cursor)
        return dict(fields(layout, found.offset))[name] if found else None
    names = tuple(one for one, _ in layout)
    same = [one for one in extracted if tuple(n for n, _ in one.fields) == names]
    path = _path(base)
    exact = [one for one in same if one.header == path]
    chosen = exact or same
    return dict(fields(layout, chosen[-1].offset))[name] if chosen else None


def _path(expression: typed.Expression) -> str:
    match expression:
        case typed.Ref(declaration=declaration):
            return declaration.name
        case typed.Field(base=base, name=name):
            return f"{_path(base)}.{name}"
        case typed.StackIndex(base=base, index=typed.Literal(value=value)):
            return f"{_path(base)}[{value}]"
        case _:
            return ""


def constant(expression: typed.Expression) -> int | None:
    """Return the number that an expression stands for, where the program says it outright."""
    match expression:
        case typed.Literal(value=int(value)):
            return int(value)
        case typed.Cast(operand=operand):
            return constant(operand)
        case typed.Ref(declaration=typed.Constant(value=value)):
            return constant(value)
        case _:
            return None
