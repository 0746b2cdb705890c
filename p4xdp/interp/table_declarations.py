"""A table's declaration becomes its state: actions, default, the program's own entries (14.2.1)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.frontend import typed, types as t
from p4xdp.interp import expressions, instances, keysets, operators
from p4xdp.interp.machine import Block, Run
from p4xdp.interp.tables import (
    DEFAULT_SIZE,
    SELECTOR,
    Choice,
    DirectObject,
    Entry,
    Profile,
    TableState,
    priorities,
)
from p4xdp.interp.values import Frame, Scalar, Thing, number

_NO_ACTION = typed.Action("NoAction", (), typed.Block(()))
"""What a miss runs in a program without core.p4."""


_NOTHING = typed.TableAction(_NO_ACTION, (), default_only=True)
"""What a group without members runs where the table does not list `NoAction`."""


def make_table(run: Run, block: Block, table: typed.Table, name: str) -> TableState:
    """Return the state that a table starts with."""
    profile = _first(_things(run, block.frame, table, IMPLEMENTATION, name))
    actions = _actions(table)
    nothing = next((a for a in actions if a.action.name == _NO_ACTION.name), _NOTHING)
    if profile is not None and nothing is _NOTHING:
        actions = (*actions, nothing)
    default = table.default or typed.ActionChoice(_NO_ACTION, ())
    smallest_wins = _property(run, block.frame, table, "largest_priority_wins") == 0
    state = TableState(
        name=name,
        table=table,
        actions=actions,
        action_names=tuple(_action_name(block, action.action) for action in actions),
        default=_choice(run, block.frame, actions, default),
        empty=_empty(run, block.frame, actions, table, nothing),
        size=_size(run, block.frame, table),
        implementation=_implementation(table),
        smallest_wins=smallest_wins,
        profile=profile,
        has_timeouts=_has_timeouts(run, block.frame, table),
        direct=_direct(_things(run, block.frame, table, DIRECT, name)),
    )
    delta = _property(run, block.frame, table, "priority_delta") or 1
    state.entries = _entries(run, block.frame, state, smallest_wins, delta)
    return state


def _actions(table: typed.Table) -> tuple[typed.TableAction, ...]:
    """Return the table's actions and, where the list lacks it, the default action."""
    default = table.default.action if table.default else _NO_ACTION
    if any(listed.action is default for listed in table.actions):
        return table.actions
    return (*table.actions, typed.TableAction(default, (), default_only=True))


def _action_name(block: Block, action: typed.Action) -> str:
    """Return the control-plane name: inside its control, or of the top level (18.3.1.4)."""
    is_local = any(action is other for other in block.declaration.locals)
    path = block.path if is_local else ""
    return instances.join(path, instances.local_name(action.name, action.annotations))


def _choice(
    run: Run, frame: Frame, actions: Sequence[typed.TableAction], choice: typed.ActionChoice
) -> Choice:
    listed = next(action for action in actions if action.action is choice.action)
    data = tuple([expressions.evaluate(run, frame, value) for value in choice.arguments])
    return Choice(listed, data)


def _empty(
    run: Run,
    frame: Frame,
    actions: Sequence[typed.TableAction],
    table: typed.Table,
    nothing: typed.TableAction,
) -> Choice:
    """Return what an entry runs whose group is empty."""
    if table.empty_group is None:
        return Choice(nothing, ())
    return _choice(run, frame, actions, table.empty_group)


# Properties


def _property(run: Run, frame: Frame, table: typed.Table, name: str) -> int | None:
    for prop in table.properties:
        if prop.name == name:
            return expressions.known_number(run, frame, prop.value)
    return None


TIMEOUTS = ("support_timeout", "psa_idle_timeout")


def _has_timeouts(run: Run, frame: Frame, table: typed.Table) -> bool:
    """Whether a property says so: the other values are false and the enum's NO_TIMEOUT."""
    values = [
        expressions.evaluate_scalar(run, frame, prop.value).value
        for prop in table.properties
        if prop.name in TIMEOUTS
    ]
    return any(value not in (False, "NO_TIMEOUT") for value in values)


