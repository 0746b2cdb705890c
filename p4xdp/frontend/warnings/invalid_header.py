"""`invalid-header`: fields that are read of a header which is invalid on every path to there.

Elements of stacks are followed by their number; what a run-time index, `next` and `last` name may
be any of them. Of the members of a union at most one is valid, so that to make one valid is to
make the others invalid.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.types import Header, HeaderUnion, Stack, Struct, Type
from p4xdp.frontend.warnings.flow import Facts, Flow, Path
from p4xdp.frontend.warnings.names import spell_place
from p4xdp.records import dataclass

LONGEST_STACK = 64
"""The size up to which a stack's elements are followed."""


def headers(type: Type, path: Path) -> Iterator[Path]:
    """Yield the headers under `path`."""
    match type:
        case Header():
            yield path
        case Struct(fields=fields) | HeaderUnion(fields=fields):
            for field in fields:
                yield from headers(field.type, (*path, field.name))
        case Stack(element=element, size=size) if size <= LONGEST_STACK:
            for i in range(size):
                yield from headers(element, (*path, i))
        case _:
            return


@dataclass(frozen=True, slots=True)
class Place:
    """What an expression names: exactly `path`, or (not `exact`) something inside of it."""

    path: Path
    exact: bool


def place_of(e: typed.Expression) -> Place | None:
    """Return the place of a path, None for anything else."""
    match e:
        case typed.Ref(declaration=typed.Variable() | typed.Parameter() as declaration):
            return Place((declaration,), exact=True)
        case typed.Field(base=base, name=name):
            return _part(base, name)
        case typed.StackIndex(base=base, index=typed.Literal(value=int(number))):
            return _part(base, number)
        case typed.StackIndex(base=base) | typed.StackProperty(base=base):
            inner = place_of(base)
            return None if inner is None else Place(inner.path, exact=False)
        case typed.TupleIndex(base=base, index=index):
            return _part(base, str(index))
        case typed.Slice(base=base) | typed.DynamicSlice(base=base):
            return place_of(base)
        case _:
            return None


def _part(base: typed.Expression, name: object) -> Place | None:
    inner = place_of(base)
    return Place((*inner.path, name), exact=True) if inner is not None and inner.exact else inner


def siblings(e: typed.Expression, path: Path) -> list[Path]:
    """Return the other members of the union that an expression names a member of."""
    match e:
        case typed.Field(base=base) if isinstance(base.type, HeaderUnion):
            names = [field.name for field in base.type.fields]
            return [(*path[:-1], name) for name in names if name != path[-1]]
        case _:
            return []


class InvalidHeader(Flow):
    """A fact is a header that is invalid."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        super().__init__()
        self._diagnostics = diagnostics

    def declared(self, variable: typed.Variable) -> None:
        self._forget((variable,))
        if variable.initial is None or isinstance(variable.initial, typed.InvalidHeader):
            self._add(headers(variable.type, (variable,)))

    def entered(self, parameters: Sequence[typed.Parameter]) -> None:
        for parameter in parameters:
            self._forget((parameter,))
            if parameter.direction == "out":
                self._add(headers(parameter.type, (parameter,)))

    def assigned(self, target: typed.Expression, value: typed.Expression | None) -> None:
        place = place_of(target)
        if place is None:
            return
        self._forget(place.path)
        if place.exact:
            self._add(siblings(target, place.path))
            if isinstance(value, typed.InvalidHeader):
                self._add(headers(target.type, place.path))

    def built_in(self, callee: typed.BuiltinCallee) -> None:
        place = place_of(callee.base)
        if place is None:
            return
        if not place.exact:
            if callee.name != "setInvalid":
                self._forget(place.path)
            return
        match callee.name:
            case "setValid":
                self._forget(place.path)
                self._add(siblings(callee.base, place.path))
            case "setInvalid":
                self._add([place.path, *siblings(callee.base, place.path)])
            case "push_front" | "pop_front":
                self._forget(place.path)

    def tested(self, header: typed.Expression) -> tuple[Facts, Facts]:
        place = place_of(header)
        if place is None or self.facts is None or not place.exact:
            return self.facts, self.facts
        all_invalid = self.facts | frozenset(headers(header.type, place.path))
        if isinstance(header.type, HeaderUnion):
            return self.facts, all_invalid
        others = frozenset(siblings(header, place.path))
        return (self.facts | others) - {place.path}, all_invalid

    def used(self, e: typed.Expression) -> None:
        while isinstance(e, typed.Slice | typed.DynamicSlice | typed.Field | typed.TupleIndex):
            if isinstance(e, typed.Field) and isinstance(e.base.type, Header):
                self._field(e)
                return
            e = e.base

    def _field(self, e: typed.Field) -> None:
        place = place_of(e.base)
        if self.facts is None or place is None:
            return
        if place.exact and place.path in self.facts:
            self._warn(e, f"the header `{spell_place(e.base)}` is invalid here")
            self._forget(place.path)
            return
        match e.base:
            case typed.StackIndex(base=stack) if not place.exact:
                self._element(e, stack)

    def _element(self, e: typed.Field, stack: typed.Expression) -> None:
        """Look at an element whose number is known at run time only."""
        place = place_of(stack)
        if place is None or not place.exact or self.facts is None:
            return
        elements = frozenset(headers(stack.type, place.path))
        if elements and elements <= self.facts:
            self._warn(e, f"no element of `{spell_place(stack)}` is valid here")
            self._forget(place.path)

    def _warn(self, e: typed.Field, why: str) -> None:
        if not self.muted:
            self._diagnostics.warning(
                "invalid-header",
                e.span,
                f"`{spell_place(e)}` is read, but {why}",
                help="extract it, or call `setValid()` and write the field, before reading it",
            )

    def _add(self, paths: Iterable[Path]) -> None:
        assert self.facts is not None
        self.facts |= frozenset(paths)

    def _forget(self, path: Path) -> None:
        """The headers at and under `path` may be valid from here on."""
        assert self.facts is not None
        size = len(path)
        self.facts = frozenset([one for one in self.facts if one[:size] != path])
