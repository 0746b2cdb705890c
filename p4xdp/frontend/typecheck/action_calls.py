"""Actions in tables: the list binds parameters with a direction, entries and defaults the data."""

from __future__ import annotations

from p4xdp.diagnostics import Note
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.scope import Overloads, nearest
from p4xdp.frontend.typecheck.arguments import Given, Signature, invoke
from p4xdp.frontend.typecheck.context import Context, Place
from p4xdp.frontend.typecheck.conversion import require_known
from p4xdp.frontend.typecheck.expressions import arguments
from p4xdp.frontend.typecheck.spelling import spell
from p4xdp.frontend.types import Basic

Written = dict[str, syntax.ActionRef]


def bind_directions(
    cx: Context, action: typed.Action, ref: syntax.ActionRef
) -> tuple[typed.Expression, ...]:
    """Return the arguments of `ref` in an action list: all parameters with a direction."""
    directed = tuple([p for p in action.parameters if p.direction])
    with cx.at(Place.ARGUMENT):
        given = arguments(cx, ref.arguments or ())
        if len(given) > len(directed) and not any(g.name for g in given):
            _refuse_data(cx, action, given[len(directed)], len(directed))
        signature = Signature("action", action.name, directed, Basic.VOID, action.span)
        call = invoke(cx, signature, (), given, ref.span)
    return tuple([a for a in call.arguments if a is not None])


def _refuse_data(cx: Context, action: typed.Action, given: Given, bound: int) -> None:
    if bound < len(action.parameters):
        data = action.parameters[bound]
        raise cx.reject(
            "wrong-arguments",
            given.span,
            f"`{data.name}` of action `{action.name}` is action data: it cannot be bound in the"
            " list of actions",
            notes=(Note(f"`{data.name}` is declared here", data.span),),
            help="the entries of the table give its value",
        )


def bind_default(
    cx: Context,
    table: str,
    actions: tuple[typed.TableAction, ...],
    written: Written,
    value: syntax.Expression,
    what: str = "the default action",
) -> typed.ActionChoice:
    """Return what runs for no entry, called `what` in messages; it must be in the list."""
    ref = _as_reference(cx, value, what)
    listed = in_list(cx, table, actions, ref)
    if listed.table_only:
        text = f"action `{ref.name.text}` is `@tableonly`, so it cannot be {what}"
        raise cx.reject(
            "bad-action", ref.span, text, notes=(Note("it is listed here", listed.span),)
        )
    return bind_data(cx, listed, written[ref.name.text], ref)


def _as_reference(cx: Context, value: syntax.Expression, what: str) -> syntax.ActionRef:
    match value:
        case syntax.NameExpr(name=name):
            return syntax.ActionRef(name, None, (), value.span)
        case syntax.Call(callee=syntax.NameExpr(name=name), arguments=given):
            return syntax.ActionRef(name, given, (), value.span)
        case syntax.Call(callee=syntax.TypeExpr(type=syntax.NamedType(name=name)), arguments=given):
            return syntax.ActionRef(name, given, (), value.span)
        case syntax.TypeExpr(type=syntax.NamedType(name=name)):
            return syntax.ActionRef(name, None, (), value.span)
        case _:
            raise cx.reject("bad-action", value.span, f"{what} must name an action")


def in_list(
    cx: Context, table: str, actions: tuple[typed.TableAction, ...], ref: syntax.ActionRef
) -> typed.TableAction:
    """Return the entry of the action list that `ref` names."""
    known = cx.lookup(ref.name, "action")
    named = known.entity.functions if isinstance(known.entity, Overloads) else ()
    for listed in actions:
        if any(listed.action is function for function in named):
            return listed
    best = nearest(ref.name.text, iter([listed.action.name for listed in actions]))
    raise cx.reject(
        "bad-action",
        ref.span,
        f"action `{ref.name.text}` is not in the `actions` of table `{table}`",
        notes=(Note(f"`{ref.name.text}` is declared here", known.span),),
        help=f"add it to `actions`, or did you mean `{best}`?" if best else "add it to `actions`",
    )


def bind_data(
    cx: Context, listed: typed.TableAction, written: syntax.ActionRef, ref: syntax.ActionRef
) -> typed.ActionChoice:
    """Return an entry's or a default's action with its action data.

    Arguments for parameters with a direction may be repeated, as they stand in the list.
    """
    action = listed.action
    directed = len([p for p in action.parameters if p.direction])
    data = action.parameters[directed:]
    given = list(ref.arguments or ())
    repeated: list[syntax.Argument] = []
    if directed and len(given) > len(data):
        repeated, given = given[:directed], given[directed:]
    elif directed and any(a.name for a in given):
        names = {p.name for p in data}
        repeated = [a for a in given if a.name and a.name.text not in names]
        given = [a for a in given if a not in repeated]
    _check_repeated(cx, action, written, repeated)
    with cx.at(Place.ARGUMENT):
        values = arguments(cx, tuple(given))
        signature = Signature("action", action.name, data, Basic.VOID, action.span)
        call = invoke(cx, signature, (), values, ref.span)
    bound = tuple([a for a in call.arguments if a is not None])
    for parameter, value in zip(data, bound, strict=True):
        require_known(cx, value, f"argument `{parameter.name}` of `{action.name}`")
    return typed.ActionChoice(action, bound, ref.span)


def _check_repeated(
    cx: Context, action: typed.Action, written: syntax.ActionRef, repeated: list[syntax.Argument]
) -> None:
    listed = [_text(argument) for argument in written.arguments or ()]
    for position, argument in enumerate(repeated):
        if position >= len(listed) or _text(argument) != listed[position]:
            wanted = listed[position] if position < len(listed) else None
            raise cx.reject(
                "bad-action",
                argument.span,
                f"this argument of `{action.name}` differs from the one in the list of actions",
                notes=(Note("the list binds it here", written.span),),
                help=f"write `{wanted}`, or leave out what the list binds" if wanted else None,
            )


def _text(argument: syntax.Argument) -> str:
    """Return the value as text, the fields of a struct expression in the order of their names."""
    value = argument.value
    if isinstance(value, syntax.StructExpr):
        return "; ".join(sorted(f"{name.text} = {spell(part)}" for name, part in value.fields))
    return "_" if value is None else spell(value)
