"""Reading and writing resolved l-values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.effects import kept_tree, mentions
from p4xdp.frontend.elaborate.operators import cut, cut_at
from p4xdp.frontend.elaborate.trees import (
    HeaderTree,
    Known,
    Record,
    StackTree,
    Tree,
    UnionTree,
    combine,
    leaf,
    leaves,
    part_of,
    stacks_of,
)
from p4xdp.frontend.elaborate.walk import Bits, Place, Walk, storage_leaf
from p4xdp.midend import ir
from p4xdp.midend.ir import BinaryOp
from p4xdp.records import replace


def field_place(place: Place, name: str) -> Place:
    return replace(place, storage=tuple(part_of(tree, name) for tree in place.storage))


def sliced_place(place: Place, bits: Bits) -> Place:
    return replace(place, bits=(*place.bits, bits))


def element_place(walk: Walk, place: Place, index: ir.Expr, span: Span) -> Place:
    """Return an element of a stack; a second run-time index makes one selector of both."""
    stacks = [tree for tree in place.storage if isinstance(tree, StackTree)]
    if isinstance(index, ir.Const):
        return replace(place, storage=tuple(stack.elements[index.value] for stack in stacks))
    reachable = 1 << ir.width_of(index)
    rows = [stack.elements[:reachable] for stack in stacks]
    index = walk.once(index, span)
    if place.selector is None:
        return Place(rows[0], index)
    cells = tuple(element for row in rows for element in row)
    selector = _cell(place.selector, len(rows), index, len(rows[0]))
    return Place(cells, walk.saved(selector, span, "cell"))


def _cell(row: ir.Expr, rows: int, column: ir.Expr, columns: int) -> ir.Expr:
    """Return the number of a cell, and the number of cells where there is none."""
    start = fold.binary(BinaryOp.MUL, fold.resize(row, 32), ir.Const(columns, 32))
    number = fold.binary(BinaryOp.ADD, start, fold.resize(column, 32))
    inside = fold.conjunction(_is_below(row, rows), _is_below(column, columns))
    return fold.mux(inside, number, ir.Const(rows * columns, 32))


def _is_below(index: ir.Expr, bound: int) -> ir.Expr:
    width = ir.width_of(index)
    if bound >> width:
        return ir.TRUE
    return fold.binary(BinaryOp.LT, index, ir.Const(bound, width))


# Reading


def read(walk: Walk, place: Place, span: Span) -> Tree:
    """Return the value of a place as it is now; 0 and invalid past the end of a stack."""
    storage = tuple(current(walk, tree) for tree in place.storage)
    value = storage[0]
    if place.selector is not None:
        refuse_differing(walk, storage, span)
        value = _selected(storage, place.selector)
    for bits in place.bits:
        value = _read_bits(leaf(value), bits)
    return value


def current(walk: Walk, storage: Tree) -> Tree:
    """Return storage as a value, in which each stack has the nextIndex of this moment."""
    match storage:
        case StackTree(elements=elements, name=name):
            inner = tuple(current(walk, element) for element in elements)
            return replace(storage, elements=inner, next=walk.next_index.get(name, 0))
        case Record(fields=fields):
            return Record(tuple((name, current(walk, part)) for name, part in fields))
        case _:
            return storage


def refuse_differing(walk: Walk, values: Sequence[Tree], span: Span) -> None:
    """Raise CompileError where it matters which of several values is chosen at run time, as
    nextIndex is known at compile time: in a parser, when their stacks stand at different places."""
    indices = {tuple(stack.next for stack in stacks_of(value)) for value in values}
    if walk.in_parser and len(indices) > 1:
        raise fail(
            "unsupported",
            span,
            "the header stacks of which one is chosen here at run time stand at different places",
            help="select a parser state for each",
        )


def last_index(walk: Walk, place: Place) -> ir.Expr:
    """Return lastIndex of the stack that a place is."""
    stacks = [tree for tree in place.storage if isinstance(tree, StackTree)]
    found = [fold.constant(walk.next_index.get(stack.name, 0) - 1, 32) for stack in stacks]
    if place.selector is None:
        return found[0]
    return leaf(_selected(tuple(found), place.selector))


def _read_bits(value: ir.Expr, bits: Bits) -> ir.Expr:
    if isinstance(bits.low, int):
        return cut(value, bits.low + bits.width - 1, bits.low)
    return cut_at(value, bits.low, bits.width)


def _selected(storage: tuple[Tree, ...], selector: ir.Expr) -> Tree:
    width = ir.width_of(selector)
    tests = [fold.equal(selector, ir.Const(i, width)) for i in range(len(storage))]

    def choose(column: Sequence[ir.Expr]) -> ir.Expr:
        value: ir.Expr = ir.Const(0, ir.width_of(column[0]))
        for test, option in zip(reversed(tests), reversed(column), strict=True):
            value = fold.mux(test, option, value)
        return value

    return combine(storage, choose)


# Writing


def write(walk: Walk, place: Place, value: Tree, span: Span) -> None:
    """Assign the value, which was read before, to the place."""
    if place.selector is None:
        _write_one(walk, place.storage[0], place.bits, value, span)
        return
    value = _settled(walk, value, span)
    on_each(walk, place, span, lambda storage: _write_one(walk, storage, place.bits, value, span))


def on_each(walk: Walk, place: Place, span: Span, change: Callable[[Tree], None]) -> None:
    """Do `change` to the storage that the place's selector counts out."""
    if place.selector is None:
        change(place.storage[0])
        return
    cases = []
    before = dict(walk.next_index)
    for i, storage in enumerate(place.storage):
        with walk.collect() as body:
            change(storage)
        cases.append(ir.SwitchCase((i,), tuple(body)))
    if walk.in_parser and walk.next_index != before:
        raise fail(
            "unsupported",
            span,
            "which header stack this changes is known at run time only",
            help="select a parser state for each stack",
        )
    walk.emit(ir.Switch(place.selector, tuple(cases), (), span))


