"""The entries that a table holds, read back from its maps into the terms of the program.

A description and maps go in; `Listed` entries come out, const ones among them.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator

from p4xdp.description import OWN_MEMBER, Description, Field, Table
from p4xdp.records import dataclass, replace
from p4xdp.runtime import cells, profiles, ternary
from p4xdp.runtime.encode import MOST_PRIORITY, PRIORITY_KINDS, Match
from p4xdp.runtime.table_maps import MapAccess, default_value, ternary_entries


@dataclass(frozen=True, slots=True)
class Listed:
    """An entry: what its key fields match, in their order, the action's name and its data by name.

    `priority` is None in tables whose entries have none. `idle` is for how many nanoseconds no
    packet found the entry, `timeout` after how many it is out of date (0: never); None in tables
    without timeouts.
    """

    matches: tuple[Match, ...]
    action: str
    data: dict[str, int]
    priority: int | None = None
    idle: int | None = None
    timeout: int | None = None


def entries_of(description: Description, maps: MapAccess, table: Table) -> Iterator[Listed]:
    """Yield the entries of a table, those of a ternary one in the order in which they are tried;
    of one whose entries are constant none. Raises BpfError."""
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    for matches, value, priority in _found(maps, table):
        listed = _shown(description, maps, table, matches, value, priority)
        if table.last_hit:
            hit, timeout = cells.last_hit(maps, table, cells.cell_of(table, value) or 0)
            listed = replace(listed, idle=max(0, now - hit), timeout=timeout)
        yield listed


def _found(maps: MapAccess, table: Table) -> Iterator[tuple[tuple[Match, ...], bytes, int | None]]:
    """Yield what each entry matches, its value struct and its priority."""
    if table.map is None:
        return
    if table.kind == "ternary":
        for entry in ternary_entries(maps, table):
            yield _ternary(table, entry)
        return
    for key in tuple(maps.keys(table.map)):
        value = maps.lookup(table.map, key)
        if value is None:
            continue
        if table.kind == "array":
            if struct.unpack_from("=I", value, table.in_use_offset)[0]:
                (index,) = struct.unpack("=I", key)
                yield (_exact(table.keys[0], index),), value, None
        else:
            yield tuple(_of_map(table, key)), value, None


def _shown(
    description: Description,
    maps: MapAccess,
    table: Table,
    matches: tuple[Match, ...],
    value: bytes,
    priority: int | None,
) -> Listed:
    """Return an entry with its action; one that has a member of its own names that one's."""
    if profiles.profile_of(description, table) is not None:
        kind, number = profiles.leads_to(table, value)
        if kind == profiles.MEMBER and number >= OWN_MEMBER:
            members = profiles.members_table(description, table)
            assert members.map is not None
            own = maps.lookup(members.map, profiles.member_key(members, number))
            if own is not None:
                return _listed(members, matches, own, priority)
    return _listed(table, matches, value, priority)


def default_of(description: Description, maps: MapAccess, table: Table) -> Listed:
    """Return the default action in force, as an entry that matches nothing; raises BpfError."""
    if table.default_map is not None:
        return _shown(description, maps, table, (), default_value(maps, table), None)
    action = next(action for action in table.actions if action.id == table.default.id)
    pairs = zip(action.data, table.default.arguments, strict=True)
    return Listed((), action.name, {field.name: number for field, number in pairs})


def _listed(
    table: Table, matches: tuple[Match, ...], value: bytes, priority: int | None = None
) -> Listed:
    (id,) = struct.unpack_from("=I", value)
    action = next(action for action in table.actions if action.id == id)
    data = {field.name: _number(field, value) for field in action.data}
    return Listed(matches, action.name, data, priority)


def _of_map(table: Table, key: bytes) -> Iterator[Match]:
    """Yield what the key of a hash or an LPM trie matches."""
    for field in table.keys:
        number = _number(field, key)
        if field.match == "lpm":
            (length,) = struct.unpack_from("=I", key)
            yield _prefix(field, number, length - table.prefix_base)
        else:
            yield _exact(field, number)


def _ternary(table: Table, entry: bytes) -> tuple[tuple[Match, ...], bytes, int | None]:
    layout = ternary.layout_of(table)
    low = layout.range_offset or 0
    matches = []
    for field in table.keys:
        if field.match == "range":
            ends = _number(field, entry, low), _number(field, entry, low + table.key_size)
            matches.append(Match(0, 0, None, *ends))
        else:
            mask = _number(field, entry, layout.mask_offset)
            matches.append(Match(_number(field, entry), mask, None))
    value = entry[layout.value_offset : layout.value_offset + table.value_size]
    return tuple(matches), value, _priority(table, ternary.priority(table, entry))


def _priority(table: Table, stored: int) -> int | None:
    """Return the priority as it was given."""
    if not any(field.match in PRIORITY_KINDS for field in table.keys):
        return None
    return MOST_PRIORITY - stored if table.smallest_first else stored


def _exact(field: Field, number: int) -> Match:
    return Match(number, (1 << field.width) - 1, field.width)


def _prefix(field: Field, number: int, length: int) -> Match:
    return Match(number, ((1 << length) - 1) << (field.width - length), length)


def _number(field: Field, memory: bytes, start: int = 0) -> int:
    at = start + field.offset
    return int.from_bytes(memory[at : at + field.size], "big")
