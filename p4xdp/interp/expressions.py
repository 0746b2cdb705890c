"""Expressions: values and l-values (section 8).

Operands are evaluated from left to right; only `&&`, `||` and `?:` leave some out (section 8.1).
"""

from __future__ import annotations

from typing import assert_never

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import typed, types as t
from p4xdp.interp import calls, instances, operators, table_application
from p4xdp.interp.machine import Reject, Run, Stuck
from p4xdp.interp.references import (
    Discarded,
    Element,
    Member,
    Reference,
    Slice,
    Variable,
)
from p4xdp.interp.values import (
    FALSE,
    TRUE,
    Array,
    Frame,
    HeaderValue,
    Record,
    Scalar,
    Thing,
    UnionValue,
    Value,
    copy,
    default,
    equal,
    nowhere,
    number,
    plain,
    scalar,
)

STACK_OUT_OF_BOUNDS = "StackOutOfBounds"

Path = (
    typed.Ref
    | typed.This
    | typed.Field
    | typed.TupleIndex
    | typed.StackIndex
    | typed.Slice
    | typed.DynamicSlice
)


def evaluate(run: Run, frame: Frame, expr: typed.Expression) -> Value:
    """Return the value of an expression, which shares nothing with any variable."""
    match expr:
        case typed.Literal(value=value):
            return Scalar(value)
        case typed.EnumMember(name=name):
            return Scalar(name)
        case (
            typed.Ref()
            | typed.This()
            | typed.Field()
            | typed.TupleIndex()
            | typed.StackIndex()
            | typed.Slice()
            | typed.DynamicSlice()
        ):
            return _part(run, frame, expr)
        case typed.StackProperty():
            return _stack_property(run, frame, expr)
        case typed.Unary(op=op, operand=operand, type=kind):
            return operators.unary(op, scalar(evaluate(run, frame, operand)), kind)
        case typed.Binary():
            return _binary(run, frame, expr)
        case typed.Conditional(condition=condition, then=then, otherwise=otherwise):
            chosen = then if run.decide(evaluate(run, frame, condition)) else otherwise
            return evaluate(run, frame, chosen)
        case typed.Cast(operand=operand, type=kind):
            return operators.cast(evaluate(run, frame, operand), kind)
        case typed.StructLiteral() | typed.TupleLiteral():
            return _aggregate(run, frame, expr)
        case typed.InvalidHeader(type=kind) | typed.DefaultValue(type=kind):
            return default(kind)
        case typed.Call():
            return calls.call(run, frame, expr)
        case typed.TableResult(apply=apply, property=property):
            hit = table_application.apply(run, frame, apply).hit
            return Scalar(hit == (property == "hit"))
        case typed.Construct():
            return instances.construct(run, frame, expr)
        case _:
            assert_never(expr)


def evaluate_scalar(run: Run, frame: Frame, expr: typed.Expression) -> Scalar:
    return scalar(evaluate(run, frame, expr))


# References


def value_of(run: Run, frame: Frame, declaration: object) -> Value:
    """Return what a declaration stands for; constants and instances of the top level are made
    when they are first asked for."""
    cells = frame.cells_of(declaration)
    return instances.top_level(run, declaration) if cells is None else cells[declaration]


def is_path(expr: typed.Expression) -> bool:
    """Whether an expression leads to storage and not to the value of a call or the like."""
    match expr:
        case typed.Ref():
            return True
        case typed.StackProperty(property=which, base=base):
            return which != "lastIndex" and is_path(base)
        case (
            typed.Field(base=base)
            | typed.TupleIndex(base=base)
            | typed.StackIndex(base=base)
            | typed.Slice(base=base)
            | typed.DynamicSlice(base=base)
        ):
            return is_path(base)
        case _:
            return False


def resolve(run: Run, frame: Frame, expr: typed.Expression) -> Reference:
    """Return the storage that an l-value means, its indices evaluated (section 6.7)."""
    match expr:
        case typed.Ref(declaration=declaration, type=kind):
            cells = frame.cells_of(declaration)
            if cells is None:
                cells = run.machine.globals.cells
                instances.top_level(run, declaration)
            return Variable(cells, declaration, kind, declaration.name)
        case typed.Field(base=base, name=name, type=kind):
            return Member(resolve(run, frame, base), name, kind)
        case typed.TupleIndex(base=base, index=index, type=kind):
            return Member(resolve(run, frame, base), str(index), kind)
        case typed.StackIndex(base=base, index=index_expr, type=kind):
            stack = resolve(run, frame, base)
            position = evaluate_scalar(run, frame, index_expr)
            return Element(stack, int(run.observe(position)), kind)
        case typed.StackProperty():
            return next_or_last(run, frame, expr)
        case typed.Slice(base=base, high=high, low=low, type=kind):
            return Slice(resolve(run, frame, base), low, high - low + 1, kind)
        case typed.DynamicSlice(base=base, low=low_expr, width=width, type=kind):
            whole = resolve(run, frame, base)
            low_value = evaluate_scalar(run, frame, low_expr)
            return Slice(whole, int(run.observe(low_value)), width, kind)
        case _:
            raise InternalError("interp", f"{type(expr).__name__} is no l-value", expr.span)


