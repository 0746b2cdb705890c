"""PSA: an ingress and an egress pipeline, each of parser, control and deparser, with replication
between them (section 6 of its specification).

What ingress decides is carried out in this order: the clone, then nothing, resubmission, the copies
of a multicast group, one port. Every packet is parsed again by egress.
"""

from __future__ import annotations

from collections.abc import Mapping

from p4xdp.description import Widths
from p4xdp.diagnostics import InternalError
from p4xdp.frontend import typed
from p4xdp.interp.architectures import blocks
from p4xdp.interp.architectures.journey import Journey
from p4xdp.interp.architectures.psa_externs import (
    CPU_PORT,
    FUNCTIONS,
    OBJECTS,
    RECIRCULATE_PORT,
)
from p4xdp.interp.architectures.traffic import Traffic, shown
from p4xdp.interp.machine import Block, Run
from p4xdp.interp.outcome import Outcome
from p4xdp.interp.packets import PacketIn, PacketOut
from p4xdp.interp.replication import Replica
from p4xdp.interp.values import (
    NO_ERROR,
    Record,
    Scalar,
    Value,
    copy,
    default,
    number,
    uninitialised,
)
from p4xdp.records import dataclass


@dataclass(slots=True)
class Arrival:
    """A packet before ingress; `carried` is the metadata that its path brings along."""

    data: bytes
    port: int
    path: str
    carried: Value | None = None


@dataclass(slots=True)
class Departure:
    """A packet before egress."""

    data: bytes
    to: Replica
    path: str
    carried: Value
    service: Value


PsaTraffic = Traffic[Arrival, Departure]


@dataclass(slots=True)
class Passed:
    """A packet behind a deparser: the values of the deparser's parameters, its bytes."""

    values: list[Value]
    decided: Record
    data: bytes


