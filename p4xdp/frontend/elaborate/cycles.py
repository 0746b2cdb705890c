"""The loops of a parser's state graph, nested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Graph = Mapping[str, Sequence[str]]


def loop_heads(graph: Graph, start: str) -> dict[str, tuple[str, ...]]:
    """Return, for each state reached from `start`, the heads of the loops around it, outermost
    first.

    Each cycle passes through the head of some loop that contains all of it.
    """
    order = _depth_first(graph, start)
    heads: dict[str, tuple[str, ...]] = {}
    _nest(graph, order, (), heads)
    return heads


def _nest(
    graph: Graph, nodes: Sequence[str], around: tuple[str, ...], heads: dict[str, tuple[str, ...]]
) -> None:
    for component in _components(graph, nodes):
        first = component[0]
        if len(component) == 1 and first not in graph[first]:
            heads[first] = around
            continue
        heads[first] = (*around, first)
        _nest(graph, component[1:], heads[first], heads)


def _depth_first(graph: Graph, start: str) -> list[str]:
    """Return the states in the order in which a depth-first search meets them."""
    order: dict[str, None] = {}
    pending = [start]
    while pending:
        state = pending.pop()
        if state not in order:
            order[state] = None
            pending.extend(reversed([s for s in graph[state] if s not in order]))
    return list(order)


def _components(graph: Graph, nodes: Sequence[str]) -> list[list[str]]:
    """Return the strongly connected components among `nodes`, each in their order."""
    forward = {node: _reached(graph, node, nodes) for node in nodes}
    done: set[str] = set()
    components = []
    for node in nodes:
        if node not in done:
            same = [o for o in nodes if o == node or (o in forward[node] and node in forward[o])]
            done.update(same)
            components.append(same)
    return components


def _reached(graph: Graph, start: str, within: Iterable[str]) -> set[str]:
    allowed = set(within)
    seen: set[str] = set()
    pending = [s for s in graph[start] if s in allowed]
    while pending:
        state = pending.pop()
        if state not in seen:
            seen.add(state)
            pending.extend(s for s in graph[state] if s in allowed)
    return seen