def resolve_argument(
    run: Run, frame: Frame, expr: typed.Expression | None, kind: t.Type
) -> Reference:
    """Return where an `out` or `inout` argument goes; nowhere for `_`."""
    return Discarded(kind, "_") if expr is None else resolve(run, frame, expr)


def next_or_last(run: Run, frame: Frame, expr: typed.StackProperty) -> Reference:
    """Return the element at nextIndex, or the one before; raises Reject with StackOutOfBounds
    where there is none (section 8.20)."""
    stack = resolve(run, frame, expr.base)
    array = stack.read()
    if not isinstance(array, Array):
        raise InternalError("interp", f"{expr.property} of {array}", expr.span)
    index = array.next_index - (expr.property == "last")
    if not 0 <= index < len(array.elements):
        raise Reject(STACK_OUT_OF_BOUNDS, expr.span)
    return Element(stack, index, expr.type, is_next=expr.property == "next")


def _stack_property(run: Run, frame: Frame, expr: typed.StackProperty) -> Value:
    if expr.property != "lastIndex":
        return copy(next_or_last(run, frame, expr).read())
    stack = resolve(run, frame, expr.base).read()
    if not isinstance(stack, Array):
        raise InternalError("interp", f"lastIndex of {stack}", expr.span)
    last = operators.pattern(stack.next_index - 1, 32)
    return Scalar(last, undefined=stack.next_index == 0)


# Parts of values


def _part(run: Run, frame: Frame, expr: Path) -> Value:
    match expr:
        case typed.Ref(declaration=declaration):
            return copy(value_of(run, frame, declaration))
        case typed.This():
            return value_of(run, frame, instances.THIS)
        case _ if is_path(expr):
            return copy(resolve(run, frame, expr).read())
        case _:
            return _part_of_value(run, frame, expr)


def _part_of_value(
    run: Run,
    frame: Frame,
    expr: typed.Field | typed.TupleIndex | typed.StackIndex | typed.Slice | typed.DynamicSlice,
) -> Value:
    """Return a part of what a call or an operator gives."""
    base = evaluate(run, frame, expr.base)
    match expr:
        case typed.Field(name=name):
            return field_of(base, name)
        case typed.TupleIndex(index=index):
            return field_of(base, str(index))
        case typed.StackIndex(index=index_expr, type=kind):
            position = int(run.observe(evaluate_scalar(run, frame, index_expr)))
            if isinstance(base, Array) and 0 <= position < len(base.elements):
                return base.elements[position]
            return nowhere(kind)
        case typed.Slice(high=high, low=low):
            return operators.slice_of(scalar(base), high, low)
        case typed.DynamicSlice(low=low_expr, width=width):
            low_value = evaluate_scalar(run, frame, low_expr)
            return operators.slice_at(scalar(base), low_value, width, expr.base.type)


def field_of(value: Value, name: str) -> Value:
    match value:
        case Record(fields=fields) | HeaderValue(fields=fields):
            return fields[name]
        case UnionValue(headers=headers):
            return headers[name]
        case _:
            raise InternalError("interp", f"{value} has no field {name}")


# Operators


def _binary(run: Run, frame: Frame, expr: typed.Binary) -> Value:
    if expr.op in ("&&", "||"):
        return _short_circuit(run, frame, expr)
    left = evaluate(run, frame, expr.left)
    right = evaluate(run, frame, expr.right)
    if expr.op in ("==", "!="):
        same = equal(left, right)
        return same if expr.op == "==" else Scalar(not same.value, same.undefined)
    return operators.binary(expr.op, scalar(left), scalar(right), expr.left.type, expr.right.type)


def _short_circuit(run: Run, frame: Frame, expr: typed.Binary) -> Value:
    """Evaluate the right operand only where the left one does not decide (section 8.5)."""
    left = evaluate_scalar(run, frame, expr.left)
    if run.decide(left) == (expr.op == "||"):
        return TRUE if expr.op == "||" else FALSE
    return evaluate(run, frame, expr.right)


def _aggregate(run: Run, frame: Frame, expr: typed.StructLiteral | typed.TupleLiteral) -> Value:
    """Build a struct, header, tuple, stack or list; a header becomes valid (section 8.18)."""
    match expr:
        case typed.StructLiteral(fields=fields, type=kind):
            given = {name: evaluate(run, frame, value) for name, value in fields}
        case typed.TupleLiteral(elements=elements, type=kind):
            values = [evaluate(run, frame, value) for value in elements]
            if isinstance(plain(kind), t.Stack | t.ListType):
                return Array(values)
            given = {str(i): value for i, value in enumerate(values)}
    match plain(kind):
        case t.Header(fields=declared) as header:
            return HeaderValue(header, TRUE, {f.name: given[f.name] for f in declared})
        case t.Struct(fields=declared):
            return Record({f.name: given[f.name] for f in declared})
        case _:
            return Record(given)


def thing(run: Run, frame: Frame, expr: typed.Expression) -> Thing:
    """Return the instance that an expression stands for."""
    found = evaluate(run, frame, expr)
    if not isinstance(found, Thing):
        raise Stuck("this is no instance", expr.span)
    return found


def known_number(run: Run, frame: Frame, expr: typed.Expression) -> int:
    return number(evaluate(run, frame, expr))
