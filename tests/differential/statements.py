"""Random well-typed statements, as P4 text."""

from __future__ import annotations

from choices import Choices
from expressions import BOOL, Expressions, Name, Scope, Type, random_type

DEPTH = 3
OPERATORS = ("+", "-", "&", "|", "^", "*", "|+|", "|-|", "<<", ">>")


class Statements:
    """Makes bodies of functions, actions and controls; `copies` are pairs of headers to copy."""

    def __init__(self, choices: Choices, expressions: Expressions) -> None:
        self.choices = choices
        self.expressions = expressions
        self.copies: list[tuple[str, str]] = []
        self._count = 0

    def body(
        self, scope: Scope, most: int, *, returns: Type | None = None, leaves: bool = False
    ) -> str:
        """Return up to `most` statements; `returns` is what a function returns, `leaves` lets an
        action return or exit."""
        inner = scope.inner()
        texts = [
            self.statement(inner, DEPTH, returns, leaves)
            for _ in range(self.choices.below(most + 1))
        ]
        if returns is not None:
            texts.append(f"return {self.expressions.expression(inner, returns, DEPTH)};")
        return " ".join(texts)

    def statement(self, scope: Scope, depth: int, returns: Type | None, leaves: bool) -> str:
        match self.choices.below(16):
            case 0 | 1 | 2 | 3 | 4:
                return self._assign(scope, depth)
            case 5 | 6 | 7 if depth:
                return self._if(scope, depth - 1, returns, leaves)
            case 8:
                return self._declare(scope, depth)
            case 9 | 10:
                return self._call(scope, depth)
            case 11 if scope.headers:
                return self._header(scope)
            case 12 if scope.tables:
                return self._apply(scope, depth, returns, leaves)
            case 13 if depth:
                return self._switch(scope, depth - 1, returns, leaves)
            case 14 if depth:
                return self._for(scope, depth - 1, returns)
            case 15:
                return self._leave(scope, returns, leaves)
            case _:
                return self._assign(scope, depth)

    def block(self, scope: Scope, depth: int, returns: Type | None, leaves: bool) -> str:
        inner = scope.inner()
        count = 1 + self.choices.below(2)
        texts = [self.statement(inner, depth, returns, leaves) for _ in range(count)]
        return "{ " + " ".join(texts) + " }"

    def _assign(self, scope: Scope, depth: int) -> str:
        writable = [name for name in scope.names if not name.read_only]
        if not writable:
            return "{ }"
        target = self.choices.of(writable)
        kind = target.type
        place = target.text
        if kind.kind == "bit" and kind.width > 1 and self.choices.chance(20):
            kind = Type("bit", self.choices.between(1, kind.width - 1))
            low = self.choices.below(target.type.width - kind.width + 1)
            place = f"{place}[{low + kind.width - 1}:{low}]"
        if kind != BOOL and self.choices.chance(15):
            return self._compound(scope, depth, place, kind)
        return f"{place} = {self.expressions.expression(scope, kind, depth)};"

    def _compound(self, scope: Scope, depth: int, place: str, kind: Type) -> str:
        op = self.choices.of(OPERATORS)
        if op in ("<<", ">>"):
            return f"{place} {op}= {self.expressions.some_bits(scope, depth)[0]};"
        return f"{place} {op}= {self.expressions.expression(scope, kind, depth)};"

    def _declare(self, scope: Scope, depth: int) -> str:
        kind = random_type(self.choices)
        self._count += 1
        name = f"x{self._count}"
        text = f"{kind} {name} = {self.expressions.expression(scope, kind, depth)};"
        scope.names.append(Name(name, kind))
        return text

    def _if(self, scope: Scope, depth: int, returns: Type | None, leaves: bool) -> str:
        test = self.expressions.expression(scope, BOOL, depth)
        text = f"if ({test}) {self.block(scope, depth, returns, leaves)}"
        if self.choices.chance(40):
            text += f" else {self.block(scope, depth, returns, leaves)}"
        return text

    def _call(self, scope: Scope, depth: int) -> str:
        """Call an action, or a function for its effects."""
        known = [*scope.actions, *scope.functions]
        if not known:
            return self._assign(scope, depth)
        target = self.choices.of(known)
        needed = [p.type for p in target.parameters if p.direction in ("out", "inout")]
        if any(self._nothing_for(scope, kind) for kind in needed):
            return self._assign(scope, depth)
        return f"{self.expressions.call(scope, target, depth - 1)};"

    def _nothing_for(self, scope: Scope, kind: Type) -> bool:
        return not any(
            not name.read_only
            and (
                name.type == kind
                or (kind.kind == "bit" == name.type.kind and name.type.width > kind.width)
            )
            for name in scope.names
        )

    def _header(self, scope: Scope) -> str:
        if self.copies and self.choices.chance(50):
            left, right = self.choices.of(self.copies)
            return f"{left} = {right};"
        return f"{self.choices.of(scope.headers)}.{self.choices.of(('setInvalid', 'setValid'))}();"

    def _apply(self, scope: Scope, depth: int, returns: Type | None, leaves: bool) -> str:
        table = self.choices.of(scope.tables)
        if not depth or not self.choices.chance(50):
            return f"{table}.apply();"
        then = self.block(scope, depth - 1, returns, leaves)
        if self.choices.chance(50):
            otherwise = self.block(scope, depth - 1, returns, leaves)
            return (
                f"switch ({table}.apply().action_run) {{ NoAction: {then} default: {otherwise} }}"
            )
        return f"if ({table}.apply().{self.choices.of(('hit', 'miss'))}) {then}"

    def _switch(self, scope: Scope, depth: int, returns: Type | None, leaves: bool) -> str:
        kind = Type("bit", self.choices.of((8, 4, 16, 3)))
        value = self.expressions.expression(scope, kind, depth)
        cases = []
        for label in range(self.choices.below(3)):
            body = self.block(scope, depth, returns, leaves) if self.choices.chance(70) else ""
            cases.append(f"{kind.width}w{label}: {body}")
        if self.choices.chance(60):
            cases.append(f"default: {self.block(scope, depth, returns, leaves)}")
        return f"switch ({value}) {{ {' '.join(cases)} }}" if cases else "{ }"

    def _for(self, scope: Scope, depth: int, returns: Type | None) -> str:
        """Return a loop that runs a few times, as often as is known at compile time."""
        self._count += 1
        name = f"x{self._count}"
        inner = scope.inner()
        inner.names.append(Name(name, Type("bit", 8), read_only=True))
        body = self.block(inner, depth, returns, False)
        return f"for (bit<8> {name} = 0; {name} < {self.choices.below(4)}; {name} += 1) {body}"

    def _leave(self, scope: Scope, returns: Type | None, leaves: bool) -> str:
        if returns is not None:
            return self._assign(scope, 1)
        if not leaves:
            return self._assign(scope, 1)
        return self.choices.of(("return;", "exit;")) if self.choices.chance(30) else "{ }"
