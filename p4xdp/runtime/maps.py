"""The maps of a program by the names of its description, from an object or from its pins."""

from __future__ import annotations

import ctypes
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from p4xdp.runtime.capi import possible_cpus
from p4xdp.runtime.libbpf import ANY, BpfMap, BpfObject

MEMBARRIER = 324 if platform.machine() == "x86_64" else 283
"""The system call, which has a number of its own on x86-64."""

GLOBAL = 1
LONGEST_RUN = 0.05
"""Seconds to wait where the kernel has no membarrier."""


class KernelMaps:
    """Maps in the kernel by name, opened when first asked for.

    Every method raises BpfError with the kernel's errno, also for a name that is not there.
    """

    def __init__(self, open_map: Callable[[str], BpfMap]) -> None:
        self._open = open_map
        self._maps: dict[str, BpfMap] = {}

    @classmethod
    def of_object(cls, loaded: BpfObject) -> KernelMaps:
        """The maps of a loaded object."""
        return cls(loaded.map)

    @classmethod
    def of_pins(cls, directory: Path) -> KernelMaps:
        """The maps that are pinned in `directory`."""
        return cls(lambda name: BpfMap.pinned(directory / name))

    def __getitem__(self, name: str) -> BpfMap:
        if name not in self._maps:
            self._maps[name] = self._open(name)
        return self._maps[name]

    def update(self, name: str, key: bytes, value: bytes, flags: int = ANY) -> None:
        one = self[name]
        if one.per_cpu:
            rest = (bytes(len(value)),) * (possible_cpus() - 1)
            one.update_cpus(key, (value, *rest), flags)
        else:
            one.update(key, value, flags)

    def update_many(self, name: str, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        keys, values = (b"".join(column) for column in zip(*pairs, strict=True))
        self[name].update_many(keys, values)

    def lookup(self, name: str, key: bytes) -> bytes | None:
        return self[name].lookup(key)

    def delete(self, name: str, key: bytes) -> bool:
        return self[name].delete(key)

    def keys(self, name: str) -> Iterator[bytes]:
        return self[name].keys()

    def items(self, name: str) -> Iterator[tuple[bytes, bytes]]:
        return self[name].items()

    def settle(self) -> None:
        """Return when every packet that was in a program has left it."""
        wait_for_readers()

    def close(self) -> None:
        for one in self._maps.values():
            one.close()
        self._maps.clear()


def wait_for_readers() -> None:
    """Return after a grace period of the kernel: no program reads what it read before."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(ctypes.c_long(MEMBARRIER), ctypes.c_long(GLOBAL), 0, 0):
        time.sleep(LONGEST_RUN)
