"""The interp place: the typed program in the reference interpreter, no tool needed.

Requests are checked by the same code as for compiled programs, against a description of the
interpreter's tables; then they change the tables themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import assert_never

from p4xdp.deep import call_deep
from p4xdp.description import Action, ActionChoice, Field, Table
from p4xdp.diagnostics import CompileError, Diagnostics, Span, fail
from p4xdp.frontend import typed
from p4xdp.interp import Architecture, Stuck, keysets, load, run_packet
from p4xdp.interp.architectures.counters import CounterArray
from p4xdp.interp.events import Event
from p4xdp.interp.keysets import Between, Masked, key_width
from p4xdp.interp.machine import Machine
from p4xdp.interp.patterns import from_patterns, pattern_widths
from p4xdp.interp.tables import Choice, Entry, TableFull, TableState
from p4xdp.interp.values import Value
from p4xdp.runtime.encode import (
    Match,
    array_index,
    chosen,
    matches_of,
    priority_of,
    rule_of,
)
from p4xdp.runtime.names import resolve
from p4xdp.runtime.requests import AddEntry, Name, Number, RemoveAll, Request, SetDefault
from p4xdp.stf.place import Outcome, PlaceError, Task
from p4xdp.stf.syntax import VERDICTS

ARRAY_KEY_WIDTH = 32


@contextmanager
def open_interp(task: Task) -> Iterator[InterpPlace]:
    """Check the program and make it ready; raises PlaceError, CompileError."""
    yield InterpPlace(open_program(task.compile.check(), task.on_reject))


def open_program(program: typed.TypedProgram, on_reject: str) -> Architecture:
    """Return a program in its architecture; raises PlaceError, CompileError."""
    try:
        return call_deep(lambda: load(program, on_reject=on_reject))
    except Stuck as error:
        raise PlaceError(str(error)) from error


class InterpPlace:
    """A program in the interpreter; `undefined_read` is that of the packet before."""

    def __init__(self, architecture: Architecture) -> None:
        self.control = InterpControl(architecture.machine)
        self.undefined_read = False
        self._architecture = architecture

    def send(self, port: int, data: bytes) -> Outcome:
        return self.trace(port, data, None)

    def trace(self, port: int, data: bytes, trace: Callable[[Event], None] | None) -> Outcome:
        """Run a packet and tell `trace` each step; raises PlaceError."""
        try:
            done = call_deep(lambda: run_packet(self._architecture, port, data, trace))
        except Stuck as error:
            raise PlaceError(str(error)) from error
        self.undefined_read = done.undefined_read
        verdict = next(v for v in VERDICTS if v == done.verdict)
        return Outcome(verdict, done.port, done.data, more=done.more)

    def stray(self) -> tuple[tuple[int, bytes], ...]:
        return ()


# The control plane


class InterpControl:
    """The interpreter's tables and counters, by their control-plane names."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._tables = {name: described(state) for name, state in machine.tables.items()}

    @property
    def tables(self) -> Mapping[str, TableState]:
        """The tables, by their control-plane names."""
        return self._machine.tables

    def apply(self, requests: Sequence[Request]) -> None:
        """Carry out requests in order; nothing is changed when one of them is wrong."""
        diagnostics = Diagnostics()
        changes: list[Callable[[], None]] = []
        for request in requests:
            try:
                changes.append(self._planned(request))
            except CompileError as error:
                for diagnostic in error.diagnostics:
                    diagnostics.add(diagnostic)
        diagnostics.stop_on_error()
        for change in changes:
            change()

    def counter(self, name: Name, index: Number) -> int:
        counters = [o for o in self._machine.objects.values() if isinstance(o, CounterArray)]
        counter = resolve(name, counters, lambda c: c.path, "entry-counter", "counter")
        if not counter.sparse and index.value >= counter.size:
            text = f"counter `{counter.path}` has no cell {index.value}: its size is {counter.size}"
            raise fail("entry-counter", index.span, text)
        return counter.cells.get(index.value, 0)

    def _planned(self, request: Request) -> Callable[[], None]:
        match request:
            case AddEntry():
                return self._planned_entry(request)
            case SetDefault():
                return self._planned_default(request)
            case RemoveAll():
                return self._clear
            case _:
                assert_never(request)

    def _clear(self) -> None:
        for state in self._machine.tables.values():
            state.clear()

    def _find(self, name: Name) -> tuple[Table, TableState]:
        tables = list(self._tables.values())
        table = resolve(name, tables, lambda table: table.name, "entry-table", "table")
        return table, self._machine.tables[table.name]

    def _planned_entry(self, request: AddEntry) -> Callable[[], None]:
        table, state = self._find(request.table)
        if state.is_constant:
            text = f"the entries of table `{table.name}` are constant"
            raise fail("entry-constant", request.table.span, text)
        action, data = chosen(table, request.action, for_default=False)
        if table.kind == "array":
            array_index(rule_of(table, request), request.keys[0].value.span)
        pairs = zip(table.keys, matches_of(table, request), strict=True)
        matches = tuple(_match(field, one) for field, one in pairs)
        choice = _choice(state, action, data)
        entry = Entry(matches, choice, priority_of(table, request), span=request.span)
        return lambda: _add(state, entry, request.span)

    def _planned_default(self, request: SetDefault) -> Callable[[], None]:
        table, state = self._find(request.table)
        action, data = chosen(table, request.action, for_default=True)
        if state.table.default_const:
            text = f"the default action of table `{table.name}` is constant"
            raise fail("entry-constant", request.table.span, text)
        choice = _choice(state, action, data)

        def change() -> None:
            state.default = choice

        return change


