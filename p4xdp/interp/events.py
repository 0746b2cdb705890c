"""What a packet's run tells while it goes: the steps that `p4xdp trace` shows."""

from __future__ import annotations

from p4xdp.diagnostics import Span
from p4xdp.records import dataclass


@dataclass(frozen=True, slots=True)
class Began:
    """A parser, control, action, function or method begins: `kind` says which; `arguments` are
    those that it is given, as name and shown value. The action of a table follows `Applied`."""

    kind: str
    name: str
    arguments: tuple[tuple[str, str], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Ended:
    """What began last is over."""

    span: Span


@dataclass(frozen=True, slots=True)
class Entered:
    """A parser enters a state."""

    state: str
    span: Span


@dataclass(frozen=True, slots=True)
class Extracted:
    """A header was read; `offset` and `size` in bits; `fields` as name and shown value."""

    header: str
    offset: int
    size: int
    fields: tuple[tuple[str, str], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Selected:
    """A transition: the keys' values (none for a plain one) and the state they lead to."""

    keys: tuple[str, ...]
    state: str
    span: Span


@dataclass(frozen=True, slots=True)
class Rejected:
    """The parser rejects the packet."""

    error: str
    span: Span


@dataclass(frozen=True, slots=True)
class Applied:
    """A table was looked up; `keys` are (name, value); `arguments` the action's data.

    `entry` is where the entry that matched was written, None on a miss.
    """

    table: str
    keys: tuple[tuple[str, str], ...]
    entry: str | None
    action: str
    arguments: tuple[tuple[str, str], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Assigned:
    target: str
    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Branched:
    """A condition was decided."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Called:
    """An extern function or method, with what it was given and what came of it: `arguments`, and as
    `results` what it gave to its out parameters, as name and shown value; `returned` is its shown
    value, None where it has none."""

    what: str
    arguments: tuple[tuple[str, str], ...]
    span: Span
    results: tuple[tuple[str, str], ...] = ()
    returned: str | None = None


@dataclass(frozen=True, slots=True)
class Returned:
    """What came of the function or action that began last: `results` and `returned` as of
    Called."""

    results: tuple[tuple[str, str], ...]
    returned: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Emitted:
    """The deparser appended a header of `size` bits."""

    header: str
    size: int
    span: Span


@dataclass(frozen=True, slots=True)
class Exited:
    """`exit` ends the control and all that called it."""

    span: Span


@dataclass(frozen=True, slots=True)
class Moved:
    """The architecture carries the packet or a copy of it on: `what` says how and where to."""

    what: str
    span: Span


Event = (
    Began
    | Ended
    | Entered
    | Extracted
    | Selected
    | Rejected
    | Applied
    | Assigned
    | Branched
    | Called
    | Returned
    | Emitted
    | Exited
    | Moved
)
