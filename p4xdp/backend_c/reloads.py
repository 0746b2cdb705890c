"""Where the packet's pointers are not read again once its head has moved.

A body of a narrow program goes in, out come the places (by identity) where setting the pointers
again would be idle.
"""

from __future__ import annotations

from p4xdp.backend_c.flow import used_expressions
from p4xdp.midend import ir
from p4xdp.midend.rewrite import bodies, walk_expression
from p4xdp.records import dataclass, field


def last_moves(body: ir.Body) -> frozenset[int]:
    """Return the `id` of each AdjustHead behind which nothing looks at the packet."""
    walk = _Backward()
    walk.body(body, False)
    return frozenset(walk.last)


@dataclass(slots=True)
class _Backward:
    """The walk against the order of execution: whether the packet is looked at from here on;
    `after` has that for the places behind open scopes."""

    last: set[int] = field(default_factory=set)
    after: dict[str, bool] = field(default_factory=dict)

    def body(self, body: ir.Body, looked_at: bool) -> bool:
        for stmt in reversed(body):
            looked_at = self.stmt(stmt, looked_at)
        return looked_at

    def stmt(self, stmt: ir.Stmt, looked_at: bool) -> bool:
        match stmt:
            case ir.Leave(label=label):
                return self.after[label]
            case ir.GoOn():
                return False
            case ir.Finish():
                return _looks(stmt)
            case ir.AdjustHead(fail=fail):
                if not looked_at:
                    self.last.add(id(stmt))
                return self.body(fail, looked_at) or _looks(stmt)
            case ir.Scope(label=label, body=body):
                self.after[label] = looked_at
                return self.body(body, looked_at)
            case _:
                paths = [self.body(body, looked_at) for body in bodies(stmt)]
                return (any(paths) if paths else looked_at) or _looks(stmt)


def _looks(stmt: ir.Stmt) -> bool:
    match stmt:
        case ir.SetPointer() | ir.Check() | ir.Store() | ir.PacketLength() | ir.Effect():
            return True
        case _:
            return any(
                isinstance(part, ir.Load)
                for expr in used_expressions(stmt)
                for part in walk_expression(expr)
            )
