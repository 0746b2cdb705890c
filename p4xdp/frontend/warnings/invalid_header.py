"""`invalid-header`: fields that are read of a header which is invalid on every path to there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from p4xdp.diagnostics import Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.types import Header, Struct, Type
from p4xdp.frontend.warnings.flow import Facts, Flow, Path, path_of
from p4xdp.frontend.warnings.names import spell_place


def headers(type: Type, path: Path) -> Iterator[Path]:
    """Yield the headers under `path`; those in stacks and unions are not followed."""
    match type:
        case Header():
            yield path
        case Struct(fields=fields):
            for field in fields:
                yield from headers(field.type, (*path, field.name))
        case _:
            return


class InvalidHeader(Flow):
    """A fact is a header that is invalid."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        super().__init__()
        self._diagnostics = diagnostics

    def declared(self, variable: typed.Variable) -> None:
        self._forget((variable,))
        if variable.initial is None:
            self._add(headers(variable.type, (variable,)))
        elif isinstance(variable.initial, typed.InvalidHeader):
            self._add([(variable,)])

    def entered(self, parameters: Sequence[typed.Parameter]) -> None:
        for parameter in parameters:
            self._forget((parameter,))
            if parameter.direction == "out":
                self._add(headers(parameter.type, (parameter,)))

    def assigned(self, target: typed.Expression, value: typed.Expression | None) -> None:
        path = path_of(target)
        if path is not None:
            self._forget(path)
            if isinstance(value, typed.InvalidHeader) and isinstance(value.type, Header):
                if _is_followed(target):
                    self._add([path])

    def built_in(self, callee: typed.BuiltinCallee) -> None:
        path = path_of(callee.base)
        if path is None:
            return
        if callee.name == "setValid":
            self._forget(path)
        elif callee.name == "setInvalid" and _is_followed(callee.base):
            self._add([path])

    def tested(self, header: typed.Expression) -> tuple[Facts, Facts]:
        path = path_of(header)
        if path is None or self.facts is None or not _is_followed(header):
            return self.facts, self.facts
        return self.facts - {path}, self.facts | {path}

    def used(self, e: typed.Expression) -> None:
        while isinstance(e, typed.Slice | typed.DynamicSlice | typed.Field | typed.TupleIndex):
            if isinstance(e, typed.Field) and isinstance(e.base.type, Header):
                self._field(e)
                return
            e = e.base

    def _field(self, e: typed.Field) -> None:
        path = path_of(e.base)
        if self.facts is None or path not in self.facts or not _is_followed(e.base):
            return
        self._forget(path)
        if not self.muted:
            self._diagnostics.warning(
                "invalid-header",
                e.span,
                f"`{spell_place(e)}` is read, but the header `{spell_place(e.base)}` is invalid"
                " here",
                help="extract it, or call `setValid()` and write the field, before reading it",
            )

    def _add(self, paths: Sequence[Path] | Iterator[Path]) -> None:
        assert self.facts is not None
        self.facts |= frozenset(paths)

    def _forget(self, path: Path) -> None:
        """The headers at and under `path` may be valid from here on."""
        assert self.facts is not None
        size = len(path)
        self.facts = frozenset([one for one in self.facts if one[:size] != path])


def _is_followed(header: typed.Expression) -> bool:
    """Say whether a header is named by fields of structs only."""
    while isinstance(header, typed.Field):
        header = header.base
        if not isinstance(header.type, Struct):
            return False
    return isinstance(header, typed.Ref) and isinstance(
        header.declaration, typed.Variable | typed.Parameter
    )
