"""What the modules of externs share: how they are called, and how they take their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls, fold, places
from p4xdp.frontend.elaborate.trees import (
    HeaderTree,
    Known,
    Record,
    StackTree,
    Tree,
    leaf,
    leaves,
    scalar_width,
    underlying,
)
from p4xdp.frontend.elaborate.walk import Env, ExternObject, Walk
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp
from p4xdp.records import dataclass, field

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


@dataclass(frozen=True, slots=True)
class Data:
    """The scalars of data in their order, truth values as one bit; a header is its fields.

    `tail` are words of a varbit at the end: zero behind what the packet has of it, which is
    `tail_size` bytes.
    """

    bits: list[ir.Expr]
    tail: list[ir.Expr]
    tail_size: list[ir.Expr] = field(default_factory=list)


def data_of(call: typed.Call, index: int, argument: calls.Passed) -> Data:
    """Return what argument number `index` consists of.

    Raises CompileError for a varbit that is not at the end.
    """
    given = call.arguments[index]
    assert given is not None
    found = Data([], [])
    _collect(given.type, value_of(argument), found, call.span)
    return found


def _collect(kind: t.Type, tree: Tree, found: Data, span: Span) -> None:
    match underlying(kind), tree:
        case t.Varbit(), Record(fields=fields):
            found.tail.extend(leaf(word) for _, word in fields[1:])
            found.tail_size.append(leaf(fields[0][1]))
        case (t.Header() | t.Struct()) as outer, Record(fields=fields) | HeaderTree(fields=fields):
            for field, (_, part) in zip(outer.fields, fields, strict=True):
                _collect(field.type, part, found, span)
        case t.Tuple(elements=elements), Record(fields=fields):
            for element, (_, part) in zip(elements, fields, strict=True):
                _collect(element, part, found, span)
        case t.Stack(element=element), StackTree(elements=members):
            for part in members:
                _collect(element, part, found, span)
        case _, Known(value=value):
            raise fail("unsupported", span, f"`{value}` has no width", help="write a width: 8w1")
        case _ if found.tail:
            raise fail(
                "unsupported",
                span,
                "a varbit in front of other data is not supported",
                help="put it at the end of the list",
            )
        case _:
            found.bits.extend(fold.to_bits(scalar) for scalar in leaves(tree))


def pieces(data: Sequence[ir.Expr], size: int, whole: int) -> list[ir.Expr]:
    """Return the same bits in pieces of `size` bits, the last one perhaps shorter but filled up
    with zeros to a multiple of `whole` bits."""
    rest = list(data)
    missing = -sum(ir.width_of(part) for part in data) % whole
    if missing:
        rest.append(ir.Const(0, missing))
    rest.reverse()
    found: list[ir.Expr] = []
    while rest:
        found.append(_piece(rest, size))
    return found


def _piece(rest: list[ir.Expr], size: int) -> ir.Expr:
    """Take `size` bits from the end of `rest`, which is the front of the data."""
    result: ir.Expr | None = None
    while rest and size:
        part = rest.pop()
        width = ir.width_of(part)
        if width > size:
            rest.append(fold.slice_of(part, width - size - 1, 0))
            part = fold.slice_of(part, width - 1, width - size)
        size -= ir.width_of(part)
        result = part if result is None else fold.concat(result, part)
    if result is None:
        raise InternalError("elaborate", "a piece of nothing")
    return result


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
