"""@atomic: code in which nobody else may be seen to come between (section 18.4.1).

XDP programs run on all CPUs at a time. Code that uses only one thing that others change needs
nothing. Cells of registers and meters are kept from other packets by a lock: a program has one,
which is taken around the code, and around what else in the program works with the same cells. No
lock keeps the control plane from a table, so that there can be only one lookup. Tables that nobody
can change do not count, and neither do counters: programs only add to them, each CPU to numbers of
its own, and never read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate.effects import ends
from p4xdp.frontend.elaborate.traverse import reached
from p4xdp.frontend.elaborate.walk import Members, Walk
from p4xdp.midend import ir
from p4xdp.midend.rewrite import (
    bodies,
    map_program,
    map_statements,
    program_bodies,
    walk as statements,
    with_bodies,
)
from p4xdp.records import dataclass

UNSEEN = (
    *("count", "count_packet", "truncate", "again", "ktime", "random", "perf_event_output"),
    *("digest", "lock", "unlock"),
)
"""Effects that no packet can see of another one."""

CELLS = ("register_read", "register_write", "meter")
"""Effects on cells that other packets use, too."""

UNSEEN_EXTERNS = (
    *("packet_in", "CounterArray", "counter", "Counter", "Checksum16", "Hash", "Checksum"),
    *("InternetChecksum", "Random", "Digest"),
)


def is_atomic(annotations: Sequence[typed.Annotation]) -> bool:
    return any(annotation.name == "atomic" for annotation in annotations)


@contextmanager
def atomic(walk: Walk, annotations: Sequence[typed.Annotation], span: Span) -> Iterator[None]:
    """Lock what is emitted inside if it is @atomic and more than one shared operation; raises
    CompileError for what no lock helps."""
    start = len(walk.body)
    yield
    if not is_atomic(annotations):
        return
    shared = _operations(walk, walk.body[start:])
    _refuse_several([one.name for one in shared if one.is_lookup], span)
    if len(shared) > 1:
        walk.body[start:] = _locked(walk.body[start:])


def refuse_in_parser(walk: Walk, parser: typed.Parser, has_loops: bool) -> None:
    """Note each @atomic on a parser or its states that cannot be honoured."""
    if is_atomic(parser.annotations):
        found = [use for state in parser.states for use in _uses(state)]
        with walk.noting():
            _refuse_several(found * 2 if has_loops else found, parser.span)
    for state in parser.states:
        if is_atomic(state.annotations):
            with walk.noting():
                _refuse_several(_uses(state), state.span)


def refuse_block(block: typed.Block) -> None:
    """Refuse @atomic on a block of a parser that becomes several states."""
    if is_atomic(block.annotations):
        _refuse_several(_uses(block), block.span)


def _refuse_several(shared: Sequence[str], span: Span) -> None:
    if len(shared) > 1:
        raise _refusal(tuple(dict.fromkeys(shared)), span)


def _refusal(names: Sequence[str], span: Span) -> CompileError:
    listed = " and ".join(f"`{name}`" for name in names)
    return fail(
        "unsupported",
        span,
        f"@atomic cannot be honoured: others may change {listed} between its operations",
        help="use one of them once in the block, since no lock keeps the control plane from "
        "maps of the kernel: let one table's action set what the other would find, or make entries "
        "and default const; counters and registers do not count",
    )


# What was emitted


@dataclass(frozen=True, slots=True)
class _Operation:
    """One use of what others change: a lookup in what the control plane fills, or a cell."""

    name: str
    is_lookup: bool


def _operations(walk: Walk, body: Sequence[ir.Stmt]) -> list[_Operation]:
    """Return what a path through a body uses, of the path that uses most."""
    return [one for statement in body for one in _operations_of(walk, statement)]


def _operations_of(walk: Walk, statement: ir.Stmt) -> list[_Operation]:
    match statement:
        case ir.Effect(name=name, instance=instance) if name not in UNSEEN:
            return [_Operation(instance or name, name not in CELLS)]
        case ir.Apply(table=table, arms=arms):
            return _lookup(walk, table) + _most(walk, [arm.body for arm in arms])
        case ir.If(then=then, otherwise=otherwise):
            return _most(walk, [then, otherwise])
        case ir.Switch(cases=cases, default=default):
            return _most(walk, [default, *(case.body for case in cases)])
        case ir.Scope(body=inner):
            return _operations(walk, inner)
        case _:
            return []


def _most(walk: Walk, bodies: Sequence[ir.Body]) -> list[_Operation]:
    """Return what the paths use that use most: of lookups, and of all."""
    found = [_operations(walk, body) for body in bodies]
    lookups = max(([o for o in one if o.is_lookup] for one in found), key=len, default=[])
    cells = max(([o for o in one if not o.is_lookup] for one in found), key=len, default=[])
    return [*lookups, *cells]


def _lookup(walk: Walk, name: str) -> list[_Operation]:
    ((key, table),) = [pair for pair in walk.tables.items() if pair[1].name == name]
    if isinstance(key[1], Members):  # one lookup with that of the table that leads to them
        return []
    is_fixed = table.default_const and (table.const_entries or not table.keys)
    return [] if is_fixed else [_Operation(name, True)]


# The lock

LOCK, UNLOCK = ir.Effect("lock", None, ()), ir.Effect("unlock", None, ())


def _locked(body: Sequence[ir.Stmt]) -> ir.Body:
    """Return a body between lock and unlock, wherever it ends; what was locked inside is not any
    more."""
    inside = map_statements(tuple(body), lambda stmt: () if _is_lock(stmt) else (stmt,))
    labels = {stmt.label for stmt in statements(inside) if isinstance(stmt, ir.Scope)}

    def left(stmt: ir.Stmt) -> ir.Body:
        match stmt:
            case ir.Leave(label=label) if label not in labels:
                return (UNLOCK, stmt)
            case ir.Finish() | ir.Reject():
                return (UNLOCK, stmt)
            case _:
                return (stmt,)

    inside = map_statements(inside, left)
    return (LOCK, *inside) if ends(inside) else (LOCK, *inside, UNLOCK)


def _is_lock(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, ir.Effect) and stmt.name in ("lock", "unlock")


def guarded(program: ir.Program) -> ir.Program:
    """Return the program with a lock around every use of a cell that some locked code uses."""
    cells = {name for body in program_bodies(program) for name in _in_locks(body, False)}
    if not cells:
        return program
    return map_program(program, lambda body: _guarded(body, cells, False))


def _in_locks(body: ir.Body, is_locked: bool) -> Iterator[str]:
    for stmt in body:
        match stmt:
            case ir.Effect(name="lock"):
                is_locked = True
            case ir.Effect(name="unlock"):
                is_locked = False
            case ir.Effect(name=name, instance=str() as instance) if is_locked and name in CELLS:
                yield instance
            case _:
                for inner in bodies(stmt):
                    yield from _in_locks(inner, is_locked)


def _guarded(body: ir.Body, cells: set[str], is_locked: bool) -> ir.Body:
    found: list[ir.Stmt] = []
    for stmt in body:
        match stmt:
            case ir.Effect(name="lock"):
                is_locked = True
                found.append(stmt)
            case ir.Effect(name="unlock"):
                is_locked = False
                found.append(stmt)
            case ir.Effect(name=name, instance=str() as instance) if (
                not is_locked and name in CELLS and instance in cells
            ):
                found += (LOCK, stmt, UNLOCK)
            case _:
                inner = bodies(stmt)
                new = tuple(_guarded(one, cells, is_locked) for one in inner)
                found.append(with_bodies(stmt, new) if inner else stmt)
    return tuple(found)


# What stands in a parser


def _uses(code: object) -> list[str]:
    """Return the value sets and externs that code of a parser works with."""
    found: list[str] = []
    for node in reached(code):
        match node:
            case typed.SetKey(value_set=value_set):
                found.append(value_set.name)
            case typed.MethodCallee(method=method, extern=extern):
                name = extern.name.split("<")[0]
                if name not in UNSEEN_EXTERNS and not method.abstract:
                    found.append(extern.name)
            case typed.ApplyCallee(block=typed.Parser() as parser):
                found += [use for state in parser.states for use in _uses(state)]
    return found
