"""A capture through a program: the verdict of each packet, and those that leave as a capture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from p4xdp.diagnostics import fail
from p4xdp.records import dataclass
from p4xdp.runtime.capture import Captured, read_packets, write_packets
from p4xdp.runtime.messages import Digest
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.place import (
    Compile,
    PacketRefused,
    Place,
    PlaceError,
    PlaceMissing,
    PlaceOptions,
    has_short,
)
from p4xdp.stf.places import open_place
from p4xdp.stf.syntax import Verdict


@dataclass(frozen=True, slots=True)
class PacketResult:
    """What became of packet `number` (from 1).

    `size` is the packet's in bytes; `port` and `new_size` are those it leaves with, None when it
    does not. `verdict` is None when the place cannot take the packet, for the reason `refused`.
    `digests` are what the program told about the packet; the first of its results has them.
    `cut` when the capture does not hold the whole packet.
    """

    number: int
    size: int
    verdict: Verdict | None
    port: int | None = None
    new_size: int | None = None
    cut: bool = False
    refused: str | None = None
    digests: tuple[Digest, ...] = ()


@dataclass(frozen=True, slots=True)
class CaptureTask:
    """`output` and `entries` (a file of `add` and `setdefault` lines) may be None."""

    capture: Path
    output: Path | None
    entries: Path | None
    port: int
    place: str


def run_capture(
    task: CaptureTask, compile_for: Compile, options: PlaceOptions
) -> tuple[PacketResult, ...]:
    """Run every packet and write those that leave; the output appears whole or not at all.

    Raises CompileError when program, entries or capture are wrong, or the place is not there
    (`place-missing`) or broke off (`place-failed`).
    """
    requests = read_requests(task.entries) if task.entries else ()
    try:
        short = task.place == "kernel" and has_short(p.data for p in read_packets(task.capture))
        with open_place(task.place, compile_for, (task.port,), options, short=short) as place:
            place.control.apply(requests)
            if task.output is None:
                return tuple(result for result, _ in _results(task, place))
            return _written(task, place, task.output)
    except PlaceMissing as error:
        raise fail("place-missing", None, f"cannot run on {task.place}: {error}") from error
    except PlaceError as error:
        raise fail("place-failed", None, f"the run on {task.place} failed: {error}") from error


def _written(task: CaptureTask, place: Place, output: Path) -> tuple[PacketResult, ...]:
    results: list[PacketResult] = []
    with write_packets(output) as writer:
        for result, packet in _results(task, place):
            results.append(result)
            if packet:
                writer.write(packet)
    return tuple(results)


def _results(task: CaptureTask, place: Place) -> Iterator[tuple[PacketResult, Captured | None]]:
    """Run packet by packet; each packet that leaves comes with a result of its own."""
    for number, packet in enumerate(read_packets(task.capture), 1):
        size, cut = len(packet.data), packet.length > len(packet.data)
        try:
            outcome = place.send(task.port, packet.data)
        except PacketRefused as error:
            yield PacketResult(number, size, None, cut=cut, refused=str(error)), None
            continue
        told = outcome.digests
        if not outcome.packets:
            yield PacketResult(number, size, outcome.verdict, cut=cut, digests=told), None
            continue
        for port, data in outcome.packets:
            left = Captured(packet.time, data, packet.length - size + len(data))
            verdict = outcome.verdict
            yield PacketResult(number, size, verdict, port, len(data), cut, digests=told), left
            told = ()
