"""Carry constants, copies and single uses forward to where they are read.

    x = hd.ipv4.ttl;                       hd.ipv4.ttl = hd.ipv4.ttl - 1;
    x = x - 1;                     ->
    hd.ipv4.ttl = x;

Follows the program in the order of execution: parser states in topological order, then control,
then deparser, or the linear body. Conditions that become constant disappear with the branches that
they exclude. A variable that is set once and read once moves to where it is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from graphlib import TopologicalSorter

from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    ACCEPT,
    FALSE,
    REJECT,
    TRUE,
    ActionArm,
    AdjustHead,
    AnyTest,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Const,
    Emit,
    Expr,
    Extract,
    Header,
    If,
    Leave,
    MaskTest,
    Program,
    RangeTest,
    Scope,
    SelectCase,
    SetPointer,
    State,
    Stmt,
    Store,
    Switch,
    Test,
    Transition,
    Unary,
    UnaryOp,
    Var,
)
from p4xdp.midend.names import PACKET, header_names, names_read, pointer_name
from p4xdp.midend.rewrite import (
    ends,
    expressions,
    map_expressions,
    program_bodies,
    rewrite,
    targets,
    variables,
    walk,
    walk_expression,
)

LARGEST_MOVED = 12
"""Nodes of an expression that may still move into another."""


def propagate(program: Program) -> Program:
    """Return the program with every known value in place of the variable that holds it."""
    flow = _Flow(
        headers={header.name: header for header in program.headers},
        single=_single_uses(program),
    )
    if program.input_port is not None:
        flow.forget(program.input_port.name)
    parser, entry = _parser(flow, program)
    control = flow.body(program.control) if entry else ()
    flow.alive = True
    return replace(
        program,
        parser=parser,
        control=control,
        deparser=flow.body(program.deparser),
        body=flow.body(program.body),
    )


@dataclass(frozen=True, slots=True)
class _Fact:
    """What is known of a variable; `version` changes whenever it may have been set.

    `value` holds as long as the names in `reads` still have the versions noted there.
    """

    version: int
    value: Expr | None = None
    reads: tuple[tuple[str, int], ...] = ()


_Facts = dict[str, _Fact]


def _single_uses(program: Program) -> set[str]:
    """Return the variables that one statement sets and one place reads."""
    reads: Counter[str] = Counter()
    writes: Counter[str] = Counter()
    fields = {header.name: header for header in program.headers}
    for body in program_bodies(program):
        for stmt in walk(body):
            writes.update(var.name for var in targets(stmt))
            for expr in expressions(stmt):
                reads.update(var.name for var in variables(expr))
            match stmt:
                case Emit(header=header):
                    reads.update(2 * header_names(fields[header]))
                case Extract(header=header):
                    writes.update(2 * header_names(fields[header]))
                case Apply(arms=arms):
                    writes.update(2 * [var.name for arm in arms for var in arm.data])
                case _:
                    pass
    for state in program.parser:
        for key in state.transition.keys:
            reads.update(var.name for var in variables(key))
    for var in (program.verdict, program.port):
        if var is not None and program.stage == "flat":
            reads[var.name] += 2
    return {name for name, count in reads.items() if count == 1 and writes[name] == 1}


@dataclass(slots=True)
class _Flow:
    """The state of the walk: facts, and a log by which a branch's facts are taken back."""

    headers: dict[str, Header]
    single: set[str]
    facts: _Facts = field(default_factory=dict)
    log: list[tuple[str, _Fact | None]] = field(default_factory=list)
    exits: dict[str, tuple[int, list[_Facts]]] = field(default_factory=dict)
    latest: int = 0
    alive: bool = True

    # Facts

    def version(self, name: str) -> int:
        fact = self.facts.get(name)
        return fact.version if fact else 0

    def put(self, name: str, fact: _Fact) -> None:
        self.log.append((name, self.facts.get(name)))
        self.facts[name] = fact

    def fresh(self) -> int:
        self.latest += 1
        return self.latest

    def forget(self, name: str) -> None:
        self.put(name, _Fact(self.fresh()))

    def learn(self, target: Var, value: Expr) -> None:
        match value:
            case Const():
                self.put(target.name, _Fact(self.fresh(), value))
            case _ if isinstance(value, Var) or (target.name in self.single and _is_small(value)):
                names = dict.fromkeys(names_read(value))
                reads = tuple((name, self.version(name)) for name in names)
                self.put(target.name, _Fact(self.fresh(), value, reads))
            case _:
                self.forget(target.name)

    def known(self, var: Var) -> Expr:
        """Return what stands for the variable's present value: a shorter way, or itself."""
        fact = self.facts.get(var.name)
        if fact is None:
            return Const(0, var.width)
        if fact.value is None or any(self.version(name) != v for name, v in fact.reads):
            return var
        return self.known(fact.value) if isinstance(fact.value, Var) else fact.value

    def assume(self, condition: Expr, truth: bool) -> None:
        """Note what a branch taken on `condition` says about variables."""
        match condition:
            case Var(name=name, width=0):
                self.put(name, _Fact(self.version(name), TRUE if truth else FALSE))
            case Unary(op=UnaryOp.LNOT, operand=operand):
                self.assume(operand, not truth)
            case Binary(op=BinaryOp.LAND, left=left, right=right) if truth:
                self.assume(left, True)
                self.assume(right, True)
            case Binary(op=BinaryOp.LOR, left=left, right=right) if not truth:
                self.assume(left, False)
                self.assume(right, False)
            case Binary(op=BinaryOp.EQ, left=Var(name=name), right=Const() as value) if truth:
                self.put(name, _Fact(self.version(name), value))
            case Binary(op=BinaryOp.NE, left=Var(name=name), right=Const() as value) if not truth:
                self.put(name, _Fact(self.version(name), value))
            case _:
                pass

    # Branches

    def changes(self, mark: int) -> _Facts:
        return {name: self.facts[name] for name, _ in self.log[mark:]}

    def take_back(self, mark: int) -> None:
        while len(self.log) > mark:
            name, old = self.log.pop()
            if old is None:
                del self.facts[name]
            else:
                self.facts[name] = old

    def branch(self, body: Body, before: Callable[[], None] | None = None) -> _Branch:
        """Walk one of several bodies and leave the facts as they were."""
        mark = len(self.log)
        if before is not None:
            before()
        new = self.body(body)
        changes = self.changes(mark) if self.alive else None
        self.take_back(mark)
        self.alive = True
        return _Branch(new, changes)

    def join(self, arriving: Iterable[_Facts | None]) -> None:
        """Go on with what all arriving paths agree on."""
        paths = [path for path in arriving if path is not None]
        self.alive = bool(paths)
        names = dict.fromkeys(name for path in paths for name in path)
        for name in names:
            old = self.facts.get(name)
            self.put(name, self.common([path.get(name, old) for path in paths], old))

    def common(self, found: list[_Fact | None], old: _Fact | None) -> _Fact:
        first, *rest = found
        if first is not None and all(fact == first for fact in rest):
            return first
        versions = {fact.version if fact else 0 for fact in found}
        if len(versions) > 1:
            return _Fact(self.fresh(), *_agreed(found))
        if old is not None and old.version in versions:
            return old
        return _Fact(versions.pop(), *_agreed(found))

    # Statements

    def body(self, body: Body) -> Body:
        new: list[Stmt] = []
        for stmt in body:
            if not self.alive:
                break
            new.extend(self.stmt(stmt))
        same = len(new) == len(body) and all(a is b for a, b in zip(new, body, strict=True))
        return body if same else tuple(new)

    def resolve(self, expr: Expr) -> Expr:
        return rewrite(expr, self.node)

    def node(self, expr: Expr) -> Expr:
        if isinstance(expr, Var):
            known = self.known(expr)
            return expr if known == expr else known
        return fold(expr)

    def stmt(self, stmt: Stmt) -> Body:
        stmt = map_expressions(stmt, self.resolve)
        match stmt:
            case Assign(target=target, value=value):
                return self.assign(stmt, target, value)
            case If():
                return self.condition(stmt)
            case Switch():
                return self.switch(stmt)
            case Scope():
                return self.scope(stmt)
            case Leave(label=label):
                mark, exits = self.exits[label]
                exits.append(self.changes(mark))
                self.alive = False
                return (stmt,)
            case Apply():
                return self.apply(stmt)
            case Check(fail=fail) | AdjustHead(fail=fail):
                stmt = self.guarded(stmt, fail)
            case Extract(header=header):
                self.extract(self.headers[header])
            case _:
                pass
        self.effects(stmt)
        return (stmt,)

    def effects(self, stmt: Stmt) -> None:
        for var in targets(stmt):
            self.forget(var.name)
        match stmt:
            case Store():
                self.forget(PACKET)
            case SetPointer(pointer=pointer):
                self.forget(pointer_name(pointer))
            case AdjustHead():
                self.forget(PACKET)
                self.forget(pointer_name("data"))
            case _:
                pass
        self.alive = not ends((stmt,))

    def assign(self, stmt: Assign, target: Var, value: Expr) -> Body:
        if self.known(target) == value or target == value:
            return ()
        self.learn(target, value)
        return (stmt,)

    def condition(self, stmt: If) -> Body:
        test = stmt.condition
        if isinstance(test, Const):
            return self.body(stmt.then if test.value else stmt.otherwise)
        then = self.branch(stmt.then, lambda: self.assume(test, True))
        otherwise = self.branch(stmt.otherwise, lambda: self.assume(test, False))
        self.join([then.changes, otherwise.changes])
        if then.body is stmt.then and otherwise.body is stmt.otherwise:
            return (stmt,)
        return (replace(stmt, then=then.body, otherwise=otherwise.body),)

    def switch(self, stmt: Switch) -> Body:
        selector = stmt.selector
        if isinstance(selector, Const):
            chosen = (case.body for case in stmt.cases if selector.value in case.values)
            return self.body(next(chosen, stmt.default))
        arms = [self.branch(case.body, self.selected(selector, case.values)) for case in stmt.cases]
        default = self.branch(stmt.default)
        self.join([*(arm.changes for arm in arms), default.changes])
        cases = tuple(
            case if arm.body is case.body else replace(case, body=arm.body)
            for case, arm in zip(stmt.cases, arms, strict=True)
        )
        if all(a is b for a, b in zip(cases, stmt.cases, strict=True)):
            cases = stmt.cases
            if default.body is stmt.default:
                return (stmt,)
        return (replace(stmt, cases=cases, default=default.body),)

    def selected(self, selector: Expr, values: tuple[int, ...]) -> Callable[[], None]:
        def note() -> None:
            if isinstance(selector, Var) and len(values) == 1:
                value = Const(values[0], selector.width)
                self.put(selector.name, _Fact(self.version(selector.name), value))

        return note

    def scope(self, stmt: Scope) -> Body:
        mark = len(self.log)
        exits: list[_Facts] = []
        self.exits[stmt.label] = (mark, exits)
        inner = self.branch(stmt.body)
        del self.exits[stmt.label]
        self.join([inner.changes, *exits])
        return (stmt if inner.body is stmt.body else Scope(stmt.label, inner.body),)

    def apply(self, stmt: Apply) -> Body:
        for var in targets(stmt):
            self.forget(var.name)
        arms = [self.branch(arm.body, self.chosen(stmt, arm)) for arm in stmt.arms]
        self.join(arm.changes for arm in arms)
        if all(new.body is old.body for new, old in zip(arms, stmt.arms, strict=True)):
            return (stmt,)
        pairs = zip(stmt.arms, arms, strict=True)
        return (replace(stmt, arms=tuple(replace(old, body=new.body) for old, new in pairs)),)

    def chosen(self, stmt: Apply, arm: ActionArm) -> Callable[[], None]:
        def note() -> None:
            if stmt.action_run is not None:
                self.learn(stmt.action_run, Const(arm.index, stmt.action_run.width))
            for var in arm.data:
                self.forget(var.name)

        return note

    def guarded(self, stmt: Check | AdjustHead, fail: Body) -> Stmt:
        new = self.branch(fail).body
        return stmt if new is fail else replace(stmt, fail=new)

    def extract(self, header: Header) -> None:
        for item in header.fields:
            self.forget(item.var.name)
        self.learn(header.valid, TRUE)


