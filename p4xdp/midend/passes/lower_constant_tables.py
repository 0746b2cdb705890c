"""Turn tables that nothing can change at run time into tests and a choice of action.

    hit = t.apply(hd.ipv4.protocol) {        switch (hd.ipv4.protocol) {
        action 0(port): { ... }                  case 6: { hit = true; choice = 0; port = 1; }
        action 1(): { ... }            ->        default: { hit = false; choice = 1; }
    }                                        }
                                             switch (choice) { case 0: { ... } case 1: { ... } }

A table is constant when its entries are const, or it has no keys, and its default action is const.
With many entries that are close together it becomes constant arrays, which the key is the index of
(`index_constants.py`); with many others it stays a table.
"""

from __future__ import annotations

from p4xdp.midend.fold import fold, ones
from p4xdp.midend.index_constants import CHOICE_WIDTH, Arrays, indexed, is_dense
from p4xdp.midend.ir import (
    BOOL,
    FALSE,
    LIMB,
    TRUE,
    ActionChoice,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Const,
    Expr,
    If,
    Leave,
    MaskTest,
    Program,
    Scope,
    Stmt,
    Switch,
    SwitchCase,
    Table,
    Test,
    Var,
    width_of,
)
from p4xdp.midend.matching import condition
from p4xdp.midend.rewrite import map_program, map_statements
from p4xdp.records import dataclass, field, replace

MOST_ENTRIES = 64
LEAST_SWITCHED = 3


def lower_constant_tables(program: Program) -> Program:
    """Return the flat program without lookups in small constant tables."""
    tables = {table.name: table for table in program.tables if _is_constant(table)}
    if not tables:
        return program
    lower = _Lower(tables)
    lowered = map_program(program, lambda body: map_statements(body, lower.stmt))
    return replace(lowered, arrays=lower.arrays.all())


def _is_constant(table: Table) -> bool:
    fixed = table.const_entries or not table.keys
    few = table.default_const and len(table.entries) <= MOST_ENTRIES
    return fixed and (few or is_dense(table))


@dataclass(slots=True)
class _Lower:
    tables: dict[str, Table]
    numbers: dict[str, int] = field(default_factory=dict)
    arrays: Arrays = field(default_factory=Arrays)

    def stmt(self, stmt: Stmt) -> Body:
        if isinstance(stmt, Apply) and stmt.table in self.tables:
            number = self.numbers[stmt.table] = self.numbers.get(stmt.table, 0) + 1
            prefix, table = f"{stmt.table}.${number}", self.tables[stmt.table]
            if len(table.entries) > MOST_ENTRIES:
                return indexed(table, stmt, prefix, self.arrays)
            return _Match(table, stmt, prefix).body()
        return (stmt,)


@dataclass(frozen=True, slots=True)
class _Match:
    """One application of a constant table; `prefix` starts the names of its variables."""

    table: Table
    stmt: Apply
    prefix: str

    @property
    def choice(self) -> Var:
        return self.stmt.action_run or Var(f"{self.prefix}.choice", CHOICE_WIDTH)

    def body(self) -> Body:
        keys = [Var(f"{self.prefix}.key{i}", width_of(k)) for i, k in enumerate(self.stmt.keys)]
        pairs = zip(keys, self.stmt.keys, strict=True)
        read = tuple(Assign(key, value, self.stmt.span) for key, value in pairs)
        miss = self.chosen(self.table.default, FALSE)
        chosen = self.table.default, *(entry.choice for entry in self.table.entries)
        used = {choice.index for choice in chosen}
        arms = [SwitchCase((arm.index,), arm.body) for arm in self.stmt.arms if arm.index in used]
        run = Switch(self.choice, tuple(arms), (), self.stmt.span)
        return (*read, *self.matched(keys, miss), run)

    def chosen(self, choice: ActionChoice, hit: Expr) -> Body:
        """Return the assignments of an entry: the action, its data, whether it is a hit."""
        span = self.stmt.span
        arm = next(arm for arm in self.stmt.arms if arm.index == choice.index)
        data = zip(arm.data, choice.arguments, strict=True)
        body = [Assign(self.choice, Const(choice.index, CHOICE_WIDTH), span)]
        body += [Assign(var, Const(value, var.width), span) for var, value in data]
        if self.stmt.hit is not None:
            body.append(Assign(self.stmt.hit, hit, span))
        return tuple(body)

    def matched(self, keys: list[Var], miss: Body) -> Body:
        if not self.table.entries:
            return miss
        if self.is_switch(keys):
            return (self.switch(keys[0], miss),)
        label = f"{self.prefix}.matched"
        tries = tuple(
            If(_all(keys, entry.tests), (*self.chosen(entry.choice, TRUE), Leave(label)))
            for entry in self.table.entries
        )
        return (Scope(label, (*tries, *miss)),)

    def is_switch(self, keys: list[Var]) -> bool:
        if len(keys) != 1 or not BOOL < keys[0].width <= LIMB:
            return False
        tests = [entry.tests[0] for entry in self.table.entries]
        whole = ones(keys[0].width)
        exact = all(isinstance(test, MaskTest) and test.mask == whole for test in tests)
        return exact and len(tests) >= LEAST_SWITCHED

    def switch(self, key: Var, miss: Body) -> Stmt:
        cases: dict[int, SwitchCase] = {}
        for entry in self.table.entries:
            (test,) = entry.tests
            assert isinstance(test, MaskTest)
            case = SwitchCase((test.value,), self.chosen(entry.choice, TRUE))
            cases.setdefault(test.value, case)
        return Switch(key, tuple(cases.values()), miss, self.stmt.span)


def _all(keys: list[Var], tests: tuple[Test, ...]) -> Expr:
    result: Expr = TRUE
    for key, test in zip(keys, tests, strict=True):
        result = fold(Binary(BinaryOp.LAND, result, condition(key, test)))
    return result
