"""What the deparser must do to the packet, seen against what the parser found in it.

In: a flat program and its parse graph. Out: a `Plan`: the emissions in order, how many of them at
the end lie in the packet already as they must come out, where each header lies, which fields may
have changed, and the variables by which the program will know at run time.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from p4xdp.diagnostics import Span
from p4xdp.midend.ir import (
    BOOL,
    FALSE,
    TRUE,
    Advance,
    Apply,
    Assign,
    Body,
    Emit,
    Expr,
    Extract,
    Header,
    HeaderField,
    Lookahead,
    Program,
    Stmt,
    Var,
    pipelines,
    stored_width,
)
from p4xdp.midend.names import contents
from p4xdp.midend.parse_graph import OFFSET_WIDTH, Cursor, Node
from p4xdp.midend.rewrite import (
    bodies,
    expressions,
    map_bodies,
    map_statements,
    program_bodies,
    targets,
    variables,
    walk,
)
from p4xdp.records import dataclass, field, replace

TAIL = Var("$tail", OFFSET_WIDTH)
"""Bytes before the first header that stays where it is relative to the payload."""


@dataclass(frozen=True, slots=True)
class Emission:
    """A header that is appended to the packet when `on` holds.

    `plain`: emitted on every path, with the validity and fields that it has at the end.
    """

    header: Header
    on: Var
    plain: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Unit:
    """Fields that fill whole bytes together: `offset` and `width` in bits."""

    offset: int
    width: int
    fields: tuple[HeaderField, ...]


@dataclass(slots=True)
class Plan:
    """`statements` is the deparser without its emissions.

    The emissions from number `tail` on keep their distance to the payload on every path. `ordered`:
    every path extracts in the order of emission and skips nothing. `places` says where extracted
    headers lie; those in `varying` differ by path. `unsteady` headers have their validity set other
    than by extraction, `tampered` ones even in the parser, `revived` ones possibly to true. `flags`
    are set when their field has changed; fields with one flag always change together. `unread`
    fields matter only once they have changed. `resized` are parts of variable length whose size is
    set other than by extraction; they are unsteady too.
    """

    statements: Body
    emissions: tuple[Emission, ...]
    tail: int = 0
    ordered: bool = False
    places: dict[str, Cursor] = field(default_factory=dict)
    varying: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    revived: set[str] = field(default_factory=set)
    unsteady: set[str] = field(default_factory=set)
    tampered: set[str] = field(default_factory=set)
    flags: dict[str, Var] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    resized: set[str] = field(default_factory=set)

    def parsed(self, header: Header) -> Expr:
        """Return what says whether the packet came with the header."""
        return parsed_flag(header) if header.name in self.places else FALSE

    def mark(self, body: Body) -> Body:
        """Return the body with each flag set where its field is."""
        return map_statements(body, self._marked) if self.flags else body

    def _marked(self, stmt: Stmt) -> Body:
        names = [var.name for var in targets(stmt) if var.name in self.flags]
        flags = dict.fromkeys(self.flags[name] for name in names)
        return (stmt, *(Assign(flag, TRUE) for flag in flags))


def parsed_flag(header: Header) -> Var:
    """Return the variable that says whether the packet came with the header."""
    return Var(f"{header.name}.$parsed", BOOL)


def parsed_size(header: Header) -> Var:
    """Return the variable that holds the bytes of a part of variable length in the packet that
    came, where its size can change."""
    return Var(f"{header.name}.$parsed_size", OFFSET_WIDTH)


def place_of(header: Header) -> Var:
    """Return the variable that holds where a header lies whose place differs by path."""
    return Var(f"{header.name}.$place", OFFSET_WIDTH)


def plan(program: Program, nodes: list[Node]) -> Plan:
    """Return the plan for an xdp program."""
    headers = {header.name: header for header in program.headers}
    result = Plan(*_lift(program.deparser, headers))
    extracted = _extracted(nodes)
    for name, cursors in extracted.items():
        single = len(cursors) == 1
        result.places[name] = cursors[0] if single else Cursor(0, place_of(headers[name]))
        if not single:
            result.varying.add(name)
    _note_assignments(program, result)
    result.tail = _tail(result, nodes)
    names = [emission.header.name for emission in result.emissions]
    whole = set(extracted) <= set(names) and not any(map(_skips, nodes))
    result.ordered = whole and _in_order(names, nodes)
    result.flags = _flags(program, result)
    result.unread = _unread(program, result)
    return result


# Emissions


def _lift(deparser: Body, headers: dict[str, Header]) -> tuple[Body, tuple[Emission, ...]]:
    lift = _Lift(headers)
    statements = tuple(
        new
        for stmt, later in zip(deparser, _assigned_later(deparser), strict=True)
        for new in lift.stmt(stmt, True, later)
    )
    return statements, tuple(lift.emissions)


def _assigned_later(body: Body) -> list[set[str]]:
    """Return for each statement what those behind it assign."""
    found: list[set[str]] = []
    later: set[str] = set()
    for stmt in reversed(body):
        found.append(later)
        own = _assigned((stmt,))
        later = later if own <= later else later | own
    return found[::-1]


def _assigned(body: Body) -> set[str]:
    return {var.name for stmt in walk(body) for var in targets(stmt)}


@dataclass(slots=True)
class _Lift:
    headers: dict[str, Header]
    emissions: list[Emission] = field(default_factory=list)

    def stmt(self, stmt: Stmt, always: bool, later: set[str]) -> Body:
        if not isinstance(stmt, Emit):
            return (self.inside(stmt, later),)
        header = self.headers[stmt.header]
        copied = not later.isdisjoint(var.name for var in contents(header))
        if always and not copied and header.valid.name not in later:
            self.emissions.append(Emission(header, header.valid, True, stmt.span))
            return ()
        return self.copy(stmt, header, copied)

    def inside(self, stmt: Stmt, later: set[str]) -> Stmt:
        if not bodies(stmt):
            return stmt
        later = later | _assigned((stmt,))
        return map_bodies(
            stmt,
            lambda body: tuple(new for inner in body for new in self.stmt(inner, False, later)),
        )

    def copy(self, stmt: Emit, header: Header, copied: bool) -> Body:
        """Keep for the end whether, and when fields change later also what, is emitted here."""
        prefix = f"{header.name}.$emit{len(self.emissions)}"
        on = Var(prefix, BOOL)
        keep: list[Stmt] = [Assign(on, header.valid, stmt.span)]
        if copied:
            fields = tuple(
                replace(item, var=Var(f"{prefix}.{item.name}", item.var.width))
                for item in header.fields
            )
            size = Var(f"{prefix}.$size", OFFSET_WIDTH) if header.size else None
            new = Header(prefix, header.type_name, on, fields, header.width, size)
            pairs = zip(contents(new), contents(header), strict=True)
            keep += [Assign(to, value, stmt.span) for to, value in pairs]
            header = new
        self.emissions.append(Emission(header, on, False, stmt.span))
        return tuple(keep)


# What may have changed


def _extracted(nodes: list[Node]) -> dict[str, list[Cursor]]:
    """Return for each extracted header the distinct places where it is found."""
    found: dict[str, dict[Cursor, None]] = {}
    for node in nodes:
        for stmt, before, _ in node.steps:
            if isinstance(stmt, Extract):
                found.setdefault(stmt.header, {})[before] = None
    return {name: list(cursors) for name, cursors in found.items()}


def _note_assignments(program: Program, result: Plan) -> None:
    """Fill `changed` with fields, and `unsteady`, `tampered` and `revived` with headers."""
    validity: dict[str, set[str]] = {}
    for header in program.headers:
        validity.setdefault(header.valid.name, set()).add(header.name)
    in_parser = {name for state in program.parser for name in _assigned(state.body)}
    result.tampered = {h for name, parts in validity.items() if name in in_parser for h in parts}
    for body in (*program_bodies(program), result.statements):
        for stmt in walk(body):
            for var in _set_by(stmt):
                result.changed.add(var.name)
                if var.name in validity:
                    result.unsteady |= validity[var.name]
                    if not (isinstance(stmt, Assign) and stmt.value == FALSE):
                        result.revived |= validity[var.name]
    result.resized = {h.name for h in program.headers if h.size and h.size.name in result.changed}
    result.unsteady |= result.resized


def _set_by(stmt: Stmt) -> Iterator[Var]:
    yield from targets(stmt)
    if isinstance(stmt, Apply):
        for arm in stmt.arms:
            yield from arm.data


def _tail(result: Plan, nodes: list[Node]) -> int:
    """Return from where on emissions are parsed in their order, and never out of place."""
    emissions = result.emissions
    names = [emission.header.name for emission in emissions]
    first = len(emissions)
    while first and _is_steady(emissions[first - 1], result):
        first -= 1
    # what is in order from one name on is so from any later one on, too
    return bisect_left(
        range(len(names)), True, lo=first, key=lambda start: _in_order(names[start:], nodes)
    )


def _is_steady(emission: Emission, result: Plan) -> bool:
    return emission.plain and emission.header.name not in result.unsteady


def _in_order(names: list[str], nodes: list[Node]) -> bool:
    """Tell whether every path, once it has met one of `names`, extracts only them, in order."""
    index = {name: number for number, name in enumerate(names)}
    if len(index) < len(names):
        return False
    last: dict[str, int] = {}
    for node in nodes:
        current = last.get(node.name, -1)
        for stmt, _, _ in node.steps:
            match stmt:
                case Extract(header=header) if index.get(header, -1) > current:
                    current = index[header]
                case Extract() | Advance() if current >= 0:
                    return False
                case _:
                    pass
        for target in node.edges.values():
            last[target.name] = max(current, last.get(target.name, -1))
    return True


def _skips(node: Node) -> bool:
    return any(isinstance(stmt, Advance) for stmt in node.state.body)


# Flags


def _flags(program: Program, result: Plan) -> dict[str, Var]:
    """Return a flag for each field that may be stored in place.

    Fields share one if every run of statements without a branch that sets the one sets the other.
    """
    start = 0 if result.ordered else result.tail
    watched = {
        item.var.name: f"{emission.header.name}.$changed"
        for emission in result.emissions[start:]
        for item in emission.header.fields
        if item.var.name in result.changed and emission.header.name in result.places
    }
    places = _runs_that_set(program, result.statements, set(watched))
    flags: dict[str, Var] = {}
    shared: dict[tuple[str, frozenset[tuple[int, int]]], Var] = {}
    for name, prefix in watched.items():
        key = (prefix, places[name])
        number = sum(1 for known, _ in shared if known == prefix)
        flags[name] = shared.setdefault(key, Var(f"{prefix}{number or ''}", BOOL))
    return flags


def _runs_that_set(
    program: Program, statements: Body, names: set[str]
) -> dict[str, frozenset[tuple[int, int]]]:
    """Return for each name the runs that set it, as numbers of a body and of a branch in it."""
    found: dict[str, set[tuple[int, int]]] = {name: set() for name in names}
    stack = [*(state.body for state in program.parser), program.control, statements]
    for number, body in enumerate(stack):
        run = 0
        for stmt in body:
            if bodies(stmt) or isinstance(stmt, Lookahead | Advance | Extract):
                run += 1
            for var in targets(stmt):
                if var.name in names:
                    found[var.name].add((number, run))
            stack.extend(inner for inner in bodies(stmt) if inner)
    return {name: frozenset(runs) for name, runs in found.items()}


def _unread(program: Program, result: Plan) -> set[str]:
    """Return the fields of headers that stay which nothing but their own store needs."""
    read = variables_read(program, result.statements)
    for emission in result.emissions[: result.tail]:  # a header may be emitted there as well
        read.update(item.var.name for item in emission.header.fields)
    unread: set[str] = set()
    for emission in result.emissions[result.tail :]:
        for unit in units(emission.header):
            names = [item.var.name for item in unit.fields if item.var.name in result.flags]
            if len({result.flags[name] for name in names}) == 1:
                unread.update(name for name in names if name not in read)
    return unread


def variables_read(program: Program, deparser: Body) -> set[str]:
    """Return the variables that are read other than by the emissions of the first pipeline, of
    which `deparser` is the rest of the deparser."""
    states = [state for one in pipelines(program) for state in one.parser]
    keys = (key for state in states for key in state.transition.keys)
    read = {var.name for key in keys for var in variables(key)}
    controls = [body for one in pipelines(program) for body in (one.control, one.departure)]
    behind = [one.deparser for one in program.further]
    for body in (*(state.body for state in states), *controls, deparser, *behind):
        for stmt in walk(body):
            read.update(var.name for expr in expressions(stmt) for var in variables(expr))
    return read


# Layout


def units(header: Header) -> list[Unit]:
    """Return the header's fields in groups that start and end at byte boundaries."""
    result: list[Unit] = []
    group: list[HeaderField] = []
    for item in header.fields:
        group.append(item)
        end = item.offset + stored_width(item.var.width)
        if end % 8 == 0:
            result.append(Unit(group[0].offset, end - group[0].offset, tuple(group)))
            group = []
    return result
