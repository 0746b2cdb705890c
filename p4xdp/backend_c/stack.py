"""How much stack clang will need for a program: an estimate, in bytes.

BPF has ten registers, of which four outlive a call. What is alive beyond them gets 8 bytes of
stack; structs whose address goes to a helper always have theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from p4xdp.backend_c.flow import used_expressions
from p4xdp.midend import ir
from p4xdp.midend.rewrite import targets, walk_expression
from p4xdp.records import dataclass, field

SAFE = 384
"""The greatest estimate for which the 512 bytes that the verifier allows surely suffice: clang
needs up to a third more, to keep what it computes ahead."""

ACROSS_CALLS = 4
"""Registers that keep their value over a call of a helper."""

BETWEEN_CALLS = 8
"""Registers for variables elsewhere; the rest hold what an expression is made of."""

SLOT = 8
"""Bytes of a register on the stack."""


@dataclass(slots=True)
class Liveness:
    """One walk against the jumps: how many values are alive at once.

    Sets of variables and pointers are bit masks; `spilled` is the greatest number of values that
    find no register.
    """

    needed: frozenset[str]
    spilled: int = 0
    bits: dict[str, int] = field(default_factory=dict)
    _at_labels: dict[str, int] = field(default_factory=dict)

    def before(self, body: ir.Body, after: int) -> int:
        """Return what is alive in front of `body`, given what is behind it."""
        for stmt in reversed(body):
            after = self._step(stmt, after)
        return after

    def _step(self, stmt: ir.Stmt, after: int) -> int:
        match stmt:
            case ir.Finish() | ir.GoOn():
                after = 0
            case ir.Leave(label=label):
                return self._at_labels[label]
            case ir.Scope(label=label, body=body):
                self._at_labels[label] = after
                return self.before(body, after)
            case ir.If(then=then, otherwise=otherwise):
                after = self.before(then, after) | self.before(otherwise, after)
            case ir.Switch(cases=cases, default=default):
                inner = self.before(default, after)
                for case in cases:
                    inner |= self.before(case.body, after)
                after = inner
            case ir.Check(fail=fail) | ir.AdjustHead(fail=fail):
                after |= self.before(fail, after)
            case ir.Apply(arms=arms):
                after = self._arms(arms, after)
            case ir.Assign(target=target) if target.name not in self.needed:
                return after
        return self._use(stmt, after)

    def _arms(self, arms: tuple[ir.ActionArm, ...], after: int) -> int:
        before = 0 if arms else after
        for arm in arms:
            inside = self.before(arm.body, after)
            before |= inside & ~self._mask(var.name for var in arm.data)
        return before

    def _use(self, stmt: ir.Stmt, after: int) -> int:
        """Return what is alive in front of a statement's own work."""
        across = after & ~self._mask(var.name for var in targets(stmt))
        if isinstance(stmt, ir.SetPointer):
            across &= ~self._mask([stmt.pointer])
        calls = isinstance(stmt, ir.Apply | ir.Effect | ir.AdjustHead)
        self._count(across, ACROSS_CALLS if calls else BETWEEN_CALLS)
        return across | self._mask(self._read(stmt))

    def _read(self, stmt: ir.Stmt) -> Iterator[str]:
        """Return the variables and pointers that a statement itself reads."""
        for expr in used_expressions(stmt):
            for part in walk_expression(expr):
                if isinstance(part, ir.Var) and part.name in self.needed:
                    yield part.name
                elif isinstance(part, ir.Load):
                    yield part.pointer
        match stmt:
            case ir.SetPointer(base=base):
                yield base
            case ir.Check(pointer=pointer):
                yield from (pointer, "data_end")
            case ir.Store(pointer=pointer):
                yield pointer

    def _count(self, alive: int, registers: int) -> None:
        self.spilled = max(self.spilled, alive.bit_count() - registers)

    def _mask(self, names: Iterable[str]) -> int:
        mask = 0
        for name in names:
            mask |= self.bits.setdefault(name, 1 << len(self.bits))
        return mask


def estimate(program: ir.Program, needed: frozenset[str], structs: int) -> int:
    """Return bytes of stack: `structs` for what has an address, and the rest for pointers and
    the `needed` variables."""
    live = Liveness(needed)
    live.before(program.body, 0)
    return structs + live.spilled * SLOT
