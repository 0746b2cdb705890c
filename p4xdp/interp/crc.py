"""Hashes and checksums over bytes, as v1model and PSA name them."""

from __future__ import annotations

from collections.abc import Mapping

from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Crc:
    """A cyclic redundancy check by its parameters; `width` is 16 or 32.

    `reflect_in` takes the bits of each byte from the least significant on, `reflect_out` turns
    the remainder around.
    """

    width: int
    polynomial: int
    initial: int
    final: int
    reflect_in: bool
    reflect_out: bool

    def over(self, data: bytes) -> int:
        top, full = 1 << (self.width - 1), (1 << self.width) - 1
        remainder = self.initial
        for byte in data:
            remainder ^= (_reflected(byte, 8) if self.reflect_in else byte) << (self.width - 8)
            for _ in range(8):
                shifted = remainder << 1 & full
                remainder = shifted ^ self.polynomial if remainder & top else shifted
        if self.reflect_out:
            remainder = _reflected(remainder, self.width)
        return remainder ^ self.final


CRC16 = Crc(16, 0x8005, 0, 0, True, True)
CRC32 = Crc(32, 0x04C11DB7, 0xFFFFFFFF, 0xFFFFFFFF, True, True)

CUSTOM_CRC: Mapping[int, Crc] = {16: CRC16, 32: CRC32}
"""What the custom ones compute until the control plane says otherwise."""


def _reflected(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


def ones_complement_sum(data: bytes) -> int:
    """Return the sum of the 16-bit words, carries added in; an odd byte is the high half of a
    word (RFC 1071)."""
    padded = data + bytes(len(data) % 2)
    total = sum(int.from_bytes(padded[i : i + 2], "big") for i in range(0, len(padded), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def csum16(data: bytes) -> int:
    """Return the internet checksum."""
    return ones_complement_sum(data) ^ 0xFFFF


def xor16(data: bytes) -> int:
    """Return the exclusive or of the 16-bit words; an odd byte is the high half of a word."""
    result = 0
    padded = data + bytes(len(data) % 2)
    for i in range(0, len(padded), 2):
        result ^= int.from_bytes(padded[i : i + 2], "big")
    return result


IDENTITY_BYTES = 8


def identity(data: bytes) -> int:
    """Return the first bytes as one number, 8 of them at most."""
    return int.from_bytes(data[:IDENTITY_BYTES], "big")
