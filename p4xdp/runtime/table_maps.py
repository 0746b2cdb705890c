"""What stands in the maps of a table: the value structs of its entries, and of its default action.

The maps are reached through `MapAccess`, so that a native build, an object under test and a program
on an interface are read and changed by the same code.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from p4xdp.description import OFFSET_OF_SLOTS, Table
from p4xdp.diagnostics import NO_SPAN
from p4xdp.runtime import ternary
from p4xdp.runtime.encode import Rule, array_index, map_key, ternary_entry
from p4xdp.runtime.libbpf import ANY

ONE_CELL = bytes(4)
"""The key of the only cell of a data map."""


class MapAccess(Protocol):
    """The maps of a program by their names in the description, data maps included.

    Every method raises BpfError with the kernel's errno.
    """

    def update(self, name: str, key: bytes, value: bytes, flags: int = ANY) -> None: ...

    def update_many(self, name: str, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        """Store keys with their values; some may be stored when it fails."""

    def lookup(self, name: str, key: bytes) -> bytes | None:
        """Return the value, None without an entry; per CPU, the values one behind the other, of
        which `update` sets the first and clears the others."""

    def delete(self, name: str, key: bytes) -> bool: ...

    def keys(self, name: str) -> Iterable[bytes]: ...

    def settle(self) -> None:
        """Return when no packet is in the program that came in before the call."""


def value_of_entry(maps: MapAccess, table: Table, rule: Rule) -> bytes | None:
    """Return the value struct of an entry that is there; raises BpfError."""
    assert table.map is not None
    match table.kind:
        case "ternary":
            wanted = ternary.identity(table, ternary_entry(rule, bytes(table.value_size)))
            return held_values(maps, table).get(wanted)
        case "array":
            return held_values(maps, table).get(struct.pack("=I", array_index(rule, NO_SPAN)))
        case _:
            return maps.lookup(table.map, map_key(rule))


def all_values(maps: MapAccess, table: Table) -> Iterator[bytes]:
    """Yield the value structs of all entries and of the default action."""
    if table.map is not None:
        yield from held_values(maps, table).values()
    if table.default_map is not None:
        yield default_value(maps, table)


def held_values(maps: MapAccess, table: Table) -> dict[bytes, bytes]:
    """Return the value structs of a table's entries by the keys of its map, for a ternary table by
    their identity."""
    assert table.map is not None
    if table.ternary:
        start = table.ternary.value_offset
        end = start + table.value_size
        entries = ternary_entries(maps, table)
        return {ternary.identity(table, one): one[start:end] for one in entries}
    found = {key: maps.lookup(table.map, key) for key in list(maps.keys(table.map))}
    return {key: value for key, value in found.items() if value and _is_used(table, value)}


def _is_used(table: Table, value: bytes) -> bool:
    return table.kind != "array" or bool(struct.unpack_from("=I", value, table.in_use_offset)[0])


def put_default(maps: MapAccess, table: Table, value: bytes) -> None:
    """Change a default at once: the slot that is not in force first, then which one is."""
    assert table.default_map is not None
    if table.default_slots == 1:
        maps.update(table.default_map, ONE_CELL, value)
        return
    cell = bytearray(_defaults(maps, table))
    other = OFFSET_OF_SLOTS
    if _offset_in_force(cell) == OFFSET_OF_SLOTS:
        other += table.value_size
    cell[other : other + table.value_size] = value
    maps.update(table.default_map, ONE_CELL, bytes(cell))
    struct.pack_into("=Q", cell, 0, other)
    maps.update(table.default_map, ONE_CELL, bytes(cell))
    maps.settle()


def default_value(maps: MapAccess, table: Table) -> bytes:
    """Return the value struct of the default action in force; raises BpfError."""
    assert table.default_map is not None
    if table.default_slots == 1:
        return maps.lookup(table.default_map, ONE_CELL) or b""
    cell = _defaults(maps, table)
    offset = _offset_in_force(cell)
    return cell[offset : offset + table.value_size]


def _defaults(maps: MapAccess, table: Table) -> bytes:
    """Return the variable with both values of a default."""
    assert table.default_map is not None
    none = struct.pack("=Q", OFFSET_OF_SLOTS) + bytes(2 * table.value_size)
    return maps.lookup(table.default_map, ONE_CELL) or none


def _offset_in_force(cell: bytes | bytearray) -> int:
    (offset,) = struct.unpack_from("=Q", cell)
    return int(offset)


def ternary_entries(maps: MapAccess, table: Table) -> list[bytes]:
    """Return the entries in force, the greatest priority first; raises BpfError."""
    assert table.map is not None
    number, count = _ternary_state(maps, table)
    half = maps.lookup(table.map, struct.pack("=I", number)) if count else None
    return ternary.entries_of(table, half or b"", count)


def ternary_count(maps: MapAccess, table: Table) -> int:
    """Return how many entries are in force; raises BpfError."""
    return _ternary_state(maps, table)[1]


def _ternary_state(maps: MapAccess, table: Table) -> tuple[int, int]:
    """Return which half is in force and how many entries it has."""
    state_map = ternary.layout_of(table).state_map
    (state,) = struct.unpack("=Q", maps.lookup(state_map, ONE_CELL) or bytes(8))
    return state >> 32, state & 0xFFFFFFFF


def store_ternary(maps: MapAccess, table: Table, entries: list[bytes]) -> None:
    """Write the half that is not in force, switch over at once, wait for the last readers.

    Raises ternary.TooManyMasks.
    """
    assert table.map is not None
    other = 1 - _ternary_state(maps, table)[0]
    maps.update(table.map, struct.pack("=I", other), ternary.half_of(table, entries))
    state = struct.pack("=Q", other << 32 | len(entries))
    maps.update(ternary.layout_of(table).state_map, ONE_CELL, state)
    maps.settle()