def _size(run: Run, frame: Frame, table: typed.Table) -> int:
    """Return the most entries: `size`, what the implementation is given, or the usual."""
    given = expressions.known_number(run, frame, table.size) if table.size is not None else 0
    if given:
        return max(given, len(table.entries))
    for prop in table.properties:
        match prop.value:
            case typed.Construct(
                target=typed.Extern(name="hash_table" | "array_table"), arguments=(first, *_)
            ) if first:
                return expressions.known_number(run, frame, first)
    return max(DEFAULT_SIZE, len(table.entries))


def _implementation(table: typed.Table) -> str | None:
    for prop in table.properties:
        match prop.value:
            case typed.Construct(target=target) if prop.name == "implementation":
                return target.name
    return None


IMPLEMENTATION = ("implementation", "psa_implementation")
DIRECT = ("counters", "meters", "psa_direct_counter", "psa_direct_meter")


def _things(
    run: Run, frame: Frame, table: typed.Table, names: Sequence[str], path: str
) -> list[Thing]:
    """Return the instances that some properties name, or make under the table's name."""
    found: list[Thing] = []
    for prop in table.properties:
        match prop.value:
            case typed.Construct(target=target, arguments=arguments) if prop.name in names:
                where = prop.given or instances.join(path, prop.name)
                found.append(instances.make(run, frame, target, arguments, where, prop.value))
            case typed.Ref(type=t.ExternType()) if prop.name in names:
                found.append(expressions.thing(run, frame, prop.value))
    return found


def _first(found: Sequence[Thing]) -> Profile | None:
    return next((one for one in found if isinstance(one, Profile)), None)


def _direct(found: Sequence[Thing]) -> tuple[DirectObject, ...]:
    return tuple([one for one in found if isinstance(one, DirectObject)])


# Entries


def _entries(
    run: Run, frame: Frame, state: TableState, smallest_wins: bool, delta: int
) -> list[Entry]:
    table = state.table
    ranks = priorities(table.entries, smallest_wins, delta)
    made: list[Entry] = []
    for entry, rank in zip(table.entries, ranks, strict=True):
        sets = entry.keysets
        if len(sets) == 1 and isinstance(sets[0], typed.AnyKey):
            sets = sets * len(table.keys)
        pairs = [p for p in zip(sets, table.keys, strict=True) if p[1].match_kind != SELECTOR]
        sets = tuple([one for one, _ in pairs])
        types = [key.expression.type for key in state.keys]
        matches = tuple(
            [match_of(run, frame, one, kind) for one, kind in zip(sets, types, strict=True)]
        )
        choice = _choice(run, frame, state.actions, entry.choice)
        made.append(Entry(matches, choice, rank, entry.const, entry.span))
    return made


def match_of(run: Run, frame: Frame, keyset: typed.Keyset, kind: t.Type) -> keysets.Match:
    """Evaluate a keyset for a key of type `kind` (section 8.16)."""
    match keyset:
        case typed.AnyKey() | typed.SetKey():
            return keysets.Any()
        case typed.ValueKey(value=value):
            errors = run.machine.program.errors
            return keysets.exactly(keysets.key_of(_decided(run, frame, value), kind, errors))
        case typed.MaskKey(value=value, mask=mask):
            width = keysets.key_width(kind)
            bits = operators.pattern(number(_decided(run, frame, mask)), width)
            return keysets.Masked(number(_decided(run, frame, value)) & bits, bits)
        case typed.RangeKey(low=low, high=high):
            first, last = (number(_decided(run, frame, end)) for end in (low, high))
            return keysets.Between(first, last)


def _decided(run: Run, frame: Frame, expr: typed.Expression) -> Scalar:
    value = expressions.evaluate_scalar(run, frame, expr)
    run.observe(value)
    return value
