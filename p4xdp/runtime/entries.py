"""Table entries, defaults and counters, as operations on maps.

A request and the description of a program go in; reads and writes of its maps come out. The maps
are reached through `MapAccess`, so that a native build, an object under test and a program on an
interface are changed by the same code. Every refusal is a CompileError at the place in the
request that is wrong; nothing is written then.
"""

from __future__ import annotations

import errno
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from p4xdp.description import Action, Counter, Description, Field, Table, encode_scalar
from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.runtime.libbpf import ANY, NOEXIST, BpfError
from p4xdp.runtime.names import resolve
from p4xdp.runtime.requests import (
    ActionCall,
    AddEntry,
    Argument,
    KeyMatch,
    Name,
    Number,
    RemoveAll,
    Request,
    SetDefault,
)

MOST_PRIORITY = 0xFFFFFFFF
ONE_CELL = bytes(4)
"""The key of the only cell of a data map."""


class MapAccess(Protocol):
    """The maps of a program by their names in the description, data maps included.

    Every method raises BpfError with the kernel's errno.
    """

    def update(self, name: str, key: bytes, value: bytes, flags: int = ANY) -> None: ...

    def lookup(self, name: str, key: bytes) -> bytes | None:
        """Return the value, None without an entry; per CPU, the values one behind the other."""

    def delete(self, name: str, key: bytes) -> bool: ...

    def keys(self, name: str) -> Iterable[bytes]: ...


@dataclass(frozen=True, slots=True)
class Match:
    """What one key field must be: `value` under `mask`, both as numbers of the field's width.

    `length` is the number of leading ones of a mask that is a prefix, None for another mask.
    """

    value: int
    mask: int
    length: int | None


def apply_request(description: Description, maps: MapAccess, request: Request) -> None:
    """Carry out a request; raises CompileError, and writes nothing, when it cannot be."""
    match request:
        case AddEntry():
            _add(description, maps, request)
        case SetDefault():
            _set_default(description, maps, request)
        case RemoveAll():
            _remove_all(description, maps, request.span)


def read_counter(description: Description, maps: MapAccess, name: Name, index: Number) -> int:
    """Return the sum over all CPUs of a counter's cell; 0 for a sparse one never counted."""
    counter = resolve(name, description.counters, _counter_name, "entry-counter", "counter")
    if not counter.sparse and index.value >= counter.size:
        raise fail(
            "entry-counter",
            index.span,
            f"counter `{counter.name}` has no cell {index.value}: its size is {counter.size}",
        )
    return counter_value(maps, counter, index.value)


def counter_value(maps: MapAccess, counter: Counter, index: int) -> int:
    """Return the sum over all CPUs of cell `index`; raises BpfError."""
    raw = maps.lookup(counter.map, struct.pack("=I", index))
    return sum(struct.unpack(f"={len(raw) // 8}Q", raw)) if raw else 0


def find_table(description: Description, name: Name) -> Table:
    """Return the table that a name means; raises CompileError."""
    return resolve(name, description.tables, lambda table: table.name, "entry-table", "table")


def _counter_name(counter: Counter) -> str:
    return counter.name


def _add(description: Description, maps: MapAccess, request: AddEntry) -> None:
    table = find_table(description, request.table)
    if table.kind == "constant":
        raise fail(
            "entry-constant",
            request.table.span,
            f"the entries of table `{table.name}` are constant",
        )
    matches = _matches(table, request)
    value = _value(table, request.action, for_default=False)
    match table.kind:
        case "ternary":
            _insert_ternary(maps, table, request, matches, value)
        case "array":
            cell = value.ljust(_cell_size(description, table), b"\0")
            _insert_array(maps, table, request, matches[0], cell)
        case _:
            key = _lpm_key(table, matches) if table.kind == "lpm" else _hash_key(table, matches)
            _insert(maps, table, request, key, value)


def _set_default(description: Description, maps: MapAccess, request: SetDefault) -> None:
    table = find_table(description, request.table)
    value = _value(table, request.action, for_default=True)
    if table.default_map is None:
        raise fail(
            "entry-constant",
            request.table.span,
            f"the default action of table `{table.name}` is constant",
        )
    _update(maps, table.default_map, ONE_CELL, value, request.span)


def _remove_all(description: Description, maps: MapAccess, span: Span) -> None:
    try:
        for table in description.tables:
            clear_table(description, maps, table)
    except BpfError as error:
        raise _refused(error, span) from error


def clear_table(description: Description, maps: MapAccess, table: Table) -> None:
    """Remove every entry that was added to a table; raises BpfError."""
    if table.map is None:
        return
    if table.ternary:
        maps.update(table.ternary.state_map, ONE_CELL, struct.pack("=Q", 0))
    elif table.kind == "array":
        empty = bytes(_cell_size(description, table))
        for index in range(table.size):
            maps.update(table.map, struct.pack("=I", index), empty)
    else:
        for key in tuple(maps.keys(table.map)):
            maps.delete(table.map, key)


# Actions


