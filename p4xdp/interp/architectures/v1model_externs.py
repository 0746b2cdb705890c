"""The externs of v1model: what they do at once, and what they ask of the end of a control."""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.description import MOST_PAYLOAD
from p4xdp.frontend import typed, types as t
from p4xdp.interp import crc, operators, shown
from p4xdp.interp.architectures import action_profiles, arrays, messages
from p4xdp.interp.architectures.hashed import data_bytes
from p4xdp.interp.architectures.hashing import HASHES
from p4xdp.interp.architectures.journey import Journey, journey_of
from p4xdp.interp.architectures.traffic import Halted
from p4xdp.interp.events import Called
from p4xdp.interp.machine import Construction, ExternObject, Invocation, Run, Stuck
from p4xdp.interp.tables import Entry
from p4xdp.interp.values import NOTHING, Record, Scalar, Value, number, parts, scalar
from p4xdp.records import dataclass

DROP_PORT = 511


@dataclass(frozen=True, slots=True)
class Part:
    """A field of metadata: the type of the struct that it is part of, and the names on the way."""

    root: t.Type
    names: tuple[str, ...]


Kept = int | tuple[Part, ...]
"""The metadata that a packet keeps: those of a field list, or the parts that a call names."""


@dataclass(slots=True)
class Clone:
    session: int
    kept: Kept


@dataclass(slots=True)
class V1Journey(Journey):
    """A packet with what was asked for it: each of these is for the end of ingress or egress.

    `resubmit` and `recirculate` are what to keep; `longest` is what `truncate` says.
    """

    clone: Clone | None = None
    resubmit: Kept | None = None
    recirculate: Kept | None = None
    longest: int | None = None
    standard: Record | None = None
    checksum_error: bool = False


def _journey(run: Run) -> V1Journey:
    journey = journey_of(run)
    if not isinstance(journey, V1Journey):
        raise TypeError(journey)
    return journey


def _number(run: Run, invocation: Invocation, name: str) -> int:
    value = invocation.argument(name)
    run.observe(value)
    return number(value)


# Dropping, copying, starting anew


def mark_to_drop(run: Run, invocation: Invocation) -> Value:
    """Set the port to nowhere; the deprecated call without an argument does so, too."""
    standard = invocation.values.get("standard_metadata", _journey(run).standard)
    if isinstance(standard, Record):
        standard.fields["egress_spec"] = Scalar(DROP_PORT)
        if "mcast_grp" in standard.fields:
            standard.fields["mcast_grp"] = Scalar(0)
    return NOTHING


def clone(run: Run, invocation: Invocation) -> Value:
    session = _number(run, invocation, "session")
    _journey(run).clone = Clone(session, _kept(invocation))
    return NOTHING


def resubmit(run: Run, invocation: Invocation) -> Value:
    _journey(run).resubmit = _kept(invocation)
    return NOTHING


def recirculate(run: Run, invocation: Invocation) -> Value:
    _journey(run).recirculate = _kept(invocation)
    return NOTHING


def _kept(invocation: Invocation) -> Kept:
    """Return what a call keeps. The deprecated ones name the fields themselves, which keep the
    values that they have at the end of the control."""
    if "index" in invocation.values:
        return number(invocation.values["index"])
    data = invocation.written.get("data")
    return () if data is None else tuple(_parts(data))


def _parts(data: typed.Expression) -> Iterator[Part]:
    match data:
        case typed.TupleLiteral(elements=elements):
            for element in elements:
                yield from _parts(element)
        case typed.StructLiteral(fields=fields):
            for _, value in fields:
                yield from _parts(value)
        case typed.Literal():
            pass
        case _:
            yield _part(data)


def _part(data: typed.Expression) -> Part:
    names: list[str] = []
    inner = data
    while isinstance(inner, typed.Field):
        names.insert(0, inner.name)
        inner = inner.base
    if not isinstance(inner, typed.Ref) or not isinstance(inner.declaration, typed.Parameter):
        raise Stuck("only fields of metadata can be kept", data.span)
    return Part(inner.type, tuple(names))


def truncate(run: Run, invocation: Invocation) -> Value:
    _journey(run).longest = _number(run, invocation, "length")
    return NOTHING


# Hashes and checksums


def _hashed(run: Run, invocation: Invocation, data_kind: t.Type, payload: bytes = b"") -> int:
    algorithm = str(invocation.argument("algo").value)
    data = data_bytes(run, invocation.values["data"], data_kind)
    return HASHES[algorithm](run, data + payload)


def hash_(run: Run, invocation: Invocation) -> Value:
    """base + hash modulo max, or base alone where max is 0."""
    result_kind, _, data_kind, _ = invocation.type_arguments
    base, most = _number(run, invocation, "base"), _number(run, invocation, "max")
    found = _hashed(run, invocation, data_kind) % most if most else 0
    invocation.values["result"] = Scalar(operators.wrap(base + found, result_kind))
    return NOTHING


