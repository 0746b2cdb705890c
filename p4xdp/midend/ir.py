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

from typing import Literal

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
from p4xdp.midend.ir_statements import (
    PERCENT as PERCENT,
    SILENT_EFFECTS as SILENT_EFFECTS,
    ActionArm as ActionArm,
    AdjustHead as AdjustHead,
    Advance as Advance,
    Apply as Apply,
    Assign as Assign,
    Body as Body,
    Check as Check,
    Effect as Effect,
    EffectName as EffectName,
    Emit as Emit,
    Extract as Extract,
    Finish as Finish,
    GoOn as GoOn,
    If as If,
    Leave as Leave,
    Lookahead as Lookahead,
    PacketLength as PacketLength,
    Peek as Peek,
    Reject as Reject,
    Scope as Scope,
    SetPointer as SetPointer,
    Stmt as Stmt,
    Store as Store,
    Switch as Switch,
    SwitchCase as SwitchCase,
    Trace as Trace,
    note_field as note_field,
)
from p4xdp.records import dataclass

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
    members for it; absent ones are among them.
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
class CNumber:
    """A parameter or member of `width` bits (BOOL too), at most LIMB, in C."""

    width: int


@dataclass(frozen=True, slots=True)
class CStruct:
    """A struct in C; the first member of a header is its validity."""

    name: str
    members: tuple[tuple[str, CType], ...]
    is_header: bool = False


CType = CNumber | CStruct


@dataclass(frozen=True, slots=True)
class CParameter:
    """`direction` is `in`, `out` or `inout`."""

    name: str
    direction: str
    type: CType


@dataclass(frozen=True, slots=True)
class CFunction:
    """A function that the user writes in C; `width` is that of what it returns, if anything."""

    name: str
    parameters: tuple[CParameter, ...]
    width: int | None
    span: Span = span_field()


def numbers_of(kind: CType) -> int:
    """Return of how many scalars a value of the type consists."""
    match kind:
        case CStruct(members=members):
            return sum(numbers_of(member) for _, member in members)
        case CNumber():
            return 1


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
    a controller in user space. The architecture numbers ports with `width` bits, and multicast
    groups with `group_width`."""

    size: int
    host: int
    cpu: int | None = None
    width: int = 32
    group_width: int = 32


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
class Array:
    """Constant numbers of `width` bits each, at most LIMB, which the function `element` reads."""

    name: str
    width: int
    values: tuple[int, ...]


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
    input_port: Var | None
    verdict: Var
    port: Var | None
    parser: tuple[State, ...]
    control: Body
    deparser: Body
    body: Body = ()
    devmap_size: int | None = None
    errors: tuple[str, ...] = ()
    headers: tuple[Header, ...] = ()
    tables: tuple[Table, ...] = ()
    arrays: tuple[Array, ...] = ()
    counters: tuple[Counter, ...] = ()
    registers: tuple[Register, ...] = ()
    meters: tuple[Meter, ...] = ()
    digests: tuple[Digest, ...] = ()
    functions: tuple[CFunction, ...] = ()
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
