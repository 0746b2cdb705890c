"""How much the tables and counters of a loaded program hold."""

from __future__ import annotations

import struct
import sys

from p4xdp.description import Counter, Meter, Register, Table, encode_scalar
from p4xdp.runtime import cells
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.table_maps import default_value, ternary_count


def entry_count(maps: KernelMaps, table: Table) -> int:
    """Return how many entries were added to a table; const entries do not count."""
    if table.map is None:
        return 0
    match table.kind:
        case "ternary":
            return ternary_count(maps, table)
        case "array":
            return sum(_in_use(value, table.in_use_offset) for _, value in maps.items(table.map))
        case _:
            return sum(1 for _ in maps.keys(table.map))


def _in_use(value: bytes, offset: int) -> bool:
    return value[offset : offset + 4] != bytes(4)


def default_is_changed(maps: KernelMaps, table: Table) -> bool:
    """Say whether the default action is another one than the source declares."""
    if table.default_map is None:
        return False
    value = default_value(maps, table)
    (id,) = struct.unpack_from("I", value)
    action = next(a for a in table.actions if a.id == table.default.id)
    declared = zip(action.data, table.default.arguments, strict=True)
    return bool(
        id != action.id
        or any(
            value[d.offset : d.offset + d.size] != encode_scalar(argument, d.width)
            for d, argument in declared
        )
    )


def register_is_changed(maps: KernelMaps, register: Register) -> bool:
    """Say whether a cell holds something else than what the program starts with."""
    first = bytes.fromhex(register.initial) or bytes(register.cell_size)
    return any(value != first for _, value in maps.items(register.map))


def meters_set(maps: KernelMaps, meter: Meter) -> int:
    """Return how many cells have rates."""
    return sum(cells.has_rates(value) for _, value in maps.items(meter.map))


def register_cells(maps: KernelMaps, register: Register) -> dict[int, int]:
    """Return the cells that are not zero, by index; the fields of a cell stand one behind the
    other."""
    found = {}
    for key, value in maps.items(register.map):
        number = 0
        for field in register.fields:
            raw = value[field.offset : field.offset + field.size]
            number = number << field.width | int.from_bytes(raw, "big")
        if number:
            found[int.from_bytes(key, sys.byteorder)] = number
    return found


def counter_cells(maps: KernelMaps, counter: Counter) -> dict[int, int]:
    """Return the cells that are not zero, summed over the CPUs, by index; packets where a counter
    counts both."""
    found = {}
    for key, value in maps.items(counter.map):
        total = cells.counted(counter, value)
        if total:
            found[int.from_bytes(key, sys.byteorder)] = total
    return found