def _checksum(run: Run, invocation: Invocation) -> Scalar | None:
    """Return the checksum of the data, None where the condition does not hold."""
    if not run.decide(invocation.values["condition"]):
        return None
    data_kind, kind = invocation.type_arguments
    with_payload = invocation.name.endswith("_with_payload")
    payload = _journey(run).payload[:MOST_PAYLOAD] if with_payload else b""
    return Scalar(operators.wrap(_hashed(run, invocation, data_kind, payload), kind))


def verify_checksum(run: Run, invocation: Invocation) -> Value:
    found = _checksum(run, invocation)
    given = invocation.argument("checksum")
    if found is not None and run.observe(given) != found.value:
        _journey(run).checksum_error = True
    return NOTHING


def update_checksum(run: Run, invocation: Invocation) -> Value:
    found = _checksum(run, invocation)
    if found is not None:
        invocation.values["checksum"] = found
    return NOTHING


class Checksum16(ExternObject):
    """The deprecated internet checksum."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)

    def call(self, run: Run, invocation: Invocation) -> Value:
        data = data_bytes(run, invocation.values["data"], invocation.type_arguments[0])
        return Scalar(crc.csum16(data))


# Meters


class V1Meters(arrays.Meters):
    def call(self, run: Run, invocation: Invocation) -> Value:
        if invocation.name != "execute_meter":
            raise arrays.unknown("meters", invocation)
        colour = self.execute(run, arrays.index_of(run, invocation))
        invocation.values["result"] = _as_result(colour, invocation)
        return NOTHING


class V1DirectMeters(arrays.DirectMeters):
    """Metered at each hit, whether the action reads the colour or not. Read elsewhere than in an
    action of the table, it leaves the argument as it is."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made)
        self._kind = made.kinds[0]
        self._colour: int | None = None

    def hit(self, run: Run, entry: Entry | None) -> None:
        super().hit(run, entry)
        self._colour = self.execute(run)

    def leave(self) -> None:
        super().leave()
        self._colour = None

    def call(self, run: Run, invocation: Invocation) -> Value:
        if invocation.name != "read":
            raise arrays.unknown("direct meters", invocation)
        if self._colour is None:
            del invocation.values["result"]
        else:
            invocation.values["result"] = Scalar(operators.wrap(self._colour, self._kind))
        return NOTHING


def _as_result(colour: int, invocation: Invocation) -> Scalar:
    return Scalar(operators.wrap(colour, invocation.type_arguments[0]))


# What tells somebody something


def random(run: Run, invocation: Invocation) -> Value:
    """Any number from lo to hi is right; the least one is taken."""
    low = invocation.argument("lo")
    invocation.values["result"] = Scalar(low.value, undefined=True)
    return NOTHING


def digest(run: Run, invocation: Invocation) -> Value:
    (kind,) = invocation.type_arguments
    receiver = _number(run, invocation, "receiver")
    messages.send(run, messages.name_of(kind), kind, invocation.values["data"], receiver)
    return NOTHING


def check(run: Run, invocation: Invocation) -> Value:
    if not run.decide(invocation.values["check"]):
        raise Halted
    return NOTHING


def log_msg(run: Run, invocation: Invocation) -> Value:
    """Tell the trace the message, each `{}` in it replaced by the next field of the data."""
    if run.trace:
        message = str(scalar(invocation.values["msg"]).value)
        for text in _texts(invocation):
            message = message.replace("{}", text, 1)
        run.trace(Called("log", (("message", message),), invocation.span))
    return NOTHING


def _texts(invocation: Invocation) -> list[str]:
    data = invocation.values.get("data")
    if data is None:
        return []
    match invocation.type_arguments[0]:
        case t.Tuple(elements=kinds):
            return [shown.value(v, kind) for v, kind in zip(parts(data), kinds, strict=True)]
        case t.Struct(fields=fields):
            return [shown.value(v, f.type) for v, f in zip(parts(data), fields, strict=True)]
        case kind:
            return [shown.value(data, kind)]


FUNCTIONS = {
    "mark_to_drop": mark_to_drop,
    "clone": clone,
    "clone3": clone,
    "clone_preserving_field_list": clone,
    "resubmit": resubmit,
    "resubmit_preserving_field_list": resubmit,
    "recirculate": recirculate,
    "recirculate_preserving_field_list": recirculate,
    "truncate": truncate,
    "hash": hash_,
    "verify_checksum": verify_checksum,
    "verify_checksum_with_payload": verify_checksum,
    "update_checksum": update_checksum,
    "update_checksum_with_payload": update_checksum,
    "random": random,
    "digest": digest,
    "assert": check,
    "assume": check,
    "log_msg": log_msg,
}

OBJECTS = {
    "counter": arrays.Counters,
    "direct_counter": arrays.DirectCounters,
    "meter": V1Meters,
    "direct_meter": V1DirectMeters,
    "register": arrays.Registers,
    "Checksum16": Checksum16,
    **action_profiles.OBJECTS,
}
