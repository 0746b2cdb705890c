"""The parameters of a cyclic redundancy check as a program computes it: `struct p4xdp_crc` of the
run-time headers, half a byte at a time."""

from __future__ import annotations

import struct
from collections.abc import Callable

from p4xdp.records import dataclass

LAYOUT = struct.Struct("=16I4I")
"""Table, start, final, whether bytes come with their lowest bit first, whether to turn the end."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """`width` is 16 or 32; the names are those of the catalogue of checks."""

    width: int
    polynomial: int
    initial: int
    final: int
    reflect_in: bool
    reflect_out: bool


def encoded(crc: Parameters) -> bytes:
    """Return the struct."""
    start = _reflected(crc.initial, crc.width) if crc.reflect_in else crc.initial
    turned = crc.reflect_in != crc.reflect_out
    table = _lowest_first(crc) if crc.reflect_in else _highest_first(crc)
    return LAYOUT.pack(*table, start, crc.final, crc.reflect_in, turned)


def _lowest_first(crc: Parameters) -> list[int]:
    polynomial = _reflected(crc.polynomial, crc.width)
    return [_divided(i, lambda r: r >> 1 ^ (polynomial if r & 1 else 0)) for i in range(16)]


def _highest_first(crc: Parameters) -> list[int]:
    top, full = 1 << (crc.width - 1), (1 << crc.width) - 1

    def step(rest: int) -> int:
        return (rest << 1 & full) ^ (crc.polynomial if rest & top else 0)

    return [_divided(i << (crc.width - 4), step) for i in range(16)]


def _divided(rest: int, step: Callable[[int], int]) -> int:
    for _ in range(4):
        rest = step(rest)
    return rest


def _reflected(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)
