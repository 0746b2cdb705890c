"""Random well-typed statements, as P4 text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from choices import Choices
from expressions import Expressions
from scope import BOOL, BYTE, HeaderPlace, Name, Scope, Type, bits

DEPTH = 3
OPERATORS = ("+", "-", "&", "|", "^", "*", "|+|", "|-|", "<<", ">>")
UNSHARED = 24
"""Per cent of ends (`return`, `exit`) that are written where they may stand."""


@dataclass(frozen=True, slots=True)
class Around:
    """What a statement stands in: `returns` is a function's result, `leaves` are the statements
    that may end what is around it, `loops` says that `break` and `continue` may stand here."""

    leaves: tuple[str, ...] = ()
    returns: Type | None = None
    loops: bool = False
    is_state: bool = False


class Statements:
    """Makes bodies of functions, actions, states and controls."""

    def __init__(self, choices: Choices, expressions: Expressions) -> None:
        self.choices = choices
        self.expressions = expressions
        self._count = 0

    def body(self, scope: Scope, most: int, around: Around = Around()) -> str:
        """Return up to `most` statements, and the `return` of a function."""
        inner = scope.inner()
        texts = [self.statement(inner, DEPTH, around) for _ in range(self.choices.below(most + 1))]
        if around.returns is not None:
            texts.append(f"return {self.expressions.expression(inner, around.returns, DEPTH)};")
        return " ".join(texts)

    def statement(self, scope: Scope, depth: int, around: Around) -> str:
        match self.choices.below(19):
            case 5 | 6 | 7 if depth:
                return self._if(scope, depth - 1, around)
            case 8:
                return self._declare(scope, depth)
            case 9 | 10:
                return self._call(scope, depth)
            case 11 | 12 if scope.headers:
                return self._header(scope, depth)
            case 13 if scope.tables:
                return self._apply(scope, depth, around)
            case 14 if depth and not around.is_state:
                return self._switch(scope, depth - 1, around)
            case 15 if depth:
                return self._for(scope, depth - 1, around)
            case 16:
                return self._leave(scope, depth, around)
            case 17 if around.loops and depth < DEPTH - 1:
                test = self.expressions.expression(scope, BOOL, 1)
                return f"if ({test}) {{ {self.choices.of(('break;', 'continue;'))} }}"
            case 18 if scope.stacks or scope.unions or scope.extras:
                return self._stack_or_union(scope)
            case _:
                return self._assign(scope, depth)

    def block(self, scope: Scope, depth: int, around: Around) -> str:
        inner = scope.inner()
        count = 1 + self.choices.below(2)
        texts = [self.statement(inner, depth, around) for _ in range(count)]
        return "{ " + " ".join(texts) + " }"

    def _assign(self, scope: Scope, depth: int) -> str:
        writable = [name for name in scope.names if not name.read_only]
        if not writable:
            return "{ }"
        target = self.choices.of(writable)
        kind, place = target.type, target.written
        if kind.kind == "bit" and kind.width > 1 and self.choices.chance(20):
            kind = bits(self.choices.between(1, kind.width - 1))
            low = self.choices.below(target.type.width - kind.width + 1)
            place = f"{place}[{low + kind.width - 1}:{low}]"
        if kind.kind in ("bit", "int") and self.choices.chance(15):
            return self._compound(scope, depth, place, kind)
        return f"{place} = {self.expressions.expression(scope, kind, depth)};"

    def _compound(self, scope: Scope, depth: int, place: str, kind: Type) -> str:
        op = self.choices.of(OPERATORS)
        if op in ("<<", ">>"):
            return f"{place} {op}= {self.expressions.some_bits(scope, depth)[0]};"
        return f"{place} {op}= {self.expressions.expression(scope, kind, depth)};"

    def new_name(self, letter: str = "x") -> str:
        self._count += 1
        return f"{letter}{self._count}"

    def _declare(self, scope: Scope, depth: int) -> str:
        kind = self.expressions.any_type()
        name = self._name_in(scope)
        if self.choices.chance(10):
            return self._declare_tuple(scope, name, depth)
        text = f"{kind} {name} = {self.expressions.expression(scope, kind, depth)};"
        scope.forget(name)
        scope.names += self.expressions.variable(name, kind)
        return text

    def _name_in(self, scope: Scope) -> str:
        """Return a new name, or that of a variable further out, which is hidden then."""
        outer = [n.text for n in scope.names if n.text[0] == "x" and n.text.isidentifier()]
        outer = [text for text in outer if text not in scope.own]
        name = self.choices.of(outer) if outer and self.choices.chance(25) else self.new_name()
        scope.own.add(name)
        return name

    def _declare_tuple(self, scope: Scope, name: str, depth: int) -> str:
        kinds = [self.expressions.scalar_type() for _ in range(1 + self.choices.below(3))]
        values = ", ".join(self.expressions.expression(scope, kind, depth) for kind in kinds)
        scope.forget(name)
        scope.names += [Name(f"{name}[{i}]", kind, True) for i, kind in enumerate(kinds)]
        return f"tuple<{', '.join(map(str, kinds))}> {name} = {{ {values} }};"

    def _if(self, scope: Scope, depth: int, around: Around) -> str:
        if scope.sources and self.choices.chance(25):
            return self._if_valid(scope, depth, around)
        test = self.expressions.expression(scope, BOOL, depth)
        text = f"if ({test}) {self.block(scope, depth, around)}"
        if self.choices.chance(40):
            text += f" else {self.block(scope, depth, around)}"
        return text

    def _if_valid(self, scope: Scope, depth: int, around: Around) -> str:
        """Return a block in which a header is valid, and its fields are read and written."""
        place = self.choices.of(scope.sources)
        inner = scope.inner()
        inner.headers = [h for h in inner.headers if _member(h) != _member(place)]
        inner.actions, inner.tables, inner.unions, inner.stacks = [], [], [], []
        mine = f"{place.text}.isValid()"
        inner.names = [n for n in inner.names if mine not in n.text]
        inner.names += self.expressions.fields(replace(place, is_sure=True))
        return f"if ({place.within}{mine}) {self.block(inner, depth, around)}"

    def _call(self, scope: Scope, depth: int) -> str:
        """Call an action or a control, or a function for its effects."""
        known = [*scope.actions, *scope.functions]
        if not known:
            return self._assign(scope, depth)
        target = self.choices.of(known)
        text = self.expressions.call(scope, target, depth - 1)
        return self._assign(scope, depth) if text is None else f"{text};"

    def _header(self, scope: Scope, depth: int) -> str:
        place = self.choices.of(scope.headers)
        others = [h.text for h in scope.sources if h.type == place.type and h.text != place.text]
        match self.choices.below(6):
            case 0 | 1 if others:
                return f"{place.text} = {self.choices.of(others)};"
            case 2:
                return f"{place.text}.setInvalid();"
            case 3:
                return self.set_valid(scope, place, depth)
            case 4 if not place.within:
                return f"{place.text} = {{#}};"
            case _:
                return f"{place.text} = {self.expressions.expression(scope, place.type, depth)};"

    def set_valid(self, scope: Scope, place: HeaderPlace, depth: int) -> str:
        """Make a header valid and give each field a value."""
        fields = self.expressions.named.records[place.type.name].fields
        texts = [f"{place.text}.setValid();"]
        for name, kind in fields:
            value = self.expressions.expression(scope, kind, min(depth, 1))
            texts.append(f"{place.text}.{name} = {value};")
        return " ".join(texts)

    def _stack_or_union(self, scope: Scope) -> str:
        makers: list[Callable[[], str]] = []
        if scope.extras:
            makers.append(lambda: self.choices.of(scope.extras))
        if scope.stacks:
            makers.append(lambda: self._stack(scope))
        if scope.unions:
            makers.append(lambda: self._union(scope))
        return self.choices.of(makers)()

    def _stack(self, scope: Scope) -> str:
        name, size = self.choices.of(scope.stacks)
        if len(scope.stacks) > 1 and self.choices.chance(50):
            return f"{name} = {self.choices.of(scope.stacks)[0]};"
        word = self.choices.of(("push_front", "pop_front"))
        return f"{name}.{word}({self.choices.between(1, size + 1)});"

    def _union(self, scope: Scope) -> str:
        name = self.choices.of(scope.unions)
        if len(scope.unions) > 1 and self.choices.chance(50):
            return f"{name} = {self.choices.of(scope.unions)};"
        return f"{name} = {{#}};"

    def _apply(self, scope: Scope, depth: int, around: Around) -> str:
        table = self.choices.of(scope.tables)
        if not depth or self.choices.chance(25):
            return f"{table.text}.apply();"
        then = self.block(scope, depth - 1, around)
        if self.choices.chance(30):
            return f"if ({table.text}.apply().{self.choices.of(('hit', 'miss'))}) {then}"
        labels = [a for a in table.actions if self.choices.chance(60)]
        cases = []
        for label in labels:
            inner = self.block(scope, depth - 1, around) if self.choices.chance(70) else ""
            cases.append(f"{label}: {inner}")
        if not cases or self.choices.chance(60):
            cases.append(f"default: {then}")
        return f"switch ({table.text}.apply().action_run) {{ {' '.join(cases)} }}"

    def _switch(self, scope: Scope, depth: int, around: Around) -> str:
        kind = bits(self.choices.of((8, 4, 16, 3, 65)))
        enums = [k for k in self.expressions.named.scalars if k.kind in ("enum", "name")]
        if enums and self.choices.chance(30):
            kind = self.choices.of(enums)
        value = self.expressions.expression(scope, kind, depth)
        labels: list[str] = []
        for _ in range(self.choices.below(3)):
            label = self.expressions.literal(kind)
            if label not in labels and "(" not in label:
                labels.append(label)
        cases = []
        for label in labels:
            body = self.block(scope, depth, around) if self.choices.chance(70) else ""
            cases.append(f"{label}: {body}")
        if self.choices.chance(60):
            cases.append(f"default: {self.block(scope, depth, around)}")
        return f"switch ({value}) {{ {' '.join(cases)} }}" if cases else "{ }"

    def _for(self, scope: Scope, depth: int, around: Around) -> str:
        """Return a loop that runs a few times, as often as is known at compile time."""
        name = self.new_name()
        inner = scope.inner()
        inner.names.append(Name(name, BYTE, read_only=True))
        body = self.block(inner, depth, replace(around, loops=True))
        last = self.choices.below(4)
        if self.choices.chance(15):
            end = self.expressions.expression(scope, BYTE, 1)
            test = f"{name} < {last} && {name} < {end}"
            return f"for (bit<8> {name} = 0; {test}; {name} += 1) {body}"
        if scope.stacks and self.choices.chance(30):
            return self._for_each(scope, name, depth, around)
        if self.choices.chance(40):
            return f"for (bit<8> {name} in 8w{self.choices.below(3)} .. 8w{last}) {body}"
        return f"for (bit<8> {name} = 0; {name} < {last}; {name} += 1) {body}"

    def _for_each(self, scope: Scope, name: str, depth: int, around: Around) -> str:
        """Return a loop over the headers of a stack."""
        stack = self.choices.of(scope.stacks)[0]
        kind = next(h.type for h in scope.sources if h.text == f"{stack}[0]")
        inner = scope.inner()
        place = HeaderPlace(name, kind, read_only=True)
        inner.names += self.expressions.fields(place)
        inner.sources.append(place)
        body = self.block(inner, depth, replace(around, loops=True))
        return f"for ({kind} {name} in {stack}) {body}"

    def _leave(self, scope: Scope, depth: int, around: Around) -> str:
        returns = around.returns
        ends = [*around.leaves, *(("break;", "continue;") if around.loops else ())]
        if not self.choices.chance(UNSHARED) or not (ends or returns):
            return self._assign(scope, depth)
        if returns is not None and (not ends or self.choices.chance(50)):
            return f"return {self.expressions.expression(scope, returns, 1)};"
        return self.choices.of(ends)


def _member(place: HeaderPlace) -> list[str]:
    return place.text.partition("[")[0].split(".")[1:2]
