"""How long both sides of a case take for a packet, by BPF_PROG_TEST_RUN.

Three things falsify such figures, and are dealt with here:

- a repeated test run of a program that is attached nowhere makes the kernel patch its XDP
  dispatcher and wait, 6 to 10 ns a packet: what runs is attached to a spare veth meanwhile;
- all repeats use one buffer: a program that changes its packet is called by `restore` (around.c),
  whose own cost is calibrated and taken off;
- a machine has moods: rounds alternate between all programs, only figures of one run are
  compared, and what counts is CPU time, not the time that others had the CPU for.
"""

from __future__ import annotations

import os
import statistics
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from cases import HERE
from sides import Pair, build

from p4xdp.runtime import attach, devices
from p4xdp.runtime.devices import Device
from p4xdp.runtime.entries import ONE_CELL
from p4xdp.runtime.libbpf import BpfObject, BpfProgram
from p4xdp.runtime.maps import KernelMaps
from p4xdp.stf.namespace import Namespace, silence

SMALLEST = 64
"""Bytes that every timed packet has at least: an Ethernet frame, and what `restore` writes."""

TARGET_SECONDS = 0.05
"""About how long one measurement lasts; the repeats are chosen by it."""

MOST_REPEATS = 2_000_000


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
    """A spare device to attach to, and what is run around the programs."""

    def __init__(self, device: Device, object: Path, stack: ExitStack) -> None:
        self._device = device
        self._object = object
        self._stack = stack
        self.plain = self._around()

    def _around(self) -> BpfObject:
        opened = self._stack.enter_context(BpfObject(self._object, "around"))
        opened.load()
        return opened

    @contextmanager
    def attached(self, program: BpfProgram) -> Iterator[None]:
        attach.attach(self._device, "xdp", program, "native", None)
        try:
            yield
        finally:
            attach.detach(self._device, "xdp", program, False)

    def time(self, pair: Pair, packet: bytes, rounds: int) -> Times:
        """Measure both sides, which are filled, on one packet."""
        packet = packet.ljust(SMALLEST, b"\0")
        first = pair.twin.program.test_run(packet)
        sides = (pair.p4.program, pair.twin.program, pair.twin.program)
        if first.data == packet:
            ran = self.rounds((self.plain.program("bare"), *sides), packet, rounds)
            base = [0.0] * 4
        else:
            growth = len(first.data) - len(packet)
            entries = [self.restoring(program, packet) for program in sides]
            bare = self.restoring(None, packet)
            moved = self.restoring(None, packet, growth) if growth else bare
            ran = self.rounds((bare, *entries, moved), packet, rounds)
            # `moved` moves the head twice, there and back; `restore` undoes the program's one move
            extra = (statistics.median(ran[4]) - statistics.median(ran[0])) / 2
            base = [0.0, extra, extra, extra]
        bare_time = statistics.median(ran[0])
        p4, twin, again = (
            Spread(*(f(t) - bare_time - more for f in (min, statistics.median, max)))
            for t, more in zip(ran[1:4], base[1:], strict=True)
        )
        return Times(p4, twin, again, first.verdict, first.data != packet)

    def restoring(self, program: BpfProgram | None, packet: bytes, growth: int = 0) -> BpfProgram:
        """Return a copy of `restore` that calls the program (None: bare, or moved by `growth`)."""
        around = self._around()
        maps = KernelMaps.of_object(around)
        saved = packet[:SMALLEST] + struct.pack("=Ii", len(packet), -growth)
        maps.update("saved", ONE_CELL, saved)
        following = program or around.program("moved" if growth else "bare")
        maps.update("following", ONE_CELL, struct.pack("=I", following.fd))
        return around.program("restore")

    def rounds(
        self, programs: Sequence[BpfProgram], packet: bytes, rounds: int
    ) -> tuple[tuple[float, ...], ...]:
        """Return for each program its ns per packet in each of the alternating rounds."""
        repeats = [self.repeats(program, packet) for program in programs]
        found: list[list[float]] = [[] for _ in programs]
        for _ in range(rounds):
            for times, program, repeat in zip(found, programs, repeats, strict=True):
                with self.attached(program):
                    times.append(nanoseconds(program, packet, repeat))
        return tuple(map(tuple, found))

    def repeats(self, program: BpfProgram, packet: bytes) -> int:
        with self.attached(program):
            few = nanoseconds(program, packet, 10_000)
        return max(10_000, min(MOST_REPEATS, int(TARGET_SECONDS * 1e9 / few)))


def nanoseconds(program: BpfProgram, packet: bytes, repeat: int) -> float:
    """Return the time of one run by the CPU time of this thread, in which the kernel runs it."""
    start = time.thread_time_ns()
    program.test_run(packet, repeat=repeat)
    return (time.thread_time_ns() - start) / repeat


@contextmanager
def open_bench(directory: Path) -> Iterator[Bench]:
    """Make the spare device in a namespace of its own, and stay on one CPU."""
    from pyroute2.iproute.linux import IPRoute

    object = directory / "around.o"
    build(HERE / "around.c", object, recording=False)
    namespace = Namespace()
    cpus = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {max(cpus)})
        with ExitStack() as stack, namespace.inside(), IPRoute() as route:  # type: ignore[no-untyped-call]
            silence()
            route.link("add", ifname="spare", kind="veth", peer={"ifname": "other"})
            yield Bench(devices.find("spare"), object, stack)
    finally:
        os.sched_setaffinity(0, cpus)
        namespace.close()