def _add(state: TableState, entry: Entry, span: Span) -> None:
    try:
        state.add(entry)
    except TableFull:
        text = f"table `{state.name}` is full: its size is {state.size}"
        raise fail("entry-full", span, text, help="give the table a greater `size`") from None


def _match(field: Field, match: Match) -> keysets.Match:
    if field.match == "range":
        if (match.low, match.high) == (0, (1 << field.width) - 1):
            return keysets.Any()
        return Between(match.low, match.high)
    return Masked(match.value, match.mask)


def _choice(state: TableState, action: Action, data: Sequence[int]) -> Choice:
    listed = state.actions[action.id]
    rest = iter(data)
    values: list[Value] = [from_patterns(p.type, rest) for p in data_parameters(listed)]
    return Choice(listed, tuple(values))


# What the checks of requests need to know


def described(state: TableState) -> Table:
    """Return a table as the checks of requests see it; layouts have no meaning here."""
    keys = tuple(
        Field(key.name, f"field{i}", key_width(key.expression.type), 0, 0, key.match_kind)
        for i, key in enumerate(state.keys)
    )
    one = len(keys) == 1 and keys[0].width <= ARRAY_KEY_WIDTH and keys[0].match == "exact"
    return Table(
        name=state.name,
        c_name=state.name,
        kind="array" if one and state.implementation == "array_table" else "hash",
        map=None if state.is_constant else state.name,
        size=state.size,
        keys=keys,
        key_size=0,
        value_size=0,
        actions=tuple(_action(state, index) for index in range(len(state.actions))),
        default=ActionChoice(0, ()),
        default_map=None,
        smallest_first=state.smallest_wins,
    )


def _action(state: TableState, index: int) -> Action:
    listed = state.actions[index]
    data = tuple(
        Field(name, name, width, 0, 0)
        for parameter in data_parameters(listed)
        for name, width in pattern_widths(parameter.name, parameter.type)
    )
    name = state.action_names[index]
    return Action(name, name, index, data, listed.table_only, listed.default_only)


def data_parameters(action: typed.TableAction) -> tuple[typed.Parameter, ...]:
    """Return the parameters whose values come from the entry."""
    return action.action.parameters[len(action.arguments) :]
