"""The intermediate representation: a packet program over scalars.

A front end resolves names, calls, structs and instances; what reaches the IR is flat: variables of
one width each, header instances whose fields are such variables, a parser graph without cycles,
two statement lists. Values are unsigned bit patterns, always in range of their width; where
signedness matters the operator says so. Expressions have no side effect.

Three stages, checked by `verify`:
- *flat*: as elaborated; `Extract`, `Emit`, `Lookahead`, `Advance`, any width;
- *linear*: `Program.body` holds all parsers, controls and deparsers as one list, with `Check`,
  `Load`, `Store`, `AdjustHead` for everything that touches the packet;
- *narrow*: linear, and no variable or expression is wider than 64 bits. A wider table key is a
  `Concat` of limbs (`limbs_of`) and wider action data takes several variables, in both the highest
  limb first; every limb but the highest has 64 bits.

Widths and bit offsets are in bits, sizes and byte offsets in bytes.
"""

from __future__ import annotations

from typing import Any, Literal

from p4xdp.description import (
    MOST_PAYLOAD as MOST_PAYLOAD,
    OWN_DEFAULT as OWN_DEFAULT,
    OWN_MEMBER as OWN_MEMBER,
    scalar_size,
)
from p4xdp.diagnostics import Span, span_field
from p4xdp.midend.ir_expressions import (
    BOOL as BOOL,
    COMPARISONS as COMPARISONS,
    CUSTOM_CRCS as CUSTOM_CRCS,
    FALSE as FALSE,
    LIMB as LIMB,
    PURE_FUNCTIONS as PURE_FUNCTIONS,
    TRUE as TRUE,
    Binary as Binary,
    BinaryOp as BinaryOp,
    Concat as Concat,
    Const as Const,
    Expr as Expr,
    Extend as Extend,
    Load as Load,
    Mux as Mux,
    Pure as Pure,
    Slice as Slice,
    Unary as Unary,
    UnaryOp as UnaryOp,
    Var as Var,
    limbs_of as limbs_of,
    stored_width as stored_width,
    width_of as width_of,
)
from p4xdp.records import dataclass, field

# Statements


