"""xdp_model: a parser, a control that decides what becomes of the packet, a deparser.

A packet that the parser rejects is aborted. One that leaves consists of what the deparser emitted
and of the bytes that the parser did not reach. As XDP wants it, a packet cannot be shortened to
fewer than 14 bytes or grow by more than its headroom; then it is aborted, too.
"""

from __future__ import annotations

import time

from p4xdp.description import Widths
from p4xdp.frontend import typed
from p4xdp.interp.architectures import blocks, counters
from p4xdp.interp.machine import Invocation, Run
from p4xdp.interp.outcome import Outcome
from p4xdp.interp.packets import PacketIn, PacketOut
from p4xdp.interp.values import Frame, Record, Scalar, Value, number, scalar, uninitialised

SHORTEST = 14
"""Bytes of an Ethernet header: a packet that changes its size must keep as many."""

HEADROOM = 256 - 40
"""Bytes that a packet can grow by: the room that XDP leaves in front, less what it needs itself."""

VERDICTS = {
    "XDP_ABORTED": "aborted",
    "XDP_DROP": "drop",
    "XDP_PASS": "pass",
    "XDP_TX": "tx",
    "XDP_REDIRECT": "redirect",
}
LEAVES = frozenset(("pass", "tx", "redirect"))


class XdpModel:
    """`xdp(parse, switch, deparse)`."""

    numbers: Widths | None = None
    has_ports: bool = False
    cpu_port: int | None = None

    def __init__(self, program: typed.TypedProgram, main: typed.Instance, on_reject: str) -> None:
        self.machine = blocks.new_machine(program, FUNCTIONS, counters.OBJECTS)
        self._parser, self._switch, self._deparser = blocks.blocks(self.machine, main)
        self._on_reject = on_reject

    def run(self, run: Run, port: int, data: bytes) -> Outcome:
        packet = PacketIn(data)
        packet_parameter, headers = blocks.parameters(self._parser)
        parsed = blocks.start(self._parser, {packet_parameter: packet})
        error = blocks.parse(run, self._parser, parsed)
        if error is not None:
            return Outcome(self._on_reject, port, None, error, run.undefined_read)
        switched = self._decide(run, parsed.cells[headers], port)
        changed, _, decision = (switched.cells[p] for p in blocks.parameters(self._switch))
        emitted = self._deparse(run, changed)
        return _outcome(run, decision, port, data, emitted + packet.rest)

    def _decide(self, run: Run, headers: Value, port: int) -> Frame:
        given, arrival, _ = blocks.parameters(self._switch)
        came_in = uninitialised(arrival.type)
        if isinstance(came_in, Record):
            came_in.fields["input_port"] = Scalar(port)
        frame = blocks.start(self._switch, {given: headers, arrival: came_in})
        blocks.control(run, self._switch, frame)
        return frame

    def _deparse(self, run: Run, headers: Value) -> bytes:
        packet = PacketOut()
        given, packet_parameter = blocks.parameters(self._deparser)
        frame = blocks.start(self._deparser, {given: headers, packet_parameter: packet})
        blocks.control(run, self._deparser, frame)
        return packet.data


def _outcome(run: Run, decision: Value, port: int, before: bytes, after: bytes) -> Outcome:
    if not isinstance(decision, Record):
        raise TypeError(decision)
    action = scalar(decision.fields["output_action"])
    run.observe(action)
    verdict = VERDICTS.get(str(action.value), "aborted")
    if verdict == "redirect":
        output_port = scalar(decision.fields["output_port"])
        run.observe(output_port)
        port = number(output_port)
    if verdict in LEAVES and not _can_become(len(before), len(after)):
        verdict = "aborted"
    leaves = after if verdict in LEAVES else None
    return Outcome(verdict, port, leaves, blocks.error_of(None), run.undefined_read)


def _can_become(before: int, after: int) -> bool:
    """Whether a packet of `before` bytes can be made one of `after`."""
    return before == after or (SHORTEST <= after <= before + HEADROOM)


# Extern functions


def _ones_complement(words: int) -> int:
    """Return the complement of a sum of 16-bit words, its carries added in."""
    while words > 0xFFFF:
        words = (words & 0xFFFF) + (words >> 16)
    return words ^ 0xFFFF


def _arguments(run: Run, invocation: Invocation) -> list[int]:
    return [number(invocation.argument(name)) for name in invocation.values]


def _undefined(invocation: Invocation) -> bool:
    return any(invocation.argument(name).undefined for name in invocation.values)


def ipv4_checksum(run: Run, invocation: Invocation) -> Value:
    """Return the checksum of an IPv4 header whose checksum field counts as 0 (RFC 791)."""
    version, ihl, tos, length, ident, flags, offset, ttl, protocol, source, target = _arguments(
        run, invocation
    )
    words = (
        version << 12 | ihl << 8 | tos,
        length,
        ident,
        flags << 13 | offset,
        ttl << 8 | protocol,
        source >> 16,
        source & 0xFFFF,
        target >> 16,
        target & 0xFFFF,
    )
    return Scalar(_ones_complement(sum(words)), _undefined(invocation))


def checksum_replace(run: Run, invocation: Invocation) -> Value:
    """Return a checksum after one or two 16-bit words have changed (RFC 1624, equation 3)."""
    checksum, old, new = _arguments(run, invocation)
    words = checksum ^ 0xFFFF
    for shift in (16, 0) if invocation.name == "csum_replace4" else (0,):
        words += (old >> shift & 0xFFFF) ^ 0xFFFF
        words += new >> shift & 0xFFFF
    return Scalar(_ones_complement(words), _undefined(invocation))


def perf_event_output(run: Run, invocation: Invocation) -> Value:
    """Nobody listens here: it succeeds."""
    return Scalar(0)


def ktime_get_ns(run: Run, invocation: Invocation) -> Value:
    """Return the low bits of a clock, which no other run gives again."""
    return Scalar(time.monotonic_ns() & 0xFFFFFFFF, undefined=True)


FUNCTIONS = {
    "ebpf_ipv4_checksum": ipv4_checksum,
    "csum_replace2": checksum_replace,
    "csum_replace4": checksum_replace,
    "BPF_PERF_EVENT_OUTPUT": perf_event_output,
    "BPF_KTIME_GET_NS": ktime_get_ns,
}