@dataclass(frozen=True, slots=True)
class _Branch:
    """A walked body, and the facts that it changed; None when its end is not reached."""

    body: Body
    changes: _Facts | None


def _is_small(expr: Expr) -> bool:
    return sum(1 for _ in walk_expression(expr)) <= LARGEST_MOVED


def _agreed(found: list[_Fact | None]) -> tuple[Expr | None, tuple[tuple[str, int], ...]]:
    first, *rest = found
    if first is None or first.value is None:
        return None, ()
    same = all(fact is not None and fact.value == first.value for fact in rest)
    if same and all(fact is not None and fact.reads == first.reads for fact in rest):
        return first.value, first.reads
    return None, ()


# The parser graph


def _parser(flow: _Flow, program: Program) -> tuple[tuple[State, ...], bool]:
    """Walk the states; tell whether any path accepts, with its facts then in place."""
    if not program.parser:
        return (), True
    arriving: dict[str, list[_Facts]] = {program.parser[0].name: [dict(flow.facts)]}
    new: list[State] = []
    for state in in_order(program.parser):
        if state.name not in arriving:
            continue
        _enter(flow, arriving.pop(state.name))
        body = flow.body(state.body)
        transition = _transition(flow, state.transition) if flow.alive else _to_reject(state)
        new.append(replace(state, body=body, transition=transition))
        if flow.alive:
            for target in dict.fromkeys(case.target for case in transition.cases):
                arriving.setdefault(target, []).append(dict(flow.facts))
    accepts = ACCEPT in arriving
    _enter(flow, arriving.get(ACCEPT, [{}]))
    return tuple(new), accepts


