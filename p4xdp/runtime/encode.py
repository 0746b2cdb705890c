"""Requests as bytes: keys, values and ternary entries in the layout of the description.

A request and a table go in. What does not fit the table is a CompileError at the word that is
wrong: `entry-action`, `entry-argument`, `entry-key`, `entry-value`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from p4xdp.description import Action, ActionChoice, Entry, Field, Table, encode_scalar
from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.records import dataclass, replace
from p4xdp.runtime.names import fits, resolve, resolve_in_each
from p4xdp.runtime.requests import (
    ActionCall,
    ActionSet,
    AddEntry,
    Argument,
    Indirect,
    KeyMatch,
    Name,
    Number,
)

NO_CELL = 0xFFFFFFFF
"""What stands in a value for the cell that belongs to no entry."""

MOST_PRIORITY = 0xFFFFFFFF
_NUMBERED = re.compile(r"field([0-9]{1,9})")
PRIORITY_KINDS = ("ternary", "range", "optional")
"""The match kinds whose entries have priorities."""


@dataclass(frozen=True, slots=True)
class Match:
    """What one key field must be: `value` under `mask`, both as numbers of the field's width.

    `length` is the number of leading ones of a mask that is a prefix, None for another mask. A
    range goes from `low` to `high`, with value and mask 0.
    """

    value: int
    mask: int
    length: int | None
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """An entry in the terms of its table: a match for each key field."""

    table: Table
    matches: tuple[Match, ...]
    priority: int


def value_of(table: Table, call: ActionCall, *, for_default: bool) -> bytes:
    """Return the value struct for an action with its data."""
    return encoded(table, *chosen(table, call, for_default=for_default))


def encoded(table: Table, action: Action, data: list[int]) -> bytes:
    """Return the value struct for an action with its data in the order of `Action.data`."""
    value = bytearray(table.value_size)
    struct.pack_into("=I", value, 0, action.id)
    for field, number in zip(action.data, data, strict=True):
        _put(value, field, number)
    if action.cell is not None:
        struct.pack_into(">I", value, action.cell, NO_CELL)
    return bytes(value)


def called(table: Table, action: ActionCall | Indirect | ActionSet) -> ActionCall:
    """Return the action of an entry that names one itself; raises CompileError."""
    if isinstance(action, ActionCall):
        return action
    span = action.number.span if isinstance(action, Indirect) else action.span
    raise fail("entry-action", span, f"table `{table.name}` has no action profile")


def chosen(table: Table, call: ActionCall, *, for_default: bool) -> tuple[Action, list[int]]:
    """Return the action that a call means and its data, in the order of `Action.data`."""
    action = resolve(
        call.name,
        table.actions,
        lambda action: action.name,
        "entry-action",
        f"action of table `{table.name}`",
    )
    _check_use(action, call.name.span, for_default)
    return action, _numbers(action, call)


def chosen_in_each(
    tables: Sequence[Table], call: ActionCall, what: str
) -> list[tuple[Action, list[int]] | None]:
    """Return what an entry of each table would run with a call, None where the table has no such
    action for its entries; raises CompileError if none has. `what` is whose action it is."""
    lists = [table.actions for table in tables]
    found = resolve_in_each(
        call.name, lists, lambda action: action.name, "entry-action", f"action of {what}"
    )
    usable = [None if action is None or action.default_only else action for action in found]
    if not any(usable):
        _check_use(next(action for action in found if action), call.name.span, for_default=False)
    return [None if action is None else (action, _numbers(action, call)) for action in usable]


def _check_use(action: Action, span: Span, for_default: bool) -> None:
    if for_default and action.table_only:
        raise fail("entry-action", span, f"`{action.name}` is for entries only (@tableonly)")
    if not for_default and action.default_only:
        raise fail("entry-action", span, f"`{action.name}` is for the default only (@defaultonly)")


def _numbers(action: Action, call: ActionCall) -> list[int]:
    return [_in_range(field, number) for field, number in _data(action, call)]


def _data(action: Action, call: ActionCall) -> list[tuple[Field, Number]]:
    """Return every action datum with its argument."""
    found: dict[str, Number] = {}
    for position, argument in enumerate(call.arguments):
        field = _datum(action, argument, position)
        if field.name in found:
            span = argument.name.span if argument.name else argument.value.span
            raise fail("entry-argument", span, f"`{field.name}` is given twice")
        found[field.name] = argument.value
    missing = [field.name for field in action.data if field.name not in found]
    if missing:
        listed = ", ".join(f"`{name}`" for name in missing)
        raise fail("entry-argument", call.name.span, f"action `{action.name}` needs {listed} too")
    return [(field, found[field.name]) for field in action.data]


def _datum(action: Action, argument: Argument, position: int) -> Field:
    if argument.name is None:
        if position >= len(action.data):
            text = f"action `{action.name}` takes {len(action.data)} arguments"
            raise fail("entry-argument", argument.value.span, text)
        return action.data[position]
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
    return tuple(found.get(field.name, _anything(field)) for field in table.keys)


def _anything(field: Field) -> Match:
    high = (1 << field.width) - 1 if field.match == "range" else 0
    return Match(0, 0, 0, 0, high)


def _key_field(table: Table, name: Name) -> Field:
    """Find a key field, also by its number (`field0`) and behind `key.`."""
    plain = Name(name.text.removeprefix("key."), name.span)
    for index, field in enumerate(table.keys):
        if plain.text in (f"field{index}", field.c_name):
            return field
    numbered = _NUMBERED.fullmatch(plain.text)
    if numbered and not any(fits(plain, field.name) for field in table.keys):
        text = f"table `{table.name}` has no key field {numbered[1]}: they are numbered from 0"
        raise fail("entry-key", name.span, text, help=_keys_listed(table))
    what = f"key field of table `{table.name}`"
    return resolve(plain, table.keys, lambda field: field.name, "entry-key", what)


def _keys_listed(table: Table) -> str:
    listed = ", ".join(f"`{field.name}`" for field in table.keys)
    return f"its key is {listed}" if listed else "it has no key"


def _paired(field: Field, key: KeyMatch) -> KeyMatch:
    """Return a match in which the second number is what the kind of the key has."""
    if key.pair is None:
        return key
    match field.match:
        case "lpm":
            return replace(key, prefix_length=key.pair, pair=None)
        case "range":
            return replace(key, last=key.pair, pair=None)
        case "ternary" | "optional":
            return replace(key, mask=key.pair, pair=None)
        case kind:
            text = f"key field `{field.name}` is {kind}: give one number"
            raise fail("entry-key", key.pair.span, text)


def _match(field: Field, written: KeyMatch) -> Match:
    key = _paired(field, written)
    full = (1 << field.width) - 1
    if field.match == "range" or key.last:
        return _range(field, key)
    _in_range(field, key.value)
    if key.value.wildcard >> field.width:
        raise _too_large(field, key.value)
    mask = full & ~key.value.wildcard
    if key.prefix_length:
        mask &= _prefix_mask(field, key.prefix_length)
    if key.mask:
        mask &= _in_range(field, key.mask)
    length = _leading_ones(mask, field.width)
    if field.match == "optional" and mask == 0:
        return Match(0, 0, 0)
    if field.match in ("exact", "optional") and mask != full:
        text = f"key field `{field.name}` is {field.match}: give all bits"
        raise fail("entry-key", key.value.span, text)
    if field.match == "lpm" and length is None:
        text = f"key field `{field.name}` is lpm: only a prefix can be given"
        raise fail("entry-key", key.value.span, text)
    return Match(key.value.value & mask, mask, length)


def _range(field: Field, key: KeyMatch) -> Match:
    if field.match != "range":
        text = f"key field `{field.name}` is {field.match}: it takes no range"
        raise fail("entry-key", key.value.span, text)
    if key.value.wildcard or key.prefix_length or key.mask:
        text = f"key field `{field.name}` is range: give a number, or two with `..` between"
        raise fail("entry-key", key.value.span, text)
    low = _in_range(field, key.value)
    high = _in_range(field, key.last) if key.last else low
    if low > high:
        text = f"the range of `{field.name}` is empty: {key.value.text} is more than its end"
        raise fail("entry-value", key.value.span, text)
    return Match(0, 0, None, low, high)


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


def rule_of(table: Table, request: AddEntry) -> Rule:
    """Return what an entry that is asked for matches; raises CompileError."""
    matches = matches_of(table, request)
    return Rule(table, matches, _stored_priority(table, priority_of(table, request), matches))


def initial_rule(table: Table, entry: Entry) -> Rule:
    """Return what an entry of the program matches."""
    pairs = zip(table.keys, entry.keys, strict=True)
    matches = tuple(
        Match(0, 0, None, *key)
        if field.match == "range"
        else Match(*key, _leading_ones(key[1], field.width))
        for field, key in pairs
    )
    return Rule(table, matches, _stored_priority(table, entry.priority, matches))


def initial_value(table: Table, entry: Entry) -> bytes:
    """Return the value struct of an entry of the program."""
    return choice_value(table, entry.choice)


def choice_value(table: Table, choice: ActionChoice) -> bytes:
    """Return the value struct of an action that the program chose."""
    action = next(action for action in table.actions if action.id == choice.id)
    value = bytearray(table.value_size)
    struct.pack_into("=I", value, 0, action.id)
    for field, number in zip(action.data, choice.arguments, strict=True):
        _put(value, field, number)
    if action.cell is not None:
        struct.pack_into(">I", value, action.cell, NO_CELL)
    return bytes(value)


def map_key(rule: Rule) -> bytes:
    """Return the key of a hash or an LPM trie."""
    table = rule.table
    key = bytearray(_fields(table, rule.matches))
    if table.kind == "lpm":
        length = prefix_length(table, rule.matches)
        struct.pack_into("=I", key, 0, table.prefix_base + length)
    return bytes(key)


def prefix_length(table: Table, matches: tuple[Match, ...]) -> int:
    """Return the length in bits of an entry's prefix in the one lpm field of its table."""
    pairs = zip(table.keys, matches, strict=True)
    return next(match.length for field, match in pairs if field.match == "lpm") or 0


