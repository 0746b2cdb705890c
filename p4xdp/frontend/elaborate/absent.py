"""What the control plane may name though no packet gets there: tables that nothing applies, and
extern objects that nothing calls. Entries for them are checked like any others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeVar

from p4xdp.diagnostics import CompileError, Diagnostics
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate import tables, value_sets
from p4xdp.frontend.elaborate.externs import counters, meters, registers
from p4xdp.frontend.elaborate.walk import Bound, Env, ExternObject, Walk
from p4xdp.midend import ir

LIBRARY = "<p4xdp>/"
"""What the names of our own architecture files start with, in spans."""

_DECLARE: dict[str, Callable[[Walk, ExternObject], object]] = {
    "CounterArray": counters.array,
    "counter": counters.indexed,
    "Counter": counters.indexed,
    "register": registers.register_of,
    "Register": registers.register_of,
    "meter": meters.indexed,
    "Meter": meters.indexed,
}


def absent(walk: Walk) -> ir.Absent:
    """Return what a program that was walked declares and does not use; what is wrong with it is
    no matter."""
    before = _Names(walk)
    walk.diagnostics = Diagnostics()
    for block, env in walk.blocks:
        for declaration in block.declaration.locals:
            _declare_table(walk, env, declaration)
        _declare_objects(walk, block.children.values())
    _declare_objects(walk, walk.globals.values())
    return ir.Absent(
        before.others(walk.tables.values()),
        before.others(walk.counters.values()),
        before.others(walk.registers.values()),
        before.others(walk.meters.values()),
        before.others(walk.profiles.values()),
    )


def _declare_table(walk: Walk, env: Env, declaration: typed.LocalDeclaration) -> None:
    with suppress(CompileError):
        match declaration:
            case typed.Table():
                tables.declare(walk, env, declaration)
            case typed.ValueSet():
                value_sets.declare(walk, env, declaration)


def _declare_objects(walk: Walk, children: Iterable[Bound]) -> None:
    for child in children:
        if isinstance(child, ExternObject) and _is_ours(child):
            declare = _DECLARE.get(child.declaration.name.partition("<")[0])
            with suppress(CompileError):
                if declare is not None:
                    declare(walk, child)


def _is_ours(found: ExternObject) -> bool:
    """Tell whether an object is of our architecture files, not of an extern that has its name."""
    return found.declaration.span.file.startswith(LIBRARY)


Declared = TypeVar("Declared", ir.Table, ir.Counter, ir.Register, ir.Meter, ir.Profile)


class _Names:
    """The names of what the program uses."""

    def __init__(self, walk: Walk) -> None:
        used: list[ir.Table | ir.Counter | ir.Register | ir.Meter | ir.Profile] = [
            *walk.tables.values(),
            *walk.counters.values(),
            *walk.registers.values(),
            *walk.meters.values(),
            *walk.profiles.values(),
        ]
        self._names = frozenset(one.name for one in used)

    def others(self, declared: Iterable[Declared]) -> tuple[Declared, ...]:
        return tuple(one for one in declared if one.name not in self._names)
