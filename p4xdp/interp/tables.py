"""Tables: their entries, which of them wins, and what the control plane may change (14.2).

Nothing here runs a program: keys come in as numbers, the action to run goes out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING

from p4xdp.diagnostics import InternalError, Span, span_field
from p4xdp.frontend import typed
from p4xdp.interp import keysets
from p4xdp.interp.keysets import Key, Match
from p4xdp.interp.values import Value
from p4xdp.records import dataclass, dataclass as record, field, replace

if TYPE_CHECKING:
    from p4xdp.interp.machine import Run

SELECTOR = "selector"
"""The match kind of fields that choose a member of a group, and that no entry matches."""

DEFAULT_SIZE = 1024
"""The entries of a table whose program does not say how many."""

PRIORITY_KINDS = frozenset(("ternary", "range", "optional"))
"""The match kinds by which several entries may fit one key in no order of their own."""


@record(frozen=True, slots=True)
class Choice:
    """An action with the values of its action data, in order."""

    action: typed.TableAction
    data: tuple[Value, ...]


@record(frozen=True, slots=True)
class Indirect:
    """What an entry of a table with an action profile names: a member, or a group of members."""

    number: int
    is_group: bool = False


@record(frozen=True, slots=True)
class OneOf:
    """What an entry may name itself: actions from which the selector of the profile chooses."""

    choices: tuple[Choice, ...]


EntryKey = tuple[tuple[Match, ...], int]
"""What tells the entries of a table apart."""


@record(frozen=True, slots=True)
class Entry:
    """`const` entries are the program's own and stay; `span` is where the entry was written."""

    matches: tuple[Match, ...]
    choice: Choice | Indirect | OneOf
    priority: int
    const: bool = False
    span: Span = span_field()

    @property
    def key(self) -> EntryKey:
        return (self.matches, self.priority)

    @property
    def prefix_length(self) -> int:
        """The bits that the entry fixes, by which longer prefixes come first."""
        return sum(m.mask.bit_count() for m in self.matches if isinstance(m, keysets.Masked))


class DirectObject(ABC):
    """An extern whose cells belong to the entries of a table."""

    @abstractmethod
    def hit(self, run: Run, entry: Entry | None) -> None:
        """Learn which entry was found before its action runs, None on a miss."""

    @abstractmethod
    def leave(self) -> None:
        """Forget what was found: what runs from here on is no action of the table."""

    @abstractmethod
    def forget(self, entry: EntryKey) -> None:
        """Give up the cell of an entry that is gone."""


class Profile(ABC):
    """Actions with their data that entries share: `members` and `groups` by their numbers.

    A member is, by their names, what each table that has its action runs; other tables cannot lead
    to it.
    """

    has_groups = False

    def __init__(self, size: int) -> None:
        self.size = size
        self.members: dict[int, Mapping[str, Choice]] = {}
        self.groups: dict[int, list[int]] = {}

    @abstractmethod
    def pick(self, run: Run, members: Sequence[Choice], selector: bytes) -> Choice | None:
        """Return the one of a group's members that the selector fields lead to, None of none."""


class TableFull(Exception):
    """The table holds as many entries as its size."""


