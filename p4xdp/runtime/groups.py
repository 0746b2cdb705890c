"""Multicast groups: what the control plane asks for, and the map that tells copies apart.

Groups are made of nodes, each with a replication id and ports. A device carries one copy of a
packet of each group.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Protocol

from p4xdp.description import Description
from p4xdp.diagnostics import Span, fail
from p4xdp.records import dataclass, field
from p4xdp.runtime.requests import (
    AssociateNode,
    CreateGroup,
    CreateNode,
    DeleteGroup,
    DeleteNode,
    Number,
    Request,
    SetGroup,
    UpdateNode,
)


class Maps(Protocol):
    def update(self, name: str, key: bytes, value: bytes, flags: int = 0) -> None: ...

    def delete(self, name: str, key: bytes) -> bool: ...

    def keys(self, name: str) -> Iterable[bytes]: ...


@dataclass(slots=True)
class Node:
    """Copies to `ports` with one replication id."""

    rid: int
    ports: tuple[int, ...]


@dataclass(slots=True)
class Groups:
    """The groups of a program by number; `members` are the nodes of each."""

    nodes: dict[int, Node] = field(default_factory=dict)
    members: dict[int, list[int]] = field(default_factory=dict)
    made: int = 0

    def take(self, description: Description, request: Request) -> bool:
        """Carry out a request if it is about groups, and say whether it was.

        Raises CompileError (`entry-unsupported`, `entry-value`).
        """
        match request:
            case CreateGroup(group=group):
                self.members[group.value] = []
            case DeleteGroup(group=group):
                self.members.pop(group.value, None)
            case CreateNode(rid=rid, ports=ports):
                self._add(Node(rid.value, _numbers(ports)))
            case UpdateNode(node=node, ports=ports):
                self._node(node).ports = _numbers(ports)
            case DeleteNode(node=node):
                self.nodes.pop(node.value, None)
            case AssociateNode():
                self._associate(request)
            case SetGroup(group=group, copies=copies):
                made = [self._add(Node(rid.value, (port.value,))) for port, rid in copies]
                self.members[group.value] = made
            case _:
                return False
        if description.groups is None:
            text = f"`{description.program}` replicates no packets"
            raise fail("entry-unsupported", request.span, text)
        self._check(request.span)
        return True

    def _add(self, node: Node) -> int:
        number, self.made = self.made, self.made + 1
        self.nodes[number] = node
        return number

    def _node(self, number: Number) -> Node:
        if number.value not in self.nodes:
            raise fail("entry-value", number.span, f"there is no node {number.value}")
        return self.nodes[number.value]

    def _associate(self, request: AssociateNode) -> None:
        group, node = request.group, request.node
        self._node(node)
        if group.value not in self.members:
            raise fail("entry-value", group.span, f"there is no group {group.value}")
        members = self.members[group.value]
        if request.leave:
            self.members[group.value] = [one for one in members if one != node.value]
        else:
            members.append(node.value)

    def copies(self, group: int) -> list[tuple[int, int]]:
        """Return port and replication id of each copy of a group."""
        nodes = [self.nodes[n] for n in self.members.get(group, []) if n in self.nodes]
        return [(port, node.rid) for node in nodes for port in node.ports]

    def _check(self, span: Span) -> None:
        for group in self.members:
            ports = [port for port, _ in self.copies(group)]
            if len(set(ports)) < len(ports):
                text = f"group {group} has two copies for one port, which a device cannot carry"
                raise fail("entry-unsupported", span, text)

    def store(self, description: Description, maps: Maps) -> None:
        """Bring the map of copies up to date; raises BpfError."""
        if description.copies is None:
            return
        wanted = {
            struct.pack("=Q", group << 32 | port): struct.pack("=I", rid)
            for group in self.members
            for port, rid in self.copies(group)
        }
        for key in list(maps.keys(description.copies)):
            if key not in wanted:
                maps.delete(description.copies, key)
        for key, value in wanted.items():
            maps.update(description.copies, key, value)


def _numbers(ports: Iterable[Number]) -> tuple[int, ...]:
    return tuple(port.value for port in ports)
