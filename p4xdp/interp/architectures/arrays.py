"""Counters, meters and registers, indexed and direct, as v1model and PSA have them.

An index outside of an array has no effect; what is read there is undefined. The cells of direct
objects belong to the entries of a table: `hit` is told which entry was found.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from p4xdp.frontend import types as t
from p4xdp.interp.architectures.journey import journey_of
from p4xdp.interp.machine import Construction, ExternObject, Invocation, Run, Stuck
from p4xdp.interp.tables import DirectObject, Entry, EntryKey
from p4xdp.interp.values import NOTHING, Value, copy, default, number, scalar, uninitialised
from p4xdp.records import dataclass, dataclass as record, field

CELL_WIDTH = 64
GREEN, YELLOW, RED = range(3)
"""The colours of v1model, best first."""


def unknown(what: str, invocation: Invocation) -> Stuck:
    return Stuck(f"{what} have no method `{invocation.name}`", invocation.span)


def index_of(run: Run, invocation: Invocation) -> int:
    """Return the argument `index`."""
    index = invocation.argument("index")
    run.observe(index)
    return number(index)


# Counters


@dataclass(slots=True)
class Count:
    packets: int = 0
    bytes: int = 0

    def add(self, length: int) -> None:
        self.packets = (self.packets + 1) % (1 << CELL_WIDTH)
        self.bytes = (self.bytes + length) % (1 << CELL_WIDTH)


class Counters(ExternObject):
    """`counter` and `Counter`. Each cell counts both; what the program asks for can be read:
    `units` are `packets`, `bytes` or both."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)
        size, kind = made.values.values()
        self.size = number(size)
        self.units = units_of(kind)
        self.cells: dict[int, Count] = {}

    def call(self, run: Run, invocation: Invocation) -> Value:
        if invocation.name != "count":
            raise unknown("counters", invocation)
        index = index_of(run, invocation)
        if index < self.size:
            self.cells.setdefault(index, Count()).add(journey_of(run).length)
        return NOTHING


def units_of(kind: Value) -> tuple[str, ...]:
    """Return what a member of CounterType or PSA_CounterType_t says."""
    name = str(scalar(kind).value).lower()
    return ("packets", "bytes") if name == "packets_and_bytes" else (name,)


class DirectCounters(ExternObject, DirectObject):
    """`direct_counter` counts each hit of its table, once, whether the action calls `count` or
    not; `DirectCounter` counts where the action does."""

    counts_hits = True

    def __init__(self, made: Construction) -> None:
        ExternObject.__init__(self, made.path)
        (kind,) = made.values.values()
        self.units = units_of(kind)
        self.cells: dict[EntryKey, Count] = {}
        self._found: EntryKey | None = None

    def hit(self, run: Run, entry: Entry | None) -> None:
        self._found = entry.key if entry else None
        if self.counts_hits:
            self._count(run)

    def leave(self) -> None:
        self._found = None

    def forget(self, entry: EntryKey) -> None:
        self.cells.pop(entry, None)

    def _count(self, run: Run) -> None:
        if self._found is not None:
            self.cells.setdefault(self._found, Count()).add(journey_of(run).length)

    def call(self, run: Run, invocation: Invocation) -> Value:
        if invocation.name != "count":
            raise unknown("counters", invocation)
        if not self.counts_hits:
            self._count(run)
        return NOTHING


class CalledDirectCounters(DirectCounters):
    """PSA's `DirectCounter`."""

    counts_hits = False


# Meters


@record(frozen=True, slots=True)
class Rate:
    """Packets or bytes for each microsecond, and how many may come at once."""

    rate: Fraction
    burst: int


@dataclass(slots=True)
class Bucket:
    """Tokens for one rate; `given` is what came in since the rate was set at `since`."""

    rate: Rate
    since: int
    tokens: int
    given: int = 0

    def fill(self, now: int) -> None:
        given = int((now - self.since) * self.rate.rate)
        self.tokens = min(self.tokens + given - self.given, self.rate.burst)
        self.given = given


@dataclass(slots=True)
class Meter:
    """Two rates, three colours (RFC 2698): above the peak rate red, above the committed rate
    yellow. A meter that has no rates yet lets everything pass as green."""

    buckets: list[Bucket] = field(default_factory=list)

    def set(self, rates: Sequence[Rate], now: int) -> None:
        """Set the committed rate, then the peak rate."""
        self.buckets = [Bucket(rate, now, rate.burst) for rate in reversed(rates)]

    def execute(self, now: int, amount: int, before: int = GREEN) -> int:
        """Return the colour of a packet that was `before`, which never gets better."""
        for bucket, colour in zip(self.buckets, (RED, YELLOW), strict=False):
            bucket.fill(now)
            if bucket.tokens < amount:
                return max(before, colour)
            bucket.tokens -= amount
        return before


class Metering(ExternObject):
    """What all meters share: whether they count packets or bytes."""

    def __init__(self, made: Construction, kind: Value) -> None:
        super().__init__(made.path)
        self.unit = str(scalar(kind).value).lower()

    def amount(self, run: Run) -> int:
        return 1 if self.unit == "packets" else journey_of(run).length


class Meters(Metering):
    """`meter` and `Meter`."""

    def __init__(self, made: Construction) -> None:
        size, kind = made.values.values()
        super().__init__(made, kind)
        self.size = number(size)
        self.cells: dict[int, Meter] = {}

    def execute(self, run: Run, index: int, before: int = GREEN) -> int:
        if index >= self.size:
            return before
        meter = self.cells.setdefault(index, Meter())
        return meter.execute(run.machine.now, self.amount(run), before)


class DirectMeters(Metering, DirectObject):
    """`direct_meter` and `DirectMeter`: the meter of the entry that was found, or none."""

    def __init__(self, made: Construction) -> None:
        (kind,) = made.values.values()
        Metering.__init__(self, made, kind)
        self.cells: dict[EntryKey, Meter] = {}
        self._found: EntryKey | None = None

    def hit(self, run: Run, entry: Entry | None) -> None:
        self._found = entry.key if entry else None

    def leave(self) -> None:
        self._found = None

    def forget(self, entry: EntryKey) -> None:
        self.cells.pop(entry, None)

    def execute(self, run: Run, before: int = GREEN) -> int:
        meter = self.cells.get(self._found) if self._found else None
        return meter.execute(run.machine.now, self.amount(run), before) if meter else before


# Registers


class Registers(ExternObject):
    """`register` and `Register`: cells of any type, which start as 0 or as the program says."""

    def __init__(self, made: Construction) -> None:
        super().__init__(made.path)
        size, *initial = made.values.values()
        self.kind: t.Type = made.kinds[0]
        self.size = number(size)
        self._initial = initial[0] if initial else default(self.kind)
        self.cells: dict[int, Value] = {}

    def read(self, index: int) -> Value:
        if index >= self.size:
            return uninitialised(self.kind)
        return copy(self.cells.get(index, self._initial))

    def write(self, index: int, value: Value) -> None:
        if index < self.size:
            self.cells[index] = copy(value)

    def call(self, run: Run, invocation: Invocation) -> Value:
        index = index_of(run, invocation)
        match invocation.name:
            case "read" if "result" in invocation.values:
                invocation.values["result"] = self.read(index)
                return NOTHING
            case "read":
                return self.read(index)
            case "write":
                self.write(index, invocation.values["value"])
                return NOTHING
            case _:
                raise unknown("registers", invocation)
