"""v1model: parser, checksum verification, ingress, replication, egress, checksums, deparser.

A packet that the parser rejects goes on with `parser_error` set. What ingress decides is carried
out in this order: the clone, then one of resubmission, the copies of a multicast group, nothing,
one port. A clone made by ingress is the packet as it came, parsed anew; one made by egress goes
through egress again as it is. Clones, resubmitted and recirculated packets begin with new metadata
but for the fields of a list and the port they came by.
"""

from __future__ import annotations

from p4xdp.description import Widths
from p4xdp.diagnostics import InternalError
from p4xdp.frontend import typed, types as t
from p4xdp.interp.architectures import blocks
from p4xdp.interp.architectures.traffic import Traffic, shown
from p4xdp.interp.architectures.v1model_externs import (
    DROP_PORT,
    FUNCTIONS,
    OBJECTS,
    Clone,
    Kept,
    V1Journey,
)
from p4xdp.interp.machine import Block, Run, Stuck
from p4xdp.interp.outcome import Outcome
from p4xdp.interp.packets import PacketIn, PacketOut
from p4xdp.interp.replication import Replica
from p4xdp.interp.values import NO_ERROR, Record, Scalar, Value, copy, default, number, plain
from p4xdp.records import dataclass, replace

NORMAL, INGRESS_CLONE, EGRESS_CLONE, COALESCED, RECIRCULATED, REPLICATED, RESUBMITTED = range(7)
"""Values of instance_type."""


@dataclass(slots=True)
class Arrival:
    """A packet before ingress; `kept` is what it keeps of the metadata of `source`."""

    data: bytes
    kind: int
    kept: Kept = ()
    source: Departure | None = None


@dataclass(slots=True)
class Departure:
    """A packet before egress, on its way to a port."""

    journey: V1Journey
    headers: Value
    metadata: Value
    standard: Record
    kind: int
    to: Replica


V1Traffic = Traffic[Arrival, Departure]


