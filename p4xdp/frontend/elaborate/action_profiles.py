"""Tables whose entries lead to members of an action profile, or to groups of them.

Such a table becomes two tables of the IR: one whose entries are numbers of members and groups, and
one that holds the members' actions: the control plane puts a member there for every table of the
profile that has its action. The table's own default action is a member, too, and so is that of an
entry which names an action. A group without members runs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.description import MOST_OF_GROUP
from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import expressions, fold
from p4xdp.frontend.elaborate.externs.counters import size_of
from p4xdp.frontend.elaborate.externs.data import Data
from p4xdp.frontend.elaborate.externs.hashes import algorithm_of, digest_of
from p4xdp.frontend.elaborate.instances import join
from p4xdp.frontend.elaborate.walk import Block, Env, ExternObject, Members, Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp
from p4xdp.records import dataclass, replace

PROPERTIES = ("implementation", "psa_implementation")
"""The properties of a table that name its action profile."""

SELECTORS = ("action_selector", "ActionSelector")
PROFILES = ("action_profile", "ActionProfile", *SELECTORS)

SELECTOR = "selector"
"""The match kind of fields that choose a member of a group, and that no entry matches."""

NUMBER = 32
"""The width of the numbers of members and groups."""

MEMBER, GROUP = "member", "group"
"""The actions of a table whose entries are numbers."""


def is_profile(prop: typed.Property) -> bool:
    """Whether a property of a table names an action profile."""
    return (
        prop.name in PROPERTIES
        and isinstance(prop.value.type, t.ExternType)
        and prop.value.type.name in PROFILES
    )


def has_profile(table: typed.Table) -> bool:
    return any(is_profile(prop) for prop in table.properties)


def profile_of(walk: Walk, control: Env, table: typed.Table, name: str) -> ExternObject | None:
    """Return the action profile of the table with the control-plane name `name`."""
    for prop in table.properties:
        if is_profile(prop):
            found = expressions.instance(
                walk, control, prop.value, prop.given or join(name, prop.name)
            )
            if not isinstance(found, ExternObject):
                raise InternalError("elaborate", f"{found} is no action profile", prop.span)
            return found
    return None


def matched(table: typed.Table) -> list[typed.TableKey]:
    """Return the keys that entries match."""
    return [key for key in table.keys if key.match_kind != SELECTOR]


def split(
    walk: Walk,
    block: Block,
    table: typed.Table,
    whole: ir.Table,
    found: ExternObject,
    empty: ir.ActionChoice | None,
) -> ir.Table:
    """Return the table of numbers for a table that would hold actions; declare the profile, and
    the table of its members. `empty` is what a group without members runs, None for nothing."""
    profile = _declared(walk, found)
    has_cell = any(datum.name == ir.CELL for action in whole.actions for datum in action.data)
    members = _members(walk, table, whole, found, profile.size, has_cell, empty)
    walk.tables[block, Members(table)] = members
    tables = (*profile.tables, (whole.name, members.name))
    walk.profiles[found] = replace(profile, tables=tables)
    kinds = (MEMBER, GROUP) if profile.group_size else (MEMBER,)
    cell = (ir.ActionData(ir.CELL, NUMBER),) if has_cell else ()
    actions = tuple(ir.TableAction(kind, (ir.ActionData(kind, NUMBER), *cell)) for kind in kinds)
    own = _cells([whole.default, *(entry.choice for entry in whole.entries)], has_cell)
    default, *choices = (
        ir.ActionChoice(0, (number, *cells))
        for number, cells in zip(_own_numbers(whole), own, strict=True)
    )
    entries = tuple(
        replace(entry, choice=choice) for entry, choice in zip(whole.entries, choices, strict=True)
    )
    return replace(whole, actions=actions, default=default, entries=entries)


def _declared(walk: Walk, found: ExternObject) -> ir.Profile:
    if found not in walk.profiles:
        walk.take_name(found.path, found, found.span)
        has_groups = _kind(found) in SELECTORS
        size = size_of(found, 1 if has_groups else 0)
        most = min(size, MOST_OF_GROUP) if has_groups else 0
        walk.profiles[found] = ir.Profile(found.path, size, most, (), found.span)
    return walk.profiles[found]


def _kind(found: ExternObject) -> str:
    return found.declaration.name.partition("<")[0]


def _members(
    walk: Walk,
    table: typed.Table,
    whole: ir.Table,
    found: ExternObject,
    size: int,
    has_cell: bool,
    empty: ir.ActionChoice | None,
) -> ir.Table:
    name = f"{whole.name}_members"
    walk.take_name(name, (found, table), found.span)
    actions = tuple(
        replace(action, data=tuple(datum for datum in action.data if datum.name != ir.CELL))
        for action in whole.actions
    )
    nothing = next(i for i, action in enumerate(actions) if _is_nothing(action))
    choices = (whole.default, *(entry.choice for entry in whole.entries))
    is_const = (whole.default_const, *(entry.const for entry in whole.entries))
    entries = tuple(
        ir.Entry(
            (ir.MaskTest(number, fold.ones(NUMBER)),),
            replace(choice, arguments=choice.arguments[: -1 if has_cell else None]),
            1,
            const,
        )
        for number, choice, const in zip(_own_numbers(whole), choices, is_const, strict=True)
    )
    return ir.Table(
        name=name,
        keys=(ir.Key(MEMBER, NUMBER, "exact", found.span),),
        actions=actions,
        default=empty or ir.ActionChoice(nothing, ()),
        default_const=True,
        entries=entries,
        const_entries=False,
        size=size + whole.size + 1,
        span=found.span,
    )


def _is_nothing(action: ir.TableAction) -> bool:
    is_bare = all(datum.name == ir.CELL for datum in action.data)
    return action.name == "NoAction" and is_bare


def _own_numbers(whole: ir.Table) -> list[int]:
    """Return the numbers of the members that are the default and the entries of the program."""
    return [ir.OWN_DEFAULT, *(ir.OWN_MEMBER + i for i in range(len(whole.entries)))]


def _cells(choices: Sequence[ir.ActionChoice], has_cell: bool) -> list[tuple[int, ...]]:
    return [choice.arguments[-1:] if has_cell else () for choice in choices]


# Application


@dataclass(frozen=True, slots=True)
class Chosen:
    """The variables that hold the member that a table leads to, and the entry's cell."""

    member: ir.Var
    cell: ir.Var | None


