"""A capture through the interpreter, with every step of each packet told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from p4xdp.diagnostics import fail
from p4xdp.interp.events import Event
from p4xdp.interp.telling import Teller, to_json
from p4xdp.records import dataclass
from p4xdp.runtime.capture import Captured, read_packets
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.interp import InterpPlace, open_program
from p4xdp.stf.place import Compile, Outcome, PlaceError


@dataclass(frozen=True, slots=True)
class TraceTask:
    """`entries` is a file of `add` and `setdefault` lines, `packet` the only one to show (from
    1); both may be None. `on_reject`, `host_port` and `cpu_port` are as in Options."""

    capture: Path
    entries: Path | None
    packet: int | None
    port: int
    on_reject: str
    host_port: int
    cpu_port: int | None = None


@dataclass(frozen=True, slots=True)
class Traced:
    """What packet `number` (from 1) of `size` bytes met."""

    number: int
    size: int
    port: int
    events: tuple[Event, ...]
    outcome: Outcome
    undefined_read: bool


def trace_capture(task: TraceTask, source: Compile) -> Iterator[Traced]:
    """Yield packet by packet what happened; those that are not shown are run all the same.

    Raises CompileError when program, entries or capture are wrong, or the run broke off
    (`place-failed`).
    """
    requests = read_requests(task.entries) if task.entries else ()
    try:
        architecture = open_program(source.check(), task.on_reject)
        place = InterpPlace(architecture, task.host_port, task.cpu_port)
        place.control.apply(requests)
        yield from _packets(task, place)
    except PlaceError as error:
        raise fail("place-failed", None, f"the run on interp failed: {error}") from error


def _packets(task: TraceTask, place: InterpPlace) -> Iterator[Traced]:
    number, start = 0, 0
    for number, packet in enumerate(read_packets(task.capture), 1):
        start = start or packet.time
        place.set_clock(packet.time - start)
        traced = _run(task, place, number, packet)
        if task.packet in (None, number):
            yield traced
        if task.packet == number:
            return
    if task.packet is not None:
        text = f"{task.capture}: there is no packet {task.packet}, the capture holds {number}"
        raise fail("capture", None, text)


def _run(task: TraceTask, place: InterpPlace, number: int, packet: Captured) -> Traced:
    events: list[Event] = []
    wanted = task.packet in (None, number)
    outcome = place.trace(task.port, packet.data, events.append if wanted else None)
    size = len(packet.data)
    return Traced(number, size, task.port, tuple(events), outcome, place.undefined_read)


# How it is shown

UNDEFINED = (
    "a value that the program never set had a part in this: another answer would be as right"
)


def text_of(traced: Traced) -> str:
    """Return the steps of a packet, a line each, and what became of it."""
    teller = Teller()
    lines = [f"packet {traced.number}: {traced.size} bytes, port {traced.port}"]
    for event in traced.events:
        lines += teller.lines(event)
    outcome = traced.outcome
    ends = [f", leaves by port {port} with {len(data)} bytes" for port, data in outcome.packets]
    lines += [f"  => {outcome.verdict}{end}" for end in ends or [""]]
    if traced.undefined_read:
        lines.append(f"  note: {UNDEFINED}")
    return "\n".join(lines)


def json_of(traced: Traced) -> str:
    """Return a packet's steps and end as one JSON object."""
    outcome = traced.outcome
    found: dict[str, Any] = {
        "packet": traced.number,
        "size": traced.size,
        "port": traced.port,
        "events": [to_json(event) for event in traced.events],
        "verdict": outcome.verdict,
        "output_port": None if outcome.data is None else outcome.port,
        "output": None if outcome.data is None else outcome.data.hex(),
        "copies": [{"port": port, "data": data.hex()} for port, data in outcome.more],
        "undefined_read": traced.undefined_read,
    }
    return json.dumps(found, indent=2)
