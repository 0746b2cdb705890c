"""Random well-typed expressions, as P4 text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from choices import Choices

WIDTHS = (8, 1, 16, 32, 4, 3, 7, 12, 24, 48, 64, 13, 33, 60, 65, 100, 128, 129)
"""The widths of numbers, common ones first."""

SPECIAL = (0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255)


@dataclass(frozen=True, slots=True)
class Type:
    """`bit<width>`, `int<width>` or `bool` (width 0)."""

    kind: str
    width: int = 0

    def __str__(self) -> str:
        return "bool" if self.kind == "bool" else f"{self.kind}<{self.width}>"


BOOL = Type("bool")
BYTE = Type("bit", 8)


@dataclass(frozen=True, slots=True)
class Name:
    """Something that can be read, and written unless it is `read_only`."""

    text: str
    type: Type
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Parameter:
    direction: str
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Callable_:
    """A function, or (with no result) an action, a control instance or the like; `call` is the
    text in front of its arguments."""

    call: str
    parameters: tuple[Parameter, ...]
    result: Type | None = None


@dataclass(slots=True)
class Scope:
    """What can be named at a place.

    `headers` are the names of headers of one type; `sure` of those are valid where nothing has
    changed it. `tables` can be applied.
    """

    names: list[Name] = field(default_factory=list)
    functions: list[Callable_] = field(default_factory=list)
    actions: list[Callable_] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)

    def inner(self) -> Scope:
        """Return a scope in which more can be declared."""
        return Scope(
            list(self.names),
            list(self.functions),
            list(self.actions),
            list(self.headers),
            list(self.tables),
        )


def random_type(choices: Choices) -> Type:
    kind = choices.below(10)
    if kind == 9:
        return BOOL
    width = choices.of(WIDTHS)
    if kind >= 7 and width > 1:
        return Type("int", width)
    return Type("bit", width)


class Expressions:
    """Makes expressions of a wanted type from what a scope holds."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def expression(self, scope: Scope, kind: Type, depth: int) -> str:
        if depth <= 0 or not self.choices.chance(75):
            return self.leaf(scope, kind)
        match kind.kind:
            case "bool":
                return self._bool(scope, depth - 1)
            case "int":
                return self._int(scope, kind, depth - 1)
            case _:
                return self._bit(scope, kind, depth - 1)

    # Leaves

    def literal(self, kind: Type) -> str:
        if kind == BOOL:
            return self.choices.of(("false", "true"))
        top = (1 << kind.width) - 1
        number = self.choices.of((*SPECIAL, top, top >> 1, (top >> 1) + 1, top // 3)) & top
        if kind.kind == "bit":
            return f"{kind.width}w{number}"
        number &= top >> 1
        text = f"{kind.width}s{number}"
        return f"(-{text})" if self.choices.chance(30) else text

    def leaf(self, scope: Scope, kind: Type) -> str:
        same = [name for name in scope.names if name.type == kind]
        if same and self.choices.chance(80):
            return self.choices.of(same).text
        others = [n for n in scope.names if n.type.kind != "bool" or kind == Type("bit", 1)]
        if kind != BOOL and others and self.choices.chance(70):
            return cast(self.choices.of(others), kind)
        return self.literal(kind)

    def some_bits(self, scope: Scope, depth: int) -> tuple[str, Type]:
        """Return an expression of any `bit` type."""
        kind = Type("bit", self.choices.of(WIDTHS))
        return self.expression(scope, kind, depth), kind

    # Operators

    def _pick(self, makers: list[tuple[int, Callable[[], str]]]) -> str:
        weighted = [make for weight, make in makers for _ in range(weight)]
        return self.choices.of(weighted)()

    def _numeric(self, scope: Scope, kind: Type, depth: int) -> list[tuple[int, Callable[[], str]]]:
        def sub() -> str:
            return self.expression(scope, kind, depth)

        def binary() -> str:
            op = self.choices.of(("+", "-", "&", "|", "^", "*", "|+|", "|-|"))
            return f"({sub()} {op} {sub()})"

        def unary() -> str:
            return f"({self.choices.of(('~', '-'))}{sub()})"

        def shift() -> str:
            op = self.choices.of((">>", "<<"))
            return f"({sub()} {op} {self.some_bits(scope, depth - 1)[0]})"

        return [
            (6, binary),
            (2, unary),
            (2, shift),
            (2, lambda: self._conditional(scope, kind, depth)),
            (2, lambda: self._call(scope, kind, depth)),
        ]

    def _bit(self, scope: Scope, kind: Type, depth: int) -> str:
        def divide() -> str:
            divisor = 1 + self.choices.below(min((1 << kind.width) - 1, 9))
            op = self.choices.of(("/", "%"))
            return f"({self.expression(scope, kind, depth)} {op} {kind.width}w{divisor})"

        return self._pick(
            [
                *self._numeric(scope, kind, depth),
                (1, divide),
                (2, lambda: self._resized(scope, kind, depth)),
                (2, lambda: self._slice(scope, kind, depth)),
                (2, lambda: self._concatenation(scope, kind, depth)),
            ]
        )

    def _int(self, scope: Scope, kind: Type, depth: int) -> str:
        def from_bits() -> str:
            return f"(({kind}) {self.expression(scope, Type('bit', kind.width), depth)})"

        def from_int() -> str:
            other = Type("int", max(2, self.choices.of(WIDTHS)))
            return f"(({kind}) {self.expression(scope, other, depth)})"

        return self._pick([*self._numeric(scope, kind, depth), (2, from_bits), (2, from_int)])

    def _bool(self, scope: Scope, depth: int) -> str:
        def compare() -> str:
            kind = random_type(self.choices)
            ops = ("==", "!=") if kind == BOOL else ("==", "!=", "<", "<=", ">", ">=")
            left, right = (self.expression(scope, kind, depth) for _ in range(2))
            return f"({left} {self.choices.of(ops)} {right})"

        def logical() -> str:
            left, right = (self.expression(scope, BOOL, depth) for _ in range(2))
            return f"({left} {self.choices.of(('&&', '||'))} {right})"

        makers: list[tuple[int, Callable[[], str]]] = [
            (5, compare),
            (3, logical),
            (1, lambda: f"(!{self.expression(scope, BOOL, depth)})"),
            (1, lambda: f"((bool) {self.expression(scope, Type('bit', 1), depth)})"),
            (1, lambda: self._conditional(scope, BOOL, depth)),
            (1, lambda: self._call(scope, BOOL, depth)),
        ]
        if scope.headers:
            makers.append((2, lambda: f"{self.choices.of(scope.headers)}.isValid()"))
        if scope.tables:
            makers.append((1, lambda: f"{self.choices.of(scope.tables)}.apply().hit"))
        return self._pick(makers)

    def _conditional(self, scope: Scope, kind: Type, depth: int) -> str:
        test = self.expression(scope, BOOL, depth)
        then, otherwise = (self.expression(scope, kind, depth) for _ in range(2))
        return f"({test} ? {then} : {otherwise})"

    def _resized(self, scope: Scope, kind: Type, depth: int) -> str:
        if self.choices.chance(30) and kind.width > 1:
            return f"(({kind}) {self.expression(scope, Type('int', kind.width), depth)})"
        return f"(({kind}) {self.some_bits(scope, depth)[0]})"

    def _slice(self, scope: Scope, kind: Type, depth: int) -> str:
        width = self.choices.of([w for w in (*WIDTHS, kind.width) if w >= kind.width])
        low = self.choices.below(width - kind.width + 1)
        base = self.expression(scope, Type("bit", width), depth)
        return f"({base})[{low + kind.width - 1}:{low}]"

    def _concatenation(self, scope: Scope, kind: Type, depth: int) -> str:
        if kind.width < 2:
            return self.leaf(scope, kind)
        high = self.choices.between(1, kind.width - 1)
        left = self.expression(scope, Type("bit", high), depth)
        right = self.expression(scope, Type("bit", kind.width - high), depth)
        return f"({left} ++ {right})"

    # Calls

    def _call(self, scope: Scope, kind: Type, depth: int) -> str:
        fitting = [f for f in scope.functions if f.result == kind]
        if not fitting:
            return self.leaf(scope, kind)
        return self.call(scope, self.choices.of(fitting), depth)

    def call(self, scope: Scope, target: Callable_, depth: int) -> str:
        """Return a call; the same variable may stand for several parameters."""
        given = []
        for parameter in target.parameters:
            if parameter.direction in ("out", "inout"):
                place = self.lvalue(scope, parameter.type)
                if place is None:
                    return self.leaf(scope, target.result or BOOL)
                given.append(place)
            else:
                given.append(self.expression(scope, parameter.type, depth))
        return f"{target.call}({', '.join(given)})"

    def lvalue(self, scope: Scope, kind: Type) -> str | None:
        """Return something of a type that can be written, None when there is nothing."""
        same = [n.text for n in scope.names if n.type == kind and not n.read_only]
        wider = [
            n
            for n in scope.names
            if kind.kind == "bit" == n.type.kind and n.type.width > kind.width and not n.read_only
        ]
        if same and (not wider or self.choices.chance(75)):
            return self.choices.of(same)
        if not wider:
            return None
        base = self.choices.of(wider)
        low = self.choices.below(base.type.width - kind.width + 1)
        return f"{base.text}[{low + kind.width - 1}:{low}]"


def cast(name: Name, kind: Type) -> str:
    """Return the casts that bring a number to a type; width and sign change one by one."""
    if name.type == kind:
        return name.text
    if name.type == BOOL:
        return f"((bit<1>) {name.text})"
    text = name.text
    if name.type.kind == "int" and kind.kind == "bit":
        text = f"(bit<{name.type.width}>) {text}"
    elif name.type.kind == "bit" and kind.kind == "int":
        text = f"(int<{kind.width}>) (bit<{kind.width}>) {text}"
        return f"({text})"
    return f"(({kind}) {text})"
