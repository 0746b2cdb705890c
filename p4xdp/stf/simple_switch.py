"""Command files of simple_switch_CLI: a line each, from its words to a request.

Commands that only show something are left out. Entry handles are those that the switch would give:
the least number that is free in the table, counted from 0 in the file. Every wrong line is
reported, by CompileError (`entries-syntax`).
"""

from __future__ import annotations

import difflib
import heapq
import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from p4xdp.diagnostics import CompileError, Diagnostics, Span, fail
from p4xdp.records import dataclass, field, replace
from p4xdp.runtime.names import same
from p4xdp.runtime.requests import (
    ActionCall,
    AddEntry,
    AddSession,
    Argument,
    AssociateNode,
    CreateGroup,
    CreateMember,
    CreateMemberGroup,
    CreateNode,
    DeleteGroup,
    DeleteMember,
    DeleteMemberGroup,
    DeleteNode,
    DeleteSession,
    Indirect,
    Inspect,
    JoinGroup,
    KeyMatch,
    MeterRate,
    ModifyMember,
    Name,
    Number,
    ProfileRequest,
    RemoveAll,
    RemoveEntry,
    Request,
    ResetDefault,
    SetCrc,
    SetDefault,
    SetRates,
    SetTimeout,
    UpdateNode,
    WriteCounter,
    WriteRegister,
)
from p4xdp.stf.numbers import MOST_DIGITS, number_of, shortened


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    span: Span


@dataclass(slots=True)
class Command:
    """The words of a line, taken from left to right; `span` is the whole line's."""

    words: list[Word]
    span: Span
    at: int = 1

    def next(self, what: str) -> Word:
        if self.at == len(self.words):
            raise fail("entries-syntax", self.span, f"{what} is missing at the end of the line")
        self.at += 1
        return self.words[self.at - 1]

    def name(self, what: str) -> Name:
        word = self.next(what)
        return Name(word.text, word.span)

    def number(self, what: str) -> Number:
        return number(self.next(what), what)

    def has_more(self) -> bool:
        return self.at < len(self.words)

    def rest(self) -> list[Word]:
        taken, self.at = self.words[self.at :], len(self.words)
        return taken

    def before_arrow(self) -> list[Word]:
        """Return the words before `=>`, which is taken, too; all where there is none."""
        taken = []
        while self.has_more():
            word = self.next("")
            if word.text == "=>":
                break
            taken.append(word)
        return taken

    def finish(self) -> None:
        if self.has_more():
            word = self.words[self.at]
            text = f"expected the end of the line, found `{word.text}`"
            raise fail("entries-syntax", word.span, text)


@dataclass(slots=True)
class TableHandles:
    """The entries of a table by their handles, and the handles below the next that are free."""

    entries: dict[int, AddEntry] = field(default_factory=dict)
    freed: list[int] = field(default_factory=list)

    def add(self, entry: AddEntry) -> None:
        handle = heapq.heappop(self.freed) if self.freed else len(self.entries)
        self.entries[handle] = entry

    def take(self, handle: int) -> AddEntry:
        heapq.heappush(self.freed, handle)
        return self.entries.pop(handle)


@dataclass(slots=True)
class Handles:
    """The entries of each table in the file, by their handles."""

    tables: dict[str, TableHandles] = field(default_factory=dict)

    def of(self, table: Name) -> TableHandles:
        """Return those of a table, which may be called by any end of its name."""
        found = self.tables.get(table.text)
        if found is None:
            known = (held for text, held in self.tables.items() if same(text, table.text))
            found = self.tables[table.text] = next(known, TableHandles())
        return found

    def find(self, table: Name, handle: Number) -> AddEntry:
        entries = self.of(table).entries
        if handle.value not in entries:
            text = f"this file adds no entry {handle.text} to `{table.text}`"
            raise fail("entries-syntax", handle.span, text)
        return entries[handle.value]

    def take(self, table: Name, handle: Number) -> AddEntry:
        self.find(table, handle)
        return self.of(table).take(handle.value)

    def clear(self, table: Name) -> None:
        held = self.of(table)
        held.entries.clear()
        held.freed.clear()


