"""Extern functions that the user writes in C: what they take and give, and their calls."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls
from p4xdp.frontend.elaborate.externs.interface import NOTHING, give_back, passed, value_of
from p4xdp.frontend.elaborate.storage import allocate, validity_name
from p4xdp.frontend.elaborate.trees import Known, Tree, leaves, scalar_width, underlying
from p4xdp.frontend.elaborate.walk import Env, Walk, storage_leaf
from p4xdp.midend import ir


def call(walk: Walk, env: Env, function: typed.ExternFunction, expr: typed.Call) -> Tree:
    """Emit the call of a function in C; return its value."""
    declared = _declared(walk, function, expr.span)
    given = passed(walk, env, function, expr)
    arguments = [
        leaf
        for argument, parameter in zip(given, declared.parameters, strict=True)
        if parameter.direction != "out"
        for leaf in _numbers(argument, parameter)
    ]
    outputs = [
        (one, allocate(walk.names, one.parameter.type, one.parameter.name, expr.span))
        for one in given
        if one.writes
    ]
    result: Tree = NOTHING
    if declared.width is not None:
        result = allocate(walk.names, function.result, function.name, expr.span)
    numbers = [storage_leaf(leaf) for leaf in leaves(result)]
    walk.emit(
        ir.Effect(
            "call",
            declared.name,
            tuple(arguments),
            numbers[0] if numbers else None,
            expr.span,
            tuple(storage_leaf(leaf) for _, tree in outputs for leaf in leaves(tree)),
        )
    )
    for argument, tree in outputs:
        give_back(walk, argument, tree, expr.span)
    return result


def _numbers(argument: calls.Passed, parameter: ir.CParameter) -> Iterator[ir.Expr]:
    value = value_of(argument)
    if isinstance(value, Known) and isinstance(parameter.type, ir.CNumber):
        width = parameter.type.width
        yield ir.Const(int(value.value) & ((1 << (width or 1)) - 1), width)
    else:
        yield from leaves(value)


def _declared(walk: Walk, function: typed.ExternFunction, span: Span) -> ir.CFunction:
    """Return what the function is in C, the same for all its calls."""
    if function.variables:
        raise _refused(span, f"`{function.name}` has type parameters", "declare it for one type")
    parameters = tuple(
        ir.CParameter(p.name, p.direction or "in", _type_of(p.type, f"parameter `{p.name}`", span))
        for p in function.parameters
    )
    width = None
    if function.result is not t.Basic.VOID:
        result = _type_of(function.result, "what it returns", span)
        if not isinstance(result, ir.CNumber):
            help = "return a number or a truth value, and give structs back by `out` parameters"
            raise _refused(span, f"`{function.name}` returns a struct", help)
        width = result.width
    made = ir.CFunction(function.name, parameters, width, function.span)
    known = walk.functions.setdefault(function.name, made)
    if known != made:
        help = "give the two different names"
        raise _refused(span, f"two functions are called `{function.name}`", help)
    return known


def _type_of(kind: t.Type, what: str, span: Span) -> ir.CType:
    """Return a type in C; raises CompileError for those that C does not get."""
    match underlying(kind):
        case t.Struct(name=name, fields=fields):
            return ir.CStruct(name, tuple(_members(fields, what, span)))
        case t.Header(name=name, fields=fields) as header:
            valid = (validity_name(header), ir.CNumber(ir.BOOL))
            return ir.CStruct(name, (valid, *_members(fields, what, span)), is_header=True)
        case found:
            width = scalar_width(found)
            if width is None or width > ir.LIMB or (width == 0 and found is not t.Basic.BOOL):
                help = (
                    "pass numbers of 1 to 64 bits, truth values, and structs and headers of these"
                )
                raise _refused(
                    span, f"{what} is of type `{kind}`, which a C function cannot have", help
                )
            return ir.CNumber(width)


def _members(
    fields: tuple[t.FieldType, ...], what: str, span: Span
) -> Iterator[tuple[str, ir.CType]]:
    for field in fields:
        yield field.name, _type_of(field.type, f"`{field.name}` in {what}", span)


def _refused(span: Span, text: str, help: str) -> CompileError:
    return fail("unsupported", span, text, help=help)
