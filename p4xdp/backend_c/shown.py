"""Which statements show in the C at all, given the variables that anybody reads."""

from __future__ import annotations

from p4xdp.midend import ir
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Shown:
    """`needed` are the variables that are read, but for those of them that the C turns out not to
    read: `unread`. `trace` tells whether traces are wanted."""

    needed: frozenset[str]
    trace: bool
    unread: frozenset[str] = frozenset()

    def needs(self, var: ir.Var | None) -> bool:
        return var is not None and var.name in self.needed and var.name not in self.unread

    def is_idle(self, stmt: ir.Stmt) -> bool:
        """Tell whether `stmt` is no C."""
        match stmt:
            case ir.Assign(target=target) | ir.PacketLength(target=target):
                return not self.needs(target)
            case ir.Effect(name=name, result=result) if name in ir.SILENT_EFFECTS:
                return not self.needs(result)
            case ir.Trace():
                return not self.trace
            case ir.Scope(body=body):
                return not self.writes(body)
        return False

    def writes(self, body: ir.Body) -> bool:
        """Tell whether `body` is any C."""
        # the last first: long chains of scopes start with one another
        return not all(self.is_idle(stmt) for stmt in reversed(body))

    def runs_arms(self, stmt: ir.Apply) -> bool:
        """Tell whether running the action that was found shows."""
        return any(self._uses_arm(arm) for arm in stmt.arms)

    def uses_entry(self, stmt: ir.Apply) -> bool:
        """Tell whether anything after the lookup looks at the entry that it found."""
        return self.trace or self.needs(stmt.action_run) or self.runs_arms(stmt)

    def uses_choice(self, stmt: ir.Apply, arm: ir.ActionArm) -> bool:
        """Tell whether running `arm` shows."""
        return self.needs(stmt.action_run) or self._uses_arm(arm)

    def _uses_arm(self, arm: ir.ActionArm) -> bool:
        return any(self.needs(var) for var in arm.data) or self.writes(arm.body)