def parse_commands(text: str, file: str) -> tuple[Request, ...]:
    """Return the requests of a command file; raises CompileError."""
    diagnostics, handles = Diagnostics(), Handles()
    requests: list[Request] = []
    for line, row in enumerate(text.split("\n"), 1):
        words = _words(file, line, row)
        if not words:
            continue
        try:
            requests += _requests(Command(words, _around(words)), handles)
        except CompileError as error:
            for diagnostic in error.diagnostics:
                diagnostics.add(diagnostic)
    diagnostics.stop_on_error()
    return tuple(requests)


def parse_command(file: str, line: int, row: str, handles: Handles) -> Iterable[Request]:
    """Return the requests of one line, which has a command; raises CompileError."""
    words = _words(file, line, row.partition("#")[0])
    return _requests(Command(words, _around(words)), handles)


def is_command(word: str) -> bool:
    """Whether a line that starts with this word is one of a command file."""
    return word in EVERY


def _words(file: str, line: int, row: str) -> list[Word]:
    """Return the words of a line, without a comment."""
    words: list[Word] = []
    for found in re.finditer(r"\S+", row):
        if found[0].startswith("#") or (not words and found[0].startswith("//")):
            break
        words.append(Word(found[0], Span(file, line, found.start() + 1, line, found.end() + 1)))
    return words


def _around(words: list[Word]) -> Span:
    first, last = words[0].span, words[-1].span
    return Span(first.file, first.line, first.column, last.end_line, last.end_column)


def _requests(command: Command, handles: Handles) -> Iterable[Request]:
    word = command.words[0]
    if word.text in _SHOWING:
        return ()
    if word.text in _IMPOSSIBLE:
        raise fail("entry-unsupported", word.span, f"`{word.text}`: {_IMPOSSIBLE[word.text]}")
    if word.text not in COMMANDS:
        near = difflib.get_close_matches(word.text.lower(), EVERY, 1)
        help = f"did you mean `{near[0]}`?" if near else None
        raise fail("entries-syntax", word.span, f"`{word.text}` is no command", help=help)
    made = COMMANDS[word.text](command, handles)
    command.finish()
    return (made,)


# Numbers, keys and arguments


def number(word: Word, what: str) -> Number:
    value = number_of(word.text)
    if value is None:
        text = f"expected {what}, found `{shortened(word.text)}`"
        raise fail("entries-syntax", word.span, text)
    return Number(value, text=shortened(word.text), span=word.span)


def _part(word: Word, start: int, text: str, what: str) -> Number:
    """Return the number that stands at `start` in a word."""
    span, column = word.span, word.span.column + start
    place = Span(span.file, span.line, column, span.end_line, column + max(1, len(text)))
    return number(Word(text, place), what)


def _key(position: int, word: Word) -> KeyMatch:
    """Return the match of the key at a position: `v`, `v/length`, `v&&&mask`, `low->high`."""
    name = Name(f"field{position}", word.span)
    for sign in ("&&&", "->", "/"):
        left, found, right = word.text.partition(sign)
        if not found:
            continue
        value = _part(word, 0, left, "a value")
        other = _part(word, len(left) + len(sign), right, "a number")
        match sign:
            case "&&&":
                return KeyMatch(name, value, mask=other)
            case "->":
                return KeyMatch(name, value, last=other)
            case _:
                return KeyMatch(name, value, prefix_length=other)
    if word.text in ("true", "false"):
        return KeyMatch(name, Number(int(word.text == "true"), text=word.text, span=word.span))
    return KeyMatch(name, number(word, "a key's value"))


def _keys(command: Command) -> tuple[KeyMatch, ...]:
    return tuple([_key(i, word) for i, word in enumerate(command.before_arrow())])


def _arguments(command: Command) -> tuple[Argument, ...]:
    words = command.rest()
    if words and words[0].text == "=>":
        words = words[1:]
    return tuple([Argument(None, number(word, "an argument")) for word in words])


def _action(command: Command) -> ActionCall:
    return ActionCall(command.name("an action"), _arguments(command))


# Tables


def _table_add(command: Command, handles: Handles) -> Request:
    table, action = command.name("a table"), command.name("an action")
    keys = _keys(command)
    entry = AddEntry(
        table,
        None,
        keys,
        ActionCall(action, _arguments(command)),
        order="least",
        priority_last=True,
        span=command.span,
    )
    handles.of(table).add(entry)
    return entry


