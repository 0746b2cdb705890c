"""ebpf_model: a parser, and a control that accepts the packet or drops it.

A packet that the parser rejects is dropped. An accepted one goes on as it came, whatever became of
its headers.
"""

from __future__ import annotations

from p4xdp.description import Widths
from p4xdp.frontend import typed
from p4xdp.interp.architectures import blocks, counters
from p4xdp.interp.machine import Run
from p4xdp.interp.outcome import Outcome
from p4xdp.interp.packets import PacketIn
from p4xdp.interp.values import FALSE, Scalar, scalar


class EbpfModel:
    """`ebpfFilter(parse, filter)`."""

    numbers: Widths | None = None
    has_ports: bool = False
    cpu_port: int | None = None

    def __init__(self, program: typed.TypedProgram, main: typed.Instance, on_reject: str) -> None:
        self.machine = blocks.new_machine(program, {}, counters.OBJECTS)
        self._parser, self._filter = blocks.blocks(self.machine, main)

    def run(self, run: Run, port: int, data: bytes) -> Outcome:
        packet = PacketIn(data)
        packet_parameter, headers = blocks.parameters(self._parser)
        parsed = blocks.start(self._parser, {packet_parameter: packet})
        error = blocks.parse(run, self._parser, parsed)
        if error is not None:
            return Outcome("drop", port, None, error, run.undefined_read)
        filtered, accept = blocks.parameters(self._filter)
        start = {filtered: parsed.cells[headers], accept: Scalar(FALSE.value, undefined=True)}
        frame = blocks.start(self._filter, start)
        blocks.control(run, self._filter, frame)
        accepted = run.decide(scalar(frame.cells[accept]))
        verdict = "pass" if accepted else "drop"
        leaves = data if accepted else None
        return Outcome(verdict, port, leaves, blocks.error_of(None), run.undefined_read)
