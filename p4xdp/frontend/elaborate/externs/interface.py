"""What the modules of externs share: how they are called, and how they take their arguments."""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls, fold, places
from p4xdp.frontend.elaborate.trees import Known, Record, Tree, scalar_width, underlying
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp

Function = Callable[[Walk, Env, typed.ExternFunction, typed.Call], Tree]
Method = Callable[[Walk, Env, ExternObject, typed.ExternFunction, typed.Call], Tree]

NOTHING = Record(())


def passed(
    walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call
) -> list[calls.Passed]:
    """Return the arguments of a call by parameter, evaluated as they stand in the call."""
    arguments = calls.arguments_of(expr, function.parameters)
    found = calls.pass_arguments(walk, env, arguments, expr.span)
    return [one for p in function.parameters for one in found if one.parameter is p]


def value_of(argument: calls.Passed) -> Tree:
    """Return the value of an argument that is read."""
    if argument.value is None:
        raise InternalError("elaborate", f"no value for {argument.parameter.name}")
    return argument.value


def is_of_no_bits(argument: calls.Passed) -> bool:
    """Whether an argument is a `bit<0>`."""
    return isinstance(argument.value, Record) and not argument.value.fields


def scalar_of(argument: calls.Passed) -> ir.Expr:
    """Return the value of an argument that is one number or truth value, a `bit<0>` as a zero of
    one bit."""
    if is_of_no_bits(argument):
        return ir.Const(0, 1)
    value = value_of(argument)
    if isinstance(value, Known) and isinstance(value.value, int):
        return ir.Const(value.value & fold.ones(ir.LIMB), ir.LIMB)
    if isinstance(value, Known | Record):
        raise InternalError("elaborate", f"{argument.parameter.name} is no scalar")
    if isinstance(value, ir.Expr):
        return value
    raise InternalError("elaborate", f"{argument.parameter.name} is no scalar")


def give_back(walk: Walk, argument: calls.Passed, value: Tree, span: Span) -> None:
    """Assign the result of a call to its `out` or `inout` argument."""
    if argument.place is not None:
        places.write(walk, argument.place, value, span)


def result_width(expr: typed.Call, index: int, span: Span) -> int:
    """Return the width of the scalar that argument number `index` is."""
    argument = expr.arguments[index]
    width = None if argument is None else scalar_width(argument.type)
    if width is None:
        help = "give a variable of type bit<W> or int<W>"
        raise fail("unsupported", span, "the result must be a number", help=help)
    return width


def member_name(expr: typed.Call, index: int, value: Tree) -> str:
    """Return the name of the enum member that an argument is; raises CompileError for one that
    only the packet decides."""
    argument = expr.arguments[index]
    kind = None if argument is None else underlying(argument.type)
    return member_of(kind, value, expr.span)


def member_of(kind: t.Type | None, value: object, span: Span) -> str:
    """Return the name of an enum's member whose value is known."""
    if not isinstance(kind, t.EnumType) or not isinstance(value, ir.Const):
        raise fail(
            "unsupported",
            span,
            "which algorithm it is must be known at compile time",
            help="name a member of the enum",
        )
    return kind.members[value.value]


def random_number(walk: Walk, least: ir.Expr, most: ir.Expr, span: Span) -> ir.Expr:
    """Return a random number between two of 64 bits, both of which are possible."""
    number = walk.fresh("random", ir.LIMB)
    walk.emit(ir.Effect("random", None, (), number, span))
    count = fold.binary(BinaryOp.ADD, fold.binary(BinaryOp.SUB, most, least), ir.Const(1, ir.LIMB))
    return fold.binary(BinaryOp.ADD, least, _below(number, count))


def _below(number: ir.Expr, count: ir.Expr) -> ir.Expr:
    """Return a random number below `count`, any number if that is 0: all numbers are possible."""
    rest = fold.binary(BinaryOp.MOD, number, count)
    return fold.mux(fold.equal(count, ir.Const(0, ir.LIMB)), number, rest)
