"""Copies of v1model packets: multicast groups and clones.

Behind ingress the copies of a group and the clones of a session are made, at the end of egress a
packet can be cloned once more. A copy of a group goes on in egress, as does a packet that has
clones. Clones are parsed anew and come to egress from there; one that egress has made then gets the
headers as egress has left them.
"""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.diagnostics import NO_SPAN, fail
from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate import fold, places
from p4xdp.frontend.elaborate.architectures import field_lists, ways_out
from p4xdp.frontend.elaborate.architectures.again import MOST_PASSES
from p4xdp.frontend.elaborate.externs.v1model import DROP_PORT, standard
from p4xdp.frontend.elaborate.trees import Record, Tree, leaves
from p4xdp.frontend.elaborate.walk import Cloning, Walk
from p4xdp.midend import ir
from p4xdp.records import dataclass

NORMAL, INGRESS_CLONE, EGRESS_CLONE, REPLICATED = 0, 1, 2, 5
"""Values of `instance_type`."""

BEHIND_INGRESS, BEHIND_EGRESS = 0, 1
"""The forks, by their number."""

EGRESS, DEPARTURE, AGAIN = 1, 2, 3
"""The marks: in front of egress and behind it, and where ingress has packets begin anew."""

INGRESS_ORIGINAL, INGRESS_REPLICA, INGRESS_CLONED, INGRESS_AGAIN = range(1, 5)
EGRESS_ORIGINAL, EGRESS_CLONED, EGRESS_AGAIN = range(5, 8)
"""The points where copies go on."""

ARRIVAL = ("ingress_port", "packet_length", "ingress_global_timestamp")
"""The standard metadata that a clone gets by being parsed anew."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What a clone finds in `var`: the value that `target` is to have."""

    target: ir.Var
    var: ir.Var
    value: ir.Expr


@dataclass(frozen=True, slots=True)
class Clones:
    """What clones find: `at_start` in front of the parser, which must take the way that it took for
    the packet, and `at_egress`."""

    at_start: tuple[Carried, ...]
    at_egress: tuple[Carried, ...]

    @property
    def carried(self) -> tuple[Carried, ...]:
        return (*self.at_start, *self.at_egress)


@dataclass(slots=True)
class Copies:
    """How the packets of a program are copied: `group` if there are multicast groups, and clones
    by ingress and egress.

    `seen` are variables that the parser may look at, with those that keep what they held then;
    `kind` is the type of `metadata`; `port` is where a packet leaves, `time` what notes the time
    when egress starts.
    """

    walk: Walk
    kind: t.Type
    metadata: Tree
    port: ir.Var
    time: ir.Body
    has_groups: bool
    by_ingress: Clones | None
    by_egress: Clones | None
    is_copy: ir.Var
    point: ir.Var
    copy_port: ir.Var
    rid: ir.Var
    egress: str
    departure: str
    seen: tuple[tuple[ir.Var, ir.Var], ...]
    is_leaving: ir.Var | None
    passes: ir.Var
    is_decided: ir.Var

    @property
    def leaves(self) -> ir.Var:
        """Where it holds the packet is a copy on its way out, and can be nothing else any more."""
        return self.is_leaving or self.is_copy

    @property
    def clones_and_resubmits(self) -> bool:
        return self.by_ingress is not None and self.walk.again is not None

    def asked(self, name: str) -> ir.Expr:
        """Return whether the packet is asked to begin anew beside its clones."""
        again = self.walk.again
        if again is None:
            return ir.FALSE
        wanted = again.resubmit if name == "resubmit" else again.recirculate
        return fold.negation(fold.equal(wanted, ir.Const(0, wanted.width)))


