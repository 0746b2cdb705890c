"""Say on the way what happens: states, keys, actions, verdict."""

from __future__ import annotations

from p4xdp.midend.ir import ActionArm, Apply, Body, Program, State, Stmt, Table, Trace
from p4xdp.midend.rewrite import map_program, map_statements, map_states
from p4xdp.records import dataclass, replace


def add_traces(program: Program) -> Program:
    """Put `Trace` statements into a flat program, for --trace.

        state start { extract(hd.eth); … }
        t.apply(hd.eth.dst) { action 0(): { … } }
    becomes
        state start { trace("state start"); extract(hd.eth); … }
        trace("C.t: hd.eth.dst = %", …); t.apply(…) { action 0(): { trace("C.t: C.drop"); … } }
    """
    traced = map_program(program, _Tracer(program).body)
    traced = map_states(traced, _traced_state)
    told = _verdict(program)
    if not traced.further:
        return replace(traced, control=(*traced.control, told))
    *further, last = traced.further
    return replace(traced, further=(*further, replace(last, departure=(*last.departure, told))))


def _traced_state(state: State) -> State:
    return replace(state, body=(Trace(f"state {state.name}", span=state.span), *state.body))


def _verdict(program: Program) -> Stmt:
    name = "verdict" if program.model == "xdp" else "accept"
    if program.port is None:
        return Trace(f"{name} %", (program.verdict,))
    return Trace(f"{name} %, port %", (program.verdict, program.port))


@dataclass(frozen=True, slots=True)
class _Tracer:
    program: Program

    def body(self, body: Body) -> Body:
        return map_statements(body, self.statement)

    def statement(self, stmt: Stmt) -> Body:
        if not isinstance(stmt, Apply):
            return (stmt,)
        [table] = [t for t in self.program.tables if t.name == stmt.table]
        keys = [
            Trace(f"{table.name}: {key.name} = %", (value,), stmt.span)
            for key, value in zip(table.keys, stmt.keys, strict=True)
        ]
        arms = tuple(_traced_arm(table, arm) for arm in stmt.arms)
        return (*keys, replace(stmt, arms=arms))


def _traced_arm(table: Table, arm: ActionArm) -> ActionArm:
    action = table.actions[arm.index]
    data = [f", {one.name} = %" for one in action.data]
    line = Trace(f"{table.name}: {action.name}{''.join(data)}", arm.data)
    return replace(arm, body=(line, *arm.body))
