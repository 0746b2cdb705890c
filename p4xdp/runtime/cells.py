"""Cells of counters, registers and meters: requests as operations on maps.

A request and the description of a program go in; what must be stored in which cells comes out.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from p4xdp.description import Counter, Description, Meter, Register, Table, encode_scalar
from p4xdp.diagnostics import NO_SPAN, CompileError, Span, fail
from p4xdp.records import dataclass
from p4xdp.runtime import crc
from p4xdp.runtime.names import resolve
from p4xdp.runtime.requests import (
    Inspect,
    MeterRate,
    Name,
    Number,
    SetCrc,
    SetRates,
    WriteCounter,
    WriteRegister,
)

NANO = 10**9
"""Parts of a packet or byte in which a meter counts, so that a nanosecond brings whole ones."""

MOST_BURST = 2**64 // NANO - 1
MOST_RATE = 2**64 // 10**6
"""Packets or bytes for each microsecond, so that those of a second are a number of 64 bits."""


class Maps(Protocol):
    def update(self, name: str, key: bytes, value: bytes, flags: int = 0) -> None: ...

    def lookup(self, name: str, key: bytes) -> bytes | None: ...

    def settle(self) -> None: ...

    def update_many(self, name: str, pairs: Sequence[tuple[bytes, bytes]]) -> None: ...


@dataclass(frozen=True, slots=True)
class PutCells:
    """Store a value in cells; in those of counters for all CPUs together. The one cell of a direct
    object belongs to an entry of the table `owner`. Without a value it only has to be there."""

    map: str
    cells: Sequence[int]
    value: bytes
    span: Span
    owner: str | None = None

    def carry_out(self, maps: Maps) -> None:
        """Raises BpfError. What no packet reaches has no map."""
        for cell in self.cells if self.map and self.value else ():
            maps.update(self.map, struct.pack("=I", cell), self.value)


def fill(register: Register, maps: Maps) -> None:
    """Put what the program says into all cells of a register; raises BpfError."""
    if register.initial:
        value = bytes.fromhex(register.initial)
        pairs = [(struct.pack("=I", cell), value) for cell in range(register.size)]
        maps.update_many(register.map, pairs)


@dataclass(frozen=True, slots=True)
class PutCrc:
    """Change the parameters of a custom check: the slot that is not in force, then which one is."""

    map: str
    value: bytes
    span: Span

    def carry_out(self, maps: Maps) -> None:
        """Raises BpfError."""
        size = len(self.value)
        cell = bytearray(maps.lookup(self.map, bytes(4)) or bytes(8 + 2 * size))
        (current,) = struct.unpack_from("=Q", cell)
        other = 1 - (current & 1)
        cell[8 + other * size : 8 + (other + 1) * size] = self.value
        maps.update(self.map, bytes(4), bytes(cell))
        struct.pack_into("=Q", cell, 0, other)
        maps.update(self.map, bytes(4), bytes(cell))
        maps.settle()


def planned_crc(description: Description, request: SetCrc) -> PutCrc | None:
    """Return what a request changes, None in a program without the check; raises CompileError."""
    for number in (request.polynomial, request.initial, request.final):
        if number.value >> request.width:
            text = f"{number.text} does not fit a CRC of {request.width} bits"
            raise fail("entry-value", number.span, text)
    map_name = description.crc16 if request.width == 16 else description.crc32
    if map_name is None:
        return None
    numbers = (request.polynomial.value, request.initial.value, request.final.value)
    flags = (request.reflect_in, request.reflect_out)
    value = crc.encoded(crc.Parameters(request.width, *numbers, *flags))
    return PutCrc(map_name, value, request.span)


CellRequest = WriteCounter | WriteRegister | SetRates | Inspect


def planned(description: Description, request: CellRequest) -> PutCells:
    """Return what a request stores; raises CompileError with what is wrong with it."""
    match request:
        case WriteCounter(counter=name, index=index, span=span):
            counter = find_counter(description, name)
            value = counter_cell(counter, counted_as(request.packets), counted_as(request.bytes))
            return PutCells(
                counter.map, _cells(counter, index), value, span, _owner(counter, index)
            )
        case WriteRegister(register=name, index=index, value=number, span=span):
            register = _find(name, _registers(description), "register")
            indexes = _cells(register, index)
            return PutCells(register.map, indexes, _register_cell(register, number), span)
        case SetRates(meter=name, index=index, rates=rates, span=span):
            meter = _find(name, _meters(description), "meter")
            value = meter_cell(checked_rates(rates, span))
            return PutCells(meter.map, _cells(meter, index), value, span, _owner(meter, index))
        case Inspect(kind=kind, name=name, index=index, span=span):
            one = _inspected(description, kind, name)
            owner = None if isinstance(one, Register) else _owner(one, index)
            return PutCells(one.map, _cells(one, index), b"", span, owner)


def _owner(one: Counter | Meter, index: Number | None) -> str | None:
    return None if index is None else one.table


def counted_as(number: Number) -> int:
    """Return a number for a cell to have counted; raises CompileError for too great a one."""
    if number.value >> 64:
        text = f"{number.text or number.value} does not fit the 64 bits of a counter"
        raise fail("entry-value", number.span, text)
    return number.value


def nanoseconds(milliseconds: Number) -> int:
    """Return a timeout as it is kept; raises CompileError for too great a one."""
    if milliseconds.value * 10**6 >> 64:
        text = f"{milliseconds.text or milliseconds.value} milliseconds are too many"
        help = f"the longest timeout is {(2**64 - 1) // 10**6}; 0 is none"
        raise fail("entry-value", milliseconds.span, text, help=help)
    return milliseconds.value * 10**6


def checked_rates(rates: Sequence[MeterRate], span: Span) -> Sequence[MeterRate]:
    """Return the committed and the peak rate of a meter, or one for both; raises CompileError for
    what no meter can have."""
    if len(rates) not in (1, 2):
        text = f"a meter has two rates, the committed and the peak rate; there are {len(rates)}"
        place = rates[2].span if rates else span
        raise fail("entry-value", place, text, help="give `rate:burst rate:burst`")
    for rate in rates:
        if rate.rate >= MOST_RATE:
            text = f"a rate is less than {MOST_RATE} for each microsecond"
            raise fail("entry-value", rate.span, text)
        if rate.burst > MOST_BURST:
            raise fail("entry-value", rate.span, f"a burst is at most {MOST_BURST}")
    if rates[-1].rate < rates[0].rate:
        text = "the peak rate is less than the committed rate"
        raise fail("entry-value", rates[-1].span, text, help="the committed rate stands first")
    return rates


def no_entry(table: str, number: int, span: Span) -> CompileError:
    """Return the error for the cell of an entry that is not there."""
    help = "entries are numbered from 0, in the order in which they were added"
    return fail("entry-key", span, f"table `{table}` has no entry {number}", help=help)


def _inspected(description: Description, kind: str, name: Name) -> Counter | Register | Meter:
    match kind:
        case "counter":
            return find_counter(description, name)
        case "register":
            return _find(name, _registers(description), kind)
        case _:
            return _find(name, _meters(description), kind)


def find_counter(description: Description, name: Name) -> Counter:
    """Return the counter that a name means; raises CompileError."""
    counters = (*description.counters, *description.absent.counters)
    return _find(name, counters, "counter")


def _registers(description: Description) -> tuple[Register, ...]:
    return (*description.registers, *description.absent.registers)


def _meters(description: Description) -> tuple[Meter, ...]:
    return (*description.meters, *description.absent.meters)


Kind = TypeVar("Kind", Counter, Register, Meter)


def _find(name: Name, all_: Iterable[Kind], what: str) -> Kind:
    code = "entry-counter" if what == "counter" else "entry-object"
    return resolve(name, tuple(all_), lambda one: one.name, code, what)


def _cells(one: Counter | Register | Meter, index: Number | None) -> Sequence[int]:
    if index is None:
        return range(one.size)
    is_direct = not isinstance(one, Register) and one.table is not None
    if index.value >= one.size and not is_direct:
        raise no_cell(one, index)
    return (index.value,)


def no_cell(one: Counter | Register | Meter, index: Number) -> CompileError:
    """Return the error for a cell that is not there."""
    kind = type(one).__name__.lower()
    text = f"{kind} `{one.name}` has no cell {index.value}: its size is {one.size}"
    return fail("entry-counter" if kind == "counter" else "entry-object", index.span, text)


def counted(counter: Counter, raw: bytes, unit: str | None = None) -> int:
    """Return what a cell has counted on all CPUs; `unit` as in read_counter."""
    numbers = struct.unpack(f"={len(raw) // 8}Q", raw)
    if counter.unit == "packets_and_bytes":
        numbers = numbers[1::2] if unit == "bytes" else numbers[::2]
    return sum(numbers)


# Direct counters and meters


LAST_HIT = struct.Struct("=QQ")
"""When an entry was hit last, and after how many nanoseconds it is out of date (0: never)."""


def last_hit(maps: Maps, table: Table, cell: int) -> tuple[int, int]:
    """Return both numbers of an entry's cell; raises BpfError."""
    assert table.last_hit is not None
    raw = maps.lookup(table.last_hit, struct.pack("=I", cell)) or bytes(LAST_HIT.size)
    times, timeouts = zip(*LAST_HIT.iter_unpack(raw), strict=True)
    return max(times), max(timeouts)


