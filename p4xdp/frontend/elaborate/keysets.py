"""Keysets become tests on bit patterns (sections 8.13, 13.6 and 14.2.1.4)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import expressions, fold, value_sets
from p4xdp.frontend.elaborate.effects import bodies_of
from p4xdp.frontend.elaborate.traverse import nodes
from p4xdp.frontend.elaborate.trees import Tree, is_signed, number_of
from p4xdp.frontend.elaborate.walk import Env, Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp


def alternatives(
    walk: Walk, env: Env, keyset: typed.Keyset, key: ir.Expr, kind: t.Type
) -> tuple[ir.Test | ir.Expr, ...]:
    """Return tests of a key of type `kind`, or run-time conditions, of which one must hold; none
    for an empty range."""
    match keyset:
        case typed.AnyKey():
            return (ir.AnyTest(),)
        case typed.SetKey(value_set=value_set, span=span):
            return (value_sets.contains(walk, env, value_set, [key], span),)
        case typed.ValueKey(value=value):
            operands = [value]
        case typed.MaskKey(value=value, mask=mask):
            operands = [value, mask]
        case typed.RangeKey(low=low, high=high):
            operands = [low, high]
    numbers = [_operand(walk, env, operand) for operand in operands]
    constants = [number for number in numbers if isinstance(number, ir.Const)]
    if len(constants) == len(numbers):
        return _tests(keyset, constants, kind)
    return (_condition(keyset, numbers, key, kind),)


def _tests(keyset: typed.Keyset, numbers: Sequence[ir.Const], kind: t.Type) -> tuple[ir.Test, ...]:
    match keyset:
        case typed.MaskKey():
            value, mask = numbers
            return (ir.MaskTest(value.value & mask.value, mask.value),)
        case typed.RangeKey():
            return _range(numbers[0], numbers[1], kind)
        case _:
            return (ir.MaskTest(numbers[0].value, fold.ones(numbers[0].width)),)


def _condition(
    keyset: typed.Keyset, numbers: Sequence[ir.Expr], key: ir.Expr, kind: t.Type
) -> ir.Expr:
    match keyset:
        case typed.MaskKey():
            value, mask = numbers
            masked = [fold.binary(BinaryOp.AND, side, mask) for side in (key, value)]
            return fold.equal(masked[0], masked[1])
        case typed.RangeKey():
            low, high = numbers
            op = BinaryOp.LE_SIGNED if is_signed(kind) else BinaryOp.LE
            return fold.conjunction(fold.binary(op, low, key), fold.binary(op, key, high))
        case _:
            return fold.equal(key, numbers[0])


def _range(low: ir.Const, high: ir.Const, kind: t.Type) -> tuple[ir.Test, ...]:
    if not is_signed(kind):
        return _pattern_range(low.value, high.value)
    width = low.width
    first, last = fold.signed(low.value, width), fold.signed(high.value, width)
    if first >= 0 or last < 0:
        return _pattern_range(low.value, high.value)
    negative = _pattern_range(low.value, fold.ones(width))
    return (*negative, *_pattern_range(0, high.value))


def _pattern_range(low: int, high: int) -> tuple[ir.Test, ...]:
    return (ir.RangeTest(low, high),) if low <= high else ()


def key_bits(value: Tree) -> ir.Expr:
    """Return what a key is compared by: a truth value is one bit, and so is a `bit<0>`."""
    return fold.to_bits(number_of(value))


def _operand(walk: Walk, env: Env, expr: typed.Expression) -> ir.Expr:
    """Return a value of a keyset; raises CompileError for one with side effects, which would take
    place even when an earlier case is chosen."""
    with walk.collect() as effects:
        value = key_bits(expressions.evaluate(walk, env, expr))
    if effects and not (_only_computes(effects) and _only_reads(expr)):
        raise fail(
            "unsupported",
            expr.span,
            "a call with side effects in a keyset is not supported",
            help="compute the value before, in a variable",
        )
    walk.body.extend(effects)
    return value


def _only_computes(body: Sequence[ir.Stmt]) -> bool:
    """Whether a body works on variables alone."""
    return all(
        isinstance(stmt, ir.Assign | ir.If | ir.Switch | ir.Scope | ir.Leave)
        and all(_only_computes(inner) for inner in bodies_of(stmt))
        for stmt in body
    )


def _only_reads(expr: typed.Expression) -> bool:
    """Whether the calls in an expression give nothing out but their results."""
    return all(
        isinstance(node.callee, typed.FunctionCallee)
        and all(p.direction in ("", "in") for p in node.callee.function.parameters)
        for node in nodes(expr)
        if isinstance(node, typed.Call) and not isinstance(node.callee, typed.BuiltinCallee)
    )
