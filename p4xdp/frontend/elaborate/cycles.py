"""The loops of a parser's state graph, nested."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

Graph = Mapping[str, Sequence[str]]


def loop_heads(graph: Graph, start: str) -> dict[str, tuple[str, ...]]:
    """Return, for each state reached from `start`, the heads of the loops around it, outermost
    first.

    Each cycle passes through the head of some loop that contains all of it.
    """
    order = depth_first(graph, start)
    heads: dict[str, tuple[str, ...]] = {}
    _nest(graph, order, (), heads)
    return heads


def endless_heads(
    graph: Graph, heads: Mapping[str, tuple[str, ...]], advancing: Callable[[list[str]], set[str]]
) -> frozenset[str]:
    """Return the heads of loops with a way around on which nothing advances.

    `advancing` tells which states of a loop take it a step nearer to its end.
    """
    loops: dict[str, list[str]] = {}
    for state, around in heads.items():
        for head in around:
            loops.setdefault(head, []).append(state)
    return frozenset(
        head for head, loop in loops.items() if _comes_back(graph, head, loop, advancing(loop))
    )


def _comes_back(graph: Graph, head: str, loop: list[str], avoided: set[str]) -> bool:
    """Tell whether a way inside of the loop leads from its head back to it past all `avoided`."""
    if head in avoided:
        return False
    within = set(loop) - avoided
    reached: set[str] = set()
    pending = [head]
    while pending:
        following = [state for state in graph[pending.pop()] if state in within]
        pending += [state for state in following if state not in reached]
        reached.update(following)
    return head in reached


def components(graph: Graph, nodes: Sequence[str]) -> list[list[str]]:
    """Return the strongly connected components among `nodes`, each in their order, and each behind
    those that can be reached from it."""
    number = {node: index for index, node in enumerate(nodes)}
    search = _Search(graph, number)
    for node in nodes:
        if node not in search.lowest:
            search.run(node)
    return search.components


class _Search:
    """Tarjan's depth-first search; `lowest` is the first state on the stack that each reaches."""

    def __init__(self, graph: Graph, number: Mapping[str, int]) -> None:
        self.graph = graph
        self.number = number
        self.lowest: dict[str, int] = {}
        self.place: dict[str, int] = {}
        self.stack: list[str] = []
        self.open: set[str] = set()
        self.components: list[list[str]] = []

    def run(self, start: str) -> None:
        path = [(start, self.enter(start))]
        while path:
            node, following = path[-1]
            for other in following:
                if other not in self.lowest:
                    path.append((other, self.enter(other)))
                    break
                if other in self.open:
                    self.lowest[node] = min(self.lowest[node], self.place[other])
            else:
                path.pop()
                if path:
                    before = path[-1][0]
                    self.lowest[before] = min(self.lowest[before], self.lowest[node])
                if self.lowest[node] == self.place[node]:
                    self.close(node)

    def enter(self, node: str) -> Iterator[str]:
        self.lowest[node] = self.place[node] = len(self.lowest)
        self.stack.append(node)
        self.open.add(node)
        return iter([other for other in self.graph[node] if other in self.number])

    def close(self, node: str) -> None:
        component: list[str] = []
        while node in self.open:
            component.append(self.stack.pop())
            self.open.discard(component[-1])
        self.components.append(sorted(component, key=self.number.__getitem__))


def _nest(
    graph: Graph, nodes: Sequence[str], around: tuple[str, ...], heads: dict[str, tuple[str, ...]]
) -> None:
    for component in components(graph, nodes):
        first = component[0]
        if len(component) == 1 and first not in graph[first]:
            heads[first] = around
            continue
        heads[first] = (*around, first)
        _nest(graph, component[1:], heads[first], heads)


def depth_first(graph: Graph, start: str) -> list[str]:
    """Return the states in the order in which a depth-first search meets them."""
    order: dict[str, None] = {}
    pending = [start]
    while pending:
        state = pending.pop()
        if state not in order:
            order[state] = None
            pending.extend(reversed([s for s in graph[state] if s not in order]))
    return list(order)