def copies_of(
    walk: Walk,
    kind: t.Type,
    metadata: Tree,
    port: ir.Var,
    time: ir.Body,
    ingress: ir.Body,
    egress: ir.Body,
) -> Copies | None:
    """Return how packets are copied by a program with this code for ingress (with what stands in
    front of it) and egress; None if none ever is."""
    group = standard(walk, "mcast_grp")
    has_groups = any(ways_out.may_set([ingress], group))
    cloning = walk.cloning
    passes = walk.again.passes if walk.again else walk.fresh("passes", 8)
    leaving = ir.Var(walk.names.unique("is_leaving"), ir.BOOL)
    seen = tuple(_seen(walk, kind, metadata)) if cloning else ()
    at_start = tuple(_carried(walk, var, value=held) for var, held in seen)
    by_ingress = by_egress = None
    in_egress = cloning is not None and cloning.wanted.name in ways_out.names_set([egress])
    counts = walk.again is not None or in_egress
    if cloning and cloning.wanted.name in ways_out.names_set([ingress]):
        counted = (_carried(walk, passes),) if counts else ()
        started = (*at_start[:1], *counted)
        by_ingress = Clones(started, tuple(_kept(walk, cloning, kind, metadata)))
    if cloning and in_egress:
        changed = _changed(walk, ways_out.names_set([ingress, egress]))
        more = fold.binary(ir.BinaryOp.ADD, passes, ir.Const(1, 8))
        started = (*at_start, _carried(walk, passes, value=more))
        by_egress = Clones(started, (*_kept(walk, cloning, kind, metadata), *changed))
    if not has_groups and by_ingress is None and by_egress is None:
        return None
    return Copies(
        walk,
        kind,
        metadata,
        port,
        time,
        has_groups,
        by_ingress,
        by_egress,
        ir.Var(walk.names.unique("is_copy"), ir.BOOL),
        ir.Var(walk.names.unique("copy_point"), 32),
        ir.Var(walk.names.unique("copy_port"), 32),
        ir.Var(walk.names.unique("copy_id"), 32),
        walk.labels.unique("egress"),
        walk.labels.unique("departure"),
        seen,
        leaving if counts else None,
        passes,
        walk.fresh("is_decided", ir.BOOL),
    )


# What clones keep


def _seen(walk: Walk, kind: t.Type, metadata: Tree) -> Iterator[tuple[ir.Var, ir.Var]]:
    """Yield what the parser may see of a packet that comes again: the instance type, then the
    metadata that it has kept."""
    if walk.again is not None:
        kept = (one.var for one in field_lists.kept(walk, walk.again, kind, metadata))
        for var in dict.fromkeys((standard(walk, "instance_type"), *kept)):
            yield var, ir.Var(walk.names.unique(f"seen.{var.name}"), var.width)


def _kept(walk: Walk, cloning: Cloning, kind: t.Type, metadata: Tree) -> Iterator[Carried]:
    """Yield what the lists in use keep."""
    _check_named(walk, cloning, metadata)
    for var, numbers in field_lists.lists_of(walk, cloning, kind, metadata).items():
        keeps: ir.Expr = ir.TRUE if cloning.lists <= set(numbers) else ir.FALSE
        for number in set(numbers) if keeps == ir.FALSE else ():
            named = fold.equal(cloning.wanted, ir.Const(number + 1, cloning.wanted.width))
            keeps = fold.disjunction(keeps, named)
        yield _carried(walk, var, keeps)


def _check_named(walk: Walk, cloning: Cloning, metadata: Tree) -> None:
    assert walk.standard is not None
    known = {*leaves(metadata), *leaves(walk.standard)}
    for variables in cloning.named.values():
        if not known.issuperset(variables):
            raise fail(
                "unsupported",
                NO_SPAN,
                "only fields of metadata can be kept",
                help="name fields of the user metadata or of the standard metadata",
            )


def _carried(
    walk: Walk, target: ir.Var, keeps: ir.Expr = ir.TRUE, value: ir.Expr | None = None
) -> Carried:
    value = value or target
    if target.width == ir.BOOL:
        value = fold.conjunction(keeps, value)
    else:
        value = fold.mux(keeps, value, ir.Const(0, target.width))
    return Carried(target, ir.Var(walk.names.unique(f"cloned.{target.name}"), target.width), value)


def _changed(walk: Walk, changed: set[str]) -> Iterator[Carried]:
    """Yield what is no longer as the parser makes it: of the headers, and the packet's length."""
    for header in walk.headers.values():
        size = () if header.size is None else (header.size,)
        for var in (header.valid, *size, *(item.var for item in header.fields)):
            if var.name in changed:
                changed = changed - {var.name}
                yield _carried(walk, var)
    if walk.truncation is not None:
        yield _carried(walk, walk.truncation.wanted)
        yield _carried(walk, walk.truncation.length)


# The code


def before_parser(copies: Copies) -> Iterator[ir.Stmt]:
    """Yield what stands in front of the parser, behind what is known of a packet that comes
    again."""
    for clones, point in ((copies.by_ingress, INGRESS_CLONED), (copies.by_egress, EGRESS_CLONED)):
        if clones and clones.at_start:
            known = tuple(ir.Assign(one.target, one.var) for one in clones.at_start)
            yield ir.If(fold.equal(copies.point, ir.Const(point, 32)), known)
    for var, held in copies.seen:
        yield ir.Assign(held, var)


def with_copies(
    copies: Copies,
    ingress: ir.Body,
    resubmitted: ir.Body,
    alone: ir.Body,
    egress: ir.Body,
    behind: ir.Body,
) -> ir.Body:
    """Return the control of a program that copies packets: `ingress`, what has a packet begin anew
    and what lets it go to one port, `egress`, and what stands behind it where the packet is not
    dropped."""
    return (
        *_to_egress(copies, ingress, resubmitted, alone),
        _mark(EGRESS),
        *_reset_clone(copies),
        ir.Scope(copies.departure, (*egress, *_behind_egress(copies))),
        _mark(DEPARTURE),
        *behind,
    )


