"""Storage for P4 variables, and the values that need no program to compute them."""

from __future__ import annotations

from p4xdp.diagnostics import CompileError, InternalError, Span, fail
from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate.trees import (
    HeaderTree,
    Known,
    Record,
    StackTree,
    Tree,
    UnionTree,
    scalar_width,
    underlying,
)
from p4xdp.midend import ir
from p4xdp.records import dataclass, field


@dataclass(slots=True)
class Names:
    """Gives each thing a name of its own: the wanted one, or that with a number."""

    _taken: set[str] = field(default_factory=set)
    _next: dict[str, int] = field(default_factory=dict)

    def unique(self, wanted: str) -> str:
        name = wanted
        while name in self._taken:
            number = self._next.get(wanted, 1)
            self._next[wanted] = number + 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name


def allocate(names: Names, kind: t.Type, name: str, span: Span) -> Tree:
    """Return fresh storage for a value of type `kind`, named like `name`.

    Raises CompileError for a type that has none on this target.
    """
    return _allocate(kind, names.unique(name), span)


def _allocate(kind: t.Type, name: str, span: Span) -> Tree:
    match underlying(kind):
        case t.Struct(fields=fields):
            return Record(
                tuple((f.name, _allocate(f.type, f"{name}.{f.name}", span)) for f in fields)
            )
        case t.Tuple(elements=elements):
            parts = [_allocate(element, f"{name}.{i}", span) for i, element in enumerate(elements)]
            return Record(tuple((str(i), part) for i, part in enumerate(parts)))
        case t.Header() as header:
            return _allocate_header(header, name, span)
        case t.HeaderUnion() as union:
            return _allocate_union(union, name, span)
        case t.Stack(element=element, size=size):
            stack = tuple(_allocate(element, f"{name}[{i}]", span) for i in range(size))
            return StackTree(stack, name=name)
        case t.Bit(width=0):
            return Record(())
        case t.Varbit(width=width):
            return _allocate_varbit(width, name)
        case _:
            return _scalar(kind, name, span)


def _scalar(kind: t.Type, name: str, span: Span) -> ir.Var:
    width = scalar_width(kind)
    if width is None:
        raise no_storage(kind, span)
    return ir.Var(name, width)


def no_storage(kind: t.Type, span: Span) -> CompileError:
    """Return the error for a type whose values cannot be held at run time."""
    text = f"a variable of type `{kind}` cannot be kept at run time"
    return fail("unsupported", span, text, help="use it where it is made, or give it as a constant")


def varbit_words(width: int) -> tuple[int, ...]:
    """Return the widths of the words of a `varbit<width>`, of which whole bytes are kept."""
    whole, rest = divmod(width // 8 * 8, ir.LIMB)
    return (ir.LIMB,) * whole + ((rest,) if rest else ())


def _allocate_varbit(width: int, name: str) -> Record:
    """Return a size in bytes, and words that are zero behind it."""
    words = [ir.Var(f"{name}.word{i}", w) for i, w in enumerate(varbit_words(width))]
    size = ir.Var(f"{name}.size", VARBIT_SIZE)
    return Record((("size", size), *((f"word{i}", word) for i, word in enumerate(words))))


VARBIT_SIZE = 32
"""The width in bits of the number of bytes that a varbit has."""


def _allocate_header(header: t.Header, name: str, span: Span) -> HeaderTree:
    fields = tuple((f.name, _allocate(f.type, f"{name}.{f.name}", span)) for f in header.fields)
    valid = ir.Var(f"{name}.{validity_name(header)}", ir.BOOL)
    return HeaderTree(header, valid, fields, name)


def validity_name(header: t.Header) -> str:
    """Return a name for the validity that no field has."""
    name = "valid"
    while any(field.name == name for field in header.fields):
        name += "_"
    return name


def _allocate_union(union: t.HeaderUnion, name: str, span: Span) -> UnionTree:
    members = []
    for member in union.fields:
        match underlying(member.type):
            case t.Header() as header:
                tree = _allocate_header(header, f"{name}.{member.name}", span)
                members.append((member.name, tree))
            case _:
                raise InternalError("elaborate", f"{union} has a member that is no header", span)
    return UnionTree(tuple((label, _with_siblings(tree, members)) for label, tree in members))


def _with_siblings(tree: HeaderTree, members: list[tuple[str, HeaderTree]]) -> HeaderTree:
    others = tuple(
        other.valid for _, other in members if other is not tree and isinstance(other.valid, ir.Var)
    )
    return HeaderTree(tree.type, tree.valid, tree.fields, tree.name, others)


def zero(kind: t.Type) -> Tree:
    """Return the value of an unset variable, which is also the default value (section 7.3):
    zeros, and headers that are invalid."""
    match underlying(kind):
        case t.Struct(fields=fields):
            return Record(tuple((f.name, zero(f.type)) for f in fields))
        case t.Tuple(elements=elements):
            return Record(tuple((str(i), zero(element)) for i, element in enumerate(elements)))
        case t.Header() as header:
            return zero_header(header)
        case t.HeaderUnion(fields=fields):
            return UnionTree(
                tuple(
                    (f.name, zero_header(member))
                    for f in fields
                    if isinstance(member := underlying(f.type), t.Header)
                )
            )
        case t.Stack(element=element, size=size):
            return StackTree(tuple(zero(element) for _ in range(size)))
        case t.Bit(width=0):
            return Record(())
        case t.Varbit(width=width):
            return _zero_varbit(width)
        case t.Basic.INT:
            return Known(0)
        case t.Basic.STRING:
            return Known("")
        case _:
            return _zero_scalar(kind)


def _zero_scalar(kind: t.Type) -> ir.Const:
    width = scalar_width(kind)
    if width is None:
        raise InternalError("elaborate", f"{kind} has no default value")
    return ir.Const(0, width)


def _zero_varbit(width: int) -> Record:
    words = [(f"word{i}", ir.Const(0, word)) for i, word in enumerate(varbit_words(width))]
    return Record((("size", ir.Const(0, VARBIT_SIZE)), *words))


def zero_header(header: t.Header) -> HeaderTree:
    return HeaderTree(header, ir.FALSE, tuple((f.name, zero(f.type)) for f in header.fields))