def _indirect_add(is_group: bool) -> Callable[[Command, Handles], Request]:
    def make(command: Command, handles: Handles) -> Request:
        table, keys = command.name("a table"), _keys(command)
        target = Indirect(command.number("a handle"), is_group)
        priority = command.number("a priority") if command.has_more() else None
        entry = AddEntry(table, priority, keys, target, order="least", span=command.span)
        handles.of(table).add(entry)
        return entry

    return make


def _indirect_default(is_group: bool) -> Callable[[Command, Handles], Request]:
    def make(command: Command, handles: Handles) -> Request:
        table = command.name("a table")
        return SetDefault(table, Indirect(command.number("a handle"), is_group), command.span)

    return make


def _table_set_default(command: Command, handles: Handles) -> Request:
    return SetDefault(command.name("a table"), _action(command), command.span)


def _table_reset_default(command: Command, handles: Handles) -> Request:
    return ResetDefault(command.name("a table"), command.span)


def _table_modify(command: Command, handles: Handles) -> Request:
    table, action = command.name("a table"), command.name("an action")
    handle = command.number("an entry's handle")
    old = handles.find(table, handle)
    new = replace(
        old,
        action=ActionCall(action, _arguments(command)),
        priority_last=False,
        changed=old,
        span=command.span,
    )
    handles.of(table).entries[handle.value] = new
    return new


def _table_delete(command: Command, handles: Handles) -> Request:
    table = command.name("a table")
    return RemoveEntry(handles.take(table, command.number("an entry's handle")), command.span)


def _table_clear(command: Command, handles: Handles) -> Request:
    table = command.name("a table")
    handles.clear(table)
    return RemoveAll(command.span, table)


def _table_set_timeout(command: Command, handles: Handles) -> Request:
    entry = handles.find(command.name("a table"), command.number("an entry's handle"))
    return SetTimeout(entry, command.number("a number of milliseconds"), command.span)


def _value_set_add(command: Command, handles: Handles) -> Request:
    return _value(command)


def _value_set_remove(command: Command, handles: Handles) -> Request:
    return RemoveEntry(_value(command), command.span)


def _value(command: Command) -> AddEntry:
    name, word = command.name("a value set"), command.next("a value")
    member = ActionCall(Name("member", word.span), ())
    return AddEntry(name, None, (_key(0, word),), member, span=command.span)


def _value_set_clear(command: Command, handles: Handles) -> Request:
    return RemoveAll(command.span, command.name("a value set"))


# Action profiles


def _create_member(command: Command, handles: Handles) -> ProfileRequest:
    return CreateMember(command.name("an action profile"), _action(command), span=command.span)


def _modify_member(command: Command, handles: Handles) -> ProfileRequest:
    profile, action = command.name("an action profile"), command.name("an action")
    member = command.number("a member's handle")
    call = ActionCall(action, _arguments(command))
    return ModifyMember(profile, member, call, span=command.span)


def _delete_member(command: Command, handles: Handles) -> ProfileRequest:
    profile = command.name("an action profile")
    return DeleteMember(profile, command.number("a member's handle"), span=command.span)


def _create_member_group(command: Command, handles: Handles) -> ProfileRequest:
    return CreateMemberGroup(command.name("an action profile"), span=command.span)


def _delete_member_group(command: Command, handles: Handles) -> ProfileRequest:
    profile = command.name("an action profile")
    return DeleteMemberGroup(profile, command.number("a group's handle"), span=command.span)


def _join_group(leave: bool) -> Callable[[Command, Handles], ProfileRequest]:
    def make(command: Command, handles: Handles) -> ProfileRequest:
        profile = command.name("an action profile")
        member = command.number("a member's handle")
        group = command.number("a group's handle")
        return JoinGroup(profile, member, group, leave, span=command.span)

    return make


def _of_table(make: Callable[[Command, Handles], ProfileRequest]) -> Callable[..., Request]:
    """Return the command of older files, which names a table in place of its action profile."""
    return lambda command, handles: replace(make(command, handles), by_table=True)


# Replication


