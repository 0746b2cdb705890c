"""Random packets for a random program."""

from __future__ import annotations

from random import Random

from choices import Choices

ETHERNET_BYTES = 14
"""Bytes of the header that every packet starts with; the kernel asks for them."""

PACKETS = 20
FEW = (0, 0, 1)
SOME = (0, 1, 2, 255, 128, 5)
ANY = tuple(range(256))


def packets(choices: Choices, whole: int) -> tuple[bytes, ...]:
    """Return packets, most of them with `whole` bytes or a few more behind Ethernet."""
    return tuple(_packet(choices, whole) for _ in range(PACKETS))


def _packet(choices: Choices, whole: int) -> bytes:
    """One number makes all bytes of a packet, so that shrinking has little to do; 0 makes zeros."""
    size = whole + choices.below(3)
    if choices.chance(20):
        size = choices.below(size + 1)
    bytes_ = choices.of((FEW, SOME, ANY))
    number = choices.below(1 << 30)
    if not number:
        return bytes(ETHERNET_BYTES + size)
    random = Random(number)
    return random.randbytes(ETHERNET_BYTES) + bytes(random.choices(bytes_, k=size))
