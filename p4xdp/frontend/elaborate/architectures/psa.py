"""PSA: ingress and egress, each of parser, control and deparser, as one program of two pipelines.

What ingress decides is carried out in the order of the specification (section 6): resubmission, the
copies of a multicast group, one port. A packet for one port is deparsed where it lies and parsed
again by egress in the same run. What a parser rejects goes on behind it, with `parser_error` set.
"""

from __future__ import annotations

from collections.abc import Iterator

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

EGRESS = 1
"""The mark in front of egress."""


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
    _refuse_clones(walk, ingress, first)
    _refuse_clones(walk, egress, second)
    switch = _Switch(walk, main, ingress, egress, carried, first, second)
    return switch.program()


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


def _refuse_clones(walk: Walk, half: _Half, code: _Code) -> None:
    for stmt in ways_out.may_set(code.bodies, half.decided_field("clone")):
        walk.diagnostics.error(
            "unsupported",
            stmt.span,
            "a clone is not supported",
            help="run it in the interpreter",
        )


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

    def program(self) -> ir.Program:
        walk, egress = self.walk, self.egress
        port, verdict = egress.given_field("egress_port"), walk.fresh("verdict", 32)
        replication = self.replication()
        kept, resubmitted, recirculated = self.again(replication)
        decided = ir.Assign(verdict, self.verdict(replication))
        return ir.Program(
            name=self.main.name,
            source=self.main.source,
            model="xdp",
            headers=tuple(walk.headers.values()),
            tables=tuple(walk.tables.values()),
            counters=tuple(walk.counters.values()),
            registers=(*walk.registers.values(), *walk.own_registers),
            meters=tuple(walk.meters.values()),
            digests=tuple(walk.digests.values()),
            profiles=tuple(walk.profiles.values()),
            errors=walk.program.errors,
            input_port=self.ingress.given_field("ingress_port"),
            parser_error=self.ingress.given_field("parser_error"),
            verdict=verdict,
            port=port,
            parser=self.arriving(kept),
            control=self.first.control,
            deparser=(*self.first.deparser, *self.undropped(self.ingress), *resubmitted),
            departure=self.between(replication),
            further=(
                ir.Pipeline(
                    parser=self.second.parser,
                    control=(*self.second.control, decided),
                    deparser=(*self.second.deparser, *self.undropped(egress)),
                    departure=tuple(recirculated),
                    parser_error=egress.given_field("parser_error"),
                ),
            ),
            ports=ir.Ports(ways_out.PORTS, self.main.host_port),
            is_kept=True,
            replication=replication,
        )

    def arriving(self, resumed: list[ir.Stmt]) -> tuple[ir.State, ...]:
        """Return the ingress parser, first with what is known of the packet when it arrives."""
        first, *others = self.first.parser
        time = ways_out.time(self.walk, self.ingress.given_field("ingress_timestamp"))
        return (replace(first, body=(*resumed, *time, *first.body)), *others)

    def undropped(self, half: _Half) -> Iterator[ir.Stmt]:
        yield ir.If(half.decided_field("drop"), (ways_out.DROPPED,))

    def verdict(self, replication: ir.Replication | None) -> ir.Expr:
        port, arrival = (
            self.egress.given_field("egress_port"),
            self.ingress.given_field("ingress_port"),
        )
        here = fold.disjunction(
            ways_out.is_host(self.main, port), fold.equal(port, ir.Const(CPU_PORT, port.width))
        )
        if replication is not None:  # a copy is on its way already, which it goes on
            here = fold.disjunction(replication.is_replica, here)
        read = ways_out.names_read([*self.first.bodies, *self.second.bodies])
        return ways_out.verdict(here, port, arrival if arrival.name in read else None)

    # Once more through ingress

    def again(
        self, replication: ir.Replication | None
    ) -> tuple[list[ir.Stmt], list[ir.Stmt], list[ir.Stmt]]:
        """Return what stands at the start, and what lets a packet begin anew behind ingress and
        behind egress."""
        resubmits, recirculates = self.resubmits(), self.recirculates()
        if not (resubmits or recirculates):
            return [], [], []
        walk, ingress = self.walk, self.ingress
        arrival, path = ingress.given_field("ingress_port"), ingress.given_field("packet_path")
        passes, came_by = walk.fresh("passes", 8), walk.fresh("came_by", arrival.width)
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

        cannot = ir.FALSE if replication is None else replication.is_replica

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

    def replication(self) -> ir.Replication | None:
        """Return how packets are replicated, None if the program names no group."""
        walk, group = self.walk, self.ingress.decided_field("multicast_group")
        if not any(ways_out.may_set(self.first.bodies, group)):
            return None
        is_replica = walk.fresh("is_replica", ir.BOOL)
        point, port, rid = (walk.fresh(n, 32) for n in ("copy_point", "copy_port", "copy_id"))
        entered = tuple(self.copied(port, rid))
        fork = ir.Fork((ir.Point(1, ir.REPLICA, EGRESS, entered),))
        return ir.Replication(is_replica, point, port, rid, (fork,))

    def between(self, replication: ir.Replication | None) -> ir.Body:
        """Return what stands between ingress and egress."""
        walk, alone = self.walk, tuple(self.alone())
        if replication is None:
            return alone
        group = fold.resize(self.ingress.decided_field("multicast_group"), 32)
        label, what = walk.labels.unique("egress"), walk.fresh("copy", 32)
        [[point]] = (fork.points for fork in replication.forks)
        which = (ir.Const(ir.NO_SESSION, 32), ir.Const(ir.TO_GROUP, 32), group)
        is_replica = fold.equal(what, ir.Const(ir.REPLICA, 32))
        several = fold.negation(fold.equal(group, ir.Const(0, 32)))
        copied = (
            ir.Effect("replicate", None, (ir.Const(0, 8), *which), what),
            ir.If(is_replica, (*point.entered, ir.Leave(label))),
            ways_out.DROPPED,
        )
        mark = ir.Effect("resume", None, (ir.Const(EGRESS, 8),))
        return (ir.Scope(label, (ir.If(several, copied), *alone)), mark)

    def alone(self) -> Iterator[ir.Stmt]:
        """Yield what egress is given of a packet that goes to one port."""
        egress, wanted = self.egress, self.ingress.decided_field("egress_port")
        yield ir.Assign(egress.given_field("egress_port"), wanted)
        yield ir.Assign(egress.given_field("packet_path"), egress.path("NORMAL_UNICAST"))
        yield _zero(egress.given_field("instance"))
        yield from self.entering()

    def copied(self, port: ir.Var, rid: ir.Var) -> Iterator[ir.Stmt]:
        """Yield what egress is given of a copy."""
        egress = self.egress
        for name, value in (("egress_port", port), ("instance", rid)):
            field = egress.given_field(name)
            yield ir.Assign(field, fold.resize(value, field.width))
        yield ir.Assign(egress.given_field("packet_path"), egress.path("NORMAL_MULTICAST"))
        yield from self.entering()

    def entering(self) -> Iterator[ir.Stmt]:
        egress, service = self.egress, self.ingress.decided_field("class_of_service")
        yield ir.Assign(egress.given_field("class_of_service"), service)
        yield from ways_out.time(self.walk, egress.given_field("egress_timestamp"))


def _reasons(tree: Tree, kind: int) -> list[tuple[ir.Var, tuple[int, ...]]]:
    return [(storage_leaf(one), (kind,)) for one in leaves(tree)]


ARCHITECTURE = Architecture("psa", (6, 4, 7, 7, 4, 7), _elaborate)