def cell_of(table: Table, value: bytes) -> int | None:
    """Return the cell that a value struct says is its entry's own."""
    (id,) = struct.unpack_from("=I", value)
    at = next(action.cell for action in table.actions if action.id == id)
    return None if at is None else int(struct.unpack_from(">I", value, at)[0])


def with_cell(table: Table, value: bytes, cell: int) -> bytes:
    """Return the value struct with another cell."""
    (id,) = struct.unpack_from("=I", value)
    at = next(action.cell for action in table.actions if action.id == id)
    changed = bytearray(value)
    if at is not None:
        struct.pack_into(">I", changed, at, cell)
    return bytes(changed)


def is_counted(table: Table) -> bool:
    """Tell whether the entries of a table have cells."""
    return any(action.cell is not None for action in table.actions)


def free_cell(table: Table, values: Iterable[bytes]) -> int:
    """Return the first cell that none of the entries has."""
    taken = {cell_of(table, value) for value in values}
    return next(cell for cell in range(table.size + 1) if cell not in taken)


def clear_cell(description: Description, maps: Maps, table: Table, cell: int) -> None:
    """Let the cell of a new entry start from nothing; raises BpfError."""
    if table.last_hit:
        value = LAST_HIT.pack(time.clock_gettime_ns(time.CLOCK_MONOTONIC), 0)
        PutCells(table.last_hit, (cell,), value, NO_SPAN).carry_out(maps)
    for counter in description.counters:
        if counter.table == table.name and cell < counter.size:
            empty = counter_cell(counter, 0, 0)
            PutCells(counter.map, (cell,), empty, NO_SPAN).carry_out(maps)
    for meter in description.meters:
        if meter.table == table.name and cell < meter.size:
            PutCells(meter.map, (cell,), meter_cell(()), NO_SPAN).carry_out(maps)


