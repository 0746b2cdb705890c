"""Values and storage: P4 types taken apart into trees whose leaves are scalars of the IR.

A tree of variables is storage; a tree of any other expressions is a value of the same shape.
Compile-time-only values (arbitrary integers, strings) are `Known` leaves and never reach the IR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from p4xdp.diagnostics import InternalError
from p4xdp.frontend import types as t
from p4xdp.midend import ir
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Known:
    """A value of `int`, `string` or `match_kind`."""

    value: int | str


@dataclass(frozen=True, slots=True)
class Record:
    """A struct, tuple or list; the elements of the latter are named by their index."""

    fields: tuple[tuple[str, Tree], ...]


@dataclass(frozen=True, slots=True)
class HeaderTree:
    """`name` is the instance's name in storage, `siblings` the validity of the other members of
    its union: at most one of them is valid."""

    type: t.Header
    valid: ir.Expr
    fields: tuple[tuple[str, Tree], ...]
    name: str = ""
    siblings: tuple[ir.Var, ...] = ()


@dataclass(frozen=True, slots=True)
class UnionTree:
    members: tuple[tuple[str, HeaderTree], ...]


@dataclass(frozen=True, slots=True)
class StackTree:
    """`next` is the value's nextIndex; that of storage is kept elsewhere, by `name`."""

    elements: tuple[Tree, ...]
    next: int = 0
    name: str = ""


Aggregate = Record | HeaderTree | UnionTree | StackTree
Tree = Known | Aggregate | ir.Expr


def parts(tree: Tree) -> tuple[Tree, ...]:
    """Return the direct parts of a tree, a header's validity first; none for a leaf."""
    match tree:
        case Record(fields=fields):
            return tuple(part for _, part in fields)
        case HeaderTree(valid=valid, fields=fields):
            return (valid, *(part for _, part in fields))
        case UnionTree(members=members):
            return tuple(part for _, part in members)
        case StackTree(elements=elements):
            return elements
        case _:
            return ()


def leaves(tree: Tree) -> list[ir.Expr]:
    """Return the scalars of a tree in order, a header's validity before its fields.

    Values that are known at compile time only are no scalars of the IR.
    """
    found: list[ir.Expr] = []
    _collect(tree, found)
    return found


def _collect(tree: Tree, found: list[ir.Expr]) -> None:
    match tree:
        case Record(fields=fields):
            for _, part in fields:
                _collect(part, found)
        case HeaderTree(valid=valid, fields=fields):
            found.append(valid)
            for _, part in fields:
                _collect(part, found)
        case UnionTree(members=members):
            for _, member in members:
                _collect(member, found)
        case StackTree(elements=elements):
            for element in elements:
                _collect(element, found)
        case Known():
            pass
        case _:
            found.append(tree)


def leaf(tree: Tree) -> ir.Expr:
    """Return a scalar as what it is; raises InternalError for anything else."""
    match tree:
        case Known() | Record() | HeaderTree() | UnionTree() | StackTree():
            raise InternalError("elaborate", f"a scalar was expected, not {tree}")
        case _:
            return tree


def number_of(tree: Tree) -> ir.Expr:
    """Return a scalar as what it is, a `bit<0>` as a zero of one bit."""
    return ir.Const(0, 1) if isinstance(tree, Record) else leaf(tree)


def map_leaves(tree: Tree, change: Callable[[ir.Expr], ir.Expr]) -> Tree:
    """Return the tree with every scalar changed; the result is a value, not storage."""
    match tree:
        case Known():
            return tree
        case Record(fields=fields):
            return Record(tuple((name, map_leaves(part, change)) for name, part in fields))
        case HeaderTree():
            return map_header(tree, change)
        case UnionTree(members=members):
            return UnionTree(tuple((name, map_header(part, change)) for name, part in members))
        case StackTree(elements=elements, next=next_index):
            return StackTree(tuple(map_leaves(part, change) for part in elements), next_index)
        case _:
            return change(tree)


def map_header(tree: HeaderTree, change: Callable[[ir.Expr], ir.Expr]) -> HeaderTree:
    """As map_leaves, in the order of leaves: validity first."""
    valid = change(tree.valid)
    fields = tuple((name, map_leaves(part, change)) for name, part in tree.fields)
    return HeaderTree(tree.type, valid, fields)


def combine(trees: tuple[Tree, ...], choose: Callable[[tuple[ir.Expr, ...]], ir.Expr]) -> Tree:
    """Return one value out of several of the same shape, scalar by scalar."""
    columns = zip(*(leaves(tree) for tree in trees), strict=True)
    chosen = iter([choose(column) for column in columns])
    return map_leaves(trees[0], lambda _: next(chosen))


class NoSuchPart(InternalError):
    """A field that an architecture has is missing in what the program declares in its place."""


def part_of(tree: Tree, name: str) -> Tree:
    """Return a field of a struct, header or tuple, or a member of a union.

    Raises NoSuchPart, which fields that the program names, and so were checked, never do.
    """
    match tree:
        case Record(fields=parts) | HeaderTree(fields=parts) | UnionTree(members=parts):
            for key, part in parts:
                if key == name:
                    return part
    raise NoSuchPart("elaborate", f"no field {name} in {tree}")


def headers_of(tree: Tree) -> Iterator[HeaderTree]:
    """Yield the headers inside a tree, in order."""
    if isinstance(tree, HeaderTree):
        yield tree
        return
    for part in parts(tree):
        yield from headers_of(part)


def stacks_of(tree: Tree) -> Iterator[StackTree]:
    """Yield the stacks inside a tree, in order, one before those in its elements."""
    if isinstance(tree, StackTree):
        yield tree
    for part in parts(tree):
        yield from stacks_of(part)


# Types


def underlying(kind: t.Type) -> t.Type:
    """Return a type without `type` names and without the names of serialisable enums."""
    match kind:
        case t.NewType(target=target):
            return underlying(target)
        case t.SerializableEnum(underlying=bits):
            return bits
        case _:
            return kind


def is_signed(kind: t.Type) -> bool:
    return isinstance(underlying(kind), t.Int)


ENUM_WIDTH = 32
"""The width in bits of an enum with no underlying type and of an error code."""


def scalar_width(kind: t.Type) -> int | None:
    """Return the width of a scalar type in bits, BOOL for a truth value, None for the others."""
    match underlying(kind):
        case t.Bit(width=width) | t.Int(width=width):
            return width
        case t.Basic.BOOL:
            return ir.BOOL
        case t.Basic.ERROR | t.EnumType():
            return ENUM_WIDTH
        case _:
            return None


def contains_stack(kind: t.Type) -> bool:
    """Return whether a value of the type has a nextIndex somewhere."""
    return _contains(kind, t.Stack)


def contains_varbit(kind: t.Type) -> bool:
    return _contains(kind, t.Varbit)


def _contains(kind: t.Type, wanted: type[t.Stack | t.Varbit]) -> bool:
    """Return whether a type is, or has somewhere inside it, one of a class."""
    match underlying(kind):
        case found if isinstance(found, wanted):
            return True
        case t.Struct(fields=fields) | t.Header(fields=fields) | t.HeaderUnion(fields=fields):
            return any(_contains(field.type, wanted) for field in fields)
        case t.Tuple(elements=elements):
            return any(_contains(element, wanted) for element in elements)
        case t.Stack(element=element):
            return _contains(element, wanted)
        case _:
            return False