def _to_egress(
    copies: Copies, ingress: ir.Body, resubmitted: ir.Body, alone: ir.Body
) -> Iterator[ir.Stmt]:
    """Yield what stands in front of egress. A packet that is cloned and begins anew does so in the
    midst of it, which only copies skip that are on their way to egress."""
    arriving = (*_starts(copies), *ingress, *_behind_ingress(copies))
    rest = (*resubmitted, *alone)
    if not copies.clones_and_resubmits:
        yield ir.Scope(copies.egress, (*arriving, *rest))
        return
    yield ir.Assign(copies.is_decided, ir.FALSE)
    yield ir.Scope(copies.egress, arriving)
    yield _mark(AGAIN)
    yield ir.If(fold.negation(copies.is_decided), rest)


def _leave(copies: Copies) -> Iterator[ir.Stmt]:
    """Yield what skips all that stands between a copy and egress."""
    if copies.clones_and_resubmits:
        yield ir.Assign(copies.is_decided, ir.TRUE)
    yield ir.Leave(copies.egress)


def _mark(number: int) -> ir.Stmt:
    return ir.Effect("resume", None, (ir.Const(number, 8),))


def _reset_clone(copies: Copies) -> Iterator[ir.Stmt]:
    if copies.walk.cloning is not None:
        wanted = copies.walk.cloning.wanted
        yield ir.Assign(wanted, ir.Const(0, wanted.width))


def _starts(copies: Copies) -> Iterator[ir.Stmt]:
    """Yield what leads clones, behind the parser, to egress."""
    made = (
        (copies.by_ingress, INGRESS_CLONED, INGRESS_CLONE),
        (copies.by_egress, EGRESS_CLONED, EGRESS_CLONE),
    )
    for clones, point, instance in made:
        if clones is not None:
            body = (
                *_fresh(copies),
                *(ir.Assign(one.target, one.var) for one in clones.at_egress),
                *_enter(copies, instance),
                *_leave(copies),
            )
            yield ir.If(fold.equal(copies.point, ir.Const(point, 32)), body)


def _fresh(copies: Copies) -> ir.Body:
    """Return what makes the metadata those of a packet that begins anew."""
    walk = copies.walk
    with walk.collect() as body:
        places.reset(walk, copies.metadata, NO_SPAN)
        assert isinstance(walk.standard, Record)
        for name, part in walk.standard.fields:
            if name not in ARRIVAL:
                places.reset(walk, part, NO_SPAN)
    return tuple(body)


def _enter(copies: Copies, instance: int) -> Iterator[ir.Stmt]:
    """Yield what is known of a copy when egress starts."""
    walk = copies.walk
    yield ir.Assign(copies.port, fold.resize(copies.copy_port, copies.port.width))
    known: dict[str, ir.Expr] = {
        "egress_spec": ir.Const(0, 32),
        "egress_port": copies.copy_port,
        "egress_rid": copies.rid,
        "instance_type": ir.Const(instance, 32),
    }
    for name, value in known.items():
        var = standard(walk, name)
        yield ir.Assign(var, fold.resize(value, var.width))
    if walk.again is not None and instance != NORMAL:
        # what ingress said of recirculation is for the packet itself, as in bmv2
        wanted = walk.again.recirculate
        yield ir.Assign(wanted, ir.Const(0, wanted.width))
    yield from copies.time


def _behind_ingress(copies: Copies) -> Iterator[ir.Stmt]:
    """Yield what copies a packet that ingress wants to be copied; no other goes on to a group."""
    walk = copies.walk
    group, wanted = standard(walk, "mcast_grp"), standard(walk, "egress_spec")
    again = copies.asked("resubmit")
    to_group = fold.negation(fold.equal(group, ir.Const(0, group.width)))
    to_group = fold.conjunction(fold.negation(again), to_group)
    where = fold.mux(to_group, ir.Const(ir.TO_GROUP, 32), _to_port(wanted))
    where = fold.mux(again, ir.Const(ir.TO_ITSELF, 32), where)
    to = fold.mux(to_group, fold.resize(group, 32), fold.resize(wanted, 32))
    if copies.by_ingress is None:  # only a group has copies made
        where, to = ir.Const(ir.TO_GROUP, 32), fold.resize(group, 32)
    session, cloned = _session(copies, copies.by_ingress)
    clones = copies.by_ingress
    values = tuple(one.value for one in clones.carried) if clones else ()
    what = walk.fresh("copy", 32)
    arguments = (ir.Const(BEHIND_INGRESS, 8), session, where, to, *values)
    body: list[ir.Stmt] = [ir.Effect("replicate", None, arguments, what)]
    for kind, instance in ((ir.ORIGINAL, NORMAL), (ir.REPLICA, REPLICATED)):
        entered = (*_enter(copies, instance), *_leave(copies))
        body.append(ir.If(fold.equal(what, ir.Const(kind, 32)), entered))
    body.append(ir.If(to_group, (ways_out.DROPPED,)))
    yield ir.If(fold.disjunction(to_group, cloned), tuple(body))


