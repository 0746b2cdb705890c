"""The statements of the intermediate representation, those of all its stages.

Widths and bit offsets are in bits, sizes and byte offsets in bytes.
"""

from __future__ import annotations

from typing import Any, Literal

from p4xdp.diagnostics import Span, span_field
from p4xdp.midend.ir_expressions import (
    Expr,
    Var,
)
from p4xdp.records import dataclass, field


def note_field() -> Any:
    """Return a field in which `rewrite` notes what it found out of a statement: whether it `ends`,
    and to which labels control has `left` it."""
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
    ends: bool | None = note_field()
    left: frozenset[str] | None = note_field()


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
    ends: bool | None = note_field()
    left: frozenset[str] | None = note_field()


@dataclass(frozen=True, slots=True)
class Scope:
    """`body`, then the place that `Leave(label)` inside it jumps to. The only jumps there are."""

    label: str
    body: Body
    ends: bool | None = note_field()
    left: frozenset[str] | None = note_field()


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
    ends: bool | None = note_field()
    left: frozenset[str] | None = note_field()


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
    "call",
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
    no error: it reads 0. `call` (instance; the scalars of `in` and `inout` parameters): a function
    in C, with what it returns as result, and in `given_back` the scalars of its `out` and `inout`
    parameters.
    """

    name: EffectName
    instance: str | None
    arguments: tuple[Expr, ...]
    result: Var | None = None
    span: Span = span_field()
    given_back: tuple[Var, ...] = ()


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
