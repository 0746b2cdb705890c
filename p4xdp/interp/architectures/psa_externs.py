"""The externs of PSA (its specification, section 7)."""

from __future__ import annotations

from p4xdp.frontend import types as t
from p4xdp.interp import operators
from p4xdp.interp.architectures import action_profiles, arrays, messages
from p4xdp.interp.architectures.hashed import data_bytes
from p4xdp.interp.architectures.hashing import HASHES, Hash
from p4xdp.interp.architectures.traffic import Halted
from p4xdp.interp.crc import ones_complement_sum
from p4xdp.interp.machine import Construction, ExternObject, Invocation, Run
from p4xdp.interp.values import NOTHING, Record, Scalar, Value, boolean, number, scalar

RECIRCULATE_PORT = 0xFFFFFFFA
CPU_PORT = 0xFFFFFFFD
COLOURS = ("GREEN", "YELLOW", "RED")
"""By the numbers of `arrays`."""


def _metadata(invocation: Invocation, name: str) -> Record:
    value = invocation.values[name]
    if not isinstance(value, Record):
        raise TypeError(value)
    return value


def _flag(run: Run, metadata: Record, name: str) -> bool:
    return run.decide(metadata.fields[name])


def clones(run: Run, invocation: Invocation) -> Value:
    """Whether a clone is made, for both ways."""
    return boolean(_flag(run, _metadata(invocation, "istd"), "clone"))


def resubmits(run: Run, invocation: Invocation) -> Value:
    decided = _metadata(invocation, "istd")
    return boolean(not _flag(run, decided, "drop") and _flag(run, decided, "resubmit"))


def goes_on(run: Run, invocation: Invocation) -> Value:
    decided = _metadata(invocation, "istd")
    return boolean(not _flag(run, decided, "drop") and not _flag(run, decided, "resubmit"))


def recirculates(run: Run, invocation: Invocation) -> Value:
    decided, egress = _metadata(invocation, "istd"), _metadata(invocation, "edstd")
    port = number(egress.fields["egress_port"])
    return boolean(not _flag(run, decided, "drop") and port == RECIRCULATE_PORT)


def check(run: Run, invocation: Invocation) -> Value:
    if not run.decide(invocation.values["check"]):
        raise Halted
    return NOTHING


# Hashes and checksums


def _data(run: Run, invocation: Invocation, kind: t.Type) -> bytes:
    return data_bytes(run, invocation.values["data"], kind, zeros_first=True)


class Hashing(ExternObject):
    """`Hash`: the hash of the data, or base + hash modulo max."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)
        (algorithm,) = made.values.values()
        self._algorithm: Hash = HASHES[str(scalar(algorithm).value).lower()]
        self._kind = made.kinds[0]

    def call(self, run: Run, invocation: Invocation) -> Value:
        data_kind = invocation.type_arguments[-1]
        data = _data(run, invocation, data_kind)
        found = self._algorithm(run, data)
        if "max" in invocation.values:
            base, most = (invocation.argument(name) for name in ("base", "max"))
            run.observe(base)
            run.observe(most)
            found = number(base) + (found % number(most) if number(most) else 0)
        return Scalar(operators.wrap(found, self._kind))


class _Anew(ExternObject):
    """An object that is as if it had just been made each time its pipeline begins."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)
        self._journey: object = None

    def begin(self, run: Run) -> None:
        """Clear what was left before this pass through ingress or egress."""
        if self._journey is not run.journey:
            self._journey = run.journey
            self.clear()

    def clear(self) -> None:
        raise NotImplementedError


class Checksum(_Anew):
    """A hash over all data since the last `clear`."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made)
        (algorithm,) = made.values.values()
        self._algorithm: Hash = HASHES[str(scalar(algorithm).value).lower()]
        self._kind = made.kinds[0]
        self._data = b""

    def clear(self) -> None:
        self._data = b""

    def call(self, run: Run, invocation: Invocation) -> Value:
        self.begin(run)
        match invocation.name:
            case "clear":
                self.clear()
            case "update":
                kind = invocation.type_arguments[0]
                self._data += _data(run, invocation, kind)
            case "get":
                return Scalar(operators.wrap(self._algorithm(run, self._data), self._kind))
            case _:
                raise arrays.unknown("checksums", invocation)
        return NOTHING


class InternetChecksum(_Anew):
    """A sum of 16-bit words to which data are added and from which they are taken (RFC 1624)."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made)
        self._sum = 0

    def clear(self) -> None:
        self._sum = 0

    def call(self, run: Run, invocation: Invocation) -> Value:
        self.begin(run)
        match invocation.name:
            case "clear":
                self.clear()
            case "add":
                self._add(self._words(run, invocation))
            case "subtract":
                self._add(bytes([byte ^ 0xFF for byte in self._words(run, invocation)]))
            case "get":
                return Scalar(self._sum ^ 0xFFFF)
            case "get_state":
                return Scalar(self._sum)
            case "set_state":
                state = invocation.argument("checksum_state")
                run.observe(state)
                self._sum = number(state)
            case _:
                raise arrays.unknown("checksums", invocation)
        return NOTHING

    def _words(self, run: Run, invocation: Invocation) -> bytes:
        data = _data(run, invocation, invocation.type_arguments[0])
        return data + bytes(len(data) % 2)

    def _add(self, words: bytes) -> None:
        self._sum = ones_complement_sum(self._sum.to_bytes(2, "big") + words)


# Meters, random numbers, digests


def _before(run: Run, invocation: Invocation) -> int:
    """Return the colour that a packet has already, green where none is given."""
    if "color" not in invocation.values:
        return arrays.GREEN
    colour = invocation.argument("color")
    run.observe(colour)
    return COLOURS.index(str(colour.value))


class PsaMeters(arrays.Meters):
    def call(self, run: Run, invocation: Invocation) -> Value:
        index = arrays.index_of(run, invocation)
        return Scalar(COLOURS[self.execute(run, index, _before(run, invocation))])


class PsaDirectMeters(arrays.DirectMeters):
    def call(self, run: Run, invocation: Invocation) -> Value:
        return Scalar(COLOURS[self.execute(run, _before(run, invocation))])


class Random(ExternObject):
    """Any number from the least to the greatest is right; the least one is taken."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)
        self._least = scalar(next(iter(made.values.values())))

    def call(self, run: Run, invocation: Invocation) -> Value:
        return Scalar(self._least.value, undefined=True)


class Digests(ExternObject):
    """`Digest`: a message, called as the object, that is for nobody in particular."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)
        self._kind = made.kinds[0]

    def call(self, run: Run, invocation: Invocation) -> Value:
        messages.send(run, self.path, self._kind, invocation.values["data"], 0)
        return NOTHING


class Engine(ExternObject):
    """The engines of the package, which have no methods."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)

    def call(self, run: Run, invocation: Invocation) -> Value:
        return NOTHING


FUNCTIONS = {
    "psa_clone_i2e": clones,
    "psa_clone_e2e": clones,
    "psa_resubmit": resubmits,
    "psa_normal": goes_on,
    "psa_recirculate": recirculates,
    "assert": check,
    "assume": check,
}

OBJECTS = {
    "PacketReplicationEngine": Engine,
    "BufferingQueueingEngine": Engine,
    "Hash": Hashing,
    "Checksum": Checksum,
    "InternetChecksum": InternetChecksum,
    "Counter": arrays.Counters,
    "DirectCounter": arrays.CalledDirectCounters,
    "Meter": PsaMeters,
    "DirectMeter": PsaDirectMeters,
    "Register": arrays.Registers,
    "Random": Random,
    "Digest": Digests,
    **action_profiles.OBJECTS,
}
