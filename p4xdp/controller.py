"""A loaded program from Python: its messages, its tables and what stands beside them.

    from p4xdp.controller import Digest, Switch

    with Switch.open("veth0") as switch:
        for message in switch.messages():
            if isinstance(message, Digest) and message.name == "learn_t":
                port = message.fields["port"]
                switch.add("forward", {"dst": message.fields["src"]}, "to_port", {"port": port})

Tables, actions, fields, counters and digests go by the names that test files have for them: the
control-plane name or an end of it. Numbers are `int`, or text as in command files: `"0x2a"`,
`"10.0.0.1"`, `"02:00:00:00:00:01"`. Whatever cannot be done raises ControlError.
"""

from __future__ import annotations

import math
import operator
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Self

from p4xdp.description import Description, Field, Table
from p4xdp.diagnostics import NO_SPAN, CompileError, fail
from p4xdp.records import dataclass
from p4xdp.runtime import devices, entries as operations, listing, pins, planning
from p4xdp.runtime.closing import Closing
from p4xdp.runtime.encode import Match
from p4xdp.runtime.libbpf import LIVE_FRAMES, BpfError, LibbpfMissing
from p4xdp.runtime.machine import check_machine
from p4xdp.runtime.maps import KernelMaps
from p4xdp.runtime.messages import (
    Digest as Digest,
    Message as Message,
    MessageError,
    Packet as Packet,
    decode,
    packet_out,
)
from p4xdp.runtime.pins import Install
from p4xdp.runtime.requests import (
    ActionCall,
    AddEntry,
    Argument,
    KeyMatch,
    Name,
    Number,
    RemoveAll,
    RemoveEntry,
    Request,
    ResetDefault,
    SetDefault,
    SetTimeout,
    WriteRegister,
)
from p4xdp.runtime.ringbuf import RingBuffer
from p4xdp.stf.entries_file import read_requests
from p4xdp.stf.numbers import MOST_BITS, number_of, shortened


class ControlError(Exception):
    """What was asked for cannot be done: the text says why."""


Value = int | str
"""A number, or text for one."""


@dataclass(frozen=True, slots=True)
class Prefix:
    """The first `length` bits of `value`, for an lpm or a ternary key."""

    value: Value
    length: int


@dataclass(frozen=True, slots=True)
class Masked:
    """The bits of `value` where `mask` has ones, for a ternary key."""

    value: Value
    mask: Value


@dataclass(frozen=True, slots=True)
class Range:
    """All numbers from `low` to `high`, both included, for a range key."""

    low: Value
    high: Value


Key = Value | Prefix | Masked | Range
Keys = Mapping[str, Key]
Data = Mapping[str, Value]


