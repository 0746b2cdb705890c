"""xdp_model: a parser, a switch that decides, a deparser."""

from __future__ import annotations

from p4xdp.diagnostics import fail
from p4xdp.frontend import typed
from p4xdp.frontend.elaborate.architectures.blocks import (
    Architecture,
    Main,
    blocks,
    control,
    parse,
    run,
    storage,
)
from p4xdp.frontend.elaborate.trees import leaf, part_of
from p4xdp.frontend.elaborate.walk import Packet, Walk, storage_leaf
from p4xdp.midend import ir


def _elaborate(walk: Walk, main: Main) -> ir.Program:
    parser, switch, deparser = blocks(walk, main.instance, 3)
    headers, arrival, decision = (storage(walk, p) for p in control(switch).parameters)
    graph = parse(walk, parser, [Packet(), headers])
    verdict = storage_leaf(leaf(part_of(decision, "output_action")))
    port = storage_leaf(leaf(part_of(decision, "output_port")))
    body = run(walk, switch, [headers, arrival, decision], preset=(verdict, port))
    emitted = run(walk, deparser, [headers, Packet()])
    return ir.Program(
        name=main.name,
        source=main.source,
        model="xdp",
        input_port=storage_leaf(leaf(part_of(arrival, "input_port"))),
        verdict=verdict,
        port=port,
        parser=graph,
        control=body,
        deparser=emitted,
        devmap_size=_devmap_size(main.instance),
    )


def _devmap_size(main: typed.Instance) -> int | None:
    """Return N of `@devmap(N)` on main: redirects go through a device map of N ports."""
    for annotation in main.annotations:
        if annotation.name == "devmap":
            text = annotation.text or ""
            if not text.isdigit() or int(text) == 0:
                raise fail(
                    "devmap-size",
                    annotation.span,
                    "@devmap needs the number of ports",
                    help="write @devmap(64)",
                )
            return int(text)
    return None


ARCHITECTURE = Architecture("xdp_model", (2, 3, 2), _elaborate)
