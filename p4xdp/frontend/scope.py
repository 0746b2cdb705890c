"""Scopes: in goes a name as it was written, out comes what it stands for at that point.

A name stands for one entity; functions, extern functions and actions of one name are overloads.
"""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.diagnostics import Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.types import (
    Header,
    HeaderUnion,
    ParameterType,
    Struct,
    Type,
    TypeVariable,
)
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type that needs no arguments: struct, typedef, type parameter, ..."""

    type: Type


@dataclass(frozen=True, slots=True)
class GenericFields:
    """A struct, header or header union with type parameters, which stand in `template`."""

    template: Struct | Header | HeaderUnion
    variables: tuple[TypeVariable, ...]


@dataclass(frozen=True, slots=True)
class ExternName:
    """An extern object type; its methods are known once its declaration is complete."""

    name: str
    variables: tuple[TypeVariable, ...]


@dataclass(frozen=True, slots=True)
class BlockName:
    """A parser or control type with no body, perhaps with type parameters."""

    kind: str
    name: str
    variables: tuple[TypeVariable, ...]
    parameters: tuple[ParameterType, ...]


@dataclass(frozen=True, slots=True)
class PackageName:
    """A package type; each instantiation gets its own `typed.Package`."""

    name: str
    variables: tuple[TypeVariable, ...]
    parameters: tuple[typed.Parameter, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class GenericFunction:
    """A function with type parameters; its body is checked for each set of arguments."""

    declaration: syntax.Function
    variables: tuple[TypeVariable, ...]
    parameters: tuple[typed.Parameter, ...]
    result: Type

    @property
    def name(self) -> str:
        return self.declaration.prototype.name.text


@dataclass(frozen=True, slots=True)
class GenericBlock:
    """A parser or control with type parameters and a body, which is checked for each use.

    `pattern` is the block as it is for any type.
    """

    declaration: syntax.Parser | syntax.Control
    variables: tuple[TypeVariable, ...]
    pattern: typed.Parser | typed.Control


Overload = typed.Function | typed.ExternFunction | typed.Action | GenericFunction


@dataclass(frozen=True, slots=True)
class Overloads:
    functions: tuple[Overload, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """Declared, but with an error that is reported already: its uses say nothing more."""


Entity = (
    TypeName
    | GenericFields
    | ExternName
    | BlockName
    | GenericBlock
    | PackageName
    | Overloads
    | Broken
    | typed.Variable
    | typed.Parameter
    | typed.Constant
    | typed.Instance
    | typed.Parser
    | typed.Control
    | typed.Table
    | typed.ValueSet
)


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str
    entity: Entity
    span: Span


class Scope:
    """The names of one block and, through `parent`, of everything around it.

    `parent` leads past blocks without names, so that finding a name does not take longer the
    deeper blocks nest; a block that gets its first name comes back into the ways past it.
    """

    __slots__ = ("_past", "names", "parent")

    def __init__(self, parent: Scope | None = None) -> None:
        self.names: dict[str, Symbol] = {}
        self.parent = parent
        self._past: list[Scope] = []
        if parent is not None and parent.parent is not None and not parent.names:
            self.parent = parent.parent
            parent._past.append(self)

    def find(self, name: str) -> Symbol | None:
        """Return what `name` stands for, from the innermost scope outwards."""
        scope: Scope | None = self
        while scope is not None:
            symbol = scope.names.get(name)
            if symbol is not None:
                return symbol
            scope = scope.parent
        return None

    def declare(self, symbol: Symbol) -> Symbol | None:
        """Add a symbol; return the one of the same name and scope instead when there is one."""
        earlier = self.names.get(symbol.name)
        if earlier is None:
            self.put(symbol)
        return earlier

    def put(self, symbol: Symbol) -> None:
        """Add a symbol in the place of one of the same name, if there is one."""
        if not self.names:
            self._come_back()
        self.names[symbol.name] = symbol

    def _come_back(self) -> None:
        leading_past = self._past
        self._past = []
        while leading_past:
            inner = leading_past.pop()
            inner.parent = self
            if not inner.names:
                leading_past.extend(inner._past)

    def visible(self) -> Iterator[Symbol]:
        """Yield every symbol that a name can reach from here, the innermost first."""
        seen: set[str] = set()
        scope: Scope | None = self
        while scope is not None:
            for name, symbol in scope.names.items():
                if name not in seen:
                    seen.add(name)
                    yield symbol
            scope = scope.parent


def is_type(entity: Entity) -> bool:
    """Say whether a type may be written with the name of this entity."""
    return isinstance(
        entity,
        TypeName
        | GenericFields
        | ExternName
        | BlockName
        | GenericBlock
        | PackageName
        | typed.Parser
        | typed.Control,
    )


def what_it_is(entity: Entity) -> str:
    """Return the kind of a declaration with its article, for messages."""
    match entity:
        case TypeName() | GenericFields():
            return "a type"
        case ExternName():
            return "an extern type"
        case BlockName(kind=kind):
            return f"a {kind} type"
        case PackageName():
            return "a package"
        case Overloads(functions=functions):
            return "an action" if isinstance(functions[0], typed.Action) else "a function"
        case typed.Variable():
            return "a variable"
        case typed.Parameter():
            return "a parameter"
        case typed.Constant():
            return "a constant"
        case typed.Instance():
            return "an instance"
        case GenericBlock(pattern=block):
            return what_it_is(block)
        case typed.Parser() | typed.Control():
            return "a parser" if isinstance(entity, typed.Parser) else "a control"
        case typed.Table():
            return "a table"
        case typed.ValueSet():
            return "a value set"
        case Broken():
            return "a declaration with an error"


def nearest(name: str, candidates: Iterator[str]) -> str | None:
    """Return the candidate that differs least from `name`, None when all differ too much."""
    best, best_distance = None, max(1, len(name) // 3) + 1
    for candidate in candidates:
        if candidate == name or abs(len(candidate) - len(name)) >= best_distance:
            continue
        distance = _distance(name, candidate)
        if distance < best_distance:
            best, best_distance = candidate, distance
    return best


def _distance(left: str, right: str) -> int:
    """Return how many single-character edits or swaps of neighbours lead from one to the other.

    Upper and lower case count as equal, but names that differ only in case are 1 apart.
    """
    a, b = left.lower(), right.lower()
    if a == b:
        return 1
    above, row = [0], list(range(len(b) + 1))
    for i, x in enumerate(a):
        two_above, above, row = above, row, [i + 1]
        for j, y in enumerate(b):
            cost = min(above[j + 1] + 1, row[j] + 1, above[j] + (x != y))
            if i and j and x == b[j - 1] and y == a[i - 1]:
                cost = min(cost, two_above[j - 1] + 1)
            row.append(cost)
    return row[-1]
