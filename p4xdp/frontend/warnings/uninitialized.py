"""`uninitialized`: values that are read though some path to there gives them none (section 6.7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.diagnostics import Diagnostics, Note
from p4xdp.frontend import typed
from p4xdp.frontend.types import Header, HeaderUnion, Stack, Struct, Tuple, Type
from p4xdp.frontend.warnings.flow import Flow, Path, path_of
from p4xdp.frontend.warnings.names import spell_place


def leaves(type: Type, path: Path) -> Iterator[Path]:
    """Yield the parts under `path` that can be without a value; a header is invalid instead."""
    match type:
        case Struct(fields=fields):
            for field in fields:
                yield from leaves(field.type, (*path, field.name))
        case Tuple(elements=elements):
            for index, element in enumerate(elements):
                yield from leaves(element, (*path, index))
        case Header() | HeaderUnion() | Stack():
            return
        case _:
            yield path


class Uninitialized(Flow):
    """A fact is a part of a variable or `out` parameter that has a value."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        super().__init__()
        self._diagnostics = diagnostics
        self._watched: set[object] = set()

    def declared(self, variable: typed.Variable) -> None:
        if variable.initial is not None:
            return
        if variable in self._watched:
            self._forget(variable)
        self._watched.add(variable)

    def entered(self, parameters: Sequence[typed.Parameter]) -> None:
        for parameter in parameters:
            if parameter.direction == "out":
                self._forget(parameter)
                self._watched.add(parameter)

    def assigned(self, target: typed.Expression, value: typed.Expression | None) -> None:
        while isinstance(target, typed.Slice | typed.DynamicSlice):
            target = target.base
        path = path_of(target)
        if path is not None and path[0] in self._watched:
            self._gain(leaves(target.type, path))

    def used(self, e: typed.Expression) -> None:
        while isinstance(e, typed.Slice | typed.DynamicSlice):
            e = e.base
        path = path_of(e)
        if path is None or path[0] not in self._watched or self.facts is None:
            return
        if _through_header(e):
            return
        parts = list(leaves(e.type, path))
        if not parts or any(part in self.facts for part in parts):
            return
        self._gain(parts)
        if not self.muted:
            self._report(e, path[0])

    def _report(self, e: typed.Expression, root: object) -> None:
        assert isinstance(root, typed.Variable | typed.Parameter)
        kind = "`out` parameter" if isinstance(root, typed.Parameter) else "variable"
        note = Note(f"the {kind} `{root.name}` is declared here without a value", root.span)
        self._diagnostics.warning(
            "uninitialized",
            e.span,
            f"`{spell_place(e)}` may be read before it has a value",
            notes=(note,),
        )

    def _gain(self, parts: Sequence[Path] | Iterator[Path]) -> None:
        assert self.facts is not None
        new = [part for part in parts if part not in self.facts]
        if new:
            self.facts |= frozenset(new)

    def _forget(self, root: object) -> None:
        assert self.facts is not None
        self.facts = frozenset([path for path in self.facts if path[0] is not root])


def _through_header(e: typed.Expression) -> bool:
    """Say whether a place lies in a header or an element of a stack."""
    while isinstance(e, typed.Field | typed.TupleIndex | typed.StackIndex | typed.StackProperty):
        e = e.base
        if isinstance(e.type, Header | HeaderUnion | Stack):
            return True
    return False