def _value(table: Table, call: ActionCall, *, for_default: bool) -> bytes:
    """Return the value struct for an action with its data."""
    action = resolve(
        call.name,
        table.actions,
        lambda action: action.name,
        "entry-action",
        f"action of table `{table.name}`",
    )
    _check_use(table, action, call.name.span, for_default)
    value = bytearray(table.value_size)
    struct.pack_into("=I", value, 0, action.id)
    for field, number in _data(action, call):
        _put(value, field, _in_range(field, number))
    return bytes(value)


def _check_use(table: Table, action: Action, span: Span, for_default: bool) -> None:
    if for_default and action.table_only:
        raise fail("entry-action", span, f"`{action.name}` is for entries only (@tableonly)")
    if not for_default and action.default_only:
        raise fail("entry-action", span, f"`{action.name}` is for the default only (@defaultonly)")


def _data(action: Action, call: ActionCall) -> list[tuple[Field, Number]]:
    """Return every action datum with its argument."""
    found: dict[str, Number] = {}
    for argument in call.arguments:
        field = _datum(action, argument)
        if field.name in found:
            raise fail("entry-argument", argument.name.span, f"`{field.name}` is given twice")
        found[field.name] = argument.value
    missing = [field.name for field in action.data if field.name not in found]
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        raise fail("entry-argument", call.name.span, f"action `{action.name}` needs {listed} too")
    return [(field, found[field.name]) for field in action.data]


def _datum(action: Action, argument: Argument) -> Field:
    what = f"parameter of action `{action.name}`"
    return resolve(argument.name, action.data, lambda field: field.name, "entry-argument", what)


def _in_range(field: Field, number: Number) -> int:
    if number.value >> field.width:
        raise _too_large(field, number)
    return number.value


def _too_large(field: Field, number: Number) -> CompileError:
    text = f"{number.text or number.value} does not fit `{field.name}`, a bit<{field.width}>"
    return fail("entry-value", number.span, text)


def _put(target: bytearray, field: Field, value: int) -> None:
    target[field.offset : field.offset + field.size] = encode_scalar(value, field.width)


# Keys


def _matches(table: Table, request: AddEntry) -> tuple[Match, ...]:
    """Return what each key field must be, in the table's order."""
    found: dict[str, Match] = {}
    for key in request.keys:
        field = _key_field(table, key.name)
        if field.name in found:
            raise fail("entry-key", key.name.span, f"key field `{field.name}` is given twice")
        found[field.name] = _match(field, key)
    for field in table.keys:
        if field.name not in found and field.match == "exact":
            text = f"key field `{field.name}` of table `{table.name}` is exact and needs a value"
            raise fail("entry-key", request.span, text)
    return tuple(found.get(field.name, Match(0, 0, 0)) for field in table.keys)


def _key_field(table: Table, name: Name) -> Field:
    """Find a key field, also by its number (`field0`) and behind `key.`."""
    plain = Name(name.text.removeprefix("key."), name.span)
    for index, field in enumerate(table.keys):
        if plain.text in (f"field{index}", field.c_name):
            return field
    what = f"key field of table `{table.name}`"
    return resolve(plain, table.keys, lambda field: field.name, "entry-key", what)


def _match(field: Field, key: KeyMatch) -> Match:
    full = (1 << field.width) - 1
    _in_range(field, key.value)
    if key.value.wildcard >> field.width:
        raise _too_large(field, key.value)
    mask = full & ~key.value.wildcard
    if key.prefix_length:
        mask &= _prefix_mask(field, key.prefix_length)
    length = _leading_ones(mask, field.width)
    if field.match == "exact" and mask != full:
        raise fail("entry-key", key.value.span, f"key field `{field.name}` is exact: give all bits")
    if field.match == "lpm" and length is None:
        text = f"key field `{field.name}` is lpm: only a prefix can be given"
        raise fail("entry-key", key.value.span, text)
    return Match(key.value.value & mask, mask, length)


def _prefix_mask(field: Field, length: Number) -> int:
    if length.value > field.width:
        text = f"a prefix of {length.value} bits does not fit `{field.name}`, a bit<{field.width}>"
        raise fail("entry-value", length.span, text)
    return ((1 << length.value) - 1) << (field.width - length.value)


def _leading_ones(mask: int, width: int) -> int | None:
    """Return the length of a prefix mask, None for a mask that is none."""
    length = mask.bit_count()
    return length if mask == ((1 << length) - 1) << (width - length) else None


def _hash_key(table: Table, matches: tuple[Match, ...]) -> bytes:
    key = bytearray(table.key_size)
    for field, match in zip(table.keys, matches, strict=True):
        _put(key, field, match.value)
    return bytes(key)


def _lpm_key(table: Table, matches: tuple[Match, ...]) -> bytes:
    key = bytearray(_hash_key(table, matches))
    pairs = zip(table.keys, matches, strict=True)
    length = next(match.length for field, match in pairs if field.match == "lpm")
    struct.pack_into("=I", key, 0, table.prefix_base + (length or 0))
    return bytes(key)


# Writing


