"""Large constant tables over a small key as constant arrays.

    hit = t.apply(key) {                    choice = t.action[key];
        action 0(port): { ... }      ->     hit = t.hit[key];
        action 1(): { ... }                 switch (choice) {
    }                                           case 0: { port = t.port[key]; ... }
                                                case 1: { ... }
                                            }

An array that holds one number everywhere is that number, and equal arrays are one.
"""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.midend.fold import fold, ones
from p4xdp.midend.ir import (
    BOOL,
    LIMB,
    TRUE,
    ActionArm,
    ActionChoice,
    Apply,
    Array,
    Assign,
    Body,
    Concat,
    Const,
    Expr,
    Extend,
    MaskTest,
    Pure,
    Stmt,
    Switch,
    SwitchCase,
    Table,
    Unary,
    UnaryOp,
    Var,
    stored_width,
    width_of,
)
from p4xdp.records import dataclass, field

CHOICE_WIDTH = 32
INDEX_WIDTH = 16
"""Bits of the widest key that is an index."""

LEAST_SHARE = 4
"""At least one key in so many has an entry."""


def is_dense(table: Table) -> bool:
    """Tell whether arrays can stand for a constant table: one exact key, which nearly always hits
    or whose default cannot change."""
    if not table.const_entries or len(table.keys) != 1:
        return False
    (key,) = table.keys
    if not BOOL < key.width <= INDEX_WIDTH:
        return False
    tests = [entry.tests[0] for entry in table.entries]
    if not all(isinstance(t, MaskTest) and t.mask == ones(key.width) for t in tests):
        return False
    missing = (1 << key.width) - len({t.value for t in tests if isinstance(t, MaskTest)})
    return not missing or (table.default_const and LEAST_SHARE * len(tests) >= 1 << key.width)


@dataclass(slots=True)
class Arrays:
    """The arrays of a program, in the order of their numbers."""

    numbers: dict[tuple[int, tuple[int, ...]], int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def all(self) -> tuple[Array, ...]:
        pairs = zip(self.names, self.numbers, strict=True)
        return tuple(Array(name, width, values) for name, (width, values) in pairs)

    def element(self, name: str, width: int, values: tuple[int, ...], index: Expr) -> Expr:
        """Return the number at an index, of `width` bits; wide ones are put together."""
        if len(set(values)) == 1:
            return Const(values[0], width)
        if width > LIMB:
            high = tuple(value >> LIMB for value in values)
            low = tuple(value & ones(LIMB) for value in values)
            left = self.element(f"{name}_hi", width - LIMB, high, index)
            return Concat(left, self.element(f"{name}_lo", LIMB, low, index))
        number = self.numbers.setdefault((width, values), len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return Pure("element", (Const(number, 32), index), width)


def indexed(table: Table, stmt: Apply, prefix: str, arrays: Arrays) -> Body:
    """Return what stands for one application of a dense table; `prefix` starts the names of its
    variables."""
    return _Indexed(table, stmt, prefix, arrays).body()


@dataclass(frozen=True, slots=True)
class _Indexed:
    table: Table
    stmt: Apply
    prefix: str
    arrays: Arrays

    @property
    def name(self) -> str:
        return self.table.name.rpartition(".")[2]

    @property
    def index(self) -> Var:
        return Var(f"{self.prefix}.index", width_of(self.stmt.keys[0]))

    def body(self) -> Body:
        choices = self.choices()
        choice = self.stmt.action_run or Var(f"{self.prefix}.choice", CHOICE_WIDTH)
        stored = 8 if len(self.table.actions) <= 1 << 8 else CHOICE_WIDTH
        index = self.column("action", stored, choices, lambda one: one.index)
        number = fold(Extend(index, CHOICE_WIDTH)) if stored < CHOICE_WIDTH else index
        run = [self.set(self.index, self.stmt.keys[0]), self.set(choice, number), *self.told()]
        used = {one.index for one in choices}
        arms = [self.arm(arm, choices) for arm in self.stmt.arms if arm.index in used]
        return (*run, Switch(choice, tuple(arms), (), self.stmt.span))

    def choices(self) -> list[ActionChoice]:
        """Return what each key leads to; of two entries with one key the first counts."""
        found = [self.table.default] * (1 << self.index.width)
        for entry in reversed(self.table.entries):
            found[_value(entry.tests[0])] = entry.choice
        return found

    def told(self) -> list[Stmt]:
        if self.stmt.hit is None:
            return []
        keys = {_value(entry.tests[0]) for entry in self.table.entries}
        hits = tuple(int(key in keys) for key in range(1 << self.index.width))
        hit = self.arrays.element(f"{self.name}.hit", 1, hits, self.index)
        is_hit = TRUE if hit == Const(1, 1) else Unary(UnaryOp.TO_BOOL, hit)
        return [self.set(self.stmt.hit, fold(is_hit))]

    def arm(self, arm: ActionArm, choices: list[ActionChoice]) -> SwitchCase:
        def datum(number: int) -> Callable[[ActionChoice], int]:
            return lambda one: one.arguments[number] if one.index == arm.index else 0

        names = [one.name for one in self.table.actions[arm.index].data]
        data = [
            self.set(var, self.column(name, var.width, choices, datum(number)))
            for number, (name, var) in enumerate(zip(names, arm.data, strict=True))
        ]
        return SwitchCase((arm.index,), (*data, *arm.body))

    def column(
        self, name: str, width: int, choices: list[ActionChoice], of: Callable[[ActionChoice], int]
    ) -> Expr:
        values = tuple(map(of, choices))
        element = self.arrays.element(
            f"{self.name}.{name}", stored_width(width), values, self.index
        )
        return fold(Unary(UnaryOp.TO_BOOL, element)) if width == BOOL else element

    def set(self, var: Var, value: Expr) -> Assign:
        return Assign(var, value, self.stmt.span)


def _value(test: object) -> int:
    assert isinstance(test, MaskTest)
    return test.value
