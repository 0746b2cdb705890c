"""What the packet replication engine does: the copies of multicast groups and clone sessions."""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Replica:
    """A copy of a packet: the port that it goes to, and the number that tells it from others."""

    port: int
    rid: int


def _none(number: int) -> tuple[Replica, ...]:
    return ()


@dataclass(slots=True)
class Replication:
    """The copies by group and by session, which the control plane knows; a group or session that
    is not there makes none."""

    copies: Callable[[int], tuple[Replica, ...]] = _none
    clones: Callable[[int], tuple[Replica, ...]] = _none
