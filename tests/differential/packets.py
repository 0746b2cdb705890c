"""Random packets for a random program."""

from __future__ import annotations

from choices import Choices

ETHERNET_BYTES = 14
"""Bytes of the header that every packet starts with; the kernel asks for them."""

PACKETS = 20
FEW = (0, 0, 1)
SOME = (0, 1, 2, 255, 128, 5)


def packets(choices: Choices, whole: int) -> tuple[bytes, ...]:
    """Return packets, most of them with `whole` bytes or a few more behind Ethernet."""
    return tuple(_packet(choices, whole) for _ in range(PACKETS))


def _packet(choices: Choices, whole: int) -> bytes:
    size = whole + choices.below(3)
    if choices.chance(20):
        size = choices.below(size + 1)
    kind = choices.below(3)
    data = bytearray(choices.below(1 << 8 * ETHERNET_BYTES).to_bytes(ETHERNET_BYTES, "big"))
    if kind == 2:
        data += choices.below(1 << 8 * size).to_bytes(size, "big")
    else:
        data += bytes(choices.of(SOME if kind else FEW) for _ in range(size))
    return bytes(data)
