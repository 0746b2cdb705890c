"""The tables of a random control, with entries in the program and from outside."""

from __future__ import annotations

from dataclasses import dataclass

from choices import Choices
from declarations import FIELD_WIDTHS
from expressions import Expressions
from scope import BOOL, Applied, Callable_, Parameter, Scope, Type, bits

NO_ACTION = Callable_("NoAction", ())


@dataclass(frozen=True, slots=True)
class Key:
    type: Type
    match: str

    @property
    def width(self) -> int:
        return self.type.width or 1


@dataclass(frozen=True, slots=True)
class Match:
    """`low` and `high` of a range, or value and mask."""

    first: int
    second: int
    is_range: bool = False


class Tables:
    """Makes tables; `requests` are the lines of the test file that fill them."""

    def __init__(self, choices: Choices, expressions: Expressions) -> None:
        self.choices = choices
        self.expressions = expressions
        self.requests: list[str] = []

    def table(self, scope: Scope, name: str, path: str | None) -> tuple[str, Applied]:
        """Return a table; `path` is how entries from outside name it, None when none come."""
        keys = self._keys()
        key = " ".join(
            f'{self.expressions.expression(scope, one.type, 1)} : {one.match} @name("k{i}");'
            for i, one in enumerate(keys)
        )
        listed = [
            (action, self._bound(scope, action))
            for action in scope.actions
            if "." not in action.call
        ]
        usable = [(action, bound) for action, bound in listed if bound is not None]
        actions = [action for action, _ in usable]
        texts = " ".join(f"{action.call}{bound};" for action, bound in usable)
        parts = [
            f"key = {{ {key} }}" if keys else "",
            f"actions = {{ {texts} NoAction; }} size = {self.choices.of((8, 16, 64, 100))};",
            self._entries(path, keys, actions) if keys else "",
            self._default(path, actions),
        ]
        applied = Applied(name, (*(action.call for action in actions), "NoAction"))
        return f"table {name} {{ {' '.join(parts)} }}", applied

    def _keys(self) -> list[Key]:
        if self.choices.chance(4):
            return []
        kinds = [
            self.choices.of(("exact", "exact", "ternary", "ternary", "range", "optional"))
            for _ in range(1 + self.choices.below(3))
        ]
        if self.choices.chance(25):
            kinds[self.choices.below(len(kinds))] = "lpm"
        return [Key(self._key_type(kind), kind) for kind in kinds]

    def _key_type(self, match: str) -> Type:
        if match == "exact" and self.choices.chance(25):
            named = [kind for kind in self.expressions.named.scalars if kind.is_number]
            return self.choices.of([BOOL, Type("int", 8), *named])
        return bits(self.choices.of(FIELD_WIDTHS))

    def _bound(self, scope: Scope, action: Callable_) -> str | None:
        """Return the arguments that the list of actions binds."""
        given = []
        for parameter in action.parameters:
            if not parameter.direction:
                continue
            text = self.expressions.argument(scope, parameter.direction, parameter.type, 1)
            if text is None:
                return None
            given.append(text)
        return f"({', '.join(given)})" if given else ""

    # Entries

    def _entries(self, path: str | None, keys: list[Key], actions: list[Callable_]) -> str:
        where = self.choices.below(4)
        rows = []
        seen = set()
        ranked = where == 2 and _needs_priority(keys)
        for index in range(self.choices.below(5)):
            action = self.choices.of([*actions, NO_ACTION])
            matches = tuple(self._match(key) for key in keys)
            if matches in seen:
                continue
            seen.add(matches)
            data = [p for p in action.parameters if not p.direction]
            if where < 3 or path is None:
                rows.append(self._row(keys, matches, action, data, index if ranked else None))
            elif not any(p.type.kind in ("struct", "name", "header") for p in data):
                self._request(path, index, keys, matches, action, data)
        if not rows:
            return ""
        word = "const entries" if where < 2 else "entries"
        smallest = "largest_priority_wins = false; " if ranked and self.choices.chance(40) else ""
        return f"{smallest}{word} = {{ {' '.join(rows)} }}"

    def _row(
        self,
        keys: list[Key],
        matches: tuple[Match, ...],
        action: Callable_,
        data: list[Parameter],
        rank: int | None,
    ) -> str:
        arguments = ", ".join(self.expressions.literal(p.type) for p in data)
        label = ", ".join(_keyset(m, key) for m, key in zip(matches, keys, strict=True))
        priority = "" if rank is None else f"priority = {10 + 7 * rank % 5 * 10 + rank}: "
        return f"{priority}({label}) : {action.call}({arguments});"

    def _match(self, key: Key) -> Match:
        top = (1 << key.width) - 1
        value = self._number(top)
        match key.match:
            case "exact":
                return Match(value, top)
            case "optional":
                mask = top if self.choices.chance(70) else 0
            case "range":
                other = self._number(top)
                return Match(min(value, other), max(value, other), is_range=True)
            case "lpm":
                length = self.choices.below(key.width + 1)
                mask = top >> (key.width - length) << (key.width - length) if length else 0
            case _:
                mask = self.choices.of((top, 0, self._number(top)))
        return Match(value & mask, mask)

    def _number(self, top: int) -> int:
        return self.choices.of((0, 1, 2, 5, top, top >> 1, self.choices.below(top + 1))) & top

    def _request(
        self,
        table: str,
        index: int,
        keys: list[Key],
        matches: tuple[Match, ...],
        action: Callable_,
        data: list[Parameter],
    ) -> None:
        pairs = zip(matches, keys, strict=True)
        fields = " ".join(_field(f"k{i}", m, key) for i, (m, key) in enumerate(pairs))
        text = f"add {table} {index} {fields} {action.call}({self._given(data)})"
        self.requests.append(" ".join(text.split()))

    def _given(self, data: list[Parameter]) -> str:
        return ", ".join(f"{p.name}:{self._number((1 << (p.type.width or 1)) - 1)}" for p in data)

    def _default(self, path: str | None, actions: list[Callable_]) -> str:
        if not actions:
            return ""
        action = self.choices.of(actions)
        data = [p for p in action.parameters if not p.direction]
        if path and self.choices.chance(20):
            if not any(p.type.kind in ("struct", "name", "header") for p in data):
                self.requests.append(f"setdefault {path} {action.call}({self._given(data)})")
                return ""
        if not self.choices.chance(50):
            return ""
        values = ", ".join(self.expressions.literal(p.type) for p in data)
        const = "const " if self.choices.chance(30) else ""
        return f"{const}default_action = {action.call}({values});"


