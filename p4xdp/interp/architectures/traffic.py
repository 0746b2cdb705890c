"""What switches do with packets between their blocks: carry them on, copy them, send them out.

One packet that came in may become several. Each pass through ingress or egress may send packets
to either (`to_ingress`, `to_egress`); `Traffic.carry` goes on until none is left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from p4xdp.diagnostics import Span
from p4xdp.interp.events import Moved
from p4xdp.interp.machine import Run, Stuck
from p4xdp.interp.outcome import Outcome
from p4xdp.interp.replication import Replica
from p4xdp.interp.values import NO_ERROR

MOST_PASSES = 32
"""How often one packet may begin anew before it is dropped: recirculation that does not end would
go on for ever."""

MOST_PACKETS = 2048
"""Passes through ingress or egress that may come of one packet: copies that are copied each time
they begin anew double 32 times."""

Arrival = TypeVar("Arrival")
Departure = TypeVar("Departure")


class Halted(Exception):
    """An `assert` or `assume` does not hold: the packet ends here."""


class Multiplied(Stuck):
    """More came of a packet than can be carried."""


class Traffic(Generic[Arrival, Departure]):
    """What one packet that came in by `port` has become.

    `sent` are the packets that have left (port, bytes); `error` is the last of the parsers.
    """

    def __init__(self, run: Run, port: int, first: Arrival, span: Span) -> None:
        self.run = run
        self.port = port
        self.sent: list[tuple[int, bytes]] = []
        self.error = NO_ERROR
        self._span = span
        self._arriving = deque([(1, first)])
        self._departing: deque[tuple[int, Departure]] = deque()
        self._passes = 1
        self._carried = 0

    def to_ingress(self, packet: Arrival) -> None:
        """Let the packet begin anew, unless it did so too often."""
        if self._may_begin():
            self._arriving.append((self._passes + 1, packet))

    def to_egress(self, packet: Departure, *, anew: bool = False) -> None:
        """Let a packet go through egress; `anew` one that comes from there."""
        if not anew:
            self._departing.append((self._passes, packet))
        elif self._may_begin():
            self._departing.append((self._passes + 1, packet))

    def _may_begin(self) -> bool:
        if self._passes == MOST_PASSES:
            self.tell(f"dropped: it went through {MOST_PASSES} times")
        return self._passes < MOST_PASSES

    def tell(self, what: str) -> None:
        """Tell the trace how a packet is carried on."""
        if self.run.trace:
            self.run.trace(Moved(what, self._span))

    def carry(
        self,
        enter: Callable[[Traffic[Arrival, Departure], Arrival], None],
        leave: Callable[[Traffic[Arrival, Departure], Departure], None],
    ) -> Outcome:
        """Carry packets through ingress and egress until none is left; raises Multiplied."""
        halted = False
        while self._arriving or self._departing:
            try:
                self._carry_one(enter, leave)
            except Halted:
                halted = True
        return self._outcome(halted)

    def _carry_one(
        self,
        enter: Callable[[Traffic[Arrival, Departure], Arrival], None],
        leave: Callable[[Traffic[Arrival, Departure], Departure], None],
    ) -> None:
        self._carried += 1
        if self._carried > MOST_PACKETS:
            text = f"more than {MOST_PACKETS:,} passes through the pipeline come of this packet"
            raise Multiplied(text, self._span)
        if self._departing:
            self._passes, leaving = self._departing.popleft()
            leave(self, leaving)
        else:
            self._passes, entering = self._arriving.popleft()
            enter(self, entering)

    def _outcome(self, halted: bool) -> Outcome:
        undefined = self.run.undefined_read
        if not self.sent:
            verdict = "aborted" if halted else "drop"
            return Outcome(verdict, self.port, None, self.error, undefined)
        (first, data), *more = self.sent
        verdict = "tx" if first == self.port else "redirect"
        return Outcome(verdict, first, data, self.error, undefined, tuple(more))


def shown(copies: tuple[Replica, ...]) -> str:
    return ", ".join(f"port {one.port}" for one in copies) or "no copies"
