"""What is known of each variable, statement by statement, in the order of execution.

In: statements of any stage. Out: the same statements with constants, copies and single uses in the
place of variables, branches that cannot be taken left out. `Flow` holds the facts; a branch's facts
are taken back at its end and joined with those of the other branches, so that the work grows with
what changes, not with what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from p4xdp.midend.facts import (
    Address,
    Fact,
    Facts,
    Guarded,
    Joined,
    agreed,
    in_mask,
    shared_by,
    without,
)
from p4xdp.midend.fold import fold, negate
from p4xdp.midend.ir import (
    COMPARISONS,
    FALSE,
    TRUE,
    XDP_REDIRECT,
    ActionArm,
    AdjustHead,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Concat,
    Const,
    Expr,
    Extract,
    Finish,
    Header,
    If,
    Leave,
    Load,
    Mux,
    Scope,
    SetPointer,
    Stmt,
    Store,
    Switch,
    Unary,
    UnaryOp,
    Var,
    limbs_of,
    width_of,
)
from p4xdp.midend.names import PACKET, contents, names_read, pointer_name
from p4xdp.midend.rewrite import (
    ends,
    map_expressions,
    map_operands,
    operands,
    same,
    targets,
    walk_expression,
)
from p4xdp.midend.uses import Uses
from p4xdp.records import dataclass, field, replace

LARGEST_MOVED = 12
"""Nodes of an expression that may still move into another."""

LARGEST_REPEATED = 2
"""Nodes of an expression that may stand in several branches."""

MOST_REMEMBERED = 8
"""Paths that meet, of which it is remembered what is known behind them."""


@dataclass(slots=True)
class Flow:
    """The state of the walk: facts, and a log by which a branch's facts are taken back.

    `guards` has, by truth value, what is known of variables while it is true; all of them by name
    and version, so that what no longer counts is not found.
    """

    headers: dict[str, Header]
    uses: Uses
    narrow: bool = False
    facts: Facts = field(default_factory=dict)
    log: list[tuple[str, Fact | None]] = field(default_factory=list)
    exits: dict[str, tuple[int, list[Facts]]] = field(default_factory=dict)
    guards: dict[tuple[str, int], dict[tuple[str, int], Guarded]] = field(default_factory=dict)
    meetings: dict[tuple[int, ...], tuple[Fact, list[Fact | None], Fact | None]] = field(
        default_factory=dict
    )
    latest: int = 0
    alive: bool = True

    # Facts

    def version(self, name: str) -> int:
        fact = self.facts.get(name)
        return fact.version if fact else 0

    def put(self, name: str, fact: Fact) -> None:
        self.log.append((name, self.facts.get(name)))
        self.facts[name] = fact

    def fresh(self) -> int:
        self.latest += 1
        return self.latest

    def forget(self, name: str) -> None:
        self.put(name, Fact(self.fresh()))

    def learn(self, target: Var, value: Expr, movable: bool = False) -> None:
        """Note the value; `movable` allows it to stand where the variable is read."""
        match value:
            case Const():
                self.put(target.name, Fact(self.fresh(), value))
            case _ if movable or isinstance(value, Var):
                names = dict.fromkeys(names_read(value))
                reads = tuple((name, self.version(name)) for name in names)
                self.put(target.name, Fact(self.fresh(), value, reads))
            case _:
                self.forget(target.name)

    def known(self, var: Var) -> Expr:
        """Return what stands for the variable's present value: a shorter way, or itself."""
        fact = self.facts.get(var.name)
        if fact is None:
            return Const(0, var.width)
        if not self.holds(fact):
            return var
        match fact.value:
            case Var() as other:
                return self.known(other)
            case None | Address():
                return var
            case value:
                return value

    def holds(self, fact: Fact) -> bool:
        return all(self.version(name) == version for name, version in fact.reads)

    def address(self, pointer: str) -> Address:
        """Return where the pointer points, seen from a pointer set earlier, or from itself."""
        fact = self.facts.get(pointer_name(pointer))
        if fact is not None and isinstance(fact.value, Address) and self.holds(fact):
            return fact.value
        return Address(pointer, 0)

    def assume(self, condition: Expr, truth: bool) -> None:
        """Note what a branch taken on `condition` says about variables."""
        match condition:
            case Var(name=name, width=0):
                flag = self.version(name)
                self.put(name, Fact(flag, TRUE if truth else FALSE))
                if truth:
                    self.enter_guard(name, flag)
            case Unary(op=UnaryOp.LNOT, operand=operand):
                self.assume(operand, not truth)
            case Binary(op=BinaryOp.LAND, left=left, right=right) if truth:
                self.assume(left, True)
                self.assume(right, True)
            case Binary(op=BinaryOp.LOR, left=left, right=right) if not truth:
                self.assume(left, False)
                self.assume(right, False)
            case Binary(op=BinaryOp.EQ, left=left, right=Const() as value) if truth:
                self.is_equal(left, value)
            case Binary(op=BinaryOp.NE, left=left, right=Const() as value) if not truth:
                self.is_equal(left, value)
            case _:
                pass

    def is_equal(self, tested: Expr, value: Const) -> None:
        """Note what a test has shown."""
        match tested:
            case Var(name=name):
                self.put(name, Fact(self.version(name), value, tested=True))
            case Load(pointer=pointer):
                reads = tuple((n, self.version(n)) for n in (PACKET, pointer_name(pointer)))
                self.put(_load_name(tested), Fact(self.fresh(), value, reads))
            case _:
                pass

    def shown(self, expr: Expr) -> Expr:
        """Return what tests have shown a load to be, or itself."""
        if not isinstance(expr, Load):
            return expr
        fact = self.facts.get(_load_name(expr))
        return fact.value if fact and isinstance(fact.value, Const) and self.holds(fact) else expr

    def enter_guard(self, name: str, flag: int) -> None:
        for (other, version), known in self.guards.get((name, flag), {}).items():
            if version == self.version(other):
                self.put(other, Fact(version, known.value, known.reads))

    # Branches

    def changes(self, mark: int) -> Facts:
        return {name: self.facts[name] for name, _ in self.log[mark:]}

    def take_back(self, mark: int) -> None:
        while len(self.log) > mark:
            name, old = self.log.pop()
            if old is None:
                del self.facts[name]
            else:
                self.facts[name] = old

    def branch(self, body: Body, before: Callable[[], None] | None = None) -> Branch:
        """Walk one of several bodies and leave the facts as they were."""
        mark = len(self.log)
        if before is not None:
            before()
        new = self.body(body)
        changes = self.changes(mark) if self.alive else None
        self.take_back(mark)
        self.alive = True
        return Branch(new, changes)

    def join(self, arriving: Iterable[Facts | None]) -> None:
        """Go on with what all arriving paths agree on."""
        paths = [path for path in arriving if path is not None]
        self.alive = bool(paths)
        shared = shared_by(paths)
        joined = Joined([without(path, shared) for path in paths], self.facts)
        flags = [name for name in joined.found.keys() & self.uses.truths if joined.parts(name)]
        if flags and shared:
            joined, shared = Joined(paths, self.facts), {}
        self.log += [(name, self.facts.get(name)) for name in shared]
        self.facts.update(shared)
        for name, arrived in joined.found.items():
            old = joined.before[name]
            self.put(name, self.met([arrived.get(i, old) for i in range(len(paths))], old))
        for name in flags:
            self.note_guarded(name, joined)

    def note_guarded(self, flag: str, joined: Joined) -> None:
        """Note which variables are loads on every path on which `flag` may be true."""
        paths = joined.not_false(flag)
        first, mask = paths[0], sum(1 << path for path in paths)
        guarded: dict[tuple[str, int], Guarded] = {}
        said = self.said(flag, joined.fact(flag, first))
        for name in (*joined.loaded(first), *(name for name in said if name in joined.found)):
            known, alike = joined.load(name, first) or (self.under(flag, name, joined, first), 0)
            if known is None or any(
                self.under(flag, name, joined, path) != known for path in in_mask(mask & ~alike)
            ):
                continue
            if all(self.version(read) == number for read, number in known.reads):
                guarded[name, self.version(name)] = known
        if guarded:
            self.guards.setdefault((flag, self.version(flag)), {}).update(guarded)

    def said(self, flag: str, truth: Fact | None) -> list[str]:
        """Return the names of the variables of which something is known while `flag` is true."""
        version = truth.version if truth else 0
        return [name for name, _ in self.guards.get((flag, version), ())]

    def under(self, flag: str, name: str, joined: Joined, path: int) -> Guarded | None:
        """Return the load that a variable is on a path if `flag` is true there."""
        truth, fact = joined.fact(flag, path), joined.fact(name, path)
        if fact is None:
            return None
        if isinstance(fact.value, Load):
            return Guarded(fact.value, fact.reads)
        if truth is None:
            return None
        return self.guards.get((flag, truth.version), {}).get((name, fact.version))

    def met(self, facts: list[Fact | None], old: Fact | None) -> Fact:
        """Return what is known where paths meet with the facts, and `old` before they parted.

        It is the same wherever the same facts meet: no execution comes to two such places, as the
        first would leave it another fact. What is the same needs no comparison further on.
        """
        first = facts[0]
        if first is not None and all([fact is first for fact in facts]):
            return first
        if len(facts) > MOST_REMEMBERED:
            return self.common([*{id(fact): fact for fact in facts}.values()], old)
        key = (*map(id, facts), id(old))
        known = self.meetings.get(key)
        if known is None:
            # the facts are kept, so that no other ones get their ids
            known = self.meetings[key] = self.common(facts, old), facts, old
        return known[0]

    def common(self, found: list[Fact | None], old: Fact | None) -> Fact:
        versions = {fact.version if fact else 0 for fact in found}
        first = found[0]
        if len(versions) == 1 and first is not None and found.count(first) == len(found):
            return first
        if len(versions) > 1:
            return Fact(self.fresh(), *agreed(found))
        if old is not None and old.version in versions:
            return old
        return Fact(versions.pop(), *agreed(found))

    # Statements

    def body(self, body: Body) -> Body:
        new: list[Stmt] = []
        for stmt in body:
            if not self.alive:
                break
            new.extend(self.stmt(stmt))
        return body if same(new, body) else tuple(new)

    def resolve(self, expr: Expr) -> Expr:
        """Return the expression with what is known put in; what decides a part counts in it."""
        match expr:
            case Const():
                return expr
            case Var():
                return self.node(expr)
            case Binary(op=BinaryOp.LAND | BinaryOp.LOR as op):
                left = self.resolve(expr.left)
                right = self.resolve_if(left, op is BinaryOp.LAND, expr.right)
                unchanged = left is expr.left and right is expr.right
                return fold(expr if unchanged else Binary(op, left, right))
            case Mux():
                condition = self.resolve(expr.condition)
                then = self.resolve_if(condition, True, expr.then)
                otherwise = self.resolve_if(condition, False, expr.otherwise)
                return fold(Mux(condition, then, otherwise))
            case Binary(op=op) if op in COMPARISONS:
                left, right = (self.shown(self.resolve(one)) for one in operands(expr))
                unchanged = left is expr.left and right is expr.right
                return fold(expr if unchanged else Binary(op, left, right))
            case Concat():
                part = self.resolve if self.is_constant(expr) else self.resolve_part
                return self.node(map_operands(expr, part))
            case _:
                return self.node(map_operands(expr, self.resolve))

    def is_constant(self, expr: Expr) -> bool:
        match expr:
            case Var():
                return isinstance(self.known(expr), Const)
            case Concat(left=left, right=right):
                return self.is_constant(left) and self.is_constant(right)
            case _:
                return isinstance(expr, Const)

    def resolve_part(self, expr: Expr) -> Expr:
        """Resolve what is put together with others: a field that has been tested stays itself, so
        that it is loaded with its neighbours."""
        if isinstance(expr, Var):
            fact = self.facts.get(expr.name)
            if fact is not None and fact.tested:
                return expr
        return self.resolve(expr)

    def resolve_if(self, condition: Expr, truth: bool, expr: Expr) -> Expr:
        mark = len(self.log)
        self.assume(condition, truth)
        result = self.resolve(expr)
        self.take_back(mark)
        return result

    def resolve_key(self, key: Expr) -> Expr:
        """Resolve a table key; in a narrow program its limbs stay apart."""
        if not self.narrow:
            return self.resolve(key)
        limbs = limbs_of(key)
        new = [self.resolve(limb) for limb in limbs]
        if same(limbs, new):
            return key
        return reduce(Concat, new)

    def node(self, expr: Expr) -> Expr:
        match expr:
            case Var():
                known = self.known(expr)
                return expr if known == expr else known
            case Load(pointer=pointer, offset=offset, width=width):
                at = self.address(pointer)
                return Load(at.base, at.offset * 8 + offset, width) if at.base != pointer else expr
            case _:
                return fold(expr)

    def stmt(self, stmt: Stmt) -> Body:
        old = id(stmt)
        resolve = self.resolve_key if isinstance(stmt, Apply) else self.resolve
        stmt = self.addressed(map_expressions(stmt, resolve))
        match stmt:
            case Assign(target=target, value=value):
                return self.assign(old, stmt, target, value)
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
            case Finish(verdict=Const(value=verdict)) if verdict != XDP_REDIRECT:
                stmt = replace(stmt, port=None)
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
            case SetPointer():
                self.point(stmt)
            case AdjustHead():
                self.forget(PACKET)
                self.forget(pointer_name("data"))
            case _:
                pass
        self.alive = not ends((stmt,))

    def addressed(self, stmt: Stmt) -> Stmt:
        """Return the statement with a pointer in it replaced by the one that it derives from."""
        match stmt:
            case Check(pointer=pointer, size=size):
                at = self.address(pointer)
                if at.base == pointer:
                    return stmt
                return replace(stmt, pointer=at.base, size=at.offset + size)
            case Store(pointer=pointer, offset=offset):
                at = self.address(pointer)
                if at.base == pointer:
                    return stmt
                return replace(stmt, pointer=at.base, offset=at.offset * 8 + offset)
            case SetPointer(base=base, offset=offset):
                at = self.address(base)
                if at.base != base:
                    stmt = replace(stmt, base=at.base, offset=at.offset + offset)
                if isinstance(stmt.amount, Const):
                    total = stmt.offset + stmt.amount.value
                    stmt = replace(stmt, offset=total, amount=None, limit=0)
                return stmt
            case _:
                return stmt

    def point(self, stmt: SetPointer) -> None:
        name, base = pointer_name(stmt.pointer), pointer_name(stmt.base)
        if stmt.amount is not None or name == base:
            self.forget(name)
            return
        reads = ((base, self.version(base)),)
        address = Address(stmt.base, stmt.offset)
        self.put(name, Fact(self.fresh(), address, reads))

    def assign(self, old: int, stmt: Assign, target: Var, value: Expr) -> Body:
        if self.known(target) == value or target == value:
            return ()
        self.learn(target, value, self.is_movable(old, value))
        return (stmt,)

    def is_movable(self, stmt: int, value: Expr) -> bool:
        if isinstance(value, Load):
            return True
        if stmt not in self.uses.once:
            return False
        most = LARGEST_REPEATED if stmt in self.uses.repeated else LARGEST_MOVED
        return sum(1 for _ in walk_expression(value)) <= most

    def condition(self, stmt: If) -> Body:
        test = stmt.condition
        if isinstance(test, Const):
            return self.body(stmt.then if test.value else stmt.otherwise)
        then = self.branch(stmt.then, lambda: self.assume(test, True))
        otherwise = self.branch(stmt.otherwise, lambda: self.assume(test, False))
        truth = self.as_truth(stmt, then.body, otherwise.body)
        if truth is not None:
            return self.assign(id(stmt), truth, truth.target, truth.value)
        self.join([then.changes, otherwise.changes])
        if then.body is stmt.then and otherwise.body is stmt.otherwise:
            return (stmt,)
        return (replace(stmt, then=then.body, otherwise=otherwise.body),)

    def as_truth(self, stmt: If, then: Body, otherwise: Body) -> Assign | None:
        """Return `x = condition` when the branch only turns a known truth value."""
        match then, otherwise:
            case (Assign(target=Var(width=0) as target, value=Const() as value),), ():
                turned = stmt.condition if value == TRUE else negate(stmt.condition)
                opposite = FALSE if value == TRUE else TRUE
                return Assign(target, turned) if self.known(target) == opposite else None
            case _:
                return None

    def switch(self, stmt: Switch) -> Body:
        selector = self.shown(stmt.selector)
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
        if same(cases, stmt.cases):
            cases = stmt.cases
            if default.body is stmt.default:
                return (stmt,)
        return (replace(stmt, cases=cases, default=default.body),)

    def selected(self, selector: Expr, values: tuple[int, ...]) -> Callable[[], None]:
        def note() -> None:
            if len(values) == 1:
                self.is_equal(selector, Const(values[0], width_of(selector)))

        return note

    def scope(self, stmt: Scope) -> Body:
        mark = len(self.log)
        exits: list[Facts] = []
        self.exits[stmt.label] = (mark, exits)
        inner = self.branch(stmt.body)
        del self.exits[stmt.label]
        self.join([*exits, inner.changes])
        return (stmt if inner.body is stmt.body else Scope(stmt.label, inner.body),)

    def apply(self, stmt: Apply) -> Body:
        for var in targets(stmt):
            self.forget(var.name)
        if stmt.hit is not None and not stmt.keys:
            self.learn(stmt.hit, FALSE)
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
        for var in contents(header):
            self.forget(var.name)
        self.learn(header.valid, TRUE)


def _load_name(load: Load) -> str:
    """Return the name under which facts about bits of the packet are kept."""
    return f"{load.pointer}[{load.offset}:{load.width}]"


@dataclass(frozen=True, slots=True)
class Branch:
    """A walked body, and the facts that it changed; None when its end is not reached."""

    body: Body
    changes: Facts | None
