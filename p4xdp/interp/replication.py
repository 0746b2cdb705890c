"""What the packet replication engine is told: multicast groups and clone sessions."""

from __future__ import annotations

from p4xdp.records import dataclass, dataclass as record, field


@record(frozen=True, slots=True)
class Replica:
    """A copy of a packet: the port that it goes to, and the number that tells it from others."""

    port: int
    rid: int


@record(frozen=True, slots=True)
class Session:
    """Where clones go: to a port, to a multicast group, or to both."""

    port: int | None = None
    group: int | None = None


@dataclass(slots=True)
class Replication:
    """Groups and sessions by their numbers. A group or session that is not there makes no copy."""

    groups: dict[int, tuple[Replica, ...]] = field(default_factory=dict)
    sessions: dict[int, Session] = field(default_factory=dict)

    def copies(self, group: int) -> tuple[Replica, ...]:
        return self.groups.get(group, ())

    def clones(self, session: int) -> tuple[Replica, ...]:
        """Return the clones of a session, those of its group first."""
        found = self.sessions.get(session, Session())
        of_group = () if found.group is None else self.copies(found.group)
        return of_group if found.port is None else (*of_group, Replica(found.port, 0))
