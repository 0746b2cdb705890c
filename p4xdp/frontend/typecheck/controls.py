"""Controls: declarations and the apply block (section 14)."""

from __future__ import annotations

from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import Overloads
from p4xdp.frontend.typecheck.annotations import annotated
from p4xdp.frontend.typecheck.context import Context, Place, Rejected
from p4xdp.frontend.typecheck.control_plane import check_names
from p4xdp.frontend.typecheck.functions import (
    action,
    bind_type_parameters,
    declare_parameters,
    parameters,
    specialised_name,
)
from p4xdp.frontend.typecheck.instances import constant, instantiation, variable
from p4xdp.frontend.typecheck.statements import block
from p4xdp.frontend.typecheck.tables import table
from p4xdp.frontend.types import Basic, Type


def control(cx: Context, c: syntax.Control, types: tuple[Type, ...] = ()) -> typed.Control:
    """Check a control, its type parameters bound to `types`; its name is bound by the caller."""
    with cx.block(Place.CONTROL):
        bind_type_parameters(cx, c.type_parameters, types)
        run_time = parameters(cx, c.parameters, "control")
        built = parameters(cx, c.constructor_parameters, "control constructor")
        declare_parameters(cx, c.parameters + c.constructor_parameters, run_time + built)
        with cx.block():
            inner = _locals(cx, c)
            check_names(cx, specialised_name(c.name.text, types), inner)
            apply = _apply(cx, c)
    return typed.Control(
        specialised_name(c.name.text, types),
        run_time,
        built,
        inner,
        apply,
        annotated(cx, c.annotations),
        c.span,
    )


def _apply(cx: Context, c: syntax.Control) -> typed.Block:
    outer, cx.result = cx.result, Basic.VOID
    try:
        with cx.at(Place.APPLY):
            return block(cx, c.apply)
    finally:
        cx.result = outer


def _locals(cx: Context, c: syntax.Control) -> tuple[typed.LocalDeclaration, ...]:
    made: list[typed.LocalDeclaration] = []
    for part in c.locals:
        try:
            match part:
                case syntax.Constant():
                    made.append(constant(cx, part))
                case syntax.Variable():
                    made.append(variable(cx, part))
                case syntax.Instantiation():
                    made.append(instantiation(cx, part))
                case syntax.Action():
                    made.append(local_action(cx, part))
                case syntax.Table():
                    made.append(table(cx, part))
                case _:
                    raise AssertionError("the grammar allows no other declaration here")
        except Rejected:
            continue
    return tuple(made)


def local_action(cx: Context, a: syntax.Action) -> typed.Action:
    """Check an action and bind its name, at the top level too."""
    try:
        made = action(cx, a)
    except Rejected:
        cx.declare_broken(a.name)
        raise
    cx.declare(a.name, Overloads((made,)))
    return made
