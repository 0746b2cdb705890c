"""Counters: CounterArray of ebpf_model, counter of v1model, Counter of PSA."""

from __future__ import annotations

from p4xdp.diagnostics import InternalError, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Method,
    passed,
    scalar_of,
)
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp

UNITS: tuple[ir.CounterUnit, ...] = ("packets", "bytes", "packets_and_bytes")
"""What a counter counts, in the order of the enums of v1model and PSA."""

INDEX = 32
"""The width of the index of a cell."""


def cell_index(index: ir.Expr) -> ir.Expr:
    """Return the number of a cell in 32 bits; numbers that are too great stay so."""
    width = ir.width_of(index)
    if width <= INDEX:
        return fold.resize(index, INDEX)
    high = fold.slice_of(index, width - 1, INDEX)
    too_great = fold.binary(BinaryOp.NE, high, ir.Const(0, width - INDEX))
    most = ir.Const(fold.ones(INDEX), INDEX)
    return fold.mux(too_great, most, fold.resize(index, INDEX))


def size_of(found: ExternObject, index: int) -> int:
    """Return the number that a constructor argument is; raises CompileError for an extern of the
    program's own that only has the name of a known one."""
    given = found.arguments[index] if index < len(found.arguments) else None
    number = calls.known_number(given)
    if number is None:
        text = f"`{found.path}` is not of an extern that is known to this target"
        help = "use the one that the architecture's own file declares"
        raise fail("unsupported", found.span, text, help=help)
    return number


# CounterArray


def _add(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    declared = array(walk, found)
    values = [scalar_of(one) for one in passed(walk, env, method, expr)]
    if method.name == "increment":
        values.append(ir.Const(1, 32))
    walk.emit(ir.Effect("count", declared.name, tuple(values), None, expr.span))
    return NOTHING


def array(walk: Walk, found: ExternObject) -> ir.Counter:
    """Return the counters of a `CounterArray`, made at its first use."""
    if found not in walk.counters:
        walk.take_name(found.path, found, found.span)
        sparse = found.arguments[1]
        if not isinstance(sparse, ir.Const):
            raise InternalError("elaborate", "a counter that may be sparse", found.span)
        walk.counters[found] = ir.Counter(
            found.path, size_of(found, 0), bool(sparse.value), span=found.span
        )
    return walk.counters[found]


# counter


def _count(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    (index,) = passed(walk, env, method, expr)
    declared = indexed(walk, found)
    arguments = (cell_index(scalar_of(index)), packet_length(walk, declared.unit, expr))
    walk.emit(ir.Effect("count_packet", declared.name, arguments, None, expr.span))
    return NOTHING


def packet_length(walk: Walk, unit: ir.CounterUnit, expr: typed.Call) -> ir.Expr:
    """Return the bytes of the packet, 0 for a counter that does not count them."""
    if unit == "packets":
        return ir.Const(0, 32)
    length = walk.fresh("length", 32)
    walk.emit(ir.PacketLength(length, expr.span))
    return length


def indexed(walk: Walk, found: ExternObject) -> ir.Counter:
    """Return the array of counters of a `counter`, made at its first use."""
    if found not in walk.counters:
        walk.take_name(found.path, found, found.span)
        unit = UNITS[size_of(found, 1)]
        walk.counters[found] = ir.Counter(
            found.path, size_of(found, 0), False, unit, span=found.span
        )
    return walk.counters[found]


METHODS: dict[str, Method] = {
    "CounterArray.increment": _add,
    "CounterArray.add": _add,
    "counter.count": _count,
    "Counter.count": _count,
}
