"""The methods of packet_in and packet_out (sections 13.8 and 16.1)."""

from __future__ import annotations

from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import expressions, fold, places
from p4xdp.frontend.elaborate.effects import ends
from p4xdp.frontend.elaborate.storage import allocate, no_storage
from p4xdp.frontend.elaborate.trees import (
    HeaderTree,
    Record,
    StackTree,
    Tree,
    UnionTree,
    leaf,
    scalar_width,
    underlying,
)
from p4xdp.frontend.elaborate.walk import Env, Walk, storage_leaf
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp


def call_method(walk: Walk, env: Env, callee: typed.MethodCallee, expr: typed.Call) -> Tree:
    match callee.method.name:
        case "extract":
            _extract(walk, env, callee, expr)
        case "lookahead":
            return _lookahead(walk, expr)
        case "advance":
            amount = _argument(expr)
            walk.emit(ir.Advance(expressions.scalar(walk, env, amount), expr.span))
        case "length":
            length = walk.fresh("length", 32)
            walk.emit(ir.PacketLength(length, expr.span))
            return length
        case "emit":
            _emit_argument(walk, env, _argument(expr), expr.span)
        case name:
            raise InternalError("elaborate", f"packets have no method {name}", expr.span)
    return Record(())


def _argument(expr: typed.Call) -> typed.Expression:
    argument = expr.arguments[0]
    if argument is None:
        raise InternalError("elaborate", "a packet method without its argument", expr.span)
    return argument


# Extraction


def _extract(walk: Walk, env: Env, callee: typed.MethodCallee, expr: typed.Call) -> None:
    target, *more = expr.arguments
    place = None if target is None else expressions.resolve(walk, env, target)
    if ends(walk.body):
        return
    size = None
    if more and more[0] is not None:
        size = _part_size(walk, env, callee.type_arguments[0], more[0])
    if ends(walk.body):
        return
    if target is None or place is None:
        _skip(walk, callee.type_arguments[0], size, expr.span)
        return
    header = place.whole
    if header is None:
        header = allocate(walk.names, target.type, "extracted", expr.span)
    if not isinstance(header, HeaderTree):
        raise InternalError("elaborate", f"{target.type} is no header", expr.span)
    parts = walk.header_parts(header, expr.span)
    for part in parts:
        whole = None if part is parts[0] else parts[0].name
        walk.emit(ir.Extract(part.name, size if part.size else None, whole, expr.span))
    for sibling in header.siblings:
        walk.emit(ir.Assign(sibling, ir.FALSE, expr.span))
    if place.whole is None:
        places.write(walk, place, header, expr.span)
    _advance_stack(walk, env, target)


def _skip(walk: Walk, kind: t.Type, size: ir.Expr | None, span: Span) -> None:
    """Extract into `_`: move over the header."""
    fixed: ir.Expr = ir.Const(stored_width(kind, span), 32)
    if size is not None:
        more = fold.binary(BinaryOp.SHL, size, ir.Const(3, 8))
        fixed = fold.binary(BinaryOp.ADD, fixed, more)
    walk.emit(ir.Advance(fixed, span))


def _part_size(walk: Walk, env: Env, kind: t.Type, bits: typed.Expression) -> ir.Expr:
    """Return the bytes of a varbit that is extracted; reject what is no whole number of bytes, or
    more than it can have (section 13.8.2)."""
    span = bits.span
    size = expressions.scalar(walk, env, bits)
    if not isinstance(size, ir.Const):
        var = walk.fresh("bits", 32)
        walk.emit(ir.Assign(var, size, span))
        size = var
    most = next(
        field.type.width
        for field in (kind.fields if isinstance(kind, t.Header) else ())
        if isinstance(field.type, t.Varbit)
    )
    part = fold.negation(fold.equal(fold.slice_of(size, 2, 0), ir.Const(0, 3)))
    _reject_if(walk, part, "ParserInvalidArgument", span)
    too_long = fold.binary(BinaryOp.LT, ir.Const(most, 32), size)
    _reject_if(walk, too_long, "HeaderTooShort", span)
    return fold.binary(BinaryOp.LSHR, size, ir.Const(3, 8))


