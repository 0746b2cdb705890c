"""Random flat programs: headers, a parser graph, a control with a table, a deparser."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from make import EMPTY, VERDICT, goto, header, num

from p4xdp.midend.ir import (
    BOOL,
    COMPARISONS,
    ActionArm,
    ActionChoice,
    ActionData,
    Advance,
    AnyTest,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Concat,
    Const,
    Emit,
    Expr,
    Extend,
    Extract,
    Header,
    If,
    Key,
    Leave,
    Lookahead,
    MaskTest,
    Mux,
    Peek,
    Program,
    RangeTest,
    Reject,
    Scope,
    SelectCase,
    Slice,
    State,
    Stmt,
    Switch,
    SwitchCase,
    Table,
    TableAction,
    Test,
    Trace,
    Transition,
    Unary,
    UnaryOp,
    Var,
)

WIDTHS = (1, 3, 4, 5, 7, 8, 8, 12, 16, 16, 24, 32, 48, 60, 64, 100)
SHIFTS = (BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR)
DIVISIONS = (BinaryOp.DIV, BinaryOp.MOD)
PLAIN = [op for op in BinaryOp if op not in COMPARISONS and op not in SHIFTS]
COMPARING = [op for op in BinaryOp if op in COMPARISONS and op.value not in ("&&", "||")]
TABLE = "t"


def generate(random: Random) -> Program:
    """Return a program in which anything may follow anything."""
    return _Generator(random).program()


@dataclass
class _Generator:
    random: Random
    headers: list[Header] = field(default_factory=list)
    locals: list[Var] = field(default_factory=list)
    scopes: int = 0

    def pick(self, weighted: Sequence[tuple[int, Callable[[], object]]]) -> object:
        makers = [make for weight, make in weighted for _ in range(weight)]
        return self.random.choice(makers)()

    @property
    def fields(self) -> list[Var]:
        return [item.var for h in self.headers for item in h.fields] + self.locals

    @property
    def validities(self) -> list[Var]:
        return [h.valid for h in self.headers]

    # Expressions

    def number(self, width: int) -> Const:
        most = (1 << (width or 1)) - 1
        return Const(self.random.choice([0, 1, most, self.random.randint(0, most)]), width)

    def expr(self, width: int, depth: int = 0) -> Expr:
        same = [var for var in self.fields + self.validities if var.width == width]
        if depth > 2 or self.random.random() < 0.25:
            return self.number(width)
        if same and self.random.random() < 0.4:
            return self.random.choice(same)
        if width == BOOL:
            return self.truth(depth + 1)
        return self.bits(width, depth + 1)

    def truth(self, depth: int) -> Expr:
        width = self.random.choice([var.width for var in self.fields if var.width] or [8])
        logical = self.random.choice([BinaryOp.LAND, BinaryOp.LOR])
        compare = self.random.choice(COMPARING)
        made = self.pick(
            [
                (3, lambda: Unary(UnaryOp.LNOT, self.expr(BOOL, depth))),
                (2, lambda: Binary(logical, self.expr(BOOL, depth), self.expr(BOOL, depth))),
                (5, lambda: Binary(compare, self.expr(width, depth), self.expr(width, depth))),
            ]
        )
        return made  # type: ignore[return-value]

    def bits(self, width: int, depth: int) -> Expr:
        plain = [op for op in PLAIN if width <= 64 or op not in DIVISIONS]
        operator, shift = self.random.choice(plain), self.random.choice(SHIFTS)
        amount = self.random.choice([4, 8, 32])
        low = self.random.randint(0, 9)
        part = self.random.randint(1, max(1, width - 1))
        choices: list[tuple[int, Callable[[], object]]] = [
            (5, lambda: Binary(operator, self.expr(width, depth), self.expr(width, depth))),
            (1, lambda: Binary(shift, self.expr(width, depth), self.expr(amount, depth))),
            (1, lambda: Slice(self.expr(width + low + 2, depth), width + low - 1, low)),
            (1, lambda: self.mux(width, depth)),
        ]
        if width > 1:
            sign = self.random.random() < 0.5
            choices += [
                (1, lambda: Concat(self.expr(part, depth), self.expr(width - part, depth))),
                (1, lambda: Extend(self.expr(part, depth), width, sign)),
            ]
        return self.pick(choices)  # type: ignore[return-value]

    def mux(self, width: int, depth: int) -> Expr:
        return Mux(self.expr(BOOL, depth), self.expr(width, depth), self.expr(width, depth))

    # Statements

    def body(self, most: int, depth: int, labels: tuple[str, ...], place: str) -> Body:
        count = self.random.randint(0, most)
        return tuple(self.stmt(depth, labels, place) for _ in range(count))

    def stmt(self, depth: int, labels: tuple[str, ...], place: str) -> Stmt:
        choices: list[tuple[int, Callable[[], object]]] = [
            (9, lambda: self.assign(place)),
            (1, lambda: Trace("%", (self.expr(16),))),
        ]
        if depth < 3:
            choices += [
                (3, lambda: self.branch(depth + 1, labels, place)),
                (1, lambda: self.switch(depth + 1, labels, place)),
                (2, lambda: self.scope(depth + 1, labels, place)),
            ]
        if labels:
            choices.append((1, lambda: Leave(self.random.choice(labels))))
        if place == "parser":
            choices += [(1, lambda: Reject(num(1, 32))), (1, self.lookahead)]
        if place == "deparser":
            choices.append((3, lambda: Emit(self.random.choice(self.headers).name)))
        if place != "parser" and depth < 3:
            choices.append((1, lambda: self.apply(labels)))
        return self.pick(choices)  # type: ignore[return-value]

    def assign(self, place: str) -> Stmt:
        targets = self.fields + ([*self.validities, VERDICT] if place == "control" else [])
        target = self.random.choice(targets)
        return Assign(target, self.expr(target.width))

    def branch(self, depth: int, labels: tuple[str, ...], place: str) -> Stmt:
        then = self.body(3, depth, labels, place)
        return If(self.expr(BOOL), then, self.body(2, depth, labels, place))

    def switch(self, depth: int, labels: tuple[str, ...], place: str) -> Stmt:
        narrow = [var for var in self.fields if 0 < var.width]
        selector = self.random.choice(narrow)
        values = sorted({self.random.getrandbits(min(selector.width, 2)) for _ in range(3)})
        cases = tuple(SwitchCase((v,), self.body(2, depth, labels, place)) for v in values)
        return Switch(selector, cases, self.body(1, depth, labels, place))

    def scope(self, depth: int, labels: tuple[str, ...], place: str) -> Stmt:
        self.scopes += 1
        label = f"s{self.scopes}"
        return Scope(label, self.body(4, depth, (*labels, label), place))

    def lookahead(self) -> Stmt:
        target = Var("peeked", 12)
        return Lookahead(16, (Peek(target, self.random.randint(0, 4), 12),))

    def apply(self, labels: tuple[str, ...]) -> Stmt:
        arms = (
            ActionArm(0, (), self.body(2, 3, labels, "control")),
            ActionArm(1, (self.locals[-1], Var("data", 72)), self.body(2, 3, labels, "control")),
        )
        hit = self.random.choice([None, Var("hit", BOOL)])
        action_run = self.random.choice([None, Var("run", 32)])
        return Apply(TABLE, (self.expr(8), self.expr(100)), arms, hit, action_run)

    # Programs

    def header(self, number: int) -> Header:
        fields = [
            (f"f{index}", self.random.choice(WIDTHS)) for index in range(self.random.randint(1, 4))
        ]
        if self.random.random() < 0.2:
            fields.append(("truth", BOOL))
        rest = -sum(width or 1 for _, width in fields) % 8
        return header(f"h{number}", *fields, *([("pad", rest)] if rest else []))

    def state(self, index: int, names: list[str]) -> State:
        moves: list[Stmt] = []
        for _ in range(self.random.choice([0, 1, 1, 1, 2])):
            moves.append(self.move())
        body = (*moves, *self.body(2, 1, (), "parser"))
        targets = [*names[index + 1 :], "accept", "accept", "reject"]
        return State(names[index], body, self.transition(targets))

    def move(self) -> Stmt:
        if self.random.random() < 0.85:
            return Extract(self.random.choice(self.headers).name)
        if self.random.random() < 0.5:
            return Advance(num(self.random.choice([5, 8, 8, 16]), 32))
        return Advance(Binary(BinaryOp.AND, self.expr(32), num(0x39, 32)))

    def transition(self, targets: list[str]) -> Transition:
        if self.random.random() < 0.3:
            return goto(self.random.choice(targets))
        keys = tuple(self.random.choice(self.fields) for _ in range(self.random.choice([1, 1, 2])))
        cases = []
        for _ in range(self.random.randint(1, 3)):
            tests = tuple(self.test(key.width or 1) for key in keys)
            cases.append(SelectCase(tests, self.random.choice(targets)))
        if self.random.random() < 0.6:
            cases.append(SelectCase((AnyTest(),) * len(keys), self.random.choice(targets)))
        return Transition(keys, tuple(cases))

    def test(self, width: int) -> Test:
        most = (1 << width) - 1
        one, other = self.random.randint(0, most), self.random.randint(0, most)
        tests: list[Test] = [
            MaskTest(one & 3, most),
            MaskTest(one & 3, most),
            MaskTest(one & other, other),
            RangeTest(min(one, other), max(one, other)),
            AnyTest(),
        ]
        return self.random.choice(tests)

    def deparser(self) -> Body:
        if self.random.random() < 0.3:
            return self.body(6, 0, (), "deparser")
        order = list(self.headers)
        if self.random.random() < 0.3:
            self.random.shuffle(order)
        if self.random.random() < 0.2:
            order.pop()
        if self.random.random() < 0.2:
            order.append(self.random.choice(self.headers))
        return tuple(Emit(h.name) for h in order)

    def table(self) -> Table:
        data = ActionData("one", self.locals[-1].width or 1), ActionData("other", 72)
        actions = TableAction("first", ()), TableAction("second", data)
        keys = Key("a", 8, "exact"), Key("b", 100, "exact")
        return Table(TABLE, keys, actions, ActionChoice(0, ()), False, (), False, 8)

    def program(self) -> Program:
        self.headers = [self.header(number) for number in range(self.random.randint(1, 4))]
        widths = [0, 1, 8, 8, 16, 32, 64, 128]
        self.locals = [Var(f"local{n}", self.random.choice(widths)) for n in range(4)]
        names = [f"p{number}" for number in range(self.random.randint(0, 5))]
        verdict = Assign(VERDICT, num(self.random.choice([2, 2, 2, 3, 4, 1]), 32))
        return replace(
            EMPTY,
            headers=tuple(self.headers),
            tables=(self.table(),),
            parser=tuple(self.state(index, names) for index in range(len(names))),
            control=(verdict, *self.body(6, 0, (), "control")),
            deparser=self.deparser(),
            port=self.random.choice([None, Var("port", 32)]),
        )


def packets(random: Random, count: int) -> list[bytes]:
    """Return packets of small numbers, which take branches, and of any."""
    sizes = [random.choice([0, 5, 10, 20, 30, 40, 60]) for _ in range(count)]
    return [
        bytes(random.choice([0, 1, 2, 3, random.randint(0, 255)]) for _ in range(size))
        for size in sizes
    ]
