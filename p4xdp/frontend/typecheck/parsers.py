"""Parsers: declarations, states, transitions, select (section 13)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import nearest
from p4xdp.frontend.typecheck.annotations import annotated
from p4xdp.frontend.typecheck.context import Context, Place, Rejected
from p4xdp.frontend.typecheck.conversion import describe, require_known
from p4xdp.frontend.typecheck.expressions import expression
from p4xdp.frontend.typecheck.functions import (
    bind_type_parameters,
    declare_parameters,
    parameters,
    specialised_name,
)
from p4xdp.frontend.typecheck.instances import constant, instantiation, variable
from p4xdp.frontend.typecheck.keysets import Key, keysets, leaves
from p4xdp.frontend.typecheck.resolve import resolve
from p4xdp.frontend.typecheck.spelling import quote
from p4xdp.frontend.typecheck.statements import statements
from p4xdp.frontend.types import Basic, ListShape, Struct, Tuple, Type

_FINAL = ("accept", "reject")


def parser(cx: Context, p: syntax.Parser, types: tuple[Type, ...] = ()) -> typed.Parser:
    """Check a parser, its type parameters bound to `types`; its name is bound by the caller."""
    with cx.block(Place.PARSER):
        bind_type_parameters(cx, p.type_parameters, types)
        run_time = parameters(cx, p.parameters, "parser")
        built = parameters(cx, p.constructor_parameters, "parser constructor")
        declare_parameters(cx, p.parameters + p.constructor_parameters, run_time + built)
        with cx.block():
            inner = _locals(cx, p.locals)
            states = _states(cx, p)
    return typed.Parser(
        specialised_name(p.name.text, types),
        run_time,
        built,
        inner,
        states,
        annotated(cx, p.annotations),
        p.span,
    )


def _locals(cx: Context, parts: Sequence[syntax.Declaration]) -> tuple[typed.LocalDeclaration, ...]:
    made: list[typed.LocalDeclaration] = []
    for part in parts:
        try:
            match part:
                case syntax.Constant():
                    made.append(constant(cx, part))
                case syntax.Variable():
                    made.append(variable(cx, part))
                case syntax.Instantiation():
                    made.append(instantiation(cx, part))
                case syntax.ValueSet():
                    made.append(value_set(cx, part))
                case _:
                    raise AssertionError("the grammar allows no other declaration here")
        except Rejected:
            continue
    return tuple(made)


def value_set(cx: Context, v: syntax.ValueSet) -> typed.ValueSet:
    """Check `value_set<T>(size) name;` and bind its name."""
    try:
        type = resolve(cx, v.type)
        if leaves(type) is None:
            raise cx.reject("bad-type", v.type.span, f"a value set cannot hold `{type}`")
        size = expression(cx, v.size)
        require_known(cx, size, "the size of a value set")
    except Rejected:
        cx.declare_broken(v.name)
        raise
    made = typed.ValueSet(v.name.text, type, size, annotated(cx, v.annotations), v.span)
    cx.declare(v.name, made)
    return made


# States


def _states(cx: Context, p: syntax.Parser) -> tuple[typed.State, ...]:
    names: dict[str, Span] = {}
    for state in p.states:
        if state.name.text in _FINAL:
            text = f"state `{state.name.text}` is there already: it cannot be declared"
            cx.diagnostics.error("duplicate", state.name.span, text)
        elif state.name.text in names:
            cx.duplicate(state.name, names[state.name.text])
        names.setdefault(state.name.text, state.name.span)
    if "start" not in names:
        cx.diagnostics.error(
            "no-start-state",
            p.name.span,
            f"parser `{p.name.text}` has no state `start`",
            help="name the first state `start`",
        )
    states = tuple([_state(cx, state, names) for state in p.states])
    _check_end(cx, p, states)
    return states


def _check_end(cx: Context, p: syntax.Parser, states: tuple[typed.State, ...]) -> None:
    """Report a parser that can reach neither accept nor reject."""
    targets = {state.name: _targets(state.transition) for state in states}
    waiting, seen = ["start"], {"start"}
    while waiting:
        for target in targets.get(waiting.pop(), ["reject"]):
            if target in _FINAL:
                return
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    cx.diagnostics.error(
        "never-ends",
        p.name.span,
        f"parser `{p.name.text}` never reaches `accept` or `reject`",
    )


def _targets(transition: typed.Goto | typed.Select) -> list[str]:
    """Return where a transition may go; a select that covers too little rejects."""
    if isinstance(transition, typed.Goto):
        return [transition.state]
    every = any(all(isinstance(k, typed.AnyKey) for k in c.keysets) for c in transition.cases)
    return [case.state for case in transition.cases] + ["reject"] * (not every)


def _state(cx: Context, s: syntax.State, names: dict[str, Span]) -> typed.State:
    with cx.block(Place.STATE):
        body = statements(cx, s.statements)
        transition: typed.Goto | typed.Select = typed.Goto("reject", s.span)
        outer, cx.hoisted = cx.hoisted, []
        try:
            transition = _transition(cx, s, names)
        except Rejected:
            pass
        body += tuple(cx.hoisted)
        cx.hoisted = outer
    return typed.State(s.name.text, body, transition, annotated(cx, s.annotations), s.span)


def _transition(cx: Context, s: syntax.State, names: dict[str, Span]) -> typed.Goto | typed.Select:
    match s.transition:
        case None:
            return typed.Goto("reject", s.span)
        case syntax.Name():
            return typed.Goto(_target(cx, s.transition, names), s.transition.span)
        case syntax.Select():
            return _select(cx, s.transition, names)


def _target(cx: Context, name: syntax.Name, names: dict[str, Span]) -> str:
    if name.text in names or name.text in _FINAL:
        return name.text
    best = nearest(name.text, iter((*names, *_FINAL)))
    notes = (Note(f"`{best}` is declared here", names[best]),) if best in names else ()
    raise cx.reject(
        "undeclared",
        name.span,
        f"state `{name.text}` is not declared",
        notes=notes,
        help=f"did you mean `{best}`?" if best else None,
    )


# Select


def _select(cx: Context, s: syntax.Select, names: dict[str, Span]) -> typed.Select:
    keys: list[typed.Expression] = []
    wanted: list[Key] = []
    for written in s.keys:
        value = expression(cx, written)
        type = _key_type(cx, value)
        wanted.append(Key(quote(written), type))
        keys += _scalars(cx, value, type)
    cases = []
    for case in s.cases:
        try:
            cases.append(_case(cx, case, wanted, names))
        except Rejected:
            continue
    return typed.Select(tuple(keys), tuple(cases), s.span)


def _key_type(cx: Context, value: typed.Expression) -> Type:
    type = value.type
    if isinstance(type, ListShape):
        type = Tuple(type.elements)
    if leaves(type) is None or isinstance(type, Struct):
        help = "write its width" if type is Basic.INT else None
        if isinstance(type, Struct):
            help = "write its fields as a list: `select(s.a, s.b)`"
        raise cx.reject(
            "bad-operand",
            value.span,
            f"`select` cannot decide on {describe(value.type)}",
            help=help,
        )
    return type


def _scalars(cx: Context, value: typed.Expression, type: Type) -> list[typed.Expression]:
    """Return the scalars of a key; a call that gives several is made once, into a variable."""
    match value, type:
        case typed.TupleLiteral(), Tuple(elements=types):
            parts = list(zip(value.elements, types, strict=True))
        case typed.StructLiteral(), Struct(fields=fields):
            given = dict(value.fields)
            parts = [(given[field.name], field.type) for field in fields]
        case typed.Call(), (Struct() | Tuple()):
            holder = typed.Variable("key", type, value, value.span)
            cx.hoisted.append(typed.Declare(holder, value.span))
            return _scalars(cx, typed.Ref(holder, type, value.span), type)
        case _, Struct(fields=fields):
            parts = [(typed.Field(value, f.name, f.type, value.span), f.type) for f in fields]
        case _, Tuple(elements=types):
            parts = [(typed.TupleIndex(value, i, t, value.span), t) for i, t in enumerate(types)]
        case _:
            return [value]
    return [scalar for part, inner in parts for scalar in _scalars(cx, part, inner)]


def _case(
    cx: Context, case: syntax.SelectCase, keys: list[Key], names: dict[str, Span]
) -> typed.SelectCase:
    found = _value_set_of(cx, case.keyset)
    if found is None:
        sets = keysets(cx, case.keyset, keys, "the `select`")
        return typed.SelectCase(sets, _target(cx, case.state, names), case.span)
    wanted = keys[0].type if len(keys) == 1 else Tuple(tuple([key.type for key in keys]))
    if leaves(found.type) != leaves(wanted):
        raise cx.reject(
            "type-mismatch",
            case.keyset.span,
            f"value set `{found.name}` holds `{found.type}`, the `select` decides on `{wanted}`",
            notes=(Note("it is declared here", found.span),),
        )
    sets = (typed.SetKey(found, case.keyset.span),)
    return typed.SelectCase(sets, _target(cx, case.state, names), case.span)


def _value_set_of(cx: Context, keyset: syntax.Keyset) -> typed.ValueSet | None:
    if not isinstance(keyset, syntax.ValueKey) or not isinstance(keyset.value, syntax.NameExpr):
        return None
    symbol = cx.find(keyset.value.name)
    if symbol is None or not isinstance(symbol.entity, typed.ValueSet):
        return None
    return symbol.entity
