"""Table entries, defaults and counters: operations carried out on maps.

`planning.py` makes the operations of requests; reads and writes of maps come out. The maps
are reached through `MapAccess`, so that a native build, an object under test and a program on an
interface are changed by the same code. An entry whose key (and, in a ternary table, priority) is
there already is replaced.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Container, Iterable, Sequence
from typing import assert_never

from p4xdp.description import (
    OWN_DEFAULT,
    OWN_MEMBER,
    Counter,
    Description,
    Entry,
    Profile,
    Table,
)
from p4xdp.diagnostics import NO_SPAN, CompileError, Span, fail
from p4xdp.records import replace
from p4xdp.runtime import cells, profiles, ternary
from p4xdp.runtime.encode import (
    choice_value,
    completed,
    initial_rule,
    initial_value,
)
from p4xdp.runtime.groups import Groups
from p4xdp.runtime.libbpf import BpfError
from p4xdp.runtime.operations import (
    ClearAll,
    Operation,
    Put,
    PutBack,
    PutCell,
    PutDefault,
    PutIndirect,
    PutTernary,
    PutTimeout,
    Remove,
)
from p4xdp.runtime.planning import cell_size, find_table, members_of, plan, put_of, rule_of_entry
from p4xdp.runtime.requests import (
    AddEntry,
    Indirect,
    Name,
    Number,
    Request,
)
from p4xdp.runtime.table_maps import (
    MapAccess,
    all_values,
    held_values,
    put_default,
    store_ternary,
    ternary_entries,
    value_of_entry,
)

FULL = (errno.E2BIG, errno.ENOSPC)
"""What the kernel says of a map that has no room for another key."""


def apply_requests(
    description: Description,
    maps: MapAccess,
    requests: Sequence[Request],
    groups: Groups | None = None,
) -> None:
    """Carry out requests in order; those about copies change `groups`.

    Raises CompileError with everything that is wrong with them, and nothing is written then; or,
    with part of them carried out, `entry-full` and `entry-map` for what the kernel refused.
    """
    carry_out(description, maps, plan(description, requests, groups))


def carry_out(description: Description, maps: MapAccess, operations: Sequence[Operation]) -> None:
    """Carry out what `plan` returned; raises CompileError for what the kernel refuses."""
    done = 0
    while done < len(operations):
        together = _together(operations, done)
        try:
            match together[0]:
                case PutTernary(table=table):
                    _put_ternary(description, maps, table, together)
                case Put(map=name, table=table) if len(together) > 1 and not cells.is_counted(
                    table
                ):
                    _put_many(maps, name, together)
                case _:
                    _put_one_by_one(description, maps, together)
        except BpfError as error:
            raise _refused(error, together[0]) from error
        done += len(together)


def _together(operations: Sequence[Operation], start: int) -> Sequence[Operation]:
    """Return the operations from `start` on that fill one table, as far as that is done at once."""
    first = operations[start]
    if not isinstance(first, Put | PutTernary):
        return [first]
    for end in range(start + 1, len(operations)):
        one = operations[end]
        if not isinstance(one, Put | PutTernary) or one.table is not first.table:
            return operations[start:end]
    return operations[start:]


def _put_one_by_one(
    description: Description, maps: MapAccess, operations: Sequence[Operation]
) -> None:
    for one in operations:
        try:
            _carry_out(description, maps, one)
        except BpfError as error:
            raise _refused(error, one) from error


def _put_many(maps: MapAccess, name: str, puts: Sequence[Operation]) -> None:
    """Store entries at once, or one by one when that fails, to say which one it is."""
    entries = [put for put in puts if isinstance(put, Put)]
    try:
        maps.update_many(name, [(put.key, put.value) for put in entries])
    except BpfError:
        for put in entries:
            try:
                maps.update(name, put.key, put.value)
            except BpfError as error:
                raise _refused(error, put) from error


def install_initial(
    description: Description, maps: MapAccess, kept: Container[str] = frozenset()
) -> None:
    """Put the entries and cells that a program starts with into its maps, but for those that are
    `kept` from before; raises CompileError."""
    for table in description.tables:
        if table.map not in kept:
            carry_out(description, maps, _initial(description, table, table.initial))
    for register in description.registers:
        if register.map not in kept:
            cells.fill(register, maps)


def _initial(description: Description, table: Table, entries: Iterable[Entry]) -> list[Operation]:
    return [
        put_of(description, initial_rule(table, entry), initial_value(table, entry), NO_SPAN)
        for entry in entries
    ]


def read_counter(
    description: Description, maps: MapAccess, name: Name, index: Number, unit: str | None = None
) -> int:
    """Return the sum over all CPUs of a counter's cell; 0 for a sparse one never counted. `unit` is
    `packets` or `bytes`, None for what it counts, packets where it counts both.

    Raises CompileError (`entry-counter`).
    """
    counter = cells.find_counter(description, name)
    if not counter.sparse and index.value >= counter.size:
        raise cells.no_cell(counter, index)
    if unit == "bytes" and counter.unit in ("amounts", "packets"):
        raise fail("entry-counter", name.span, f"counter `{counter.name}` counts no bytes")
    if unit == "packets" and counter.unit == "bytes":
        raise fail("entry-counter", name.span, f"counter `{counter.name}` counts no packets")
    return counter_value(maps, counter, index.value, unit)


def entry_cell(description: Description, maps: MapAccess, name: Name, entry: AddEntry) -> Number:
    """Return which cell of a direct counter belongs to an entry; raises CompileError."""
    counter = cells.find_counter(description, name)
    table = find_table(description, entry.table)
    if counter.table != table.name:
        text = f"counter `{counter.name}` does not belong to table `{table.name}`"
        raise fail("entry-counter", name.span, text)
    if table in description.absent.tables:
        return Number(0, span=name.span)
    value = None
    if table.map is not None:
        value = value_of_entry(
            maps, table, rule_of_entry(description, table, completed(table, entry))
        )
    if value is None:
        raise fail("entry-counter", name.span, "the entry is not there")
    return Number(cells.cell_of(table, value) or 0, span=name.span)


def counter_value(maps: MapAccess, counter: Counter, index: int, unit: str | None = None) -> int:
    """Return the sum over all CPUs of cell `index`; raises BpfError."""
    if not counter.map:
        return 0
    raw = maps.lookup(counter.map, struct.pack("=I", index)) or b""
    return cells.counted(counter, raw, unit)


# Operations on the maps


def _carry_out(description: Description, maps: MapAccess, operation: Operation) -> None:
    match operation:
        case Put(map=name, key=key, value=value, table=table):
            if cells.is_counted(table):
                value = _counted(description, maps, table, key, value)
            maps.update(name, key, value)
        case PutCell(key=key, value=value, table=table):
            if cells.is_counted(table):
                value = _counted(description, maps, table, key, value)
            _put_cell(maps, replace(operation, value=value))
        case PutTernary(table=table):
            _put_ternary(description, maps, table, [operation])
        case PutDefault(value=value, table=table):
            put_default(maps, table, value)
        case PutIndirect():
            _put_indirect(description, maps, operation)
        case PutTimeout():
            _put_timeout(maps, operation)
        case Remove():
            _remove(description, maps, operation)
        case PutBack(table=table):
            _put_back(description, maps, table)
        case cells.PutCells() | cells.PutCrc():
            _check_owner(description, maps, operation)
            operation.carry_out(maps)
        case profiles.ProfileChange():
            operation.carry_out(description, maps, lambda _, table: all_values(maps, table))
        case ClearAll(table=only):
            for table in (only,) if only else description.tables:
                if not profiles.is_of_members(description, table):
                    clear_table(description, maps, table)
        case _:
            assert_never(operation)


def _check_owner(
    description: Description, maps: MapAccess, put: cells.PutCells | cells.PutCrc
) -> None:
    """Raise CompileError for the cell of an entry that is not there."""
    if isinstance(put, cells.PutCrc) or put.owner is None:
        return
    table = next((one for one in description.tables if one.name == put.owner), None)
    if table is None or table.map is None:
        return
    held = held_values(maps, table).values()
    if put.cells[0] not in [cells.cell_of(table, value) for value in held]:
        raise cells.no_entry(table.name, put.cells[0], put.span)


def _put_timeout(maps: MapAccess, operation: PutTimeout) -> None:
    table = operation.rule.table
    value = value_of_entry(maps, table, operation.rule)
    if value is None:
        raise fail("entry-key", operation.span, f"table `{table.name}` has no such entry")
    cell = cells.cell_of(table, value) or 0
    time, _ = cells.last_hit(maps, table, cell)
    assert table.last_hit is not None
    maps.update(
        table.last_hit, struct.pack("=I", cell), cells.LAST_HIT.pack(time, operation.timeout)
    )


def _remove(description: Description, maps: MapAccess, operation: Remove) -> None:
    table = operation.rule.table
    assert table.map is not None
    old = value_of_entry(maps, table, operation.rule)
    if old is None:
        raise fail("entry-key", operation.span, f"table `{table.name}` has no such entry")
    put = put_of(description, operation.rule, bytes(table.value_size), operation.span)
    match put:
        case PutTernary(entry=gone):
            identity = ternary.identity(table, gone)
            held = ternary_entries(maps, table)
            store_ternary(
                maps, table, [one for one in held if ternary.identity(table, one) != identity]
            )
        case PutCell(key=key):
            maps.update(table.map, key, bytes(cell_size(description, table)))
        case Put(key=key):
            maps.delete(table.map, key)
    _give_up_own(description, maps, table, old, None)


def _put_back(description: Description, maps: MapAccess, table: Table) -> None:
    if table.default_map is None:
        return
    members = members_of(description, table)
    if members is not None:
        own = next(e for e in members.initial if e.keys[0][0] == OWN_DEFAULT)
        _put_member(maps, members, OWN_DEFAULT, initial_value(members, own))
    put_default(maps, table, choice_value(table, table.default))


# Entries that lead to members


def _put_indirect(description: Description, maps: MapAccess, operation: PutIndirect) -> None:
    """Store the member first, so that the entry leads to what is there."""
    table, rule, target = operation.table, operation.rule, operation.target
    old = None if rule is None else value_of_entry(maps, table, rule)
    if target is not None:
        profiles.check_target(description, maps, table, target)
    else:
        target = _put_own(description, maps, operation, old)
    value = profiles.numbered(table, target, for_default=rule is None)
    if rule is None:
        put_default(maps, table, value)
        return
    try:
        _carry_out(description, maps, put_of(description, rule, value, operation.span))
    except (BpfError, CompileError):
        _give_up_own(description, maps, table, value, old)
        raise
    _give_up_own(description, maps, table, old, value)


def _put_own(
    description: Description, maps: MapAccess, operation: PutIndirect, old: bytes | None
) -> Indirect:
    """Store the members that an entry has of its own, and the group of them for a set."""
    table, span = operation.table, operation.span
    profile = profiles.profile_of(description, table)
    assert profile is not None
    try:
        if operation.is_set:
            return _put_set(description, maps, profile, operation)
        members = profiles.members_table(description, table)
        number = OWN_DEFAULT if operation.rule is None else _own_number(maps, members, table, old)
        _put_member(maps, members, number, operation.own[0][0])
        return Indirect(Number(number, span=span))
    except BpfError as error:
        if error.errno not in FULL:
            raise
        raise profiles.no_room(profile.name, span) from error


def _put_set(
    description: Description, maps: MapAccess, profile: Profile, operation: PutIndirect
) -> Indirect:
    """Store members and their group, or none of them; raises BpfError."""
    members = profiles.members_table(description, operation.table)
    assert members.map is not None
    assert profile.groups is not None
    numbers: list[int] = []
    try:
        for value, weight in operation.own:
            number = _own_number(maps, members, operation.table, None)
            _put_member(maps, members, number, value)
            numbers += [number] * weight
        taken = set(maps.keys(profile.groups))
        group = next(n for n in _own_numbers(len(taken)) if profiles.NUMBER.pack(n) not in taken)
        value = profiles.group_value(profile, numbers)
        maps.update(profile.groups, profiles.NUMBER.pack(group), value)
    except BpfError:
        for number in set(numbers):
            maps.delete(members.map, profiles.member_key(members, number))
        raise
    return Indirect(Number(group, span=operation.span), is_group=True)


def _put_member(maps: MapAccess, members: Table, number: int, value: bytes) -> None:
    assert members.map is not None
    maps.update(members.map, profiles.member_key(members, number), value)


def _own_number(maps: MapAccess, members: Table, table: Table, old: bytes | None) -> int:
    """Return the number of the member that an entry has of its own, or of a new one."""
    if old is not None and (own := _own_of(table, old)) is not None and own[0] == profiles.MEMBER:
        return own[1]
    assert members.map is not None
    taken = set(maps.keys(members.map))
    free = (n for n in _own_numbers(len(taken)) if profiles.member_key(members, n) not in taken)
    return next(free)


def _own_numbers(taken: int) -> range:
    return range(OWN_MEMBER, OWN_MEMBER + taken + 1)


def _own_of(table: Table, value: bytes) -> tuple[str, int] | None:
    kind, number = profiles.leads_to(table, value)
    return (kind, number) if number >= OWN_MEMBER else None


def _give_up_own(
    description: Description, maps: MapAccess, table: Table, old: bytes | None, new: bytes | None
) -> None:
    """Remove what an entry had of its own, unless it still has it."""
    profile = profiles.profile_of(description, table)
    own = None if profile is None or old is None else _own_of(table, old)
    if profile is None or own is None or (new is not None and _own_of(table, new) == own):
        return
    kind, number = own
    members = profiles.members_table(description, table)
    assert members.map is not None
    maps.settle()
    numbers = {number}
    if kind == profiles.GROUP and profile.groups is not None:
        key = profiles.NUMBER.pack(number)
        numbers = set(profiles.group_members(maps.lookup(profile.groups, key) or bytes(4)))
        maps.delete(profile.groups, key)
    for one in numbers:
        maps.delete(members.map, profiles.member_key(members, one))


def _counted(
    description: Description, maps: MapAccess, table: Table, key: bytes, value: bytes
) -> bytes:
    """Return the value of an entry with the cell that it has already, or with a free one."""
    held = held_values(maps, table)
    if key in held:
        return cells.with_cell(table, value, cells.cell_of(table, held[key]) or 0)
    cell = cells.free_cell(table, held.values())
    cells.clear_cell(description, maps, table, cell)
    return cells.with_cell(table, value, cell)


def _counted_ternary(
    description: Description,
    maps: MapAccess,
    table: Table,
    held: dict[bytes, bytes],
    entry: bytes,
) -> bytes:
    """As _counted, for an entry of a ternary table; `held` are the entries by identity."""
    start = ternary.layout_of(table).value_offset
    identity = ternary.identity(table, entry)
    values = [other[start : start + table.value_size] for other in held.values()]
    if identity in held:
        old = held[identity][start : start + table.value_size]
        cell = cells.cell_of(table, old) or 0
    else:
        cell = cells.free_cell(table, values)
        cells.clear_cell(description, maps, table, cell)
    value = cells.with_cell(table, entry[start : start + table.value_size], cell)
    return entry[:start] + value + entry[start + table.value_size :]


def _put_cell(maps: MapAccess, put: PutCell) -> None:
    """Fill the cell before it is marked in use: the kernel copies piece by piece."""
    table = put.table
    assert table.map is not None
    old = maps.lookup(table.map, put.key)
    if not old or not struct.unpack_from("=I", old, table.in_use_offset)[0]:
        unmarked = bytearray(put.value)
        struct.pack_into("=I", unmarked, table.in_use_offset, 0)
        maps.update(table.map, put.key, bytes(unmarked))
    maps.update(table.map, put.key, put.value)


def clear_table(description: Description, maps: MapAccess, table: Table) -> None:
    """Remove every entry of a table but the const ones; raises BpfError."""
    if table.map is None:
        return
    gone = list(held_values(maps, table).values()) if members_of(description, table) else []
    _clear(description, maps, table)
    const = [entry.choice.arguments[0] for entry in table.initial if entry.const] if gone else []
    kept = {(profiles.MEMBER, number) for number in const}
    for value in gone:
        if _own_of(table, value) not in kept:
            _give_up_own(description, maps, table, value, None)


def _clear(description: Description, maps: MapAccess, table: Table) -> None:
    assert table.map is not None
    const = _initial(description, table, [entry for entry in table.initial if entry.const])
    if table.ternary:
        store_ternary(maps, table, [one.entry for one in const if isinstance(one, PutTernary)])
        return
    kept = {one.key for one in const if isinstance(one, Put | PutCell)}
    if table.kind == "array":
        empty = bytes(cell_size(description, table))
        for index in range(table.size):
            if (key := struct.pack("=I", index)) not in kept:
                maps.update(table.map, key, empty)
    else:
        for key in set(maps.keys(table.map)) - kept:
            maps.delete(table.map, key)


def _put_ternary(
    description: Description, maps: MapAccess, table: Table, puts: Sequence[Operation]
) -> None:
    """Put entries where their priority wants them, behind those of the same priority."""
    held = {ternary.identity(table, entry): entry for entry in ternary_entries(maps, table)}
    for put in puts:
        assert isinstance(put, PutTernary)
        entry = put.entry
        if cells.is_counted(table):
            entry = _counted_ternary(description, maps, table, held, entry)
        held[ternary.identity(table, entry)] = entry
        if len(held) > table.size:
            raise _full(table, put.span)
    ordered = sorted(held.values(), key=lambda entry: -ternary.priority(table, entry))
    try:
        store_ternary(maps, table, ordered)
    except ternary.TooManyMasks:
        text = f"the entries of table `{table.name}` have too many different masks"
        most = ternary.layout_of(table).masks
        raise fail("entry-full", puts[-1].span, text, help=f"use at most {most}") from None


def _refused(error: BpfError, operation: Operation) -> CompileError:
    if error.errno in FULL and isinstance(operation, Put | PutIndirect):
        return _full(operation.table, operation.span)
    return fail("entry-map", operation.span, f"the kernel refused: {error}")


def _full(table: Table, span: Span) -> CompileError:
    text = f"table `{table.name}` is full: its size is {table.size}"
    return fail("entry-full", span, text, help="give the table a greater `size`")