NO_DATA: Data = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a table. `keys` has an int for what must be equal; a field that may be anything
    is left out. `priority` is None in tables whose entries have none. `idle` is for how many
    seconds no packet found the entry, `timeout` after how many it is out of date, if it has a
    timeout of its own; both are None in tables without timeouts."""

    keys: dict[str, Key]
    action: str
    data: dict[str, int]
    priority: int | None = None
    idle: float | None = None
    timeout: float | None = None


class Switch(Closing):
    """A program that is loaded; `description` says what it consists of."""

    def __init__(self, install: Install) -> None:
        self.description: Description = install.description
        self._install = install
        self._held: KernelMaps | None = install.maps()
        self._ring: RingBuffer | None = None
        self._waiting: deque[bytes] = deque()

    @classmethod
    def open(cls, device: str, program: str | None = None) -> Self:
        """Return the program on a device of this network namespace: the one of that name, if there
        may be several. Raises ControlError."""
        with _refusals():
            return cls(installed(device, program))

    @property
    def pins(self) -> Path:
        """The directory of its pins, for tools that use the generated header."""
        return self._install.path

    @property
    def _maps(self) -> KernelMaps:
        if self._held is None:
            raise ControlError("this switch is closed")
        return self._held

    # Messages

    def listen(self) -> None:
        """Take messages from now on, before they are asked for. One process should listen: what
        one takes, no other sees. Raises ControlError for a program that sends none."""
        name = self.description.messages
        if name is None:
            raise ControlError(f"`{self.description.program}` sends no messages")
        if self._ring is None:
            with _refusals():
                self._ring = RingBuffer(self._maps[name])

    def messages(self, timeout: float | None = None) -> Iterator[Message]:
        """Yield what packets tell, as it comes, until `timeout` seconds are over (None: for ever);
        with 0 what waits already."""
        self.listen()
        assert self._ring is not None
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            while self._waiting:
                with _refusals():
                    message = decode(self.description, self._waiting.popleft())
                yield message
            left = None if end is None else max(0.0, end - time.monotonic())
            with _refusals():
                self._waiting.extend(self._ring.read(left))
            if not self._waiting and left == 0:
                return

    def fileno(self) -> int:
        """Return what `select` and event loops wait for: it is readable when messages wait."""
        self.listen()
        assert self._ring is not None
        return self._ring.fd

    def lost(self) -> int:
        """Return how many messages found no room since the program was loaded."""
        if self.description.messages is None:
            return 0
        with _refusals():
            raw = self._maps.lookup(f"{self.description.messages}_lost", bytes(4))
        return int.from_bytes(raw or b"", sys.byteorder)

    def send(self, data: bytes, metadata: Data = NO_DATA) -> None:
        """Let a packet into the program as one that came by the CPU port. `metadata` are the fields
        of the header in front of it, that is annotated @controller_header("packet_out"); those
        left out are 0. Raises ControlError for a program without a CPU port."""
        if self.description.cpu_port is None:
            raise ControlError(f"`{self.description.program}` was compiled without `--cpu-port`")
        numbers = {name: _number(value).value for name, value in metadata.items()}
        with _refusals():
            packet = packet_out(self.description, data, numbers)
            with self._install.program() as program:
                program.test_run(packet, flags=LIVE_FRAMES, batch_size=1)

    # Tables

    def add(
        self,
        table: str,
        keys: Keys,
        action: str,
        data: Data = NO_DATA,
        *,
        priority: int | None = None,
    ) -> None:
        """Add an entry, or give the one with these keys (and this priority) another action."""
        self.carry_out([_entry(table, keys, action, data, priority)])

    def remove(self, table: str, keys: Keys, *, priority: int | None = None) -> None:
        """Remove an entry; raises ControlError when it is not there."""
        self.carry_out([RemoveEntry(_entry(table, keys, "", {}, priority))])

    def clear(self, table: str | None = None) -> None:
        """Remove all entries of a table, or of every table, but const ones."""
        self.carry_out([RemoveAll(table=None if table is None else _name(table))])

    def set_default(self, table: str, action: str, data: Data = NO_DATA) -> None:
        """Change the default action."""
        self.carry_out([SetDefault(_name(table), _call(action, data))])

    def reset_default(self, table: str) -> None:
        """Let the default action be the program's own again."""
        self.carry_out([ResetDefault(_name(table))])

    def entries(self, table: str) -> tuple[Entry, ...]:
        """Return the entries of a table."""
        with _refusals():
            found = planning.find_table(self.description, _name(table))
            listed = tuple(listing.entries_of(self.description, self._maps, found))
        return tuple(_shown(found, one) for one in listed)

    def idle(self, table: str, longer_than: float | None = None) -> tuple[Entry, ...]:
        """Return the entries that no packet found for so many seconds, or, where that is None, for
        as long as their own timeout says. The table needs `support_timeout` or `psa_idle_timeout`;
        raises ControlError for another one."""
        if longer_than is not None:
            _seconds(longer_than)
        with _refusals():
            found = planning.find_table(self.description, _name(table))
            planning.check_timed(found.name, found.last_hit is not None, NO_SPAN)
        return tuple(one for one in self.entries(table) if _is_idle(one, longer_than))

    def set_timeout(
        self, table: str, keys: Keys, seconds: float, *, priority: int | None = None
    ) -> None:
        """Say after how many seconds without a packet an entry is out of date, 0 for never."""
        entry = _entry(table, keys, "", {}, priority)
        milliseconds = round(_seconds(seconds) * 1000)
        self.carry_out([SetTimeout(entry, _number(milliseconds))])

    def default(self, table: str) -> Entry:
        """Return the default action in force, as an entry without keys."""
        with _refusals():
            found = planning.find_table(self.description, _name(table))
            return _shown(found, listing.default_of(self.description, self._maps, found))

    # What stands beside the tables

    def counter(self, name: str, index: int = 0, unit: str | None = None) -> int:
        """Return a cell of a counter, summed over the CPUs; `unit` is `packets` or `bytes`, None
        for what it counts, packets where it counts both."""
        cell = _number(index)
        _check_unit(unit)
        with _refusals():
            return operations.read_counter(self.description, self._maps, _name(name), cell, unit)

    def entry_counter(
        self,
        name: str,
        table: str,
        keys: Keys,
        unit: str | None = None,
        *,
        priority: int | None = None,
    ) -> int:
        """Return what a direct counter has of an entry; `unit` as in `counter`."""
        wanted = _entry(table, keys, "", {}, priority)
        _check_unit(unit)
        with _refusals():
            cell = operations.entry_cell(self.description, self._maps, _name(name), wanted)
            return operations.read_counter(self.description, self._maps, _name(name), cell, unit)

    def write_register(self, name: str, index: int, value: Value) -> None:
        """Set a cell of a register."""
        self.carry_out([WriteRegister(_name(name), _number(index), _number(value))])

    # Anything else that files of entries can say

    def run(self, file: Path | str) -> None:
        """Carry out a file of entries: commands, P4Runtime-style JSON or STF."""
        with _refusals():
            requests = read_requests(Path(file))
        self.carry_out(requests)

    def carry_out(self, requests: Sequence[Request]) -> None:
        """Carry out requests in order; nothing is done if one of them is wrong in itself."""
        with _refusals():
            operations.apply_requests(self.description, self._maps, requests)

    def close(self) -> None:
        if self._ring is not None:
            self._ring.close()
            self._ring = None
        if self._held is not None:
            self._held.close()
            self._held = None