class V1Model:
    """`V1Switch(parser, verify, ingress, egress, compute, deparser)`."""

    numbers: Widths | None = Widths(port=9, group=16)
    has_ports: bool = True
    cpu_port: int | None = None

    def __init__(self, program: typed.TypedProgram, main: typed.Instance, on_reject: str) -> None:
        self.machine = blocks.new_machine(program, FUNCTIONS, OBJECTS)
        made = blocks.blocks(self.machine, main)
        self._parser, self._verify, self._ingress, self._egress, self._compute, self._deparser = (
            made
        )
        self._span = main.span
        _, _, metadata, standard = blocks.parameters(self._parser)
        self._metadata_kind, self._standard_kind = metadata.type, standard.type

    def run(self, run: Run, port: int, data: bytes) -> Outcome:
        traffic = V1Traffic(run, port, Arrival(data, NORMAL), self._span)
        return traffic.carry(self._enter, self._leave)

    # Before the traffic manager

    def _enter(self, traffic: V1Traffic, arrival: Arrival) -> None:
        """Carry a packet through parser and ingress, and to what ingress decided."""
        run = traffic.run
        first = self._parse(traffic, arrival)
        journey = first.journey
        run.journey = journey
        checked = [first.headers, first.metadata]
        checked = self._control(run, self._verify, checked)
        if journey.checksum_error:
            _set(first.standard, "checksum_error", 1)
        after = self._control(run, self._ingress, [*checked, first.standard])
        first.headers, first.metadata, standard = after
        first.standard = _record(standard)
        self._manage(traffic, arrival, first)

    def _parse(self, traffic: V1Traffic, arrival: Arrival) -> Departure:
        """Return a packet after its parser, without a place to go yet."""
        run, length = traffic.run, len(arrival.data)
        standard = self._new_standard(traffic, arrival.kind, length)
        metadata = default(self._metadata_kind)
        if arrival.source:
            metadata, standard = self._keep(arrival.source, arrival.kept, standard, is_parsed=True)
        packet = PacketIn(arrival.data)
        journey = V1Journey(length, standard=standard)
        run.journey = journey
        packet_in, headers, user, intrinsic = blocks.parameters(self._parser)
        frame = blocks.start(self._parser, {packet_in: packet, user: metadata, intrinsic: standard})
        error = blocks.error_of(blocks.parse(run, self._parser, frame))
        if error != NO_ERROR:
            traffic.error = error
        after = _record(frame.cells[intrinsic])
        _set(after, "parser_error", error)
        journey.payload = packet.rest
        journey.standard = after
        return Departure(
            journey,
            frame.cells[headers],
            frame.cells[user],
            after,
            arrival.kind,
            Replica(DROP_PORT, 0),
        )

    def _new_standard(self, traffic: V1Traffic, kind: int, length: int) -> Record:
        standard = _record(default(self._standard_kind))
        _set(standard, "ingress_port", traffic.port % DROP_PORTS)
        _set(standard, "instance_type", kind)
        _set(standard, "packet_length", length)
        _set_time(traffic.run, standard, "ingress_global_timestamp")
        return standard

    def _control(self, run: Run, block: Block, values: list[Value]) -> list[Value]:
        """Run a control of which all parameters are `inout`; return what became of them."""
        parameters = blocks.parameters(block)
        frame = blocks.start(block, dict(zip(parameters, values, strict=True)))
        if isinstance(run.journey, V1Journey) and len(values) > 2:
            run.journey.standard = _record(values[2])
        blocks.control(run, block, frame)
        return [frame.cells[parameter] for parameter in parameters]

    # The traffic manager

    def _manage(self, traffic: V1Traffic, arrival: Arrival, packet: Departure) -> None:
        """Carry out what ingress decided."""
        run, journey, standard = traffic.run, packet.journey, packet.standard
        if journey.clone is not None:
            self._clone_arrival(traffic, arrival, packet, journey.clone)
        group, port = _get(run, standard, "mcast_grp"), _get(run, standard, "egress_spec")
        if journey.resubmit is not None:
            traffic.tell("resubmitted")
            again = Arrival(arrival.data, RESUBMITTED, journey.resubmit, packet)
            traffic.to_ingress(again)
        elif group:
            copies = run.machine.replication.copies(group)
            traffic.tell(f"multicast group {group}: {shown(copies)}")
            for replica in copies:
                self._enqueue(traffic, packet, replica, REPLICATED)
        elif port == DROP_PORT:
            traffic.tell("dropped at the end of ingress")
        else:
            self._enqueue(traffic, packet, Replica(port, 0), NORMAL)

    def _enqueue(self, traffic: V1Traffic, packet: Departure, to: Replica, kind: int) -> None:
        """Put a copy of a packet that comes from ingress in the queue of a port. What ingress said
        of recirculation is for the packet itself: bmv2 forgets it in copies."""
        longest = packet.journey.longest
        journey = V1Journey(packet.journey.length, packet.journey.payload, longest=longest)
        if kind == NORMAL:
            journey.recirculate = packet.journey.recirculate
        departure = Departure(
            journey,
            copy(packet.headers),
            copy(packet.metadata),
            _record(copy(packet.standard)),
            kind,
            to,
        )
        traffic.to_egress(departure, anew=kind == EGRESS_CLONE)

    def _clone_arrival(
        self, traffic: V1Traffic, arrival: Arrival, packet: Departure, clone: Clone
    ) -> None:
        """Make the clones of a packet as it came: it is parsed anew."""
        copies = traffic.run.machine.replication.clones(clone.session)
        traffic.tell(f"cloned to session {clone.session}: {shown(copies)}")
        if copies:
            anew = self._parse(traffic, replace(arrival, source=None))
            fresh = self._new_standard(traffic, INGRESS_CLONE, packet.journey.length)
            anew.metadata, anew.standard = self._keep(packet, clone.kept, fresh)
            for replica in copies:
                self._enqueue(traffic, anew, replica, INGRESS_CLONE)

    # Behind the traffic manager

    def _leave(self, traffic: V1Traffic, packet: Departure) -> None:
        """Carry a packet through egress and deparser."""
        run, standard = traffic.run, packet.standard
        port = packet.to.port
        run.journey = packet.journey
        traffic.tell(f"to egress for port {port}")
        _set(standard, "egress_port", port % DROP_PORTS)
        _set(standard, "egress_spec", 0)
        _set(standard, "egress_rid", packet.to.rid)
        _set(standard, "instance_type", packet.kind)
        _set(standard, "packet_length", packet.journey.length)
        _set_time(run, standard, "egress_global_timestamp")
        values = [packet.headers, packet.metadata, standard]
        packet.headers, packet.metadata, left = self._control(run, self._egress, values)
        packet.standard = _record(left)
        if packet.journey.clone is not None:
            self._clone_departure(traffic, packet, packet.journey.clone)
        if _get(run, packet.standard, "egress_spec") == DROP_PORT:
            traffic.tell("dropped at the end of egress")
        else:
            self._deparse(traffic, packet)

    def _clone_departure(self, traffic: V1Traffic, packet: Departure, clone: Clone) -> None:
        """Make the clones of a packet as it is at the end of egress."""
        copies = traffic.run.machine.replication.clones(clone.session)
        traffic.tell(f"cloned to session {clone.session}: {shown(copies)}")
        fresh = self._new_standard(traffic, EGRESS_CLONE, packet.journey.length)
        metadata, standard = self._keep(packet, clone.kept, fresh)
        anew = replace(packet, metadata=metadata, standard=standard)
        for replica in copies:
            self._enqueue(traffic, anew, replica, EGRESS_CLONE)

    def _deparse(self, traffic: V1Traffic, packet: Departure) -> None:
        run, journey = traffic.run, packet.journey
        changed, after = self._control(run, self._compute, [packet.headers, packet.metadata])
        out = PacketOut()
        packet_out, headers = blocks.parameters(self._deparser)
        frame = blocks.start(self._deparser, {packet_out: out, headers: changed})
        blocks.control(run, self._deparser, frame)
        data = out.data + journey.payload
        if journey.longest is not None:
            data = data[: journey.longest]
        if journey.recirculate is not None:
            traffic.tell("recirculated")
            packet.metadata = after
            again = Arrival(data, RECIRCULATED, journey.recirculate, packet)
            traffic.to_ingress(again)
        else:
            traffic.sent.append((packet.to.port, data))

    def _keep(
        self, packet: Departure, kept: Kept, standard: Record, *, is_parsed: bool = False
    ) -> tuple[Value, Record]:
        """Return new metadata, and the new standard ones given, in which what is kept has the
        values of a packet. The parser makes headers anew if the packet is parsed afterwards."""
        fresh = default(self._metadata_kind)
        if isinstance(kept, int):
            _keep_list(fresh, packet.metadata, self._metadata_kind, kept)
            _keep_list(standard, packet.standard, self._standard_kind, kept)
            return fresh, standard
        for part in kept:
            if part.root == self._metadata_kind:
                fresh = _keep_part(fresh, packet.metadata, part.names)
            elif part.root == self._standard_kind:
                names = [part.names] if part.names else [(name,) for name in standard.fields]
                for one in names:
                    if one[0] not in ("instance_type", "packet_length"):
                        _keep_part(standard, packet.standard, one)
            elif not is_parsed:
                raise Stuck("only fields of metadata can be kept", self._span)
        return fresh, standard