# Cells as bytes


def counter_cell(counter: Counter, packets: int, octets: int) -> bytes:
    """Return the cell that has counted so much."""
    match counter.unit:
        case "packets_and_bytes":
            return struct.pack("=QQ", packets, octets)
        case "bytes":
            return struct.pack("=Q", octets)
        case _:
            return struct.pack("=Q", packets)


def value_misfit(register: str, width: int, number: Number) -> CompileError:
    """Return the error for a value that the cells of a register have no room for."""
    text = f"{number.text or number.value} does not fit the {width} bits of a cell of `{register}`"
    return fail("entry-value", number.span, text)


def _register_cell(register: Register, number: Number) -> bytes:
    if len(register.fields) != 1:
        text = f"a cell of register `{register.name}` has several fields"
        raise fail("entry-unsupported", number.span, text)
    (field,) = register.fields
    if number.value >> field.width:
        raise value_misfit(register.name, field.width, number)
    return encode_scalar(number.value, field.width)


def meter_cell(rates: Sequence[MeterRate]) -> bytes:
    """Return a meter's cell with full buckets: `struct p4xdp_meter` of the run-time headers."""
    if not rates:
        return bytes(8 + 2 * BUCKET.size)
    committed, peak = rates[0], rates[-1]
    return struct.pack("=II", 0, 1) + _bucket(peak) + _bucket(committed)


def has_rates(cell: bytes) -> bool:
    """Tell whether a meter's cell has been given rates."""
    (configured,) = struct.unpack_from("=I", cell, 4)
    return bool(configured)


BUCKET = struct.Struct("=QQQQQ")
"""Rate, burst, nanoseconds that fill it, tokens, last time."""


def _bucket(rate: MeterRate) -> bytes:
    each_second = round(rate.rate * 10**6)
    burst = rate.burst * NANO
    full = min(burst // each_second + 1 if each_second else 2**64 - 1, 2**64 - 1)
    return BUCKET.pack(each_second, burst, full, burst, 0)
