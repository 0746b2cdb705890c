"""The extern functions of v1model.p4 that are no hash and no checksum."""

from __future__ import annotations

from itertools import zip_longest

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Function,
    give_back,
    passed,
    random_number,
    result_width,
    scalar_of,
    value_of,
)
from p4xdp.frontend.elaborate.trees import Known, Record, Tree, leaf, leaves, part_of, parts
from p4xdp.frontend.elaborate.walk import Again, Cloning, Env, Truncation, Walk, storage_leaf
from p4xdp.midend import ir

DROP_PORT = 511


def standard(walk: Walk, name: str) -> ir.Var:
    """Return the variable of a field of the standard metadata."""
    if walk.standard is None:
        raise InternalError("elaborate", f"no standard metadata for {name}")
    return storage_leaf(leaf(part_of(walk.standard, name)))


def _mark_to_drop(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    for name, value in (("egress_spec", DROP_PORT), ("mcast_grp", 0)):
        var = standard(walk, name)
        walk.emit(ir.Assign(var, ir.Const(value, var.width), expr.span))
    return NOTHING


def _random(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    result, low, high = passed(walk, env, function, expr)
    width = result_width(expr, 0, expr.span)
    if width > ir.LIMB:
        help = "put wider ones together: `a ++ b`"
        raise fail("unsupported", expr.span, "a random number has at most 64 bits", help=help)
    least, most = (fold.resize(scalar_of(one), ir.LIMB) for one in (low, high))
    value = random_number(walk, least, most, expr.span)
    give_back(walk, result, fold.resize(value, width), expr.span)
    return NOTHING


def _log_msg(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    """Each `{}` of the message stands for the next of the data, whose scalars it shows if it has
    several."""
    message, *data = passed(walk, env, function, expr)
    text = value_of(message)
    shown = [_scalars(part) for one in data for part in _parts(value_of(one))]
    words = (str(text.value) if isinstance(text, Known) else "").split("{}")
    words = [word.replace("%", ir.PERCENT) for word in words]
    given = words[0]
    for word, values in zip_longest(words[1:], shown[: len(words) - 1]):
        given += (" ".join("%" * len(values)) if values is not None else "{}") + word
    flat = [value for values in shown[: len(words) - 1] for value in values]
    walk.emit(ir.Trace(given, tuple(flat), expr.span))
    return NOTHING


def _parts(data: Tree) -> tuple[Tree, ...]:
    return parts(data) if isinstance(data, Record) else (data,)


def _scalars(data: Tree) -> list[ir.Expr]:
    return [fold.to_bits(scalar) for scalar in leaves(data)]


def _assert(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    (check,) = passed(walk, env, function, expr)
    failed = fold.negation(scalar_of(check))
    aborted = ir.Finish(ir.Const(ir.XDP_ABORTED, 32), span=expr.span)
    walk.emit(ir.If(failed, (aborted,), (), expr.span))
    return NOTHING


def _truncate(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    (length,) = passed(walk, env, function, expr)
    if walk.truncation is None:
        wanted, limit = walk.fresh("truncated", ir.BOOL), walk.fresh("truncated_to", 32)
        walk.truncation = Truncation(wanted, limit)
    walk.emit(ir.Assign(walk.truncation.wanted, ir.TRUE, expr.span))
    walk.emit(ir.Assign(walk.truncation.length, scalar_of(length), expr.span))
    return NOTHING


NO_LIST = 256
"""The number of the list that keeps nothing."""


def _again(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    """resubmit and recirculate: the last call counts."""
    if walk.again is None:
        names = ("resubmit", "recirculate")
        flags = [walk.fresh(name, 16) for name in names]
        walk.again = Again(flags[0], flags[1], walk.fresh("passes", 8))
    is_resubmit = function.name.startswith("resubmit")
    wanted = walk.again.resubmit if is_resubmit else walk.again.recirculate
    kept = _list_of(walk.again, passed(walk, env, function, expr), 0, function, expr)
    walk.again.lists.add(kept)
    walk.emit(ir.Assign(wanted, ir.Const(kept + 1, wanted.width), expr.span))
    return NOTHING


FIRST_NAMED = NO_LIST + 1
"""The number of the first list that a call names itself."""


def _list_of(
    asked: Again | Cloning,
    given: list[calls.Passed],
    data: int,
    function: typed.ExternFunction,
    expr: typed.Call,
) -> int:
    """Return the number of the field list that a call gives, or of a new one that keeps what it
    names itself: its argument at the position `data`, if it has one."""
    if function.name.endswith("_preserving_field_list"):
        index = scalar_of(given[-1])
        if not isinstance(index, ir.Const):
            text = "which list it is must be known at compile time"
            help = "call it for each list under an `if`, with the number written out"
            raise fail("unsupported", expr.span, text, help=help)
        return index.value
    if data >= len(given):
        return NO_LIST
    scalars = leaves(value_of(given[data]))
    named = tuple(_stored(one, expr) for one in scalars if not isinstance(one, ir.Const))
    if not named:
        return NO_LIST
    number = FIRST_NAMED + len(asked.named)
    asked.named[number] = named
    return number


def _clone(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    """clone: the last call counts, whatever its type says: the control that it stands in does."""
    if walk.cloning is None:
        walk.cloning = Cloning(walk.fresh("clone", 16), walk.fresh("clone_session", 32))
    cloning = walk.cloning
    given = passed(walk, env, function, expr)
    kept = _list_of(cloning, given, 2, function, expr)
    cloning.lists.add(kept)
    session = fold.resize(scalar_of(given[1]), cloning.session.width)
    walk.emit(ir.Assign(cloning.session, session, expr.span))
    walk.emit(ir.Assign(cloning.wanted, ir.Const(kept + 1, cloning.wanted.width), expr.span))
    return NOTHING


def _stored(scalar: ir.Expr, expr: typed.Call) -> ir.Var:
    """Return the variable whose value a call reads."""
    if isinstance(scalar, ir.Unary) and scalar.op == ir.UnaryOp.TO_BITS:
        scalar = scalar.operand
    if not isinstance(scalar, ir.Var):
        raise fail(
            "unsupported",
            expr.span,
            "only fields of metadata can be kept",
            help="name fields of the user metadata or of the standard metadata",
        )
    return scalar


def unsupported(what: str, span: Span, help: str | None = None) -> Exception:
    return fail("unsupported", span, f"{what} is not supported", help=help)


FUNCTIONS: dict[str, Function] = {
    "mark_to_drop": _mark_to_drop,
    "random": _random,
    "log_msg": _log_msg,
    "assert": _assert,
    "assume": _assert,
    "truncate": _truncate,
    "clone": _clone,
    "clone3": _clone,
    "clone_preserving_field_list": _clone,
    "resubmit": _again,
    "resubmit_preserving_field_list": _again,
    "recirculate": _again,
    "recirculate_preserving_field_list": _again,
}
