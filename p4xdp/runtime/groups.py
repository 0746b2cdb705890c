"""Copies of packets: what the control plane asks for, and the map that tells copies apart.

Several copies of a packet may leave by one port: they have numbers there, clones first.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from typing import Protocol, get_args

from p4xdp.description import Description, Widths
from p4xdp.records import dataclass, field
from p4xdp.runtime.replication import Copy, ReplicationState
from p4xdp.runtime.requests import ReplicationRequest

NO_SESSION = 0xFFFFFFFF
NOWHERE, TO_PORT, TO_GROUP, TO_ITSELF = 1, 2, 3, 4
"""Where a packet itself goes, of which copies are made."""

REPLICA, CLONE, ITSELF = 2, 3, 4
"""Copies of a group, of a session; the packet, which goes through the program once more."""

ANY_PORT, ITS_PORT = 0xFFFFFFFF, 0xFFFFFFFE

REQUESTS: tuple[type, ...] = get_args(ReplicationRequest)


class Maps(Protocol):
    def update(self, name: str, key: bytes, value: bytes, flags: int = 0) -> None: ...

    def delete(self, name: str, key: bytes) -> bool: ...

    def keys(self, name: str) -> Iterable[bytes]: ...


@dataclass(frozen=True, slots=True)
class Copies:
    """The clones of a session, and the packet itself, which goes `where`, `to` a port or group."""

    session: int
    where: int
    to: int

    @property
    def key(self) -> bytes:
        return struct.pack("=III", self.session, self.where, self.to)


@dataclass(slots=True)
class Groups:
    """The multicast groups and clone sessions of a program. Those of `lost` were there before, and
    have no place in it: what they are, and why."""

    state: ReplicationState = field(default_factory=ReplicationState)
    lost: dict[tuple[str, int], str] = field(default_factory=dict)
    _before: ReplicationState = field(default_factory=ReplicationState)

    @classmethod
    def of(cls, description: Description) -> Groups:
        """Return those of a program before anything is asked for."""
        return cls(ReplicationState(Widths(description.port_width, description.group_width)))

    def keep(self, text: str, ports: Container[int]) -> None:
        """Begin with what a program had before, but for copies that go to none of `ports`."""
        with suppress(ValueError, KeyError, TypeError):
            self.state.take_json(text)
        for group in list(self.state.groups):
            if (port := _elsewhere(self.state.copies(group), ports)) is not None:
                del self.state.groups[group]
                self.lost["multicast group", group] = f"port {port} has no device"
        for session, one in list(self.state.sessions.items()):
            if (port := _elsewhere(one.copies, ports)) is not None:
                del self.state.sessions[session]
                self.lost["clone session", session] = f"port {port} has no device"
        self._before = self.state.copy()

    def kept(self) -> Iterator[str]:
        """Yield what is as it was before."""
        for number, copies in self._before.groups.items():
            if self.state.groups.get(number) == copies:
                yield f"multicast group {number}"
        for number, session in self._before.sessions.items():
            if self.state.sessions.get(number) == session:
                yield f"clone session {number}"

    def still_lost(self) -> Iterator[tuple[str, str]]:
        """Yield what was there before and is not made anew, with the reason."""
        for (kind, number), reason in self.lost.items():
            now = self.state.groups if kind == "multicast group" else self.state.sessions
            if number not in now:
                yield f"{kind} {number}", reason

    def ports(self, copies: Copies) -> list[tuple[int, int]]:
        """Return the port of each copy, and its number there."""
        found = [port for port, _ in self.state.clones(copies.session)]
        if copies.where == TO_PORT:
            found.append(copies.to)
        elif copies.where == TO_ITSELF:
            found.append(ITS_PORT)
        elif copies.where == TO_GROUP:
            found += (port for port, _ in self.state.copies(copies.to))
        return [(port, found[:index].count(port)) for index, port in enumerate(found)]

    def every(self, ports: Iterable[int]) -> Iterator[Copies]:
        """Yield all that packets may ask for that go to some of `ports`."""
        for group in self.state.groups:
            yield Copies(NO_SESSION, TO_GROUP, group)
        for session in self.state.sessions:
            yield Copies(session, NOWHERE, 0)
            yield Copies(session, TO_ITSELF, 0)
            yield from (Copies(session, TO_PORT, port) for port in ports)
            yield from (Copies(session, TO_GROUP, group) for group in self.state.groups)

    def store(self, description: Description, maps: Maps, *, looped: bool) -> None:
        """Bring the map of copies up to date; `looped` if copies come in again. Raises BpfError."""
        if description.copies is None:
            return
        wanted = _told(ITSELF, 0, ()) if looped else {}
        for group in self.state.groups:
            wanted |= _told(REPLICA, group, self.state.copies(group))
        for session in self.state.sessions:
            wanted |= _told(CLONE, session, self.state.clones(session))
        for key in list(maps.keys(description.copies)):
            if key not in wanted:
                maps.delete(description.copies, key)
        for key, value in wanted.items():
            maps.update(description.copies, key, value)


def _elsewhere(copies: Iterable[Copy], ports: Container[int]) -> int | None:
    """Return the port of a copy that is none of `ports`."""
    return next((port for port, _ in copies if port not in ports), None)


def _told(kind: int, of: int, copies: tuple[Copy, ...]) -> dict[bytes, bytes]:
    """Return the entries for the copies of one group or session."""
    ports = [port for port, _ in copies]
    told = {_key(kind, of, ANY_PORT, 0): struct.pack("=II", 0, len(ports))}
    for index, (port, rid) in enumerate(copies):
        told[_key(kind, of, ANY_PORT, index + 1)] = struct.pack("=II", rid, port)
        key = _key(kind, of, port, ports[:index].count(port))
        told[key] = struct.pack("=II", rid, ports.count(port))
    return told


def _key(kind: int, of: int, port: int, number: int) -> bytes:
    return struct.pack("=IIII", kind, of, port, number)
