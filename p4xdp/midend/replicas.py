"""Copies of a packet go on where they were made: what they need to know rides in front of it.

In: the linear body, with `replicate` where copies are made and `resume` where they go on. Out: a
body without either, which starts by asking whether this is a copy.

    <parser, ingress>                    scope egress {
    what = replicate(0, ...);                if (is_replica) {
    if (what == 2) {                             check data 18 ...; session = data[8+:32]; ...
        port = copy.port; leave out;             what = copy(session, ...);
    }                              ->            if (what == 2) {
    ...                                              meta.x = data[112+:32]; adjust_head -18;
    resume(1);                                       port = copy.port; leave egress;
    <egress>                                     } ...
                                             }
                                             <parser, ingress>
                                             found = find_copies(...);
                                             if (found != 0) {
                                                 adjust_head 18; data[8+:32] = session; ...
                                                 data[112+:32] = meta.x;
                                                 finish send_copies(...);
                                             }
                                             ...
                                         }
                                         <egress>

What a variable holds when copies are made is stored in front of the packet, which is otherwise as
it came, or beside it where too much would be in front (`copy_store`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count

from p4xdp.diagnostics import NO_SPAN, Span, fail
from p4xdp.midend.copy_store import SLOT, Word, packed, registers, restore, save
from p4xdp.midend.fold import fold
from p4xdp.midend.ir import (
    BOOL,
    NO_COPY,
    NO_SESSION,
    NO_SUCH_GROUP,
    NO_SUCH_SESSION,
    NOT_FOUND,
    NOWHERE,
    XDP_ABORTED,
    XDP_DROP,
    AdjustHead,
    Apply,
    Assign,
    Binary,
    BinaryOp,
    Body,
    Check,
    Const,
    Effect,
    Expr,
    Extend,
    Finish,
    Fork,
    If,
    Leave,
    Load,
    Mux,
    Point,
    Program,
    Register,
    Replication,
    Scope,
    SetPointer,
    Slice,
    Stmt,
    Store,
    Unary,
    UnaryOp,
    Var,
    stored_width,
)
from p4xdp.midend.names import pointer_name
from p4xdp.midend.passes.remove_dead import Liveness
from p4xdp.midend.rewrite import expressions, map_statements, targets, variables, walk
from p4xdp.records import dataclass, field

FAIL: Body = (Finish(Const(XDP_ABORTED, 32)),)

MOST_BYTES = 192
"""Bytes that fit in front of every packet."""

SEQUENCE, FORK = Var("copy.$sequence", 32), Var("copy.$fork", 8)
SESSION, WHERE, TO = Var("copy.$session", 32), Var("copy.$where", 8), Var("copy.$to", 32)
HEAD = (SEQUENCE, FORK, SESSION, WHERE, TO)
"""What rides in front of all else: where the copies were made, of what, and a number that tells
them from those that were made otherwise."""

NUMBER = Var("copy.$number", 16)
"""In front of all that if copies may come in again: the number of a copy among all."""

WHAT = Var("copy.$what", 32)


def with_replicas(program: Program, body: Body) -> tuple[Body, tuple[Register, ...]]:
    """Return the body of a program whose packets may be replicated, and the registers that it has
    besides those of the program.

    Raises CompileError when the packets that are copied have headers without a fixed place.
    """
    assert program.replication is not None
    copies = _Copies(program, program.replication, body)
    made: list[Stmt] = list(copies.start())
    for stmt in body:
        number = _mark(stmt)
        if number is None:
            made += map_statements((stmt,), copies.stmt)
        elif number in copies.labels:
            made = [Scope(copies.labels[number], tuple(made))]
    most = max(map(len, copies.stored), default=0)
    return tuple(made), registers(most) if most else ()


def replicates(body: Body) -> bool:
    """Tell whether packets are replicated."""
    return any(isinstance(s, Effect) and s.name == "replicate" for s in walk(body))


def without_replicas(body: Body) -> Body:
    """Return the body of a program that never replicates a packet after all."""
    return tuple(stmt for stmt in body if _mark(stmt) is None)


def _mark(stmt: Stmt) -> int | None:
    """Return the number of a statement where copies go on."""
    match stmt:
        case Effect(name="resume", arguments=(Const(value=number),)):
            return number
        case _:
            return None


@dataclass(slots=True)
class _Copies:
    """What copies have to know: `needed` by the number of their point; by the number of the fork,
    all that rides along in `layouts` and what waits beside the packet in `stored`. `labels` are
    those of the scopes that end at a mark."""

    program: Program
    replication: Replication
    body: Body
    labels: dict[int, str] = field(default_factory=dict)
    needed: dict[int, tuple[Var, ...]] = field(default_factory=dict)
    layouts: list[tuple[Var, ...]] = field(default_factory=list)
    stored: list[tuple[Word, ...]] = field(default_factory=list)
    started: str = ""

    def __post_init__(self) -> None:
        taken = {s.label for s in walk(self.body) if isinstance(s, Scope)}
        free = (name for i in count() if (name := f"copies{i or ''}") not in taken)
        self.started = next(free)
        for fork in self.replication.forks:
            known: dict[str, Var] = {}
            for point in fork.points:
                if point.mark is not None and point.mark not in self.labels:
                    self.labels[point.mark] = next(free)
                self.needed[point.number] = self.known(fork, point)
                known |= {var.name: var for var in self.needed[point.number]}
            self.lay_out([known[name] for name in sorted(known)])

    @property
    def head(self) -> tuple[Var, ...]:
        return HEAD if self.replication.is_leaving is None else (NUMBER, *HEAD)

    # What rides along

    def known(self, fork: Fork, point: Point) -> tuple[Var, ...]:
        """Return what copies of one kind have to know."""
        if point.mark is None or point.is_fresh:
            read = _read((*point.entered, *self.body))
            return tuple(var for var in (*fork.carried, *self.arrival()) if var.name in read)
        index = next(i for i, stmt in enumerate(self.body) if _mark(stmt) == point.mark)
        before, behind = self.body[:index], self.body[index + 1 :]
        liveness = Liveness({})
        _, alive = liveness.body(behind, 0)
        _, alive = liveness.body(point.entered, alive)
        pointers = {s.pointer for s in walk(before) if isinstance(s, SetPointer)}
        if any(alive & liveness.bit(pointer_name(pointer)) for pointer in pointers):
            raise fail(
                "unsupported",
                NO_SPAN,
                "copies of a packet whose headers have no fixed place are not supported",
                help="put headers of variable size behind those that egress works on",
            )
        read = _read((*point.entered, *behind))
        arrival = {var.name for var in self.arrival()}
        names = sorted((_set(before) | arrival) & read.keys() - self.told())
        return tuple(read[name] for name in names if alive & liveness.bit(name))

    def arrival(self) -> tuple[Var, ...]:
        """Return what tells by which port the packet came, if a copy may come by another device."""
        port = self.program.input_port
        return (port,) if port is not None and self.replication.is_leaving is not None else ()

    def told(self) -> set[str]:
        """Return the names of what a copy is told otherwise."""
        made = self.replication
        told = (made.is_replica, made.is_leaving, made.point, made.port, made.rid)
        return {var.name for var in told if var is not None}

    def lay_out(self, known: list[Var]) -> None:
        """Divide what the copies of one fork have to know; the widest variables need the fewest
        accesses for their size, so these are kept beside the packet if not all can ride along."""
        beside: list[Var] = []
        riding = list(known)
        for var in sorted(known, key=_size, reverse=True):
            if _sizes((*self.head, *riding)) <= MOST_BYTES:
                break
            if not beside:
                riding.insert(0, SLOT)
            riding.remove(var)
            beside.append(var)
        self.layouts.append(tuple(riding))
        self.stored.append(packed(beside))

    # Where copies start

    def start(self) -> Iterator[Stmt]:
        """Yield what leads a copy to where it goes on."""
        made = self.replication
        found = Var("copy.$found", 64)
        which = (SESSION, _wide(WHERE), TO)
        number = () if made.is_leaving is None else (_wide(NUMBER),)
        forks = tuple(stmt for i in range(len(made.forks)) for stmt in self.enter(i))
        body: Body = (
            Check("data", _sizes(self.head), FAIL),
            *_loaded(self.head, self.head),
            Effect("copy_port", None, (*which, *number), made.port),
            Effect("copy", None, (*which, made.port, SEQUENCE, *number), found),
            Assign(WHAT, fold(Slice(found, 63, 32))),
            Assign(made.rid, fold(Slice(found, 31, 0))),
            *forks,
            Finish(Const(XDP_DROP, 32)),
        )
        yield Assign(made.point, Const(0, made.point.width))
        yield If(made.is_replica, (Scope(self.started, body),))

    def enter(self, number: int) -> Iterator[Stmt]:
        """Yield what leads the copies of one fork on."""
        layout = (*self.head, *self.layouts[number])
        size = _sizes(layout)
        forks = self.replication.forks
        points = tuple(self.go_on(one, layout, self.stored[number]) for one in forks[number].points)
        yield If(_equal(FORK, number), (Check("data", size, FAIL), *points))

    def go_on(self, point: Point, layout: tuple[Var, ...], stored: tuple[Word, ...]) -> Stmt:
        needed = self.needed[point.number]
        body: list[Stmt] = list(_loaded(layout, (SLOT, *needed)))
        if stored:
            body += restore(SEQUENCE, stored, needed, FAIL)
        body.append(AdjustHead(Const(-_sizes(layout) % (1 << 32), 32), FAIL))
        if point.mark is None:
            number = self.replication.point
            body += (Assign(number, Const(point.number, number.width)), Leave(self.started))
        else:
            body += (*point.entered, Leave(self.labels[point.mark]))
        return If(_equal(WHAT, point.kind), tuple(body))

    # Where copies are made

    def stmt(self, stmt: Stmt) -> Body:
        if not (isinstance(stmt, Effect) and stmt.name == "replicate"):
            return (stmt,)
        fork, session, where, to, *given = stmt.arguments
        assert isinstance(fork, Const)
        found = Var("copy.$found_copies", 32)
        lost = {NO_SUCH_SESSION: (SESSION, NO_SESSION), NO_SUCH_GROUP: (WHERE, NOWHERE)}
        head: list[Stmt] = [
            Assign(FORK, fork),
            Assign(SESSION, session),
            Assign(WHERE, fold(Slice(where, 7, 0))),
            Assign(TO, to),
        ]
        for number, (var, value) in lost.items():
            without = Mux(_equal(found, number), Const(value, var.width), var)
            head.append(Assign(var, without))
        values = dict(zip(self.replication.forks[fork.value].carried, given, strict=True))
        any_found = Unary(UnaryOp.LNOT, _equal(found, NOT_FOUND))
        sent = (*head, *self.sent(fork.value, values, stmt.span))
        nothing: Body = ()
        if stmt.result is not None:
            nothing = (Assign(stmt.result, Const(NO_COPY, stmt.result.width)),)
        return (
            Effect("find_copies", None, (session, where, to), found, stmt.span),
            If(any_found, sent),
            *nothing,
        )

    def sent(self, number: int, values: dict[Var, Expr], span: Span) -> Iterator[Stmt]:
        """Yield what sends the packet, with all that copies have to know in front."""
        layout = (*self.head, *self.layouts[number])
        size = _sizes(layout)
        random, verdict = Var("copy.$random", 64), Var("replicated", self.program.verdict.width)
        yield Effect("random", None, (), random)
        yield Assign(SEQUENCE, fold(Slice(random, 31, 0)))
        yield Assign(NUMBER, Const(0, NUMBER.width))
        if self.stored[number]:
            yield from save(SEQUENCE, self.stored[number], lambda var: values.get(var, var))
        yield AdjustHead(Const(size, 32), FAIL, span)
        yield Check("data", size, FAIL)
        offset = 0
        for var in layout:
            width = 8 * _size(var)
            value = values.get(var, var)
            value = fold(Unary(UnaryOp.TO_BITS, value)) if var.width == BOOL else value
            if stored_width(var.width) < width:
                value = fold(Extend(value, width))
            yield Store("data", offset, width, value)
            offset += width
        which = (SESSION, _wide(WHERE), TO)
        yield Effect("send_copies", None, which, verdict, span)
        yield Finish(verdict)


def _loaded(layout: tuple[Var, ...], needed: Iterable[Var]) -> Iterator[Stmt]:
    """Yield what takes some of the variables of a layout from the front of the packet."""
    wanted = set(needed)
    offset = 0
    for var in layout:
        if var in wanted:
            loaded = Load("data", offset, 8 * _size(var))
            value = fold(Slice(loaded, stored_width(var.width) - 1, 0))
            if var.width == BOOL:
                value = fold(Unary(UnaryOp.TO_BOOL, value))
            yield Assign(var, value)
        offset += 8 * _size(var)


def _read(body: Body) -> dict[str, Var]:
    return {v.name: v for s in walk(body) for e in expressions(s) for v in variables(e)}


def _set(body: Body) -> set[str]:
    found = {var.name for stmt in walk(body) for var in targets(stmt)}
    for stmt in walk(body):
        if isinstance(stmt, Apply):
            found.update(var.name for arm in stmt.arms for var in arm.data)
    return found


def _sizes(layout: tuple[Var, ...]) -> int:
    return sum(map(_size, layout))


def _size(var: Var) -> int:
    return (stored_width(var.width) + 7) // 8


def _wide(var: Var) -> Expr:
    return fold(Extend(var, 32))


def _equal(var: Var, value: int) -> Expr:
    return Binary(BinaryOp.EQ, var, Const(value, var.width))
