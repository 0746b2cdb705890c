"""Remove what nobody can observe: assignments never read, empty branches, lookups without use.

    x = 1;            x = 2;
    x = 2;      ->    y = x;
    y = x;

Follows liveness against the order of execution. A bounds check, a count, a trace line, a store to
the packet and the verdict can be observed. In a flat program an emitted header is read.
"""

from __future__ import annotations

from collections.abc import Iterable

from p4xdp.midend.ir import (
    ACCEPT,
    ActionArm,
    Apply,
    Assign,
    Body,
    Check,
    Effect,
    Emit,
    Extract,
    Header,
    If,
    Leave,
    Lookahead,
    PacketLength,
    Program,
    Scope,
    SetPointer,
    State,
    Stmt,
    Store,
    Switch,
    Var,
)
from p4xdp.midend.names import header_names, names_read, pointer_name
from p4xdp.midend.order import in_order
from p4xdp.midend.rewrite import bodies, ends, expressions, same, targets, with_bodies
from p4xdp.records import dataclass, field, replace

Live = set[str]


def remove_dead(program: Program) -> Program:
    """Return the program without statements that change nothing that is read later."""
    walk = Liveness({header.name: header for header in program.headers})
    body, _ = walk.body(program.body, set())
    result = [program.verdict, program.port] if program.stage == "flat" else []
    live = {var.name for var in result if var is not None}
    deparser, live = walk.body(program.deparser, live)
    control, live = walk.body(program.control, live)
    parser = _parser(walk, program, live)
    return replace(program, parser=parser, control=control, deparser=deparser, body=body)


def live_at_start(body: Body) -> Live:
    """Return the names that a linear body may read before it sets them."""
    return Liveness({}).body(body, set())[1]


def _parser(walk: Liveness, program: Program, live: Live) -> tuple[State, ...]:
    live_in: dict[str, Live] = {ACCEPT: live}
    new: dict[str, State] = {}
    for state in reversed(in_order(program.parser)):
        after: Live = set()
        for case in state.transition.cases:
            after |= live_in.get(case.target, set())
        for key in state.transition.keys:
            after.update(names_read(key))
        body, live_in[state.name] = walk.body(state.body, after)
        new[state.name] = replace(state, body=body)
    return tuple(new[state.name] for state in program.parser)


@dataclass(slots=True)
class Liveness:
    """The walk against the order of execution; gives new bodies and what is live before them."""

    headers: dict[str, Header]
    after: dict[str, Live] = field(default_factory=dict)

    def body(self, body: Body, live: Live) -> tuple[Body, Live]:
        """Return the body without dead statements and the names live before it.

        `live` are the names live behind it; the set is not changed.
        """
        live = set() if ends(body) else set(live)
        new: list[Stmt] = []
        for stmt in reversed(body):
            kept, live = self.stmt(stmt, live)
            if kept is not None:
                new.append(kept)
        new.reverse()
        return (body if same(new, body) else tuple(new)), live

    def stmt(self, stmt: Stmt, live: Live) -> tuple[Stmt | None, Live]:
        match stmt:
            case Assign(target=var) | PacketLength(target=var) if var.name not in live:
                return None, live
            case SetPointer(pointer=pointer) if pointer_name(pointer) not in live:
                return None, live
            case Leave(label=label):
                return stmt, set(self.after[label])
            case Scope(label=label):
                self.after[label] = live
                return self.nested(stmt, live)
            case If() | Switch():
                return self.nested(stmt, live)
            case Apply():
                return self.apply(stmt, live)
            case _:
                return self.simple(stmt, live)

    def nested(self, stmt: Stmt, live: Live) -> tuple[Stmt | None, Live]:
        old = bodies(stmt)
        results = [self.body(body, live) for body in old]
        if not any(body for body, _ in results):
            return None, live
        if any(new is not body for (new, _), body in zip(results, old, strict=True)):
            stmt = with_bodies(stmt, tuple(body for body, _ in results))
        return stmt, _union(before for _, before in results) | _reads(stmt)

    def apply(self, stmt: Apply, live: Live) -> tuple[Stmt | None, Live]:
        arms: list[ActionArm] = []
        before: Live = set()
        for arm in stmt.arms:
            body, inner = self.body(arm.body, live)
            before |= inner - {var.name for var in arm.data}
            arms.append(arm if body is arm.body else replace(arm, body=body))
        hit, action_run = _if_live(stmt.hit, before), _if_live(stmt.action_run, before)
        data_read = any(var.name in live for arm in arms for var in arm.data)
        if not (hit or action_run or data_read or any(arm.body for arm in arms)):
            return None, live
        unchanged = same(arms, stmt.arms)
        if not unchanged or hit is not stmt.hit or action_run is not stmt.action_run:
            stmt = replace(stmt, arms=tuple(arms), hit=hit, action_run=action_run)
        return stmt, before - {var.name for var in targets(stmt)} | _reads(stmt)

    def simple(self, stmt: Stmt, live: Live) -> tuple[Stmt | None, Live]:
        if isinstance(stmt, Effect):
            stmt = replace(stmt, result=_if_live(stmt.result, live)) if stmt.result else stmt
            if stmt.name == "ktime" and stmt.result is None:
                return None, live
        if isinstance(stmt, Lookahead):
            stmt = replace(stmt, peeks=tuple(p for p in stmt.peeks if p.target.name in live))
        before = live - {var.name for var in targets(stmt)}
        match stmt:
            case Extract(header=header):
                before -= set(header_names(self.headers[header]))
            case Emit(header=header):
                before |= set(header_names(self.headers[header]))
            case SetPointer(pointer=pointer):
                before.discard(pointer_name(pointer))
            case _:
                pass
        before |= _reads(stmt)
        for body in bodies(stmt):
            before |= self.body(body, set())[1]
        return stmt, before


def _if_live(var: Var | None, live: Live) -> Var | None:
    return var if var is not None and var.name in live else None


def _union(sets: Iterable[Live]) -> Live:
    result: Live = set()
    for names in sets:
        result |= names
    return result


def _reads(stmt: Stmt) -> Live:
    names = {name for expr in expressions(stmt) for name in names_read(expr)}
    match stmt:
        case Check(pointer=pointer) | Store(pointer=pointer) | SetPointer(base=pointer):
            names.add(pointer_name(pointer))
        case _:
            pass
    return names