def _create_group(command: Command, handles: Handles) -> Request:
    return CreateGroup(command.number("a group"), command.span)


def _delete_group(command: Command, handles: Handles) -> Request:
    return DeleteGroup(command.number("a group"), command.span)


def _create_node(command: Command, handles: Handles) -> Request:
    return CreateNode(command.number("a replication id"), _ports(command), command.span)


def _update_node(command: Command, handles: Handles) -> Request:
    return UpdateNode(command.number("a node's handle"), _ports(command), command.span)


def _delete_node(command: Command, handles: Handles) -> Request:
    return DeleteNode(command.number("a node's handle"), command.span)


def _associate(leave: bool) -> Callable[[Command, Handles], Request]:
    def make(command: Command, handles: Handles) -> Request:
        group = command.number("a group")
        return AssociateNode(group, command.number("a node's handle"), leave, command.span)

    return make


def _ports(command: Command) -> tuple[Number, ...]:
    words = command.rest()
    for word in words:
        if word.text == "|":
            text = "link aggregation groups are not possible"
            raise fail("entry-unsupported", word.span, text)
    return tuple([number(word, "a port") for word in words])


def _session_to_port(command: Command, handles: Handles) -> Request:
    session = command.number("a session")
    return AddSession(session, port=command.number("a port"), span=command.span)


def _session_to_group(command: Command, handles: Handles) -> Request:
    session = command.number("a session")
    return AddSession(session, group=command.number("a group"), span=command.span)


def _delete_session(command: Command, handles: Handles) -> Request:
    return DeleteSession(command.number("a session"), command.span)


# Cells


def _zero(command: Command) -> Number:
    return Number(0, text="0", span=command.span)


def _register_write(command: Command, handles: Handles) -> Request:
    register, index = command.name("a register"), command.number("an index")
    return WriteRegister(register, index, command.number("a value"), command.span)


def _register_reset(command: Command, handles: Handles) -> Request:
    return WriteRegister(command.name("a register"), None, _zero(command), command.span)


def _register_read(command: Command, handles: Handles) -> Request:
    register = command.name("a register")
    index = command.number("an index") if command.has_more() else None
    return Inspect("register", register, index, command.span)


def _counter_read(command: Command, handles: Handles) -> Request:
    counter = command.name("a counter")
    return Inspect("counter", counter, command.number("an index"), command.span)


def _counter_write(command: Command, handles: Handles) -> Request:
    counter, index = command.name("a counter"), command.number("an index")
    packets = command.number("a number of packets")
    return WriteCounter(counter, index, packets, command.number("bytes"), command.span)


def _counter_reset(command: Command, handles: Handles) -> Request:
    zero = _zero(command)
    return WriteCounter(command.name("a counter"), None, zero, zero, command.span)


def _meter_set(command: Command, handles: Handles) -> Request:
    meter, index = command.name("a meter"), command.number("an index")
    return SetRates(meter, index, _rates(command), command.span)


def _meter_set_all(command: Command, handles: Handles) -> Request:
    return SetRates(command.name("a meter"), None, _rates(command), command.span)


def _meter_read(command: Command, handles: Handles) -> Request:
    meter = command.name("a meter")
    return Inspect("meter", meter, command.number("an index"), command.span)


_RATE = re.compile(
    r"(?P<rate>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,2})?):(?P<burst>[0-9]+)"
)


def _rates(command: Command) -> tuple[MeterRate, ...]:
    rates = []
    for word in command.rest():
        found = _RATE.fullmatch(word.text)
        if not found or len(word.text) > MOST_DIGITS:
            text = f"expected `rate:burst`, found `{shortened(word.text)}`"
            raise fail("entries-syntax", word.span, text)
        rates.append(MeterRate(Fraction(found["rate"]), int(found["burst"]), word.span))
    return tuple(rates)


def _set_crc(width: int) -> Callable[[Command, Handles], Request]:
    def make(command: Command, handles: Handles) -> Request:
        command.name("a calculation")
        polynomial, initial = command.number("a polynomial"), command.number("a remainder")
        final = command.number("a final value")
        reflect_in, reflect_out = _flag(command), _flag(command)
        return SetCrc(width, polynomial, initial, final, reflect_in, reflect_out, command.span)

    return make


