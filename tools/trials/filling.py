"""Entries for a program's tables, so that its actions run.

In: packets, and the interpreter that they are run in. What they look up in each table becomes the
key of an entry, each time with another action of the table, with ports, small numbers and
constants of the program as its data. Multicast groups and clone sessions that packets ask for are
made as well. Out: commands as `simple_switch_CLI` takes them, which p4xdp takes, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from p4xdp.description import Action, Field, Table
from p4xdp.diagnostics import CompileError
from p4xdp.interp.events import Applied, Moved
from p4xdp.interp.machine import ExternObject
from p4xdp.interp.tables import TableState
from p4xdp.stf.interp import InterpPlace, described
from p4xdp.stf.simple_switch import parse_commands
from trials.walk import Trace

PORTS = (1, 2, 3, 4)
MOST_ENTRIES = 6
"""Entries that one table gets at most."""

ROUNDS = 6

UNDEFINED = "?"
"""What stands behind a value that is undefined."""

PORT_WIDTH = 9
_GROUP = re.compile(r"multicast group (\d+)")
_SESSION = re.compile(r"cloned to session (\d+)")


@dataclass
class Filling:
    """The commands so far; those that the interpreter refuses are left out."""

    place: InterpPlace
    value: Callable[[int], int]
    random: Random
    commands: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    nodes: int = 0
    sessions: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    ran: set[tuple[str, str]] = field(default_factory=set)

    def fill(self, packets: Sequence[bytes], trace: Trace) -> None:
        """Run packets and add what they ask for, until they ask for nothing new."""
        tables = self.place.control.tables
        for _ in range(ROUNDS):
            before = len(self.commands)
            for event in [event for packet in packets for event in trace(packet)]:
                match event:
                    case Applied(table=name, keys=keys, action=action):
                        self.ran.add((name, action))
                        if name in tables:
                            self._entry(tables[name], [text for _, text in keys])
                    case Moved(what=what):
                        self._replicate(what)
                    case _:
                        pass
            if trace.has_multiplied:
                trace.has_multiplied = False
                self._stop_copying()
            if len(self.commands) == before or trace.is_spent:
                break

    def _try(self, *commands: str) -> bool:
        """Keep commands if the interpreter takes them."""
        try:
            text = "\n".join([*self.commands, *commands])
            requests = parse_commands(text, "commands")
            self.place.control.apply(requests[len(requests) - len(commands) :])
        except CompileError:
            return False
        self.commands += commands
        return True

    # Tables

    def _entry(self, state: TableState, texts: Sequence[str]) -> None:
        count = self.counts.get(state.name, 0)
        if state.is_constant or count >= min(MOST_ENTRIES, state.size):
            return
        table = described(state)
        kinds = [key.match_kind for key in state.table.keys]
        matched = [text for text, kind in zip(texts, kinds, strict=True) if kind != "selector"]
        key = " ".join(map(self._key, table.keys, matched))
        usable = [one for one in table.actions if not one.default_only]
        if f"{state.name} {key}" in self.known or not usable:
            return
        action = usable[count % len(usable)]
        if self._add(state, table, key, action, 1 + count):
            self.known.add(f"{state.name} {key}")
            self.counts[state.name] = count + 1

    def _key(self, key: Field, text: str) -> str:
        """Return what fits a value as it is shown; of an undefined one, all if it can."""
        ones = (1 << key.width) - 1
        number = _number(text) & ones
        match key.match if not text.endswith(UNDEFINED) else f"undefined {key.match}":
            case "undefined lpm":
                return "0/0"
            case "undefined ternary" | "undefined optional":
                return "0&&&0"
            case "undefined range":
                return f"0->{ones:#x}"
            case "lpm":
                length = self.random.choice((key.width, key.width, key.width * 3 // 4))
                prefix = ones >> (key.width - length) << (key.width - length)
                return f"{number & prefix:#x}/{length}"
            case "ternary":
                mask = self.random.choice((ones, ones, ones & ~1, 0))
                return f"{number & mask:#x}&&&{mask:#x}"
            case "range":
                return f"{number:#x}->{min(ones, number + self.random.randrange(4)):#x}"
            case "optional":
                return f"{number:#x}&&&{ones:#x}"
            case _:
                return f"{number:#x}"

    def _add(
        self, state: TableState, table: Table, key: str, action: Action, priority: int
    ) -> bool:
        is_ranked = any(one.match in ("ternary", "range", "optional") for one in table.keys)
        last = f" {priority}" if is_ranked else ""
        data = self._data(action)
        if state.profile is None:
            return self._try(f"table_add {state.name} {action.name} {key} => {data}{last}")
        return self._indirect(state, key, f"{action.name} {data}", last)

    def _indirect(self, state: TableState, key: str, call: str, last: str) -> bool:
        if not isinstance(state.profile, ExternObject):
            return False
        profile = state.profile.path
        member, group = len(state.profile.members), len(state.profile.groups)
        is_group = any(one.match_kind == "selector" for one in state.table.keys)
        if not self._try(f"act_prof_create_member {profile} {call}"):
            return False
        if not is_group:
            return self._try(f"table_indirect_add {state.name} {key} => {member}{last}")
        usable = [m for m, runs in state.profile.members.items() if state.name in runs]
        return self._try(
            f"act_prof_create_group {profile}",
            *(f"act_prof_add_member_to_group {profile} {m} {group}" for m in usable),
            f"table_indirect_add_with_group {state.name} {key} => {group}{last}",
        )

    def _data(self, action: Action) -> str:
        return " ".join(f"{self._datum(one):#x}" for one in action.data)

    def _datum(self, datum: Field) -> int:
        if datum.width == PORT_WIDTH:
            return self.random.choice(PORTS)
        if "group" in datum.name.lower() or "mcast" in datum.name.lower():
            return self.random.choice((1, 2)) & ((1 << datum.width) - 1)
        return self.value(datum.width)

    def defaults(self) -> None:
        """Give some of the tables that were applied another default action."""
        applied = {name for name, _ in self.ran}
        for state in [one for one in self.place.control.tables.values() if one.name in applied]:
            usable = [one for one in described(state).actions if not one.table_only]
            is_fixed = state.table.default_const or state.profile is not None
            if usable and not is_fixed and self.random.random() < 0.25:
                action = self.random.choice(usable)
                data = self._data(action)
                self._try(f"table_set_default {state.name} {action.name} {data}".rstrip())

    # Replication

    def _replicate(self, what: str) -> None:
        group, session = _GROUP.match(what), _SESSION.match(what)
        if group and f"group {group[1]}" not in self.known:
            self.known.add(f"group {group[1]}")
            self._group(group[1])
        if session and f"session {session[1]}" not in self.known:
            self.known.add(f"session {session[1]}")
            self._try(f"mirroring_add {session[1]} 3")
            self.sessions.append(session[1])

    def _stop_copying(self) -> None:
        """Take back clone sessions and groups: copies are copied again, and that without end."""
        self._try(*(f"mirroring_delete {one}" for one in self.sessions))
        self._try(*(f"mc_mgrp_destroy {one}" for one in self.groups))
        self.sessions.clear()
        self.groups.clear()

    def _group(self, group: str) -> None:
        made = self._try(
            f"mc_mgrp_create {group}",
            "mc_node_create 1 1 2",
            f"mc_node_associate {group} {self.nodes}",
        )
        self.nodes += made
        self.groups += [group] * made


def _number(text: str) -> int:
    """Return a value as it is shown as the number that a command gives."""
    text = text.rstrip(UNDEFINED)
    if text in ("true", "false"):
        return int(text == "true")
    try:
        return int(text, 0)
    except ValueError:
        return 0
