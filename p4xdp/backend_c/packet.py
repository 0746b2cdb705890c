"""Bit ranges of a packet, as the byte accesses of p4xdp.h that reach them."""

from __future__ import annotations

from p4xdp.records import dataclass

LARGEST = 8
"""Bytes of the widest access."""


@dataclass(frozen=True, slots=True)
class Piece:
    """`width` bits that end `shift` bits above the end of the `size` bytes from `byte` on."""

    byte: int
    size: int
    shift: int
    width: int


def pieces(offset: int, width: int) -> tuple[Piece, ...]:
    """Return the accesses for `width` bits from bit `offset` on, the highest bits first.

    No access reaches a byte that holds none of the bits. Up to 8 bytes are one access; 64 bits
    or less that touch nine bytes are two.
    """
    first, last = offset // 8, (offset + width + 7) // 8
    shift = last * 8 - offset - width
    if last - first <= LARGEST:
        return (Piece(first, last - first, shift, width),)
    low = 8 - shift
    return (Piece(first, LARGEST, 0, width - low), Piece(last - 1, 1, shift, low))


def address(pointer: str, byte: int) -> str:
    """Return the C text for `byte` bytes behind `pointer`."""
    return f"{pointer} + {byte}" if byte else pointer
