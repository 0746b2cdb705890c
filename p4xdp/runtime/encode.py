"""Requests as bytes: keys, values and ternary entries in the layout of the description.

A request and a table go in. What does not fit the table is a CompileError at the word that is
wrong: `entry-action`, `entry-argument`, `entry-key`, `entry-value`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from p4xdp.description import Action, Field, Table, encode_scalar
from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.runtime.names import resolve
from p4xdp.runtime.requests import ActionCall, AddEntry, Argument, KeyMatch, Name, Number

MOST_PRIORITY = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Match:
    """What one key field must be: `value` under `mask`, both as numbers of the field's width.

    `length` is the number of leading ones of a mask that is a prefix, None for another mask.
    """

    value: int
    mask: int
    length: int | None


def value_of(table: Table, call: ActionCall, *, for_default: bool) -> bytes:
    """Return the value struct for an action with its data."""
    action, data = chosen(table, call, for_default=for_default)
    value = bytearray(table.value_size)
    struct.pack_into("=I", value, 0, action.id)
    for field, number in zip(action.data, data, strict=True):
        _put(value, field, number)
    return bytes(value)


def chosen(table: Table, call: ActionCall, *, for_default: bool) -> tuple[Action, list[int]]:
    """Return the action that a call means and its data, in the order of `Action.data`."""
    action = resolve(
        call.name,
        table.actions,
        lambda action: action.name,
        "entry-action",
        f"action of table `{table.name}`",
    )
    _check_use(table, action, call.name.span, for_default)
    return action, [_in_range(field, number) for field, number in _data(action, call)]


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


def matches_of(table: Table, request: AddEntry) -> tuple[Match, ...]:
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


def _fields(table: Table, matches: tuple[Match, ...]) -> bytes:
    """Return the key struct with the values of the matches."""
    key = bytearray(table.key_size)
    for field, match in zip(table.keys, matches, strict=True):
        _put(key, field, match.value)
    return bytes(key)


def map_key(table: Table, request: AddEntry) -> bytes:
    """Return the key of a hash or an LPM trie."""
    matches = matches_of(table, request)
    key = bytearray(_fields(table, matches))
    if table.kind == "lpm":
        pairs = zip(table.keys, matches, strict=True)
        length = next(match.length for field, match in pairs if field.match == "lpm")
        struct.pack_into("=I", key, 0, table.prefix_base + (length or 0))
    return bytes(key)


def array_index(table: Table, request: AddEntry) -> int:
    """Return the cell of an array table that an entry goes to."""
    index = matches_of(table, request)[0].value
    if index >= table.size:
        text = f"table `{table.name}` is an array of {table.size}: {index} is past its end"
        raise fail("entry-value", request.keys[0].value.span, text)
    return index


def ternary_entry(table: Table, request: AddEntry, value: bytes) -> bytes:
    """Return an entry of a ternary table's array map, with the value `value`."""
    assert table.ternary is not None
    layout = table.ternary
    matches = matches_of(table, request)
    mask = bytearray(table.key_size)
    for field, match in zip(table.keys, matches, strict=True):
        _put(mask, field, match.mask)
    entry = bytearray(layout.entry_size)
    key = _fields(table, matches)
    entry[layout.key_offset : layout.key_offset + len(key)] = key
    entry[layout.mask_offset : layout.mask_offset + len(mask)] = mask
    entry[layout.value_offset : layout.value_offset + len(value)] = value
    struct.pack_into("=I", entry, layout.priority_offset, priority_of(request))
    return bytes(entry)


def priority_of(request: AddEntry) -> int:
    if request.priority is None:
        return 0
    if request.priority.value > MOST_PRIORITY:
        text = f"priority {request.priority.text} is greater than {MOST_PRIORITY}"
        raise fail("entry-value", request.priority.span, text)
    return request.priority.value
