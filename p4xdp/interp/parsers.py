"""Parsers: states, transitions, `select` (section 13)."""

from __future__ import annotations

from collections.abc import Sequence

from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed, types as t
from p4xdp.interp import (
    expressions,
    instances,
    keysets,
    shown,
    statements,
    table_declarations,
    value_sets,
)
from p4xdp.interp.events import Entered, Selected
from p4xdp.interp.machine import Reject, Run
from p4xdp.interp.values import NO_ERROR, Frame

ACCEPT, REJECT = "accept", "reject"
MOST_STATES = 4096
"""How many states one invocation of a parser may enter before it ends with ParserTimeout."""


def run_states(run: Run, frame: Frame, parser: typed.Parser) -> None:
    """Go from `start` to `accept`; raises Reject at `reject` (section 13.3)."""
    states = {state.name: state for state in parser.states}
    name = "start"
    for _ in range(MOST_STATES):
        state = states[name]
        if run.trace:
            run.trace(Entered(state.name, state.span))
        statements.execute_all(run, frame, state.statements)
        name, span = _transition(run, frame, state)
        if name == ACCEPT:
            return
        if name == REJECT:
            raise Reject(NO_ERROR, span)
    raise Reject("ParserTimeout", parser.span)


def _transition(run: Run, frame: Frame, state: typed.State) -> tuple[str, Span]:
    """Return the next state, and where the program says so (section 13.5)."""
    match state.transition:
        case typed.Goto(state=name, span=span):
            if run.trace:
                run.trace(Selected((), name, span))
            return name, span
        case typed.Select() as select:
            return _select(run, frame, select)


def _select(run: Run, frame: Frame, select: typed.Select) -> tuple[str, Span]:
    """Evaluate the keys, then try the cases in order (section 13.6)."""
    values = [expressions.evaluate_scalar(run, frame, key) for key in select.keys]
    errors = run.machine.program.errors
    types = [key.type for key in select.keys]
    keys = [keysets.key_of(v, kind, errors) for v, kind in zip(values, types, strict=True)]
    texts = tuple([shown.value(v, kind) for v, kind in zip(values, types, strict=True)])
    for case in select.cases:
        if _fits(run, frame, case.keysets, keys, types):
            if run.trace:
                run.trace(Selected(texts, case.state, case.span))
            return case.state, case.span
    if run.trace:
        run.trace(Selected(texts, REJECT, select.span))
    raise Reject("NoMatch", select.span)


def _fits(
    run: Run,
    frame: Frame,
    sets: Sequence[typed.Keyset],
    keys: Sequence[keysets.Key],
    types: Sequence[t.Type],
) -> bool:
    if len(sets) == 1 and isinstance(sets[0], typed.SetKey):
        return _in_value_set(run, frame, sets[0].value_set, keys)
    if len(sets) == 1 and isinstance(sets[0], typed.AnyKey):
        return True
    for keyset, key, kind in zip(sets, keys, types, strict=True):
        match_ = table_declarations.match_of(run, frame, keyset, kind)
        if key.undefined and keysets.cares(match_):
            run.undefined_read = True
        if not keysets.contains(match_, key):
            return False
    return True


def _in_value_set(
    run: Run, frame: Frame, declared: typed.ValueSet, keys: Sequence[keysets.Key]
) -> bool:
    block = instances.block_of(frame)
    if block is None:
        raise InternalError("interp", f"value set {declared.name} outside of a parser")
    return value_sets.contains(run, block.value_sets[declared], keys)
