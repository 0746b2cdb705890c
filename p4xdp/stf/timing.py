"""How long a loaded program takes for a packet, by BPF_PROG_TEST_RUN.

A repeated test run of a program that is attached nowhere makes the kernel patch its XDP dispatcher
and wait, which adds 6 to 10 ns a packet. So every program is attached to a spare veth, in a
namespace of its own, while it is measured.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from p4xdp.runtime import attach, devices
from p4xdp.runtime.libbpf import BpfProgram
from p4xdp.stf.namespace import Namespace, silence

ROUNDS = 9
REPEAT = 1_000_000


@contextmanager
def attached(program: BpfProgram) -> Iterator[None]:
    """Let the program be on a device while the block runs; raises PlaceMissing without rights."""
    from pyroute2.iproute.linux import IPRoute

    namespace = Namespace()
    try:
        with namespace.inside(), IPRoute() as route:  # type: ignore[no-untyped-call]
            silence()
            route.link("add", ifname="spare", kind="veth", peer={"ifname": "other"})
            device = devices.find("spare")
            attach.attach(device, "xdp", program, None, None)
            yield
    finally:
        namespace.close()


def measure(
    programs: Sequence[BpfProgram], packet: bytes, rounds: int = ROUNDS, repeat: int = REPEAT
) -> tuple[tuple[float, ...], ...]:
    """Return, for each program, ns per packet in each of the alternating rounds."""
    found: list[list[float]] = [[] for _ in programs]
    for _ in range(rounds):
        for times, program in zip(found, programs, strict=True):
            with attached(program):
                times.append(program.test_run(packet, repeat=repeat).wall_ns / repeat)
    return tuple(map(tuple, found))


def medians(rounds: tuple[tuple[float, ...], ...]) -> tuple[float, ...]:
    return tuple(statistics.median(times) for times in rounds)
