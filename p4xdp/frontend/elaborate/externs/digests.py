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
from p4xdp.frontend.elaborate.trees import Tree, contains_varbit, leaf, underlying
from p4xdp.frontend.elaborate.walk import Env, Walk, named_leaves
from p4xdp.midend import ir

RECEIVER = 32
"""Bits of the number that says who a message is for."""


def send(walk: Walk, name: str, kind: t.Type, data: Tree, receiver: ir.Expr, span: Span) -> None:
    """Emit a message of type `kind`; its control-plane name is `name`, or, if that is empty, made
    of the widths of its fields.

    Raises CompileError (`unsupported`) for data that have no layout.
    """
    if contains_varbit(kind):
        raise fail(
            "unsupported", span, "a digest of a varbit is not supported", help="leave it out"
        )
    values = tuple(_scalars(data, "field" if isinstance(underlying(kind), t.Tuple) else ""))
    fields = tuple(ir.DigestField(label, ir.width_of(value)) for label, value in values)
    name = name or "_".join(["digest", *(str(field.width) for field in fields)])
    digest = walk.digests.setdefault(name, ir.Digest(name, fields, span))
    limbs = [limb for _, value in values for limb in _limbs(value)]
    arguments = (fold.resize(receiver, RECEIVER), *limbs)
    walk.emit(ir.Effect("digest", digest.name, arguments, None, span))


def _scalars(data: Tree, prefix: str) -> Iterator[tuple[str, ir.Expr]]:
    for path, scalar in named_leaves("", data):
        yield f"{prefix}{path[1:]}" or "value", fold.to_bits(leaf(scalar))


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
    name = kind.name if isinstance(kind, t.Struct | t.Header) else ""
    send(walk, name, kind, value_of(data), scalar_of(receiver), expr.span)
    return NOTHING


FUNCTIONS: dict[str, Function] = {"digest": _digest}
