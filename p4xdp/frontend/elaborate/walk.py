"""What elaboration carries along: the program that grows, and environments.

`Walk` is the one mutable object. Statements go to `Walk.body`; `collect` redirects them. An `Env`
maps declarations to storage, values and instances while a body is walked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from p4xdp.diagnostics import CompileError, Diagnostics, InternalError, Note, Span, fail
from p4xdp.frontend import typed, types as t
from p4xdp.frontend.elaborate.storage import Names, validity_name
from p4xdp.frontend.elaborate.trees import (
    HeaderTree,
    Record,
    StackTree,
    Tree,
    UnionTree,
    leaf,
    leaves,
    underlying,
)
from p4xdp.midend import ir
from p4xdp.records import dataclass, field

# Instances


@dataclass(frozen=True, slots=True, eq=False)
class Packet:
    """The packet_in or packet_out that the architecture supplies."""


@dataclass(slots=True, eq=False)
class Block:
    """An instance of a parser or control. `path` is its control-plane name; `arguments` are the
    values of its constructor parameters, `children` the instances declared in it."""

    declaration: typed.Parser | typed.Control
    path: str
    arguments: dict[object, Bound]
    children: dict[object, Bound] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class ExternObject:
    """An instance of an extern object; `arguments` are those of its constructor. `methods` are
    those that the program gives it, which run in `env`."""

    declaration: typed.Extern
    path: str
    arguments: tuple[Bound | None, ...]
    type: t.Type
    span: Span
    methods: dict[typed.ExternFunction, typed.Function] = field(default_factory=dict)
    env: Env | None = None


@dataclass(frozen=True, slots=True)
class Members:
    """Stands for the IR table that holds the members which the entries of a table lead to."""

    table: typed.Table


Bound = Tree | Packet | Block | ExternObject


THIS = object()
"""What `this` stands for in the environment of an instance's methods."""


# Environments


@dataclass(slots=True, eq=False)
class Env:
    """What names mean inside one activation of a body. `block` is the enclosing instance,
    `outer` the environment of the control that an action belongs to; `touched` remembers which
    variables each action can name."""

    block: Block | None = None
    outer: Env | None = None
    bindings: dict[object, Bound] = field(default_factory=dict)
    call: Call | None = None
    touched: dict[object, set[str]] = field(default_factory=dict)

    def find(self, declaration: object) -> Bound | None:
        env: Env | None = self
        while env is not None:
            if declaration in env.bindings:
                return env.bindings[declaration]
            env = env.outer
        return None

    @property
    def root(self) -> Env:
        """The environment of the control or parser itself."""
        return self.outer.root if self.outer is not None else self


# L-values


@dataclass(frozen=True, slots=True)
class Bits:
    """A slice of a scalar: `width` bits from `low` on, which may be a run-time value."""

    low: int | ir.Expr
    width: int


@dataclass(frozen=True, slots=True)
class Place:
    """A resolved l-value: `storage` alone, or the one of several that `selector` counts out; of
    a scalar perhaps only a slice of a slice. A selector past the end reads 0, writes nothing."""

    storage: tuple[Tree, ...]
    selector: ir.Expr | None = None
    bits: tuple[Bits, ...] = ()

    @property
    def whole(self) -> Tree | None:
        """The storage of a place that is all of one variable or field."""
        return self.storage[0] if self.selector is None and not self.bits else None


# Calls in progress


@dataclass(frozen=True, slots=True)
class CopyOut:
    place: Place
    parameter: Tree
    span: Span


@dataclass(slots=True, eq=False)
class Call:
    """An activation: where `return` leaves to, the result's storage, and what goes back.

    `loops` are the (break, continue) labels of the loops around the statement being walked.
    """

    label: str
    result: Tree | None = None
    copy_out: list[CopyOut] = field(default_factory=list)
    loops: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Truncation:
    """Where `wanted` (BOOL) holds, at most `length` bytes (32 bits wide) of the packet leave."""

    wanted: ir.Var
    length: ir.Var


