"""The order in which parser states can run."""

from __future__ import annotations

from graphlib import TopologicalSorter

from p4xdp.midend.ir import State


def in_order(parser: tuple[State, ...]) -> list[State]:
    """Return the states so that each stands behind all states that lead to it."""
    states = {state.name: state for state in parser}
    sorter: TopologicalSorter[str] = TopologicalSorter({name: () for name in states})
    for state in parser:
        for case in state.transition.cases:
            if case.target in states:
                sorter.add(case.target, state.name)
    return [states[name] for name in sorter.static_order()]
