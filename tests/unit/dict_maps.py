"""The maps of a program without a program: what the control plane writes can be read back."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence

from p4xdp.description import Description
from p4xdp.runtime.libbpf import ANY, BpfError


class DictMaps:
    """Maps as dictionaries; arrays and data maps answer zeros where nothing was written."""

    def __init__(self, description: Description) -> None:
        self.maps = {m.name: m for m in description.maps}
        self.held: dict[str, dict[bytes, bytes]] = {m.name: {} for m in description.maps}
        self.writes: list[tuple[str, bytes]] = []

    def update(self, name: str, key: bytes, value: bytes, flags: int = ANY) -> None:
        map = self.maps[name]
        assert (len(key), len(value)) == (map.key_size, map.value_size)
        assert flags == ANY
        held = self.held[name]
        if key not in held and len(held) == map.max_entries:
            raise BpfError(errno.E2BIG, "update")
        held[key] = value
        self.writes.append((name, key))

    def update_many(self, name: str, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        for key, value in pairs:
            self.update(name, key, value)

    def lookup(self, name: str, key: bytes) -> bytes | None:
        map = self.maps[name]
        assert len(key) == map.key_size
        empty = None if map.type in ("hash", "lpm_trie", "percpu_hash") else bytes(map.value_size)
        return self.held[name].get(key, empty)

    def delete(self, name: str, key: bytes) -> bool:
        return self.held[name].pop(key, None) is not None

    def keys(self, name: str) -> Iterator[bytes]:
        return iter(self.held[name])

    def settle(self) -> None:
        self.writes.append(("settle", b""))
