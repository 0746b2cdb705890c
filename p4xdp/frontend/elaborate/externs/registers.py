"""Registers: arrays of cells that packets read and write."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.description import scalar_size
from p4xdp.diagnostics import InternalError, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs.counters import cell_index, size_of
from p4xdp.frontend.elaborate.externs.interface import (
    NOTHING,
    Method,
    give_back,
    passed,
    scalar_of,
    value_of,
)
from p4xdp.frontend.elaborate.storage import Names, allocate
from p4xdp.frontend.elaborate.trees import Tree, headers_of, leaves, map_leaves
from p4xdp.frontend.elaborate.walk import Block, Env, ExternObject, Packet, Walk, named_leaves
from p4xdp.midend import ir

WORD = 8
"""Bytes that are read or written at once."""


def _read(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    result, index = passed(walk, env, method, expr)
    give_back(walk, result, _value(walk, found, index, expr), expr.span)
    return NOTHING


def _returned(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    (index,) = passed(walk, env, method, expr)
    return _value(walk, found, index, expr)


def _value(walk: Walk, found: ExternObject, index: calls.Passed, expr: typed.Call) -> Tree:
    declared, shape = register_of(walk, found)
    cell = walk.once(cell_index(scalar_of(index)), expr.span)
    fields = iter(declared.fields)

    def loaded(leaf: ir.Expr) -> ir.Expr:
        return _loaded(walk, declared, next(fields), cell, ir.width_of(leaf), expr)

    return map_leaves(shape, loaded)


def _loaded(
    walk: Walk,
    register: ir.Register,
    field: ir.CellField,
    cell: ir.Expr,
    width: int,
    expr: typed.Call,
) -> ir.Expr:
    value: ir.Expr | None = None
    for offset, size, part in _words(field):
        var = walk.fresh("cell", part)
        arguments = (cell, ir.Const(offset, 32), ir.Const(size, 32))
        walk.emit(ir.Effect("register_read", register.name, arguments, var, expr.span))
        value = var if value is None else fold.concat(value, var)
    if value is None:
        raise InternalError("elaborate", "a cell of nothing", expr.span)
    return fold.unary(ir.UnaryOp.TO_BOOL, value) if width == ir.BOOL else value


def _write(
    walk: Walk, env: Env, found: ExternObject, method: typed.ExternFunction, expr: typed.Call
) -> Tree:
    index, value = passed(walk, env, method, expr)
    declared, _ = register_of(walk, found)
    cell = walk.once(cell_index(scalar_of(index)), expr.span)
    for field, leaf in zip(declared.fields, leaves(value_of(value)), strict=True):
        bits = fold.to_bits(leaf)
        top = field.width
        for offset, size, part in _words(field):
            word = fold.slice_of(bits, top - 1, top - part)
            top -= part
            arguments = (cell, ir.Const(offset, 32), ir.Const(size, 32), word)
            walk.emit(ir.Effect("register_write", declared.name, arguments, None, expr.span))
    return NOTHING


def _words(field: ir.CellField) -> Iterator[tuple[int, int, int]]:
    """Yield offset and size in bytes and the width in bits of what holds a field, the highest
    first."""
    whole = 0 if field.width <= ir.LIMB else (field.width - 1) // ir.LIMB
    size = scalar_size(field.width) - whole * WORD
    yield field.offset, size, field.width - whole * ir.LIMB
    for word in range(whole):
        yield field.offset + size + word * WORD, WORD, ir.LIMB


def register_of(walk: Walk, found: ExternObject) -> tuple[ir.Register, Tree]:
    """Return the register, and storage that has the shape of its cells."""
    kind = found.type.arguments[0] if isinstance(found.type, t.ExternType) else None
    if kind is None:
        raise InternalError("elaborate", f"{found.path} has no type", found.span)
    shape = allocate(Names(), kind, found.path, found.span)
    if found not in walk.registers:
        if any(True for _ in headers_of(shape)):
            raise fail(
                "unsupported",
                found.span,
                "a register of headers is not supported",
                help="keep its fields, in a struct or one by one",
            )
        walk.take_name(found.path, found, found.span)
        fields = tuple(_fields(shape))
        initial = tuple(_initial(found))
        walk.registers[found] = ir.Register(
            found.path, size_of(found, 0), fields, initial, span=found.span
        )
    return walk.registers[found], shape


def _initial(found: ExternObject) -> Iterator[int]:
    """Yield what the fields of a cell are at first; nothing for zeros."""
    for value in found.arguments[1:]:
        if isinstance(value, Block | Packet | ExternObject | None):
            raise InternalError("elaborate", f"{found.path} has no initial value", found.span)
        for one in leaves(value):
            number = calls.known_number(one)
            if number is None:
                raise InternalError("elaborate", "an initial value that is not known", found.span)
            yield number


def _fields(shape: Tree) -> Iterator[ir.CellField]:
    offset = 0
    for name, leaf in named_leaves("value", shape):
        width = ir.stored_width(ir.width_of(leaf))
        yield ir.CellField(name, offset, width)
        offset += scalar_size(width)


METHODS: dict[str, Method] = {
    "register.read": _read,
    "register.write": _write,
    "Register.read": _returned,
    "Register.write": _write,
}
