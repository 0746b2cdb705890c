"""Expressions become values: trees over the IR, with the statements that side effects need.

Variables are read where their value is used; `effects.in_order` saves what a later operand's side
effects would change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from p4xdp.diagnostics import CompileError, InternalError, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls, fold, instances, operators, places, tables
from p4xdp.frontend.elaborate.effects import Value, ends, in_order
from p4xdp.frontend.elaborate.storage import allocate, zero
from p4xdp.frontend.elaborate.traverse import nodes
from p4xdp.frontend.elaborate.trees import (
    ENUM_WIDTH,
    HeaderTree,
    Known,
    Record,
    StackTree,
    Tree,
    combine,
    leaf,
    leaves,
    number_of,
    part_of,
    underlying,
)
from p4xdp.frontend.elaborate.walk import (
    THIS,
    Bits,
    Block,
    Bound,
    Env,
    ExternObject,
    Packet,
    Place,
    Walk,
)
from p4xdp.midend import ir


def scalar(walk: Walk, env: Env, expr: typed.Expression) -> ir.Expr:
    """Return the value of a scalar expression; a `bit<0>` is a zero of one bit."""
    return number_of(evaluate(walk, env, expr))


def evaluate(walk: Walk, env: Env, expr: typed.Expression) -> Tree:
    """Return the value of an expression; raises CompileError for what cannot be carried."""
    match expr:
        case typed.Literal(value=value, type=kind):
            return literal(value, kind)
        case typed.EnumMember():
            return _member(walk, expr)
        case typed.Ref() | typed.Field() | typed.TupleIndex() | typed.StackIndex():
            return _read_path(walk, env, expr)
        case typed.StackProperty():
            return _stack_property(walk, env, expr)
        case typed.Slice() | typed.DynamicSlice():
            return _slice(walk, env, expr)
        case typed.Unary(op=op, operand=operand):
            return operators.apply_unary(op, evaluate(walk, env, operand))
        case typed.Binary():
            return _binary(walk, env, expr)
        case typed.Conditional():
            return _conditional(walk, env, expr)
        case typed.Cast(operand=operand, type=kind, span=span):
            return operators.cast(evaluate(walk, env, operand), operand.type, kind, span)
        case typed.StructLiteral() | typed.TupleLiteral():
            return _aggregate(walk, env, expr)
        case typed.InvalidHeader(type=kind) | typed.DefaultValue(type=kind):
            return zero(kind)
        case typed.Call():
            return calls.call(walk, env, expr)
        case typed.TableResult(apply=apply, property=which):
            hit = tables.apply_for_hit(walk, env, apply)
            return hit if which == "hit" else fold.negation(hit)
        case typed.This() | typed.Construct():
            raise InternalError("elaborate", "an instance as a value", expr.span)
        case _:
            assert_never(expr)


def literal(value: int | bool | str, kind: t.Type) -> Tree:
    match underlying(kind), value:
        case (t.Bit(width=0), _):
            return Record(())
        case (t.Bit(width=width) | t.Int(width=width), int(number)):
            return fold.constant(number, width)
        case (t.Basic.BOOL, _):
            return fold.boolean(bool(value))
        case _:
            return Known(value)


def _member(walk: Walk, expr: typed.EnumMember) -> Tree:
    match underlying(expr.type):
        case t.EnumType(members=members):
            return ir.Const(members.index(expr.name), ENUM_WIDTH)
        case t.Basic.ERROR:
            return error_code(walk, expr.name, expr.span)
        case _:
            return Known(expr.name)


def error_code(walk: Walk, name: str, span: Span) -> ir.Const:
    """Return an error by its place in the program's list."""
    errors = walk.program.errors
    if name not in errors:
        raise fail(
            "no-core",
            span,
            f"this may fail with error `{name}`, which is not declared",
            help="add `#include <core.p4>` at the top of the program",
        )
    return ir.Const(errors.index(name), ENUM_WIDTH)


# References


def bound(walk: Walk, env: Env, declaration: object) -> Bound:
    """Return what a declaration stands for: storage, a value, or an instance."""
    found = env.find(declaration)
    if found is None:
        found = walk.globals.get(declaration)
    if found is None:
        found = _global(walk, declaration)
        walk.globals[declaration] = found
    return found


