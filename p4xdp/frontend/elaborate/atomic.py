"""@atomic: code in which nobody else may be seen to come between (section 18.4.1).

XDP programs run on all CPUs at a time and there is no lock around them. What an atomic block may
hold is therefore one operation on what others change: one lookup in a table, and that between two
lookups no control plane changes the tables. Tables that nobody can change do not count, and
neither do counters: programs only add to them, each CPU to numbers of its own, and never read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from p4xdp.diagnostics import CompileError, Span, fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate.traverse import reached
from p4xdp.frontend.elaborate.walk import Walk
from p4xdp.midend import ir

UNSEEN = (
    *("count", "count_packet", "truncate", "again", "ktime", "random", "perf_event_output"),
    "digest",
)
"""Effects that no packet can see of another one."""

UNSEEN_EXTERNS = ("packet_in", "CounterArray", "counter")


def is_atomic(annotations: Sequence[typed.Annotation]) -> bool:
    return any(annotation.name == "atomic" for annotation in annotations)


@contextmanager
def atomic(walk: Walk, annotations: Sequence[typed.Annotation], span: Span) -> Iterator[None]:
    """Refuse what is emitted inside if it is @atomic and more than one shared operation."""
    start = len(walk.body)
    yield
    if is_atomic(annotations):
        _refuse_several(_operations(walk, walk.body[start:]), span)


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
        help="use one of them once in the block; counters, and tables whose entries and default "
        "are const, do not count",
    )


# What was emitted


def _operations(walk: Walk, body: Sequence[ir.Stmt]) -> list[str]:
    """Return the names of what a path through a body uses, of the path that uses most."""
    return [name for statement in body for name in _operations_of(walk, statement)]


def _operations_of(walk: Walk, statement: ir.Stmt) -> list[str]:
    match statement:
        case ir.Effect(name=name, instance=instance) if name not in UNSEEN:
            return [instance or name]
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


def _most(walk: Walk, bodies: Sequence[ir.Body]) -> list[str]:
    return max((_operations(walk, body) for body in bodies), key=len, default=[])


def _lookup(walk: Walk, name: str) -> list[str]:
    (table,) = (table for table in walk.tables.values() if table.name == name)
    is_fixed = table.default_const and (table.const_entries or not table.keys)
    return [] if is_fixed else [name]


# What stands in a parser


def _uses(code: object) -> list[str]:
    """Return the value sets and externs that code of a parser works with."""
    found: list[str] = []
    for node in reached(code):
        match node:
            case typed.SetKey(value_set=value_set):
                found.append(value_set.name)
            case typed.MethodCallee(method=method, extern=extern):
                if extern.name not in UNSEEN_EXTERNS and not method.abstract:
                    found.append(extern.name)
            case typed.ApplyCallee(block=typed.Parser() as parser):
                found += [use for state in parser.states for use in _uses(state)]
    return found
