"""What a compiled program says of itself: the contract between compiler and run time.

The back end writes it beside out.c as JSON; the loader keeps it with the loaded program; STF,
`status` and every tool that changes a table read it. Sizes and offsets are in bytes, widths in
bits.

Byte order (one rule, for key fields and action data alike): an unsigned big-endian number,
right-aligned in 1, 2, 4 or 8 bytes, or in exactly ceil(W/8) bytes for the widths 24, 40, 48, 56
and above 64. `prefixlen`, `action`, `priority` and counters are numbers in host order. All
padding is zero.
"""

from __future__ import annotations

import json
from typing import Any

from p4xdp.records import asdict, dataclass

FORMAT = 2


class DescriptionError(Exception):
    """The text is not a description, or one of another format."""


def scalar_size(width: int) -> int:
    """Return the size in bytes of a key field or an action datum of `width` bits."""
    exact = (width + 7) // 8
    if width > 64 or width in (24, 40, 48, 56):
        return exact
    return next(size for size in (1, 2, 4, 8) if size >= exact)


def encode_scalar(value: int, width: int) -> bytes:
    """Return `value` in the byte order above."""
    return value.to_bytes(scalar_size(width), "big")


MOST_PAYLOAD = 9216
"""Bytes of a payload that a checksum over it counts at most."""

OWN_MEMBER = 0x80000000
"""The first number of members that no control plane names: those of entries that name an action."""

OWN_DEFAULT = 0xFFFFFFFE
"""The member that is the default action of a table."""

MOST_OF_GROUP = 1024
"""Members of the largest group of an action profile."""

OFFSET_OF_SLOTS = 8
"""Bytes in front of the first of two values of a default."""


@dataclass(frozen=True, slots=True)
class Map:
    """A BPF map of the object: `name` is its C symbol and the name of its pin.

    `type` is the kernel's word in lower case: `hash`, `lpm_trie`, `array`, `percpu_array`,
    `percpu_hash`, `devmap`, `devmap_hash`, `perf_event_array`, `ringbuf`, `data` (a global
    variable in a section of its own, `section`, one value of `value_size` bytes).
    """

    name: str
    type: str
    key_size: int
    value_size: int
    max_entries: int
    flags: int = 0
    section: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A key field (`match` is exact, lpm, ternary, optional or range) or an action datum (None).

    `name` is P4's, `c_name` the C member; `offset` is from the start of the key or value struct.
    """

    name: str
    c_name: str
    width: int
    offset: int
    size: int
    match: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """`id` is the number in the value's `action` member. `cell` is the offset in the value struct
    of the number of the entry's cell in the direct counters and meters of the table, a 32-bit
    big-endian number; None without such."""

    name: str
    c_name: str
    id: int
    data: tuple[Field, ...]
    table_only: bool = False
    default_only: bool = False
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class ActionChoice:
    id: int
    arguments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry that a table starts with: `value` and `mask` for each key, for a range its ends.

    The control plane may neither change nor remove it when it is `const`.
    """

    keys: tuple[tuple[int, int], ...]
    choice: ActionChoice
    priority: int
    const: bool


@dataclass(frozen=True, slots=True)
class TernaryLayout:
    """The halves of a ternary table; see `Table.kind`. Offsets in bytes.

    The map is an array of two halves of `half_size` bytes. `state_map` is a data map of one 64-bit
    host-order number: `half << 32 | count`, the half in force (0 or 1) and how many entries it
    has. Writers fill the other half, then store the number at once, then wait for readers.

    The entries stand from `entries_offset` on. An entry of `entry_size` bytes is a key struct,
    already masked, at `mask_offset` a mask, at `range_offset` (None: no range fields) two key
    structs with the least and the greatest value of range fields, whose masks are 0, at
    `priority_offset` priority and rank, at `value_offset` the value struct. Ranks order all
    entries: the greatest wins; the first of n has n, the last 1, and 0 is no entry.

    With `masks` 0 the entries stand in order of rank. Else a half starts with `masks` records: a
    mask, the greatest rank of its entries, the number of its first slot, and a shift, 32 bits
    each, and 4 bytes of padding; greatest ranks first, and 0 behind the last record. From
    `slots_offset` on stand 32-bit numbers: the first entry of each slot, and behind it that of the
    next. A mask with shift s has 2**(64 - s) slots, and an entry stands in the one that the highest
    bits of `runtime.ternary.slot_hash` say. A slot holds at most SLOT_DEPTH entries, greatest ranks
    first; when there are more, the mask has another record with the rest. `slots` is the most
    that there are of all masks.
    """

    state_map: str
    mask_offset: int
    priority_offset: int
    value_offset: int
    entry_size: int
    range_offset: int | None
    half_size: int
    entries_offset: int
    masks: int = 0
    slots: int = 0
    slots_offset: int = 0