def _to_reject(state: State) -> Transition:
    return Transition((), (SelectCase((), REJECT),), state.span)


def in_order(parser: tuple[State, ...]) -> list[State]:
    """Return the states so that each stands behind all states that lead to it."""
    states = {state.name: state for state in parser}
    sorter: TopologicalSorter[str] = TopologicalSorter({name: () for name in states})
    for state in parser:
        for case in state.transition.cases:
            if case.target in states:
                sorter.add(case.target, state.name)
    return [states[name] for name in sorter.static_order()]


def _enter(flow: _Flow, arriving: list[_Facts]) -> None:
    flow.alive = True
    flow.log.clear()
    flow.facts = arriving[0]
    if len(arriving) > 1:
        names = dict.fromkeys(name for facts in arriving for name in facts)
        found = {name: [facts.get(name) for facts in arriving] for name in names}
        flow.facts = {name: flow.common(facts, None) for name, facts in found.items()}


def _transition(flow: _Flow, transition: Transition) -> Transition:
    keys = tuple(flow.resolve(key) for key in transition.keys)
    cases: list[SelectCase] = []
    for case in transition.cases:
        pairs = list(zip(keys, case.tests, strict=True))
        if any(isinstance(key, Const) and not passes(test, key.value) for key, test in pairs):
            continue
        cases.append(case)
        if all(always(key, test) for key, test in pairs):
            break
    return _without_constant_keys(keys, cases, transition)


def _without_constant_keys(
    keys: tuple[Expr, ...], cases: list[SelectCase], old: Transition
) -> Transition:
    if len(cases) == 1 and all(map(always, keys, cases[0].tests)):
        return Transition((), (SelectCase((), cases[0].target, cases[0].span),), old.span)
    kept = [index for index, key in enumerate(keys) if not isinstance(key, Const)]
    if not kept:
        kept = list(range(len(keys)))
    new = tuple(replace(case, tests=tuple(case.tests[index] for index in kept)) for case in cases)
    return Transition(tuple(keys[index] for index in kept), new, old.span)


def always(key: Expr, test: Test) -> bool:
    """Tell whether the test is sure to hold for the key."""
    if isinstance(key, Const):
        return passes(test, key.value)
    return isinstance(test, AnyTest) or (isinstance(test, MaskTest) and test.mask == 0)


def passes(test: Test, value: int) -> bool:
    """Tell whether a value passes a test."""
    match test:
        case AnyTest():
            return True
        case MaskTest(value=wanted, mask=mask):
            return value & mask == wanted
        case RangeTest(low=low, high=high):
            return low <= value <= high
