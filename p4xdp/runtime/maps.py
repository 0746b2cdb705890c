"""The maps of a program by the names of its description, from an object or from its pins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from p4xdp.runtime.libbpf import ANY, BpfMap, BpfObject


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
        self[name].update(key, value, flags)

    def lookup(self, name: str, key: bytes) -> bytes | None:
        return self[name].lookup(key)

    def delete(self, name: str, key: bytes) -> bool:
        return self[name].delete(key)

    def keys(self, name: str) -> Iterator[bytes]:
        return self[name].keys()

    def items(self, name: str) -> Iterator[tuple[bytes, bytes]]:
        return self[name].items()

    def close(self) -> None:
        for one in self._maps.values():
            one.close()
        self._maps.clear()
