"""How long loaded programs take for a packet, by BPF_PROG_TEST_RUN.

A repeated test run of a program that is attached nowhere makes the kernel patch its XDP dispatcher
and wait, which adds 6 to 10 ns a packet: every program is attached to a spare device of its own
meanwhile. A machine has moods: rounds are short and alternate between the programs, there and back,
only figures of one run are compared, and what counts is CPU time, not the time that others had the
CPU for.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from p4xdp.runtime import attach, devices
from p4xdp.runtime.devices import Device
from p4xdp.runtime.libbpf import BpfProgram
from p4xdp.signals import held
from p4xdp.stf.namespace import Namespace, silence

ROUNDS = 100
SECONDS = 0.005
"""About how long one round of a program lasts; the repeats are chosen by it."""

FEWEST, MOST = 1_000, 1_000_000
"""Repeats of a round."""

FIRST = 2_000
"""Repeats by which those of a round are chosen."""


class Spares:
    """Devices to which programs are attached while they are measured."""

    def __init__(self, spares: Sequence[Device]) -> None:
        self._spares = spares

    @contextmanager
    def attached(self, programs: Sequence[BpfProgram]) -> Iterator[None]:
        """Let programs be on devices while the block runs, each once; there must be as many."""
        distinct = {program.info().id: program for program in programs}
        pairs = tuple(zip(self._spares[: len(distinct)], distinct.values(), strict=True))
        done = 0
        try:
            for device, program in pairs:
                attach.attach(device, "xdp", program, "native", None)
                done += 1
            yield
        finally:
            for device, program in pairs[:done]:
                attach.detach(device, "xdp", program, False)

    def rounds(
        self, programs: Sequence[BpfProgram], packet: bytes, rounds: int = ROUNDS
    ) -> tuple[tuple[float, ...], ...]:
        """Return for each program its ns per packet in each of the alternating rounds."""
        found: list[list[float]] = [[] for _ in programs]
        with self.attached(programs):
            repeats = [_repeats(program, packet) for program in programs]
            measured = list(zip(found, programs, repeats, strict=True))
            for number in range(rounds):
                for times, program, repeat in reversed(measured) if number % 2 else measured:
                    times.append(nanoseconds(program, packet, repeat))
        return tuple(map(tuple, found))


def _repeats(program: BpfProgram, packet: bytes) -> int:
    nanoseconds(program, packet, FIRST)
    return max(FEWEST, min(MOST, int(SECONDS * 1e9 / nanoseconds(program, packet, FIRST))))


def nanoseconds(program: BpfProgram, packet: bytes, repeat: int) -> float:
    """Return the time of one run by the CPU time of this thread, in which the kernel runs it."""
    start = time.thread_time_ns()
    program.test_run(packet, repeat=repeat)
    return (time.thread_time_ns() - start) / repeat


@contextmanager
def open_spares(count: int) -> Iterator[Spares]:
    """Make devices in a namespace of their own, and stay on one CPU; raises PlaceMissing."""
    from pyroute2.iproute.linux import IPRoute

    namespace = Namespace()
    cpus = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {max(cpus)})
        with namespace.inside():
            silence()
            names = [f"spare{number}" for number in range(count)]
            with held(), IPRoute() as route:  # type: ignore[no-untyped-call]
                for number, name in enumerate(names):
                    route.link("add", ifname=name, kind="veth", peer={"ifname": f"other{number}"})
            yield Spares([devices.find(name) for name in names])
    finally:
        os.sched_setaffinity(0, cpus)
        namespace.close()


def measure(program: BpfProgram, packet: bytes) -> float:
    """Return ns per packet, the median of the rounds; raises PlaceMissing without rights."""
    with open_spares(1) as spares:
        (times,) = spares.rounds((program,), packet)
    return statistics.median(times)