def _global(walk: Walk, declaration: object) -> Bound:
    match declaration:
        case typed.Constant(value=value):
            return evaluate(walk, Env(), value)
        case typed.Instance(name=name):
            return instances.instantiate(walk, Env(), declaration, name)
        case _ if walk.diagnostics.errors:
            raise CompileError(())  # what declares it has failed
        case typed.Variable(name=name) | typed.Parameter(name=name):
            raise fail(
                "unsupported",
                declaration.span,
                f"a method that uses `{name}` is called where there is no `{name}`",
                help="pass it to the method as an argument",
            )
        case _:
            raise InternalError("elaborate", f"{declaration} stands for nothing")


def instance(walk: Walk, env: Env, expr: typed.Expression, path: str) -> Bound:
    """Return the instance that a Ref or Construct stands for; `path` names a new one."""
    match expr:
        case typed.Ref(declaration=declaration):
            return bound(walk, env, declaration)
        case typed.This():
            return bound(walk, env, THIS)
        case typed.Construct():
            return instances.construct(walk, env, expr, path)
        case _:
            raise InternalError("elaborate", f"{expr} is no instance", expr.span)


def is_path(expr: typed.Expression) -> bool:
    """Return whether the expression names storage: a variable, field, element or slice."""
    match expr:
        case typed.Ref():
            return True
        case typed.Field(base=base) | typed.StackIndex(base=base) | typed.TupleIndex(base=base):
            return is_path(base)
        case typed.Slice(base=base) | typed.DynamicSlice(base=base):
            return is_path(base)
        case typed.StackProperty(base=base, property=which):
            return which != "lastIndex" and is_path(base)
        case _:
            return False


def _read_path(
    walk: Walk,
    env: Env,
    expr: typed.Ref | typed.Field | typed.TupleIndex | typed.StackIndex,
) -> Tree:
    if is_path(expr):
        return places.read(walk, resolve(walk, env, expr), expr.span)
    match expr:
        case typed.Field(base=base, name=name):
            return part_of(evaluate(walk, env, base), name)
        case typed.TupleIndex(base=base, index=index):
            return part_of(evaluate(walk, env, base), str(index))
        case typed.StackIndex(base=base, index=number, span=span):
            stack, position = in_order(
                walk,
                span,
                [
                    lambda: evaluate(walk, env, base),
                    lambda: _index(walk, env, number),
                ],
            )
            place = _element(walk, Place((as_tree(stack),)), as_tree(position), expr)
            return places.read(walk, place, span)
        case typed.Ref():
            raise InternalError("elaborate", "a reference is a path")


def as_tree(value: Value | Bound) -> Tree:
    """Return a value of `in_order`, or what a declaration stands for, as the tree that it is."""
    if value is None or isinstance(value, Place | tuple | Packet | Block | ExternObject):
        raise InternalError("elaborate", f"{value} is no value")
    return value


def resolve(walk: Walk, env: Env, expr: typed.Expression) -> Place:
    """Return the place of an l-value, its run-time indices evaluated."""
    match expr:
        case typed.Ref(declaration=declaration):
            return Place((storage_of(walk, env, declaration),))
        case typed.Field(base=base, name=name):
            return places.field_place(resolve(walk, env, base), name)
        case typed.TupleIndex(base=base, index=index):
            return places.field_place(resolve(walk, env, base), str(index))
        case typed.StackIndex(base=base, index=number, span=span):
            stack, position = in_order(
                walk,
                span,
                [lambda: resolve(walk, env, base), lambda: _index(walk, env, number)],
            )
            return _element(walk, _place(stack), as_tree(position), expr)
        case typed.StackProperty():
            return _next_or_last(walk, env, expr)
        case typed.Slice(base=base, high=high, low=low):
            bits = Bits(low, high - low + 1)
            return places.sliced_place(resolve(walk, env, base), bits)
        case typed.DynamicSlice(base=base, low=low_expr, width=width, span=span):
            whole, low_value = in_order(
                walk,
                span,
                [lambda: resolve(walk, env, base), lambda: _index(walk, env, low_expr)],
            )
            return places.sliced_place(_place(whole), Bits(_tree_leaf(low_value), width))
        case _:
            raise InternalError("elaborate", f"{expr} is no l-value", expr.span)