def _behind_egress(copies: Copies) -> Iterator[ir.Stmt]:
    """Yield what clones a packet at the end of egress. A copy cannot be copied on its way out."""
    walk = copies.walk
    if copies.by_egress is not None:
        session, cloned = _session(copies, copies.by_egress)
        values = tuple(one.value for one in copies.by_egress.carried)
        what, where = walk.fresh("copy", 32), _to_port(standard(walk, "egress_spec"))
        stays = fold.equal(where, ir.Const(ir.TO_PORT, 32))
        comes_again = fold.conjunction(stays, copies.asked("recirculate"))
        where = fold.mux(comes_again, ir.Const(ir.TO_ITSELF, 32), where)
        arguments = (
            *(ir.Const(BEHIND_EGRESS, 8), session, where, fold.resize(copies.port, 32)),
            *values,
        )
        body: ir.Body = (
            ir.Effect("replicate", None, arguments, what),
            *(
                ir.If(fold.equal(what, ir.Const(kind, 32)), (ir.Leave(copies.departure),))
                for kind in (ir.ORIGINAL, ir.ITSELF)
            ),
        )
        few = fold.binary(ir.BinaryOp.LT, copies.passes, ir.Const(MOST_PASSES - 1, 8))
        can = fold.conjunction(fold.negation(copies.leaves), few)
        yield ir.If(fold.conjunction(can, cloned), body)
    yield dropped(walk)


def _session(copies: Copies, made: Clones | None) -> tuple[ir.Expr, ir.Expr]:
    """Return the session that clones are made for, and whether any are."""
    none = ir.Const(ir.NO_SESSION, 32)
    cloning = copies.walk.cloning
    if made is None or cloning is None:
        return none, ir.FALSE
    cloned = fold.negation(fold.equal(cloning.wanted, ir.Const(0, cloning.wanted.width)))
    return fold.mux(cloned, cloning.session, none), cloned


def _to_port(wanted: ir.Var) -> ir.Expr:
    nowhere = fold.equal(wanted, ir.Const(DROP_PORT, wanted.width))
    return fold.mux(nowhere, ir.Const(ir.NOWHERE, 32), ir.Const(ir.TO_PORT, 32))


def dropped(walk: Walk) -> ir.Stmt:
    """Return what ends the way of a packet that is to go nowhere."""
    wanted = standard(walk, "egress_spec")
    nowhere = fold.equal(wanted, ir.Const(DROP_PORT, wanted.width))
    return ir.If(nowhere, (ways_out.DROPPED,))


def replication(copies: Copies) -> ir.Replication:
    """Return what the midend has to know of the copies."""
    points: list[ir.Point] = []
    if copies.by_ingress is not None:
        entered = tuple(_enter(copies, NORMAL))
        points.append(ir.Point(INGRESS_ORIGINAL, ir.ORIGINAL, EGRESS, entered))
        points.append(ir.Point(INGRESS_CLONED, ir.CLONE))
    if copies.has_groups:
        entered = tuple(_enter(copies, REPLICATED))
        points.append(ir.Point(INGRESS_REPLICA, ir.REPLICA, EGRESS, entered))
    if copies.clones_and_resubmits:
        entered = (ir.Assign(copies.is_decided, ir.FALSE),)
        points.append(ir.Point(INGRESS_AGAIN, ir.ITSELF, AGAIN, entered))
    forks = [_fork(points, copies.by_ingress)]
    if copies.by_egress is not None:
        left = [
            ir.Point(EGRESS_ORIGINAL, ir.ORIGINAL, DEPARTURE),
            ir.Point(EGRESS_CLONED, ir.CLONE),
        ]
        if copies.walk.again is not None:
            left.append(ir.Point(EGRESS_AGAIN, ir.ITSELF, DEPARTURE))
        forks.append(_fork(left, copies.by_egress))
    return ir.Replication(
        copies.is_copy,
        copies.point,
        copies.copy_port,
        copies.rid,
        tuple(forks),
        copies.is_leaving,
    )


def _fork(points: list[ir.Point], clones: Clones | None) -> ir.Fork:
    return ir.Fork(tuple(points), tuple(one.var for one in clones.carried) if clones else ())
