"""Meters: two rates, three colours, on cells that the index or the entry of a table chooses."""

from __future__ import annotations

from p4xdp.diagnostics import Span
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs.counters import UNITS, cell_index, size_of
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Method,
    give_back,
    passed,
    result_width,
    scalar_of,
)
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp

GREEN, YELLOW, RED = range(3)
"""The colours of v1model, best first, which are those of the IR."""

COLOUR = 32
"""The width of what a meter answers."""


def _execute(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    index, result = passed(walk, env, method, expr)
    colour = _indexed(walk, found, index, expr.span)
    width = result_width(expr, method.parameters.index(result.parameter), expr.span)
    give_back(walk, result, fold.resize(colour, width), expr.span)
    return NOTHING


def _indexed(walk: Walk, found: ExternObject, index: calls.Passed, span: Span) -> ir.Expr:
    return _colour(walk, indexed(walk, found), cell_index(scalar_of(index)), span)


def indexed(walk: Walk, found: ExternObject) -> ir.Meter:
    """Return the array of meters of an object, made at its first use."""
    if found not in walk.meters:
        walk.take_name(found.path, found, found.span)
        unit = UNITS[size_of(found, 1)]
        walk.meters[found] = ir.Meter(found.path, size_of(found, 0), unit, span=found.span)
    return walk.meters[found]


def _read(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    """Give back what the hit was metered as; nothing was outside of the actions of the table."""
    (result,) = passed(walk, env, method, expr)
    colour = walk.colours.get(found)
    if colour is not None:
        give_back(walk, result, fold.resize(colour, result_width(expr, 0, expr.span)), expr.span)
    return NOTHING


def colour_of_entry(walk: Walk, found: ExternObject, span: Span) -> ir.Expr:
    cell = walk.cells.get(found)
    return (
        ir.Const(GREEN, COLOUR) if cell is None else _colour(walk, walk.meters[found], cell, span)
    )


def _colour(walk: Walk, meter: ir.Meter, cell: ir.Expr, span: Span) -> ir.Expr:
    amount: ir.Expr = ir.Const(1, 32)
    if meter.unit == "bytes":
        length = walk.fresh("length", 32)
        walk.emit(ir.PacketLength(length, span))
        amount = length
    colour = walk.fresh("colour", COLOUR)
    walk.emit(ir.Effect("meter", meter.name, (cell, amount), colour, span))
    return colour


# PSA


def _execute_index(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    index, *before = passed(walk, env, method, expr)
    return _not_better(walk, before, _indexed(walk, found, index, expr.span), expr.span)


def _execute_direct(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    before = passed(walk, env, method, expr)
    return _not_better(walk, before, colour_of_entry(walk, found, expr.span), expr.span)


def _not_better(walk: Walk, before: list[calls.Passed], colour: ir.Expr, span: Span) -> ir.Expr:
    """Return the worse one of a colour and of that which the packet has already, if it is given:
    a member of PSA_MeterColor_t, whose members are RED, GREEN and YELLOW."""
    if before:
        had = walk.once(_turned(scalar_of(before[0]), RED, -1), span)
        is_worse = fold.binary(BinaryOp.LT, colour, had)
        colour = walk.saved(fold.mux(is_worse, had, colour), span, "colour")
    return _turned(colour, 0, 1)


def _turned(colour: ir.Expr, of_last: int, by: int) -> ir.Expr:
    """Return a colour in the other order: that whose number is at the end goes round."""
    last = RED if by > 0 else 0
    is_last = fold.equal(colour, ir.Const(last, COLOUR))
    moved = fold.binary(BinaryOp.ADD, colour, fold.constant(by, COLOUR))
    return fold.mux(is_last, ir.Const(of_last, COLOUR), moved)


METHODS: dict[str, Method] = {
    "meter.execute_meter": _execute,
    "direct_meter.read": _read,
    "Meter.execute": _execute_index,
    "DirectMeter.execute": _execute_direct,
}
