"""Parser value sets: empty until the control plane fills them (section 13.11).

The control plane sees a table with one action, `member`, that does nothing. Its keys are the
fields of the set's type, or `value` for a type without fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.frontend import typed, types as t
from p4xdp.interp import expressions, keysets
from p4xdp.interp.keysets import Key
from p4xdp.interp.machine import Block, Run
from p4xdp.interp.tables import Choice, TableState
from p4xdp.interp.values import plain

MEMBER = "member"


def make_value_set(run: Run, block: Block, declared: typed.ValueSet, name: str) -> TableState:
    """Return an empty set of the control-plane name `name`."""
    member = typed.TableAction(typed.Action(MEMBER, (), typed.Block(())), ())
    table = typed.Table(
        name=declared.name,
        keys=tuple(_keys(declared.type, "", "exact")),
        actions=(member,),
        default=typed.ActionChoice(member.action, ()),
        default_const=True,
        entries=(),
        entries_const=False,
        size=declared.size,
        properties=(),
        span=declared.span,
    )
    is_in = Choice(member, ())
    return TableState(
        name=name,
        table=table,
        actions=table.actions,
        action_names=(MEMBER,),
        default=is_in,
        empty=is_in,
        size=max(1, expressions.known_number(run, block.frame, declared.size)),
        implementation=None,
        smallest_wins=False,
    )


def _keys(kind: t.Type, name: str, match: str) -> Iterator[typed.TableKey]:
    """Yield a key for each scalar; `@match(kind)` of a field says how it is matched."""
    match plain(kind):
        case t.Struct(fields=fields):
            for field in fields:
                inner = f"{name}.{field.name}" if name else field.name
                yield from _keys(field.type, inner, _match_kind(field, match))
        case t.Tuple(elements=elements):
            for i, element in enumerate(elements):
                yield from _keys(element, f"{name}.{i}" if name else f"element{i}", match)
        case _:
            yield typed.TableKey(typed.DefaultValue(kind), match, name or "value")


def _match_kind(field: t.FieldType, otherwise: str) -> str:
    for annotation in field.annotations:
        if annotation.startswith("match("):
            return annotation.removeprefix("match(").removesuffix(")")
    return otherwise


def contains(run: Run, members: TableState, keys: Sequence[Key]) -> bool:
    """Whether the keys are in the set; an undefined key decides where a member asks for it."""
    for i, key in enumerate(keys):
        if key.undefined and any(keysets.cares(one.matches[i]) for one in members.entries):
            run.undefined_read = True
    return members.lookup(keys) is not None
