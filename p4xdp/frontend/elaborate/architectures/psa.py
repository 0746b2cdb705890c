"""PSA: ingress and egress, each of parser, control and deparser, as one program of two pipelines.

What ingress decides is carried out in the order of the specification (section 6): clones,
resubmission, the copies of a multicast group, one port. A packet for one port is deparsed where it
lies and parsed again by egress in the same run. What a parser rejects goes on behind it, with
`parser_error` set.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate import fold, places
from p4xdp.frontend.elaborate.architectures import again, ways_out
from p4xdp.frontend.elaborate.architectures.blocks import (
    Architecture,
    Main,
    blocks,
    control,
    parse,
    run,
    storage,
)
from p4xdp.frontend.elaborate.externs.psa import CPU_PORT, RECIRCULATE_PORT
from p4xdp.frontend.elaborate.trees import Record, Tree, leaf, leaves, part_of, underlying
from p4xdp.frontend.elaborate.walk import Block, Packet, Walk, storage_leaf
from p4xdp.midend import ir
from p4xdp.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class _Half:
    """The blocks of ingress or egress and what their parameters stand for.

    `given` are the metadata that the control reads, `decided` those that it sets.
    """

    parser: Block
    control: Block
    deparser: Block
    headers: Tree
    metadata: Tree
    given: Tree
    decided: Tree

    def given_field(self, name: str) -> ir.Var:
        return storage_leaf(leaf(part_of(self.given, name)))

    def decided_field(self, name: str) -> ir.Var:
        return storage_leaf(leaf(part_of(self.decided, name)))

    def path(self, name: str) -> ir.Const:
        """Return the number of a packet path."""
        kind = underlying(control(self.control).parameters[2].type)
        assert isinstance(kind, t.Struct)
        [path] = [underlying(f.type) for f in kind.fields if f.name == "packet_path"]
        assert isinstance(path, t.EnumType)
        return ir.Const(path.members.index(name), 32)


@dataclass(frozen=True, slots=True)
class _Carried:
    """What each path carries: written by one deparser, read by one parser."""

    normal: Tree
    resubmitted: Tree
    recirculated: Tree
    cloned: Tree
    copied: Tree


@dataclass(frozen=True, slots=True)
class _Code:
    """The code of one half as its blocks say it, without what the architecture does about it."""

    parser: tuple[ir.State, ...]
    control: ir.Body
    deparser: ir.Body

    @property
    def bodies(self) -> list[ir.Body]:
        return [*(state.body for state in self.parser), self.control, self.deparser]


def _elaborate(walk: Walk, main: Main) -> ir.Program:
    made = blocks(walk, main.instance, 6)
    ingress, egress = _half(walk, *made[:3]), _half(walk, *made[3:])
    carried = _carried(walk, made[2], made[5])
    first, second = _ingress(walk, ingress, carried), _egress(walk, egress, carried)
    passes = walk.fresh("passes", 8)
    switch = _Switch(walk, main, ingress, egress, carried, first, second, passes)
    return switch.program(_copies(walk, switch))


def _half(walk: Walk, parser: Block, control_: Block, deparser: Block) -> _Half:
    trees = [storage(walk, p) for p in control(control_).parameters]
    return _Half(parser, control_, deparser, *trees)


def _carried(walk: Walk, ingress: Block, egress: Block) -> _Carried:
    cloned, resubmitted, normal = (storage(walk, p) for p in control(ingress).parameters[1:4])
    copied, recirculated = (storage(walk, p) for p in control(egress).parameters[1:3])
    return _Carried(normal, resubmitted, recirculated, cloned, copied)


def _ingress(walk: Walk, half: _Half, carried: _Carried) -> _Code:
    arrival = _some(half.given, "ingress_port", "packet_path")
    start: list[ir.Stmt] = [ir.Assign(half.decided_field("drop"), ir.TRUE)]
    zeros = ("class_of_service", "clone", "resubmit", "multicast_group")
    start += (_zero(half.decided_field(name)) for name in zeros)
    comes = [arrival, carried.resubmitted, carried.recirculated]
    leaves_by = [carried.cloned, carried.resubmitted, carried.normal]
    return _code(walk, half, comes, leaves_by, start, [])


def _egress(walk: Walk, half: _Half, carried: _Carried) -> _Code:
    arrival = _some(half.given, "egress_port", "packet_path")
    start = [_zero(half.decided_field(name)) for name in ("clone", "drop")]
    comes = [arrival, carried.normal, carried.cloned, carried.copied]
    leaves_by = [carried.copied, carried.recirculated]
    return _code(walk, half, comes, leaves_by, start, [_some(half.given, "egress_port")])


def _code(
    walk: Walk,
    half: _Half,
    comes: list[Tree],
    leaves_by: list[Tree],
    start: list[ir.Stmt],
    last: list[Tree],
) -> _Code:
    """Return the code of a half: `comes` is what its parser is given, `leaves_by` what its deparser
    writes beside the packet, `start` what the decision starts as."""
    states = parse(walk, half.parser, [Packet(), half.headers, half.metadata, *comes])
    data = [half.headers, half.metadata]
    body = run(walk, half.control, [*data, half.given, half.decided])
    with walk.collect() as unset:
        for tree in leaves_by:
            places.reset(walk, tree, control(half.deparser).span)
    emitted = run(walk, half.deparser, [Packet(), *leaves_by, *data, half.decided, *last])
    return _Code(states, (*start, *body), (*unset, *emitted))


def _some(given: Tree, *names: str) -> Tree:
    """Return a struct of a few fields of another."""
    return Record(tuple((name, part_of(given, name)) for name in names))


def _zero(var: ir.Var) -> ir.Stmt:
    return ir.Assign(var, ir.Const(0, var.width))


@dataclass(frozen=True, slots=True)
class _Switch:
    """What stands before, between and behind the blocks."""

    walk: Walk
    main: Main
    ingress: _Half
    egress: _Half
    carried: _Carried
    first: _Code
    second: _Code
    passes: ir.Var

    def program(self, copies: _Copies | None) -> ir.Program:
        walk, egress = self.walk, self.egress
        port, verdict = egress.given_field("egress_port"), walk.fresh("verdict", 32)
        kept, resubmitted, recirculated = self.again(copies)
        decided = ir.Assign(verdict, self.verdict(copies))
        behind_ingress = (*self.undropped(self.ingress), *resubmitted)
        arrival = self.ingress.given_field("ingress_port")
        told = ways_out.to_controller(self.main, port, arrival, CPU_PORT)
        between = tuple(self.alone())
        ends: ir.Body = tuple(self.undropped(egress))
        departure: ir.Body = ()
        if copies is not None:
            behind_ingress = copies.behind_ingress(behind_ingress)
            between = copies.between(between)
            ends, departure = copies.behind_egress(ends)
        return ir.Program(
            name=self.main.name,
            source=self.main.source,
            model="xdp",
            input_port=self.ingress.given_field("ingress_port"),
            parser_error=self.ingress.given_field("parser_error"),
            verdict=verdict,
            port=port,
            parser=self.arriving(kept),
            control=self.first.control,
            deparser=(*self.first.deparser, *behind_ingress),
            departure=between,
            further=(
                ir.Pipeline(
                    parser=self.second.parser,
                    control=self.second.control,
                    deparser=(*self.second.deparser, *ends),
                    departure=(*departure, *recirculated, *told, decided),
                    parser_error=egress.given_field("parser_error"),
                ),
            ),
            ports=ir.Ports(ways_out.PORTS, self.main.host_port, self.main.cpu_port),
            is_kept=True,
            replication=copies.replication() if copies else None,
        )

    def arriving(self, resumed: list[ir.Stmt]) -> tuple[ir.State, ...]:
        """Return the ingress parser, first with what is known of the packet when it arrives."""
        first, *others = self.first.parser
        time = ways_out.time(self.walk, self.ingress.given_field("ingress_timestamp"))
        came = (*self.from_controller(), *resumed, *time)
        return (replace(first, body=(*came, *first.body)), *others)

    def from_controller(self) -> Iterator[ir.Stmt]:
        """Yield what calls the port of a controller as the architecture does."""
        if self.main.cpu_port is not None:
            arrival = self.ingress.given_field("ingress_port")
            number, own = (ir.Const(one, 32) for one in (self.main.cpu_port, CPU_PORT))
            yield ir.If(fold.equal(arrival, number), (ir.Assign(arrival, own),))

    def undropped(self, half: _Half) -> Iterator[ir.Stmt]:
        yield ir.If(half.decided_field("drop"), (ways_out.DROPPED,))

    def verdict(self, copies: _Copies | None) -> ir.Expr:
        port, arrival = (
            self.egress.given_field("egress_port"),
            self.ingress.given_field("ingress_port"),
        )
        here = ways_out.is_host(self.main, port)
        if self.main.cpu_port is None:
            cpu = ir.Const(CPU_PORT, port.width)
            here = fold.disjunction(here, fold.equal(port, cpu))
        if copies is not None:  # a copy is on its way already, which it goes on
            here = fold.disjunction(copies.leaves, here)
        is_known = arrival.name in ways_out.names_read([*self.first.bodies, *self.second.bodies])
        if copies is not None and copies.is_leaving is not None:  # it may have come in by a loop
            is_known = False
        return ways_out.verdict(here, port, arrival if is_known else None)

    # Once more through ingress

    def again(self, copies: _Copies | None) -> tuple[list[ir.Stmt], list[ir.Stmt], list[ir.Stmt]]:
        """Return what stands at the start, and what lets a packet begin anew behind ingress and
        behind egress."""
        resubmits, recirculates = self.resubmits(), self.recirculates()
        if not (resubmits or recirculates):
            return [], [], []
        walk, ingress = self.walk, self.ingress
        arrival, path = ingress.given_field("ingress_port"), ingress.given_field("packet_path")
        passes, came_by = self.passes, walk.fresh("came_by", arrival.width)
        how = {kind: ingress.path(kind).value for kind in ("RESUBMIT", "RECIRCULATE")}
        scalars: list[tuple[ir.Var, tuple[int, ...]]] = []
        if resubmits:
            scalars += _reasons(self.carried.resubmitted, how["RESUBMIT"])
        if recirculates:
            scalars += _reasons(self.carried.recirculated, how["RECIRCULATE"])
            scalars.append((came_by, tuple(how.values())))
        found = again.kept(scalars)
        walk.own_registers.append(again.register(found))
        start = list(again.resume(walk, passes, path, found))
        if recirculates:
            comes_again = fold.negation(fold.equal(path, ingress.path("NORMAL")))
            start.append(ir.If(comes_again, (ir.Assign(arrival, came_by),)))

        cannot = ir.FALSE if copies is None else copies.leaves

        def restarts(asked: ir.Expr, kind: int) -> ir.Stmt:
            def keeps(one: again.Kept) -> ir.Expr:
                return fold.boolean(kind in one.why)

            return again.restart(passes, asked, kind, found, keeps, cannot)

        resubmitted: list[ir.Stmt] = []
        if resubmits:
            asked = ingress.decided_field("resubmit")
            resubmitted = [ir.Assign(came_by, arrival), restarts(asked, how["RESUBMIT"])]
        recirculated: list[ir.Stmt] = []
        if recirculates:
            port = self.egress.given_field("egress_port")
            begins = fold.equal(port, ir.Const(RECIRCULATE_PORT, port.width))
            recirculated = [
                ir.Assign(came_by, ir.Const(RECIRCULATE_PORT, came_by.width)),
                restarts(begins, how["RECIRCULATE"]),
            ]
        return start, resubmitted, recirculated

    def resubmits(self) -> bool:
        return any(ways_out.may_set(self.first.bodies, self.ingress.decided_field("resubmit")))

    def recirculates(self) -> bool:
        """Tell whether ingress may name the port by which packets go through ingress again."""
        port = self.ingress.decided_field("egress_port")
        values = (stmt.value for stmt in ways_out.may_set(self.first.bodies, port))
        return any(
            value.value == RECIRCULATE_PORT if isinstance(value, ir.Const) else True
            for value in values
        )

    # From ingress to egress

    def alone(self) -> Iterator[ir.Stmt]:
        """Yield what egress is given of a packet that goes to one port."""
        egress, wanted = self.egress, self.ingress.decided_field("egress_port")
        yield ir.Assign(egress.given_field("egress_port"), wanted)
        yield ir.Assign(egress.given_field("packet_path"), egress.path("NORMAL_UNICAST"))
        yield _zero(egress.given_field("instance"))
        yield self.served()
        yield from self.timed()

    def served(self) -> ir.Stmt:
        """Return what tells egress the class of service that ingress chose."""
        chosen = self.ingress.decided_field("class_of_service")
        return ir.Assign(self.egress.given_field("class_of_service"), chosen)

    def timed(self) -> Iterator[ir.Stmt]:
        yield from ways_out.time(self.walk, self.egress.given_field("egress_timestamp"))


def _reasons(tree: Tree, kind: int) -> list[tuple[ir.Var, tuple[int, ...]]]:
    return [(storage_leaf(one), (kind,)) for one in leaves(tree)]


# Copies


WRITTEN, EGRESS, DEPARTURE = 1, 2, 3
"""The marks: in front of what writes the packet that ingress makes, of egress, behind egress."""

ORIGINAL, REPLICA, INGRESS_CLONE, ALSO_REPLICA = range(1, 5)
EGRESS_ORIGINAL, EGRESS_CLONE, EGRESS_AGAIN = range(5, 8)
"""The points where copies go on."""


@dataclass(frozen=True, slots=True)
class _Clones:
    """Clones by one half: `fork` makes them, `carried` are the variables by which `values` reach
    the egress parser, where they are those of `targets`."""

    fork: int
    targets: tuple[ir.Var, ...]
    values: tuple[ir.Expr, ...]
    carried: tuple[ir.Var, ...]
    path: str


@dataclass(frozen=True, slots=True)
class _Copies:
    """How packets are copied, by groups (in fork `group_fork`, without clones) and by clones.

    A clone by ingress is the packet as it came, so that it is made before the ingress deparser
    writes; the packet itself and the copies of its group go on there. Both kinds of clones come to
    egress as if nothing had been before.
    """

    walk: Walk
    switch: _Switch
    group_fork: int | None
    by_ingress: _Clones | None
    by_egress: _Clones | None
    is_copy: ir.Var
    point: ir.Var
    port: ir.Var
    rid: ir.Var
    is_leaving: ir.Var | None

    @property
    def leaves(self) -> ir.Var:
        """Where it holds the packet is a copy on its way out, and can be nothing else any more."""
        return self.is_leaving or self.is_copy

    # What is done

    def behind_ingress(self, decided: ir.Body) -> ir.Body:
        """Return what stands behind the statements of the ingress deparser: `decided`, with what
        makes clones in front of it."""
        if self.by_ingress is None:
            return decided
        ingress, group = self.switch.ingress, self.group()
        several = fold.negation(fold.equal(group, ir.Const(0, 32)))
        where = fold.mux(several, ir.Const(ir.TO_GROUP, 32), ir.Const(ir.TO_PORT, 32))
        wanted = fold.resize(ingress.decided_field("egress_port"), 32)
        drop, resubmit = (ingress.decided_field(name) for name in ("drop", "resubmit"))
        where = fold.mux(drop, ir.Const(ir.NOWHERE, 32), where)
        label, what = self.walk.labels.unique("written"), self.walk.fresh("copy", 32)
        copied = [
            self.switch.served(),
            self.replicate(self.by_ingress, ingress, where, fold.mux(several, group, wanted), what),
        ]
        copied.append(
            self.goes_on(what, ir.ORIGINAL, (*self.enter("NORMAL_UNICAST"), ir.Leave(label)))
        )
        if self.group_fork is not None:
            entered = (*self.enter("NORMAL_MULTICAST"), ir.Leave(label))
            copied.append(self.goes_on(what, ir.REPLICA, entered))
        again = fold.conjunction(fold.negation(drop), resubmit)
        asked = fold.conjunction(ingress.decided_field("clone"), fold.negation(again))
        return (ir.Scope(label, (ir.If(asked, tuple(copied)), *decided)), _mark(WRITTEN))

    def between(self, alone: ir.Body) -> ir.Body:
        """Return what stands between ingress and egress; `alone` is for a packet that goes to one
        port."""
        label = self.walk.labels.unique("egress")
        body: list[ir.Stmt] = []
        if self.by_ingress is not None:
            body.append(ir.If(self.is_copy, (ir.Leave(label),)))
        if self.group_fork is not None:
            body.append(self.to_group(self.group_fork, label))
        made: list[ir.Stmt] = [ir.Scope(label, (*body, *alone))]
        for point in self.fresh_points():
            is_there = fold.equal(self.point, ir.Const(point.number, 32))
            made.append(ir.If(is_there, point.entered))
        return (*made, _mark(EGRESS))

    def to_group(self, fork: int, label: str) -> ir.Stmt:
        group, what = self.group(), self.walk.fresh("copy", 32)
        which = (ir.Const(ir.NO_SESSION, 32), ir.Const(ir.TO_GROUP, 32), group)
        copied = (
            self.switch.served(),
            ir.Effect("replicate", None, (ir.Const(fork, 8), *which), what),
            self.goes_on(what, ir.REPLICA, (*self.enter("NORMAL_MULTICAST"), ir.Leave(label))),
            ways_out.DROPPED,
        )
        return ir.If(fold.negation(fold.equal(group, ir.Const(0, 32))), copied)

    def behind_egress(self, undropped: ir.Body) -> tuple[ir.Body, ir.Body]:
        """Return what stands behind the statements of the egress deparser and what behind its
        writing; `undropped` ends the way of a packet that egress drops."""
        if self.by_egress is None:
            return undropped, ()
        egress, what = self.switch.egress, self.walk.fresh("copy", 32)
        few = fold.binary(ir.BinaryOp.LT, self.switch.passes, ir.Const(again.MOST_PASSES - 1, 8))
        can = fold.conjunction(fold.negation(self.leaves), few)
        asked = fold.conjunction(can, egress.decided_field("clone"))
        label = self.walk.labels.unique("departure")
        drop = egress.decided_field("drop")
        port = fold.resize(egress.given_field("egress_port"), 32)
        begins = fold.equal(port, ir.Const(RECIRCULATE_PORT, 32))
        where = fold.mux(begins, ir.Const(ir.TO_ITSELF, 32), ir.Const(ir.TO_PORT, 32))
        where = fold.mux(drop, ir.Const(ir.NOWHERE, 32), where)
        copied = (
            self.replicate(self.by_egress, egress, where, port, what),
            self.goes_on(what, ir.ORIGINAL, (ir.Leave(label),)),
            self.goes_on(what, ir.ITSELF, (ir.Leave(label),)),
        )
        departs = ir.Scope(label, (ir.If(asked, copied), *undropped))
        return (ir.If(fold.negation(asked), undropped),), (departs, _mark(DEPARTURE))

    def replicate(
        self, clones: _Clones, half: _Half, where: ir.Expr, to: ir.Expr, what: ir.Var
    ) -> ir.Stmt:
        session = fold.resize(half.decided_field("clone_session_id"), 32)
        arguments = (ir.Const(clones.fork, 8), session, where, to, *clones.values)
        return ir.Effect("replicate", None, arguments, what)

    def goes_on(self, what: ir.Var, kind: int, body: ir.Body) -> ir.Stmt:
        return ir.If(fold.equal(what, ir.Const(kind, 32)), body)

    def group(self) -> ir.Expr:
        return fold.resize(self.switch.ingress.decided_field("multicast_group"), 32)

    def enter(self, path: str) -> ir.Body:
        """Return what egress is given of a copy."""
        egress = self.switch.egress
        body: list[ir.Stmt] = []
        for name, value in (("egress_port", self.port), ("instance", self.rid)):
            field = egress.given_field(name)
            body.append(ir.Assign(field, fold.resize(value, field.width)))
        body.append(ir.Assign(egress.given_field("packet_path"), egress.path(path)))
        return (*body, *self.switch.timed())

    # What the midend has to know

    def replication(self) -> ir.Replication:
        forks: dict[int, ir.Fork] = {}
        fresh = {point.number: point for point in self.fresh_points()}
        replica = self.enter("NORMAL_MULTICAST")
        if self.by_ingress is not None:
            alone = self.enter("NORMAL_UNICAST")
            points = [ir.Point(ORIGINAL, ir.ORIGINAL, WRITTEN, alone), fresh[INGRESS_CLONE]]
            if self.group_fork is not None:
                points.append(ir.Point(REPLICA, ir.REPLICA, WRITTEN, replica))
            forks[self.by_ingress.fork] = ir.Fork(tuple(points), self.by_ingress.carried)
        if self.group_fork is not None:
            forks[self.group_fork] = ir.Fork((ir.Point(ALSO_REPLICA, ir.REPLICA, EGRESS, replica),))
        if self.by_egress is not None:
            original = ir.Point(EGRESS_ORIGINAL, ir.ORIGINAL, DEPARTURE)
            itself = ir.Point(EGRESS_AGAIN, ir.ITSELF, DEPARTURE)
            left = (original, fresh[EGRESS_CLONE], itself)
            forks[self.by_egress.fork] = ir.Fork(left, self.by_egress.carried)
        ordered = tuple(forks[number] for number in sorted(forks))
        return ir.Replication(
            self.is_copy, self.point, self.port, self.rid, ordered, self.is_leaving
        )

    def fresh_points(self) -> Iterator[ir.Point]:
        """Yield where clones come to egress."""
        for clones, number in ((self.by_ingress, INGRESS_CLONE), (self.by_egress, EGRESS_CLONE)):
            if clones is not None:
                pairs = zip(clones.targets, clones.carried, strict=True)
                carried = (ir.Assign(target, var) for target, var in pairs)
                service = _zero(self.switch.egress.given_field("class_of_service"))
                entered = (*self.enter(clones.path), service, *carried)
                yield ir.Point(number, ir.CLONE, EGRESS, entered, is_fresh=True)


def _mark(number: int) -> ir.Stmt:
    return ir.Effect("resume", None, (ir.Const(number, 8),))


def _copies(walk: Walk, switch: _Switch) -> _Copies | None:
    """Return how packets are copied, None if none ever is."""
    numbers = count()
    ingress, egress = switch.ingress, switch.egress
    bodies, passes = switch.first.bodies, switch.passes
    by_ingress = by_egress = group_fork = None
    in_egress = any(ways_out.may_set(switch.second.bodies, egress.decided_field("clone")))
    if any(ways_out.may_set(bodies, ingress.decided_field("clone"))):
        counted = passes if in_egress else None
        by_ingress = _clones(
            walk, next(numbers), switch.carried.cloned, "CLONE_I2E", passes, counted
        )
    if any(ways_out.may_set(bodies, ingress.decided_field("multicast_group"))):
        group_fork = next(numbers)
    if in_egress:
        more = fold.binary(ir.BinaryOp.ADD, passes, ir.Const(1, 8))
        by_egress = _clones(walk, next(numbers), switch.carried.copied, "CLONE_E2E", passes, more)
    if by_ingress is None and group_fork is None and by_egress is None:
        return None
    is_copy = walk.fresh("is_copy", ir.BOOL)
    point, port, rid = (walk.fresh(n, 32) for n in ("copy_point", "copy_port", "copy_id"))
    leaving = walk.fresh("is_leaving", ir.BOOL) if by_egress else None
    return _Copies(
        walk, switch, group_fork, by_ingress, by_egress, is_copy, point, port, rid, leaving
    )


def _clones(
    walk: Walk, fork: int, metadata: Tree, path: str, passes: ir.Var, counted: ir.Expr | None
) -> _Clones:
    """Return the clones that a fork makes; `counted` is what they find in `passes`, if anything."""
    targets = tuple(storage_leaf(one) for one in leaves(metadata))
    values: tuple[ir.Expr, ...] = targets
    if counted is not None:
        targets, values = (*targets, passes), (*values, counted)
    carried = tuple(walk.fresh(f"carried.{var.name}", var.width) for var in targets)
    return _Clones(fork, targets, values, carried, path)


ARCHITECTURE = Architecture("psa", (6, 4, 7, 7, 4, 7), _elaborate)