@dataclass(slots=True)
class TableState:
    """A table of one control instance.

    `name` is its control-plane name, `actions` the list of the table and, where it lacks the
    default action, that one too. `empty` is what a group without members runs. `actions_names` are
    their control-plane names. `keys` are those that entries match, all but the selector fields.
    With `smallest_wins`, the smaller priority comes first.
    """

    name: str
    table: typed.Table
    actions: tuple[typed.TableAction, ...]
    action_names: tuple[str, ...]
    default: Choice | Indirect | OneOf
    empty: Choice
    size: int
    implementation: str | None
    smallest_wins: bool
    profile: Profile | None = None
    has_timeouts: bool = False
    direct: tuple[DirectObject, ...] = ()
    entries: list[Entry] = field(default_factory=list)
    _numbers: dict[EntryKey, int] = field(default_factory=dict)

    @property
    def keys(self) -> tuple[typed.TableKey, ...]:
        return tuple(key for key in self.table.keys if key.match_kind != SELECTOR)

    def chosen(self, run: Run, entry: Entry | None, selector: bytes) -> Choice:
        """Return the action that an entry leads to, or a miss."""
        found = entry.choice if entry else self.default
        if isinstance(found, Choice):
            return found
        if self.profile is None:
            raise InternalError("interp", f"table {self.name} has no action profile")
        if isinstance(found, OneOf):
            return self.profile.pick(run, found.choices, selector) or self.empty
        if not found.is_group:
            return self.profile.members[found.number][self.name]
        numbers = sorted(self.profile.groups[found.number])
        members = [self.profile.members[one][self.name] for one in numbers]
        return self.profile.pick(run, members, selector) or self.empty

    @property
    def is_constant(self) -> bool:
        """Whether no entry can be added: a table with const entries, or with no key."""
        return not self.keys or (bool(self.table.entries) and self.table.entries_const)

    def lookup(self, keys: Sequence[Key]) -> Entry | None:
        """Return the entry that wins, None on a miss; a table without keys always misses."""
        if not self.keys:
            return None
        found = [entry for entry in self.entries if fits(entry, keys)]
        return min(found, key=self._rank) if found else None

    def hangs_on_undefined(self, keys: Sequence[Key]) -> bool:
        """Tell whether other values of the undefined keys could let another entry win: one that
        asks for their values, is right about all other keys, and does not rank behind one that wins
        whatever they are."""
        possible: list[Entry] = []
        certain: list[Entry] = []
        for entry in self.entries:
            pairs = [p for p in zip(entry.matches, keys, strict=True) if keysets.cares(p[0])]
            if all(key.undefined or keysets.contains(match, key) for match, key in pairs):
                asks = any(key.undefined for _, key in pairs)
                (possible if asks else certain).append(entry)
        best = min(map(self._rank, certain), default=None)
        return any(best is None or self._rank(entry) <= best for entry in possible)

    def _rank(self, entry: Entry) -> tuple[int, int]:
        """Return what is least for the entry that wins (section 14.2.1.4.1): the longest prefix
        in a table with `lpm` and no priorities, otherwise by priority, then the oldest."""
        priority = entry.priority if self.smallest_wins else -entry.priority
        return (-entry.prefix_length if self.by_prefix else 0, priority)

    @property
    def by_prefix(self) -> bool:
        kinds = {key.match_kind for key in self.keys}
        if "lpm" not in kinds or kinds & PRIORITY_KINDS:
            return False
        return not any(self._is_open(entry) for entry in self.entries)

    def _is_open(self, entry: Entry) -> bool:
        """Whether an entry leaves an exact key open, which only a program's own may: then all
        are tried in order."""
        pairs = zip(self.keys, entry.matches, strict=True)
        return any(k.match_kind == "exact" and not keysets.cares(m) for k, m in pairs)

    def add(self, entry: Entry) -> None:
        """Add an entry, or replace the one with the same key and priority; raises TableFull."""
        for i, old in enumerate(self.entries):
            if old.matches == entry.matches and self._same_priority(old, entry):
                self.entries[i] = replace(entry, priority=old.priority)
                return
        if len(self.entries) >= self.size:
            raise TableFull
        self.entries.append(entry)
        if self.direct:
            self.numbers()

    def numbers(self) -> dict[int, EntryKey]:
        """Return the entries by their numbers: each got the least that was free when it came, and
        keeps it, as the cells of direct objects have theirs."""
        there = {entry.key for entry in self.entries}
        self._numbers = {key: n for key, n in self._numbers.items() if key in there}
        taken = set(self._numbers.values())
        free = (n for n in count() if n not in taken)
        for entry in self.entries:
            if entry.key not in self._numbers:
                self._numbers[entry.key] = next(free)
        return {number: key for key, number in self._numbers.items()}

    def _same_priority(self, old: Entry, new: Entry) -> bool:
        has_priorities = {key.match_kind for key in self.keys} & PRIORITY_KINDS
        return not has_priorities or old.priority == new.priority

    def has(self, entry: Entry) -> bool:
        """Tell whether there is an entry with the same key and priority."""
        return any(
            old.matches == entry.matches and self._same_priority(old, entry) for old in self.entries
        )

    def remove(self, entry: Entry) -> bool:
        """Remove the entry with the same key and priority; return whether there was one."""
        for i, old in enumerate(self.entries):
            if old.matches == entry.matches and self._same_priority(old, entry):
                self._forget(self.entries.pop(i))
                return True
        return False

    def clear(self) -> None:
        """Remove every entry that is not the program's own."""
        for entry in self.entries:
            if not entry.const:
                self._forget(entry)
        self.entries = [entry for entry in self.entries if entry.const]

    def _forget(self, entry: Entry) -> None:
        for one in self.direct:
            one.forget(entry.key)


def fits(entry: Entry, keys: Sequence[Key]) -> bool:
    """Whether all keys are in the entry's sets."""
    return all(map(keysets.contains, entry.matches, keys))


def priorities(entries: Sequence[typed.TableEntry], smallest_wins: bool, delta: int) -> list[int]:
    """Return the priority of each entry of the program (section 14.2.1.4.1)."""
    step = delta if smallest_wins else -delta
    if all(entry.priority is None for entry in entries):
        first = 1 if smallest_wins else 1 + delta * (len(entries) - 1)
        return [first + step * i for i in range(len(entries))]
    result: list[int] = []
    for entry in entries:
        implied = result[-1] + step if result else 1
        result.append(implied if entry.priority is None else entry.priority)
    return result
