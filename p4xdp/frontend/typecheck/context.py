"""What the checker knows while it walks the program: scopes, the place it is in, what is declared.

Errors go to the diagnostics; the `Rejected` that stands for one unwinds to the nearest statement
or declaration, so that one root cause gives one message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum

from p4xdp.diagnostics import MOST_ERRORS, Diagnostics, Note, Span
from p4xdp.frontend import syntax, typed
from p4xdp.frontend.libraries import library_help
from p4xdp.frontend.scope import (
    Broken,
    Entity,
    GenericBlock,
    GenericFunction,
    Overloads,
    Scope,
    Symbol,
    nearest,
)
from p4xdp.frontend.types import Header, Type, TypeVariable
from p4xdp.records import dataclass, field


class Place(Enum):
    """Where code stands: it decides what may be called and instantiated there."""

    TOP = "at the top level"
    PARSER = "in the declarations of a parser"
    STATE = "in a parser state"
    CONTROL = "in the declarations of a control"
    APPLY = "in an apply block"
    KEY = "in a table key"
    ACTION = "in an action"
    ARGUMENT = "in the arguments of a table's action"
    FUNCTION = "in a function"

    @property
    def in_parser(self) -> bool:
        return self in (Place.PARSER, Place.STATE)


class Rejected(Exception):
    """An error was reported; what it stands in cannot be checked any further."""


Evaluate = Callable[[syntax.Expression], typed.Expression]
CheckBlock = Callable[[syntax.Block], typed.Block]
Specialise = Callable[[GenericFunction, tuple[Type, ...], Span], typed.Function]
AnyBlock = typed.Parser | typed.Control
SpecialiseBlock = Callable[[GenericBlock, tuple[Type, ...], Span], AnyBlock]


@dataclass(slots=True)
class Context:
    """The state of one run; the four functions close the circles between modules."""

    diagnostics: Diagnostics
    evaluate: Evaluate = field(init=False)
    check_block: CheckBlock = field(init=False)
    specialise: Specialise = field(init=False)
    specialise_block: SpecialiseBlock = field(init=False)
    top: Scope = field(default_factory=Scope)
    scope: Scope = field(init=False)
    place: Place = Place.TOP
    result: Type | None = None
    loops: int = 0
    unevaluated: bool = False
    this: Type | None = None
    externs: dict[str, typed.Extern] = field(default_factory=dict)
    errors: dict[str, Span] = field(default_factory=dict)
    match_kinds: dict[str, Span] = field(default_factory=dict)
    controller_headers: dict[str, Header] = field(default_factory=dict)
    declarations: list[typed.Declaration] = field(default_factory=list)
    run_time: set[typed.Parameter] = field(default_factory=set)
    control_plane_names: dict[tuple[str, str], Span] = field(default_factory=dict)
    generic_blocks: dict[AnyBlock, tuple[GenericBlock, tuple[Type, ...]]] = field(
        default_factory=dict
    )
    specialised: dict[tuple[int, tuple[str, ...]], typed.Function] = field(default_factory=dict)
    specialising: list[GenericFunction | GenericBlock] = field(default_factory=list)
    hoisted: list[typed.Statement] = field(default_factory=list)
    _variables: int = 0
    _unknown: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.scope = self.top

    def reject(
        self,
        code: str,
        span: Span | None,
        text: str,
        *,
        notes: tuple[Note, ...] = (),
        help: str | None = None,
    ) -> Rejected:
        """Report an error and return the exception to raise for it."""
        self.diagnostics.error(code, span, text, notes=notes, help=help)
        return Rejected()

    def variable(self, name: str) -> TypeVariable:
        """Return a type variable that equals no other."""
        self._variables += 1
        return TypeVariable(name, self._variables)

    @contextmanager
    def block(self, place: Place | None = None) -> Iterator[Scope]:
        """Open a scope inside the current one, and perhaps another place."""
        outer_scope, outer_place = self.scope, self.place
        self.scope = Scope(outer_scope)
        self.place = place or outer_place
        try:
            yield self.scope
        finally:
            self.scope, self.place = outer_scope, outer_place

    @contextmanager
    def methods_of(self, type: Type) -> Iterator[None]:
        """Open the initialiser of an instance."""
        outer, self.this = self.this, type
        try:
            with self.block():
                yield
        finally:
            self.this = outer

    @contextmanager
    def at(self, place: Place) -> Iterator[None]:
        outer, self.place = self.place, place
        try:
            yield
        finally:
            self.place = outer

    @contextmanager
    def at_top(self) -> Iterator[None]:
        """Check something in the top-level scope, wherever the walk stands now."""
        outer = self.scope, self.place, self.result, self.loops, self.this
        self.scope, self.place, self.loops, self.this = self.top, Place.TOP, 0, None
        try:
            yield
        finally:
            self.scope, self.place, self.result, self.loops, self.this = outer

    @contextmanager
    def once_for(self, generic: GenericFunction | GenericBlock) -> Iterator[None]:
        """Check a generic body for one use; one that uses itself has its error from before."""
        if any(other is generic for other in self.specialising):
            raise Rejected
        self.specialising.append(generic)
        try:
            with self.at_top():
                yield
        finally:
            self.specialising.pop()

    def declare(self, name: syntax.Name, entity: Entity) -> None:
        """Bind a name in the current scope; a second binding is an error, the first one stays."""
        symbol = Symbol(name.text, entity, name.span)
        earlier = self.scope.names.get(name.text)
        if earlier is None:
            self.scope.put(symbol)
            self._check_shadow(name)
        elif isinstance(earlier.entity, Overloads) and isinstance(entity, Overloads):
            both = Overloads(earlier.entity.functions + entity.functions)
            self.scope.put(Symbol(name.text, both, earlier.span))
        elif not isinstance(earlier.entity, Broken):
            self.duplicate(name, earlier.span)

    def _check_shadow(self, name: syntax.Name) -> None:
        outer = self.scope.parent.find(name.text) if self.scope.parent else None
        if outer is not None and outer.span.line and not isinstance(outer.entity, Broken):
            self.diagnostics.warning(
                "shadow",
                name.span,
                f"`{name.text}` hides another declaration of this name",
                notes=(Note("the hidden one is here", outer.span),),
            )

    def declare_broken(self, name: syntax.Name) -> None:
        """Bind a name whose declaration has an error, unless it is bound already."""
        self.scope.names.setdefault(name.text, Symbol(name.text, Broken(), name.span))

    def duplicate(self, name: syntax.Name, earlier: Span) -> None:
        self.diagnostics.error(
            "duplicate",
            name.span,
            f"`{name.text}` is declared twice in the same scope",
            notes=(Note("the first one is here", earlier),),
        )

    def find(self, name: syntax.Name) -> Symbol | None:
        return (self.top if name.absolute else self.scope).find(name.text)

    def lookup(self, name: syntax.Name, kind: str = "name", code: str = "undeclared") -> Symbol:
        """Return what a name stands for; report it once when it is not declared.

        `kind` says in the message what was looked for.
        """
        symbol = self.find(name)
        if symbol is not None:
            if isinstance(symbol.entity, Broken):
                raise Rejected
            return symbol
        if name.text in self._unknown:
            raise Rejected
        self._unknown.add(name.text)
        help, notes = self.suggest(name.text)
        raise self.reject(
            code, name.span, f"{kind} `{name.text}` is not declared", notes=notes, help=help
        )

    def suggest(self, name: str) -> tuple[str | None, tuple[Note, ...]]:
        """Return the help and the note for an unknown name: an include, or the nearest name."""
        library = library_help(name)
        if library is not None:
            return library, ()
        if len(self.diagnostics.found) >= MOST_ERRORS:
            return None, ()
        best = nearest(name, (symbol.name for symbol in self.scope.visible()))
        if best is None:
            return None, ()
        symbol = self.scope.find(best)
        notes = (Note(f"`{best}` is declared here", symbol.span),) if symbol else ()
        return f"did you mean `{best}`?", notes
