"""Maps, tables and structs as out.c and out.h need them: names, numbers and finished C."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from p4xdp.backend_c.cwriter import commented
from p4xdp.backend_c.target import Ports, Target
from p4xdp.description import OFFSET_OF_SLOTS
from p4xdp.midend import ir
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a C struct at `offset` bytes; `count` 0 for one that is no array."""

    name: str
    type: str
    count: int
    offset: int
    size: int
    note: str = ""

    @property
    def declaration(self) -> str:
        array = f"[{self.count}]" if self.count else ""
        note = f" /* {commented(self.note)} */" if self.note else ""
        return f"{self.type} {self.name}{array};{note}"

    @property
    def is_padding(self) -> bool:
        return self.name.startswith("pad")


@dataclass(frozen=True, slots=True)
class Struct:
    """A C struct without hidden padding; `align` and `size` in bytes."""

    name: str
    members: tuple[Member, ...]
    size: int
    align: int

    @property
    def padding(self) -> tuple[Member, ...]:
        return tuple(m for m in self.members if m.is_padding)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A key field or an action datum in memory: a big-endian number of `width` bits.

    `offset` counts from the start of the key or value struct; `label` is P4's name in C.
    """

    name: str
    c_name: str
    label: str
    width: int
    offset: int
    size: int
    kind: str | None = None

    @property
    def is_array(self) -> bool:
        return self.size not in (1, 2, 4, 8) or self.width > 64

    def address_in(self, struct: str) -> str:
        """Return the C address of the member; `struct` ends in `.` or `->`."""
        return f"{struct}{self.c_name}" if self.is_array else f"&{struct}{self.c_name}"


@dataclass(frozen=True, slots=True)
class Action:
    """`enumerator` is the C constant of the action; `struct` holds its data, if it has any."""

    name: str
    c_name: str
    enumerator: str
    id: int
    data: tuple[Scalar, ...]
    struct: Struct | None
    table_only: bool
    default_only: bool


@dataclass(frozen=True, slots=True)
class Value:
    """The value struct: `action`, perhaps `in_use`, and a union of the actions' data."""

    size: int
    head: tuple[Member, ...]
    tail: tuple[Member, ...]
    union_offset: int


@dataclass(frozen=True, slots=True)
class TernaryTable:
    """Half of a ternary table: `masks` records, `slots` (a power of two) and entries.

    Both counts are 0 for a table that is scanned. An entry, of `size` bytes, is key, mask, perhaps
    low and high, priority, rank, value and `tail` bytes. `length` entries have room.
    """

    range_offset: int | None
    priority_offset: int
    value_offset: int
    tail: int
    size: int
    masks: int
    slots: int
    slots_offset: int
    entries_offset: int
    length: int
    half_size: int


