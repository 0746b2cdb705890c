"""Tables and their application (section 14.2)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import InternalError, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import (
    action_profiles,
    calls,
    entries,
    expressions,
    fold,
    keysets,
    properties,
    statements,
)
from p4xdp.frontend.elaborate.effects import ends
from p4xdp.frontend.elaborate.externs import direct
from p4xdp.frontend.elaborate.instances import join, local_name
from p4xdp.frontend.elaborate.storage import Names, allocate
from p4xdp.frontend.elaborate.trees import (
    Record,
    StackTree,
    Tree,
    UnionTree,
    contains_varbit,
    leaves,
    map_leaves,
    scalar_width,
)
from p4xdp.frontend.elaborate.walk import Block, Env, ExternObject, Members, Walk, named_leaves
from p4xdp.midend import ir
from p4xdp.midend.ir import UnaryOp
from p4xdp.records import dataclass, replace

MATCH_KINDS = ("exact", "lpm", "ternary", "optional", "range")


def apply(walk: Walk, env: Env, call: typed.Call) -> None:
    """Apply a table for its actions alone."""
    _emit_apply(walk, env, call, None, None)


def apply_for_hit(walk: Walk, env: Env, call: typed.Call) -> ir.Expr:
    """Apply a table; return whether an entry matched."""
    hit = walk.fresh(f"{_table(call).name}_hit", ir.BOOL)
    _emit_apply(walk, env, call, hit, None)
    return hit


def action_switch(walk: Walk, env: Env, statement: typed.ActionSwitch) -> None:
    """`switch (t.apply().action_run)`: default means any other action, hit or miss."""
    table = _table(statement.apply)
    run = walk.fresh(f"{table.name}_action", 32)
    _emit_apply(walk, env, statement.apply, None, run)
    if ends(walk.body):
        return
    order = [action.action for action in all_actions(table)]
    labels = [
        [None if label is None else order.index(label) for label in case.labels]
        for case in statement.cases
    ]
    bodies = [case.body for case in statement.cases]
    statements.emit_switch(walk, env, run, labels, bodies, statement)


def _table(call: typed.Call) -> typed.Table:
    if not isinstance(call.callee, typed.TableApply):
        raise InternalError("elaborate", f"{call} applies no table", call.span)
    return call.callee.table


def _emit_apply(
    walk: Walk, env: Env, call: typed.Call, hit: ir.Var | None, run: ir.Var | None
) -> None:
    table = _table(call)
    control = env.root
    declared = declare(walk, control, table)
    expressions_ = [key.expression for key in table.keys]
    keys = expressions.evaluate_all(walk, control, expressions_, call.span)
    if ends(walk.body):
        return
    counted = direct.objects(walk, control, table, declared.name)
    bits = _apart(table, [keysets.key_bits(key) for key in keys])
    profile = action_profiles.profile_of(walk, control, table, declared.name)
    if profile is not None:
        _emit_indirect(walk, control, call, bits, counted, profile, hit, run)
        return
    arms = _arms(walk, control, call, counted)
    walk.emit(ir.Apply(declared.name, bits.matched, arms, hit, run, call.span))


@dataclass(frozen=True, slots=True)
class _Keys:
    """The bits that entries match, and those that choose a member of a group."""

    matched: tuple[ir.Expr, ...]
    selected: tuple[ir.Expr, ...]


def _apart(table: typed.Table, bits: Sequence[ir.Expr]) -> _Keys:
    chooses = [key.match_kind == action_profiles.SELECTOR for key in table.keys]
    pairs = list(zip(bits, chooses, strict=True))
    return _Keys(tuple(b for b, is_ in pairs if not is_), tuple(b for b, is_ in pairs if is_))


def _emit_indirect(
    walk: Walk,
    control: Env,
    call: typed.Call,
    bits: _Keys,
    counted: list[ExternObject],
    profile: ExternObject,
    hit: ir.Var | None,
    run: ir.Var | None,
) -> None:
    """Look up which member it is, and then the member."""
    table = _table(call)
    chosen = action_profiles.chosen(walk, table, bool(counted))
    with walk.collect() as entered:
        if chosen.cell is not None:
            direct.enter(walk, counted, chosen.cell, call)
    arms = action_profiles.arms(walk, profile, chosen, bits.selected, tuple(entered), call.span)
    declared = declare(walk, control, table)
    walk.emit(ir.Apply(declared.name, bits.matched, arms, hit, None, call.span))
    members = walk.tables[control.block, Members(table)]
    arms = _arms(walk, control, call, [])
    direct.leave(walk, counted)
    walk.emit(ir.Apply(members.name, (chosen.member,), arms, None, run, call.span))


# Actions


def all_actions(table: typed.Table) -> tuple[typed.TableAction, ...]:
    """Return the actions of a table and, where the list lacks it, the default action, and for one
    with an action profile what a group without members does: nothing."""
    actions = _with(table.actions, _default_action(table))
    if not action_profiles.has_profile(table):
        return actions
    named = (one.action for one in actions if one.action.name == _NO_ACTION.name)
    return _with(actions, next(named, _NO_ACTION))


def _with(
    actions: tuple[typed.TableAction, ...], added: typed.Action
) -> tuple[typed.TableAction, ...]:
    """Return a list of actions in which `added` stands, for the default only if it is new."""
    if any(listed.action is added for listed in actions):
        return actions
    return (*actions, typed.TableAction(added, (), default_only=True))


_NO_ACTION = typed.Action("NoAction", (), typed.Block(()))
"""What a miss runs in a table with no default action, in a program without core.p4."""


def _default_action(table: typed.Table) -> typed.Action:
    return _NO_ACTION if table.default is None else table.default.action


def _data_parameters(action: typed.TableAction) -> Sequence[typed.Parameter]:
    return action.action.parameters[len(action.arguments) :]


def _arms(
    walk: Walk, control: Env, call: typed.Call, counted: list[ExternObject]
) -> tuple[ir.ActionArm, ...]:
    actions = all_actions(_table(call))
    return tuple(_arm(walk, control, i, action, counted, call) for i, action in enumerate(actions))


def _arm(
    walk: Walk,
    control: Env,
    index: int,
    action: typed.TableAction,
    counted: list[ExternObject],
    call: typed.Call,
) -> ir.ActionArm:
    """Return the code of an action, its data in variables of its own; `counted` are the direct
    objects of the table."""
    data: list[ir.Var] = []
    parameters = action.action.parameters
    arguments = [
        calls.Argument(parameter, expression)
        for parameter, expression in zip(parameters, action.arguments, strict=False)
    ]
    for parameter in _data_parameters(action):
        value = _data(walk, parameter, data)
        arguments.append(calls.Argument(parameter, value=value))
    with walk.collect() as body:
        if counted:
            cell = walk.fresh(f"{_table(call).name}_cell", 32)
            data.append(cell)
            direct.enter(walk, counted, cell, call)
        calls.call_action(walk, control, action.action, arguments, call.span)
        if counted:
            direct.leave(walk, counted)
    return ir.ActionArm(index, tuple(data), tuple(body))


def _data(walk: Walk, parameter: typed.Parameter, data: list[ir.Var]) -> Tree:
    """Return the value of a data parameter, adding its variables to `data`; truth values come
    as one bit, and of the members of a union only the first valid one is valid."""
    storage = _data_storage(walk.names, parameter)

    def stored(expr: ir.Expr) -> ir.Expr:
        if not isinstance(expr, ir.Var):
            raise InternalError("elaborate", f"{expr} is no storage")
        var = ir.Var(expr.name, ir.stored_width(expr.width))
        data.append(var)
        return fold.unary(UnaryOp.TO_BOOL, var) if expr.width == ir.BOOL else var

    return _exclusive(map_leaves(storage, stored))


def _data_storage(names: Names, parameter: typed.Parameter) -> Tree:
    if contains_varbit(parameter.type):
        raise fail(
            "unsupported",
            parameter.span,
            "the control plane cannot give a varbit to an action",
            help="give it as a bit<W>, and its size beside it",
        )
    return allocate(names, parameter.type, parameter.name, parameter.span)


def _exclusive(tree: Tree) -> Tree:
    """Return a value with at most one valid header in each union."""
    match tree:
        case Record(fields=fields):
            return Record(tuple((name, _exclusive(part)) for name, part in fields))
        case StackTree(elements=elements):
            return replace(tree, elements=tuple(_exclusive(element) for element in elements))
        case UnionTree(members=members):
            earlier: ir.Expr = ir.FALSE
            chosen = []
            for name, member in members:
                valid = fold.conjunction(member.valid, fold.negation(earlier))
                chosen.append((name, replace(member, valid=valid)))
                earlier = fold.disjunction(earlier, member.valid)
            return UnionTree(tuple(chosen))
        case _:
            return tree


# Declarations


def declare(walk: Walk, control: Env, table: typed.Table) -> ir.Table:
    """Return the IR table of a table in a control instance, made at its first use."""
    block = control.block
    if block is None:
        raise InternalError("elaborate", f"table {table.name} outside of any control")
    if (block, table) not in walk.tables:
        walk.tables[block, table] = _declare(walk, control, block, table)
    return walk.tables[block, table]


def _declare(walk: Walk, control: Env, block: Block, table: typed.Table) -> ir.Table:
    name = join(block.path, local_name(table.name, table.annotations))
    walk.take_name(name, (block.path, table), table.span)
    profile = action_profiles.profile_of(walk, control, table, name)
    counted = direct.objects(walk, control, table, name)
    declared = tuple(_action(block, action, bool(counted)) for action in all_actions(table))
    order = properties.order(walk, control, table)
    matched = [_key(key) for key in action_profiles.matched(table)]
    keys, made = entries.entries(walk, control, table, matched, order)
    storage = properties.storage(walk, control, table, len(made))
    if storage.implementation == "array_table" and not table.entries_const:
        _check_cells(table, made, storage.size)
    default = _default(walk, control, table)
    if counted:
        direct.declare(walk, counted, name, storage.size)
        default = direct.with_cell(default, ir.NO_CELL)
        made = tuple(
            replace(entry, choice=direct.with_cell(entry.choice, cell))
            for cell, entry in enumerate(made)
        )
    whole = ir.Table(
        name=name,
        keys=keys,
        actions=declared,
        default=default,
        default_const=table.default_const,
        entries=made,
        const_entries=table.entries_const,
        size=storage.size,
        implementation=storage.implementation,
        smallest_first=order.smallest_first,
        span=table.span,
    )
    if profile is None:
        return whole
    empty = choice(walk, control, table, table.empty_group) if table.empty_group else None
    return action_profiles.split(walk, block, table, whole, profile, empty)


def _check_cells(table: typed.Table, made: Sequence[ir.Entry], size: int) -> None:
    """Raise CompileError for an entry that an array has no cell for."""
    for entry in made:
        for test in entry.tests:
            if isinstance(test, ir.MaskTest) and test.value >= size:
                raise fail(
                    "out-of-range",
                    entry.span,
                    f"table `{table.name}` is an array of {size} cells: there is none with the "
                    f"number {test.value}",
                    help="give array_table a greater size, or use hash_table",
                )


def _key(key: typed.TableKey) -> ir.Key:
    width = scalar_width(key.expression.type)
    if width is None:
        raise fail(
            "unsupported",
            key.expression.span,
            f"a key of type `{key.expression.type}` is not supported",
            help="match on its fields, one key for each",
        )
    match key.match_kind:
        case "exact" | "lpm" | "ternary" | "optional" | "range" as kind:
            return ir.Key(key.name, ir.stored_width(width), kind, key.span)
        case kind:
            raise fail(
                "unsupported",
                key.span,
                f"the match kind `{kind}` is not supported",
                help=f"this target has {', '.join(MATCH_KINDS)}",
            )


def _action(block: Block, action: typed.TableAction, is_counted: bool) -> ir.TableAction:
    declared = action.action
    is_local = any(declared is other for other in block.declaration.locals)
    path = block.path if is_local else ""
    name = join(path, local_name(declared.name, declared.annotations))
    data = [
        ir.ActionData(label, ir.stored_width(ir.width_of(expr)))
        for parameter in _data_parameters(action)
        for label, expr in named_leaves(
            local_name(parameter.name, parameter.annotations), _data_storage(Names(), parameter)
        )
    ]
    if is_counted:
        data.append(ir.ActionData(ir.CELL, 32))
    return ir.TableAction(name, tuple(data), action.table_only, action.default_only)


def _default(walk: Walk, control: Env, table: typed.Table) -> ir.ActionChoice:
    chosen = table.default or typed.ActionChoice(_NO_ACTION, ())
    return choice(walk, control, table, chosen)


def choice(
    walk: Walk, control: Env, table: typed.Table, chosen: typed.ActionChoice
) -> ir.ActionChoice:
    """Return an action of the table with the numbers of its data."""
    actions = all_actions(table)
    index = next(i for i, a in enumerate(actions) if a.action is chosen.action)
    values = expressions.evaluate_all(walk, control, chosen.arguments, chosen.span)
    numbers: list[int] = []
    for value in values:
        for expr in leaves(value):
            if not isinstance(expr, ir.Const):
                raise InternalError("elaborate", "action data that is not known", chosen.span)
            numbers.append(expr.value)
    return ir.ActionChoice(index, tuple(numbers))