@dataclass(slots=True)
class Again:
    """What a program asks for that sends packets through itself once more: 0 in `resubmit` or
    `recirculate` if not, else the number of the list to keep plus 1; `lists` are those in use,
    `named` the variables of those that calls name themselves, `passes` is how often the packet
    came again."""

    resubmit: ir.Var
    recirculate: ir.Var
    passes: ir.Var
    lists: set[int] = field(default_factory=set)
    named: dict[int, tuple[ir.Var, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Cloning:
    """What a program asks for that clones packets: 0 in `wanted` if not, else the number of the
    list to keep plus 1; `lists` are those in use, `named` the variables of those that calls name
    themselves."""

    wanted: ir.Var
    session: ir.Var
    lists: set[int] = field(default_factory=set)
    named: dict[int, tuple[ir.Var, ...]] = field(default_factory=dict)


@dataclass(slots=True)
class Walk:
    """The state of one elaboration. `standard` is the storage of the metadata that the
    architecture's externs look at and set, `own_registers` are those that the program does not
    name; `cells` are the variables that hold which cell of a direct counter or meter belongs to
    the entry whose action is walked, `colours` what v1model's meters made of the hit, `states` are
    those of extern objects that start anew with each packet."""

    program: typed.TypedProgram
    diagnostics: Diagnostics
    names: Names = field(default_factory=Names)
    labels: Names = field(default_factory=Names)
    body: list[ir.Stmt] = field(default_factory=list)
    headers: dict[str, ir.Header] = field(default_factory=dict)
    parts: dict[str, tuple[ir.Header, ...]] = field(default_factory=dict)
    tables: dict[tuple[Block | None, typed.Table | typed.ValueSet | Members], ir.Table] = field(
        default_factory=dict
    )
    counters: dict[ExternObject, ir.Counter] = field(default_factory=dict)
    registers: dict[ExternObject, ir.Register] = field(default_factory=dict)
    own_registers: list[ir.Register] = field(default_factory=list)
    meters: dict[ExternObject, ir.Meter] = field(default_factory=dict)
    profiles: dict[ExternObject, ir.Profile] = field(default_factory=dict)
    cells: dict[ExternObject, ir.Var] = field(default_factory=dict)
    colours: dict[ExternObject, ir.Expr] = field(default_factory=dict)
    states: dict[ExternObject, ir.Var] = field(default_factory=dict)
    digests: dict[str, ir.Digest] = field(default_factory=dict)
    calls_c: bool = False
    functions: dict[str, ir.CFunction] = field(default_factory=dict)
    standard: Tree | None = None
    truncation: Truncation | None = None
    again: Again | None = None
    cloning: Cloning | None = None
    blocks: list[tuple[Block, Env]] = field(default_factory=list)
    taken: dict[str, tuple[object, Span]] = field(default_factory=dict)
    globals: dict[object, Bound] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    next_index: dict[str, int] = field(default_factory=dict)
    in_parser: bool = False
    iterations: int = 0
    _refused: set[str] = field(default_factory=set)
    _footprints: dict[int, tuple[Tree, frozenset[str]]] = field(default_factory=dict)

    def emit(self, statement: ir.Stmt) -> None:
        self.body.append(statement)

    @contextmanager
    def collect(self) -> Iterator[list[ir.Stmt]]:
        """Let statements go to a list of their own."""
        before, self.body = self.body, []
        try:
            yield self.body
        finally:
            self.body = before

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note what is wrong inside, and go on behind it."""
        try:
            yield
        except CompileError as error:
            for diagnostic in error.diagnostics:
                self.diagnostics.add(diagnostic)

    def footprint(self, tree: Tree) -> frozenset[str]:
        """Return the variables that storage consists of."""
        known = self._footprints.get(id(tree))
        if known is None:
            names = frozenset(var.name for var in leaves(tree) if isinstance(var, ir.Var))
            known = self._footprints[id(tree)] = (tree, names)
        return known[1]

    def fresh(self, wanted: str, width: int) -> ir.Var:
        return ir.Var(self.names.unique(wanted), width)

    def saved(self, value: ir.Expr, span: Span, wanted: str = "tmp") -> ir.Expr:
        """Return the value in a variable of its own; constants stay."""
        if isinstance(value, ir.Const):
            return value
        var = self.fresh(wanted, ir.width_of(value))
        self.emit(ir.Assign(var, value, span))
        return var

    def once(self, value: ir.Expr, span: Span) -> ir.Expr:
        """Return an expression of the value that may be repeated without being computed again."""
        return value if isinstance(value, ir.Var) else self.saved(value, span)

    def take_name(self, name: str, owner: object, span: Span) -> None:
        """Give a control-plane name to `owner`; raises CompileError when it is another's."""
        other, place = self.taken.setdefault(name, (owner, span))
        if other is not owner:
            raise fail(
                "control-plane-name",
                span,
                f"two instances have the control-plane name `{name}`",
                notes=(Note("the other one is here", place),),
                help='give one of them another name with `@name("...")`',
            )

    def header_parts(self, tree: HeaderTree, span: Span) -> tuple[ir.Header, ...]:
        """Return the IR headers of storage that is extracted or emitted: one, or for a header
        with varbit fields one for each of them and for what stands between.

        Raises CompileError for a width that is no whole number of bytes, which is said once for
        each type.
        """
        if tree.type.name in self._refused:
            raise CompileError(())
        if tree.name not in self.parts:
            self._refused.add(tree.type.name)
            self.parts[tree.name] = tuple(_declare_parts(tree, span))
            self._refused.discard(tree.type.name)
            self.headers.update((part.name, part) for part in self.parts[tree.name])
        return self.parts[tree.name]


def _declare_parts(tree: HeaderTree, span: Span) -> Iterator[ir.Header]:
    varbits = [isinstance(underlying(field.type), t.Varbit) for field in tree.type.fields]
    runs = groupby(zip(tree.fields, varbits, strict=True), key=lambda pair: pair[1])
    for is_varbit, run in runs:
        fields = [field for field, _ in run]
        if is_varbit:
            yield from (_varbit_part(tree, *field) for field in fields)
        else:
            first = tree.fields[0][0]
            name = tree.name if fields[0][0] == first else f"{tree.name}.{fields[0][0]}"
            yield _fixed_part(tree, name, fields, span)
    if not tree.fields:
        yield _fixed_part(tree, tree.name, [], span)


def _fixed_part(
    tree: HeaderTree, name: str, parts: Sequence[tuple[str, Tree]], span: Span
) -> ir.Header:
    fields: list[ir.HeaderField] = []
    offset = 0
    for label, part in parts:
        for path, var in named_leaves(label, part):
            fields.append(ir.HeaderField(path, storage_leaf(var), offset))
            offset += ir.stored_width(ir.width_of(var))
    if offset % 8:
        whole = len(parts) == len(tree.fields)
        of = "" if whole else f"the part from field `{parts[0][0]}` on, without the varbit, of "
        raise fail(
            "header-width",
            span,
            f"{of}header `{tree.type}` is {offset} bits wide, which is not a whole number of bytes",
            help=f"add a field of {8 - offset % 8} bits",
        )
    return ir.Header(name, tree.type.name, storage_leaf(tree.valid), tuple(fields), offset)


def _varbit_part(tree: HeaderTree, label: str, part: Tree) -> ir.Header:
    size, *words = [storage_leaf(var) for _, var in named_leaves(label, part)]
    fields = tuple(
        ir.HeaderField(f"{label}.{i}", word, i * ir.LIMB) for i, word in enumerate(words)
    )
    width = sum(word.width for word in words)
    name = f"{tree.name}.{label}"
    return ir.Header(name, tree.type.name, storage_leaf(tree.valid), fields, width, size)


def named_leaves(name: str, tree: Tree) -> Iterator[tuple[str, ir.Expr]]:
    """Yield the scalars of a value with dotted names, a header's validity before its fields."""
    match tree:
        case Record(fields=fields):
            for label, part in fields:
                yield from named_leaves(f"{name}.{label}", part)
        case HeaderTree(type=header, valid=valid, fields=fields):
            yield f"{name}.{validity_name(header)}", valid
            for label, part in fields:
                yield from named_leaves(f"{name}.{label}", part)
        case UnionTree(members=members):
            for label, member in members:
                yield from named_leaves(f"{name}.{label}", member)
        case StackTree(elements=elements):
            for i, part in enumerate(elements):
                yield from named_leaves(f"{name}[{i}]", part)
        case _:
            yield name, leaf(tree)


def storage_leaf(expr: ir.Expr) -> ir.Var:
    """Return the variable that a leaf of storage is."""
    if isinstance(expr, ir.Var):
        return expr
    raise InternalError("elaborate", f"{expr} is no storage")