def installed(device: str, program: str | None = None) -> Install:
    """Return what is loaded, as `Switch.open` finds it; raises CompileError (`not-loaded`, and what
    a machine lacks)."""
    check_machine("reading what is loaded")
    index, here = devices.find(device).index, devices.namespace()
    every = pins.of_device(device, index)  # what is left of namespaces that are gone, too
    found = [one for one in every if one.attachment.namespace == here]
    wanted = [one for one in found if program in (None, one.program_name)]
    if len(wanted) == 1:
        return wanted[0]
    what = f"no program `{program}`" if program else "no program of p4xdp"
    text = f"several programs are on `{device}`" if wanted else f"{what} is on `{device}`"
    names = ", ".join(one.program_name for one in found)
    raise fail("not-loaded", None, text, help=f"there is {names}" if names else None)


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn what the layers below raise into ControlError."""
    try:
        yield
    except CompileError as error:
        said = [f"{d.text} ({d.help})" if d.help else d.text for d in error.diagnostics]
        raise ControlError("; ".join(said)) from error
    except (BpfError, LibbpfMissing, MessageError, OSError) as error:
        raise ControlError(str(error)) from error


# Requests


def _entry(table: str, keys: Keys, action: str, data: Data, priority: int | None) -> AddEntry:
    if not isinstance(keys, Mapping):
        raise ControlError(f"`{keys}` are no keys: they are a dict, by the names of key fields")
    matches = tuple(_match(name, key) for name, key in keys.items())
    number = None if priority is None else _number(priority)
    return AddEntry(_name(table), number, matches, _call(action, data))


def _call(action: str, data: Data) -> ActionCall:
    if not isinstance(data, Mapping):
        raise ControlError(f"`{data}` are no action data: they are a dict, by parameter names")
    arguments = [Argument(_name(name), _number(value)) for name, value in data.items()]
    return ActionCall(_name(action), tuple(arguments))


def _number(value: Value) -> Number:
    """Return a number; raises ControlError for what stands for none."""
    if isinstance(value, str):
        found = number_of(value)
    else:
        try:
            found = operator.index(value)
        except TypeError:
            found = None
    if found is None or found < 0 or found.bit_length() > MOST_BITS:
        told = "a number of thousands of digits" if found and found > 0 else f"`{value}`"
        raise ControlError(f"{shortened(told)} is no number that a table could hold")
    return Number(found, text=str(value))


def _name(text: str) -> Name:
    if not isinstance(text, str):
        raise ControlError(f"`{text}` is no name: names are text")
    return Name(text)


def _seconds(value: float) -> float:
    """Return a time; raises ControlError for what is none."""
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ControlError(f"`{value}` is no number of seconds")
    return value


def _check_unit(unit: str | None) -> None:
    if unit not in (None, "packets", "bytes"):
        raise ControlError(f"`{unit}` is not counted: packets and bytes are")


def _match(name: str, key: Key) -> KeyMatch:
    match key:
        case Prefix(value=value, length=length):
            return KeyMatch(_name(name), _number(value), prefix_length=_number(length))
        case Masked(value=value, mask=mask):
            return KeyMatch(_name(name), _number(value), mask=_number(mask))
        case Range(low=low, high=high):
            return KeyMatch(_name(name), _number(low), last=_number(high))
        case _:
            return KeyMatch(_name(name), _number(key))


# Entries that are read back

NANO = 10**9


def _shown(table: Table, listed: listing.Listed) -> Entry:
    pairs = zip(table.keys, listed.matches, strict=False)
    keys = {field.name: _key(field, match) for field, match in pairs if not _is_any(field, match)}
    idle = None if listed.idle is None else listed.idle / NANO
    timeout = listed.timeout / NANO if listed.timeout else None
    return Entry(keys, listed.action, listed.data, listed.priority, idle, timeout)


def _is_idle(entry: Entry, longer_than: float | None) -> bool:
    least = entry.timeout if longer_than is None else longer_than
    return entry.idle is not None and least is not None and entry.idle >= least


def _is_any(field: Field, match: Match) -> bool:
    if field.match == "range":
        return (match.low, match.high) == (0, (1 << field.width) - 1)
    return match.mask == 0 and field.match != "exact"


def _key(field: Field, match: Match) -> Key:
    if field.match == "range":
        return Range(match.low, match.high)
    if match.mask == (1 << field.width) - 1:
        return match.value
    if field.match == "lpm":
        return Prefix(match.value, match.mask.bit_count())
    return Masked(match.value, match.mask)
