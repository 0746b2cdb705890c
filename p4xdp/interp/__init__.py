"""The reference interpreter: a typed program, run as the P4_16 specification says.

It shares no code with elaboration, midend and back end, so that the two can be held against each
other. `load` makes a program ready; `run_packet` carries one packet through it.
"""

from __future__ import annotations

from collections.abc import Callable

from p4xdp.interp.architectures import Architecture as Architecture, load as load
from p4xdp.interp.events import Event
from p4xdp.interp.machine import Run, Stuck as Stuck
from p4xdp.interp.outcome import Outcome as Outcome
from p4xdp.records import replace


def run_packet(
    program: Architecture, port: int, data: bytes, trace: Callable[[Event], None] | None = None
) -> Outcome:
    """Return what becomes of a packet that comes in by `port`; raises Stuck.

    `trace` is told each step.
    """
    run = Run(program.machine, trace)
    done = program.run(run, port, data)
    return replace(done, digests=tuple(run.digests)) if run.digests else done
