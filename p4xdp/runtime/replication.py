"""Multicast groups and clone sessions, from the requests that make them to the copies they give.

A `ReplicationState` takes requests in order; `copies` and `clones` say where packets go. Nothing of
the kernel is here: who carries packets reads the state afterwards.
"""

from __future__ import annotations

import json
from typing import assert_never

from p4xdp.description import Widths
from p4xdp.diagnostics import fail
from p4xdp.records import dataclass, field, replace
from p4xdp.runtime.requests import (
    AddSession,
    AssociateNode,
    CreateGroup,
    CreateNode,
    DeleteGroup,
    DeleteNode,
    DeleteSession,
    Number,
    ReplicationRequest,
    SetGroup,
    UpdateNode,
)

RID_WIDTH, SESSION_WIDTH = 16, 16


Copy = tuple[int, int]
"""Port and replication id of a copy."""


@dataclass(frozen=True, slots=True)
class Session:
    """Where clones go: to a multicast group, then to single ports."""

    group: int | None
    copies: tuple[Copy, ...]


@dataclass(slots=True)
class ReplicationState:
    """`widths` are those of the program's architecture. `nodes` are (replication id, ports);
    `groups` the nodes of each group, or its copies where it was given whole. A new node has the
    least number that is free, as in bmv2."""

    widths: Widths = Widths()
    nodes: dict[int, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    groups: dict[int, list[int] | tuple[Copy, ...]] = field(default_factory=dict)
    sessions: dict[int, Session] = field(default_factory=dict)

    def copies(self, group: int) -> tuple[Copy, ...]:
        """Return the copies that a group makes, none for one that is not there."""
        match self.groups.get(group, ()):
            case tuple() as whole:
                return whole
            case nodes:
                found = [self.nodes[node] for node in nodes if node in self.nodes]
                return tuple([(port, rid) for rid, ports in found for port in ports])

    def clones(self, session: int) -> tuple[Copy, ...]:
        """Return the clones of a session, those of its group first."""
        found = self.sessions.get(session)
        if found is None:
            return ()
        of_group = () if found.group is None else self.copies(found.group)
        return (*of_group, *found.copies)

    def copy(self) -> ReplicationState:
        """Return a state of its own, which can be changed with no effect on this one."""
        groups = {n: g if isinstance(g, tuple) else list(g) for n, g in self.groups.items()}
        return replace(self, nodes=dict(self.nodes), groups=groups, sessions=dict(self.sessions))

    def to_json(self) -> str:
        """Return groups and sessions as text; nodes are those of one file, and not in it."""
        groups = {group: self.copies(group) for group in self.groups}
        sessions = {number: (one.group, one.copies) for number, one in self.sessions.items()}
        return json.dumps({"groups": groups, "sessions": sessions})

    def take_json(self, text: str) -> None:
        """Add the groups and sessions of a text; raises ValueError, KeyError, TypeError."""
        found = json.loads(text)
        for number, copies in found["groups"].items():
            self.groups[int(number)] = _pairs(copies)
        for number, (group, copies) in found["sessions"].items():
            self.sessions[int(number)] = Session(group, _pairs(copies))

    def carry_out(self, request: ReplicationRequest) -> None:
        """Change the state; raises CompileError (`entry-replication`, `entry-value`)."""
        match request:
            case CreateGroup(group=group):
                number = _in(group, self.widths.group, "a group")
                if not isinstance(self.groups.get(number), list):
                    self.groups[number] = []
            case DeleteGroup(group=group):
                self._group(group)
                del self.groups[group.value]
            case CreateNode():
                self._create_node(request)
            case UpdateNode(node=node, ports=ports):
                rid_of_node, _ = self._node(node)
                self.nodes[node.value] = (rid_of_node, self._ports(ports))
            case DeleteNode(node=node):
                self._node(node)
                self._forget(node.value)
            case AssociateNode():
                self._associate(request)
            case SetGroup(group=group, copies=copies):
                self.groups[_in(group, self.widths.group, "a group")] = self._copies(copies)
            case AddSession():
                self._add_session(request)
            case DeleteSession(session=session):
                if self.sessions.pop(session.value, None) is None:
                    raise _missing("clone session", session)
            case _:
                assert_never(request)

    def _group(self, number: Number) -> list[int] | tuple[Copy, ...]:
        if number.value not in self.groups:
            raise _missing("multicast group", number)
        return self.groups[number.value]

    def _node(self, number: Number) -> tuple[int, tuple[int, ...]]:
        if number.value not in self.nodes:
            raise _missing("multicast node", number)
        return self.nodes[number.value]

    def _forget(self, node: int) -> None:
        del self.nodes[node]
        for nodes in self.groups.values():
            if isinstance(nodes, list) and node in nodes:
                nodes.remove(node)

    def _create_node(self, request: CreateNode) -> None:
        number = next(n for n in range(len(self.nodes) + 1) if n not in self.nodes)
        # There even if it is wrong, so that requests for it are not called wrong, too.
        self.nodes[number] = (0, ())
        rid = _in(request.rid, RID_WIDTH, "a replication id")
        self.nodes[number] = (rid, self._ports(request.ports))

    def _associate(self, request: AssociateNode) -> None:
        self._node(request.node)
        nodes, node = self._group(request.group), request.node.value
        if isinstance(nodes, tuple):
            text = f"multicast group {request.group.value} was given whole and has no nodes"
            raise fail("entry-replication", request.group.span, text)
        if request.leave != (node in nodes):
            text = f"node {node} is {'not ' if request.leave else ''}in group {request.group.value}"
            raise fail("entry-replication", request.node.span, text)
        if request.leave:
            nodes.remove(node)
        else:
            nodes.append(node)

    def _copies(self, copies: tuple[tuple[Number, Number], ...]) -> tuple[Copy, ...]:
        ports = self._ports(tuple([port for port, _ in copies]))
        rids = [_in(rid, RID_WIDTH, "a replication id") for _, rid in copies]
        return tuple(zip(ports, rids, strict=True))

    def _ports(self, ports: tuple[Number, ...]) -> tuple[int, ...]:
        return tuple([_in(port, self.widths.port, "a port") for port in ports])

    def _add_session(self, request: AddSession) -> None:
        group = None if request.group is None else _in(request.group, self.widths.group, "a group")
        single = self._ports(() if request.port is None else (request.port,))
        copies = (*self._copies(request.copies), *((port, 0) for port in single))
        self.sessions[_in(request.session, SESSION_WIDTH, "a session")] = Session(group, copies)


def _pairs(copies: list[list[int]]) -> tuple[Copy, ...]:
    return tuple([(port, rid) for port, rid in copies])


def _in(number: Number, width: int, what: str) -> int:
    if number.value >> width:
        text = f"{number.text or number.value} is too great for {what} (bit<{width}>)"
        raise fail("entry-value", number.span, text)
    return number.value


def _missing(what: str, number: Number) -> Exception:
    return fail("entry-replication", number.span, f"there is no {what} {number.value}")