def _place(value: Value) -> Place:
    if not isinstance(value, Place):
        raise InternalError("elaborate", f"{value} is no place")
    return value


def _tree_leaf(value: Value) -> ir.Expr:
    return leaf(as_tree(value))


def storage_of(walk: Walk, env: Env, declaration: object) -> Tree:
    """Return the storage or value of a variable, parameter or constant."""
    return as_tree(bound(walk, env, declaration))


def _index(walk: Walk, env: Env, expr: typed.Expression) -> Tree:
    match evaluate(walk, env, expr):
        case Known(value=int(number)) if number >= 0:
            return ir.Const(number, max(1, number.bit_length()))
        case value:
            return number_of(value)


def _element(walk: Walk, place: Place, index: Tree, expr: typed.StackIndex) -> Place:
    stack = place.storage[0]
    value = leaf(index)
    if not isinstance(stack, StackTree):
        raise InternalError("elaborate", f"{stack} is no stack", expr.span)
    if isinstance(value, ir.Const):
        if value.value < len(stack.elements):
            return places.element_place(walk, place, value, expr.span)
        if _is_run_time(expr.index):
            return Place((nowhere(walk, expr),))
        raise fail(
            "out-of-range",
            expr.span,
            f"index {value.value} is past the end of a stack of {len(stack.elements)}",
        )
    return places.element_place(walk, place, value, expr.span)


def _is_run_time(expr: typed.Expression) -> bool:
    """Whether the language takes the value as unknown at compile time, whatever it folds to."""
    return any(
        isinstance(node, typed.StackProperty | typed.Call)
        or (isinstance(node, typed.Ref) and isinstance(node.declaration, typed.Variable))
        for node in nodes(expr)
    )


def nowhere(walk: Walk, expr: typed.StackProperty | typed.StackIndex) -> Tree:
    """Return storage that stands for an element that does not exist."""
    return allocate(walk.names, expr.type, "nowhere", expr.span)


def _next_or_last(walk: Walk, env: Env, expr: typed.StackProperty) -> Place:
    """Return the place of `next` or `last`, or reject when there is none (section 8.18)."""
    place = resolve(walk, env, expr.base)
    stack = place.whole
    if stack is None:
        raise fail(
            "unsupported",
            expr.span,
            f"of which header stack this is `{expr.property}` is known at run time only",
            help="select a parser state for each stack",
        )
    if not isinstance(stack, StackTree):
        raise InternalError("elaborate", f"{expr.property} of {stack}", expr.span)
    index = walk.next_index.get(stack.name, 0) - (expr.property == "last")
    if not 0 <= index < len(stack.elements):
        walk.emit(ir.Reject(error_code(walk, "StackOutOfBounds", expr.span), expr.span))
        return Place((nowhere(walk, expr),))
    return Place((stack.elements[index],))


def _stack_property(walk: Walk, env: Env, expr: typed.StackProperty) -> Tree:
    if expr.property == "lastIndex" and is_path(expr.base):
        return places.last_index(walk, resolve(walk, env, expr.base))
    if expr.property != "lastIndex":
        return places.read(walk, _next_or_last(walk, env, expr), expr.span)
    stack = evaluate(walk, env, expr.base)
    if not isinstance(stack, StackTree):
        raise InternalError("elaborate", f"lastIndex of {stack}", expr.span)
    return fold.constant(stack.next - 1, 32)


def _slice(walk: Walk, env: Env, expr: typed.Slice | typed.DynamicSlice) -> Tree:
    if is_path(expr) and not _is_known(expr):
        return places.read(walk, resolve(walk, env, expr), expr.span)
    match expr:
        case typed.Slice(base=base, high=high, low=low):
            return operators.cut(evaluate(walk, env, base), high, low)
        case typed.DynamicSlice(base=base, low=low_expr, width=width, span=span):
            value, low_value = in_order(
                walk,
                span,
                [lambda: evaluate(walk, env, base), lambda: _index(walk, env, low_expr)],
            )
            return operators.cut_at(_tree_leaf(value), _tree_leaf(low_value), width)


