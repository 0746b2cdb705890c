"""Digests: messages to the control plane that hold what the program chooses."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Function,
    passed,
    scalar_of,
    value_of,
)
from p4xdp.frontend.elaborate.trees import Known, Record, Tree, contains_varbit, leaf
from p4xdp.frontend.elaborate.walk import Env, Walk, named_leaves
from p4xdp.midend import ir

RECEIVER = 32
"""Bits of the number that says who a message is for."""

UNNAMED = "digest"
"""The control-plane name of a digest whose data have no type of a name."""


def send(walk: Walk, name: str, kind: t.Type, data: Tree, receiver: ir.Expr, span: Span) -> None:
    """Emit a message of type `kind` that is called `name`, or, where messages of that name have
    other fields, that with a number.

    Raises CompileError (`unsupported`) for data that have no layout.
    """
    if contains_varbit(kind):
        raise fail(
            "unsupported", span, "a digest of a varbit is not supported", help="leave it out"
        )
    values = tuple(_scalars(data, span))
    fields = tuple(ir.DigestField(label, ir.width_of(value)) for label, value in values)
    digest = _declared(walk, name, fields, span)
    limbs = [limb for _, value in values for limb in _limbs(value)]
    arguments = (fold.resize(receiver, RECEIVER), *limbs)
    walk.emit(ir.Effect("digest", digest.name, arguments, None, span))


def _scalars(data: Tree, span: Span) -> Iterator[tuple[str, ir.Expr]]:
    parts = data.fields if isinstance(data, Record) else (("value", data),)
    for label, part in parts:
        if isinstance(part, Known):
            raise fail("unsupported", span, f"`{part.value}` has no width", help="write one: 8w1")
        name = f"field{label}" if label.isdigit() else label
        for path, scalar in named_leaves(name, part):
            yield path, fold.to_bits(leaf(scalar))


def _declared(walk: Walk, name: str, fields: tuple[ir.DigestField, ...], span: Span) -> ir.Digest:
    wanted, number = name, 1
    while wanted in walk.digests and walk.digests[wanted].fields != fields:
        wanted, number = f"{name}_{number}", number + 1
    return walk.digests.setdefault(wanted, ir.Digest(wanted, fields, span))


def _limbs(value: ir.Expr) -> Iterator[ir.Expr]:
    """Yield a value in pieces of at most 64 bits, the highest first."""
    width = ir.width_of(value)
    high = (width - 1) // ir.LIMB * ir.LIMB
    for low in range(high, -1, -ir.LIMB):
        yield fold.slice_of(value, min(low + ir.LIMB, width) - 1, low)


def _digest(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    receiver, data = passed(walk, env, function, expr)
    if not isinstance(expr.callee, typed.ExternFunctionCallee):
        raise InternalError("elaborate", "a digest that is no extern function", expr.span)
    (kind,) = expr.callee.type_arguments
    name = kind.name if isinstance(kind, t.Struct | t.Header) else UNNAMED
    send(walk, name, kind, value_of(data), scalar_of(receiver), expr.span)
    return NOTHING


FUNCTIONS: dict[str, Function] = {"digest": _digest}
