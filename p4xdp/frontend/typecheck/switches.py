"""The switch statement: on the action that a table ran, or on a value (section 12.7)."""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.diagnostics import Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import Overloads, nearest
from p4xdp.frontend.typecheck.context import Context, Place, Rejected
from p4xdp.frontend.typecheck.conversion import convert, describe, require_known
from p4xdp.frontend.typecheck.expressions import expression
from p4xdp.frontend.types import (
    ApplyResult,
    Basic,
    Bit,
    EnumType,
    Int,
    SerializableEnum,
)

Block = Callable[[Context, syntax.Block], typed.Block]


def switch(cx: Context, s: syntax.Switch, block: Block) -> typed.Statement:
    """Check a switch; `block` checks the bodies."""
    if cx.place.in_parser:
        raise cx.reject(
            "not-allowed-here",
            s.span,
            f"`switch` cannot be used {cx.place.value}",
            help="use `transition select`",
        )
    _check_default(cx, s)
    try:
        apply = _applied(cx, s.selector)
        if apply is not None:
            return _action_switch(cx, s, apply, block)
        return _value_switch(cx, s, block)
    except Rejected:
        for case in s.cases:
            if case.body is not None:
                block(cx, case.body)
        raise


def _check_default(cx: Context, s: syntax.Switch) -> None:
    for case in s.cases[:-1]:
        if case.label is None:
            cx.diagnostics.error(
                "bad-label", case.span, "`default` must be the last label of a `switch`"
            )
            return


def _applied(cx: Context, selector: syntax.Expression) -> typed.Call | None:
    """Return the `t.apply()` of `t.apply().action_run`, None for another selector."""
    if not isinstance(selector, syntax.Member) or selector.name.text != "action_run":
        return None
    base = expression(cx, selector.base)
    return base if isinstance(base, typed.Call) and isinstance(base.type, ApplyResult) else None


def _bodies(
    cx: Context, s: syntax.Switch, block: Block
) -> list[tuple[list[syntax.SwitchCase], typed.Block | None]]:
    """Merge labels that fall through with the ones that they fall to."""
    groups: list[tuple[list[syntax.SwitchCase], typed.Block | None]] = []
    labels: list[syntax.SwitchCase] = []
    for case in s.cases:
        labels.append(case)
        if case.body is not None:
            groups.append((labels, block(cx, case.body)))
            labels = []
    if labels:
        groups.append((labels, None))
    return groups


# On actions


def _action_switch(
    cx: Context, s: syntax.Switch, apply: typed.Call, block: Block
) -> typed.Statement:
    if cx.place is not Place.APPLY:
        text = f"a `switch` on `action_run` cannot be used {cx.place.value}"
        raise cx.reject("not-allowed-here", s.span, text)
    assert isinstance(apply.callee, typed.TableApply)
    table = apply.callee.table
    seen: dict[str, Span] = {}
    cases = []
    for labels, body in _bodies(cx, s, block):
        actions: list[typed.Action | None] = []
        for case in labels:
            try:
                actions.append(_action_label(cx, case, table, seen))
            except Rejected:
                continue
        cases.append(typed.ActionCase(tuple(actions), body, labels[0].span))
    return typed.ActionSwitch(apply, tuple(cases), s.span)


def _action_label(
    cx: Context, case: syntax.SwitchCase, table: typed.Table, seen: dict[str, Span]
) -> typed.Action | None:
    label = case.label
    if label is None:
        return None
    if not isinstance(label, syntax.NameExpr):
        raise cx.reject(
            "bad-label", label.span, f"a label must be the name of an action of `{table.name}`"
        )
    name = label.name.text
    symbol = cx.find(label.name)
    known = symbol.entity.functions if symbol and isinstance(symbol.entity, Overloads) else ()
    for entry in table.actions:
        if any(entry.action is f for f in known) or (not known and entry.action.name == name):
            _first(cx, name, label.span, seen)
            return entry.action
    names = [entry.action.name for entry in table.actions]
    best = nearest(name, iter(names))
    raise cx.reject(
        "bad-label",
        label.span,
        f"table `{table.name}` has no action `{name}`",
        notes=(Note("the table is declared here", table.span),),
        help=f"did you mean `{best}`?" if best else None,
    )


def _first(cx: Context, key: str, span: Span, seen: dict[str, Span]) -> None:
    if key in seen:
        raise cx.reject(
            "duplicate",
            span,
            "this label stands twice in the `switch`",
            notes=(Note("the first one is here", seen[key]),),
        )
    seen[key] = span


# On values


def _value_switch(cx: Context, s: syntax.Switch, block: Block) -> typed.Statement:
    selector = expression(cx, s.selector)
    type = selector.type
    if not isinstance(type, Bit | Int | EnumType | SerializableEnum) and type is not Basic.ERROR:
        help = "write its width" if type is Basic.INT else None
        if type is Basic.BOOL:
            help = "use `if`"
        raise cx.reject(
            "type-mismatch",
            selector.span,
            f"a `switch` needs a number with a width, an enum or an error, not {describe(type)}",
            help=help,
        )
    seen: dict[str, Span] = {}
    cases = []
    for labels, body in _bodies(cx, s, block):
        values: list[typed.Expression | None] = []
        for case in labels:
            try:
                values.append(_value_label(cx, case, selector, seen))
            except Rejected:
                continue
        cases.append(typed.ValueCase(tuple(values), body, labels[0].span))
    return typed.ValueSwitch(selector, tuple(cases), s.span)


def _value_label(
    cx: Context, case: syntax.SwitchCase, selector: typed.Expression, seen: dict[str, Span]
) -> typed.Expression | None:
    if case.label is None:
        return None
    type = selector.type
    value = convert(
        cx,
        expression(cx, case.label),
        type,
        lambda given: f"a label of {given} for a `switch` on `{type}`",
        case.label,
    )
    require_known(cx, value, "a label of `switch`")
    match value:
        case typed.Literal(value=key):
            _first(cx, str(key), case.label.span, seen)
        case typed.EnumMember(name=name):
            _first(cx, name, case.label.span, seen)
        case _:
            pass
    return value