def array_index(rule: Rule, span: Span) -> int:
    """Return the cell of an array table that an entry goes to."""
    table, index = rule.table, rule.matches[0].value
    if index >= table.size:
        text = f"table `{table.name}` is an array of {table.size}: {index} is past its end"
        raise fail("entry-value", span, text)
    return index


def ternary_entry(rule: Rule, value: bytes) -> bytes:
    """Return an entry of a ternary table's array map, with the value `value`."""
    table, layout = rule.table, rule.table.ternary
    assert layout is not None
    entry = bytearray(layout.entry_size)

    def put(offset: int, numbers: list[int]) -> None:
        key = bytearray(table.key_size)
        for field, number in zip(table.keys, numbers, strict=True):
            _put(key, field, number)
        entry[offset : offset + len(key)] = key

    put(0, [match.value for match in rule.matches])
    put(layout.mask_offset, [match.mask for match in rule.matches])
    if layout.range_offset is not None:
        put(layout.range_offset, [match.low for match in rule.matches])
        put(layout.range_offset + table.key_size, [match.high for match in rule.matches])
    entry[layout.value_offset : layout.value_offset + len(value)] = value
    struct.pack_into("=I", entry, layout.priority_offset, rule.priority)
    return bytes(entry)


def priority_of(table: Table, request: AddEntry) -> int:
    """Return the priority of an entry, the least there is where none is given."""
    if request.priority is None:
        return MOST_PRIORITY if table.smallest_first else 0
    if request.priority.value > MOST_PRIORITY:
        text = f"priority {request.priority.text} is greater than {MOST_PRIORITY}"
        raise fail("entry-value", request.priority.span, text)
    first = "least" if table.smallest_first else "greatest"
    if request.order in ("table", first):
        return request.priority.value
    return MOST_PRIORITY - request.priority.value


def completed(table: Table, request: AddEntry) -> AddEntry:
    """Return a request that has its priority, which then is no argument of the action."""
    if request.changed:
        return replace(request, priority=completed(table, request.changed).priority, changed=None)
    if not request.priority_last or not isinstance(request.action, ActionCall):
        return request
    *arguments, last = request.action.arguments or (None,)
    if not any(field.match in PRIORITY_KINDS for field in table.keys):
        return replace(request, priority_last=False)
    if last is None:
        text = f"the priority is missing, which entries of table `{table.name}` have"
        raise fail("entry-argument", request.span, text, help="it stands behind the arguments")
    action = replace(request.action, arguments=tuple(arguments))
    return replace(request, action=action, priority=last.value, priority_last=False)


def _stored_priority(table: Table, priority: int, matches: tuple[Match, ...]) -> int:
    """Return the number by which the greatest wins."""
    if table.longest_first:
        return prefix_length(table, matches)
    return MOST_PRIORITY - priority if table.smallest_first else priority
