"""Bit widths to C types, and structs with every byte of padding written out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from p4xdp.backend_c.model import Member, Struct
from p4xdp.description import scalar_size

BIG_ENDIAN = {1: "__u8", 2: "__be16", 4: "__be32", 8: "__be64"}
HOST = {1: "__u8", 2: "__u16", 4: "__u32", 8: "__u64"}


def variable_size(width: int) -> int:
    """Return the size of the smallest C type for `width` bits (BOOL too)."""
    return next(size for size in (1, 2, 4, 8) if size * 8 >= width)


def variable_type(width: int) -> str:
    return HOST[variable_size(width)]


def limbs(width: int) -> tuple[int, ...]:
    """Return the widths of the 64-bit limbs of a value, the highest, perhaps narrower, first."""
    if width <= 64:
        return (width,)
    top = width % 64
    return ((top,) if top else ()) + (64,) * (width // 64)


def round_up(size: int, align: int) -> int:
    return (size + align - 1) // align * align


def scalar(name: str, width: int, note: str = "") -> Member:
    """Return a key field or action datum, not yet placed."""
    size = scalar_size(width)
    if size in BIG_ENDIAN and width not in (24, 40, 48, 56) and width <= 64:
        return Member(name, BIG_ENDIAN[size], 0, 0, size, note)
    return Member(name, "__u8", size, 0, size, note)


def number(name: str, size: int, note: str = "") -> Member:
    """Return a member in host order, not yet placed."""
    return Member(name, HOST[size], 0, 0, size, note)


def alignment(member: Member) -> int:
    return 1 if member.count else member.size


def place(members: Iterable[Member], *, start: int = 0, align: int = 1) -> tuple[Member, ...]:
    """Return the members at offsets from `start` on, with padding between them and at the end.

    The end is a multiple of `align` and of every member's own alignment.
    """
    placed: list[Member] = []
    offset = start
    for member in members:
        offset = _pad(placed, offset, alignment(member))
        placed.append(
            Member(member.name, member.type, member.count, offset, member.size, member.note)
        )
        offset += member.size
    _pad(placed, offset, max([align, *(alignment(m) for m in placed)]))
    return tuple(placed)


def _pad(placed: list[Member], offset: int, align: int) -> int:
    """Append padding up to a multiple of `align`; return the offset behind it."""
    size = round_up(offset, align) - offset
    if size:
        number = sum(m.is_padding for m in placed)
        placed.append(Member(f"pad{number}", "__u8", size, offset, size))
    return offset + size


def end_of(members: Sequence[Member], start: int = 0) -> int:
    return members[-1].offset + members[-1].size if members else start


def struct(name: str, members: Iterable[Member], *, align: int = 1) -> Struct:
    """Return a struct of `members` in order."""
    placed = place(members, align=align)
    natural = max([1, *(alignment(m) for m in placed)])
    return Struct(name, placed, end_of(placed), natural)
