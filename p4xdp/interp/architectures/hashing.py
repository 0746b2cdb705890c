"""The hash algorithms of v1model and PSA, by their names in lower case."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from p4xdp.interp import crc
from p4xdp.interp.machine import Run

Hash = Callable[[Run, bytes], int]


def _plain(function: Callable[[bytes], int]) -> Hash:
    return lambda run, data: function(data)


def _custom(width: int) -> Hash:
    return lambda run, data: run.machine.crc[width].over(data)


def _any(run: Run, data: bytes) -> int:
    """A hash of no promise: the data decide it, and nobody may count on how."""
    run.undefined_read = True
    return crc.CRC32.over(data)


HASHES: Mapping[str, Hash] = {
    "crc16": _plain(crc.CRC16.over),
    "crc32": _plain(crc.CRC32.over),
    "crc16_custom": _custom(16),
    "crc32_custom": _custom(32),
    "csum16": _plain(crc.csum16),
    "ones_complement16": _plain(crc.csum16),
    "xor16": _plain(crc.xor16),
    "identity": _plain(crc.identity),
    "random": _any,
    "target_default": _plain(crc.CRC32.over),
}