class Psa:
    """`PSA_Switch(IngressPipeline(...), pre, EgressPipeline(...), bqe)`."""

    numbers: Widths | None = Widths()
    has_ports: bool = True
    cpu_port: int | None = CPU_PORT

    def __init__(self, program: typed.TypedProgram, main: typed.Instance, on_reject: str) -> None:
        self.machine = blocks.new_machine(program, FUNCTIONS, OBJECTS)
        made = blocks.blocks(self.machine, main)
        self._ingress, self._egress = made[:3], made[3:]
        self._span = main.span

    def run(self, run: Run, port: int, data: bytes) -> Outcome:
        traffic = PsaTraffic(run, port, Arrival(data, port, "NORMAL"), self._span)
        return traffic.carry(self._enter, self._leave)

    # Ingress

    def _enter(self, traffic: PsaTraffic, arrival: Arrival) -> None:
        parser, control, deparser = self._ingress
        given: dict[str, Value] = {
            "ingress_port": Scalar(arrival.port),
            "packet_path": Scalar(arrival.path),
            "ingress_timestamp": Scalar(traffic.run.machine.now, undefined=True),
        }
        start = {"drop": Scalar(True), **_nothing("class_of_service", "multicast_group")}
        start |= {name: Scalar(False) for name in ("clone", "resubmit")}
        carried = {4: "RESUBMIT", 5: "RECIRCULATE"}
        brought = {i: arrival.carried for i, path in carried.items() if path == arrival.path}
        passed = self._pass(traffic, parser, control, arrival.data, given, brought, start)
        headers, metadata, decided, payload = passed
        frame, data = self._deparse(
            traffic.run, deparser, {4: headers, 5: metadata, 6: decided}, payload
        )
        cloned, resubmitted, normal = frame[1:4]
        self._manage(traffic, arrival, Passed([cloned, resubmitted, normal], decided, data))

    def _manage(self, traffic: PsaTraffic, arrival: Arrival, packet: Passed) -> None:
        """Carry out what ingress decided."""
        run, decided = traffic.run, packet.decided
        cloned, resubmitted, normal = packet.values
        if run.decide(decided.fields["clone"]):
            self._clone(traffic, decided, arrival.data, "CLONE_I2E", cloned)
        if run.decide(decided.fields["drop"]):
            traffic.tell("dropped at the end of ingress")
        elif run.decide(decided.fields["resubmit"]):
            traffic.tell("resubmitted")
            again = Arrival(arrival.data, arrival.port, "RESUBMIT", resubmitted)
            traffic.to_ingress(again)
        else:
            self._replicate(traffic, packet, normal)

    def _replicate(self, traffic: PsaTraffic, packet: Passed, normal: Value) -> None:
        run, decided = traffic.run, packet.decided
        service = decided.fields["class_of_service"]
        group = _number(run, decided, "multicast_group")
        if not group:
            to = Replica(_number(run, decided, "egress_port"), 0)
            departure = Departure(packet.data, to, "NORMAL_UNICAST", normal, service)
            traffic.to_egress(departure)
            return
        copies = run.machine.replication.copies(group)
        traffic.tell(f"multicast group {group}: {shown(copies)}")
        for to in copies:
            departure = Departure(packet.data, to, "NORMAL_MULTICAST", copy(normal), service)
            traffic.to_egress(departure)

    def _clone(
        self, traffic: PsaTraffic, decided: Record, data: bytes, path: str, carried: Value
    ) -> None:
        session = _number(traffic.run, decided, "clone_session_id")
        copies = traffic.run.machine.replication.clones(session)
        traffic.tell(f"cloned to session {session}: {shown(copies)}")
        for to in copies:
            departure = Departure(data, to, path, copy(carried), Scalar(0))
            traffic.to_egress(departure, anew=path == "CLONE_E2E")

    # Egress

    def _leave(self, traffic: PsaTraffic, packet: Departure) -> None:
        parser, control, deparser = self._egress
        run, port = traffic.run, packet.to.port
        traffic.tell(f"to egress for port {port}")
        given: dict[str, Value] = {
            "egress_port": Scalar(port),
            "packet_path": Scalar(packet.path),
            "class_of_service": packet.service,
            "instance": Scalar(packet.to.rid),
            "egress_timestamp": Scalar(run.machine.now, undefined=True),
        }
        start: dict[str, Value] = {name: Scalar(False) for name in ("clone", "drop")}
        paths = {4: "NORMAL_", 5: "CLONE_I2E", 6: "CLONE_E2E"}
        brought = {i: packet.carried for i, p in paths.items() if packet.path.startswith(p)}
        passed = self._pass(traffic, parser, control, packet.data, given, brought, start)
        headers, metadata, decided, payload = passed
        to = Record({"egress_port": Scalar(port)})
        values = {3: headers, 4: metadata, 5: decided, 6: to}
        frame, data = self._deparse(run, deparser, values, payload)
        cloned, recirculated = frame[1:3]
        if run.decide(decided.fields["clone"]):
            self._clone(traffic, decided, data, "CLONE_E2E", cloned)
        if run.decide(decided.fields["drop"]):
            traffic.tell("dropped at the end of egress")
        elif port == RECIRCULATE_PORT:
            traffic.tell("recirculated")
            again = Arrival(data, RECIRCULATE_PORT, "RECIRCULATE", recirculated)
            traffic.to_ingress(again)
        else:
            traffic.sent.append((port, data))

    # What both have

    def _pass(
        self,
        traffic: PsaTraffic,
        parser: Block,
        control: Block,
        data: bytes,
        given: Mapping[str, Value],
        brought: Mapping[int, Value | None],
        start: Mapping[str, Value],
    ) -> tuple[Value, Value, Record, bytes]:
        """Carry a packet through parser and control.

        `given` are the fields that the standard metadata start with, `brought` the metadata of
        its path by the parser's parameters, `start` what the decision starts as. Return headers,
        user metadata, the decision and the bytes that the parser left.
        """
        run = traffic.run
        run.journey = Journey(len(data))
        packet = PacketIn(data)
        parameters = blocks.parameters(parser)
        cells = {parameters[0]: packet, parameters[2]: default(parameters[2].type)}
        cells[parameters[3]] = _filled(parameters[3], given)
        cells |= {parameters[i]: value for i, value in brought.items() if value is not None}
        parsed = blocks.start(parser, cells)
        error = blocks.error_of(blocks.parse(run, parser, parsed))
        if error != NO_ERROR:
            traffic.error = error
        run.journey.payload = packet.rest
        inputs = blocks.parameters(control)
        values = [parsed.cells[parameters[1]], parsed.cells[parameters[2]]]
        values.append(_filled(inputs[2], {**given, "parser_error": Scalar(error)}))
        values.append(_filled(inputs[3], start))
        frame = blocks.start(control, dict(zip(inputs, values, strict=True)))
        blocks.control(run, control, frame)
        headers, metadata, _, decided = (frame.cells[parameter] for parameter in inputs)
        if not isinstance(decided, Record):
            raise InternalError("interp", f"{decided} is no struct")
        return headers, metadata, decided, packet.rest

    def _deparse(
        self, run: Run, deparser: Block, values: Mapping[int, Value], payload: bytes
    ) -> tuple[list[Value], bytes]:
        """Run a deparser; return what became of its parameters, and the packet."""
        packet = PacketOut()
        parameters = blocks.parameters(deparser)
        cells = {parameters[i]: value for i, value in values.items()}
        frame = blocks.start(deparser, {parameters[0]: packet, **cells})
        blocks.control(run, deparser, frame)
        return [frame.cells[parameter] for parameter in parameters], packet.data + payload


def _nothing(*names: str) -> dict[str, Value]:
    return {name: Scalar(0) for name in names}


def _filled(parameter: typed.Parameter, fields: Mapping[str, Value]) -> Record:
    """Return a struct of which the fields that it has are set, the others undefined."""
    made = uninitialised(parameter.type)
    if not isinstance(made, Record):
        raise InternalError("interp", f"{parameter.name} is no struct", parameter.span)
    made.fields |= {name: value for name, value in fields.items() if name in made.fields}
    return made


def _number(run: Run, metadata: Record, name: str) -> int:
    value = metadata.fields[name]
    if isinstance(value, Scalar):
        run.observe(value)
    return number(value)
