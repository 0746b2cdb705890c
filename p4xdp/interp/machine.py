"""A program that is ready to run, and one packet's run through it.

A `Machine` holds what lives on from packet to packet: instances, tables, the state of externs. A
`Run` holds what belongs to one packet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from p4xdp.diagnostics import InternalError, Span
from p4xdp.frontend import typed, types as t
from p4xdp.interp.crc import CUSTOM_CRC, Crc
from p4xdp.interp.events import Event
from p4xdp.interp.outcome import Digest
from p4xdp.interp.replication import Replication
from p4xdp.interp.tables import TableState
from p4xdp.interp.values import Frame, Scalar, Thing, Value
from p4xdp.records import dataclass, dataclass as record, field

MOST_STEPS = 1_000_000
"""How many statements one packet may run: a loop that goes on for longer has no end."""


class Stuck(Exception):
    """A packet's run has no end, or reached what this interpreter cannot do."""

    def __init__(self, text: str, span: Span) -> None:
        super().__init__(f"{span}: {text}")
        self.text = text
        self.span = span


class Exit(Exception):
    """An `exit` statement (section 12.5)."""


class Return(Exception):
    """A `return` statement (section 12.4)."""

    def __init__(self, value: Value | None) -> None:
        super().__init__()
        self.value = value


class Break(Exception):
    """A `break` statement (section 12.8)."""


class Continue(Exception):
    """A `continue` statement (section 12.8)."""


class Reject(Exception):
    """The parser goes to `reject`, with the error that it sets (sections 13.3 and 13.7)."""

    def __init__(self, error: str, span: Span) -> None:
        super().__init__(error)
        self.error = error
        self.span = span


# Externs


@dataclass(slots=True)
class Invocation:
    """A call of an extern function or method.

    `values` are the arguments by parameter; those of `out` and `inout` parameters may be
    replaced and are copied out afterwards, those that are deleted are not. `written` are the
    arguments as expressions.
    """

    name: str
    values: dict[str, Value]
    type_arguments: tuple[t.Type, ...]
    result: t.Type
    span: Span
    written: Mapping[str, typed.Expression] = field(default_factory=dict)

    def argument(self, name: str) -> Scalar:
        """Return a scalar argument."""
        value = self.values.get(name)
        if not isinstance(value, Scalar):
            raise InternalError("interp", f"no scalar argument {name} of {self.name}", self.span)
        return value


class ExternObject(Thing):
    """An object of an architecture: a counter, a register; `path` is its control-plane name."""

    def __init__(self, path: str) -> None:
        self.path = path

    def call(self, run: Run, invocation: Invocation) -> Value:
        """Carry out a method; raises Stuck for one that is not known."""
        raise Stuck(f"the extern method `{invocation.name}` is not known", invocation.span)


@record(frozen=True, slots=True)
class Construction:
    """What an extern object is made of: its control-plane name, the type arguments of its type,
    the constructor's arguments by parameter."""

    path: str
    kinds: tuple[t.Type, ...]
    values: Mapping[str, Value]


ExternFunction = Callable[["Run", Invocation], Value]
Constructor = Callable[[Construction], ExternObject]


@record(frozen=True, slots=True)
class Library:
    """The externs of an architecture, by name."""

    functions: Mapping[str, ExternFunction]
    objects: Mapping[str, Constructor]


# Instances


@dataclass(slots=True, eq=False)
class Block(Thing):
    """An instance of a parser or control (section 18.2).

    `frame` holds what stays the same in all its invocations: constructor arguments, constants,
    inner instances.
    """

    declaration: typed.Parser | typed.Control
    path: str
    frame: Frame
    tables: dict[typed.Table, TableState] = field(default_factory=dict)
    value_sets: dict[typed.ValueSet, TableState] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class ExternInstance(Thing):
    """An extern object with methods that the program gives it (section 11.3.1)."""

    object: ExternObject
    methods: Mapping[typed.ExternFunction, typed.Function]
    frame: Frame


@dataclass(slots=True)
class Machine:
    """`globals` holds top-level constants and instances, made when they are first needed;
    `tables`, value sets among them, and `objects` are by control-plane name. `crc` holds the
    custom polynomials by width, `now` is the clock in microseconds: it goes on only where
    somebody sets it."""

    program: typed.TypedProgram
    library: Library
    globals: Frame = field(default_factory=Frame)
    constructed: dict[tuple[int, int], Thing] = field(default_factory=dict)
    tables: dict[str, TableState] = field(default_factory=dict)
    objects: dict[str, ExternObject] = field(default_factory=dict)
    replication: Replication = field(default_factory=Replication)
    crc: dict[int, Crc] = field(default_factory=lambda: dict(CUSTOM_CRC))
    now: int = 0


@dataclass(slots=True)
class Run:
    """One packet's way through a machine.

    `trace` takes what happens, None when nobody wants to know. `undefined_read` is set when an
    undefined value decides something or leaves with the packet. `journey` is what the architecture
    knows of the packet while its blocks run, `digests` what the control plane has been told.
    """

    machine: Machine
    trace: Callable[[Event], None] | None = None
    undefined_read: bool = False
    steps: int = 0
    journey: object = None
    digests: list[Digest] = field(default_factory=list)

    def step(self, span: Span) -> None:
        """Count a statement or state; raises Stuck after too many."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Stuck(f"the packet ran {MOST_STEPS} statements without coming to an end", span)

    def observe(self, value: Scalar) -> int | bool | str:
        """Return a scalar's value where it decides something."""
        if value.undefined:
            self.undefined_read = True
        return value.value

    def decide(self, condition: Value) -> bool:
        """Return a condition's value."""
        if not isinstance(condition, Scalar):
            raise InternalError("interp", f"{condition} is no condition")
        return bool(self.observe(condition))
