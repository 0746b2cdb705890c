"""Packets per second with frames that are really dropped, sent back and redirected.

BPF_F_TEST_XDP_LIVE_FRAMES runs the program on frames of a page pool and carries its verdicts out.
They come in by one veth pair and are redirected to another; native XDP at the far ends counts what
arrives, and drops it.

Others at work make a round slower, never faster, and often two programs by other amounts: what
counts is the tenth of the rounds that was the fastest. Rounds alternate between the programs, there
and back, on one CPU.
"""

from __future__ import annotations

import os
import statistics
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cases import HERE
from measure import build_around, restoring
from sides import Pair, Side, build

from p4xdp.runtime import devices
from p4xdp.runtime.libbpf import LIVE_FRAMES, BpfObject, BpfProgram
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.requests import AddEntry, Number
from p4xdp.runtime.table_maps import ONE_CELL
from p4xdp.stf.namespace import Namespace, silence
from p4xdp.stf.syntax import VERDICTS

NATIVE = 4
IN, OUT = "in", "out"
REPEAT = 100_000
BATCH = 64
SMALLEST = 64
PORT_OF_TESTS = 1
"""The input port of test runs, which entries name."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Million packets per second by verdict, and those of the twin once more (`again`)."""

    verdict: str
    p4: float
    twin: float
    again: float

    @property
    def ratio(self) -> float:
        return self.p4 / self.twin

    @property
    def noise(self) -> float:
        return self.again / self.twin


class Live:
    """The pairs (`into` and `out` are interface numbers), and the counter behind them."""

    def __init__(self, far: BpfObject, around: Path, into: int, out: int) -> None:
        self._counter = KernelMaps.of_object(far)
        self._around = around
        self.into = into
        self.out = out

    def adapted(self, entry: AddEntry) -> AddEntry:
        """Return the entry with the numbers of the interfaces that there are."""
        arguments = tuple(
            replace(a, value=Number(self.out)) if a.name.text.endswith("port") else a
            for a in entry.action.arguments
        )
        ours = "of_port" in entry.table.text
        keys = tuple(
            replace(k, value=Number(self.into))
            if k.value.value == PORT_OF_TESTS and (ours or k.name.text == "port")
            else k
            for k in entry.keys
        )
        return replace(entry, keys=keys, action=replace(entry.action, arguments=arguments))

    def context(self, packet: bytes) -> bytes:
        """Return the xdp_md of a packet that comes in by `in`."""
        return struct.pack("=6I", 0, len(packet), 0, self.into, 0, 0)

    def arrived(self) -> int:
        return int.from_bytes(self._counter.lookup("arrived", ONE_CELL) or b"", "little")

    def verdict(self, side: Side, packet: bytes) -> str:
        return VERDICTS[side.program.test_run(packet, context=self.context(packet)).verdict]

    def rate(self, program: BpfProgram, packet: bytes, leaves: bool) -> float:
        """Return million packets per second; raises RuntimeError when frames get lost."""
        before = self.arrived()
        start = time.thread_time_ns()
        program.test_run(
            packet,
            repeat=REPEAT,
            context=self.context(packet),
            flags=LIVE_FRAMES,
            batch_size=BATCH,
        )
        taken = time.thread_time_ns() - start
        arrived = self.arrived() - before
        if leaves and arrived < REPEAT * 0.99:
            raise RuntimeError(f"{arrived} of {REPEAT} frames arrived")
        return REPEAT / taken * 1000

    def measure(self, pair: Pair, packet: bytes, verdict: str, rounds: int) -> Rate:
        leaves = verdict in ("tx", "redirect")
        sides = (pair.p4, pair.twin, pair.twin)
        with ExitStack() as stack:
            measured: list[tuple[list[float], BpfProgram]] = [
                ([], self.repeatable(side, packet, stack)) for side in sides
            ]
            for number in range(rounds):
                for found, program in measured if number % 2 else reversed(measured):
                    found.append(self.rate(program, packet, leaves))
        return Rate(verdict, *(_fastest_tenth(found) for found, _ in measured))

    def repeatable(self, side: Side, packet: bytes, stack: ExitStack) -> BpfProgram:
        """Return what does the same each time: pages are used again with what was written to
        them, so that in front of a program that changes its packet `restore` has to run."""
        changed = side.program.test_run(packet, context=self.context(packet)).data != packet
        return restoring(self._around, side.program, packet, stack) if changed else side.program

    def measure_all(self, pair: Pair, rounds: int) -> tuple[Rate, ...]:
        """Fill a pair and return the rate of each verdict but `pass` and `aborted`."""
        pair.fill(self.adapted(s) for s in pair.case.statements() if isinstance(s, AddEntry))
        pair.fill_devmap(self.out)
        rates: dict[str, Rate] = {}
        for packet in pair.case.packets():
            packet = packet.ljust(SMALLEST, b"\0")
            verdict = self.verdict(pair.twin, packet)
            if verdict in ("drop", "tx", "redirect") and verdict not in rates:
                rates[verdict] = self.measure(pair, packet, verdict, rounds)
        return tuple(rates.values())


def _fastest_tenth(rates: list[float]) -> float:
    """Return the least of the rates of the fastest tenth of the rounds."""
    return statistics.quantiles(rates, n=10)[-1]


@contextmanager
def open_live(directory: Path) -> Iterator[Live]:
    """Lay the pairs in a namespace of its own, which this thread is in meanwhile, on one CPU."""
    from pyroute2.iproute.linux import IPRoute

    object = directory / "far.o"
    build(HERE / "far.c", object, recording=False)
    namespace = Namespace()
    cpus = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {max(cpus)})
        with namespace.inside(), IPRoute() as route, BpfObject(object, "far") as far:  # type: ignore[no-untyped-call]
            silence()
            far.load()
            _lay(route, far)
            yield Live(far, build_around(directory), *map(_index, (IN, OUT)))
    finally:
        os.sched_setaffinity(0, cpus)
        namespace.close()


def _index(name: str) -> int:
    return devices.find(name).index


def _lay(route: Any, far: BpfObject) -> None:
    xdp = {"attrs": [("IFLA_XDP_FD", far.program().fd), ("IFLA_XDP_FLAGS", NATIVE)]}
    for name in (IN, OUT):
        far_name = f"far-{name}"
        route.link("add", ifname=name, kind="veth", peer={"ifname": far_name})
        # both ends: veth takes XDP frames only where its peer has a program
        for end in (name, far_name):
            route.link("set", ifname=end, state="up", xdp=xdp)