def ends_field() -> Any:
    """Return the field in which `rewrite.ends` notes what it found out of a statement."""
    return field(default=None, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Assign:
    target: Var
    value: Expr
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class If:
    condition: Expr
    then: Body
    otherwise: Body = ()
    span: Span = span_field()
    ends: bool | None = ends_field()


@dataclass(frozen=True, slots=True)
class SwitchCase:
    values: tuple[int, ...]
    body: Body


@dataclass(frozen=True, slots=True)
class Switch:
    """No fall-through; the values are distinct."""

    selector: Expr
    cases: tuple[SwitchCase, ...]
    default: Body = ()
    span: Span = span_field()
    ends: bool | None = ends_field()


@dataclass(frozen=True, slots=True)
class Scope:
    """`body`, then the place that `Leave(label)` inside it jumps to. The only jumps there are."""

    label: str
    body: Body
    ends: bool | None = ends_field()


@dataclass(frozen=True, slots=True)
class Leave:
    label: str
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ActionArm:
    """The code of table action `index` (into Table.actions); `data` are set before `body`."""

    index: int
    data: tuple[Var, ...]
    body: Body


@dataclass(frozen=True, slots=True)
class Apply:
    """Look `keys` up in `table` and run one of `arms` (all actions of the table, in order).

    A miss runs the table's default action through its arm; without keys there is no hit. `hit`
    (BOOL) and `action_run` (32 bits, the index of the arm) are set before the arm runs, when not
    None.
    """

    table: str
    keys: tuple[Expr, ...]
    arms: tuple[ActionArm, ...]
    hit: Var | None = None
    action_run: Var | None = None
    span: Span = span_field()
    ends: bool | None = ends_field()


EffectName = Literal[
    "count",
    "count_packet",
    "register_read",
    "register_write",
    "meter",
    "pick_member",
    "payload_sum",
    "lock",
    "unlock",
    "truncate",
    "again",
    "replicate",
    "resume",
    "find_copies",
    "send_copies",
    "copy_port",
    "copy",
    "perf_event_output",
    "digest",
    "packet_message",
    "ktime",
    "random",
]


SILENT_EFFECTS = frozenset(
    {
        "register_read",
        "pick_member",
        "payload_sum",
        "ktime",
        "random",
        "find_copies",
        "copy_port",
    }
)
"""Those that nobody can tell once nobody reads their result."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A call of a target function with an effect.

    `count` (instance; index, amount): add to a counter; `count_packet` (instance; index, length):
    add a packet of so many bytes; `register_read` (instance; index, offset, size) and
    `register_write` (instance; index, offset, size, value): `size` bytes of a register's cell, at
    an offset in bytes, a big-endian number; `meter` (instance; index, amount): the colour of so
    many packets or bytes, 0 to 2 in 32 bits; `pick_member` (instance; group, hash): the member of a
    group that a number of 64 bits leads to, 32 bits, NO_MEMBER if it has none;
    `payload_sum` (in a linear program: where it starts, in bytes): the sum, carries added in, of
    the 16-bit words of the first MOST_PAYLOAD bytes behind what was parsed, 16 bits;
    `lock` and `unlock`: only one packet at a time is between these, the others wait, and one that
    waits too long is lost; `truncate` (length): leave at most so many bytes;
    `again`: run the program on the packet from its start, comes back if that cannot be;
    `replicate` (fork, session, where, to; carried...): like fork(2), goes on once for each copy,
    with what it is as result (32 bits), or with NO_COPY where none can be made; `resume` (number):
    where copies go on, at the top of a body; both in a flat program with a Replication. In a linear
    one `find_copies` (session, where, to): one of Found, 32 bits; `send_copies` (the same): copies
    of the packet to all ports, with a verdict; `copy_port` (session, where, to; number): where a
    copy goes, 32 bits; `copy` (session, where, to, port, sequence; number): what the copy is, and
    below that its replication id, 64; both with a number if copies may come in again;
    `perf_event_output`: the packet to user space, result 32 bits; `digest` (instance; receiver of
    32 bits, the values of its fields, the limbs of a wide one as in a narrow program): a message to
    user space; `packet_message` (port it leaves by, port it came by): the packet to user space;
    `ktime`: nanoseconds and `random`: any number, results 64 bits. An index outside is
    no error: it reads 0.
    """

    name: EffectName
    instance: str | None
    arguments: tuple[Expr, ...]
    result: Var | None = None
    span: Span = span_field()


PERCENT = "\N{FULLWIDTH PERCENT SIGN}"


@dataclass(frozen=True, slots=True)
class Trace:
    """A line for the trace log: `format` with one `%` for each value, and PERCENT for the sign."""

    format: str
    values: tuple[Expr, ...] = ()
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class PacketLength:
    """The length of the packet in bytes into `target` (32 bits)."""

    target: Var
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Finish:
    """End the program with a verdict: an XDP action number, and the port of a redirect.

    A port beside another verdict means nothing and may be missing.
    In the filter model the verdict is BOOL: whether the packet is accepted.
    """

    verdict: Expr
    port: Expr | None = None
    span: Span = span_field()


# Flat only: the parser's and deparser's own statements. What moves the cursor (Extract, Advance)
# stands at the top of a state's body; Lookahead, Reject and Emit stand anywhere.


@dataclass(frozen=True, slots=True)
class Extract:
    """Set the header's fields from the packet and make it valid, or reject (PacketTooShort).

    `size` is the number of bytes (32 bits wide) of a part of variable length, at most its width.
    `part_of` is the first part of a P4 header, in the extractions of its other parts, which follow
    that one: nothing is set unless all parts are there.
    """

    header: str
    size: Expr | None = None
    part_of: str | None = None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Peek:
    """`width` bits at `offset` bits behind the cursor into `target`; 1 for a BOOL target."""

    target: Var
    offset: int
    width: int


@dataclass(frozen=True, slots=True)
class Lookahead:
    """Read behind the cursor without moving it; reject if fewer than `width` bits remain."""

    width: int
    peeks: tuple[Peek, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Advance:
    """Move the cursor by `amount` bits (32 bits wide), or reject."""

    amount: Expr
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Reject:
    """Stop the parser with an error code."""

    error: Expr
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Emit:
    """Append the header to the packet if it is valid."""

    header: str
    span: Span = span_field()


# Linear only: the packet as memory. Pointers are packet pointers by name; `data` is the start.


@dataclass(frozen=True, slots=True)
class SetPointer:
    """`pointer = base + offset + amount`; `offset` in bytes, `amount` a run-time number of bytes
    of at most `limit`."""

    pointer: str
    base: str
    offset: int
    amount: Expr | None = None
    limit: int = 0
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Check:
    """Run `fail` unless `size` bytes from `pointer` on are in the packet; `fail` never ends."""

    pointer: str
    size: int
    fail: Body
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Store:
    """`value` into the packet, `offset` bits behind `pointer`; both multiples of 8 bits."""

    pointer: str
    offset: int
    width: int
    value: Expr
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class AdjustHead:
    """Grow the packet at its start by `growth` bytes (32 bits, two's complement), or run `fail`.

    Every pointer is lost; `data` is valid again, with no byte checked.
    """

    growth: Expr
    fail: Body
    span: Span = span_field()


# In programs that were cut into parts only, which the back end does last.


@dataclass(frozen=True, slots=True)
class GoOn:
    """End this part of the program; part number `part`, a later one, goes on."""

    part: int


Stmt = (
    Assign
    | If
    | Switch
    | Scope
    | Leave
    | Apply
    | Effect
    | Trace
    | Finish
    | Extract
    | Lookahead
    | Advance
    | PacketLength
    | Reject
    | Emit
    | SetPointer
    | Check
    | Store
    | AdjustHead
    | GoOn
)
Body = tuple[Stmt, ...]


# The parser graph

ACCEPT = "accept"
REJECT = "reject"


@dataclass(frozen=True, slots=True)
class AnyTest:
    pass


@dataclass(frozen=True, slots=True)
class MaskTest:
    """`(key & mask) == value`, `value` without bits outside `mask`; a full mask for equality."""

    value: int
    mask: int


@dataclass(frozen=True, slots=True)
class RangeTest:
    low: int
    high: int


Test = AnyTest | MaskTest | RangeTest


@dataclass(frozen=True, slots=True)
class SelectCase:
    """One test for each key; `target` is a state, ACCEPT or REJECT."""

    tests: tuple[Test, ...]
    target: str
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Transition:
    """The first case whose tests all hold; none: reject with error `NoMatch`.

    An unconditional transition has no keys and one case without tests.
    """

    keys: tuple[Expr, ...]
    cases: tuple[SelectCase, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class State:
    name: str
    body: Body
    transition: Transition
    span: Span = span_field()


# What the program declares

Stage = Literal["flat", "linear", "narrow"]


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A field `offset` bits into its header, `stored_width(var.width)` bits long."""

    name: str
    var: Var
    offset: int


@dataclass(frozen=True, slots=True)
class Header:
    """A header instance: `valid` is BOOL, `width` in bits (a multiple of 8).

    With `size` (32 bits wide) it is a part of variable length: `width` bits at most, `size` bytes
    of which are there. The fields are words then, of 64 bits but for the last, zero where nothing
    is. The parts of one P4 header have its one `valid`.
    """

    name: str
    type_name: str
    valid: Var
    fields: tuple[HeaderField, ...]
    width: int
    size: Var | None = None


MatchKind = Literal["exact", "lpm", "ternary", "optional", "range"]


@dataclass(frozen=True, slots=True)
class Key:
    """`name` is the control-plane name; the tests of entries fit `kind`."""

    name: str
    width: int
    kind: MatchKind
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class ActionData:
    name: str
    width: int


@dataclass(frozen=True, slots=True)
class TableAction:
    """`name` is the control-plane name, as `Ingress.forward`."""

    name: str
    data: tuple[ActionData, ...]
    table_only: bool = False
    default_only: bool = False


@dataclass(frozen=True, slots=True)
class ActionChoice:
    """An action of a table with its data."""

    index: int
    arguments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """Entries stand in the order in which they are tried, the winning `priority` first.

    The control plane may change an entry that is not `const`.
    """

    tests: tuple[Test, ...]
    choice: ActionChoice
    priority: int
    const: bool = True
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Table:
    """`name` is the control-plane name; `size` the number of entries.

    `const_entries`: the entries are all there ever is; otherwise they are those to start with.
    `implementation` is None unless the program asks for a kind of map. `smallest_first`: a
    smaller priority wins over a greater one.
    """

    name: str
    keys: tuple[Key, ...]
    actions: tuple[TableAction, ...]
    default: ActionChoice
    default_const: bool
    entries: tuple[Entry, ...]
    const_entries: bool
    size: int
    implementation: Literal["hash_table", "array_table"] | None = None
    smallest_first: bool = False
    span: Span = span_field()


CELL = "$cell"
"""The action datum, of 32 bits, that says which cell of direct counters and meters belongs to the
entry; NO_CELL in a default."""

NO_CELL = 0xFFFFFFFF

CounterUnit = Literal["amounts", "packets", "bytes", "packets_and_bytes", "last_hit"]


@dataclass(frozen=True, slots=True)
class Counter:
    """An array of `size` counters; `sparse` ones exist once they are counted.

    `unit` says what a cell counts: what it is told, or the packets it is called for; with
    `last_hit` it does not count but hold the time, in place of the length. With `table`
    the cells belong to entries of that table, as their datum CELL says.
    """

    name: str
    size: int
    sparse: bool
    unit: CounterUnit = "amounts"
    table: str | None = None
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class CellField:
    """A scalar of a register's cell, `offset` bytes into it: a big-endian number."""

    name: str
    offset: int
    width: int


@dataclass(frozen=True, slots=True)
class Register:
    """An array of `size` cells that packets read and write; `is_per_cpu`: each CPU has its own,
    which are no business of the control plane.

    `initial` is what the fields of each cell are at first; empty for zeros.
    """

    name: str
    size: int
    fields: tuple[CellField, ...]
    initial: tuple[int, ...] = ()
    is_per_cpu: bool = False
    span: Span = span_field()

    @property
    def cell_size(self) -> int:
        return sum(scalar_size(field.width) for field in self.fields)


@dataclass(frozen=True, slots=True)
class Meter:
    """An array of `size` meters of two rates; one whose rates were never set answers 0."""

    name: str
    size: int
    unit: CounterUnit
    table: str | None = None
    span: Span = span_field()


NO_MEMBER = 0xFFFFFFFF
"""The number of no member of an action profile."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Up to `size` actions with their data that entries share, the members, and groups of at most
    `group_size` of them, none if that is 0.

    `tables` are the tables whose entries name members and groups, each with the one that holds the
    members for it.
    """

    name: str
    size: int
    group_size: int
    tables: tuple[tuple[str, str], ...]
    span: Span = span_field()


NO_SESSION = 0xFFFFFFFF
"""No clones."""

NOWHERE, TO_PORT, TO_GROUP, TO_ITSELF = 1, 2, 3, 4
"""Where the packet itself goes when copies are made: to one port, as copies of a multicast group,
or once more through the program."""

NO_COPY, ORIGINAL, REPLICA, CLONE, ITSELF = 0, 1, 2, 3, 4
"""What a copy is: the packet itself, on its way to one port; of a group; a clone of a session; the
packet itself, to go on where it is."""

NOT_FOUND, ALL_FOUND, NO_SUCH_SESSION, NO_SUCH_GROUP = 0, 1, 2, 3
"""Found: which of session and group are there; NOT_FOUND if there is nothing to send."""


@dataclass(frozen=True, slots=True)
class Point:
    """Where copies of one kind (ORIGINAL, REPLICA, CLONE) go on.

    With `mark` behind the `resume` of that number: each variable has the value that it had when
    the copies were made, and `entered` runs first. Without it a copy starts as a packet that has
    just arrived, but for Replication.point, which is `number`, and the carried variables. With both
    `mark` and `is_fresh` it comes to the mark as if all in front of it had set no variable, but for
    the carried ones and what `entered` does.
    """

    number: int
    kind: int
    mark: int | None = None
    entered: Body = ()
    is_fresh: bool = False


@dataclass(frozen=True, slots=True)
class Fork:
    """One `replicate`. Copies that start anew find its further arguments in `carried`."""

    points: tuple[Point, ...]
    carried: tuple[Var, ...] = ()


@dataclass(frozen=True, slots=True)
class DigestField:
    """A number of `width` bits in a digest; `name` as the control plane knows it."""

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class Digest:
    """A kind of message that packets send to the control plane; `name` is its control-plane
    name. Each effect `digest` sends one."""

    name: str
    fields: tuple[DigestField, ...]
    span: Span = span_field()


@dataclass(frozen=True, slots=True)
class Replication:
    """Packets may be replicated by one of `forks`, which `replicate` names by its index.

    All copies are sent at once and are one and the same bytes, those of the packet as it is. Each
    meets the program on its way out, where it can be changed or dropped and no more.
    `is_replica` (BOOL) says that this is a copy, which leaves by `port` with the replication id
    `rid` (32 bits each). `point` (32 bits) is that of a copy which starts anew, otherwise 0.
    With `is_leaving` (BOOL) copies may also be led back in, by a loop of devices: only where it
    holds is a copy on its way out, anywhere else it can be what any packet can be.
    """

    is_replica: Var
    point: Var
    port: Var
    rid: Var
    forks: tuple[Fork, ...]
    is_leaving: Var | None = None


@dataclass(frozen=True, slots=True)
class Absent:
    """What the source declares and no packet can reach: nothing is kept for it."""

    tables: tuple[Table, ...] = ()
    counters: tuple[Counter, ...] = ()
    registers: tuple[Register, ...] = ()
    meters: tuple[Meter, ...] = ()
    profiles: tuple[Profile, ...] = ()


NOTHING_ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Ports:
    """Port numbers below `size`, which are mapped to devices; `host` is this machine itself, `cpu`
    a controller in user space."""

    size: int
    host: int
    cpu: int | None = None


@dataclass(frozen=True, slots=True)
class ControllerHeader:
    """The header in front of packets to (`packet_in`) or from (`packet_out`) a controller: names
    and widths in bits of its fields."""

    name: str
    fields: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A further parser, control and deparser, for the packet that those before have made: its bytes
    are parsed from the start. What the fields mean is what those of Program do."""

    parser: tuple[State, ...]
    control: Body
    deparser: Body
    departure: Body = ()
    parser_error: Var | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """`model` names the architecture. `input_port` is set by the entry point when not None.

    `verdict` and `port` are what the control decides: for `xdp` an XDP action number and a port,
    for `filter` a BOOL (accept) and None. `errors` are the error names by code.
    `devmap_size` is not None when a redirect goes through a devmap; `ports` is not None when
    ports are numbers of the program's own, both ways.
    `parser_error` is set when the parser rejects and the program goes on; without it the program
    ends there. `is_kept`: the verdict never discards the packet, since the control ends the program
    where it is discarded. `departure` runs when the packet is as it leaves, or as it enters the
    first of `further`, which have headers of their own.
    The parser starts in its first state; without states it accepts at once.
    `body` is empty while the program is flat; later it is all there is of the pipelines.
    `reject_verdict` is what an `xdp` program answers to a packet that its parser rejects.
    """

    name: str
    source: str
    model: Literal["xdp", "filter"]
    headers: tuple[Header, ...]
    tables: tuple[Table, ...]
    counters: tuple[Counter, ...]
    errors: tuple[str, ...]
    input_port: Var | None
    verdict: Var
    port: Var | None
    parser: tuple[State, ...]
    control: Body
    deparser: Body
    body: Body = ()
    devmap_size: int | None = None
    registers: tuple[Register, ...] = ()
    meters: tuple[Meter, ...] = ()
    digests: tuple[Digest, ...] = ()
    controller_headers: tuple[ControllerHeader, ...] = ()
    profiles: tuple[Profile, ...] = ()
    absent: Absent = NOTHING_ABSENT
    ports: Ports | None = None
    parser_error: Var | None = None
    is_kept: bool = False
    departure: Body = ()
    further: tuple[Pipeline, ...] = ()
    replication: Replication | None = None
    stage: Stage = "flat"
    reject_verdict: int = 0


def pipelines(program: Program) -> tuple[Program | Pipeline, ...]:
    """Return the pipelines of a flat program in the order in which a packet meets them."""
    return (program, *program.further)


def given(program: Program) -> tuple[Var, ...]:
    """Return the variables that no statement of the program sets first."""
    arrival = (program.input_port,) if program.input_port else ()
    made = program.replication
    if made is None:
        return arrival
    leaving = (made.is_leaving,) if made.is_leaving else ()
    arrival = (*arrival, made.is_replica, *leaving)
    if program.stage != "flat":
        return arrival
    carried = (var for fork in made.forks for var in fork.carried)
    return (*arrival, made.point, made.port, made.rid, *carried)


def discards(body: Body) -> bool:
    """Tell whether the body ends the program at once so that nobody sees the packet."""
    match body:
        case (Finish(verdict=Const(value=verdict, width=width)),):
            return verdict in ((XDP_ABORTED, XDP_DROP) if width else (0,))
        case _:
            return False


XDP_ABORTED = 0
XDP_DROP = 1
XDP_PASS = 2
XDP_TX = 3
XDP_REDIRECT = 4
