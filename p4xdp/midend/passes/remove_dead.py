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
    SILENT_EFFECTS,
    ActionArm,
    Advance,
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
    Pipeline,
    Program,
    Reject,
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
from p4xdp.midend.rewrite import (
    AnyPipeline,
    bodies,
    ends,
    expressions,
    same,
    targets,
    with_bodies,
)
from p4xdp.records import dataclass, field, replace

Live = int
"""A set of names, as a mask with a bit for each: the sets are long and there is one for each
statement."""


def remove_dead(program: Program) -> Program:
    """Return the program without statements that change nothing that is read later."""
    walk = Liveness({header.name: header for header in program.headers})
    body, _ = walk.body(program.body, 0)
    result = [program.verdict, program.port] if program.stage == "flat" else []
    live = walk.mask(var.name for var in result if var is not None)
    further: list[Pipeline] = []
    for one in reversed(program.further):
        new, live = _pipeline(walk, one, live)
        further.insert(0, new)
    first, _ = _pipeline(walk, program, live)
    return replace(first, further=tuple(further), body=body)


def _pipeline(walk: Liveness, one: AnyPipeline, live: Live) -> tuple[AnyPipeline, Live]:
    """Return the pipeline, given what is live behind it, and what is live before it."""
    departure, live = walk.body(one.departure, live)
    deparser, live = walk.body(one.deparser, live)
    control, live = walk.body(one.control, live)
    walk.rejected = 0
    if one.parser_error is not None:
        walk.rejected = live & ~walk.bit(one.parser_error.name)
    parser, live = _parser(walk, one.parser, live)
    walk.rejected = 0
    new = replace(one, parser=parser, control=control, deparser=deparser, departure=departure)
    return new, live


def _parser(
    walk: Liveness, parser: tuple[State, ...], live: Live
) -> tuple[tuple[State, ...], Live]:
    live_in: dict[str, Live] = {ACCEPT: live}
    new: dict[str, State] = {}
    for state in reversed(in_order(parser)):
        after = walk.mask(name for key in state.transition.keys for name in names_read(key))
        after |= walk.rejected
        for case in state.transition.cases:
            after |= live_in.get(case.target, 0)
        body, live_in[state.name] = walk.body(state.body, after)
        new[state.name] = replace(state, body=body)
    before = live_in[parser[0].name] if parser else live
    return tuple(new[state.name] for state in parser), before


@dataclass(slots=True)
class Liveness:
    """The walk against the order of execution; gives new bodies and what is live before them.

    `rejected` are the names live where a program goes on whose parser has rejected the packet.
    """

    headers: dict[str, Header]
    rejected: Live = 0
    after: dict[str, Live] = field(default_factory=dict)
    bits: dict[str, int] = field(default_factory=dict)

    def mask(self, names: Iterable[str]) -> Live:
        """Return the set of the names."""
        mask = 0
        for name in names:
            mask |= self.bit(name)
        return mask

    def bit(self, name: str) -> Live:
        """Return the set of one name."""
        bit = self.bits.get(name)
        if bit is None:
            bit = self.bits[name] = 1 << len(self.bits)
        return bit

    def targets(self, stmt: Stmt) -> Live:
        return self.mask([var.name for var in targets(stmt)])

    def body(self, body: Body, live: Live) -> tuple[Body, Live]:
        """Return the body without dead statements and the names live before it.

        `live` are the names live behind it.
        """
        if ends(body):
            live = 0
        new: list[Stmt] = []
        for stmt in reversed(body):
            kept, live = self.stmt(stmt, live)
            if kept is not None:
                new.append(kept)
        new.reverse()
        return (body if same(new, body) else tuple(new)), live

    def stmt(self, stmt: Stmt, live: Live) -> tuple[Stmt | None, Live]:
        match stmt:
            case Assign(target=var) | PacketLength(target=var) if not live & self.bit(var.name):
                return None, live
            case SetPointer(pointer=pointer) if not live & self.bit(pointer_name(pointer)):
                return None, live
            case Leave(label=label):
                return stmt, self.after[label]
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
        live = 0
        for _, before in results:
            live |= before
        return stmt, live | self.reads(stmt)

    def apply(self, stmt: Apply, live: Live) -> tuple[Stmt | None, Live]:
        arms: list[ActionArm] = []
        before = 0
        for arm in stmt.arms:
            body, inner = self.body(arm.body, live)
            before |= inner & ~self.mask(var.name for var in arm.data)
            arms.append(arm if body is arm.body else replace(arm, body=body))
        hit, action_run = self.if_live(stmt.hit, before), self.if_live(stmt.action_run, before)
        data_read = any(live & self.bit(var.name) for arm in arms for var in arm.data)
        if not (hit or action_run or data_read or any(arm.body for arm in arms)):
            return None, live
        unchanged = same(arms, stmt.arms)
        if not unchanged or hit is not stmt.hit or action_run is not stmt.action_run:
            stmt = replace(stmt, arms=tuple(arms), hit=hit, action_run=action_run)
        return stmt, before & ~self.targets(stmt) | self.reads(stmt)

    def simple(self, stmt: Stmt, live: Live) -> tuple[Stmt | None, Live]:
        if isinstance(stmt, Effect):
            stmt = replace(stmt, result=self.if_live(stmt.result, live)) if stmt.result else stmt
            if stmt.name in SILENT_EFFECTS and stmt.result is None:
                return None, live
        if isinstance(stmt, Lookahead):
            stmt = replace(
                stmt, peeks=tuple(p for p in stmt.peeks if live & self.bit(p.target.name))
            )
        before = live & ~self.targets(stmt)
        match stmt:
            case Extract(header=header):
                before &= ~self.mask(header_names(self.headers[header]))
                before |= self.rejected
            case Reject() | Lookahead() | Advance():
                before |= self.rejected
            case Emit(header=header):
                before |= self.mask(header_names(self.headers[header]))
            case SetPointer(pointer=pointer):
                before &= ~self.bit(pointer_name(pointer))
            case _:
                pass
        before |= self.reads(stmt)
        old = bodies(stmt)
        results = [self.body(body, 0) for body in old]
        if any(new is not body for (new, _), body in zip(results, old, strict=True)):
            stmt = with_bodies(stmt, tuple(new for new, _ in results))
        for _, inner in results:
            before |= inner
        return stmt, before

    def if_live(self, var: Var | None, live: Live) -> Var | None:
        return var if var is not None and live & self.bit(var.name) else None

    def reads(self, stmt: Stmt) -> Live:
        names = self.mask([name for expr in expressions(stmt) for name in names_read(expr)])
        match stmt:
            case Check(pointer=pointer) | Store(pointer=pointer) | SetPointer(base=pointer):
                return names | self.bit(pointer_name(pointer))
            case _:
                return names