def chosen(walk: Walk, table: typed.Table, has_cell: bool) -> Chosen:
    member = walk.fresh(f"{table.name}_member", NUMBER)
    return Chosen(member, walk.fresh(f"{table.name}_cell", NUMBER) if has_cell else None)


def arms(
    walk: Walk,
    found: ExternObject,
    result: Chosen,
    selected: Sequence[ir.Expr],
    entered: ir.Body,
    span: Span,
) -> tuple[ir.ActionArm, ...]:
    """Return the code of a table of numbers: what it leads to, then what each hit does.

    `selected` are the bits of the selector fields.
    """
    profile = walk.profiles[found]
    own = _arm(walk, 0, MEMBER, result, entered, span)
    if not profile.group_size:
        return (own,)
    with walk.collect() as body:
        group = walk.fresh(GROUP, NUMBER)
        arguments = (group, _hash(found, selected, span))
        walk.emit(ir.Effect("pick_member", profile.name, arguments, result.member, span))
    return (own, _arm(walk, 1, GROUP, result, entered, span, (group, tuple(body))))


def _arm(
    walk: Walk,
    index: int,
    name: str,
    result: Chosen,
    entered: ir.Body,
    span: Span,
    picked: tuple[ir.Var, ir.Body] | None = None,
) -> ir.ActionArm:
    if picked is None:
        number = walk.fresh(name, NUMBER)
        picked = (number, (ir.Assign(result.member, number, span),))
    data: tuple[ir.Var, ...] = (picked[0],)
    body = picked[1]
    if result.cell is not None:
        cell = walk.fresh("cell", NUMBER)
        data, body = (*data, cell), (*body, ir.Assign(result.cell, cell, span), *entered)
    return ir.ActionArm(index, data, body)


def _hash(found: ExternObject, selected: Sequence[ir.Expr], span: Span) -> ir.Expr:
    """Return the hash of the selector fields in 64 bits, cut to the width that the program says."""
    digest = digest_of(algorithm_of(found), Data(list(selected), []), span)
    width = size_of(found, 2)
    mask = ir.Const(fold.ones(min(width, ir.LIMB)), ir.LIMB)
    return fold.binary(BinaryOp.AND, fold.resize(digest, ir.LIMB), mask)
