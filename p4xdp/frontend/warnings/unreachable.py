"""`unreachable`: statements, states and labels that control can never come to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from p4xdp.diagnostics import Diagnostics, Note
from p4xdp.frontend import typed
from p4xdp.frontend.typecheck.functions import always_returns
from p4xdp.frontend.warnings.names import Finder
from p4xdp.frontend.warnings.walk import nodes


def check_statements(body: Sequence[object], diagnostics: Diagnostics) -> None:
    """Report the first statement behind each one that never lets control go on."""
    for node in body:
        match node:
            case typed.Block(statements=statements) | typed.State(statements=statements):
                _after_the_end(statements, diagnostics)
            case typed.Select():
                _after_everything(node, diagnostics)


def _after_the_end(statements: Sequence[typed.Statement], diagnostics: Diagnostics) -> None:
    for last, following in pairwise(statements):
        if isinstance(last, typed.Break | typed.Continue) or always_returns(last):
            diagnostics.warning(
                "unreachable",
                following.span,
                "this statement is never reached",
                notes=(Note("control does not go on from here", last.span),),
            )
            return


def _after_everything(select: typed.Select, diagnostics: Diagnostics) -> None:
    """Report the first label behind one that matches everything."""
    for case, following in pairwise(select.cases):
        if all(isinstance(keyset, typed.AnyKey) for keyset in case.keysets):
            diagnostics.warning(
                "unreachable",
                following.span,
                "this label is never reached: one before it matches everything",
                notes=(Note("it is here", case.span),),
            )
            return


def check_states(parser: typed.Parser, find: Finder, diagnostics: Diagnostics) -> None:
    """Report states that no transition from `start` leads to."""
    states = {state.name: state for state in parser.states}
    seen, waiting = {"start"}, ["start"]
    while waiting:
        state = states.get(waiting.pop())
        for target in _targets(state) if state else ():
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    for state in parser.states:
        if state.name not in seen:
            text = f"no transition leads to the state `{state.name}`"
            diagnostics.warning("unreachable", find(state.span, state.name), text)


def _targets(state: typed.State) -> Iterator[str]:
    for node in nodes(state.transition):
        if isinstance(node, typed.Goto | typed.SelectCase):
            yield node.state
