"""v1model: the pipeline of the software switch, as one program.

Parser, checksum verification and ingress decide where the packet goes; for a packet that goes to
one port, egress, checksum update and deparser follow in the same run. What the parser rejects
goes on into ingress, with `parser_error` set.
"""

from __future__ import annotations

from collections.abc import Iterator

from p4xdp.diagnostics import NO_SPAN
from p4xdp.frontend import types as t
from p4xdp.frontend.elaborate import fold
from p4xdp.frontend.elaborate.architectures import again, field_lists, ways_out
from p4xdp.frontend.elaborate.architectures.blocks import (
    Architecture,
    Main,
    blocks,
    control,
    parse,
    run,
    storage,
)
from p4xdp.frontend.elaborate.architectures.copies import (
    Copies,
    before_parser,
    copies_of,
    dropped,
    replication,
    with_copies,
)
from p4xdp.frontend.elaborate.externs.v1model import standard
from p4xdp.frontend.elaborate.trees import Tree
from p4xdp.frontend.elaborate.walk import Packet, Walk
from p4xdp.midend import ir
from p4xdp.midend.rewrite import expressions, variables, walk as statements
from p4xdp.records import replace

_QUEUE = ("enq_timestamp", "enq_qdepth", "deq_timedelta", "deq_qdepth")


def _elaborate(walk: Walk, main: Main) -> ir.Program:
    parser, verify, ingress, egress, compute, deparser = blocks(walk, main.instance, 6)
    headers, metadata, walk.standard = (storage(walk, p) for p in control(ingress).parameters)
    data = [headers, metadata, walk.standard]
    states = parse(walk, parser, [Packet(), *data])
    port = ir.Var(walk.names.unique("output_port"), standard(walk, "egress_spec").width)
    verdict = ir.Var(walk.names.unique("verdict"), 32)
    before = (*run(walk, verify, data[:2]), *run(walk, ingress, data))
    left = run(walk, egress, data)
    computed = run(walk, compute, data[:2])
    emitted = run(walk, deparser, [Packet(), headers])
    kind = control(ingress).parameters[1].type
    copies = copies_of(walk, kind, metadata, port, tuple(_enter_time(walk)), before, left)
    resumed, resubmitted, departure = _again(walk, kind, metadata, copies)
    if copies is None:
        first = (*before, *resubmitted, *_enter_egress(walk, port))
        body = (*first, *left, dropped(walk), *computed)
    else:
        alone = tuple(_enter_egress(walk, port))
        body = with_copies(copies, before, resubmitted, alone, left, computed)
        resumed = (*resumed, *before_parser(copies))
    states = (_first(walk, states[0], resumed), *states[1:])
    _warn_of_queues(walk, (*(state.body for state in states), body, emitted))
    return ir.Program(
        name=main.name,
        source=main.source,
        model="xdp",
        input_port=standard(walk, "ingress_port"),
        parser_error=standard(walk, "parser_error"),
        verdict=verdict,
        port=port,
        parser=states,
        control=(*body, _decide(walk, main, verdict, port, body, copies)),
        deparser=emitted,
        ports=ir.Ports(ways_out.PORTS, main.host_port, main.cpu_port, width=9, group_width=16),
        is_kept=True,
        replication=replication(copies) if copies else None,
        departure=(
            *_truncated(walk),
            *departure,
            *ways_out.to_controller(main, port, standard(walk, "ingress_port")),
        ),
    )


def _again(
    walk: Walk, kind: t.Type, metadata: Tree, copies: Copies | None
) -> tuple[ir.Body, ir.Body, ir.Body]:
    """Return what stands at the start, behind ingress and behind the deparser of a program whose
    packets may come again."""
    asked = walk.again
    if asked is None:
        return (), (), ()
    found = field_lists.kept(walk, asked, kind, metadata)
    walk.own_registers.append(again.register(found))
    resumed = again.resume(walk, asked.passes, standard(walk, "instance_type"), found)
    cannot = ir.FALSE if copies is None else copies.leaves

    def behind(wanted: ir.Var, instance: int) -> ir.Body:
        return (field_lists.restart(asked, wanted, instance, found, cannot),)

    return (
        tuple(resumed),
        behind(asked.resubmit, field_lists.RESUBMITTED),
        behind(asked.recirculate, field_lists.RECIRCULATED),
    )


def _truncated(walk: Walk) -> ir.Body:
    if walk.truncation is None:
        return ()
    cut = ir.Effect("truncate", None, (walk.truncation.length,))
    return (ir.If(walk.truncation.wanted, (cut,)),)


def _first(walk: Walk, state: ir.State, resumed: ir.Body) -> ir.State:
    """Return the parser's first state with what is known of the packet when it arrives."""
    length = ir.PacketLength(standard(walk, "packet_length"))
    times = _time(walk, "ingress_global_timestamp")
    return replace(state, body=(*resumed, length, *times, *state.body))


def _time(walk: Walk, name: str) -> Iterator[ir.Stmt]:
    return ways_out.time(walk, standard(walk, name))


def _enter_time(walk: Walk) -> Iterator[ir.Stmt]:
    yield from _time(walk, "egress_global_timestamp")


def _enter_egress(walk: Walk, port: ir.Var) -> Iterator[ir.Stmt]:
    """Yield what stands between ingress and egress, for a packet that goes to one port."""
    wanted, kind = standard(walk, "egress_spec"), standard(walk, "instance_type")
    yield dropped(walk)
    yield ir.Assign(port, wanted)
    yield ir.Assign(standard(walk, "egress_port"), wanted)
    yield ir.Assign(wanted, ir.Const(0, wanted.width))
    yield ir.Assign(kind, ir.Const(0, kind.width))
    yield from _enter_time(walk)


def _decide(
    walk: Walk,
    main: Main,
    verdict: ir.Var,
    port: ir.Var,
    body: ir.Body,
    copies: Copies | None,
) -> ir.Stmt:
    """Return what sets the verdict on a packet that goes to `port`."""
    here = ways_out.is_host(main, port)
    if copies is not None:  # a copy is on its way already, which it goes on
        here = fold.disjunction(copies.leaves, here)
    arrival = standard(walk, "ingress_port")
    is_known = arrival.name in ways_out.names_read([body]) - ways_out.names_set([body])
    if copies is not None and copies.is_leaving is not None:  # it may have come in by a loop
        is_known = False
    return ir.Assign(verdict, ways_out.verdict(here, port, arrival if is_known else None))


def _warn_of_queues(walk: Walk, bodies: tuple[ir.Body, ...]) -> None:
    """Say once that there are no queues, to a program that looks at them."""
    queue = {standard(walk, name).name for name in _QUEUE}
    for body in bodies:
        for stmt in statements(body):
            for expr in expressions(stmt):
                if any(var.name in queue for var in variables(expr)):
                    walk.diagnostics.warning(
                        "no-queues",
                        getattr(stmt, "span", NO_SPAN),
                        "XDP has no queues: what the metadata say of them is 0",
                    )
                    return


ARCHITECTURE = Architecture("v1model", (4, 2, 3, 3, 2, 2), _elaborate)
