"""Random well-typed expressions, as P4 text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from choices import Choices
from scope import BOOL, HEADERS, Callable_, HeaderPlace, Name, Record, Scope, Type, bits

WIDTHS = (8, 1, 16, 32, 4, 3, 7, 12, 24, 48, 64, 13, 33, 60, 65, 100, 128, 129, 200, 256)
"""The widths of numbers, common ones first."""

SPECIAL = (0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 100, 127, 128, 255)
DIVIDED = 64
"""Up to this width, everything can be a divisor; beyond, powers of two."""


@dataclass(slots=True)
class Named:
    """The types that a program declares: `records` are its headers and structs by name."""

    scalars: list[Type] = field(default_factory=list)
    structs: list[Type] = field(default_factory=list)
    headers: list[Type] = field(default_factory=list)
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)


Maker = tuple[int, Callable[[], str]]
"""How often, and what makes the text."""


class Expressions:
    """Makes expressions of a wanted type from what a scope holds."""

    def __init__(self, choices: Choices, named: Named | None = None) -> None:
        self.choices = choices
        self.named = named or Named()

    # Types

    def number_type(self) -> Type:
        """Return a type of numbers, or bool."""
        kind = self.choices.below(10)
        if kind == 9:
            return BOOL
        width = self.choices.of(WIDTHS)
        if kind >= 7 and width > 1:
            return Type("int", width)
        return bits(width)

    def scalar_type(self) -> Type:
        """Return a type of one value, of those that the program declares too."""
        if self.named.scalars and self.choices.chance(15):
            return self.choices.of(self.named.scalars)
        return self.number_type()

    def any_type(self) -> Type:
        if self.named.structs and self.choices.chance(12):
            return self.choices.of(self.named.structs)
        return self.scalar_type()

    # Expressions

    def expression(self, scope: Scope, kind: Type, depth: int) -> str:
        if depth <= 0 or not self.choices.chance(75):
            return self.leaf(scope, kind)
        match kind.kind:
            case "bool":
                return self._bool(scope, depth - 1)
            case "int":
                return self._int(scope, kind, depth - 1)
            case "bit":
                return self._bit(scope, kind, depth - 1)
            case _:
                return self._named(scope, kind, depth - 1)

    def literal(self, kind: Type) -> str:
        match kind.kind:
            case "bool":
                return self.choices.of(("false", "true"))
            case "bit" | "int":
                return self._number(kind)
            case "enum" if self.choices.chance(80):
                return f"{kind.name}.{self.choices.of(self.named.members[kind.name])}"
            case "enum" | "new":
                return f"(({kind}) {self._number(bits(kind.width))})"
            case "name":
                return f"{kind.name}.{self.choices.of(self.named.members[kind.name])}"
            case _:
                return self.record(kind, self.literal)

    def _number(self, kind: Type) -> str:
        top = (1 << kind.width) - 1
        number = self.choices.of((*SPECIAL, top, top >> 1, (top >> 1) + 1, top // 3)) & top
        if kind.kind == "bit":
            return f"{kind.width}w{number}"
        number &= top >> 1
        text = f"{kind.width}s{number}"
        return f"(-{text})" if self.choices.chance(30) else text

    def record(self, kind: Type, value: Callable[[Type], str]) -> str:
        """Return a struct or a valid header of values that `value` makes."""
        fields = self.named.records[kind.name].fields
        inner = ", ".join(f"{name} = {value(one)}" for name, one in fields)
        return f"(({kind}) {{ {inner} }})"

    def leaf(self, scope: Scope, kind: Type) -> str:
        same = [name for name in scope.names if name.type == kind]
        if kind.kind == "header":
            same += [Name(h.text, kind) for h in scope.sources if h.type == kind]
        if same and self.choices.chance(80):
            return self.choices.of(same).text
        if kind.kind in ("bit", "int", "enum", "new"):
            others = [n for n in scope.names if n.type.is_number or kind == bits(1)]
            others = [n for n in others if n.type.is_number or n.type == BOOL]
            if others and self.choices.chance(70):
                return cast(self.choices.of(others), kind)
        return self.literal(kind)

    def some_bits(self, scope: Scope, depth: int) -> tuple[str, Type]:
        """Return an expression of any `bit` type."""
        kind = bits(self.choices.of(WIDTHS))
        return self.expression(scope, kind, depth), kind

    # Operators

    def _pick(self, makers: Sequence[Maker]) -> str:
        weighted = [make for weight, make in makers for _ in range(weight)]
        return self.choices.of(weighted)()

    def _numeric(self, scope: Scope, kind: Type, depth: int) -> list[Maker]:
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
            if kind.width > DIVIDED:
                divisor = 1 << (divisor - 1)
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
            return f"(({kind}) {self.expression(scope, bits(kind.width), depth)})"

        def from_int() -> str:
            other = Type("int", max(2, self.choices.of(WIDTHS)))
            return f"(({kind}) {self.expression(scope, other, depth)})"

        return self._pick([*self._numeric(scope, kind, depth), (2, from_bits), (2, from_int)])

    def _bool(self, scope: Scope, depth: int) -> str:
        def logical() -> str:
            left, right = (self.expression(scope, BOOL, depth) for _ in range(2))
            return f"({left} {self.choices.of(('&&', '||'))} {right})"

        makers: list[Maker] = [
            (5, lambda: self._comparison(scope, depth)),
            (3, logical),
            (1, lambda: f"(!{self.expression(scope, BOOL, depth)})"),
            (1, lambda: f"((bool) {self.expression(scope, bits(1), depth)})"),
            (1, lambda: self._conditional(scope, BOOL, depth)),
            (1, lambda: self._call(scope, BOOL, depth)),
        ]
        if scope.sources:
            makers.append((2, lambda: f"{self.choices.of(scope.sources).text}.isValid()"))
        if scope.unions:
            makers.append((1, lambda: f"{self.choices.of(scope.unions)}.isValid()"))
        if scope.tables:
            makers.append((1, lambda: self._applied(scope)))
        return self._pick(makers)

    def _applied(self, scope: Scope) -> str:
        return f"{self.choices.of(scope.tables).text}.apply().{self.choices.of(('hit', 'miss'))}"

    def _comparison(self, scope: Scope, depth: int) -> str:
        kind = self.any_type()
        if scope.sources and self.choices.chance(10):
            kind = self.choices.of(scope.sources).type
        ordered = kind.kind in ("bit", "int")
        ops = ("==", "!=", "<", "<=", ">", ">=") if ordered else ("==", "!=")
        left, right = (self.expression(scope, kind, depth) for _ in range(2))
        return f"({left} {self.choices.of(ops)} {right})"

    def _named(self, scope: Scope, kind: Type, depth: int) -> str:
        """Return an expression of a type that the program declares."""
        makers: list[Maker] = [
            (1, lambda: self._conditional(scope, kind, depth)),
            (1, lambda: self._call(scope, kind, depth)),
            (2, lambda: self.leaf(scope, kind)),
        ]
        if kind.kind in ("enum", "new"):
            inner = bits(kind.width)
            makers.append((3, lambda: f"(({kind}) {self.expression(scope, inner, depth)})"))
        elif kind.kind in ("struct", "header"):
            fields = depth - 1
            makers.append(
                (2, lambda: self.record(kind, lambda one: self.expression(scope, one, fields)))
            )
        return self._pick(makers)

    def _conditional(self, scope: Scope, kind: Type, depth: int) -> str:
        test = self.expression(scope, BOOL, depth)
        then, otherwise = (self.expression(scope, kind, depth) for _ in range(2))
        return f"({test} ? {then} : {otherwise})"

    def _resized(self, scope: Scope, kind: Type, depth: int) -> str:
        if self.choices.chance(30) and kind.width > 1:
            return f"(({kind}) {self.expression(scope, Type('int', kind.width), depth)})"
        if self.named.scalars and self.choices.chance(20):
            other = self.choices.of(self.named.scalars)
            if other.is_number:
                inner = f"((bit<{other.width}>) {self.expression(scope, other, depth)})"
                return inner if other.width == kind.width else f"(({kind}) {inner})"
        return f"(({kind}) {self.some_bits(scope, depth)[0]})"

    def _slice(self, scope: Scope, kind: Type, depth: int) -> str:
        width = self.choices.of([w for w in (*WIDTHS, kind.width) if w >= kind.width])
        low = self.choices.below(width - kind.width + 1)
        base = self.expression(scope, bits(width), depth)
        if width >= kind.width + 7 and self.choices.chance(15):
            return f"({base})[{self.expression(scope, bits(3), depth)}+:{kind.width}]"
        if self.choices.chance(20):
            return f"({base})[{low}+:{kind.width}]"
        return f"({base})[{low + kind.width - 1}:{low}]"

    def _concatenation(self, scope: Scope, kind: Type, depth: int) -> str:
        if kind.width < 2:
            return self.leaf(scope, kind)
        high = self.choices.between(1, kind.width - 1)
        left = self.expression(scope, bits(high), depth)
        right = self.expression(scope, bits(kind.width - high), depth)
        return f"({left} ++ {right})"

    # Calls

    def _call(self, scope: Scope, kind: Type, depth: int) -> str:
        fitting = [f for f in scope.functions if f.result == kind]
        if not fitting:
            return self.leaf(scope, kind)
        return self.call(scope, self.choices.of(fitting), depth) or self.leaf(scope, kind)

    def call(self, scope: Scope, target: Callable_, depth: int) -> str | None:
        """Return a call, None where nothing can be given for a parameter; the same variable may
        stand for several parameters."""
        given = []
        parameters = list(target.parameters)
        while parameters and parameters[-1].default and self.choices.chance(50):
            parameters.pop()
        for parameter in parameters:
            value = self.argument(scope, parameter.direction, parameter.type, depth)
            if value is None:
                return None
            given.append(value)
        if target.can_name and len(given) > 1 and self.choices.chance(15):
            pairs = zip(parameters, given, strict=True)
            given = [f"{parameter.name} = {value}" for parameter, value in pairs]
            turn = self.choices.below(len(given))
            given = given[turn:] + given[:turn]
        return f"{target.call}({', '.join(given)})"

    def argument(self, scope: Scope, direction: str, kind: Type, depth: int) -> str | None:
        """Return what can be given for a parameter, None when nothing can."""
        if kind == HEADERS:
            return "hd" if any(h.text.startswith("hd.") for h in scope.sources) else None
        if direction not in ("out", "inout"):
            return self.expression(scope, kind, depth)
        if kind.kind == "header":
            places = [h.text for h in scope.headers if h.type == kind]
            return self.choices.of(places) if places else None
        return self.lvalue(scope, kind, needs_value=direction == "inout")

    def lvalue(self, scope: Scope, kind: Type, *, needs_value: bool) -> str | None:
        """Return something of a type that can be written, None when there is nothing."""
        usable = [
            n for n in scope.names if not n.read_only and not (needs_value and n.place is not None)
        ]
        same = [n.written for n in usable if n.type == kind]
        wider = [n for n in usable if kind.kind == "bit" == n.type.kind]
        wider = [n for n in wider if n.type.width > kind.width]
        if same and (not wider or self.choices.chance(75)):
            return self.choices.of(same)
        if not wider:
            return None
        base = self.choices.of(wider)
        low = self.choices.below(base.type.width - kind.width + 1)
        return f"{base.written}[{low + kind.width - 1}:{low}]"

    # What a scope can hold

    def fields(self, place: HeaderPlace) -> list[Name]:
        """Return the names of a header's fields; where it may be invalid, they are only read
        when it is not."""
        names = []
        for name, kind in self.named.records[place.type.name].fields:
            text = f"{place.text}.{name}"
            if place.is_sure:
                names.append(Name(text, kind, place.read_only))
                continue
            test = f"{place.within}{place.text}.isValid()"
            guarded = f"({test} ? {text} : {self.literal(kind)})"
            names.append(Name(guarded, kind, place.read_only, place=text))
        return names

    def struct(self, text: str, kind: Type, *, read_only: bool = False) -> list[Name]:
        """Return the names of a struct and its fields."""
        fields = self.named.records[kind.name].fields
        return [
            Name(text, kind, read_only),
            *(Name(f"{text}.{name}", one, read_only) for name, one in fields),
        ]

    def variable(self, text: str, kind: Type, *, read_only: bool = False) -> list[Name]:
        """Return the names that a variable with a value brings."""
        if kind.kind == "struct":
            return self.struct(text, kind, read_only=read_only)
        return [Name(text, kind, read_only)]


def cast(name: Name, kind: Type) -> str:
    """Return the casts that bring a number to a type; width and sign change one by one."""
    if name.type == kind:
        return name.text
    text = name.text
    if name.type == BOOL:
        return f"((bit<1>) {text})"
    start = name.type
    if start.kind in ("enum", "new"):
        start = bits(start.width)
        text = f"(({start}) {text})"
    if kind.kind in ("enum", "new"):
        inner = cast(Name(text, start), bits(kind.width))
        return f"(({kind}) {inner})"
    if start == kind:
        return text
    if start.kind == "int" and kind.kind == "bit":
        text = f"(bit<{start.width}>) {text}"
    elif start.kind == "bit" and kind.kind == "int":
        text = f"(int<{kind.width}>) (bit<{kind.width}>) {text}"
        return f"({text})"
    return f"(({kind}) {text})"