@dataclass(frozen=True, slots=True)
class Table:
    """A P4 table as C: the names of its symbols, the layout of its structs, its kind of map.

    `kind` is a `description.Table.kind`. `has_map`: entries can be added. `has_default`: the
    default action can be changed, and lives in a global variable.
    """

    table: ir.Table
    c_name: str
    kind: str
    keys: tuple[Scalar, ...]
    key: Struct
    actions: tuple[Action, ...]
    value: Value
    has_map: bool
    has_default: bool
    prefix_base: int = 0
    ternary: TernaryTable | None = None

    @property
    def ranges(self) -> tuple[Scalar, ...]:
        """The keys that are matched by ranges."""
        return tuple(key for key in self.keys if key.kind == "range")

    @property
    def prefix(self) -> Scalar | None:
        """The one lpm field of a ternary table in which the longest prefix wins, not priorities."""
        kinds = [key.kind for key in self.keys]
        if self.kind != "ternary" or kinds.count("lpm") != 1 or set(kinds) - {"exact", "lpm"}:
            return None
        return self.keys[kinds.index("lpm")]

    @property
    def has_data(self) -> bool:
        return any(action.struct for action in self.actions)

    @property
    def has_slots(self) -> bool:
        """Whether the default stands twice, so that a change of it is seen whole."""
        return self.has_default and self.has_data

    @property
    def offset_bits(self) -> int:
        """Bits of the offset of the second of two defaults."""
        return 8 if OFFSET_OF_SLOTS + self.value.size < 256 else 16

    @property
    def room(self) -> int:
        """Bytes behind two defaults: a value at any offset of `offset_bits` is in the variable."""
        slots = OFFSET_OF_SLOTS + 2 * self.value.size
        least = (1 << self.offset_bits) - 1 + self.value.size
        return -(-max(slots, least) // 8) * 8 - slots

    @property
    def defaults_size(self) -> int:
        return OFFSET_OF_SLOTS + 2 * self.value.size + self.room


@dataclass(frozen=True, slots=True)
class Counter:
    name: str
    c_name: str
    size: int
    sparse: bool
    unit: ir.CounterUnit
    table: str | None


@dataclass(frozen=True, slots=True)
class Register:
    register: ir.Register
    c_name: str


@dataclass(frozen=True, slots=True)
class Meter:
    meter: ir.Meter
    c_name: str


@dataclass(frozen=True, slots=True)
class Digest:
    """A kind of message: `struct` is what stands in it behind a struct p4xdp_message, with offsets
    and size from the start of that."""

    digest: ir.Digest
    c_name: str
    number: int
    fields: tuple[Scalar, ...]
    struct: Struct


@dataclass(frozen=True, slots=True)
class Profile:
    """`groups` is the C name of the map of groups, None for a profile that has none."""

    profile: ir.Profile
    groups: str | None


@dataclass(frozen=True, slots=True)
class Map:
    """A BPF map, or a global variable in a section of its own (`type` data)."""

    name: str
    type: str
    key_type: str
    value_type: str
    key_size: int
    value_size: int
    max_entries: int
    flags: int = 0
    section: str | None = None

    @property
    def constant(self) -> str:
        return f"BPF_MAP_TYPE_{self.type.upper()}"


def data_map(name: str, value_type: str, size: int) -> Map:
    """Return a global variable of `size` bytes that the control plane can reach."""
    return Map(name, "data", "__u32", value_type, 4, size, 1, section=f".data.{name}")


@dataclass(frozen=True, slots=True)
class Local:
    """A variable of the entry point; `name` is the IR's, `size` in bytes.

    `is_scalar`: a number, which may live in memory; pointers must not. `is_kept`: it does live
    there, on the stack. `text` is a C expression that stands for a variable that there is not, and
    `address` that of the bytes which it loads.
    """

    name: str
    c_name: str
    type: str
    size: int
    is_zeroed: bool = False
    is_scalar: bool = True
    is_kept: bool = False
    text: str | None = None
    address: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Where variables live: the rung of the ladder, with the estimated stack in bytes.

    `why` says why it is not a lower one, if it is not. `members` are the declarations in the
    scratch struct, which takes `size` bytes of `map`.
    """

    rung: str
    stack: int
    why: str = ""
    members: tuple[str, ...] = ()
    size: int = 0
    map: str = ""


CARRY = "carry"
"""The inline function that the programs of packets that arrive and of copies are made of."""


def asks_for_replica(body: str) -> bool:
    """Tell whether the C of a function asks if it runs for a copy."""
    return re.search(r"\breplica\b", body) is not None


@dataclass(frozen=True, slots=True)
class Part:
    """A C function, the whole program or a part of it; variables and body are finished C.

    Where a program that makes copies was cut, `copy_function` is the part as copies on their way
    out meet it, and `carried` the inline function that both are made of.
    """

    function: str
    declarations: tuple[str, ...]
    body: str
    uses_data: bool
    uses_end: bool
    uses_context: bool
    carried: str = ""
    copy_function: str = ""


@dataclass(frozen=True, slots=True)
class Unit:
    """All of out.c. `finders` and `first` are finished C; `messages` is the ring buffer to user
    space, if there is one.

    `parts` is one function, or, for a program that was cut, several in their order: on the rung
    of subprograms `function` calls them after `first`; those that are tail-called are in
    `parts_map`, but for the first, which is `function` itself, and as copies meet them in
    `copy_parts_map`. `typed` are the tables whose types
    the C names, `bare` by table the actions that go by their own names in the header, `initial`
    are initializers of data maps; `arrays` are constants with their names; `pull` is how many
    bytes a socket buffer must hold in one piece.
    """

    function: str
    source: str
    target: Target
    tables: tuple[Table, ...]
    typed: tuple[Table, ...]
    bare: Mapping[str, tuple[Action, ...]]
    counters: tuple[Counter, ...]
    registers: tuple[Register, ...]
    meters: tuple[Meter, ...]
    digests: tuple[Digest, ...]
    functions: tuple[ir.CFunction, ...]
    externs: tuple[Path, ...]
    messages: str | None
    profiles: tuple[Profile, ...]
    maps: tuple[Map, ...]
    initial: Mapping[str, str]
    finders: tuple[str, ...]
    first: str
    parts: tuple[Part, ...]
    parts_map: str | None
    copy_parts_map: str | None
    pull: int
    sums_payload: bool
    ports: Ports
    itself: str | None
    replica: str | None
    looped: str | None
    perf_map: str | None
    crcs: Mapping[str, str]
    arrays: tuple[tuple[str, ir.Array], ...]
    layout: Layout