DROP_PORTS = DROP_PORT + 1


def _keep_list(fresh: Value, old: Value, kind: t.Type, fields: int) -> None:
    declared = plain(kind)
    if not (isinstance(fresh, Record) and isinstance(old, Record)):
        return
    if not isinstance(declared, t.Struct):
        return
    for one in declared.fields:
        if one.in_field_list(fields):
            fresh.fields[one.name] = copy(old.fields[one.name])
        else:
            _keep_list(fresh.fields[one.name], old.fields[one.name], one.type, fields)


def _keep_part(fresh: Value, old: Value, names: tuple[str, ...]) -> Value:
    """Return a value in which the field at the end of `names` is that of another."""
    if not names:
        return copy(old)
    name, *rest = names
    if isinstance(fresh, Record) and isinstance(old, Record):
        fresh.fields[name] = _keep_part(fresh.fields[name], old.fields[name], tuple(rest))
    return fresh


def _record(value: Value) -> Record:
    if not isinstance(value, Record):
        raise InternalError("interp", f"{value} is no struct")
    return value


def _set(standard: Record, name: str, value: int | str) -> None:
    """Set a field, if the program's own copy of the struct has it."""
    if name in standard.fields:
        standard.fields[name] = Scalar(value)


def _set_time(run: Run, standard: Record, name: str) -> None:
    """Set a timestamp in microseconds, which no other place gives again."""
    if name in standard.fields:
        standard.fields[name] = Scalar(run.machine.now, undefined=True)


def _get(run: Run, standard: Record, name: str) -> int:
    value = standard.fields.get(name, Scalar(0))
    if isinstance(value, Scalar):
        run.observe(value)
    return number(value)
