"""The data that hashes and checksums are computed over: scalars in a row, cut into pieces.

A header counts while it is valid only, so data with headers have several alternatives, of which
the packet decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from p4xdp.diagnostics import InternalError, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate import calls, fold
from p4xdp.frontend.elaborate.externs.interface import value_of
from p4xdp.frontend.elaborate.trees import (
    HeaderTree,
    Known,
    Record,
    StackTree,
    Tree,
    UnionTree,
    contains_varbit,
    headers_of,
    leaf,
    leaves,
    parts,
    underlying,
)
from p4xdp.frontend.elaborate.walk import Walk
from p4xdp.midend import ir
from p4xdp.records import dataclass, field, replace

# The scalars of data


@dataclass(frozen=True, slots=True)
class Data:
    """The scalars of data in their order, truth values as one bit; a header is its fields.

    `tail` are words of a varbit at the end: zero behind what the packet has of it, which is
    `tail_size` bytes.
    """

    bits: list[ir.Expr]
    tail: list[ir.Expr]
    tail_size: list[ir.Expr] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Valid:
    """Which headers are valid, each told by its validity; constants are in neither set.

    Those in `zeroed` may be invalid and are zeros then.
    """

    headers: frozenset[ir.Expr]
    zeroed: frozenset[ir.Expr]


def _data_of(kind: t.Type, tree: Tree, valid: Valid, span: Span) -> Data:
    """Raises CompileError for a varbit that is not at the end."""
    found = Data([], [])
    _collect(kind, tree, valid, found, span)
    return found


def _collect(kind: t.Type, tree: Tree, valid: Valid, found: Data, span: Span) -> None:
    match underlying(kind), tree:
        case t.Varbit(), Record(fields=fields):
            found.tail.extend(leaf(word) for _, word in fields[1:])
            found.tail_size.append(leaf(fields[0][1]))
        case t.Header(), HeaderTree() as header if not _counts(header, valid):
            if header.valid not in valid.zeroed:
                return
            inner = Data([], [])
            _collect(kind, replace(header, valid=ir.TRUE), valid, inner, span)
            found.bits.extend(_or_zero(header.valid, scalar) for scalar in inner.bits)
        case (t.Header() | t.Struct()) as outer, Record(fields=fields) | HeaderTree(fields=fields):
            for field, (_, part) in zip(outer.fields, fields, strict=True):
                _collect(field.type, part, valid, found, span)
        case t.HeaderUnion(), UnionTree(members=members):
            for _, header in members:
                _collect(header.type, header, valid, found, span)
        case t.Tuple(elements=elements), Record(fields=fields):
            for element, (_, part) in zip(elements, fields, strict=True):
                _collect(element, part, valid, found, span)
        case t.Stack(element=element), StackTree(elements=members):
            for part in members:
                _collect(element, part, valid, found, span)
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


def _counts(header: HeaderTree, valid: Valid) -> bool:
    return header.valid in valid.headers or header.valid == ir.TRUE


def _or_zero(valid: ir.Expr, scalar: ir.Expr) -> ir.Expr:
    return fold.mux(valid, scalar, ir.Const(0, ir.width_of(scalar)))


# Headers that may be invalid

MOST_ALTERNATIVES = 64
"""A hash is written out for each set of headers that may be valid: so many sets at most."""


@dataclass(frozen=True, slots=True)
class Alternatives:
    """Writes `digest` of the data of each set of headers that may be valid into `result`."""

    walk: Walk
    kind: t.Type
    tree: Tree
    digest: Callable[[Data], ir.Expr]
    result: ir.Var
    span: Span

    def write(self, rest: Sequence[Sequence[ir.Expr]], valid: Valid) -> None:
        """Emit the statements; of each group in `rest` at most one is valid."""
        if not rest:
            value = self.digest(_data_of(self.kind, self.tree, valid, self.span))
            resized = fold.resize(value, self.result.width)
            self.walk.emit(ir.Assign(self.result, resized, self.span))
            return
        with self.walk.collect() as otherwise:
            self.write(rest[1:], valid)
        for one in reversed(rest[0]):
            with self.walk.collect() as then:
                self.write(rest[1:], replace(valid, headers=valid.headers | {one}))
            otherwise = [ir.If(one, tuple(then), tuple(otherwise), self.span)]
        self.walk.body.extend(otherwise)


def digest_valid(
    walk: Walk,
    call: typed.Call,
    index: int,
    argument: calls.Passed,
    width: int,
    digest: Callable[[Data], ir.Expr],
    word: int = 0,
) -> ir.Expr:
    """Return what `digest` gives for argument number `index`, `width` bits at most; headers that
    are not valid are left out.

    `word` says that `word` zero bits more or less change no digest, which saves alternatives.

    Raises CompileError for a varbit that is not at the end, and for too many headers.
    """
    given = call.arguments[index]
    assert given is not None
    tree = value_of(argument)
    zeroed = {one.valid for one in headers_of(tree) if word and _is_of_words(one, word)}
    valid = Valid(frozenset(), frozenset(zeroed))
    groups = list(dict.fromkeys(_undecided(tree, valid)))
    if not groups:
        return digest(_data_of(given.type, tree, valid, call.span))
    _check_number(groups, call.span)
    result = walk.fresh("digest", width)
    Alternatives(walk, given.type, tree, digest, result, call.span).write(groups, valid)
    return result


def _check_number(groups: Sequence[Sequence[ir.Expr]], span: Span) -> None:
    number = 1
    for group in groups:
        number *= 1 + len(group)
    if number > MOST_ALTERNATIVES:
        text = "too many headers in this list may be valid or not"
        help = "hash fewer of them at once, or the fields of those that are valid here"
        raise fail("unsupported", span, text, help=help)


def _is_of_words(header: HeaderTree, word: int) -> bool:
    if contains_varbit(header.type):
        return False
    widths = (
        ir.stored_width(ir.width_of(one)) for _, part in header.fields for one in leaves(part)
    )
    return sum(widths) % word == 0


def _undecided(tree: Tree, valid: Valid) -> Iterator[tuple[ir.Expr, ...]]:
    """Yield the validity of headers that only the packet decides, that of a union together;
    without those that are zeroed."""
    match tree:
        case HeaderTree() as header:
            if not isinstance(header.valid, ir.Const) and header.valid not in valid.zeroed:
                yield (header.valid,)
        case UnionTree(members=members):
            inner = (one for _, header in members for one in _undecided(header, valid))
            if together := tuple(one for (one,) in inner):
                yield together
        case _:
            for part in parts(tree):
                yield from _undecided(part, valid)


# Pieces


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
