"""How long both sides of a case take for a packet.

What falsifies such figures, and how `p4xdp.stf.timing` deals with it, stands there. Here it is
that all repeats of a test run use one buffer: a program that changes its packet is called by
`restore` (around.c), whose own cost is calibrated and taken off.
"""

from __future__ import annotations

import statistics
import struct
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cases import HERE
from sides import Pair, build

from p4xdp.runtime.libbpf import BpfObject, BpfProgram
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.table_maps import ONE_CELL
from p4xdp.stf.timing import Spares, open_spares

SMALLEST = 64
"""Bytes that every timed packet has at least: an Ethernet frame, and what `restore` writes."""

MOST_PROGRAMS = 5
"""Programs that are measured side by side: both sides, and what is around them."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Nanoseconds over the bare drop: least, median and greatest of the rounds."""

    least: float
    median: float
    most: float


@dataclass(frozen=True, slots=True)
class Times:
    """One packet: both sides, and the twin against itself (`again`).

    `restored`: the packet changes, so that each run was preceded by `restore`.
    """

    p4: Spread
    twin: Spread
    again: Spread
    verdict: int
    restored: bool

    @property
    def ratio(self) -> float:
        return self.p4.median / self.twin.median if self.twin.median > 0 else float("nan")

    @property
    def noise(self) -> float:
        return abs(self.twin.median - self.again.median)


class Bench:
    """Spare devices to attach to, and what is run around the programs."""

    def __init__(self, spares: Spares, object: Path) -> None:
        self._spares = spares
        self._object = object

    def time(self, pair: Pair, packet: bytes, rounds: int) -> Times:
        """Measure both sides, which are filled, on one packet."""
        packet = packet.ljust(SMALLEST, b"\0")
        first = pair.twin.program.test_run(packet)
        sides = (pair.p4.program, pair.twin.program, pair.twin.program)
        restored = first.data != packet
        with ExitStack() as stack:
            if restored:
                growth = len(first.data) - len(packet)
                found = self._changing(sides, packet, growth, rounds, stack)
            else:
                bare = opened_around(self._object, stack).program("bare")
                found = self._over_bare((bare, *sides), packet, rounds)
        return Times(*found, first.verdict, restored)

    def alone(self, program: BpfProgram, packet: bytes, rounds: int) -> Spread:
        """Measure one program, to which it is all one what it made of the packet before."""
        with ExitStack() as stack:
            bare = opened_around(self._object, stack).program("bare")
            (found,) = self._over_bare((bare, program), packet, rounds)
        return found

    def _over_bare(
        self, programs: Sequence[BpfProgram], packet: bytes, rounds: int
    ) -> list[Spread]:
        bare, *ran = self._spares.rounds(programs, packet, rounds)
        return [_spread(times, bare) for times in ran]

    def _changing(
        self,
        sides: Sequence[BpfProgram],
        packet: bytes,
        growth: int,
        rounds: int,
        stack: ExitStack,
    ) -> list[Spread]:
        """Measure sides that change the packet, by `growth` bytes in length."""
        entries = [restoring(self._object, program, packet, stack) for program in sides]
        programs = [restoring(self._object, None, packet, stack), *entries]
        if growth:
            programs.append(restoring(self._object, None, packet, stack, growth))
        bare, *ran = self._spares.rounds(programs, packet, rounds)
        extra = 0.0
        if growth:
            # `moved` moves the head twice, there and back; `restore` undoes the program's one move
            extra = (statistics.median(ran.pop()) - statistics.median(bare)) / 2
        return [_spread(times, bare, extra) for times in ran]


def opened_around(object: Path, stack: ExitStack) -> BpfObject:
    """Load another copy of around.c."""
    opened = stack.enter_context(BpfObject(object, "around"))
    opened.load()
    return opened


def restoring(
    object: Path, program: BpfProgram | None, packet: bytes, stack: ExitStack, growth: int = 0
) -> BpfProgram:
    """Return a copy of `restore` that calls the program (None: bare, or moved by `growth`)."""
    around = opened_around(object, stack)
    maps = KernelMaps.of_object(around)
    saved = packet[:SMALLEST] + struct.pack("=Ii", len(packet), -growth)
    maps.update("saved", ONE_CELL, saved)
    following = program or around.program("moved" if growth else "bare")
    maps.update("following", ONE_CELL, struct.pack("=I", following.fd))
    return around.program("restore")


def build_around(directory: Path) -> Path:
    """Build around.c; return the object."""
    object = directory / "around.o"
    build(HERE / "around.c", object, recording=False)
    return object


def _spread(times: Sequence[float], bare: Sequence[float], extra: float = 0.0) -> Spread:
    typical = statistics.median(bare) + extra
    least = min(times) - min(bare) - extra
    return Spread(least, statistics.median(times) - typical, max(times) - typical)


@contextmanager
def open_bench(directory: Path) -> Iterator[Bench]:
    """Make the spare devices in a namespace of their own, and stay on one CPU."""
    with open_spares(MOST_PROGRAMS) as spares:
        yield Bench(spares, build_around(directory))