SLOT_DEPTH = 7
"""Entries that a slot of a ternary table holds at most; as a mask it leaves what is no more."""


@dataclass(frozen=True, slots=True)
class Table:
    """A P4 table. `kind`:

    - `constant`: no map; nothing can be added;
    - `hash`: `map` from key struct to value struct;
    - `array`: the map's key is a host-order index, and a value is in use when its 32-bit
      `in_use` member (at `in_use_offset`) is 1;
    - `lpm`: an LPM trie; the key struct starts with `prefixlen`, which counts `prefix_base` bits
      of exact fields and padding and then the prefix of the one lpm field, which is last;
    - `ternary`: see TernaryLayout; masks of exact fields are full, those of lpm fields prefixes.

    `default_map` is a data map, None when the default is constant. With `default_slots` 1 it holds
    one value struct. With 2 it holds a 64-bit host-order number, two value structs behind it and
    unused bytes. The number is the offset of the one in force: writers fill the other one, then
    change the number, then wait until no packet can be looking at the old one.

    `initial` are entries that a loader puts into `map` before the first packet, the winning ones
    first. `smallest_first`: the smallest priority wins; it is stored as 2**32 - 1 minus it.
    `longest_first`: a ternary table with one lpm field and no priorities; the prefix length is
    stored as priority. `last_hit` is a map like that of a direct counter, with two numbers in a
    cell: when a packet found the entry last or it was added, by the clock of bpf_ktime_get_ns() (on
    each CPU; the latest counts), and after how many nanoseconds it is out of date, 0 for never.
    """

    name: str
    c_name: str
    kind: str
    map: str | None
    size: int
    keys: tuple[Field, ...]
    key_size: int
    value_size: int
    actions: tuple[Action, ...]
    default: ActionChoice
    default_map: str | None
    default_slots: int = 1
    prefix_base: int = 0
    in_use_offset: int = 0
    ternary: TernaryLayout | None = None
    const_entries: int = 0
    initial: tuple[Entry, ...] = ()
    smallest_first: bool = False
    longest_first: bool = False
    last_hit: str | None = None


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter array: `map` is per CPU, key 32 bits and value 64 bits, both host order.

    `unit` says what is counted: `amounts` that the program gives, `packets`, `bytes`, or
    `packets_and_bytes`, which is two numbers in this order. With `table` the cells belong to
    entries of that table, each of which says in its value, at `Action.cell`, which is its own.
    """

    name: str
    c_name: str
    map: str
    size: int
    sparse: bool
    unit: str = "amounts"
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Meter:
    """An array of meters: `map` has a host-order 32-bit key; a cell is a `struct p4xdp_meter` of
    the run-time headers. `unit` is `packets` or `bytes`; `table` as in Counter."""

    name: str
    c_name: str
    map: str
    size: int
    unit: str
    table: str | None = None


@dataclass(frozen=True, slots=True)
class Register:
    """An array of cells: `map` has a host-order 32-bit key; a cell holds the `fields` of its
    type, scalars in the byte order above. `initial` are the bytes of a cell that whoever loads the
    program puts into all of them, hexadecimal; empty for zeros."""

    name: str
    c_name: str
    map: str
    size: int
    fields: tuple[Field, ...]
    cell_size: int
    initial: str = ""


@dataclass(frozen=True, slots=True)
class Digest:
    """A kind of message to user space. Each is a `struct p4xdp_message` of the run-time headers, in
    host order, with `number`, and behind it the `fields`, in the byte order above; their offsets
    and `size` count from the start of the message."""

    name: str
    c_name: str
    number: int
    fields: tuple[Field, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Profile:
    """An action profile: at most `size` members, actions that entries share.

    `tables` are the tables whose entries name members and groups, absent ones among them, each with
    the name of the table that holds, by their numbers, the members whose actions it lists: those
    from OWN_MEMBER on belong to entries that name an action, OWN_DEFAULT to the default action. One
    that runs in absent tables alone stands in the first of the others, with the action 0xFFFFFFFF.
    `groups` is a map, None without groups, from the number of a group to how many members it has
    and, in rising order, which: 32-bit numbers in host order, with room for `group_size` members.
    Groups from OWN_MEMBER on belong to entries.
    """

    name: str
    size: int
    groups: str | None
    group_size: int
    tables: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Widths:
    """How many bits an architecture gives to the numbers of ports and of multicast groups."""

    port: int = 32
    group: int = 32


@dataclass(frozen=True, slots=True)
class Absent:
    """What the source declares and no packet can reach: requests are checked against it, and there
    are no maps behind it, whatever their names are here. Counters of it are 0."""

    tables: tuple[Table, ...] = ()
    counters: tuple[Counter, ...] = ()
    registers: tuple[Register, ...] = ()
    meters: tuple[Meter, ...] = ()
    profiles: tuple[Profile, ...] = ()


NOTHING_ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class ControllerHeader:
    """The header in front of packets to (`packet_in`) or from (`packet_out`) a controller: names
    and widths in bits of its fields, in their order."""

    name: str
    fields: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Description:
    """`function` is the C entry point, `section` its ELF section; `stack` an estimate in bytes.

    `model` is `xdp` or `filter`, `target` `xdp` or `tc`; `layout` the rung of the ladder, with
    the reason if it is not the lowest, and `parts` the functions of a program that was cut;
    `devmap` and `perf_map` name maps; `headers` are (name, size in bytes). `messages` is the ring
    buffer of what the program tells user space; the data map of that name with `_lost` behind it
    is a 64-bit number in host order: how many messages found no room. `crc16` and `crc32` are data
    maps, `struct p4xdp_crcs` of the run-time headers, with the parameters of the custom checks.

    With `host_port` the ports are numbers of the program's own: `devmap` turns them into devices,
    `interfaces`, if there, is an array that turns the index of an interface into its port plus 1,
    0 for an interface that is no port. A packet that is passed to this machine left by `host_port`,
    one that `messages` has by `cpu_port`; by this come those of a controller, too, which the
    loopback device stands for. Port numbers have `port_width` bits, those of multicast groups
    `group_width`.
    A program that replicates packets has a map of maps `groups`, from a struct p4xdp_copies to the
    devmap of their ports, each with `replica`, the function that a copy meets, as the entries of
    `devmap` then have, too; and `copies`, from a struct p4xdp_copy_key to a struct p4xdp_copy, all
    numbers of 32 bits in host order. `looped`, if there, is the function that numbers copies which
    come in again by a loop of devices.
    """

    program: str
    source: str
    version: str
    model: str
    target: str
    function: str
    section: str
    layout: str
    stack: int
    maps: tuple[Map, ...]
    tables: tuple[Table, ...]
    counters: tuple[Counter, ...]
    headers: tuple[tuple[str, int], ...]
    errors: tuple[str, ...]
    devmap: str | None = None
    perf_map: str | None = None
    crc16: str | None = None
    crc32: str | None = None
    registers: tuple[Register, ...] = ()
    meters: tuple[Meter, ...] = ()
    digests: tuple[Digest, ...] = ()
    messages: str | None = None
    profiles: tuple[Profile, ...] = ()
    absent: Absent = NOTHING_ABSENT
    interfaces: str | None = None
    groups: str | None = None
    copies: str | None = None
    replica: str | None = None
    looped: str | None = None
    host_port: int | None = None
    cpu_port: int | None = None
    port_width: int = 32
    group_width: int = 32
    controller_headers: tuple[ControllerHeader, ...] = ()
    layout_reason: str = ""
    parts: tuple[str, ...] = ()
    format: int = FORMAT

    @property
    def all_tables(self) -> tuple[Table, ...]:
        return (*self.tables, *self.absent.tables)

    @property
    def all_profiles(self) -> tuple[Profile, ...]:
        return (*self.profiles, *self.absent.profiles)

    @property
    def layout_line(self) -> str:
        """The rung of the ladder that the program took, in how many parts, and why."""
        parts = f" in {len(self.parts)} parts" if self.parts else ""
        reason = f" ({self.layout_reason})" if self.layout_reason else ""
        return f"layout {self.layout}{parts}{reason}"


def to_json(description: Description) -> str:
    """Return the JSON text, the same for the same description."""
    return json.dumps(asdict(description), indent=2) + "\n"


def from_json(text: str) -> Description:
    """Return the description in `text`; raises DescriptionError."""
    try:
        raw = json.loads(text)
        if raw["format"] != FORMAT:
            raise DescriptionError(f"description format {raw['format']}, expected {FORMAT}")
        return _description(raw)
    except (ValueError, KeyError, TypeError) as error:
        raise DescriptionError(f"not a description: {error}") from error


def _description(raw: dict[str, Any]) -> Description:
    return Description(
        **{
            **raw,
            **_instances(raw),
            "maps": tuple(Map(**m) for m in raw["maps"]),
            "digests": tuple(_digest(d) for d in raw.get("digests", ())),
            "absent": Absent(**_instances(raw.get("absent", {}))),
            "controller_headers": tuple(
                ControllerHeader(h["name"], tuple((name, width) for name, width in h["fields"]))
                for h in raw.get("controller_headers", ())
            ),
            "headers": tuple((name, size) for name, size in raw["headers"]),
            "errors": tuple(raw["errors"]),
            "parts": tuple(raw.get("parts", ())),
        }
    )


def _instances(raw: dict[str, Any]) -> dict[str, Any]:
    return {
        "tables": tuple(_table(t) for t in raw.get("tables", ())),
        "counters": tuple(Counter(**c) for c in raw.get("counters", ())),
        "registers": tuple(_register(r) for r in raw.get("registers", ())),
        "meters": tuple(Meter(**m) for m in raw.get("meters", ())),
        "profiles": tuple(_profile(p) for p in raw.get("profiles", ())),
    }


def _table(raw: dict[str, Any]) -> Table:
    return Table(
        **{
            **raw,
            "keys": tuple(Field(**f) for f in raw["keys"]),
            "actions": tuple(_action(a) for a in raw["actions"]),
            "default": _choice(raw["default"]),
            "ternary": TernaryLayout(**raw["ternary"]) if raw["ternary"] else None,
            "initial": tuple(_entry(e) for e in raw["initial"]),
        }
    )


def _profile(raw: dict[str, Any]) -> Profile:
    return Profile(**{**raw, "tables": tuple((one, other) for one, other in raw["tables"])})


def _register(raw: dict[str, Any]) -> Register:
    return Register(**{**raw, "fields": tuple(Field(**f) for f in raw["fields"])})


def _digest(raw: dict[str, Any]) -> Digest:
    return Digest(**{**raw, "fields": tuple(Field(**f) for f in raw["fields"])})


def _action(raw: dict[str, Any]) -> Action:
    return Action(**{**raw, "data": tuple(Field(**f) for f in raw["data"])})


def _entry(raw: dict[str, Any]) -> Entry:
    keys = tuple((first, second) for first, second in raw["keys"])
    return Entry(keys, _choice(raw["choice"]), raw["priority"], raw["const"])


def _choice(raw: dict[str, Any]) -> ActionChoice:
    return ActionChoice(raw["id"], tuple(raw["arguments"]))