def _needs_priority(keys: list[Key]) -> bool:
    return any(key.match in ("ternary", "range", "optional") for key in keys)


def _value(number: int, key: Key) -> str:
    kind = key.type
    match kind.kind:
        case "bool":
            return "true" if number else "false"
        case "int":
            signed = number - (1 << kind.width) if number >> (kind.width - 1) else number
            return f"{signed}" if signed >= 0 else f"({signed})"
        case "bit":
            return f"{kind.width}w{number}"
        case _:
            return f"({kind}) {kind.width}w{number}"


def _keyset(match: Match, key: Key) -> str:
    if match.is_range:
        return f"{_value(match.first, key)} .. {_value(match.second, key)}"
    if match.second == (1 << key.width) - 1:
        return _value(match.first, key)
    return f"{_value(match.first, key)} &&& {_value(match.second, key)}" if match.second else "_"


def _field(name: str, match: Match, key: Key) -> str:
    value, mask = match.first, match.second
    if match.is_range:
        return f"{name}:{value}..{mask}"
    if key.match == "lpm":
        return f"{name}:{value}/{mask.bit_count()}" if mask else ""
    if mask == (1 << key.width) - 1:
        return f"{name}:{value}"
    if not mask:
        return ""
    digits = (
        "*" if not mask >> bit & 1 else str(value >> bit & 1) for bit in reversed(range(key.width))
    )
    return f"{name}:0b{''.join(digits)}"