def _reject_if(walk: Walk, condition: ir.Expr, error: str, span: Span) -> None:
    reject = ir.Reject(expressions.error_code(walk, error, span), span)
    if condition == ir.TRUE:
        walk.emit(reject)
    elif condition != ir.FALSE:
        walk.emit(ir.If(condition, (reject,), (), span))


def _advance_stack(walk: Walk, env: Env, target: typed.Expression) -> None:
    """Count up nextIndex after `extract(stack.next)`."""
    match target:
        case typed.StackProperty(base=base, property="next"):
            stack = expressions.resolve(walk, env, base).whole
            if isinstance(stack, StackTree):
                walk.next_index[stack.name] = walk.next_index.get(stack.name, 0) + 1
        case typed.Field(base=base):
            _advance_stack(walk, env, base)


# Lookahead


def stored_width(kind: t.Type, span: Span) -> int:
    """Return the bits that a value of a type takes in a packet, varbits apart; raises CompileError
    if it cannot stand in one."""
    match underlying(kind):
        case t.Struct(fields=fields) | t.Header(fields=fields):
            return sum(stored_width(field.type, span) for field in fields)
        case t.Tuple(elements=elements):
            return sum(stored_width(element, span) for element in elements)
        case t.Stack(element=element, size=size):
            return size * stored_width(element, span)
        case t.Bit(width=0) | t.Varbit():
            return 0
        case t.Bit() | t.Int() | t.Basic.BOOL:
            return ir.stored_width(scalar_width(kind) or ir.BOOL)
        case _:
            raise no_storage(kind, span)


def _lookahead(walk: Walk, expr: typed.Call) -> Tree:
    width = stored_width(expr.type, expr.span)
    result = allocate(walk.names, expr.type, "ahead", expr.span)
    peeks: list[ir.Peek] = []
    offset = 0
    for var in _fields(result):
        size = ir.stored_width(var.width)
        peeks.append(ir.Peek(var, offset, size))
        offset += size
    walk.emit(ir.Lookahead(width, tuple(peeks), expr.span))
    return _all_valid(result)


def _fields(tree: Tree) -> list[ir.Var]:
    """Return the variables that stand for bits of the packet, in order."""
    match tree:
        case Record(fields=fields) | HeaderTree(fields=fields):
            return [var for _, part in fields for var in _fields(part)]
        case StackTree(elements=elements):
            return [var for element in elements for var in _fields(element)]
        case _:
            return [storage_leaf(leaf(tree))]


def _all_valid(tree: Tree) -> Tree:
    match tree:
        case HeaderTree(type=kind, fields=fields):
            return HeaderTree(kind, ir.TRUE, fields)
        case Record(fields=fields):
            return Record(tuple((name, _all_valid(part)) for name, part in fields))
        case StackTree(elements=elements):
            return StackTree(tuple(_all_valid(element) for element in elements))
        case _:
            return tree


# Emission


def _emit_argument(walk: Walk, env: Env, argument: typed.Expression, span: Span) -> None:
    if expressions.is_path(argument):
        place = expressions.resolve(walk, env, argument)
        if place.whole is not None and _is_storage(place.whole):
            _emit(walk, place.whole, span)
            return
        value = places.read(walk, place, span)
    else:
        value = expressions.evaluate(walk, env, argument)
    copy = allocate(walk.names, argument.type, "emitted", span)
    places.store(walk, copy, value, span)
    _emit(walk, copy, span)


def _is_storage(tree: Tree) -> bool:
    match tree:
        case HeaderTree(name=name):
            return bool(name)
        case Record(fields=fields):
            return all(_is_storage(part) for _, part in fields)
        case UnionTree(members=members):
            return all(_is_storage(member) for _, member in members)
        case StackTree(elements=elements):
            return all(_is_storage(element) for element in elements)
        case _:
            return False


def _emit(walk: Walk, tree: Tree, span: Span) -> None:
    """Emit headers in the order of their declaration; of a union at most one is valid."""
    match tree:
        case HeaderTree():
            for header in walk.header_parts(tree, span):
                walk.emit(ir.Emit(header.name, span))
        case Record(fields=fields):
            for _, part in fields:
                _emit(walk, part, span)
        case UnionTree(members=members):
            for _, member in members:
                _emit(walk, member, span)
        case StackTree(elements=elements):
            for element in elements:
                _emit(walk, element, span)
        case _:
            raise InternalError("elaborate", f"{tree} cannot be emitted", span)