def _settled(walk: Walk, value: Tree, span: Span) -> Tree:
    """Return the value with nothing left to compute."""
    names = {
        name
        for expr in leaves(value)
        if not isinstance(expr, ir.Var | ir.Const)
        for name in mentions(expr)
    }
    return kept_tree(walk, value, names, span)


def _write_one(walk: Walk, storage: Tree, bits: tuple[Bits, ...], value: Tree, span: Span) -> None:
    if bits:
        target = storage_leaf(leaf(storage))
        walk.emit(ir.Assign(target, _with_bits(target, bits, leaf(value)), span))
    else:
        store(walk, storage, value, span)


def _with_bits(whole: ir.Expr, bits: tuple[Bits, ...], value: ir.Expr) -> ir.Expr:
    if not bits:
        return value
    first, *rest = bits
    inner = _with_bits(_read_bits(whole, first), tuple(rest), value)
    if isinstance(first.low, int):
        return fold.insert(whole, first.low + first.width - 1, first.low, inner)
    return fold.insert_at(whole, first.low, inner)


def store(walk: Walk, storage: Tree, value: Tree, span: Span) -> None:
    """Assign a whole value to storage of its shape."""
    pairs = list(_pairs(storage, value))
    value = _unshared(walk, pairs, value, span)
    for target, source in _pairs(storage, value):
        if target != source:
            walk.emit(ir.Assign(target, source, span))
    _note_next_index(walk, storage, value)


def _unshared(walk: Walk, pairs: list[tuple[ir.Var, ir.Expr]], value: Tree, span: Span) -> Tree:
    """Return the value with those scalars saved that an earlier assignment would change."""
    early: set[str] = set()
    spoiled: set[str] = set()
    for target, source in pairs:
        if target != source:
            spoiled.update(early.intersection(mentions(source)))
            early.add(target.name)
    return kept_tree(walk, value, spoiled, span) if spoiled else value


