"""What an architecture knows of a packet between its blocks, where externs can reach it."""

from __future__ import annotations

from p4xdp.diagnostics import InternalError
from p4xdp.interp.machine import Run
from p4xdp.records import dataclass


@dataclass(slots=True)
class Journey:
    """`length` is the packet's in bytes as it came, `payload` what the parser left of it."""

    length: int
    payload: bytes = b""


def journey_of(run: Run) -> Journey:
    if not isinstance(run.journey, Journey):
        raise InternalError("interp", "an extern that needs a packet, without one")
    return run.journey
