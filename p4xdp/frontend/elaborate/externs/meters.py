"""Meters: two rates, three colours, on cells that the index or the entry of a table chooses."""

from __future__ import annotations

from p4xdp.diagnostics import Span
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import fold
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

COLOUR = 32
"""The width of what a meter answers."""


def _execute(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    index, result = passed(walk, env, method, expr)
    if found not in walk.meters:
        walk.take_name(found.path, found, found.span)
        unit = UNITS[size_of(found, 1)]
        walk.meters[found] = ir.Meter(found.path, size_of(found, 0), unit, span=found.span)
    colour = _colour(walk, walk.meters[found], cell_index(scalar_of(index)), expr.span)
    width = result_width(expr, method.parameters.index(result.parameter), expr.span)
    give_back(walk, result, fold.resize(colour, width), expr.span)
    return NOTHING


def _read(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    (result,) = passed(walk, env, method, expr)
    cell = walk.cells.get(found)
    colour: ir.Expr = ir.Const(0, COLOUR)
    if cell is not None:
        colour = _colour(walk, walk.meters[found], cell, expr.span)
    give_back(walk, result, fold.resize(colour, result_width(expr, 0, expr.span)), expr.span)
    return NOTHING


def _colour(walk: Walk, meter: ir.Meter, cell: ir.Expr, span: Span) -> ir.Expr:
    amount: ir.Expr = ir.Const(1, 32)
    if meter.unit == "bytes":
        length = walk.fresh("length", 32)
        walk.emit(ir.PacketLength(length, span))
        amount = length
    colour = walk.fresh("colour", COLOUR)
    walk.emit(ir.Effect("meter", meter.name, (cell, amount), colour, span))
    return colour


METHODS: dict[str, Method] = {"meter.execute_meter": _execute, "direct_meter.read": _read}