def _pairs(storage: Tree, value: Tree) -> list[tuple[ir.Var, ir.Expr]]:
    """Return what is assigned to what; the fields of an invalid header are left alone."""
    match storage, value:
        case HeaderTree(), HeaderTree():
            return _header_pairs(storage, value)
        case (Record(fields=parts), Record(fields=values)):
            pass
        case (UnionTree(members=parts), UnionTree(members=values)):
            return [
                pair
                for (_, member), (_, source) in zip(parts, values, strict=True)
                for pair in _header_pairs(replace(member, siblings=()), source)
            ]
        case StackTree(elements=elements), StackTree(elements=sources):
            return [
                pair
                for element, source in zip(elements, sources, strict=True)
                for pair in _pairs(element, source)
            ]
        case _, Known():
            raise InternalError("elaborate", f"{value} assigned to {storage}")
        case _:
            return [(storage_leaf(leaf(storage)), leaf(value))]
    return [
        pair
        for (_, part), (_, source) in zip(parts, values, strict=True)
        for pair in _pairs(part, source)
    ]


def _header_pairs(storage: HeaderTree, value: HeaderTree) -> list[tuple[ir.Var, ir.Expr]]:
    pairs: list[tuple[ir.Var, ir.Expr]] = [(storage_leaf(storage.valid), value.valid)]
    pairs += [(sibling, ir.FALSE) for sibling in storage.siblings]
    if value.valid != ir.FALSE:
        for (_, part), (_, source) in zip(storage.fields, value.fields, strict=True):
            pairs += _pairs(part, source)
    return pairs


def _note_next_index(walk: Walk, storage: Tree, value: Tree) -> None:
    match storage, value:
        case StackTree(name=name), StackTree(next=next_index):
            walk.next_index[name] = next_index
        case Record(fields=parts), Record(fields=values):
            for (_, part), (_, source) in zip(parts, values, strict=True):
                _note_next_index(walk, part, source)


def reset(walk: Walk, storage: Tree, span: Span) -> None:
    """Give storage the value of an unset variable: zeros, invalid headers."""
    match storage:
        case HeaderTree():
            walk.emit(ir.Assign(storage_leaf(storage.valid), ir.FALSE, span))
        case StackTree(elements=elements, name=name):
            walk.next_index[name] = 0
            for element in elements:
                reset(walk, element, span)
        case Record(fields=fields):
            for _, part in fields:
                reset(walk, part, span)
        case UnionTree(members=members):
            for _, member in members:
                reset(walk, member, span)
        case Known():
            raise InternalError("elaborate", f"{storage} cannot be reset")
        case _:
            target = storage_leaf(storage)
            walk.emit(ir.Assign(target, ir.Const(0, target.width), span))


# Headers


def set_validity(walk: Walk, header: Tree, valid: bool, span: Span) -> None:
    """setValid and setInvalid: of the members of a union at most one stays valid."""
    if not isinstance(header, HeaderTree):
        raise InternalError("elaborate", f"the validity of {header}")
    walk.emit(ir.Assign(storage_leaf(header.valid), fold.boolean(valid), span))
    for sibling in header.siblings:
        walk.emit(ir.Assign(sibling, ir.FALSE, span))


def is_valid(value: Tree) -> ir.Expr:
    match value:
        case HeaderTree(valid=valid):
            return valid
        case UnionTree(members=members):
            result: ir.Expr = ir.FALSE
            for _, member in members:
                result = fold.disjunction(result, member.valid)
            return result
        case _:
            raise InternalError("elaborate", f"the validity of {value}")


def shift(walk: Walk, storage: Tree, count: int, span: Span) -> None:
    """push_front by `count`, or pop_front by `-count` (section 8.18)."""
    if not isinstance(storage, StackTree):
        raise InternalError("elaborate", f"{storage} is no stack")
    size = len(storage.elements)
    order = range(size - 1, -1, -1) if count > 0 else range(size)
    for i in order:
        if 0 <= i - count < size:
            store(walk, storage.elements[i], storage.elements[i - count], span)
        else:
            reset(walk, storage.elements[i], span)
    old = walk.next_index.get(storage.name, 0)
    walk.next_index[storage.name] = max(0, min(size, old + count))