def _flag(command: Command) -> bool:
    word = command.next("`true` or `false`")
    if word.text.lower() not in ("true", "false", "0", "1"):
        text = f"expected `true` or `false`, found `{word.text}`"
        raise fail("entries-syntax", word.span, text)
    return word.text.lower() in ("true", "1")


COMMANDS: dict[str, Callable[[Command, Handles], Request]] = {
    "table_add": _table_add,
    "table_set_default": _table_set_default,
    "table_reset_default": _table_reset_default,
    "table_modify": _table_modify,
    "table_delete": _table_delete,
    "table_clear": _table_clear,
    "table_set_timeout": _table_set_timeout,
    "table_indirect_add": _indirect_add(False),
    "table_indirect_add_with_group": _indirect_add(True),
    "table_indirect_delete": _table_delete,
    "table_indirect_set_default": _indirect_default(False),
    "table_indirect_set_default_with_group": _indirect_default(True),
    "table_indirect_reset_default": _table_reset_default,
    "act_prof_create_member": _create_member,
    "act_prof_modify_member": _modify_member,
    "act_prof_delete_member": _delete_member,
    "act_prof_create_group": _create_member_group,
    "act_prof_delete_group": _delete_member_group,
    "act_prof_add_member_to_group": _join_group(False),
    "act_prof_remove_member_from_group": _join_group(True),
    "table_indirect_create_member": _of_table(_create_member),
    "table_indirect_modify_member": _of_table(_modify_member),
    "table_indirect_delete_member": _of_table(_delete_member),
    "table_indirect_create_group": _of_table(_create_member_group),
    "table_indirect_delete_group": _of_table(_delete_member_group),
    "table_indirect_add_member_to_group": _of_table(_join_group(False)),
    "table_indirect_remove_member_from_group": _of_table(_join_group(True)),
    "pvs_add": _value_set_add,
    "pvs_remove": _value_set_remove,
    "pvs_clear": _value_set_clear,
    "mc_mgrp_create": _create_group,
    "mc_mgrp_destroy": _delete_group,
    "mc_node_create": _create_node,
    "mc_node_update": _update_node,
    "mc_node_destroy": _delete_node,
    "mc_node_associate": _associate(False),
    "mc_node_dissociate": _associate(True),
    "mirroring_add": _session_to_port,
    "mirroring_add_mc": _session_to_group,
    "mirroring_delete": _delete_session,
    "register_read": _register_read,
    "register_write": _register_write,
    "register_reset": _register_reset,
    "counter_read": _counter_read,
    "counter_write": _counter_write,
    "counter_reset": _counter_reset,
    "meter_set_rates": _meter_set,
    "meter_array_set_rates": _meter_set_all,
    "meter_get_rates": _meter_read,
    "set_crc16_parameters": _set_crc(16),
    "set_crc32_parameters": _set_crc(32),
}

_SHOWING = frozenset(
    """show_tables show_actions show_ports show_pvs table_show_actions table_info table_num_entries
    table_dump table_dump_entry table_dump_entry_from_key table_dump_member table_dump_group
    act_prof_dump act_prof_dump_member act_prof_dump_group mc_dump mirroring_get pvs_get
    switch_info get_time_elapsed get_time_since_epoch help greet EOF""".split()
)
"""Commands that change nothing."""

_IMPOSSIBLE = {
    "set_queue_depth": "there are no queues",
    "set_queue_rate": "there are no queues",
    "mc_set_lag_membership": "link aggregation groups are not possible",
    "port_add": "ports get their devices when the program is loaded: `--port 1=eth0`",
    "port_remove": "ports get their devices when the program is loaded: `--port 1=eth0`",
    "serialize_state": "`bpftool map dump` shows what is in the maps",
    "write_config_to_file": "the program stands in its C file and its description",
    "reset_state": "`p4xdp unload` and then `p4xdp load` start from nothing",
    "shell": "a file of entries runs no other programs",
    "load_new_config_file": "a program is changed by loading another",
    "swap_configs": "a program is changed by loading another",
    "set_toeplitz_hash_key": "this hash is not possible",
}

EVERY = frozenset((*COMMANDS, *_SHOWING, *_IMPOSSIBLE))
"""All that a line of a command file may start with."""
