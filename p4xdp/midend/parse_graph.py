"""The parser as a graph of places: each state with the cursor that it starts from.

In: the states of a flat program. Out: nodes in topological order. The node of a state that is
reached with different offsets joins them in a variable. A copy of the state for each offset would
be longer, and no faster: what is read behind the parser would have to be kept on each path.
"""

from __future__ import annotations

from p4xdp.midend.ir import (
    ACCEPT,
    REJECT,
    Advance,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Extract,
    Header,
    State,
    Stmt,
    Var,
)
from p4xdp.midend.order import in_order
from p4xdp.records import dataclass, field

OFFSET_WIDTH = 32
"""Bits of a variable that holds a number of bytes."""

FURTHEST = 0x3FFF
"""Bytes into the packet beyond which the cursor does not move."""

DEEPEST = 12
"""Parser states that stand inside each other before a jump keeps the nesting flat."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the packet: `offset` bytes behind what `base` holds, or behind the start."""

    offset: int
    base: Var | None = None

    def moved(self, size: int) -> Cursor:
        return Cursor(self.offset + size, self.base)

    @property
    def pointer(self) -> str:
        """The packet pointer that `base` becomes."""
        return "data" if self.base is None else f"{self.base.name}.$pointer"

    @property
    def expression(self) -> Expr:
        """The number of bytes from the start of the packet."""
        offset = Const(self.offset, OFFSET_WIDTH)
        if self.base is None:
            return offset
        return Binary(BinaryOp.ADD, self.base, offset) if self.offset else self.base


START = Cursor(0)


Step = tuple[Stmt, Cursor, Cursor]
"""A statement of a state with the cursor before and behind it."""


@dataclass(slots=True, eq=False)
class Node:
    """A state at a cursor. `cursors` holds the cursor before each statement and the last one.

    `edges` leads from the targets of the transition to nodes; ACCEPT and REJECT have none.
    `join` is the variable that every edge to the node sets to its cursor. `steady`: each of these
    cursors is a constant, so that an edge can set the pointer as well.
    """

    state: State
    cursors: tuple[Cursor, ...]
    join: Var | None = None
    steady: bool = False
    edges: dict[str, Node] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.state.name

    @property
    def end(self) -> Cursor:
        return self.cursors[-1]

    @property
    def targets(self) -> list[str]:
        """The distinct targets of the transition, in the order of the cases."""
        return list(dict.fromkeys(case.target for case in self.state.transition.cases))

    @property
    def steps(self) -> list[Step]:
        """The statements of the state with the cursor before and behind each."""
        return list(zip(self.state.body, self.cursors[:-1], self.cursors[1:], strict=True))


def build(parser: tuple[State, ...], headers: dict[str, Header]) -> list[Node]:
    """Return the reachable nodes in topological order, the start first."""
    return _Builder(headers).build(parser)


@dataclass(slots=True)
class _Builder:
    headers: dict[str, Header]
    arriving: dict[str, dict[Cursor, list[Node]]] = field(default_factory=dict)

    def build(self, parser: tuple[State, ...]) -> list[Node]:
        nodes: list[Node] = []
        for state in in_order(parser):
            if state is parser[0]:
                self.arriving[state.name] = {START: []}
            elif state.name not in self.arriving:
                continue
            node = self.joined(state, self.arriving[state.name])
            nodes.append(node)
            for target in node.targets:
                if target not in (ACCEPT, REJECT):
                    self.arriving.setdefault(target, {}).setdefault(node.end, []).append(node)
        return nodes

    def joined(self, state: State, arriving: dict[Cursor, list[Node]]) -> Node:
        """Return the node of a state, an edge to which leads from each that arrives."""
        if len(arriving) == 1:
            (cursor,) = arriving
            node = self.node(state, cursor)
        else:
            join = Var(f"{state.name}.$offset", OFFSET_WIDTH)
            node = self.node(state, Cursor(0, join), join)
            node.steady = all(cursor.base is None for cursor in arriving)
        for origin in (origin for group in arriving.values() for origin in group):
            origin.edges[state.name] = node
        return node

    def node(self, state: State, cursor: Cursor, join: Var | None = None) -> Node:
        cursors = [cursor]
        for place, stmt in enumerate(state.body):
            match stmt:
                case Extract(header=header, size=None):
                    cursor = cursor.moved(self.headers[header].width // 8)
                case Extract(header=header, size=Const(value=size)):
                    cursor = cursor.moved(min(size, self.headers[header].width // 8))
                case Advance(amount=Const(value=bits)):
                    cursor = cursor.moved(min(bits // 8, FURTHEST))
                case Advance() | Extract():
                    cursor = Cursor(0, Var(f"{state.name}.$offset{place}", OFFSET_WIDTH))
                case _:
                    pass
            cursors.append(cursor)
        return Node(state, tuple(cursors), join)


def arrange(nodes: list[Node], edges: dict[str, int]) -> dict[str, list[Node]]:
    """Return which nodes stand behind the end of others, each behind one that all ways to it pass.

    Any other node stands inside the one that leads to it. Behind are those with several edges, and
    some of a long way, so that no more than DEEPEST stand inside each other.
    """
    first = nodes[0].name
    above: dict[str, str] = {}
    depth, level, behind = {first: 0}, {first: 0}, {first}
    result: dict[str, list[Node]] = {}
    for node in nodes:
        name = node.name
        if name != first:
            level[name] = level[above[name]] + 1
            deep = level[name] % DEEPEST == 0
            while deep and edges[name] == 1 and above[name] not in behind:
                above[name] = above[above[name]]
            depth[name] = depth[above[name]] + 1
            if deep or edges[name] > 1:
                behind.add(name)
                result.setdefault(above[name], []).append(node)
        for child in node.edges.values():
            known = above.get(child.name)
            above[child.name] = name if known is None else _meet(known, name, above, depth)
    return result


def _meet(one: str, other: str, above: dict[str, str], depth: dict[str, int]) -> str:
    while one != other:
        if depth[one] < depth[other]:
            one, other = other, one
        one = above[one]
    return one