def _is_known(expr: typed.Slice | typed.DynamicSlice) -> bool:
    return expr.base.type == t.Basic.INT


# Operators


def _binary(walk: Walk, env: Env, expr: typed.Binary) -> Tree:
    if expr.op in ("&&", "||"):
        return _short_circuit(walk, env, expr)
    left, right = in_order(
        walk,
        expr.span,
        [lambda: evaluate(walk, env, expr.left), lambda: evaluate(walk, env, expr.right)],
    )
    return operators.checked_binary(
        expr.op, as_tree(left), as_tree(right), expr.left.type, expr.span
    )


def _short_circuit(walk: Walk, env: Env, expr: typed.Binary) -> Tree:
    left = scalar(walk, env, expr.left)
    stop = fold.boolean(expr.op == "||")
    if left == stop:
        return left
    with walk.collect() as later:
        right = scalar(walk, env, expr.right)
    if not later:
        return operators.apply_binary(expr.op, left, right, expr.type)
    if isinstance(left, ir.Const):
        walk.body.extend(later)
        return right
    result = walk.fresh("tmp", ir.BOOL)
    walk.emit(ir.Assign(result, left, expr.span))
    if not ends(later):
        later.append(ir.Assign(result, right, expr.span))
    go_on = result if expr.op == "&&" else fold.negation(result)
    walk.emit(ir.If(go_on, tuple(later), (), expr.span))
    return result


def _conditional(walk: Walk, env: Env, expr: typed.Conditional) -> Tree:
    condition = scalar(walk, env, expr.condition)
    if isinstance(condition, ir.Const):
        return evaluate(walk, env, expr.then if condition.value else expr.otherwise)
    with walk.collect() as then_body:
        then = evaluate(walk, env, expr.then)
    with walk.collect() as else_body:
        otherwise = evaluate(walk, env, expr.otherwise)
    places.refuse_differing(walk, (then, otherwise), expr.span)
    if not then_body and not else_body:
        return _chosen(walk, condition, then, otherwise, expr.span)
    result = allocate(walk.names, expr.type, "tmp", expr.span)
    for body, value in ((then_body, then), (else_body, otherwise)):
        if not ends(body):
            with walk.collect() as assignment:
                places.store(walk, result, value, expr.span)
            body.extend(assignment)
    walk.emit(ir.If(condition, tuple(then_body), tuple(else_body), expr.span))
    return places.current(walk, result)


def _chosen(walk: Walk, condition: ir.Expr, then: Tree, otherwise: Tree, span: Span) -> Tree:
    if len(leaves(then)) > 1:
        condition = walk.once(condition, span)
    return combine((then, otherwise), lambda both: fold.mux(condition, both[0], both[1]))


# Lists and structures


def _aggregate(walk: Walk, env: Env, expr: typed.StructLiteral | typed.TupleLiteral) -> Tree:
    match expr:
        case typed.StructLiteral(fields=fields):
            named = fields
        case typed.TupleLiteral(elements=elements):
            named = tuple((str(i), element) for i, element in enumerate(elements))
    values = evaluate_all(walk, env, [value for _, value in named], expr.span)
    by_name = {name: value for (name, _), value in zip(named, values, strict=True)}
    return _build(expr.type, by_name)


def _build(kind: t.Type, by_name: dict[str, Tree]) -> Tree:
    match underlying(kind):
        case t.Struct(fields=fields):
            return Record(tuple((field.name, by_name[field.name]) for field in fields))
        case t.Header(fields=fields) as header:
            parts = tuple((field.name, by_name[field.name]) for field in fields)
            return HeaderTree(header, ir.TRUE, parts)
        case t.Stack():
            return StackTree(tuple(by_name.values()))
        case _:
            return Record(tuple(by_name.items()))


def evaluate_all(
    walk: Walk, env: Env, expressions: Sequence[typed.Expression], span: Span
) -> list[Tree]:
    """Return the values of several operands, evaluated from left to right."""

    def step(expr: typed.Expression) -> Callable[[], Tree]:
        return lambda: evaluate(walk, env, expr)

    return [as_tree(value) for value in in_order(walk, span, [step(e) for e in expressions])]