def _insert(maps: MapAccess, table: Table, request: AddEntry, key: bytes, value: bytes) -> None:
    assert table.map is not None
    try:
        maps.update(table.map, key, value, NOEXIST)
    except BpfError as error:
        if error.errno == errno.EEXIST:
            raise _exists(table, request) from error
        if error.errno in (errno.E2BIG, errno.ENOSPC):
            raise _full(table, request) from error
        raise _refused(error, request.span) from error


def _insert_array(
    maps: MapAccess, table: Table, request: AddEntry, match: Match, value: bytes
) -> None:
    assert table.map is not None
    key = struct.pack("=I", match.value & 0xFFFFFFFF)
    if match.value >= table.size:
        text = f"table `{table.name}` is an array of {table.size}: {match.value} is past its end"
        raise fail("entry-value", request.keys[0].value.span, text)
    old = maps.lookup(table.map, key)
    if old and struct.unpack_from("=I", old, table.in_use_offset)[0]:
        raise _exists(table, request)
    cell = bytearray(value)
    struct.pack_into("=I", cell, table.in_use_offset, 1)
    _update(maps, table.map, key, bytes(cell), request.span)


def _cell_size(description: Description, table: Table) -> int:
    """Return the size of an array table's value with its `in_use` member."""
    return next(m.value_size for m in description.maps if m.name == table.map)


def _insert_ternary(
    maps: MapAccess,
    table: Table,
    request: AddEntry,
    matches: tuple[Match, ...],
    value: bytes,
) -> None:
    """Write all entries into the half that is not in force, then switch over at once."""
    assert table.map is not None
    assert table.ternary is not None
    layout = table.ternary
    priority = _priority(request)
    new = _ternary_entry(table, matches, priority, value)
    base, entries = ternary_entries(maps, table)
    if any(_identity(table, entry) == _identity(table, new) for entry in entries):
        raise _exists(table, request)
    if len(entries) == table.size:
        raise _full(table, request)
    behind = (i for i, e in enumerate(entries) if _priority_of(table, e) < priority)
    entries.insert(next(behind, len(entries)), new)
    other = 0 if base else table.size
    for index, entry in enumerate(entries, other):
        _update(maps, table.map, struct.pack("=I", index), entry, request.span)
    state = struct.pack("=Q", other << 32 | len(entries))
    _update(maps, layout.state_map, ONE_CELL, state, request.span)


def ternary_entries(maps: MapAccess, table: Table) -> tuple[int, list[bytes]]:
    """Return where the half in force starts, and its entries, the greatest priority first."""
    assert table.map is not None
    assert table.ternary is not None
    (state,) = struct.unpack("=Q", maps.lookup(table.ternary.state_map, ONE_CELL) or bytes(8))
    base, count = state >> 32, state & 0xFFFFFFFF
    keys = (struct.pack("=I", index) for index in range(base, base + count))
    return base, [maps.lookup(table.map, key) or b"" for key in keys]


def _ternary_entry(table: Table, matches: tuple[Match, ...], priority: int, value: bytes) -> bytes:
    assert table.ternary is not None
    layout = table.ternary
    mask = bytearray(table.key_size)
    for field, match in zip(table.keys, matches, strict=True):
        _put(mask, field, match.mask)
    entry = bytearray(layout.entry_size)
    key = _hash_key(table, matches)
    entry[layout.key_offset : layout.key_offset + len(key)] = key
    entry[layout.mask_offset : layout.mask_offset + len(mask)] = mask
    entry[layout.value_offset : layout.value_offset + len(value)] = value
    struct.pack_into("=I", entry, layout.priority_offset, priority)
    return bytes(entry)


def _identity(table: Table, entry: bytes) -> tuple[bytes, bytes, int]:
    """Return what no two entries have in common: key, mask and priority."""
    assert table.ternary is not None
    key, mask = table.ternary.key_offset, table.ternary.mask_offset
    size = table.key_size
    return entry[key : key + size], entry[mask : mask + size], _priority_of(table, entry)


def _priority(request: AddEntry) -> int:
    if request.priority is None:
        return 0
    if request.priority.value > MOST_PRIORITY:
        text = f"priority {request.priority.text} is greater than {MOST_PRIORITY}"
        raise fail("entry-value", request.priority.span, text)
    return request.priority.value


def _priority_of(table: Table, entry: bytes) -> int:
    assert table.ternary is not None
    offset = table.ternary.priority_offset
    return int.from_bytes(entry[offset : offset + 4], sys.byteorder)


def _update(maps: MapAccess, name: str, key: bytes, value: bytes, span: Span) -> None:
    try:
        maps.update(name, key, value, ANY)
    except BpfError as error:
        raise _refused(error, span) from error


def _exists(table: Table, request: AddEntry) -> CompileError:
    text = f"table `{table.name}` holds an entry with this key already"
    return fail("entry-exists", request.span, text)


def _full(table: Table, request: AddEntry) -> CompileError:
    text = f"table `{table.name}` is full: its size is {table.size}"
    return fail("entry-full", request.span, text, help="give the table a greater `size`")


def _refused(error: BpfError, span: Span) -> CompileError:
    return fail("entry-map", span, f"the kernel refused: {error}")
